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

// rinkOf returns the walls of a field.
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

// inside reports whether a point lies within the walls.
func (k *rink) inside(p soccer.Vec) bool {
	x, y := math.Abs(p.X), math.Abs(p.Y)
	if y < k.post {
		return x < k.back
	}
	return x < k.end && y < k.side && x+y < k.cut
}

// heldBack returns the point in front of the walls that is next to one inside a wall.
func (k *rink) heldBack(p soccer.Vec) soccer.Vec {
	const gap = 1e-6 // m
	x, y := math.Abs(p.X), math.Abs(p.Y)
	alongX, alongY, _ := k.gaps(x, y, gap)
	x, y = x+min(0, alongX), y+min(0, alongY)
	if _, _, corner := k.gaps(x, y, gap); corner < 0 && y > k.post {
		x += float64(corner * (math.Sqrt2 / 2))
		y += float64(corner * (math.Sqrt2 / 2))
	}
	return soccer.Vec{X: math.Copysign(x, p.X), Y: math.Copysign(y, p.Y)}
}

// box is an upright box around the origin: its half edges, and the heights of its bottom and top in m.
type box struct{ x, y, bottom, top float64 }

// touch returns the overlap in m of a ball of radius r with the box, below 0 without one. The ball is at q in the box's
// frame, at height z. The normal points towards the ball. It leans on the top, so that a ball rolls off.
func (b *box) touch(q soccer.Vec, z, r float64) (soccer.Vec3, float64) {
	d := soccer.Vec3{X: beyond(q.X, b.x), Y: beyond(q.Y, b.y)}
	if z > b.top {
		d.Z = z - b.top
	} else {
		d.Z = min(z-b.bottom, 0)
	}
	d2 := d.Dot(d)
	if d2 >= float64(r*r) {
		return d, -1
	}
	if d2 == 0 { // its centre is inside
		x, y := b.x-math.Abs(q.X), b.y-math.Abs(q.Y)
		if x < y {
			return soccer.Vec3{X: math.Copysign(1, q.X)}, r + x
		}
		return soccer.Vec3{Y: math.Copysign(1, q.Y)}, r + y
	}
	distance := math.Sqrt(d2)
	n := soccer.Vec3{X: d.X / distance, Y: d.Y / distance, Z: d.Z / distance}
	if n.Z > 0.9 {
		const lean = 0.2
		n = soccer.Vec3{X: math.Copysign(lean, q.X), Z: math.Sqrt(1 - lean*lean)}
	}
	return n, r - distance
}

// beyond returns the signed distance of x to -half..half.
func beyond(x, half float64) float64 {
	if x > half {
		return x - half
	}
	return min(x+half, 0)
}
