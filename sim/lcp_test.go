package sim_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"touchline/sim"
)

// draw returns a problem of n contacts of a body with few degrees of freedom, so that contacts may be redundant.
func draw(r *rand.Rand, n, freedom int) sim.Problem {
	p := sim.Problem{N: n}
	rows := make([][]float64, n)
	for i := range rows {
		for range freedom {
			rows[i] = append(rows[i], r.NormFloat64())
		}
	}
	way := make([]float64, freedom) // a motion that satisfies all of them
	for k := range way {
		way[k] = r.NormFloat64()
	}
	for i := range n {
		for j := range n {
			for k := range freedom {
				p.A[i][j] += rows[i][k] * rows[j][k]
			}
		}
		for k := range freedom {
			p.B[i] += rows[i][k] * way[k]
		}
		p.B[i] -= r.Float64()
	}
	return p
}

// A contact pushes or is at rest: no impulse is negative, no contact is slower than required, and one that is faster does
// not push.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	solved := 0
	for k := range 20000 {
		p := draw(r, 1+k%sim.Most, 2+k%7)
		x := make([]float64, p.N)
		if !p.Solve(x) {
			continue
		}
		solved++
		for i := range p.N {
			speed, scale := -p.B[i], 1.0
			for j := range p.N {
				speed += p.A[i][j] * x[j]
				scale += math.Abs(p.A[i][j] * x[j])
			}
			if x[i] < 0 || speed < -1e-6*scale || x[i] > 1e-6 && speed > 1e-6*scale {
				t.Fatalf("problem %d: contact %d has %g N s and %g m/s more than required", k, i, x[i], speed)
			}
		}
	}
	if solved < 19900 {
		t.Errorf("solved %d of 20000 problems", solved)
	}
}

// Contacts that require nothing have no impulse, and ones that nothing can satisfy do not run for ever.
func TestLimits(t *testing.T) {
	rest := sim.Problem{N: 2, A: [sim.Most][sim.Most]float64{{1, 0.5}, {0.5, 1}}, B: [sim.Most]float64{-1, 0}}
	x := []float64{7, 7}
	if !rest.Solve(x) || x[0] != 0 || x[1] != 0 {
		t.Errorf("got %v for contacts that move apart", x)
	}
	never := sim.Problem{N: 2, A: [sim.Most][sim.Most]float64{{1, -1}, {-1, 1}}, B: [sim.Most]float64{1, 1}}
	never.Solve(x)
	for _, v := range x {
		if math.IsNaN(v) {
			t.Errorf("got %v for contacts that nothing satisfies", x)
		}
	}
}
