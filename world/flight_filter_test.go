package world

import (
	"math"
	"math/rand/v2"
	"testing"

	"touchline/soccer"
)

// flying is a ball 0.5 m above where it rolls that falls at 2 m/s, with errors of 4 cm and 0.2 m/s.
func flying() flight {
	f := flight{x: [6]float64{1, 2, soccer.BallRadius + 0.5, 4, 0, -2}}
	for i := range 3 {
		f.p[i][i], f.p[i+3][i+3] = 0.04*0.04, 0.2*0.2
	}
	return f
}

// The covariance after a bounce is that of balls with all these errors.
func TestBounceCovariance(t *testing.T) {
	const noise, restitution, balls = 0, 0.6, 20000
	expected := flying()
	if left, rolls := expected.fly(0.4, noise, restitution); left != 0 || rolls {
		t.Fatalf("it rolls, with %g s left", left)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var sum, square [2]float64
	mixed := 0.0
	for range balls {
		f := flying()
		f.p = [6][6]float64{}
		f.x[rowZ] += 0.04 * rng.NormFloat64()
		f.x[rowVZ] += 0.2 * rng.NormFloat64()
		f.fly(0.4, noise, restitution+0.15*rng.NormFloat64())
		z, v := f.x[rowZ]-expected.x[rowZ], f.x[rowVZ]-expected.x[rowVZ]
		sum[0], sum[1] = sum[0]+z/balls, sum[1]+v/balls
		square[0], square[1], mixed = square[0]+z*z/balls, square[1]+v*v/balls, mixed+z*v/balls
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"height", expected.p[rowZ][rowZ], square[0] - sum[0]*sum[0]},
		{"vertical speed", expected.p[rowVZ][rowVZ], square[1] - sum[1]*sum[1]},
		{"both", expected.p[rowZ][rowVZ], mixed - sum[0]*sum[1]},
	} {
		if math.Abs(c.got-c.want) > 0.2*math.Abs(c.want) {
			t.Errorf("%s: variance %.4f, of %d balls %.4f", c.name, c.got, balls, c.want)
		}
	}
}

// A ball rolls after some bounces, and one whose numbers are none does not bounce for ever.
func TestBallComesToRest(t *testing.T) {
	f := flying()
	left, rolls := f.fly(10, 0.1, 0.6)
	if !rolls || !(left > 7 && left < 9.5) {
		t.Errorf("rolls %t, with %.2f s of 10 s left", rolls, left)
	}
	f.x[rowVZ] = math.NaN()
	f.fly(10, 0.1, 0.6)
}

// A measurement of two sums of numbers corrects all six, and shrinks the covariance.
func TestCorrect(t *testing.T) {
	f := flying()
	f.fly(0.05, 0.1, 0.6)
	before := f
	m := linearReading{n: 2, h: [3][6]float64{{0: 1, 2: 0.5}, {1: 1}}, r: [3][3]float64{{0.01, 0.002}, {0.002, 0.02}}}
	m.y = [3]float64{f.x[0] + 0.5*f.x[2] + 0.3, f.x[1] - 0.1}
	var c correction
	f.compare(&m, &c)
	// The innovation's covariance, inverted by hand.
	s00 := before.p[0][0] + before.p[0][2] + 0.25*before.p[2][2] + 0.01
	s11, s01 := before.p[1][1]+0.02, 0.002
	det := s00*s11 - s01*s01
	distance := (0.3*0.3*s11 + 2*0.3*0.1*s01 + 0.1*0.1*s00) / det
	if density := math.Exp(-distance/2) / (2 * math.Pi * math.Sqrt(det)); math.Abs(c.distance-distance) > 1e-9 ||
		math.Abs(c.density()-density) > 1e-9*density {
		t.Errorf("distance %g and density %g, want %g and %g", c.distance, c.density(), distance, density)
	}
	f.correct(&c, 1)
	gain := (before.p[0][0]*s11*0.3 + before.p[0][0]*s01*0.1) / det
	if off := f.x[0] - before.x[0]; math.Abs(off-gain) > 1e-9 {
		t.Errorf("x moved by %g, want %g", off, gain)
	}
	for i := range 6 {
		if f.p[i][i] > before.p[i][i] || f.p[i][i] <= 0 || i != 1 && i != 4 && f.x[i] == before.x[i] {
			t.Errorf("number %d: %g with variance %g, was %g with %g", i, f.x[i], f.p[i][i], before.x[i], before.p[i][i])
		}
	}
}
