package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/internal/vss"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire"
)

// Config describes the games. DefaultConfig returns it filled; a Config of JSON may leave keys out (ParseConfig).
type Config struct {
	Games   int    `json:"games"`   // that run side by side. Default 1
	Ticks   int    `json:"ticks"`   // of 16 ms that a step takes, 1 to 1000. Default 1
	Robots  int    `json:"robots"`  // a team, 3 or 5. Default 3
	Agents  int    `json:"agents"`  // robots of a team that actions drive: those with the lowest ids. Default 1
	Sides   int    `json:"sides"`   // teams that actions drive: 1 blue, 2 both. Default 1
	Physics string `json:"physics"` // "firasim" or "rsim". Default "firasim"

	Mates     Player `json:"mates"`     // drives the other robots of blue, and of yellow if it has agents. Default Still
	Opponents Player `json:"opponents"` // drives yellow if it has no agents. Default Still

	MaxWheel  float64 `json:"maxWheel"`  // rad/s of action 1. Default 0: 60 for firasim, 46.08 for rsim, 1.2 m/s
	Limit     int     `json:"limit"`     // steps after which an episode is truncated; 0: never. Default 1800
	Weights   Weights `json:"weights"`   // weights of the terms of the reward. Default those of rSoccer
	Autoreset bool    `json:"autoreset"` // a finished game begins its next episode in the same step. Default false
	NextStep  bool    `json:"nextStep"`  // with Autoreset: in the step after it, which ignores its actions. Default false

	Start     *vss.Lineup `json:"-"`         // start positions. Default nil: random ones (rSoccer)
	Jitter    Jitter      `json:"jitter"`    // random shifts of Start. Default none
	Randomize Ranges      `json:"randomize"` // what differs from episode to episode. Default nothing
}

// Jitter is how far start positions shift at random in x and in y, in m, 0..0.5, but not beyond the lines.
type Jitter struct {
	Ball   float64 `json:"ball"`
	Blue   float64 `json:"blue"`
	Yellow float64 `json:"yellow"`
}

// Ranges are what is drawn again for each episode, uniformly: factors of the physics, and disturbances. A nil range
// leaves the value alone.
type Ranges struct {
	Mass     *Range `json:"mass"`     // factor of a robot's mass and inertia, 0.1..10
	Friction *Range `json:"friction"` // factor of the friction of the ball on the floor and of the wheels' grip, 0.1..10
	Motor    *Range `json:"motor"`    // factor of a motor's largest torque, 0.1..10
	Latency  *Range `json:"latency"`  // s from the field to the observation, 0..1, rounded up to ticks
	Noise    *Range `json:"noise"`    // m, standard deviation of observed positions, 0..1; headings have 10 rad for each m
	Vanish   *Range `json:"vanish"`   // probability that a robot or the ball is not seen, 0..1; it stays where it was seen
}

// Range is the lowest and the highest value.
type Range [2]float64

// Player drives robots that no action drives.
type Player string

// The players.
const (
	Still   Player = "still"   // wheels at 0
	Random  Player = "random"  // wheels follow an Ornstein-Uhlenbeck process (rSoccer)
	Weak    Player = "weak"    // the built-in team with a fraction of its wheel speeds
	Medium  Player = "medium"  // the built-in team with a larger fraction of them
	Builtin Player = "builtin" // the built-in team
)

// players are all players, from the weakest team to the strongest.
var players = []Player{Still, Random, Weak, Medium, Builtin}

// pace returns the share of the wheel speeds of the built-in team that a player has, 0 for none.
func (p Player) pace() float64 {
	share, _ := vss.Pace(string(p))
	return share
}

// The terms of the reward, in the order of Terms.
const (
	Goal          = iota // 1 for a goal, -1 for one of the other team; the other terms are 0 then
	BallPotential        // change of the ball's potential a second: from the own goal to the other
	MoveToBall           // speed of the agents towards the ball; mean of the agents
	Energy               // minus the sum of both wheels' speeds; mean of the agents
	terms
)

// Terms are the names of the terms of the reward.
var Terms = [terms]string{"goal", "ball_potential", "move_to_ball", "energy"}

// Weights are the factors of the terms in the reward, by the names of Terms.
type Weights struct {
	Goal          float64 `json:"goal"`
	BallPotential float64 `json:"ball_potential"`
	MoveToBall    float64 `json:"move_to_ball"`
	Energy        float64 `json:"energy"`
}

// Bounds of a Config.
const (
	maxTicks  = 1000
	maxLimit  = 10_000_000
	maxJitter = 0.5
)

// DefaultConfig returns one game of three against three with one agent, against a team that stands still. The weights are
// those of the environment VSS-v0 (rSoccer).
func DefaultConfig() Config {
	return Config{
		Games: 1, Ticks: 1, Robots: 3, Agents: 1, Sides: 1, Physics: "firasim", Mates: Still, Opponents: Still, Limit: 1800,
		Weights: Weights{Goal: 10, BallPotential: 0.8, MoveToBall: 0.2, Energy: 2e-4},
	}
}

// ParseConfig reads a Config from a JSON object. Missing keys are those of DefaultConfig. start is "random", or start
// positions as vss.ParseLineup reads them. Errors name the key and the values that it takes.
func ParseConfig(b []byte) (Config, error) {
	file := struct {
		Config
		Start jsontext.Value `json:"start"`
	}{Config: DefaultConfig()}
	if err := wire.DecodeJSON(b, "the games", &file); err != nil {
		return Config{}, err
	}
	cfg := file.Config
	if err := cfg.Validate(); err != nil {
		return Config{}, err
	}
	start, err := ParseStart(file.Start, cfg.Robots)
	cfg.Start = start
	return cfg, err
}

// ParseStart reads start positions: nothing or "random" is nil, anything else is for vss.ParseLineup.
func ParseStart(b []byte, robots int) (*vss.Lineup, error) {
	if text := string(b); text == "" || text == "null" || text == `"random"` {
		return nil, nil
	}
	return vss.ParseLineup(b, robots)
}

// Validate names the first field out of range, by its key.
func (c *Config) Validate() error {
	for _, f := range []struct {
		name              string
		value, least, max int
	}{
		{"games", c.Games, 1, math.MaxInt32}, {"ticks", c.Ticks, 1, maxTicks}, {"limit", c.Limit, 0, maxLimit},
	} {
		if f.value < f.least || f.value > f.max {
			return fmt.Errorf("%s %d: want %d to %d", f.name, f.value, f.least, f.max)
		}
	}
	switch {
	case c.Robots != 3 && c.Robots != 5:
		return fmt.Errorf("robots %d: want 3 or 5", c.Robots)
	case c.Agents < 1 || c.Agents > c.Robots:
		return fmt.Errorf("agents %d: want 1 to %d", c.Agents, c.Robots)
	case c.Sides != 1 && c.Sides != 2:
		return fmt.Errorf("sides %d: want 1 (blue) or 2 (both)", c.Sides)
	case c.Physics != "firasim" && c.Physics != "rsim":
		return fmt.Errorf("physics %.40q: want firasim or rsim", c.Physics)
	case c.NextStep && !c.Autoreset:
		return errors.New("nextStep without autoreset: want both, or neither")
	case !(c.MaxWheel >= 0 && c.MaxWheel <= 1000):
		return fmt.Errorf("maxWheel %g: want 0 to 1000 rad/s", c.MaxWheel)
	}
	for _, j := range []float64{c.Jitter.Ball, c.Jitter.Blue, c.Jitter.Yellow} {
		if !(j >= 0 && j <= maxJitter) {
			return fmt.Errorf("jitter %g: want 0 to %g m", j, maxJitter)
		}
	}
	return errors.Join(c.validatePlayers(), c.validateWeights(), c.Randomize.validate())
}

func (c *Config) validatePlayers() error {
	if !slices.Contains(players, c.Mates) {
		return fmt.Errorf("mates %.40q: want one of %v", c.Mates, players)
	}
	if !slices.Contains(players, c.Opponents) {
		return fmt.Errorf("opponents %.40q: want one of %v", c.Opponents, players)
	}
	return nil
}

func (c *Config) validateWeights() error {
	for i, w := range c.Weights.list() {
		if !(math.Abs(w) <= 1e9) {
			return fmt.Errorf("weights: %s %g: want -1e9 to 1e9", Terms[i], w)
		}
	}
	return nil
}

// list returns the weights in the order of Terms.
func (w *Weights) list() [terms]float64 {
	return [terms]float64{w.Goal, w.BallPotential, w.MoveToBall, w.Energy}
}

func (r *Ranges) validate() error {
	for _, f := range []struct {
		name       string
		value      *Range
		least, max float64
	}{
		{"mass", r.Mass, 0.1, 10}, {"friction", r.Friction, 0.1, 10}, {"motor", r.Motor, 0.1, 10},
		{"latency", r.Latency, 0, 1}, {"noise", r.Noise, 0, 1}, {"vanish", r.Vanish, 0, 1},
	} {
		if v := f.value; v != nil && !(f.least <= v[0] && v[0] <= v[1] && v[1] <= f.max) {
			return fmt.Errorf("randomize: %s [%g, %g]: want two numbers from %g to %g, the smaller one first", f.name, v[0], v[1],
				f.least, f.max)
		}
	}
	return nil
}

// preset returns the physics before randomisation.
func (c *Config) preset() sim.Physics { return vss.PhysicsOf(c.Physics) }

// WheelSpeed returns the wheel speed of action 1 in rad/s: by default that of 1.2 m/s, the limit of rSim's motors (rSim).
func (c *Config) WheelSpeed() float64 {
	if c.MaxWheel > 0 {
		return c.MaxWheel
	}
	p := c.preset()
	if p.Robot.MaxWheel > 0 {
		return p.Robot.MaxWheel
	}
	return 1.2 / p.Robot.WheelRadius
}

// Field returns the field of the games.
func (c *Config) Field() soccer.Field { return vss.FieldOf(c.Robots) }

// Observation returns the length of an observation: 4 numbers of the ball, 7 of each own robot, 5 of each opponent.
func (c *Config) Observation() int { return 4 + 12*c.Robots }

// Actions returns the length of the actions of a game: two wheels of each agent of each side.
func (c *Config) Actions() int { return 2 * c.Agents * c.Sides }

// Truth returns the length of a game's true state: 6 numbers of the ball, 7 of each robot.
func (c *Config) Truth() int { return 6 + 14*c.Robots }
