package sim

import (
	"math"

	"touchline/soccer"
)

// Box is an upright box around the origin: its half edges, and the heights of its bottom and top in m.
type Box struct{ X, Y, Bottom, Top float64 }

// Touch returns the overlap in m of a ball of radius r with the box, below 0 without one. The ball is at q in the box's
// frame, at height z. The normal points towards the ball. It leans on the top, so that a ball rolls off.
func (b *Box) Touch(q soccer.Vec, z, r float64) (soccer.Vec3, float64) {
	d := soccer.Vec3{X: beyond(q.X, b.X), Y: beyond(q.Y, b.Y)}
	if z > b.Top {
		d.Z = z - b.Top
	} else {
		d.Z = min(z-b.Bottom, 0)
	}
	d2 := float64(d.X*d.X) + float64(d.Y*d.Y) + float64(d.Z*d.Z)
	if d2 >= float64(r*r) {
		return d, -1
	}
	if d2 == 0 { // its centre is inside
		x, y := b.X-math.Abs(q.X), b.Y-math.Abs(q.Y)
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
