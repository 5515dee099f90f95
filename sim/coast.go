package sim

import (
	"touchline/sim/diff"
)

// startCoasting lets steady robots that nothing can touch within a tick skip its sub-steps, as if they stood.
func (e *Engine) startCoasting() {
	for i := range e.robots {
		r := &e.robots[i]
		r.coasts = r.drive.Steady() && r.alone && !r.walled && !r.still
		if r.coasts {
			r.still, r.contacts = true, 0
		}
	}
}

// finishCoasting moves the steady robots by the tick, and finds out which ones are steady.
func (e *Engine) finishCoasting() {
	for i := range e.robots {
		r := &e.robots[i]
		if r.coasts {
			r.coasts, r.still = false, false
			r.coastTick(vssSubStep.Seconds())
			continue
		}
		ahead := float64(r.twist.X*r.cos) + float64(r.twist.Y*r.sin)
		left := float64(r.twist.Y*r.cos) - float64(r.twist.X*r.sin)
		r.drive.Notice(ahead, left, r.twist.Theta, r.alone && !r.walled && !r.still)
	}
}

// coastTick moves a steady robot by one tick, with its sub-steps of h seconds, along a circle.
func (r *robot) coastTick(h float64) {
	const subSteps = 5
	t := float64(r.twist.Theta * h * 0.5)
	n := 1 / (1 + float64(t*t))
	c, s := float64((1-float64(t*t))*n), float64(2*t*n)
	x, y, vx, vy := 0.0, 0.0, r.twist.X, r.twist.Y
	for range subSteps {
		x += vx
		y += vy
		vx, vy = float64(vx*c)-float64(vy*s), float64(vy*c)+float64(vx*s)
		r.cos, r.sin = float64(r.cos*c)-float64(r.sin*s), float64(r.sin*c)+float64(r.cos*s)
	}
	r.pose.X += float64(x * h)
	r.pose.Y += float64(y * h)
	r.twist.X, r.twist.Y = vx, vy
	if t == 0 {
		return
	}
	length := 1.5 - float64(0.5*(float64(r.cos*r.cos)+float64(r.sin*r.sin)))
	r.cos, r.sin = float64(r.cos*length), float64(r.sin*length)
	r.turn(float64(2 * subSteps * diff.Arctan(t)))
}
