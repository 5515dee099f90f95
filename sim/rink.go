// Package rink is the walls of a Very Small Size field, and boxes on it: which of them a body can touch, and how far away
// they are. It is a pure core.

package sim

import (
	"math"

	"touchline/soccer"
)

// Rink is the walls of a Very Small Size field in the quadrant x, y >= 0, which the other three mirror: walls on the
// lines, corners cut at 45 degrees, and goals as recesses with a back and two sides.
type Rink struct {
	End, Side  float64 // x of the goal line's wall, y of the side wall
	Cut        float64 // x+y of the wall that cuts the corner
	Post, Back float64 // y of a goal's side, x of its back
}

// Of returns the walls of a field.
func Of(f *soccer.Field) Rink {
	end, side := float64(f.Length*0.5), float64(f.Width*0.5)
	return Rink{
		End: end, Side: side, Cut: end + side - f.CornerCut,
		Post: float64(f.GoalWidth * 0.5), Back: end + f.GoalDepth,
	}
}

// Gaps returns the distances of a circle of radius r at a point of the quadrant to the walls that it can touch there:
// one across x, one across y, and the cut corner. Below 0 the circle overlaps the wall.
func (k *Rink) Gaps(x, y, r float64) (alongX, alongY, corner float64) {
	corner = float64((k.Cut-x-y)*math.Sqrt2*0.5) - r
	alongY = k.Side - y - r
	if y < k.Post {
		if x > k.End {
			alongY = k.Post - y - r
		}
		return k.Back - x - r, alongY, corner
	}
	alongX = k.End - x - r
	if x-k.End > y-k.Post {
		// It is in the side wall of a goal.
		return k.Back - x - r, k.Post - y - r, corner
	}
	return alongX, alongY, corner
}

// Near reports whether a body at p may be within margin of a wall. It extends reach along x and y, and diagonal towards
// a corner.
func (k *Rink) Near(p soccer.Pose, reach, diagonal, margin float64) bool {
	x, y := math.Abs(p.X), math.Abs(p.Y)
	reach += margin
	return x+reach > k.End || y+reach > k.Side || x+y+float64(math.Sqrt2*(diagonal+margin)) > k.Cut
}

// Inside reports whether a point lies within the walls.
func (k *Rink) Inside(p soccer.Vec) bool {
	x, y := math.Abs(p.X), math.Abs(p.Y)
	if y < k.Post {
		return x < k.Back
	}
	return x < k.End && y < k.Side && x+y < k.Cut
}

// HeldBack returns the point in front of the walls that is next to one inside a wall.
func (k *Rink) HeldBack(p soccer.Vec) soccer.Vec {
	const gap = 1e-6 // m
	x, y := math.Abs(p.X), math.Abs(p.Y)
	alongX, alongY, _ := k.Gaps(x, y, gap)
	x, y = x+min(0, alongX), y+min(0, alongY)
	if _, _, corner := k.Gaps(x, y, gap); corner < 0 && y > k.Post {
		x += float64(corner * (math.Sqrt2 / 2))
		y += float64(corner * (math.Sqrt2 / 2))
	}
	return soccer.Vec{X: math.Copysign(x, p.X), Y: math.Copysign(y, p.Y)}
}
