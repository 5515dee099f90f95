// Package soccer is the vocabulary of a robot-soccer field: time, poses, what robots perceive, what they believe, the
// fields they play on and the teams of the leagues. It computes next to nothing; every other package speaks in its
// types.
//
// Units are SI: m, rad, m/s, rad/s. The origin is the centre of the field, x runs along its length and y to its left;
// angles are counter-clockwise, in (-pi, pi]. Two frames are in use. The field frame is fixed to the hall: home attacks
// +x in the first half. The team frame is the field frame, turned by pi for the team that attacks -x, so that +x always
// points to the opponents' goal. A protocol's own frame exists only in the package of its codec.
package soccer

import (
	"math"
	"net/netip"
	"time"
)

// Time is a time in nanoseconds since 1970-01-01 UTC. Runs in virtual time start at Epoch.
type Time int64

// Epoch is the start of virtual time: 2014-11-10 09:00 UTC, the first morning of the workshop (Practical Session 2014).
const Epoch Time = 1415610000e9

// Add returns t + d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns the duration t - u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Packet is one datagram, or one message of a stream, as it came from a socket.
type Packet struct {
	Time    Time           // time of arrival: the kernel's receive timestamp where there is one
	Channel string         // the address that it was received on, for example "224.16.32.75:2005"
	From    netip.AddrPort // its sender
	Data    []byte
	Size    int // bytes that were sent, where Data holds only the first of them; 0: Data is the whole packet
}

// FullSize returns how many bytes were sent.
func (p *Packet) FullSize() int { return max(p.Size, len(p.Data)) }

// Color is the side of a match that a robot plays for. RefBox 2.1 no longer sends colours; home plays as cyan.
type Color uint8

// The sides, with the values of team_color (Mixed Team Package v2, Specification).
const (
	Cyan    Color = 0   // home
	Magenta Color = 1   // away
	NoColor Color = 255 // the package has no colour (v1), or its sender never sets it (the Falcons' layout)
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

// Sender identifies a robot on a team's channel. All three parts count: two laptops may use one jersey number by
// mistake, and the address still distinguishes robots whose layout leaves colour and number unset.
type Sender struct {
	Addr  netip.AddrPort
	Color Color
	Robot uint8 // jersey number; 0 where the package has none
}

// Localisation is a robot's estimate of its own pose and velocity.
type Localisation struct {
	Known      bool // false: the robot runs, but does not know where it is; all other fields are zero
	Pose       Pose
	HasHeading bool // false: Pose.Theta is unknown (package v1)
	Twist      Twist
	HasTwist   bool    // false: Twist is unknown
	Cov        PoseCov // covariance of Pose; zero: unknown
	Confidence float64 // probability in (0, 1]; 0: unknown
}

// PoseCov is the upper triangle of the covariance of a pose in m and rad: xx, xy, xh, yy, yh, hh, where h is the heading.
type PoseCov [6]float64

// Observation is one object, seen once by one robot.
type Observation struct {
	Position    Vec3 // m
	Velocity    Vec3 // m/s
	HasVelocity bool
	Cov         Cov     // covariance of Position in the plane, without the error of the robot's pose; zero: unknown
	Confidence  float64 // probability in (0, 1]; 0: unknown
}

// Sense is what a robot's sensors measured at one time. Observations are in the robot's frame: x ahead, y to its left.
type Sense struct {
	Time      Time         // when the picture was taken, not when it was processed
	Self      Localisation // team frame
	HasBall   bool         // the ball is at the robot's front, where the robot holds or kicks it
	View      View
	Balls     []Observation
	Obstacles []Observation
}

// View is the sector of the floor that a picture covers.
type View struct {
	Bearing float64 // rad, of its middle, in the robot's frame
	Width   float64 // rad, 2 pi for an omnidirectional camera; 0: unknown
	Range   float64 // m, to which the camera detects a ball
}

// Motor is a command of a robot's software to its motors, dribbler and kicker.
type Motor struct {
	Twist         Twist   // m/s and rad/s, desired, in the robot's frame: x ahead, y to its left
	Dribbler      float64 // 0 off to 1 full
	Kick          uint32  // number of the kick: the robot kicks once for each new number; 0: no kick
	KickSpeed     float64 // m/s, of the ball
	KickElevation float64 // rad above the floor
}

// Percepts is what one robot perceived itself at one time, in the team frame: the contents of a mixed team package.
// It never holds fused data, nor anything that other robots reported.
type Percepts struct {
	Time      Time // time of capture
	Self      Localisation
	Balls     []Observation // most confident first
	Obstacles []Observation // most confident first
}

// RobotSet is a set of jersey numbers 0..63.
type RobotSet uint64

// Has reports whether number n is in the set.
func (r RobotSet) Has(n uint8) bool { return n < 64 && r>>n&1 == 1 }

// With returns the set with number n added. Numbers above 63 are ignored.
func (r RobotSet) With(n uint8) RobotSet {
	if n > 63 {
		return r
	}
	return r | 1<<n
}

// Cov is a symmetric 2x2 covariance, of positions in m^2.
type Cov struct {
	XX float64 `json:"xx"`
	XY float64 `json:"xy"`
	YY float64 `json:"yy"`
}

// Ball is a robot's belief about the ball.
type Ball struct {
	Known    bool
	Position Vec3 // m, at the World's time
	Velocity Vec3 // m/s
	// Covariances in the plane: of Position in m^2, of Velocity in m^2/s^2, and between the two in m^2/s (rows x and y of
	// Position, columns x and y of Velocity).
	Cov, VelocityCov Cov
	CrossCov         [2][2]float64
	// Of Position.Z in m^2, of Velocity.Z in m^2/s^2 and between the two in m^2/s; those of a rolling ball are zero.
	HeightVar, ClimbVar, HeightClimb float64
	Flying                           bool     // the ball is in the air, or between two bounces
	Held                             bool     // a robot dribbles it, or stands with it
	HeldBy                           uint8    // its jersey number, 0 for an opponent's
	LastSeen                         Time     // capture time of the newest measurement
	SeenBy                           RobotSet // robots that measured it recently
}

// Goal says that the ball crossed a goal line between the posts and under the bar, as one robot believes.
type Goal struct {
	At          Time    // when it was first likely to be behind the line; 0: there was no goal
	Conceded    bool    // it is in the own goal, which lies at negative x; false: in that of the opponents
	Probability float64 // probability that it is a goal: the greatest while the ball lay there
}

// Gravity is the acceleration of a falling ball in m/s^2.
const Gravity = 9.81

// Landing returns where a flying ball meets the floor, and after which time. It reports false for a ball that rolls.
func (b *Ball) Landing() (at Vec, in time.Duration, flies bool) {
	if !b.Flying {
		return b.Position.XY(), 0, false
	}
	up, height := b.Velocity.Z, max(0, b.Position.Z-BallRadius)
	t := (up + math.Sqrt(float64(up*up)+float64(2*Gravity*height))) / Gravity
	at = Vec{X: b.Position.X + float64(b.Velocity.X*t), Y: b.Position.Y + float64(b.Velocity.Y*t)}
	return at, time.Duration(t * 1e9), true
}

// Obstacle is a robot's belief about one obstacle: any object that is neither the ball nor a teammate.
type Obstacle struct {
	ID       uint32 // the same as long as the robot believes that it is the same obstacle; 0: unknown
	Position Vec    // m, at the World's time
	Velocity Vec    // m/s
	Cov      Cov    // covariance of Position
	LastSeen Time
}

// Peer is another robot whose packets arrive on the team's channel.
type Peer struct {
	Sender       Sender
	Self         Localisation // at the World's time, as the peer reports it
	LastReceived Time         // arrival of its newest packet
	PoseError    Pose         // m and rad: the estimated error of its pose, reported minus true
	Doubt        float64      // 0 to 1: how likely its next sight of the ball is false
	Disagrees    Disagreement // its contradiction with what the other robots report
}

// Disagreement says that the reports of one robot contradict those of the others.
type Disagreement struct {
	Since Time    // when it began; 0: the robot agrees
	What  Subject // the reports that contradict the others
	By    float64 // m, how far they lie from what the others report
}

// Subject is a part of a robot's reports.
type Subject uint8

// The subjects of a Disagreement.
const (
	NoSubject   Subject = iota
	BallSubject         // where it sees the ball
	PoseSubject         // its own pose, and thereby all that it sees
)

// String returns "ball", "pose" or "".
func (s Subject) String() string {
	switch s {
	case BallSubject:
		return "ball"
	case PoseSubject:
		return "pose"
	}
	return ""
}

// World is one robot's belief at one time, in the team frame. Functions that fill a World reuse its slices.
type World struct {
	Time      Time
	Self      Localisation
	Ball      Ball
	Obstacles []Obstacle
	Peers     []Peer

	Goal          Goal         // the newest one
	SelfDisagrees Disagreement // this robot's contradiction with its peers

	Booking Booking
}

// Booking is a robot's belief about which robot of its team goes to the ball (package booking).
type Booking struct {
	Protocol  string        // "lease", "literal", "nearest" or "auction"; "": the robot does not book the ball
	Booker    uint8         // the robot that has booked the ball; 0: none
	Distance  float64       // m, from the booker to the ball, as the booker sent it
	Timestamp Time          // time on the robot's own clock of the booking or its newest renewal; 0: never
	Epoch     uint32        // epoch of the lease
	Sequence  uint32        // sequence number of the newest renewal
	Left      time.Duration // time until the lease expires; 0: expired
	Own       float64       // m, from this robot to the ball; 0: unknown
	Ignored   RobotSet      // robots whose claims contradict what this robot sees
}
