package world

import (
	"math"
	"slices"

	"touchline/exact"
	"touchline/soccer"
)

// view is what a picture shows, seen from the robot: its first ball and its first obstacle.
type view struct {
	at     soccer.Time
	pose   soccer.Pose
	counts [2]int        // of balls and obstacles
	first  [2]soccer.Vec // of each, in the robot's frame: x ahead, y to its left
}

// newView returns the view of a picture of a robot that knows its heading.
func newView(p *soccer.Percepts) view {
	v := view{at: p.Time, pose: p.Self.Pose}
	sin, cos := exact.Sincos(p.Self.Pose.Theta)
	for i, seen := range [2][]soccer.Observation{p.Balls, p.Obstacles} {
		if v.counts[i] = len(seen); len(seen) > 0 {
			ray := seen[0].Position.XY().Sub(p.Self.Pose.XY())
			v.first[i] = soccer.Vec{X: float64(cos*ray.X) + float64(sin*ray.Y), Y: float64(cos*ray.Y) - float64(sin*ray.X)}
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

// frozen reports whether the camera has repeated one picture while the robot drove or turned, how far off its sights are
// now, in m, and whether they include a ball.
func (t *testimony) frozen() (off float64, ball, yes bool) {
	const (
		long  = 0.4  // s
		drove = 0.25 // m
		turns = 0.15 // rad
	)
	v := &t.still
	turned := math.Abs(soccer.WrapAngle(t.heading - v.pose.Theta))
	moved := t.from.Sub(v.pose.XY())
	if v.at == 0 || seconds(t.at, v.at) < long || near(moved.X, moved.Y, drove) && turned < turns {
		return 0, false, false
	}
	ball = v.counts[0] > 0
	first := v.first[1]
	if ball {
		first = v.first[0]
	}
	sin, cos := exact.Sincos(v.pose.Theta)
	sinNow, cosNow := exact.Sincos(t.heading)
	moved.X += float64((cosNow-cos)*first.X) - float64((sinNow-sin)*first.Y)
	moved.Y += float64((sinNow-sin)*first.X) + float64((cosNow-cos)*first.Y)
	return moved.Len(), ball, true
}

// picture is what a robot saw, as seen from where it reported to be.
type picture struct {
	at    soccer.Time
	pose  soccer.Pose
	balls int // of the rays; the others are of obstacles
	n     int
	rays  [8]soccer.Vec
}

func newPicture(percepts *soccer.Percepts) picture {
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
	if p.n == 0 || before.n == 0 || seconds(p.at, before.at) > gap {
		return false
	}
	common := 0
	for i, a := range p.rays[:p.n] {
		bearing := exact.Atan2(a.Y, a.X) - p.pose.Theta
		for k, b := range before.rays[:before.n] {
			turned := soccer.WrapAngle(exact.Atan2(b.Y, b.X) - before.pose.Theta - bearing)
			if (i < p.balls) == (k < before.balls) && math.Abs(turned) < turn &&
				math.Abs(a.Len()-b.Len()) < base+float64(along*b.Len()) {
				common++
				break
			}
		}
	}
	return 2*common >= min(p.n, before.n)
}

// inside reports whether all that a picture shows is inside the robot's body.
func (p *picture) inside() bool {
	const body = 0.1 // m
	return p.n > 0 && !slices.ContainsFunc(p.rays[:p.n], func(v soccer.Vec) bool { return !near(v.X, v.Y, body) })
}

// proof is what a robot's own pictures prove without a witness who sees what it sees.
type proof struct {
	since soccer.Time // 0: nothing
	off   float64     // m, by how much its sights are off
	pose  bool        // the pose is wrong, or all that the camera shows
	waits bool        // the robot agrees again when others see what it sees; else when the proof ends
}

// proof reports whether a robot's pictures prove that it is wrong: its camera repeats itself, all that it sees is inside its
// own body, as when it takes metres for millimetres, or its pose has jumped away from where it was right.
func (t *testimony) proof(others int) proof {
	const impossible = 0.5 // s
	if off, ball, yes := t.frozen(); others < 2 {
		return proof{}
	} else if yes {
		return proof{since: t.still.at, off: off, pose: !ball}
	}
	if t.inside != 0 && seconds(t.at, t.inside) > impossible {
		return proof{since: t.inside, off: t.jump.Len(), pose: true}
	} else if t.lost {
		return proof{since: t.jumped, off: t.jump.Len(), pose: true, waits: true}
	}
	return proof{}
}
