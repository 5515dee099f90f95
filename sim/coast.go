package sim

import (
	"math"

	"touchline/soccer"
)

// startCoasting lets steady robots that nothing can touch within a tick skip its sub-steps, as if they stood.
func (e *Engine) startCoasting() {
	steady := false
	for i := range e.robots {
		r := &e.robots[i]
		r.coasts = !r.still && r.drive.steady()
		steady = steady || r.coasts
	}
	if !steady {
		return
	}
	e.keepClear(Tick.Seconds())
	for i := range e.robots {
		if r := &e.robots[i]; r.coasts {
			r.still, r.contacts, r.touched = true, 0, false
		}
	}
}

// keepClear ends the coasting of robots that something may touch within span seconds.
func (e *Engine) keepClear(span float64) {
	radius := e.bodyRadius()
	ball := radius + e.cfg.BallRadius
	if !e.ballFree {
		ball += float64((e.velocity.XY().Len() + e.fastest + gain) * span) // a robot may hit it
	}
	for i := range e.robots {
		r := &e.robots[i]
		if r.way = float64((e.fastest + gain) * span); !r.coasts { // another robot may push it
			continue
		}
		r.way = float64(r.speed() * span)
		d := e.position.XY().Sub(r.pose.XY())
		r.coasts = d.Dot(d) > squared(ball+r.way) && (!r.walled || e.missesWalls(r, span))
	}
	for again := true; again; {
		again = false
		for _, at := range e.wide {
			a, b := &e.robots[at[0]], &e.robots[at[1]]
			d := b.pose.XY().Sub(a.pose.XY())
			if (a.coasts || b.coasts) && d.Dot(d) <= squared(2*radius+a.way+b.way) {
				a.coasts, b.coasts, again = false, false, true
				a.way = float64((e.fastest + gain) * span)
				b.way = a.way
			}
		}
	}
}

// missesWalls reports whether a robot that moves steadily overlaps no wall by more than slack within span seconds.
func (e *Engine) missesWalls(r *robot, span float64) bool {
	const slack = 5e-4 // m
	half, radius := float64(e.cfg.Side*0.5), e.bodyRadius()
	c, s := math.Abs(r.cos), math.Abs(r.sin)
	angle := float64(math.Abs(r.twist.Theta) * span)
	sweep := float64(radius*angle) - slack
	reach := min(radius-slack, float64(half*(c+s))+sweep)
	diagonal := min(radius-slack, float64(half*max(c, s)*math.Sqrt2)+sweep)
	x, y := math.Abs(r.pose.X), math.Abs(r.pose.Y)
	toX, toY := math.Abs(r.pose.X+float64(r.twist.X*span)), math.Abs(r.pose.Y+float64(r.twist.Y*span))
	bend := float64(min(1, angle) * r.way) // how far it turns away from a straight line
	return !e.rink.near(soccer.Pose{X: max(x, toX), Y: max(y, toY)}, reach, diagonal, bend)
}

// speed returns the robot's speed in m/s, or up to an eighth more.
func (r *robot) speed() float64 {
	x, y := math.Abs(r.twist.X), math.Abs(r.twist.Y)
	return max(x, y) + float64(0.5*min(x, y))
}

func squared(x float64) float64 { return x * x }

// finishCoasting moves the steady robots by the tick, and finds out which ones are steady.
func (e *Engine) finishCoasting() {
	for i := range e.robots {
		r := &e.robots[i]
		if r.coasts {
			r.coasts, r.still = false, false
			r.coastTick(vssSubStep.Seconds())
			continue
		}
		ahead, left := r.ownVelocity()
		r.drive.notice(ahead, left, r.twist.Theta, !r.touched && !r.still)
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
		vx, vy = float64(vx*c)-float64(vy*s), float64(vy*c)+float64(vx*s)
		x += vx
		y += vy
		r.cos, r.sin = float64(r.cos*c)-float64(r.sin*s), float64(r.sin*c)+float64(r.cos*s)
	}
	r.pose.X += float64(x * h)
	r.pose.Y += float64(y * h)
	r.twist.X, r.twist.Y = vx, vy
	if t == 0 {
		return
	}
	length := r.shortness()
	r.cos, r.sin = float64(r.cos*length), float64(r.sin*length)
	r.turn(float64(2 * subSteps * arctan(t)))
}
