package world

import (
	"math"

	"touchline/soccer"
)

// surface is a straight surface from which a ball bounces back.
type surface struct {
	normal soccer.Vec // direction from the wall to the field
	over   float64    // m, by how far the ball's centre is behind the place where it touches the wall; below 0: before it
	into   float64    // m/s, at which the ball comes
	share  float64    // probability that the ball bounces there
	net    bool       // it stops the ball

	velocity soccer.Vec // m/s, of a robot's side
	aside    float64    // sigma of the velocity after the bounce, in each direction, relative to Into
}

// appendWalls appends to near the walls that a ball at a place, which moves with velocity v, passes within dt seconds or has
// just passed: the nets of the goals and the boards around the field. Others stand on the lines with probability onLines.
// The place is exact to slack, in m.
func appendWalls(near []surface, f *soccer.Field, at, v soccer.Vec, dt, slack, onLines float64) []surface {
	const often = 0.8
	end, side := float64(f.Length/2), float64(f.Width/2)
	before := slack + soccer.BallRadius
	if f.Length == 0 || math.Abs(at.X) < end-before && math.Abs(at.Y) < side-before {
		return near // far from all of them
	}
	touch := func(over, into, share float64, normal soccer.Vec, net bool) {
		if into > slowest && over > -slack && over < float64(into*dt)+slack {
			near = append(near, surface{normal: normal, over: over, into: into, share: share, net: net})
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

// appendPosts appends to near the goal posts that a ball hits as in appendWalls.
func appendPosts(near []surface, f *soccer.Field, at, v soccer.Vec, dt, slack float64) []surface {
	const often, around = 0.5, 1.0 // m
	x, y := float64(f.Length/2), float64(f.GoalWidth/2)
	if y == 0 || math.Abs(at.X) < x-around || math.Abs(at.Y) > y+around {
		return near
	}
	post := soccer.Vec{X: math.Copysign(x, at.X), Y: math.Copysign(y, at.Y)}
	return appendRound(near, post, soccer.Vec{}, 0, often, at, v, dt, slack)
}

// appendRound appends to near a round body that a ball hits as in appendWalls, with probability share. The body is at a place, with a
// velocity in m/s and a radius in m.
func appendRound(near []surface, place, velocity soccer.Vec, radius, share float64, at, v soccer.Vec, dt, slack float64) []surface {
	const (
		least = 1.0 // m/s, of a bounce: a robot holds a slower ball
		aside = 0.5 // bodies are square in truth, and neither place is exact
	)
	radius += soccer.BallRadius
	to, u := at.Sub(place), v.Sub(velocity)
	square := u.Dot(u)
	if square < least*least {
		return near
	}
	// t s from now the ball is on the rim, where it comes in.
	along := to.Dot(u) / square
	root := float64(along*along) - (to.Dot(to)-float64(radius*radius))/square
	if root <= 0 {
		return near
	}
	t := -along - math.Sqrt(root)
	late := slack / math.Sqrt(square)
	if t > late || t < -dt-late {
		return near
	}
	n := soccer.Vec{X: (to.X + float64(u.X*t)) / radius, Y: (to.Y + float64(u.Y*t)) / radius}
	into := -u.Dot(n)
	if into < least {
		return near
	}
	return append(near, surface{
		normal: n, over: float64(-t * into), into: into, share: share, velocity: velocity, aside: aside,
	})
}

// reflection maps vectors before a bounce, relative to the wall, to those after it.
type reflection [2][2]float64

// reflection returns that of a wall which gives back a share of the speed.
func (w *surface) reflection(share float64) reflection {
	n, k := w.normal, 1+share
	xy := -float64(k * n.X * n.Y)
	return reflection{{1 - float64(k*n.X*n.X), xy}, {xy, 1 - float64(k*n.Y*n.Y)}}
}

// of returns the vector after the bounce.
func (r *reflection) of(x, y float64) (float64, float64) {
	return float64(r[0][0]*x) + float64(r[0][1]*y), float64(r[1][0]*x) + float64(r[1][1]*y)
}

// both returns the covariance of two vectors after the bounce of both.
func (r *reflection) both(c [2][2]float64) (to [2][2]float64) {
	var half [2][2]float64
	for i := range 2 {
		half[i][0], half[i][1] = r.of(c[i][0], c[i][1])
	}
	for i := range 2 {
		to[0][i], to[1][i] = r.of(half[0][i], half[1][i])
	}
	return to
}

// cov returns the covariance of a vector after the bounce.
func (r *reflection) cov(c soccer.Cov) soccer.Cov {
	to := r.both([2][2]float64{{c.XX, c.XY}, {c.XY, c.YY}})
	return soccer.Cov{XX: to[0][0], XY: to[0][1], YY: to[1][1]}
}
