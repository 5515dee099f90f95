package play

import (
	"touchline/internal/exact"
	"touchline/soccer"
)

// add returns a + k b.
func add(a soccer.Vec, k float64, b soccer.Vec) soccer.Vec {
	return soccer.Vec{X: a.X + float64(k*b.X), Y: a.Y + float64(k*b.Y)}
}

func dot(a, b soccer.Vec) float64 { return float64(a.X*b.X) + float64(a.Y*b.Y) }

// cross is positive where b is to the left of a.
func cross(a, b soccer.Vec) float64 { return float64(a.X*b.Y) - float64(a.Y*b.X) }

// unit returns the direction of v; that of +x for a vector without one.
func unit(v soccer.Vec) soccer.Vec {
	l := v.Len()
	if l < 1e-9 {
		return soccer.Vec{X: 1}
	}
	return soccer.Vec{X: v.X / l, Y: v.Y / l}
}

// angleOf returns the direction of v in rad.
func angleOf(v soccer.Vec) float64 { return exact.Atan2(v.Y, v.X) }

// bearing returns the direction from a to b in rad.
func bearing(a, b soccer.Vec) float64 { return angleOf(b.Sub(a)) }

func clamp(x, most float64) float64 { return min(max(x, -most), most) }

// sign returns -1 for negative numbers and 1 for others.
func sign(x float64) float64 {
	if x < 0 {
		return -1
	}
	return 1
}
