package sim

import (
	"math"
	"math/rand/v2"
	"testing"
)

// draw returns a problem of n contacts of a body with few degrees of freedom, so that contacts may be redundant.
func draw(r *rand.Rand, n, freedom int) complementarity {
	p := complementarity{n: n}
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
				p.a[i][j] += rows[i][k] * rows[j][k]
			}
		}
		for k := range freedom {
			p.b[i] += rows[i][k] * way[k]
		}
		p.b[i] -= r.Float64()
	}
	return p
}

// a contact pushes or is at rest: no impulse is negative, no contact is slower than required, and one that is faster does
// not push.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	solved := 0
	for k := range 20000 {
		p := draw(r, 1+k%maxUnknowns, 2+k%7)
		x := make([]float64, p.n)
		if !p.solve(x) {
			continue
		}
		solved++
		for i := range p.n {
			speed, scale := -p.b[i], 1.0
			for j := range p.n {
				speed += p.a[i][j] * x[j]
				scale += math.Abs(p.a[i][j] * x[j])
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
	rest := complementarity{n: 2, a: [maxUnknowns][maxUnknowns]float64{{1, 0.5}, {0.5, 1}}, b: [maxUnknowns]float64{-1, 0}}
	x := []float64{7, 7}
	if !rest.solve(x) || x[0] != 0 || x[1] != 0 {
		t.Errorf("got %v for contacts that move apart", x)
	}
	never := complementarity{n: 2, a: [maxUnknowns][maxUnknowns]float64{{1, -1}, {-1, 1}}, b: [maxUnknowns]float64{1, 1}}
	never.solve(x)
	for _, v := range x {
		if math.IsNaN(v) {
			t.Errorf("got %v for contacts that nothing satisfies", x)
		}
	}
}
