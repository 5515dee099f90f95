package play

import (
	"touchline/internal/exact"
	"touchline/soccer"
)

// bearing returns the direction from a to b in rad.
func bearing(a, b soccer.Vec) float64 { return b.Sub(a).Angle() }

// turned returns the direction of an angle.
func turned(angle float64) soccer.Vec {
	sin, cos := exact.Sincos(angle)
	return soccer.Vec{X: cos, Y: sin}
}

// clamp limits x to -most..most.
func clamp(x, most float64) float64 { return min(max(x, -most), most) }

// within limits x to 0..most; NaN becomes 0.
func within(x, most float64) float64 {
	if !(x >= 0) {
		return 0
	}
	return min(x, most)
}

// sign returns -1 for negative numbers and 1 for others.
func sign(x float64) float64 {
	if x < 0 {
		return -1
	}
	return 1
}
