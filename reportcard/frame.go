package reportcard

import (
	"fmt"
	"math"
)

// frame says where the robots' places do not fit the frame. The goalkeeper tells: nobody else stays before a goal.
func (c *Card) frame(all []Finding) []Finding {
	d := &c.sense
	if n := d.same.count; n >= 100 && share(n, d.balls) >= 0.9 && d.ball.places >= enough {
		all = append(all, c.finding(&d.same, RuleFrame, false, share(n, d.balls), fmt.Sprintf(
			"the first ball's Y is its X in %d of %d worldstates: X was written twice", n, d.balls)))
	}
	all = c.velocities(all)
	for i := range d.robots[:d.known] {
		r := &d.robots[i]
		stays := func(n uint64) bool { return r.n >= many200 && share(n, r.n) >= 0.9 && d.last >= longEnough }
		r.spot.count = r.n
		switch {
		case c.strayKeeper(r):
			// Who parks there may be a forward of a team whose keeper is not listed: a keeper goes with the ball.
			return append(all, c.finding(&r.spot, RuleFrame, r.path < 3, share(r.other, r.n), fmt.Sprintf(
				"robot %v, the keeper by its place, stands at the opponents' goal, at positive Y: the frame is turned or mirrored", r.id)))
		case stays(r.wide) && c.narrow():
			sign, left, right := "negative", "x = -y, y = x", "x = y, y = x"
			if 2*r.right > r.wide {
				sign, left, right = "positive", "x = y, y = -x", "x = -y, y = -x"
			}
			return append(all, c.finding(&r.spot, RuleFrame, false, share(r.wide, r.n), fmt.Sprintf(
				"robot %v, the keeper by its place, stays at %s X, and nobody goes further along Y than the field is wide: the frame is turned by a quarter "+
					"(right is %s), or X and Y are exchanged (right is %s)", r.id, sign, left, right)))
		case stays(r.own) && r.headed >= many200:
			mean := math.Atan2(r.sin, r.cos)
			if math.Hypot(r.cos, r.sin) > 0.6*float64(r.headed) && math.Abs(mean) > 1 {
				all = append(all, c.finding(&r.spot, RuleFrame, true, share(r.own, r.n), fmt.Sprintf(
					"robot %v, the keeper by its place, looks %.0f degrees away from the opponents' goal: a heading of 0 faces it", r.id, math.Abs(mean)*180/math.Pi)))
			}
		}
	}
	return all
}

// strayKeeper reports whether r is at the opponents' goal as only a keeper is at its own, and nobody is there. In a long
// stream most of its time will do, when nobody is ever before the own goal.
func (c *Card) strayKeeper(r *robotSense) bool {
	d := &c.sense
	own := 0.0
	for i := range d.robots[:d.known] {
		own = max(own, share(d.robots[i].own, d.robots[i].n))
	}
	most := share(r.other, r.n)
	return r.n >= many200 && (most >= 0.9 && own < 0.3 && d.last >= longEnough || most >= 0.7 && own < 0.05 && d.last >= 60)
}

// narrow reports whether nobody goes further along Y than the field is wide.
func (c *Card) narrow() bool {
	long := 0.0
	for i := range c.sense.robots[:c.sense.known] {
		long = max(long, c.sense.robots[i].long)
	}
	return long <= c.field.Width/2+offTarget
}

// velocities says which axes of velocities point against the ways that the robots go, or along the other axis.
func (c *Card) velocities(all []Finding) []Finding {
	f := &c.sense.fit
	if f.moves < many200/2 {
		return all
	}
	along := func(way, v int) float64 { // 1: always the same way, -1: always against it
		if f.size[way][v] == 0 {
			return 0
		}
		return f.sum[way][v] / f.size[way][v]
	}
	x, y, what := along(0, 0), along(1, 1), ""
	switch xy, yx := along(0, 1), along(1, 0); {
	case x < -0.6 && y < -0.6:
		what = "X and Y of the robots' velocities point against the way that the robots go: positions or velocities are turned or mirrored"
	case x < -0.6:
		what = "X of the robots' velocities points against the way that the robots go: positions or velocities are turned or mirrored"
	case y < -0.6:
		what = "Y of the robots' velocities points against the way that the robots go: positions or velocities are turned or mirrored"
	case max(x, y) > 0.45 || min(math.Abs(xy), math.Abs(yx)) < 0.7:
		return all
	case xy*yx > 0:
		what = "X of the robots' velocities goes with Y of their ways, and Y with X: X and Y of positions or velocities are exchanged"
	default:
		what = "the robots' velocities are turned by a quarter against the ways that the robots go"
	}
	spot := f.spot
	spot.count = f.moves
	return append(all, c.finding(&spot, RuleFrame, false, share(f.moves, max(c.sense.robotRest.n, f.moves)), what))
}
