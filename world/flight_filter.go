package world

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

// The places of height and vertical speed in the state of a flight.
const (
	rowZ  = 2
	rowVZ = 5
)

const settled = 0.6 // m/s; a ball that leaves the floor more slowly, and rises less than 2 cm, rolls

// flight is the joint Kalman filter of a flying ball: x, y, z in m and vx, vy, vz in m/s, with their covariance. Products
// that feed sums are converted to float64, so that no processor fuses them.
type flight struct {
	x [6]float64
	p [6][6]float64
}

// fly predicts the state by dt seconds: gravity, white acceleration noise of spectral density q in m^2/s^3, and bounces
// off the floor, each with that share of the vertical speed. Once the ball no longer bounces it returns how much of dt is
// left, for which it rolls.
func (f *flight) fly(dt, q, restitution float64) (left float64, rolls bool) {
	for {
		f.x[rowZ] = max(f.x[rowZ], soccer.BallRadius)
		up := f.x[rowVZ]
		fall := (up + math.Sqrt(float64(up*up)+float64(2*soccer.Gravity*(f.x[rowZ]-soccer.BallRadius)))) / soccer.Gravity // s
		if !(fall < dt) {
			f.advance(dt, q)
			return 0, false
		}
		f.advance(fall, q)
		dt -= fall
		if f.bounce(restitution); !(f.x[rowVZ] >= settled) {
			return dt, true
		}
	}
}

// advance predicts the state by dt seconds in the air.
func (f *flight) advance(dt, q float64) {
	for i := range 3 {
		f.x[i] += float64(f.x[i+3] * dt)
		for j := range 6 {
			f.p[i][j] += float64(f.p[i+3][j] * dt)
		}
	}
	f.x[rowZ] -= float64(0.5 * soccer.Gravity * dt * dt)
	f.x[rowVZ] -= float64(soccer.Gravity * dt)
	dt2 := float64(dt * dt)
	for j := range 3 {
		for i := range 6 {
			f.p[i][j] += float64(f.p[i][j+3] * dt)
		}
		f.p[j][j] += float64(float64(q*dt2) * dt / 3)
		f.p[j][j+3] += float64(q * dt2 / 2)
		f.p[j+3][j] += float64(q * dt2 / 2)
		f.p[j+3][j+3] += float64(q * dt)
	}
}

// bounce reflects the vertical speed of a ball on the floor. One that is higher than believed arrives later and faster:
// the errors of height and speed change as the equations of the bounce say.
func (f *flight) bounce(e float64) {
	const (
		spread = 0.15 // sigma of the restitution
		grip   = 0.08 // sigma of the share of its speed along the floor that it loses or wins
	)
	down := f.x[rowVZ]
	if math.Abs(down) > 0.1 {
		mix := float64((1+e)*soccer.Gravity) / down
		for j := range 6 {
			f.p[rowVZ][j] = float64(-e*f.p[rowVZ][j]) - float64(mix*f.p[rowZ][j])
			f.p[rowZ][j] = float64(-e * f.p[rowZ][j])
		}
		for i := range 6 {
			f.p[i][rowVZ] = float64(-e*f.p[i][rowVZ]) - float64(mix*f.p[i][rowZ])
			f.p[i][rowZ] = float64(-e * f.p[i][rowZ])
		}
	}
	f.x[rowZ], f.x[rowVZ] = soccer.BallRadius, float64(-e*down)
	f.p[rowVZ][rowVZ] += float64(float64(spread*spread) * float64(down*down))
	level := float64(f.x[3]*f.x[3]) + float64(f.x[4]*f.x[4])
	f.p[3][3] += float64(grip * grip * level)
	f.p[4][4] += float64(grip * grip * level)
}

// linearReading is a measurement of N numbers Y, at most three, that depend linearly on the state, by H, with noise of
// covariance R.
type linearReading struct {
	n int
	h [3][6]float64
	y [3]float64
	r [3][3]float64
}

// correction is a measurement compared with a state, in coordinates in which the innovation has unit covariance.
type correction struct {
	n        int
	w        [3][6]float64 // covariance with the state
	y        [3]float64    // innovation
	distance float64       // squared Mahalanobis distance
	roots    float64       // root of the determinant of the innovation's covariance
}

// compare writes to c a measurement compared with the state.
func (f *flight) compare(m *linearReading, c *correction) {
	c.n, c.y = m.n, m.y
	var s [3][3]float64
	for a := range m.n {
		c.w[a] = [6]float64{}
		for i, h := range m.h[a] {
			if h == 0 {
				continue // most of H
			}
			for j, v := range f.p[i] {
				c.w[a][j] += float64(h * v)
			}
			c.y[a] -= float64(h * f.x[i])
		}
		for b := range a + 1 {
			s[a][b] = m.r[a][b]
			for j, h := range m.h[b] {
				s[a][b] += float64(c.w[a][j] * h)
			}
		}
	}
	c.whiten(&s)
}

// compareAt writes to c the first n coordinates compared with a measurement of them, with noise of covariance r.
func (f *flight) compareAt(n int, y *[3]float64, r *[3][3]float64, c *correction) {
	c.n = n
	var s [3][3]float64
	for a := range n {
		c.w[a] = f.p[a]
		c.y[a] = y[a] - f.x[a]
		for b := range a + 1 {
			s[a][b] = r[a][b] + f.p[a][b]
		}
	}
	c.whiten(&s)
}

// whiten divides a correction by the Cholesky factor of s, the covariance of its innovation, of which it uses the lower
// half.
func (c *correction) whiten(s *[3][3]float64) {
	c.distance, c.roots = 0, 1
	for a := range c.n {
		root := math.Sqrt(max(s[a][a], 1e-9))
		c.roots = float64(c.roots * root)
		part := 1 / root
		for j := range c.w[a] {
			c.w[a][j] = float64(c.w[a][j] * part)
		}
		c.y[a] = float64(c.y[a] * part)
		c.distance += float64(c.y[a] * c.y[a])
		for k := a + 1; k < c.n; k++ {
			s[k][a] = float64(s[k][a] * part)
			for j := range c.w[k] {
				c.w[k][j] -= float64(s[k][a] * c.w[a][j])
			}
			c.y[k] -= float64(s[k][a] * c.y[a])
			for l := a + 1; l <= k; l++ {
				s[k][l] -= float64(s[k][a] * s[l][a])
			}
		}
	}
}

// density returns the probability density of the measurement.
func (c *correction) density() float64 {
	scale := c.roots
	for range c.n {
		scale *= math.Sqrt(2 * math.Pi)
	}
	return exact.Exp(-c.distance/2) / scale
}

// correct applies a correction with the probability b that the measurement belongs to the ball.
func (f *flight) correct(c *correction, b float64) {
	var shift [6]float64
	w := c.w[:c.n]
	for a := range w {
		for j, v := range w[a] {
			shift[j] += float64(v * c.y[a])
		}
	}
	spread := float64(b * (1 - b))
	for i := range f.p {
		f.x[i] += float64(b * shift[i])
		for j := range i + 1 {
			less := 0.0
			for a := range w {
				less += float64(w[a][i] * w[a][j])
			}
			v := f.p[i][j] - (float64(b*less) - float64(spread*shift[i]*shift[j]))
			f.p[i][j], f.p[j][i] = v, v
		}
	}
}
