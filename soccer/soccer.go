// Package soccer is the vocabulary of the robot-soccer field: time, poses, what robots perceive, what they believe.
//
// Units are SI (m, rad, m/s, rad/s). The origin is the centre of the field, x runs along its length, y to its left,
// angles are counter-clockwise in (-pi, pi]. Two frames are in use: the field frame is fixed to the hall (home attacks
// +x in the first part); the team frame is the field frame turned by pi for the team that attacks -x, so that +x always
// leads to the opponents' goal. Frames of a protocol live in that protocol's wire package only.
package soccer

import (
	"net/netip"
	"time"
)

// Time is a moment in nanoseconds since 1970-01-01 UTC. Runs in virtual time start at Epoch.
type Time int64

// Epoch is where virtual time starts: 2014-11-10 09:00 UTC, the first morning of the workshop of seed 001.
const Epoch Time = 1415610000e9

// Add returns the moment d after t.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns how long after u the moment t is.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Packet is one datagram or message as it came from a socket.
type Packet struct {
	Time    Time           // when it arrived: the kernel's receive time where there is one
	Channel string         // where it was read, for example "224.16.32.75:2005"
	From    netip.AddrPort // who sent it
	Data    []byte
	Size    int // bytes that were sent when Data holds only the first of them; 0: Data is all
}

// FullSize returns how many bytes were sent.
func (p *Packet) FullSize() int { return max(p.Size, len(p.Data)) }

// Color says for which side of a match a robot plays. RefBox 2.x no longer sends colours (facts: msl 1.5).
type Color uint8

// The sides, with the values of seed 000's team_color.
const (
	Cyan    Color = 0   // home
	Magenta Color = 1   // away
	NoColor Color = 255 // the package does not say (v1), or never set it (the Falcons' layout)
)

// String returns "cyan", "magenta" or "no colour".
func (c Color) String() string {
	switch c {
	case Cyan:
		return "cyan"
	case Magenta:
		return "magenta"
	}
	return "no colour"
}

// Sender says who speaks on a team's channel. All three parts count: two laptops may use one jersey number by mistake,
// and a layout that leaves colour and number unset is still told apart by its address.
type Sender struct {
	Addr  netip.AddrPort
	Color Color
	Robot uint8 // jersey number; 0 where the package does not say
}

// Localisation is where a robot believes to be.
type Localisation struct {
	Known      bool // false: the robot lives but does not know where it is; the rest is zero
	Pose       Pose
	HasHeading bool // false: Pose.Theta is not known (package v1)
	Twist      Twist
	HasTwist   bool    // false: Twist is not known
	Confidence float64 // probability in (0, 1]; 0 is not known
}

// Observation is one thing, seen by one robot at one moment.
type Observation struct {
	Position    Vec3 // m
	Velocity    Vec3 // m/s
	HasVelocity bool
	Confidence  float64 // probability in (0, 1]; 0 is not known
}

// Sense is what a robot's sensors say of one moment. Observations are in the robot's frame: x ahead, y to its left.
type Sense struct {
	Time      Time         // when the picture was taken, not when it was ready
	Self      Localisation // team frame
	Balls     []Observation
	Obstacles []Observation
}

// Percepts is what one robot perceived itself at one moment, in the team frame: the contents of a mixed team package.
// It never holds anything fused or heard of.
type Percepts struct {
	Time      Time // the moment that the contents hold
	Self      Localisation
	Balls     []Observation // most confident first
	Obstacles []Observation // most confident first
}

// RobotSet is a set of jersey numbers 0..63.
type RobotSet uint64

// Has reports whether number n is in the set.
func (r RobotSet) Has(n uint8) bool { return n < 64 && r>>n&1 == 1 }

// With returns the set with number n in it; numbers above 63 are left out.
func (r RobotSet) With(n uint8) RobotSet {
	if n > 63 {
		return r
	}
	return r | 1<<n
}

// Cov is a symmetric 2x2 covariance in m^2.
type Cov struct {
	XX float64 `json:"xx"`
	XY float64 `json:"xy"`
	YY float64 `json:"yy"`
}

// Ball is what a robot believes of the ball.
type Ball struct {
	Known    bool
	Position Vec3 // m, at the World's time
	Velocity Vec3 // m/s
	Cov      Cov  // of Position in the plane
	LastSeen Time // capture time of the newest measurement in it
	SeenBy   RobotSet
}

// Obstacle is what a robot believes of one obstacle: anything that is neither the ball nor a teammate.
type Obstacle struct {
	Position Vec // m, at the World's time
	Velocity Vec // m/s
	Cov      Cov // of Position
	LastSeen Time
}

// Peer is one robot that is heard on the team's channel.
type Peer struct {
	Sender       Sender
	Self         Localisation // at the World's time
	LastReceived Time         // when its newest packet arrived
}

// World is one robot's belief of one instant, in the team frame. Who fills one again reuses its slices.
type World struct {
	Time      Time
	Self      Localisation
	Ball      Ball
	Obstacles []Obstacle
	Peers     []Peer
}
