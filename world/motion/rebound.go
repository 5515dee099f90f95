package motion

import (
	"math"

	"touchline/soccer"
)

// Wall is a straight surface from which a ball bounces back.
type Wall struct {
	Normal soccer.Vec // from the wall to the field
	Over   float64    // m, by how far the ball's centre is behind the place where it touches the wall; below 0: before it
	Into   float64    // m/s, at which the ball comes
	Share  float64    // probability that the ball bounces there
	Net    bool       // it stops the ball
}

// Walls appends to near the walls that a ball at a place, which moves with velocity v, passes within dt seconds or has
// just passed: the nets of the goals and the boards around the field. Others stand on the lines with probability onLines.
// The place is exact to slack, in m.
func Walls(near []Wall, f *soccer.Field, at, v soccer.Vec, dt, slack, onLines float64) []Wall {
	const often = 0.8
	end, side := float64(f.Length/2), float64(f.Width/2)
	before := slack + soccer.BallRadius
	if f.Length == 0 || math.Abs(at.X) < end-before && math.Abs(at.Y) < side-before {
		return near // far from all of them
	}
	touch := func(over, into, share float64, normal soccer.Vec, net bool) {
		if into > slowest && over > -slack && over < float64(into*dt)+slack {
			near = append(near, Wall{normal, over, into, share, net})
		}
	}
	alongX, alongY := math.Copysign(1, v.X), math.Copysign(1, v.Y)
	x, y := float64(at.X*alongX), float64(at.Y*alongY) // towards the wall
	inward := soccer.Vec{X: -alongX}
	if x > end-slack && math.Abs(at.Y) < float64(f.GoalWidth/2) {
		touch(x-(end+f.GoalDepth-soccer.BallRadius), math.Abs(v.X), often, inward, true)
	} else {
		touch(x-(end+f.Border-soccer.BallRadius), math.Abs(v.X), often, inward, false)
	}
	touch(x-end, math.Abs(v.X), onLines, inward, false)
	touch(y-(side+f.Border-soccer.BallRadius), math.Abs(v.Y), often, soccer.Vec{Y: -alongY}, false)
	touch(y-side, math.Abs(v.Y), onLines, soccer.Vec{Y: -alongY}, false)
	return near
}

const slowest = 0.3 // m/s; a ball that comes more slowly does not bounce visibly
