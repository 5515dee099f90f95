package vss

import (
	"fmt"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

// Config is the game: field, robots, physics, start and disturbances. DefaultConfig returns it filled; zero means zero.
type Config struct {
	Robots  int     // a team: 3 on the field of 1.5 x 1.3 m, 5 on that of 2.2 x 1.8 m. Default 3
	Physics string  // "firasim" or "rsim". Default "firasim"
	Seed    uint64  // of everything random. Default 1
	Compat  Compat  // FIRASim's defects that are wanted back. Default none
	Lineup  *Lineup // the start. Default nil: FIRASim's

	CommandTimeout time.Duration // a robot without a command for so long in simulated time stops. Default 0: never

	NoisePosition  float64       // standard deviation of what vision says of positions, m. Default 0
	NoiseHeading   float64       // and of headings, rad. Default 0
	Vanish         float64       // chance of each thing to be missing in a vision packet, 0..1. Default 0
	Latency        time.Duration // of vision in simulated time, rounded up to ticks. Default 0
	Loss           float64       // share of vision packets that are not sent, 0..1. Default 0
	CommandLatency time.Duration // of packets to the simulator, as Latency. Default 0
	CommandLoss    float64       // share of them that are not heard, 0..1. Default 0
}

// maxDelay bounds latencies.
const maxDelay = 10 * time.Second

// DefaultConfig returns FIRASim's 3 against 3.
func DefaultConfig() Config { return Config{Robots: 3, Physics: "firasim", Seed: 1} }

// Field returns the field for the number of robots.
func (c *Config) Field() soccer.Field {
	if c.Robots == 5 {
		return soccer.VSS5v5()
	}
	return soccer.VSS3v3()
}

// validate names the first field of the game whose value is out of range.
func (c *Config) validate() error {
	if c.Robots != 3 && c.Robots != 5 {
		return fmt.Errorf("vss: %d robots a team: there are fields for 3 and for 5", c.Robots)
	}
	if c.Physics != "firasim" && c.Physics != "rsim" {
		return fmt.Errorf("vss: there is no physics %q: choose firasim or rsim", c.Physics)
	}
	for _, f := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"position noise in m", c.NoisePosition, 1}, {"heading noise in rad", c.NoiseHeading, 10},
		{"share of things that vanish", c.Vanish, 1}, {"share of vision that is lost", c.Loss, 1},
		{"share of commands that are lost", c.CommandLoss, 1},
	} {
		if !(f.value >= 0 && f.value <= f.most) {
			return fmt.Errorf("vss: the %s is %g: give 0 to %g", f.name, f.value, f.most)
		}
	}
	for _, f := range []struct {
		name  string
		value time.Duration
		most  time.Duration
	}{
		{"latency of vision", c.Latency, maxDelay}, {"latency of commands", c.CommandLatency, maxDelay},
		{"command timeout", c.CommandTimeout, time.Hour},
	} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("vss: the %s is %v: give 0 to %v", f.name, f.value, f.most)
		}
	}
	return nil
}

// ticksOf returns d in ticks, rounded up.
func ticksOf(d time.Duration) uint64 { return uint64((d + sim.Tick - 1) / sim.Tick) }

// Lineup is where everything is at the start, in the field frame.
type Lineup struct {
	Ball         soccer.Vec
	BallVelocity soccer.Vec // m/s
	Blue, Yellow []Start    // by id
}

// Start is where one robot starts.
type Start struct {
	Pose soccer.Pose
	Off  bool // it is not on the field
}

// DefaultLineup returns FIRASim's start for 3 or 5 robots a team (facts firasim 1): all face +x, and blue stands in the
// half that it attacks.
func DefaultLineup(robots int) *Lineup {
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

// putBall puts the ball to its start, so high, or on the floor.
func (l *Lineup) putBall(e *sim.Engine, height float64) error {
	if err := e.PlaceBall(soccer.Vec3{X: l.Ball.X, Y: l.Ball.Y, Z: height}); err != nil {
		return err
	}
	return e.KickBall(soccer.Vec3{X: l.BallVelocity.X, Y: l.BallVelocity.Y})
}

// stand returns where the engine's robot i starts; one that the lineup does not hold is off.
func (l *Lineup) stand(i, robots int) Start {
	team := l.Blue
	if i >= robots {
		team, i = l.Yellow, i-robots
	}
	if i >= len(team) {
		return Start{Off: true}
	}
	return team[i]
}
