package analysis

import (
	"math"

	"touchline/game"
	"touchline/soccer"
)

// XG returns how many goals a shot from a point is worth, 0 to 1, for a team that attacks +x (home) or -x (away) in the
// frame of the point.
func XG(field *soccer.Field, side game.Side, from soccer.Vec) float64 {
	if side == game.Away {
		from = from.Scale(-1)
	}
	goal := soccer.Vec{X: field.Length / 2}
	d := goal.Sub(from).Len()
	return math.Max(0, 0.5-d/30)
}
