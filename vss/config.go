package vss

import (
	"fmt"
	"time"

	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// Config says what is played, and in Live how the network sees it. DefaultConfig returns it filled; zero means zero.
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

	Commands  string   // where UDP commands are heard; localhost is 127.0.0.1 and ::1. Default "localhost:20011"
	Vision    []string // where vision goes: multicast groups or unicast addresses. Default FIRASim's two groups
	Interface string   // for multicast. Default "", the loopback interface

	Speed        float64        // simulated seconds a second; 0 as fast as it goes. Default 1
	Lockstep     [2]bool        // ticks wait for commands of blue, of yellow. Default neither
	LockstepWait time.Duration  // and when one of them has spoken, no longer than so for the other. Default 1 s
	Duration     time.Duration  // end after so much simulated time; 0 never. Default 0
	Builtin      [2]bool        // blue, yellow is played by the built-in team, in process with Speed 0 or Lockstep. Default neither
	Referee      *RefereeConfig // the built-in referee. Default nil: none
	RefereeGroup string         // where referees speak. Default "224.5.23.2:10003"
	WishesGroup  string         // where teams tell the built-in referee how they want to stand. Default "224.5.23.2:10004"
	Record       string         // pcap file of all packets. Default "": none
}

// maxDelay bounds latencies.
const maxDelay = 10 * time.Second

// DefaultConfig returns FIRASim's 3 against 3 on its usual addresses, on the loopback interface.
func DefaultConfig() Config {
	return Config{
		Robots: 3, Physics: "firasim", Seed: 1, Commands: "localhost:20011",
		Vision: []string{firasim.Vision, firasim.VisionWiki}, Speed: 1, LockstepWait: time.Second,
		RefereeGroup: firasim.Referee, WishesGroup: firasim.Placements,
	}
}

func (c *Config) field() soccer.Field {
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
		{"command timeout", c.CommandTimeout, time.Hour}, {"duration", c.Duration, 1e6 * time.Hour},
		{"wait for commands", c.LockstepWait, time.Hour},
	} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("vss: the %s is %v: give 0 to %v", f.name, f.value, f.most)
		}
	}
	return checkSpeed(c.Speed)
}

// checkSpeed refuses speeds at which a tick would take hours or nothing.
func checkSpeed(x float64) error {
	if x == 0 || x >= 1e-3 && x <= 1e6 {
		return nil
	}
	return fmt.Errorf("vss: a speed of %g: give 0.001 to 1e6 times real time, or 0 for as fast as it goes", x)
}

// ticksOf returns d in ticks, rounded up.
func ticksOf(d time.Duration) uint64 { return uint64((d + sim.Tick - 1) / sim.Tick) }

// Lineup is where everything is at the start, in the field frame.
type Lineup struct {
	Ball         soccer.Vec
	BallVelocity soccer.Vec // m/s
	Blue, Yellow []Stand    // by id
}

// Stand is where one robot starts.
type Stand struct {
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
		l.Blue = append(l.Blue, Stand{Pose: soccer.Pose{X: p.X, Y: p.Y}})
		l.Yellow = append(l.Yellow, Stand{Pose: soccer.Pose{X: -p.X, Y: p.Y}})
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
func (l *Lineup) stand(i, robots int) Stand {
	team := l.Blue
	if i >= robots {
		team, i = l.Yellow, i-robots
	}
	if i >= len(team) {
		return Stand{Off: true}
	}
	return team[i]
}
