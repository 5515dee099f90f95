package manager_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"touchline/internal/manager"
	"touchline/internal/stat"
	"touchline/wire/team"
)

// Over 1,000 seeded repeats of 20 kicks with measurement noise, the 95 % intervals of mean and standard deviation hold
// the true values in 93 to 97 % of the cases.
func TestIntervalsCover(t *testing.T) {
	const repeats, kicks, speed, spread, noise = 1000, 20, 6.0, 0.18, 0.1
	means, sds, sum := 0, 0, 0.0
	for n := range repeats {
		rng := rand.New(rand.NewPCG(uint64(n), 6))
		tries := make([]team.KickTry, kicks)
		for i := range tries {
			v := speed + spread*rng.NormFloat64() + noise*rng.NormFloat64()
			tries[i] = team.KickTry{OK: true, Speed: float32(v), SpeedSigma: noise}
		}
		s := manager.Kicks(tries).Speed
		if s.MeanIn.From <= speed && speed <= s.MeanIn.To {
			means++
		}
		if s.SDIn.From <= spread && spread <= s.SDIn.To {
			sds++
		}
		sum += s.SD
	}
	t.Logf("mean in %.1f %%, sd in %.1f %%, sd %.3f", float64(means)/repeats*100, float64(sds)/repeats*100, sum/repeats)
	for _, covered := range []int{means, sds} {
		if covered < 930 || covered > 970 {
			t.Errorf("mean covered in %d, standard deviation in %d of %d", means, sds, repeats)
		}
	}
	if math.Abs(sum/repeats-spread) > 0.02 {
		t.Errorf("standard deviation %.3f, want %.3f", sum/repeats, spread)
	}
}

// A kick that slips is left out of the distances, and counts in the rate.
func TestKicks(t *testing.T) {
	s := manager.Kicks([]team.KickTry{
		{OK: true, Inside: true, Speed: 4, Distance: 6}, {OK: true, Inside: true, Speed: 6, Distance: 8}, {OK: true, Speed: 5}, {},
	})
	if s.Tries != 4 || s.Good != 3 || s.Distance.Tries != 2 || s.Distance.Mean != 7 || s.Speed.Mean != 5 || s.Speed.SD != 1 {
		t.Errorf("%+v", s)
	}
	// The t quantile of one degree of freedom is 12.706: 7 m, +- 12.706 x sqrt(2) / sqrt(2) m.
	if in := s.Distance.MeanIn; math.Abs(in.To-7-12.706) > 1e-3 || math.Abs(7-in.From-12.706) > 1e-3 {
		t.Errorf("mean in %+v", in)
	}
	if s := manager.Kicks(nil); s.Rate != (stat.Interval{From: 0, To: 1}) || s.Speed.Mean != 0 {
		t.Errorf("no tries: %+v", s)
	}
}

// eight returns the path of a figure eight that a robot with these errors of its odometry drives, 5 points a second.
func eight(seed uint64, wrong manager.Calibration) (path []team.PathPoint) {
	const steps, radius, speed = 400, 1.2, 1.0
	rng := rand.New(rand.NewPCG(seed, 8))
	var x, y, theta, ox, oy, otheta float64
	for i := range steps {
		path = append(path, team.PathPoint{
			Time: float32(i) * 0.2, OdometryX: float32(ox), OdometryY: float32(oy), OdometryTheta: wrap(otheta), WorldKnown: true,
			WorldX: float32(x + 0.01*rng.NormFloat64()), WorldY: float32(y + 0.01*rng.NormFloat64()),
			WorldTheta: wrap(theta + 0.005*rng.NormFloat64()),
		})
		way, turn := speed*0.2, speed*0.2/radius
		if int(float64(i)*turn/(2*math.Pi))%2 == 1 {
			turn = -turn
		}
		side := 0.05 * math.Sin(float64(i)/7) // it sways
		x += way*math.Cos(theta+turn/2) - side*math.Sin(theta+turn/2)
		y += way*math.Sin(theta+turn/2) + side*math.Cos(theta+turn/2)
		theta += turn
		slip := 1 + 0.01*rng.NormFloat64()
		oway, oside, oturn := way*slip/wrong.Ahead, side*slip/wrong.Side, turn*(1+0.01*rng.NormFloat64())/wrong.Turn
		ox += oway*math.Cos(otheta+oturn/2) - oside*math.Sin(otheta+oturn/2)
		oy += oway*math.Sin(otheta+oturn/2) + oside*math.Cos(otheta+oturn/2)
		otheta += oturn
	}
	return path
}

func wrap(a float64) float32 { return float32(math.Remainder(a, 2*math.Pi)) }

// The calibration that a figure eight suggests at least halves the errors of the odometry on a second run.
func TestCalibrationOnSecondRun(t *testing.T) {
	for seed, wrong := range []manager.Calibration{{1.06, 0.95, 0.94}, {0.93, 1.05, 1.08}, {1.1, 1, 0.95}} {
		first := manager.Walk(eight(uint64(seed), wrong), manager.Exact())
		second := manager.Walk(eight(uint64(seed)+100, wrong), first.Suggest)
		t.Logf("%+v: %.3f, then %.3f m a metre; %.3f, then %.3f rad a turn; suggested %+v", wrong, first.PerMetre, second.PerMetre,
			first.PerTurn, second.PerTurn, first.Suggest)
		if second.PerMetre > first.PerMetre/2 || second.PerTurn > first.PerTurn/2 {
			t.Errorf("%+v: errors %.3f m and %.3f rad before, %.3f m and %.3f rad after", wrong, first.PerMetre, first.PerTurn,
				second.PerMetre, second.PerTurn)
		}
	}
}

// A path that does not tell a factor leaves it at 1, and points without a localisation are left out.
func TestShortPath(t *testing.T) {
	path := []team.PathPoint{{WorldKnown: true}, {OdometryX: 0.5}, {OdometryX: 0.9, WorldX: 1, WorldKnown: true}}
	if s := manager.Walk(path, manager.Exact()); s.Suggest != manager.Exact() || s.Distance != 0 {
		t.Errorf("%+v", s)
	}
}
