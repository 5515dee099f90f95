// Package learn is the game as an environment for reinforcement learning: steps with actions of wheel speeds,
// observations, rewards and episodes from a seed, over package vss. It is a pure core. Package learnnet serves it to
// other programs.
package learn

import (
	"fmt"
	"math/rand/v2"
	"net/netip"

	"touchline/internal/exact"
	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// Game is one game. Reset starts its first episode. The same Config, seed and actions give the same bytes on every
// processor. It is not safe for concurrent use.
type Game struct {
	cfg      *Config
	session  *vss.Session
	truth    *firasim.Environment // after the last step, without disturbances
	builtin  [2]*vss.Team         // nil: not a built-in team's side
	maxWheel float64              // rad/s
	scale    scale
	weights  [terms]float64
	memory
	result Result

	setup  vss.Config          // of this episode
	own    firasim.Environment // the truth, where vision is disturbed
	packet firasim.Packet      // reused
}

// maxRobots is the largest number of robots of a team.
const maxRobots = 5

// memory is the part of a Game that Save copies in addition to the session and the built-in teams.
type memory struct {
	seed, episode uint64
	steps         int
	done          bool
	disturbed     bool // vision is not the truth
	seen          sight
	potential     [2]float64 // potential of the ball, for blue and for yellow
	walks         [2][maxRobots]walk
	source        rand.PCG // random numbers of the walks
}

// walk is the Ornstein-Uhlenbeck process of both wheels, as actions.
type walk [2]float64

// Result is the outcome of a step.
type Result struct {
	Terms      [2][terms]float64 // terms of the reward, for blue and for yellow, before their weights
	Reward     [2]float64        // the weighted sums
	Terminated bool              // a goal ended the episode
	Truncated  bool              // the limit of steps ended it
}

// New returns a game, which Reset starts. Games may share cfg, which is valid (Validate) and does not change any more.
func New(cfg *Config) *Game {
	return &Game{cfg: cfg, weights: cfg.Weights.list(), maxWheel: cfg.WheelSpeed(), scale: cfg.scale()}
}

// Reset starts the first episode of a seed, at start positions or, if start is nil, at those of Config. The error is of
// start positions that are not on the field.
func (g *Game) Reset(seed uint64, start *vss.Lineup) error {
	if start == nil {
		start = g.cfg.Start
	}
	g.seed, g.episode = seed, 0
	return g.begin(start)
}

// Next starts the next episode.
func (g *Game) Next() error {
	g.episode++
	return g.begin(g.cfg.Start)
}

// Episode returns the seed of the last Reset, and how many times Next was called since.
func (g *Game) Episode() (seed, episode uint64) { return g.seed, g.episode }

// Done reports whether the last step ended the episode.
func (g *Game) Done() bool { return g.done }

// begin starts the present episode.
func (g *Game) begin(start *vss.Lineup) (err error) {
	random := rand.New(rand.NewPCG(g.seed, g.episode))
	g.setup = g.cfg.draw(start, random)
	if g.session, err = vss.New(g.setup); err != nil {
		return fmt.Errorf("episode %d of seed %d: %w", g.episode, g.seed, err)
	}
	g.session.RefreshVision() // an observation needs no tick
	g.source = *rand.NewPCG(random.Uint64(), random.Uint64())
	g.walks = [2][maxRobots]walk{}
	for side := range g.builtin {
		g.builtin[side] = nil
		if g.cfg.player(side).pace() > 0 {
			g.builtin[side] = vss.NewTeam(side == 1, g.cfg.Field(), g.cfg.Robots, random.Uint64())
			g.builtin[side].Slow(g.cfg.player(side).pace())
		}
	}
	g.steps, g.done, g.result, g.seen = 0, false, Result{}, sight{}
	g.disturbed = g.setup.Latency != 0 || g.setup.NoisePosition != 0 || g.setup.Vanish != 0
	g.look()
	g.potential = g.potentials()
	return nil
}

// player returns what drives the robots of a side that no action drives.
func (c *Config) player(side int) Player {
	if side == 1 && c.Sides == 1 {
		return c.Opponents
	}
	return c.Mates
}

// agents returns how many robots of a side actions drive.
func (c *Config) agents(side int) int {
	if side < c.Sides {
		return c.Agents
	}
	return 0
}

// Step runs Config.Ticks ticks, fewer if a goal ends the episode, with actions: of each side, of each agent, left and
// right wheel as a share of Config.MaxWheel, cut to -1..1. The caller has checked their number and that they are
// finite.
func (g *Game) Step(actions []float32) {
	blue, yellow := g.session.Goals()
	for range g.cfg.Ticks {
		for side := range 2 {
			g.drive(side, actions)
		}
		g.session.Tick()
		if b, y := g.session.Goals(); b != blue || y != yellow {
			break
		}
	}
	g.steps++
	g.look()
	g.judge(actions, blue, yellow)
}

// drive sends the commands of a side for one tick. Agents come last: their commands replace those of a built-in team.
func (g *Game) drive(side int, actions []float32) {
	if t := g.builtin[side]; t != nil {
		if env, sent := g.session.Vision(); sent {
			t.Play(env, firasim.RefereeCommand{Foul: firasim.GameOn}, &g.packet)
			g.session.Receive(netip.AddrPort{}, &g.packet)
		}
	} else if g.cfg.player(side) == Random {
		g.walk(side)
	}
	for id := range g.cfg.agents(side) {
		at := 2 * (side*g.cfg.Agents + id)
		g.command(side, id, float64(actions[at]), float64(actions[at+1]))
	}
}

// command drives a robot with the actions of its wheels.
func (g *Game) command(side, id int, left, right float64) {
	g.session.Command(side, id, soccer.Wheels{Left: g.wheel(left), Right: g.wheel(right)})
}

// wheel returns the speed of a wheel in rad/s.
func (g *Game) wheel(action float64) float64 { return max(-1, min(1, action)) * g.maxWheel }

// walk drives the random robots of a side: an Ornstein-Uhlenbeck process with theta 0.17/s and sigma 1
// (rSoccer), in steps of a tick.
func (g *Game) walk(side int) {
	const dt, theta, root = 0.016, 0.17, 0.12649110640673517 // root is the square root of dt
	random := rand.New(&g.source)
	for id := g.cfg.agents(side); id < g.cfg.Robots; id++ {
		w := &g.walks[side][id]
		for i := range w {
			w[i] += float64(root*exact.Normal(random)) - float64(theta*dt*w[i])
		}
		g.command(side, id, w[0], w[1])
	}
}
