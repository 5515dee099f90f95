// Package omni is an omnidirectional robot of the Middle Size League by itself: the range of its motor commands, how its
// velocity follows one, and the way that its wheels measure. Package sim adds bodies, walls and the ball.

package sim

import (
	"fmt"
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Limits of a robot. Speeds and accelerations are those of fast robots of the league (Falcons).
const (
	MaxSpeed     = 4.0                    // m/s
	MaxTurn      = 6.0                    // rad/s
	MaxAccel     = 4.0                    // m/s^2, to each direction
	MaxTurnUp    = 12.0                   // rad/s^2
	MaxKick      = 12.0                   // m/s, of the ball: about that of the league's strongest kickers
	MaxElevation = math.Pi / 3            // rad, of a kick
	Holds        = 300 * time.Millisecond // a robot without a new command for this time brakes
)

// Check names the field of a command that is not a number or so great that it is a mistake. Values between the limits of
// a robot and those of Check are legal: the robot does what it can.
func Check(m *soccer.Motor) error {
	const most = 100 // m/s, rad/s
	for _, f := range [...]struct {
		name, unit      string
		value, from, to float64
	}{
		{"velocity ahead", " m/s", m.Twist.X, -most, most}, {"velocity to the left", " m/s", m.Twist.Y, -most, most},
		{"angular velocity", " rad/s", m.Twist.Theta, -most, most}, {"dribbler", "", m.Dribbler, 0, 1},
		{"kick speed", " m/s", m.KickSpeed, 0, most},
		{"kick elevation", " rad", m.KickElevation, 0, 1.5708},
	} {
		if !(f.value >= f.from && f.value <= f.to) {
			return fmt.Errorf("%s %g%s: want %.4g to %.4g%s", f.name, f.value, f.unit, f.from, f.to, f.unit)
		}
	}
	return nil
}

// OmniDrive is what a robot's drive keeps between two steps.
type OmniDrive struct {
	Command  soccer.Motor // the newest one
	Since    soccer.Time  // when it arrived
	Kicked   uint32       // number of the last kick; 0: none
	KickedAt soccer.Time
	Travel   soccer.Pose // measured by the wheels up to Anchor
	Anchor   soccer.Pose // where the robot stood when it was last carried, or its drive began
}

// Obeyed returns the command that the robot executes now: the newest one for Holds, then none.
func (d *OmniDrive) Obeyed(now soccer.Time) soccer.Motor {
	if now.Sub(d.Since) > Holds {
		return soccer.Motor{}
	}
	return d.Command
}

// Acts reports whether the robot's command moves robot or ball.
func (d *OmniDrive) Acts(now soccer.Time) bool {
	m := &d.Command
	return now.Sub(d.Since) <= Holds && (m.Twist != soccer.Twist{} || m.Dribbler > 0 || d.Kicks(m))
}

// Kicks reports whether a command asks for a kick that the robot has not executed.
func (d *OmniDrive) Kicks(m *soccer.Motor) bool { return m.Kick != 0 && m.Kick != d.Kicked }

// Dribbles reports whether a command asks for the dribbler, and the dribbler does not rest after a kick.
func (d *OmniDrive) Dribbles(m *soccer.Motor, now soccer.Time) bool {
	return m.Dribbler > 0 && (d.Kicked == 0 || now.Sub(d.KickedAt) > DribblerRests)
}

// Follow returns a velocity in the field frame h seconds later, for a robot with a heading of that cosine and sine that
// desires a velocity in its own frame. Speed and acceleration are limited as vectors, turns by themselves.
func Follow(v, desired soccer.Twist, cos, sin, h float64) soccer.Twist {
	want := soccer.Vec{
		X: float64(cos*desired.X) - float64(sin*desired.Y), Y: float64(sin*desired.X) + float64(cos*desired.Y),
	}
	want = Shortened(want, MaxSpeed)
	change := Shortened(soccer.Vec{X: want.X - v.X, Y: want.Y - v.Y}, float64(MaxAccel*h))
	v.X, v.Y = v.X+change.X, v.Y+change.Y
	turn, most := min(max(desired.Theta, -MaxTurn), MaxTurn)-v.Theta, float64(MaxTurnUp*h)
	v.Theta += min(max(turn, -most), most)
	return v
}

// Shortened returns v, at most as long as most.
func Shortened(v soccer.Vec, most float64) soccer.Vec {
	if length2 := float64(v.X*v.X) + float64(v.Y*v.Y); length2 > float64(most*most) {
		scale := most / math.Sqrt(length2)
		v.X, v.Y = v.X*scale, v.Y*scale
	}
	return v
}

// TravelTo returns the pose that the wheels measured since the drive began, without slip, of a robot at a pose.
func (d *OmniDrive) TravelTo(at soccer.Pose) soccer.Pose {
	sin, cos := exact.Sincos(d.Travel.Theta - d.Anchor.Theta)
	x, y := at.X-d.Anchor.X, at.Y-d.Anchor.Y
	return soccer.Pose{
		X:     d.Travel.X + float64(cos*x) - float64(sin*y),
		Y:     d.Travel.Y + float64(sin*x) + float64(cos*y),
		Theta: soccer.WrapAngle(d.Travel.Theta + at.Theta - d.Anchor.Theta),
	}
}

// Carry tells a drive that somebody carries the robot from one pose to another: its wheels measure nothing.
func (d *OmniDrive) Carry(from, to soccer.Pose) { d.Travel, d.Anchor = d.TravelTo(from), to }
