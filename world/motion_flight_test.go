package world_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"touchline/soccer"
	"touchline/world"
)

// flying is a ball 0.5 m above where it rolls that falls at 2 m/s, with errors of 4 cm and 0.2 m/s.
func flying() world.Flight {
	f := world.Flight{X: [6]float64{1, 2, soccer.BallRadius + 0.5, 4, 0, -2}}
	for i := range 3 {
		f.P[i][i], f.P[i+3][i+3] = 0.04*0.04, 0.2*0.2
	}
	return f
}

// The covariance after a bounce is that of balls with all these errors.
func TestBounceCovariance(t *testing.T) {
	const noise, restitution, balls = 0, 0.6, 20000
	expected := flying()
	if left, rolls := expected.Fly(0.4, noise, restitution); left != 0 || rolls {
		t.Fatalf("it rolls, with %g s left", left)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var sum, square [2]float64
	mixed := 0.0
	for range balls {
		f := flying()
		f.P = [6][6]float64{}
		f.X[world.Z] += 0.04 * rng.NormFloat64()
		f.X[world.VZ] += 0.2 * rng.NormFloat64()
		f.Fly(0.4, noise, restitution+0.15*rng.NormFloat64())
		z, v := f.X[world.Z]-expected.X[world.Z], f.X[world.VZ]-expected.X[world.VZ]
		sum[0], sum[1] = sum[0]+z/balls, sum[1]+v/balls
		square[0], square[1], mixed = square[0]+z*z/balls, square[1]+v*v/balls, mixed+z*v/balls
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"height", expected.P[world.Z][world.Z], square[0] - sum[0]*sum[0]},
		{"vertical speed", expected.P[world.VZ][world.VZ], square[1] - sum[1]*sum[1]},
		{"both", expected.P[world.Z][world.VZ], mixed - sum[0]*sum[1]},
	} {
		if math.Abs(c.got-c.want) > 0.2*math.Abs(c.want) {
			t.Errorf("%s: variance %.4f, of %d balls %.4f", c.name, c.got, balls, c.want)
		}
	}
}

// A ball rolls after some bounces, and one whose numbers are none does not bounce for ever.
func TestBallComesToRest(t *testing.T) {
	f := flying()
	left, rolls := f.Fly(10, 0.1, 0.6)
	if !rolls || !(left > 7 && left < 9.5) {
		t.Errorf("rolls %t, with %.2f s of 10 s left", rolls, left)
	}
	f.X[world.VZ] = math.NaN()
	f.Fly(10, 0.1, 0.6)
}

// A measurement of two sums of numbers corrects all six, and shrinks the covariance.
func TestCorrect(t *testing.T) {
	f := flying()
	f.Fly(0.05, 0.1, 0.6)
	before := f
	m := world.Linear{N: 2, H: [3][6]float64{{0: 1, 2: 0.5}, {1: 1}}, R: [3][3]float64{{0.01, 0.002}, {0.002, 0.02}}}
	m.Y = [3]float64{f.X[0] + 0.5*f.X[2] + 0.3, f.X[1] - 0.1}
	var c world.Correction
	f.Compare(&m, &c)
	// The innovation's covariance, inverted by hand.
	s00 := before.P[0][0] + before.P[0][2] + 0.25*before.P[2][2] + 0.01
	s11, s01 := before.P[1][1]+0.02, 0.002
	det := s00*s11 - s01*s01
	distance := (0.3*0.3*s11 + 2*0.3*0.1*s01 + 0.1*0.1*s00) / det
	if density := math.Exp(-distance/2) / (2 * math.Pi * math.Sqrt(det)); math.Abs(c.Distance-distance) > 1e-9 ||
		math.Abs(c.Density()-density) > 1e-9*density {
		t.Errorf("distance %g and density %g, want %g and %g", c.Distance, c.Density(), distance, density)
	}
	f.Correct(&c, 1)
	gain := (before.P[0][0]*s11*0.3 + before.P[0][0]*s01*0.1) / det
	if off := f.X[0] - before.X[0]; math.Abs(off-gain) > 1e-9 {
		t.Errorf("x moved by %g, want %g", off, gain)
	}
	for i := range 6 {
		if f.P[i][i] > before.P[i][i] || f.P[i][i] <= 0 || i != 1 && i != 4 && f.X[i] == before.X[i] {
			t.Errorf("number %d: %g with variance %g, was %g with %g", i, f.X[i], f.P[i][i], before.X[i], before.P[i][i])
		}
	}
}
