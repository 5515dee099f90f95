package sim

import (
	"fmt"
	"math"
	"time"

	"touchline/soccer"
)

// Tick is the simulated time of one step of a Very Small Size match.
const Tick = 16 * time.Millisecond

// drive sets the wheel speeds of a robot in rad/s until the next call. The error is ErrRange for NaN and infinities,
// and ErrUnknown for a robot that is not on the field. Robots without wheels (MSL) store w and do not move.
func (e *Engine) Drive(id uint8, w soccer.Wheels) error {
	i, there := e.find(id)
	if !there {
		return fmt.Errorf("%w: robot %d is not on the field; add it first", ErrUnknown, id)
	}
	if !finite(w.Left) || !finite(w.Right) {
		return fmt.Errorf("%w: wheels of robot %d at %g and %g rad/s: want finite numbers",
			ErrRange, id, w.Left, w.Right)
	}
	if r := &e.robots[i]; r.wheels != w {
		e.command(r, w)
	}
	return nil
}

func (e *Engine) command(r *robot, w soccer.Wheels) {
	r.wheels, r.still, r.drive.steadiness = w, false, steadiness{}
	r.drive.command(&e.cfg.Robot, w.Left, w.Right)
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// Robot returns the pose and the twist of a robot in the field frame, with Theta in (-pi, pi], and whether it is on the
// field.
func (e *Engine) Robot(id uint8) (soccer.Pose, soccer.Twist, bool) {
	i, there := e.find(id)
	if !there {
		return soccer.Pose{}, soccer.Twist{}, false
	}
	return e.robots[i].pose, e.robots[i].twist, true
}

// Turning returns how fast the wheels of a Very Small Size robot turn in rad/s, and whether it is on the field.
func (e *Engine) Turning(id uint8) (soccer.Wheels, bool) {
	i, there := e.find(id)
	if !there {
		return soccer.Wheels{}, false
	}
	d, radius := &e.robots[i].drive, e.cfg.Robot.WheelRadius
	return soccer.Wheels{Left: d.Left.Speed / radius, Right: d.Right.Speed / radius}, true
}

// Wheels returns the last commanded wheel speeds of a robot in rad/s, and whether it is on the field.
func (e *Engine) Wheels(id uint8) (soccer.Wheels, bool) {
	i, there := e.find(id)
	if !there {
		return soccer.Wheels{}, false
	}
	return e.robots[i].wheels, true
}

// Contacts returns the number of contacts in the last Step, over all its sub-steps: those of robots, and those of the
// ball except with the floor. Contacts of robots at rest count too, although the engine skips such a robot until
// something about it changes.
func (e *Engine) Contacts() int { return e.contacts }

// start lets wheels and casters of a robot act in a sub-step.
func (e *Engine) start(r *robot) {
	u, v := r.ownVelocity()
	r.drive.Held, r.drive.Cos, r.drive.Sin = r.touched, r.cos, r.sin
	u, v, r.twist.Theta = e.train.start(&r.drive, u, v, r.twist.Theta)
	if !r.touched { // the sweeps over its contacts include its wheels
		u, v, r.twist.Theta = e.train.pull(&r.drive, u, v, r.twist.Theta)
	}
	r.setOwnVelocity(u, v)
}

// pull solves a robot's wheels and casters again at its present velocity.
func (e *Engine) pull(r *robot) {
	u, v := r.ownVelocity()
	u, v, r.twist.Theta = e.train.pull(&r.drive, u, v, r.twist.Theta)
	r.setOwnVelocity(u, v)
}

// ownVelocity returns the robot's velocity ahead and to its left.
func (r *robot) ownVelocity() (u, v float64) {
	own := soccer.Vec{X: r.twist.X, Y: r.twist.Y}.Rotated(-r.sin, r.cos)
	return own.X, own.Y
}

// setOwnVelocity sets the robot's velocity ahead and to its left.
func (r *robot) setOwnVelocity(u, v float64) {
	w := soccer.Vec{X: u, Y: v}.Rotated(r.sin, r.cos)
	r.twist.X, r.twist.Y = w.X, w.Y
}
