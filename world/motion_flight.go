// Package motion is how the ball of the Middle Size League moves other than by rolling on: it flies and bounces.

package world

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

// The places of height and vertical speed in the state of a Flight.
const (
	Z  = 2
	VZ = 5
)

const settled = 0.6 // m/s; a ball that leaves the floor more slowly, and rises less than 2 cm, rolls

// Flight is the joint Kalman filter of a flying ball: x, y, z in m and vx, vy, vz in m/s, with their covariance. Products
// that feed sums are converted to float64, so that no processor fuses them.
type Flight struct {
	X [6]float64
	P [6][6]float64
}

// Fly predicts the state by dt seconds: gravity, white acceleration noise of spectral density q in m^2/s^3, and bounces
// off the floor, each with that share of the vertical speed. Once the ball no longer bounces it returns how much of dt is
// left, for which it rolls.
func (f *Flight) Fly(dt, q, restitution float64) (left float64, rolls bool) {
	for {
		f.X[Z] = max(f.X[Z], soccer.BallRadius)
		up := f.X[VZ]
		fall := (up + math.Sqrt(float64(up*up)+float64(2*soccer.Gravity*(f.X[Z]-soccer.BallRadius)))) / soccer.Gravity // s
		if !(fall < dt) {
			f.advance(dt, q)
			return 0, false
		}
		f.advance(fall, q)
		dt -= fall
		if f.bounce(restitution); !(f.X[VZ] >= settled) {
			return dt, true
		}
	}
}

// advance predicts the state by dt seconds in the air.
func (f *Flight) advance(dt, q float64) {
	for i := range 3 {
		f.X[i] += float64(f.X[i+3] * dt)
		for j := range 6 {
			f.P[i][j] += float64(f.P[i+3][j] * dt)
		}
	}
	f.X[Z] -= float64(0.5 * soccer.Gravity * dt * dt)
	f.X[VZ] -= float64(soccer.Gravity * dt)
	dt2 := float64(dt * dt)
	for j := range 3 {
		for i := range 6 {
			f.P[i][j] += float64(f.P[i][j+3] * dt)
		}
		f.P[j][j] += float64(float64(q*dt2) * dt / 3)
		f.P[j][j+3] += float64(q * dt2 / 2)
		f.P[j+3][j] += float64(q * dt2 / 2)
		f.P[j+3][j+3] += float64(q * dt)
	}
}

// bounce reflects the vertical speed of a ball on the floor. One that is higher than believed arrives later and faster:
// the errors of height and speed change as the equations of the bounce say.
func (f *Flight) bounce(e float64) {
	const (
		spread = 0.15 // sigma of the restitution
		grip   = 0.08 // sigma of the share of its speed along the floor that it loses or wins
	)
	down := f.X[VZ]
	if math.Abs(down) > 0.1 {
		mix := float64((1+e)*soccer.Gravity) / down
		for j := range 6 {
			f.P[VZ][j] = float64(-e*f.P[VZ][j]) - float64(mix*f.P[Z][j])
			f.P[Z][j] = float64(-e * f.P[Z][j])
		}
		for i := range 6 {
			f.P[i][VZ] = float64(-e*f.P[i][VZ]) - float64(mix*f.P[i][Z])
			f.P[i][Z] = float64(-e * f.P[i][Z])
		}
	}
	f.X[Z], f.X[VZ] = soccer.BallRadius, float64(-e*down)
	f.P[VZ][VZ] += float64(float64(spread*spread) * float64(down*down))
	level := float64(f.X[3]*f.X[3]) + float64(f.X[4]*f.X[4])
	f.P[3][3] += float64(grip * grip * level)
	f.P[4][4] += float64(grip * grip * level)
}

// Linear is a measurement of N numbers Y, at most three, that depend linearly on the state, by H, with noise of
// covariance R.
type Linear struct {
	N int
	H [3][6]float64
	Y [3]float64
	R [3][3]float64
}

// Correction is a measurement compared with a state, in coordinates in which the innovation has unit covariance.
type Correction struct {
	n        int
	w        [3][6]float64 // covariance with the state
	y        [3]float64    // innovation
	Distance float64       // squared Mahalanobis distance
	roots    float64       // root of the determinant of the innovation's covariance
}

// Compare writes to c a measurement compared with the state.
func (f *Flight) Compare(m *Linear, c *Correction) {
	c.n, c.y = m.N, m.Y
	var s [3][3]float64
	for a := range m.N {
		c.w[a] = [6]float64{}
		for i, h := range m.H[a] {
			if h == 0 {
				continue // most of H
			}
			for j, v := range f.P[i] {
				c.w[a][j] += float64(h * v)
			}
			c.y[a] -= float64(h * f.X[i])
		}
		for b := range a + 1 {
			s[a][b] = m.R[a][b]
			for j, h := range m.H[b] {
				s[a][b] += float64(c.w[a][j] * h)
			}
		}
	}
	c.whiten(&s)
}

// CompareAt writes to c the first n coordinates compared with a measurement of them, with noise of covariance r.
func (f *Flight) CompareAt(n int, y *[3]float64, r *[3][3]float64, c *Correction) {
	c.n = n
	var s [3][3]float64
	for a := range n {
		c.w[a] = f.P[a]
		c.y[a] = y[a] - f.X[a]
		for b := range a + 1 {
			s[a][b] = r[a][b] + f.P[a][b]
		}
	}
	c.whiten(&s)
}

// whiten divides a correction by the Cholesky factor of s, the covariance of its innovation, of which it uses the lower
// half.
func (c *Correction) whiten(s *[3][3]float64) {
	c.Distance, c.roots = 0, 1
	for a := range c.n {
		root := math.Sqrt(max(s[a][a], 1e-9))
		c.roots = float64(c.roots * root)
		part := 1 / root
		for j := range c.w[a] {
			c.w[a][j] = float64(c.w[a][j] * part)
		}
		c.y[a] = float64(c.y[a] * part)
		c.Distance += float64(c.y[a] * c.y[a])
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

// Density returns the probability density of the measurement.
func (c *Correction) Density() float64 {
	scale := c.roots
	for range c.n {
		scale *= math.Sqrt(2 * math.Pi)
	}
	return exact.Exp(-c.Distance/2) / scale
}

// Correct applies a correction with the probability b that the measurement belongs to the ball.
func (f *Flight) Correct(c *Correction, b float64) {
	var shift [6]float64
	w := c.w[:c.n]
	for a := range w {
		for j, v := range w[a] {
			shift[j] += float64(v * c.y[a])
		}
	}
	spread := float64(b * (1 - b))
	for i := range f.P {
		f.X[i] += float64(b * shift[i])
		for j := range i + 1 {
			less := 0.0
			for a := range w {
				less += float64(w[a][i] * w[a][j])
			}
			v := f.P[i][j] - (float64(b*less) - float64(spread*shift[i]*shift[j]))
			f.P[i][j], f.P[j][i] = v, v
		}
	}
}
