package sim

import (
	"math"
	"testing"
)

// A turn that ends at exactly -pi gives pi: clients of FIRASim rely on (-pi, pi].
func TestTurnNeverEndsAtMinusPi(t *testing.T) {
	const ulp = 4.440892098500626e-16 // the spacing of numbers below pi
	for _, c := range []struct{ from, by, want float64 }{
		{-math.Pi + ulp, -ulp, math.Pi},
		{-math.Pi + ulp, -2 * ulp, math.Pi - ulp},
		{math.Pi - ulp, ulp, math.Pi},
		{math.Pi, -ulp, math.Pi - ulp},
	} {
		r := robot{}
		r.pose.Theta = c.from
		if r.turn(c.by); math.Abs(r.pose.Theta-c.want) > ulp {
			t.Errorf("from %v by %v: %v, want %v", c.from, c.by, r.pose.Theta, c.want)
		}
	}
}
