package sim_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

func TestOdometerRefuses(t *testing.T) {
	slip := sim.DefaultSlip()
	slip.Rate = math.NaN()
	if _, err := sim.NewOdometer(slip, 1, 2); !errors.Is(err, sim.ErrRange) {
		t.Errorf("a rate of slips that is not a number: %v", err)
	}
}

// lap drives n rounds of a circle at 2 m/s, and returns the true way from the first pose and the one that the wheels measured.
func lap(t *testing.T, slip sim.Slip, seed uint64, n int) (want, got soccer.Pose) {
	t.Helper()
	o, err := sim.NewOdometer(slip, seed, 2)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) soccer.Pose {
		angle := 0.01 * float64(i) // radius 2 m, 10 ms a step
		return soccer.Pose{X: 2 * math.Sin(angle), Y: 2 - 2*math.Cos(angle), Theta: soccer.WrapAngle(angle)}
	}
	steps := 628 * n
	for i := range steps {
		o.Drive(at(i), at(i+1), 10*time.Millisecond)
	}
	return at(steps), o.Travel()
}

func TestOdometer(t *testing.T) {
	want, got := lap(t, sim.Slip{Grip: 1000}, 1, 1)
	if got.XY().Sub(want.XY()).Len() > 1e-9 || math.Abs(soccer.WrapAngle(got.Theta-want.Theta)) > 1e-9 {
		t.Errorf("without slip: got %+v, want %+v", got, want)
	}
	rms := func(slip sim.Slip) float64 {
		sum := 0.0
		for seed := range uint64(40) {
			want, got := lap(t, slip, seed, 3)
			d := got.XY().Sub(want.XY()).Len()
			sum += d * d
		}
		return math.Sqrt(sum / 40)
	}
	steady := sim.DefaultSlip()
	steady.Rate = 0
	drift, slipping := rms(steady), sim.DefaultSlip()
	slipping.Grip = 1.9 // the circle takes 2 m/s^2
	if drift < 0.1 || drift > 1 {
		t.Errorf("after 38 m of way the odometry is off by %.2f m, want 0.1 to 1 m", drift)
	}
	if got := rms(slipping); got < 1.5*drift {
		t.Errorf("with wheels that slip it is off by %.2f m, without by %.2f m", got, drift)
	}
	_, a := lap(t, slipping, 7, 1)
	_, b := lap(t, slipping, 7, 1)
	if a != b {
		t.Error("the same seed gave two ways")
	}
}

// A robot that stands or turns on the spot does not move in its odometry, except by noise.
func TestOdometerOfARobotThatStands(t *testing.T) {
	o, err := sim.NewOdometer(sim.DefaultSlip(), 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	pose := soccer.Pose{X: 3, Y: 1, Theta: 2}
	for range 100 {
		o.Drive(pose, pose, 10*time.Millisecond)
	}
	if got := o.Travel(); got != (soccer.Pose{}) {
		t.Errorf("got %+v, want the origin", got)
	}
}
