package world

import (
	"math"

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
