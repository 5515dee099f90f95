// Package ssl is a simulator of the Small Size League: robots, ball and field of package sim behind the league's simulation
// protocol. It has neither sockets nor a clock: the same requests give the same bytes.
package ssl

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"touchline/internal/exact"
	"touchline/sim"
	"touchline/soccer"
	wire "touchline/wire/ssl"
)

// Sizes and limits of robots and ball. Those without a source are assumptions.
const (
	BallRadius  = 0.0215 // m (SSL Rules 2026)
	RobotRadius = 0.09   // m (SSL Rules 2026)
	RobotHeight = 0.15   // m (SSL Rules 2026)
	reach       = 0.02   // m between robot and ball up to which it kicks and dribbles
	maxSpeed    = 5      // m/s
	maxTurn     = 25     // rad/s
	accel       = 5      // m/s^2
	turnUp      = 60     // rad/s^2
	maxKick     = 10     // m/s; more than SSL Rules 2026 allow, so that teams see the foul
	strongest   = 1500   // rpm of the dribbler at which it pulls with all of its strength
	friction    = 0.35   // m/s^2 of a rolling ball
	chunk       = 5 * time.Millisecond

	// MaxRobots is the largest number of robots of a team (SSL Rules 2026); ids go up to wire.MaxID.
	MaxRobots = 11
	// MaxStep is the longest step of a request.
	MaxStep = 10 * time.Second
	// MaxRate is the largest speed of the simulation relative to real time.
	MaxRate = 1000
)

// Noise is what the cameras do to the truth. Zero: nothing.
type Noise struct {
	Ball    float64 // m, standard deviation of the ball's place
	Robot   float64 // m, of a robot's place
	Heading float64 // rad, of a robot's heading
	Vanish  float64 // probability that an object is missing in a frame
}

// Config is a simulated field.
type Config struct {
	Division string // "A": 12 x 9 m, or "B": 9 x 6 m. Default "B"
	Robots   int    // of each team at the start. Default 6
	Seed     uint64 // of the noise. Default 1
	Noise    Noise
	Start    soccer.Time // time of the first frame. Default soccer.Epoch
}

// DefaultConfig returns division B with 6 robots a team and without noise.
func DefaultConfig() Config { return Config{Division: "B", Robots: 6, Seed: 1, Start: soccer.Epoch} }

// FieldOf returns the field of a division (SSL Rules 2026), false for another name than A and B.
func FieldOf(division string) (soccer.Field, bool) {
	f := soccer.Field{LineWidth: 0.01, Border: 0.3, GoalDepth: 0.18, GoalHeight: 0.16, CircleRadius: 0.5}
	switch strings.ToUpper(division) {
	case "A":
		f.Name, f.Length, f.Width, f.GoalWidth = "SSL division A", 12, 9, 1.8
		f.PenaltyAreaLength, f.PenaltyAreaWidth, f.PenaltySpot = 1.8, 3.6, 8
	case "B":
		f.Name, f.Length, f.Width, f.GoalWidth = "SSL division B", 9, 6, 1
		f.PenaltyAreaLength, f.PenaltyAreaWidth, f.PenaltySpot = 1, 2, 6
	default:
		return soccer.Field{}, false
	}
	return f, true
}

// Session is one simulated field. It is not safe for concurrent use.
type Session struct {
	cfg    Config
	field  soccer.Field
	engine *sim.Engine
	offset time.Duration // of the engine's time, which starts again with a new field
	robots [2][wire.MaxID + 1]robot
	kicks  uint32 // number of the newest kick
	frame  uint32
	random *rand.Rand
	speed  float64
	port   uint32
}

// robot is what the session knows of a robot beside the engine.
type robot struct {
	command  wire.RobotCommand
	commands bool   // a command came
	kick     uint32 // number of the kick that is armed; 0: none
	limits   wire.RobotSpecs
}

// Teams are the indices of a session.
var teams = [2]wire.Team{wire.Yellow, wire.Blue}

// New returns a field with robots in their own halves, blue at -x, and the ball in the centre.
func New(cfg Config) (*Session, error) {
	field, ok := FieldOf(cfg.Division)
	if !ok {
		return nil, fmt.Errorf("ssl: division %q: want A or B", cfg.Division)
	}
	if cfg.Robots < 0 || cfg.Robots > MaxRobots {
		return nil, fmt.Errorf("ssl: %d robots a team: want 0 to %d", cfg.Robots, MaxRobots)
	}
	for _, v := range [...]struct {
		name  string
		value float64
		most  float64
	}{
		{"noise of the ball", cfg.Noise.Ball, 1}, {"noise of robots", cfg.Noise.Robot, 1},
		{"noise of headings", cfg.Noise.Heading, 4}, {"probability that an object vanishes", cfg.Noise.Vanish, 1},
	} {
		if !(v.value >= 0 && v.value <= v.most) {
			return nil, fmt.Errorf("ssl: %s %g: want 0 to %g", v.name, v.value, v.most)
		}
	}
	s := &Session{cfg: cfg, field: field, speed: 1, random: rand.New(rand.NewPCG(cfg.Seed, 0x551))}
	s.engine = sim.New(s.config())
	for i := range cfg.Robots {
		x := -0.6 - float64(0.5*float64(i/3))
		y := float64(0.8 * float64(i%3-1))
		for team, side := range [2]float64{-1, 1} { // yellow faces -x
			pose := soccer.Pose{X: x * side, Y: y * side}
			if side < 0 {
				pose.Theta = math.Pi
			}
			if err := s.engine.AddRobot(index(team, uint32(i)), pose); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// config returns the engine's configuration.
func (s *Session) config() sim.Config {
	return sim.Config{Field: s.field, Seed: s.cfg.Seed, Physics: sim.Physics{
		Friction: friction, Restitution: 0.5, Bounce: 0.5, BallRadius: BallRadius,
		Omni: sim.OmniRobot{Radius: RobotRadius, Height: RobotHeight, Reach: reach, MaxSpeed: maxSpeed, MaxTurn: maxTurn,
			Accel: accel, TurnUp: turnUp, MaxKick: maxKick},
	}}
}

// index returns the engine's id of a robot.
func index(team int, id uint32) uint8 { return uint8(uint32(team)*(wire.MaxID+1) + id) }

// Now returns the simulated time.
func (s *Session) Now() soccer.Time {
	return s.cfg.Start.Add(s.engine.Now().Sub(soccer.Epoch) + s.offset)
}

// Speed returns the speed that a client asked for, 1 at the start; 0 is a pause.
func (s *Session) Speed() float64 { return s.speed }

// VisionPort returns the port that a client asked for, 0 for none.
func (s *Session) VisionPort() uint32 { return s.port }

// Field returns the field.
func (s *Session) Field() soccer.Field { return s.field }

// Step simulates dt. Each robot keeps to its newest command.
func (s *Session) Step(dt time.Duration) {
	for dt > 0 {
		h := min(dt, chunk-time.Duration(s.engine.Now())%chunk)
		for team := range s.robots {
			for id := range s.robots[team] {
				if r := &s.robots[team][id]; r.commands {
					s.obey(team, uint32(id), r)
				}
			}
		}
		s.engine.Step(h)
		for _, k := range s.engine.Kicks() {
			if r := &s.robots[k.Robot/(wire.MaxID+1)][k.Robot%(wire.MaxID+1)]; r.kick == k.Number {
				r.kick = 0
			}
		}
		dt -= h
	}
}

// obey passes a robot's command to the engine, in the robot's own frame.
func (s *Session) obey(team int, id uint32, r *robot) {
	at := index(team, id)
	pose, _, there := s.engine.Robot(at)
	if !there {
		return
	}
	c := &r.command
	m := soccer.Motor{Twist: r.twist(pose.Theta)}
	if c.HasDribbler {
		m.Dribbler = min(max(float64(c.DribblerSpeed)/strongest, 0), 1)
	}
	if r.kick != 0 {
		m.Kick, m.KickSpeed, m.KickElevation = r.kick, float64(c.KickSpeed), float64(c.KickAngle)*(math.Pi/180)
		limit, i := float64(maxKick), 3
		if c.KickAngle > 0 {
			i = 4
		}
		if r.limits.HasSize[i] {
			limit = min(limit, float64(r.limits.Size[i]))
		}
		m.KickSpeed = min(m.KickSpeed, limit)
	}
	s.engine.Command(at, &m) // Control checked it
}

// twist returns the velocity that a robot with a heading is to have in its own frame.
func (r *robot) twist(theta float64) (t soccer.Twist) {
	c := &r.command
	switch {
	case c.HasLocal:
		t = soccer.Twist{X: float64(c.Local[0]), Y: float64(c.Local[1]), Theta: float64(c.Local[2])}
	case c.HasGlobal:
		sin, cos := exact.Sincos(theta)
		v := soccer.Vec{X: float64(c.Global[0]), Y: float64(c.Global[1])}.Rotated(-sin, cos)
		t = soccer.Twist{X: v.X, Y: v.Y, Theta: float64(c.Global[2])}
	case c.HasWheels:
		t = wheelsTwist(&r.limits, c.Wheels)
	}
	if l := &r.limits; l.HasLimit[4] {
		if v, most := (soccer.Vec{X: t.X, Y: t.Y}), float64(l.Limit[4]); v.Len() > most {
			v = v.Scale(most / v.Len())
			t.X, t.Y = v.X, v.Y
		}
	}
	if l := &r.limits; l.HasLimit[5] {
		t.Theta = min(max(t.Theta, -float64(l.Limit[5])), float64(l.Limit[5]))
	}
	return t
}

// wheelAngles are those of grSim, in rad from ahead and clockwise: front right, back right, back left, front left.
var wheelAngles = [4]float64{math.Pi / 3, math.Pi * 3 / 4, math.Pi * 5 / 4, math.Pi * 5 / 3}

// wheelsTwist returns the velocity that fits the speeds of four wheels in m/s best. A positive speed turns the robot
// counter-clockwise, as in grSim.
func wheelsTwist(specs *wire.RobotSpecs, wheels [4]float32) soccer.Twist {
	var a [3][4]float64 // normal equations, with their right side
	for i := range wheels {
		angle := wheelAngles[i]
		if specs.HasWheels {
			angle = float64(specs.Wheels[i])
		}
		sin, cos := exact.Sincos(-angle)
		row := [4]float64{-sin, cos, RobotRadius, float64(wheels[i])}
		for k := range a {
			for j := range a[k] {
				a[k][j] += float64(row[k] * row[j])
			}
		}
	}
	x, ok := solve(&a)
	if !ok {
		return soccer.Twist{}
	}
	return soccer.Twist{X: x[0], Y: x[1], Theta: x[2]}
}

// solve solves three equations by elimination; false if they have no single solution.
func solve(a *[3][4]float64) (x [3]float64, ok bool) {
	for i := range 3 {
		p := i
		for k := i + 1; k < 3; k++ {
			if math.Abs(a[k][i]) > math.Abs(a[p][i]) {
				p = k
			}
		}
		if a[i], a[p] = a[p], a[i]; !(math.Abs(a[i][i]) > 1e-9) {
			return x, false
		}
		for k := range 3 {
			if k == i {
				continue
			}
			f := a[k][i] / a[i][i]
			for j := range 4 {
				a[k][j] -= float64(f * a[i][j])
			}
		}
	}
	for i := range x {
		x[i] = a[i][3] / a[i][i]
	}
	return x, true
}

var errStep = errors.New("sim_step out of range")

// stepOf returns the step of a request.
func stepOf(seconds float32) (time.Duration, error) {
	if !(seconds >= 0 && float64(seconds) <= MaxStep.Seconds()) {
		return 0, fmt.Errorf("%w: %v s: want 0 to %g", errStep, seconds, MaxStep.Seconds())
	}
	return time.Duration(math.Round(float64(seconds) * 1e9)), nil
}
