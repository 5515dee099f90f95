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
	maxSpeed     = 4.0                    // m/s
	maxTurn      = 6.0                    // rad/s
	maxAccel     = 4.0                    // m/s^2, to each direction
	maxTurnUp    = 12.0                   // rad/s^2
	MaxKick      = 12.0                   // m/s, of the ball: about that of the league's strongest kickers
	maxElevation = math.Pi / 3            // rad, of a kick
	commandHolds = 300 * time.Millisecond // a robot without a new command for this time brakes
)

// checkMotor names the field of a command that is not a number or so great that it is a mistake. Values between the limits of
// a robot and those of Check are legal: the robot does what it can.
func checkMotor(m *soccer.Motor) error {
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

// omniDrive is what a robot's drive keeps between two steps.
type omniDrive struct {
	Command  soccer.Motor // the newest one
	Since    soccer.Time  // when it arrived
	Kicked   uint32       // number of the last kick; 0: none
	KickedAt soccer.Time
	Travel   soccer.Pose // measured by the wheels up to Anchor
	Anchor   soccer.Pose // where the robot stood when it was last carried, or its drive began
}

// obeyed returns the command that the robot executes now: the newest one for Holds, then none.
func (d *omniDrive) obeyed(now soccer.Time) soccer.Motor {
	if now.Sub(d.Since) > commandHolds {
		return soccer.Motor{}
	}
	return d.Command
}

// acts reports whether the robot's command moves robot or ball.
func (d *omniDrive) acts(now soccer.Time) bool {
	m := &d.Command
	return now.Sub(d.Since) <= commandHolds && (m.Twist != soccer.Twist{} || m.Dribbler > 0 || d.kicks(m))
}

// kicks reports whether a command asks for a kick that the robot has not executed.
func (d *omniDrive) kicks(m *soccer.Motor) bool { return m.Kick != 0 && m.Kick != d.Kicked }

// dribbles reports whether a command asks for the dribbler, and the dribbler does not rest after a kick.
func (d *omniDrive) dribbles(m *soccer.Motor, now soccer.Time) bool {
	return m.Dribbler > 0 && (d.Kicked == 0 || now.Sub(d.KickedAt) > dribblerRests)
}

// follow returns a velocity in the field frame h seconds later, for a robot with a heading of that cosine and sine that
// desires a velocity in its own frame. Speed and acceleration are limited as vectors, turns by themselves.
func (b *body) follow(v, desired soccer.Twist, cos, sin, h float64) soccer.Twist {
	want := shortened(soccer.Vec{X: desired.X, Y: desired.Y}.Rotated(sin, cos), b.speed)
	change := shortened(soccer.Vec{X: want.X - v.X, Y: want.Y - v.Y}, float64(b.accel*h))
	v.X, v.Y = v.X+change.X, v.Y+change.Y
	turn, most := min(max(desired.Theta, -b.turn), b.turn)-v.Theta, float64(b.turnUp*h)
	v.Theta += min(max(turn, -most), most)
	return v
}

// shortened returns v, at most as long as most.
func shortened(v soccer.Vec, most float64) soccer.Vec {
	if length2 := v.Dot(v); length2 > float64(most*most) {
		scale := most / math.Sqrt(length2)
		v.X, v.Y = v.X*scale, v.Y*scale
	}
	return v
}

// travelTo returns the pose that the wheels measured since the drive began, without slip, of a robot at a pose.
func (d *omniDrive) travelTo(at soccer.Pose) soccer.Pose {
	sin, cos := exact.Sincos(d.Travel.Theta - d.Anchor.Theta)
	x, y := at.X-d.Anchor.X, at.Y-d.Anchor.Y
	return soccer.Pose{
		X:     d.Travel.X + float64(cos*x) - float64(sin*y),
		Y:     d.Travel.Y + float64(sin*x) + float64(cos*y),
		Theta: soccer.WrapAngle(d.Travel.Theta + at.Theta - d.Anchor.Theta),
	}
}

// carry tells a drive that somebody carries the robot from one pose to another: its wheels measure nothing.
func (d *omniDrive) carry(from, to soccer.Pose) { d.Travel, d.Anchor = d.travelTo(from), to }
