package world

import (
	"math"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

// view is what a picture shows, seen from the robot: its first ball and its first obstacle.
type view struct {
	at     soccer.Time
	pose   soccer.Pose
	counts [2]int        // numbers of balls and obstacles
	first  [2]soccer.Vec // first ball and obstacle in the robot's frame: x ahead, y to its left
}

// viewOf returns the view of a picture of a robot that knows its heading.
func viewOf(p *soccer.Percepts) view {
	v := view{at: p.Time, pose: p.Self.Pose}
	sin, cos := exact.Sincos(p.Self.Pose.Theta)
	for i, seen := range [2][]soccer.Observation{p.Balls, p.Obstacles} {
		if v.counts[i] = len(seen); len(seen) > 0 {
			v.first[i] = seen[0].Position.XY().Sub(p.Self.Pose.XY()).Rotated(-sin, cos)
		}
	}
	return v
}

// repeats reports whether a view shows the same as an earlier one, to the millimetres to which packages round. Noise
// and motion make each picture of a camera that works a new one. A ball that the robot holds does not move, either.
func (v *view) repeats(earlier *view) bool {
	const same, held = 0.01, 0.7 // m
	far := false
	for i := range v.first {
		d := v.first[i].Sub(earlier.first[i])
		if v.counts[i] != earlier.counts[i] || !near(d.X, d.Y, same) {
			return false
		}
		far = far || !near(v.first[i].X, v.first[i].Y, held)
	}
	return far
}

// frozen reports whether the camera has repeated the view until now, while the robot drove or turned to another pose, how
// far off its sights are by then, in m, and whether they include a ball.
func (v *view) frozen(now soccer.Time, to soccer.Pose) (off float64, ball, yes bool) {
	const (
		long  = 0.4  // s
		drove = 0.25 // m
		turns = 0.15 // rad
	)
	turned := math.Abs(soccer.WrapAngle(to.Theta - v.pose.Theta))
	moved := to.XY().Sub(v.pose.XY())
	if v.at == 0 || now.Sub(v.at).Seconds() < long || near(moved.X, moved.Y, drove) && turned < turns {
		return 0, false, false
	}
	ball = v.counts[0] > 0
	first := v.first[1]
	if ball {
		first = v.first[0]
	}
	sin, cos := exact.Sincos(v.pose.Theta)
	sinNow, cosNow := exact.Sincos(to.Theta)
	moved.X += float64((cosNow-cos)*first.X) - float64((sinNow-sin)*first.Y)
	moved.Y += float64((sinNow-sin)*first.X) + float64((cosNow-cos)*first.Y)
	return moved.Len(), ball, true
}

// picture is what a robot saw, as seen from where it reported to be.
type picture struct {
	at    soccer.Time
	pose  soccer.Pose
	balls int // number of rays to balls; the others lead to obstacles
	n     int
	rays  [8]soccer.Vec
}

// pictureOf returns the first eight sights of a picture, the balls before the obstacles.
func pictureOf(percepts *soccer.Percepts) picture {
	p := picture{at: percepts.Time, pose: percepts.Self.Pose, balls: len(percepts.Balls)}
	for _, seen := range [2][]soccer.Observation{percepts.Balls, percepts.Obstacles} {
		for i := range seen[:min(len(seen), len(p.rays)-p.n)] {
			p.rays[p.n] = seen[i].Position.XY().Sub(p.pose.XY())
			p.n++
		}
	}
	return p
}

// continues reports whether a picture shows at least half of what the one before showed, seen from the robot: its body has
// not been carried away.
func (p *picture) continues(before *picture) bool {
	const base, along, turn, gap = 0.3, 0.1, 0.5, 0.3 // m, m per m, rad, s
	if p.n == 0 || before.n == 0 || p.at.Sub(before.at).Seconds() > gap {
		return false
	}
	common := 0
	for i, a := range p.rays[:p.n] {
		bearing := a.Angle() - p.pose.Theta
		for k, b := range before.rays[:before.n] {
			turned := soccer.WrapAngle(b.Angle() - before.pose.Theta - bearing)
			if (i < p.balls) == (k < before.balls) && math.Abs(turned) < turn &&
				math.Abs(a.Len()-b.Len()) < base+float64(along*b.Len()) {
				common++
				break
			}
		}
	}
	return 2*common >= min(p.n, before.n)
}

// empty reports whether a picture shows nothing.
func (p *picture) empty() bool { return p.n == 0 }

// inside reports whether all that a picture shows is inside the robot's body.
func (p *picture) inside() bool {
	const body = 0.03 // m: a thousandth of a field of 18 m, and some noise
	return p.n > 0 && !slices.ContainsFunc(p.rays[:p.n], func(v soccer.Vec) bool { return !near(v.X, v.Y, body) })
}

// ballRun is a run of sights of the ball by one robot without a gap or a jump: one ball, right or wrong.
type ballRun struct {
	since    soccer.Time // time of the first sight
	at       soccer.Time // time of the newest sight
	place    soccer.Vec
	seenBy   soccer.RobotSet // those that saw this ball, too, before anybody contradicted it; by peer.reporter of world
	common   soccer.Time     // when these and the robot were more than half of the team; 0: they are not
	disputed float64         // s, for which others contradicted it
	jumped   bool            // it began with a jump, not after a gap
}

// credited reports whether it counts that others see this ball, too.
func (r *ballRun) credited() bool {
	const undisputed, long = 0.2, 0.5 // s
	return r.disputed < undisputed && r.at.Sub(r.since).Seconds() > long
}

// extend adds a sight to the run, or begins another one.
func (r *ballRun) extend(at soccer.Time, place soccer.Vec) {
	const gap, noise, speed = 0.4, 1.0, 5.0 // s, m, m/s
	dt := at.Sub(r.at).Seconds()
	if moved := place.Sub(r.place); dt > gap || !near(moved.X, moved.Y, noise+float64(speed*dt)) {
		*r = ballRun{since: at, jumped: dt <= gap}
	}
	r.at, r.place = at, place
}
