package sim

// maxUnknowns is the largest number of unknowns.
const maxUnknowns = 8

const (
	softness  = 1e-9 // added to each diagonal element, relative to it: contacts may be redundant
	allowance = 1e-9 // m/s, by which a contact that does not push may miss its required speed
)

// complementarity asks for impulses x >= 0 with A x >= B, where a contact pushes only as far as it must: x is 0 or A x = B. A is
// symmetric and positive semidefinite: how fast contact i moves apart for each N s at contact j. B is in m/s.
type complementarity struct {
	n int
	a [maxUnknowns][maxUnknowns]float64
	b [maxUnknowns]float64
}

// solve writes the impulses to x, of length N. It reports whether it found them; contacts that nothing can satisfy have
// none.
func (p *complementarity) solve(x []float64) bool {
	var pushes [maxUnknowns]bool
	for i := range p.n {
		pushes[i] = p.b[i] > 0
	}
	for range 4 * maxUnknowns {
		p.balance(&pushes, x)
		worst, least := -1, 0.0
		for i := range p.n {
			if pushes[i] && x[i] < least {
				worst, least = i, x[i]
			}
		}
		if worst >= 0 { // it would pull
			pushes[worst] = false
			continue
		}
		least = -allowance
		for i := range p.n {
			if apart := p.apart(i, x); !pushes[i] && apart < least {
				worst, least = i, apart
			}
		}
		if worst < 0 {
			return true
		}
		pushes[worst] = true
	}
	return false
}

// apart returns by how much the speed at contact i exceeds the required one.
func (p *complementarity) apart(i int, x []float64) float64 {
	v := -p.b[i]
	for j := range p.n {
		v += float64(p.a[i][j] * x[j])
	}
	return v
}

// balance solves A x = B for the contacts that push, by Cholesky's method; x of the others is 0.
func (p *complementarity) balance(pushes *[maxUnknowns]bool, x []float64) {
	var at [maxUnknowns]int
	n := 0
	for i := range p.n {
		if x[i] = 0; pushes[i] {
			at[n] = i
			n++
		}
	}
	var l [maxUnknowns][maxUnknowns]float64 // A = L D L^T, with D on the diagonal
	var y [maxUnknowns]float64
	for i := range n {
		for j := range i + 1 {
			s := p.a[at[i]][at[j]]
			if i == j {
				s += float64(s * softness)
			}
			for k := range j {
				s -= float64(float64(l[i][k]*l[j][k]) * l[k][k])
			}
			if i != j {
				s /= l[j][j]
			}
			l[i][j] = s
		}
		y[i] = p.b[at[i]]
		for k := range i {
			y[i] -= float64(l[i][k] * y[k])
		}
	}
	for i := n - 1; i >= 0; i-- {
		s := y[i] / l[i][i]
		for k := i + 1; k < n; k++ {
			s -= float64(l[k][i] * x[at[k]])
		}
		x[at[i]] = s
	}
}
