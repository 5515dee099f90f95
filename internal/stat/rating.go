package stat

import (
	"math"

	"touchline/internal/exact"
)

// Meeting is what two players, by their numbers, got out of some games that belong together, such as a pair with one seed
// and swapped sides.
type Meeting struct {
	A, B   int
	Points float64 // of A, 0 to Games
	Games  float64
}

// Rating is the strength of a player in points of Elo, relative to the mean of all players.
type Rating struct {
	Elo      float64  `json:"elo"`
	Interval Interval `json:"interval"` // 95 %
}

// ratingPrior is the number of games that each two players are thought to have drawn before the first one: without it a
// player that won all its games would be infinitely strong.
const ratingPrior = 0.1

// Ratings returns the strengths of n players that explain the meetings best (Bradley and Terry), a draw as half a win. The
// intervals come from the spread of the meetings, which need to be independent of each other; within one they need not.
func Ratings(n int, meetings []Meeting) []Rating {
	if n < 1 {
		return nil
	}
	points, games := square(n), square(n)
	for i := range n {
		for k := range n {
			if i != k {
				points[i][k], games[i][k] = ratingPrior/2, ratingPrior
			}
		}
	}
	for _, m := range meetings {
		points[m.A][m.B] += m.Points
		points[m.B][m.A] += m.Games - m.Points
		games[m.A][m.B] += m.Games
		games[m.B][m.A] += m.Games
	}
	theta := make([]float64, n) // natural logarithms of the strengths
	for range 50 {              // Newton's method; the likelihood is concave
		inverse := invert(information(theta, games))
		gradient, largest := make([]float64, n), 0.0
		for i := range n {
			for k := range n {
				gradient[i] += points[i][k] - float64(games[i][k]*odds(theta[i]-theta[k]))
			}
		}
		for i := range n {
			step := 0.0
			for k := range n {
				step += float64(inverse[i][k] * gradient[k])
			}
			step = min(max(step, -2), 2)
			theta[i] += step
			largest = max(largest, math.Abs(step))
		}
		centre(theta)
		if largest < 1e-12 {
			break
		}
	}
	variance := sandwich(theta, games, meetings)
	ratings := make([]Rating, n)
	for i := range n {
		elo, half := float64(theta[i]*400/ln10), float64(normal95*400/ln10*math.Sqrt(max(variance[i], 0)))
		ratings[i] = Rating{elo, Interval{elo - half, elo + half}}
	}
	return ratings
}

// odds returns the probability of a win of a player that is stronger by the logarithm x.
func odds(x float64) float64 { return 1 / (1 + exact.Exp(-x)) }

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

func centre(v []float64) {
	mean := 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for i := range v {
		v[i] -= mean
	}
}

// information returns the negative second derivatives of the likelihood. Only differences of strengths have any: that of
// the mean is set to one.
func information(theta []float64, games [][]float64) [][]float64 {
	n := len(theta)
	h := square(n)
	for i := range n {
		for k := range n {
			h[i][k] += 1 / float64(n)
			if i != k {
				p := odds(theta[i] - theta[k])
				w := float64(games[i][k] * p * (1 - p))
				h[i][i] += w
				h[i][k] -= w
			}
		}
	}
	return h
}

// sandwich returns the variances of the strengths: the inverse information, the squares of what the meetings differ from
// their expectation, and the inverse information again. One more meeting of each pair is thought to differ as games without
// draws do: a few meetings that ended alike do not mean that all will.
func sandwich(theta []float64, games [][]float64, meetings []Meeting) []float64 {
	n := len(theta)
	inverse := invert(information(theta, games))
	squares, counts := square(n), square(n) // by pair of players, A below B
	for _, m := range meetings {
		p, a, b := odds(theta[m.A]-theta[m.B]), min(m.A, m.B), max(m.A, m.B)
		off := m.Points - float64(m.Games*p)
		if counts[a][b] == 0 {
			squares[a][b] = float64(m.Games * p * (1 - p))
		}
		squares[a][b] += float64(off * off)
		counts[a][b]++
	}
	for a := range squares {
		for b, n := range counts[a] {
			squares[a][b] *= n / (n + 1)
		}
	}
	variance := make([]float64, n)
	for i := range n {
		for a := range n {
			for b := a + 1; b < n; b++ {
				pull := inverse[i][a] - inverse[i][b]
				variance[i] += float64(pull * pull * squares[a][b])
			}
		}
	}
	return variance
}

// invert returns the inverse of a positive definite matrix, by Gauss and Jordan. It destroys m.
func invert(m [][]float64) [][]float64 {
	n := len(m)
	inverse := square(n)
	for i := range n {
		inverse[i][i] = 1
	}
	for i := range n {
		pivot := m[i][i]
		for k := range n {
			m[i][k] /= pivot
			inverse[i][k] /= pivot
		}
		for r := range n {
			factor := m[r][i]
			if r == i || factor == 0 {
				continue
			}
			for k := range n {
				m[r][k] -= float64(factor * m[i][k])
				inverse[r][k] -= float64(factor * inverse[i][k])
			}
		}
	}
	return inverse
}
