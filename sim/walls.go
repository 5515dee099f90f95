package sim

import (
	"math"

	"touchline/soccer"
)

// rink is the walls of a Very Small Size field in the quadrant x, y >= 0, which the other three mirror: walls on the
// lines, corners cut at 45 degrees, and goals as recesses with a back and two sides.
type rink struct {
	end, side  float64 // x of the goal line's wall, y of the side wall
	cut        float64 // x+y of the wall that cuts the corner
	post, back float64 // y of a goal's side, x of its back
}

func rinkOf(f *soccer.Field) rink {
	end, side := float64(f.Length*0.5), float64(f.Width*0.5)
	return rink{
		end: end, side: side, cut: end + side - f.CornerCut,
		post: float64(f.GoalWidth * 0.5), back: end + f.GoalDepth,
	}
}

// gaps returns the distances of a circle of radius r at a point of the quadrant to the walls that it can touch there:
// one across x, one across y, and the cut corner. Below 0 the circle overlaps the wall.
func (k *rink) gaps(x, y, r float64) (alongX, alongY, corner float64) {
	corner = float64((k.cut-x-y)*math.Sqrt2*0.5) - r
	alongY = k.side - y - r
	if y < k.post {
		if x > k.end {
			alongY = k.post - y - r
		}
		return k.back - x - r, alongY, corner
	}
	alongX = k.end - x - r
	if x-k.end > y-k.post {
		// It is in the side wall of a goal.
		return k.back - x - r, k.post - y - r, corner
	}
	return alongX, alongY, corner
}

// near reports whether a body at p may be within margin of a wall. It extends reach along x and y, and diagonal towards
// a corner.
func (k *rink) near(p soccer.Pose, reach, diagonal, margin float64) bool {
	x, y := math.Abs(p.X), math.Abs(p.Y)
	reach += margin
	return x+reach > k.end || y+reach > k.side || x+y+float64(math.Sqrt2*(diagonal+margin)) > k.cut
}

const maxTouches = 4*3 + 1 // touches of a square: three at each corner, and a post

// touchWalls writes to dst the points where a square touches walls or is closer than margin, and returns their number.
func (k *rink) touchWalls(r *robot, half, margin float64, dst *[maxTouches]touch) int {
	n := 0
	for i := range 4 {
		p := r.corner(i, half)
		alongX, alongY, corner := k.gaps(math.Abs(p.X), math.Abs(p.Y), 0)
		x, y := math.Copysign(1, -p.X), math.Copysign(1, -p.Y)
		if alongX < margin {
			dst[n] = touch{p, soccer.Vec{X: x}, alongX}
			n++
		}
		if alongY < margin {
			dst[n] = touch{p, soccer.Vec{Y: y}, alongY}
			n++
		}
		if corner < margin {
			dst[n] = touch{p, soccer.Vec{X: x * (math.Sqrt2 / 2), Y: y * (math.Sqrt2 / 2)}, corner}
			n++
		}
	}
	// The post closest to the robot: an edge that the faces of the square can touch.
	post := soccer.Vec{X: math.Copysign(k.end, r.pose.X), Y: math.Copysign(k.post, r.pose.Y)}
	q := r.local(post)
	if x, y := math.Abs(q.X), math.Abs(q.Y); max(x, y)-half < margin {
		t := touch{at: post}
		if x > y {
			t.normal, t.gap = soccer.Vec{X: math.Copysign(1, -q.X)}, x-half
		} else {
			t.normal, t.gap = soccer.Vec{Y: math.Copysign(1, -q.Y)}, y-half
		}
		if min(x, y) < half {
			t.normal = r.turned(t.normal)
			dst[n] = t
			n++
		}
	}
	return n
}

// inside reports whether a point lies within the walls.
func (k *rink) inside(p soccer.Vec) bool {
	x, y := math.Abs(p.X), math.Abs(p.Y)
	if y < k.post {
		return x < k.back
	}
	return x < k.end && y < k.side && x+y < k.cut
}
