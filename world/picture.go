// Package picture compares what a robot sees with what it saw before: a camera may be frozen, and a robot may be carried
// away.

package world

import (
	"math"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

// View is what a picture shows, seen from the robot: its first ball and its first obstacle.
type View struct {
	At     soccer.Time
	pose   soccer.Pose
	counts [2]int        // of balls and obstacles
	first  [2]soccer.Vec // of each, in the robot's frame: x ahead, y to its left
}

// NewView returns the view of a picture of a robot that knows its heading.
func NewView(p *soccer.Percepts) View {
	v := View{At: p.Time, pose: p.Self.Pose}
	sin, cos := exact.Sincos(p.Self.Pose.Theta)
	for i, seen := range [2][]soccer.Observation{p.Balls, p.Obstacles} {
		if v.counts[i] = len(seen); len(seen) > 0 {
			v.first[i] = seen[0].Position.XY().Sub(p.Self.Pose.XY()).Rotated(-sin, cos)
		}
	}
	return v
}

// Repeats reports whether a view shows the same as an earlier one, to the millimetres to which packages round. Noise
// and motion make each picture of a camera that works a new one. A ball that the robot holds does not move, either.
func (v *View) Repeats(earlier *View) bool {
	const same, held = 0.01, 0.7 // m
	far := false
	for i := range v.first {
		d := v.first[i].Sub(earlier.first[i])
		if v.counts[i] != earlier.counts[i] || !pictureNear(d, same) {
			return false
		}
		far = far || !pictureNear(v.first[i], held)
	}
	return far
}

// Frozen reports whether the camera has repeated the view until now, while the robot drove or turned to another pose, how
// far off its sights are by then, in m, and whether they include a ball.
func (v *View) Frozen(now soccer.Time, to soccer.Pose) (off float64, ball, yes bool) {
	const (
		long  = 0.4  // s
		drove = 0.25 // m
		turns = 0.15 // rad
	)
	turned := math.Abs(soccer.WrapAngle(to.Theta - v.pose.Theta))
	moved := to.XY().Sub(v.pose.XY())
	if v.At == 0 || pictureSeconds(now, v.At) < long || pictureNear(moved, drove) && turned < turns {
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

// Picture is what a robot saw, as seen from where it reported to be.
type Picture struct {
	at    soccer.Time
	pose  soccer.Pose
	balls int // of the rays; the others are of obstacles
	n     int
	rays  [8]soccer.Vec
}

// NewPicture returns the first eight sights of a picture, the balls before the obstacles.
func NewPicture(percepts *soccer.Percepts) Picture {
	p := Picture{at: percepts.Time, pose: percepts.Self.Pose, balls: len(percepts.Balls)}
	for _, seen := range [2][]soccer.Observation{percepts.Balls, percepts.Obstacles} {
		for i := range seen[:min(len(seen), len(p.rays)-p.n)] {
			p.rays[p.n] = seen[i].Position.XY().Sub(p.pose.XY())
			p.n++
		}
	}
	return p
}

// Continues reports whether a picture shows at least half of what the one before showed, seen from the robot: its body has
// not been carried away.
func (p *Picture) Continues(before *Picture) bool {
	const base, along, turn, gap = 0.3, 0.1, 0.5, 0.3 // m, m per m, rad, s
	if p.n == 0 || before.n == 0 || pictureSeconds(p.at, before.at) > gap {
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

// Empty reports whether a picture shows nothing.
func (p *Picture) Empty() bool { return p.n == 0 }

// Inside reports whether all that a picture shows is inside the robot's body.
func (p *Picture) Inside() bool {
	const body = 0.03 // m: a thousandth of a field of 18 m, and some noise
	return p.n > 0 && !slices.ContainsFunc(p.rays[:p.n], func(v soccer.Vec) bool { return !pictureNear(v, body) })
}

// pictureNear reports whether a vector is shorter than d.
func pictureNear(v soccer.Vec, d float64) bool { return v.Dot(v) < float64(d*d) }

// pictureSeconds returns the time from u to t.
func pictureSeconds(t, u soccer.Time) float64 { return float64(t-u) / 1e9 }
