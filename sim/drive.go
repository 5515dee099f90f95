package sim

import (
	"fmt"
	"math"
	"time"

	"touchline/soccer"
)

// Tick is the simulated time of one step of a Very Small Size match.
const Tick = 16 * time.Millisecond

// Drive sets the wheel speeds of a robot in rad/s until the next call. The error is ErrRange for NaN and infinities,
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
	e.command(&e.robots[i], w)
	return nil
}

func (e *Engine) command(r *robot, w soccer.Wheels) {
	r.wheels, r.still = w, false
	if most := e.cfg.MaxWheel; most > 0 {
		w.Left, w.Right = clamp(w.Left, -most, most), clamp(w.Right, -most, most)
	}
	r.spinLeft, r.spinRight = w.Left, w.Right
	r.rimLeft, r.rimRight = w.Left*e.cfg.WheelRadius, w.Right*e.cfg.WheelRadius
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
// something about it changes: the result would be the same, bit by bit.
func (e *Engine) Contacts() int { return e.contacts }

// train is the drive of a robot, in impulses of one sub-step.
type train struct {
	seconds                 float64 // s of a sub-step
	motor, drag, grip       float64 // N s at most
	scrub                   float64 // N m s at most, of rims that rub while the robot turns
	mass, inverse           float64 // kg, 1/kg
	inertia, inverseInertia float64 // kg m^2 and its inverse
	arm                     float64 // m from the robot's centre to a wheel's centre
	near, far               float64 // m to its inner and outer rim
	tread                   float64 // m from a wheel's centre to a rim
	turn                    float64 // arm/inertia: rad/s per N s at a wheel
	wheel                   float64 // kg: effective mass of the robot at one wheel
	gyro                    float64 // N s per N of rim load that moves
	hop                     float64 // share of its motor that the inner wheel keeps in a skid
	whirl, lead             float64 // s^2: shares that motors and rims lose, by the spin's square
}

func (p *Physics) train(h float64) train {
	arm, tread := float64((p.RimInner+p.RimOuter)*0.5), float64((p.RimOuter-p.RimInner)*0.5)
	turn := arm / p.Inertia
	return train{
		seconds: h,
		motor:   p.Motor * h, drag: p.Drag * h, grip: p.Grip * h, scrub: 4 * tread * p.Rim * h,
		mass: p.Mass, inverse: 1 / p.Mass, inertia: p.Inertia, inverseInertia: 1 / p.Inertia,
		arm: arm, near: p.RimInner, far: p.RimOuter, tread: tread, turn: turn,
		wheel: 1 / (1/p.Mass + float64(arm*turn)), gyro: p.Gyro * h,
		hop: p.Hop, whirl: p.Whirl, lead: p.Lead,
	}
}

// idle returns the impulse of a wheel whose speed of w rad/s is between those of its rims, in a robot that turns with
// turn rad/s: the gyroscopic moment of the wheel loads one rim more than the other.
func (t *train) idle(w, turn float64) float64 {
	const bend = 63 // rad/s (measured on FIRASim)
	w = max(-4*bend, min(4*bend, w))
	w2 := float64(w * w)
	return float64(t.gyro*math.Abs(turn)) * float64(w*w2) / (1 + float64(w2*(1.0/(bend*bend))))
}

// start applies the impulses of the last sub-step to a robot, and then solves those of this one.
func (e *Engine) start(r *robot) {
	const slow = 8 // rad/s; below it a spin shifts a negligible load
	t := &e.train
	r.idleLeft, r.idleRight, r.pace, r.motor = 0, 0, 1, t.motor
	if turn := r.twist.Theta; math.Abs(turn) > slow {
		r.idleLeft, r.idleRight = t.idle(r.spinLeft, turn), t.idle(r.spinRight, turn)
		square := min(float64(turn*turn), 1e4)
		r.pace = 1 - float64(t.lead*square)
		r.motor = max(0, t.motor*(1-float64(t.whirl*square)))
	}
	u := float64(r.twist.X*r.cos) + float64(r.twist.Y*r.sin) + float64((r.left+r.right+r.drag)*t.inverse)
	v := float64(r.twist.Y*r.cos) - float64(r.twist.X*r.sin) + float64(r.grip*t.inverse)
	w := r.twist.Theta + float64((r.right-r.left)*t.turn) + float64(r.scrub*t.inverseInertia)
	t.pull(r, u, v, w)
}

// pull solves a robot's wheels and casters at its present velocity.
func (e *Engine) pull(r *robot) {
	u := float64(r.twist.X*r.cos) + float64(r.twist.Y*r.sin)
	v := float64(r.twist.Y*r.cos) - float64(r.twist.X*r.sin)
	e.train.pull(r, u, v, r.twist.Theta)
}

// pull solves wheels and casters in one sub-step, in addition to the impulses r has already, and sets the robot's
// velocity from u ahead, v to its left and the angular velocity w.
//
// A wheel's tread touches the floor at its two rims, which move at different speeds while the robot turns. While the
// wheel's own speed is between these, the friction at one rim balances that at the other, and the wheel neither pushes
// nor brakes. Outside that range it pushes or brakes at its limit until its speed equals that of the next rim.
// Therefore the track is 0.085 m when a robot begins to spin on the spot, and 0.08 m in an arc, where each wheel
// overcomes the drag of the casters. The friction of the rims resists turning; and a fast spin shifts a wheel's load to
// its inner rim, so that the robot accelerates slowly until the inner rims roll and the track is 0.075 m.
func (t *train) pull(r *robot, u, v, w float64) {
	grip := within(r.grip-float64(v*t.mass), t.grip)
	v += float64((grip - r.grip) * t.inverse)
	r.grip = grip

	// Both wheels are solved together, so that equal commands never turn a robot.
	near, far := float64(t.near*w), float64(t.far*w)
	if w < 0 {
		near, far = far, near
	}
	mostLeft, mostRight := r.motor, r.motor
	if grip == t.grip || grip == -t.grip { // it skids
		if w > 0 {
			mostLeft *= t.hop
		} else if w < 0 {
			mostRight *= t.hop
		}
	}
	toLeft, toRight := float64(r.rimLeft*r.pace)-u, float64(r.rimRight*r.pace)-u
	left := t.push(r.left, toLeft+near, toLeft+far, r.idleLeft, mostLeft)
	right := t.push(r.right, toRight-far, toRight-near, r.idleRight, mostRight)
	dl, dr := left-r.left, right-r.right
	u += float64((dl + dr) * t.inverse)
	w += float64((dr - dl) * t.turn)
	r.left, r.right = left, right

	drag := within(r.drag-float64(u*t.mass), t.drag)
	u += float64((drag - r.drag) * t.inverse)
	r.drag = drag

	var scrub float64
	if most := t.scrub - float64(t.tread*(math.Abs(r.left)+math.Abs(r.right))); most > 0 {
		scrub = within(r.scrub-float64(w*t.inertia), most)
	}
	w += float64((scrub - r.scrub) * t.inverseInertia)
	r.scrub = scrub

	r.twist.X = float64(u*r.cos) - float64(v*r.sin)
	r.twist.Y = float64(u*r.sin) + float64(v*r.cos)
	r.twist.Theta = w
}

// push returns the impulse of a wheel with the impulse p so far, whose speed exceeds that of its faster rim by fast and
// that of its slower rim by slow. Between these speeds it is idle. most is the limit.
func (t *train) push(p, fast, slow, idle, most float64) float64 {
	if q := p + float64(fast*t.wheel); q > idle {
		return within(q, most)
	}
	if q := p + float64(slow*t.wheel); q < idle {
		return within(q, most)
	}
	return idle
}

// within limits x to -most..most. It is faster than min and max, which handle NaN and signed zeros.
func within(x, most float64) float64 {
	if x > most {
		return most
	}
	if x < -most {
		return -most
	}
	return x
}
