package check

import "math"

// judgeFrame reports where the robots' places do not fit the frame. The goalkeeper shows it: no other robot stays in
// front of a goal.
func (c *Card) judgeFrame(out *findings) {
	d := &c.contents
	if c.frameNote != "" {
		out.note(&c.firstBall, 1, 1, "%s", c.frameNote)
	}
	if n := d.sameXY.count; n >= 100 && share(n, d.balls) >= 0.9 && d.ball.places >= enoughMessages {
		out.fault(&d.sameXY, n, d.balls, "Y of the first ball equals X in %d of %d worldstates: X was written twice", n,
			d.balls)
	}
	c.judgeVelocityAxes(out)
	for i := range d.robots[:d.known] {
		r := &d.robots[i]
		switch {
		case c.strayKeeper(r):
			f := out.fault(&r.spot, r.n, r.n, "robot %v, the keeper by its position, stays at the opponents' goal, at "+
				"positive Y: the frame is turned or mirrored", r.id)
			f.Share = share(r.other, r.n)
			f.Note = r.path < 3 // a keeper follows the ball; it may be a parked forward of a team without a keeper
			return
		case c.stays(r, r.wide) && c.narrow():
			out.quarterTurn(r)
			return
		case c.stays(r, r.own) && r.headed >= enoughValues:
			mean := math.Atan2(r.sin, r.cos)
			if math.Hypot(r.cos, r.sin) > 0.6*float64(r.headed) && math.Abs(mean) > 1 {
				f := out.note(&r.spot, r.n, r.n, "robot %v, the keeper by its position, faces %.0f degrees away from the "+
					"opponents' goal: a heading of 0 faces it", r.id, math.Abs(mean)*180/math.Pi)
				f.Share = share(r.own, r.n)
			}
		}
	}
}

// stays reports whether n of r's poses are nearly all of many.
func (c *Card) stays(r *robotHistory, n uint64) bool {
	return r.n >= enoughValues && share(n, r.n) >= 0.9 && c.contents.seconds >= longEnough
}

// quarterTurn reports that the keeper r stays at the side of the field.
func (o *findings) quarterTurn(r *robotHistory) {
	sign, turned, exchanged := "negative", "x = -y, y = x", "x = y, y = x"
	if 2*r.right > r.wide {
		sign, turned, exchanged = "positive", "x = y, y = -x", "x = -y, y = -x"
	}
	f := o.fault(&r.spot, r.n, r.n,
		"robot %v, the keeper by its position, stays at %s X, and no robot goes further along Y than the field is "+
			"wide: the frame is turned by a quarter (correct: %s), or X and Y are exchanged (correct: %s)",
		r.id, sign, turned, exchanged)
	f.Share = share(r.wide, r.n)
}

// strayKeeper reports whether r is at the opponents' goal as only a keeper is at its own, and no robot is at its own.
// In a long stream most of the time is enough if no robot is ever in front of the own goal.
func (c *Card) strayKeeper(r *robotHistory) bool {
	d := &c.contents
	own := 0.0
	for i := range d.robots[:d.known] {
		own = max(own, share(d.robots[i].own, d.robots[i].n))
	}
	other := share(r.other, r.n)
	return r.n >= enoughValues &&
		(other >= 0.9 && own < 0.3 && d.seconds >= longEnough || other >= 0.7 && own < 0.05 && d.seconds >= 60)
}

// narrow reports whether no robot goes further along Y than the field is wide.
func (c *Card) narrow() bool {
	long := 0.0
	for i := range c.contents.robots[:c.contents.known] {
		long = max(long, c.contents.robots[i].long)
	}
	return long <= c.field.Width/2+offTarget
}

// judgeVelocityAxes reports which axes of the velocities oppose the moves of the robots, or follow their other axis.
func (c *Card) judgeVelocityAxes(out *findings) {
	a := &c.contents.agreement
	if a.count < enoughValues/2 {
		return
	}
	along := func(move, v int) float64 { // 1: always the same direction, -1: always the opposite one
		if a.size[move][v] == 0 {
			return 0
		}
		return a.sum[move][v] / a.size[move][v]
	}
	const turned = "the direction in which the robots move: positions or velocities are turned or mirrored"
	x, y, text := along(0, 0), along(1, 1), ""
	switch xy, yx := along(0, 1), along(1, 0); {
	case x < -0.6 && y < -0.6:
		text = "X and Y of the robots' velocities oppose " + turned
	case x < -0.6:
		text = "X of the robots' velocities opposes " + turned
	case y < -0.6:
		text = "Y of the robots' velocities opposes " + turned
	case max(x, y) > 0.45 || min(math.Abs(xy), math.Abs(yx)) < 0.7:
		return
	case xy*yx > 0:
		text = "X of the robots' velocities follows Y of their moves, and Y follows X: X and Y of positions or " +
			"velocities are exchanged"
	default:
		text = "the robots' velocities are turned by a quarter against their moves"
	}
	out.fault(&a.spot, a.count, max(c.contents.robotVelocity.n, a.count), "%s", text)
}
