package vss

import (
	"fmt"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

// Config is the game: field, robots, physics, start positions and disturbances. DefaultConfig returns it filled; zero
// means zero.
type Config struct {
	Robots  int          // robots a team: 3 on the field of 1.5 x 1.3 m, 5 on the field of 2.2 x 1.8 m. Default 3
	Physics string       // "firasim" or "rsim". Default "firasim"
	Seed    uint64       // seed of all random numbers. Default 1
	Compat  Compat       // FIRASim defects to reproduce. Default none
	Lineup  *Lineup      // start positions. Default nil: those of FIRASim
	Engine  *sim.Physics // replaces the physics that Physics names. Default nil

	CommandTimeout time.Duration // a robot stops after this simulated time without a command. Default 0: never

	NoisePosition  float64       // standard deviation of positions in vision, m. Default 0
	NoiseHeading   float64       // standard deviation of headings in vision, rad. Default 0
	Vanish         float64       // probability that a robot or the ball is missing in a vision packet, 0..1. Default 0
	Latency        time.Duration // latency of vision in simulated time, rounded up to ticks. Default 0
	Loss           float64       // probability that a vision packet is lost, 0..1. Default 0
	CommandLatency time.Duration // latency of packets to the simulator, as Latency. Default 0
	CommandLoss    float64       // probability that a packet to the simulator is lost, 0..1. Default 0
}

// maxDelay bounds latencies.
const maxDelay = 10 * time.Second

// DefaultConfig returns FIRASim's 3 against 3.
func DefaultConfig() Config { return Config{Robots: 3, Physics: "firasim", Seed: 1} }

// Field returns the field for the number of robots.
func (c *Config) Field() soccer.Field { return FieldOf(c.Robots) }

// FieldOf returns the field for a number of robots a team.
func FieldOf(robots int) soccer.Field {
	if robots == 5 {
		return soccer.VSS5v5()
	}
	return soccer.VSS3v3()
}

// PhysicsOf returns the physics of a name: rSim's for "rsim", else FIRASim's.
func PhysicsOf(name string) sim.Physics {
	if name == "rsim" {
		return sim.RSim()
	}
	return sim.FIRASim()
}

// validate names the first field of the game whose value is out of range.
func (c *Config) validate() error {
	if c.Robots != 3 && c.Robots != 5 {
		return fmt.Errorf("vss: got %d robots a team, want 3 or 5", c.Robots)
	}
	if c.Physics != "firasim" && c.Physics != "rsim" {
		return fmt.Errorf("vss: --physics %s: want firasim or rsim", c.Physics)
	}
	for _, f := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"--noise-position", c.NoisePosition, 1}, {"--noise-heading", c.NoiseHeading, 10},
		{"--vanish", c.Vanish, 1}, {"--loss", c.Loss, 1},
		{"--command-loss", c.CommandLoss, 1},
	} {
		if !(f.value >= 0 && f.value <= f.most) {
			return fmt.Errorf("vss: %s %g: want 0 to %g", f.name, f.value, f.most)
		}
	}
	for _, f := range []struct {
		name  string
		value time.Duration
		most  time.Duration
	}{
		{"--latency", c.Latency, maxDelay}, {"--command-latency", c.CommandLatency, maxDelay},
		{"--command-timeout", c.CommandTimeout, time.Hour},
	} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("vss: %s %v: want 0 to %v", f.name, f.value, f.most)
		}
	}
	return nil
}

// ticksOf returns d in ticks, rounded up.
func ticksOf(d time.Duration) uint64 { return uint64((d + sim.Tick - 1) / sim.Tick) }

// Lineup is the start positions, in the field frame.
type Lineup struct {
	Ball         soccer.Vec
	BallVelocity soccer.Vec // m/s
	Blue, Yellow []Start    // by id
}

// Start is the start position of one robot.
type Start struct {
	Pose soccer.Pose
	Off  bool // the robot is not on the field
}

// defaultLineup returns the start positions of FIRASim for 3 or 5 robots a team: all robots face +x, and blue stands in
// the half that it attacks (FIRASim).
func defaultLineup(robots int) *Lineup {
	at := []soccer.Vec{{X: 0.25}, {X: 0.5}, {X: 0.7}}
	if robots == 5 {
		at = []soccer.Vec{{X: 0.3}, {X: 0.45, Y: 0.2}, {X: 0.45, Y: -0.2}, {X: 0.7}, {X: 1.1}}
	}
	l := &Lineup{}
	for _, p := range at {
		l.Blue = append(l.Blue, Start{Pose: soccer.Pose{X: p.X, Y: p.Y}})
		l.Yellow = append(l.Yellow, Start{Pose: soccer.Pose{X: -p.X, Y: p.Y}})
	}
	return l
}

// putBall places the ball at its start position, at a height in m or on the floor.
func (l *Lineup) putBall(e *sim.Engine, height float64) error {
	if err := e.PlaceBall(soccer.Vec3{X: l.Ball.X, Y: l.Ball.Y, Z: height}); err != nil {
		return err
	}
	return e.KickBall(soccer.Vec3{X: l.BallVelocity.X, Y: l.BallVelocity.Y})
}

// startOf returns the start position of the engine's robot i; a robot that l does not list is off.
func (l *Lineup) startOf(i, robots int) Start {
	team := l.Blue
	if i >= robots {
		team, i = l.Yellow, i-robots
	}
	if i >= len(team) {
		return Start{Off: true}
	}
	return team[i]
}
