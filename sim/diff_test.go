package sim_test

import (
	"math"
	"testing"

	"touchline/sim"
)

// run drives a robot on a free floor for s seconds and returns its velocity: ahead, to its left, and its yaw rate.
func run(p sim.Params, d *sim.Drive, left, right, s float64) (u, v, w float64) {
	const h = 0.0032
	train := p.Train(h)
	d.Command(&p, left, right)
	for range int(s / h) {
		u, v, w = train.Start(d, u, v, w)
		u, v, w = train.Pull(d, u, v, w)
		train.Finish(d, w)
		sin, cos := math.Sincos(2 * math.Atan(w*h*0.5))
		u, v = cos*u+sin*v, cos*v-sin*u // the body turns, its velocity does not
	}
	return u, v, w
}

// TestSpinLevelsOff compares the yaw rates of spins on the spot with those of FIRASim after 2 s.
func TestSpinLevelsOff(t *testing.T) {
	for _, c := range []struct{ wheels, want, tolerance float64 }{
		{20, 9.41, 0.02}, {40, 21.3, 0.1}, {60, 31.8, 0.2}, {80, 42.1, 0.2}, {100, 52.3, 0.3},
		{150, 71.5, 1}, {200, 74.8, 1}, {250, 74.8, 1}, {400, 74.8, 1},
	} {
		d := sim.Drive{State: sim.AtRest()}
		_, _, w := run(sim.DiffFIRASim(), &d, -c.wheels, c.wheels, 2)
		if math.Abs(w-c.want) > c.tolerance {
			t.Errorf("wheels of %g rad/s: yaw rate = %.2f, want %.2f within %g", c.wheels, w, c.want, c.tolerance)
		}
		mirrored := sim.Drive{State: sim.AtRest()}
		if _, _, m := run(sim.DiffFIRASim(), &mirrored, c.wheels, -c.wheels, 2); m != -w {
			t.Errorf("wheels of %g rad/s: yaw rate = %g to the right, and %g to the left", c.wheels, m, w)
		}
	}
}

func TestStraightRobotDoesNotTurn(t *testing.T) {
	for _, wheels := range []float64{1, 30, 250, -80} {
		d := sim.Drive{State: sim.AtRest()}
		if u, v, w := run(sim.DiffFIRASim(), &d, wheels, wheels, 1); u*wheels <= 0 || v != 0 || w != 0 {
			t.Errorf("wheels of %g rad/s: got (%g, %g) m/s and %g rad/s", wheels, u, v, w)
		}
	}
}

// TestTilts checks that a robot pitches and rolls against its acceleration.
func TestTilts(t *testing.T) {
	d := sim.Drive{State: sim.AtRest()}
	run(sim.DiffFIRASim(), &d, 60, 60, 0.2)
	if d.Pitch > -0.002 || d.Pitch < -0.003 || d.Roll != 0 {
		t.Errorf("accelerates with pitch %g and roll %g rad; FIRASim pitches by -0.0023", d.Pitch, d.Roll)
	}
	d = sim.Drive{State: sim.AtRest()}
	run(sim.DiffFIRASim(), &d, 30, 50, 1)
	if d.Roll < 0.0005 {
		t.Errorf("rolls by %g rad in a turn to the left; want the left side up", d.Roll)
	}
	run(sim.DiffFIRASim(), &d, 0, 0, 1)
	if math.Abs(d.Pitch) > 1e-6 || math.Abs(d.Roll) > 1e-6 || math.Abs(d.Rise) > 1e-6 {
		t.Errorf("stands with pitch %g, roll %g and %g m too high", d.Pitch, d.Roll, d.Rise)
	}
}

func TestState(t *testing.T) {
	d := sim.Drive{State: sim.AtRest()}
	run(sim.DiffFIRASim(), &d, -20, 90, 0.3)
	f := d.Floats()
	if got, ok := sim.StateOf(&f); !ok || got != d.State {
		t.Errorf("got %+v, %t, want %+v", got, ok, d.State)
	}
	for name, change := range map[string]func(f *[sim.StateSize]float64){
		"NaN":           func(f *[sim.StateSize]float64) { f[0] = math.NaN() },
		"infinite":      func(f *[sim.StateSize]float64) { f[20] = math.Inf(1) },
		"stretched":     func(f *[sim.StateSize]float64) { f[1] += 0.1 },
		"off its joint": func(f *[sim.StateSize]float64) { f[3] = 2 },
	} {
		bad := f
		change(&bad)
		if _, ok := sim.StateOf(&bad); ok {
			t.Errorf("%s: taken for a state", name)
		}
	}
}

func TestDiffStepAllocatesNothing(t *testing.T) {
	d := sim.Drive{State: sim.AtRest()}
	if n := testing.AllocsPerRun(10, func() { run(sim.DiffFIRASim(), &d, -150, 150, 0.1) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
