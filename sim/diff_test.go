package sim

import (
	"math"
	"testing"
)

// run drives a robot on a free floor for s seconds and returns its velocity: ahead, to its left, and its yaw rate.
func run(p WheeledRobot, d *drive, left, right, s float64) (u, v, w float64) {
	const h = 0.0032
	train := p.train(h)
	d.command(&p, left, right)
	for range int(s / h) {
		u, v, w = train.start(d, u, v, w)
		u, v, w = train.pull(d, u, v, w)
		train.finish(d, w)
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
		d := drive{driveState: standing()}
		_, _, w := run(firasimRobot(), &d, -c.wheels, c.wheels, 2)
		if math.Abs(w-c.want) > c.tolerance {
			t.Errorf("wheels of %g rad/s: yaw rate = %.2f, want %.2f within %g", c.wheels, w, c.want, c.tolerance)
		}
		mirrored := drive{driveState: standing()}
		if _, _, m := run(firasimRobot(), &mirrored, c.wheels, -c.wheels, 2); m != -w {
			t.Errorf("wheels of %g rad/s: yaw rate = %g to the right, and %g to the left", c.wheels, m, w)
		}
	}
}

func TestStraightRobotDoesNotTurn(t *testing.T) {
	for _, wheels := range []float64{1, 30, 250, -80} {
		d := drive{driveState: standing()}
		if u, v, w := run(firasimRobot(), &d, wheels, wheels, 1); u*wheels <= 0 || v != 0 || w != 0 {
			t.Errorf("wheels of %g rad/s: got (%g, %g) m/s and %g rad/s", wheels, u, v, w)
		}
	}
}

// TestTilts checks that a robot pitches and rolls against its acceleration.
func TestTilts(t *testing.T) {
	d := drive{driveState: standing()}
	run(firasimRobot(), &d, 60, 60, 0.2)
	if d.Pitch > -0.002 || d.Pitch < -0.003 || d.Roll != 0 {
		t.Errorf("accelerates with pitch %g and roll %g rad; FIRASim pitches by -0.0023", d.Pitch, d.Roll)
	}
	d = drive{driveState: standing()}
	run(firasimRobot(), &d, 30, 50, 1)
	if d.Roll < 0.0005 {
		t.Errorf("rolls by %g rad in a turn to the left; want the left side up", d.Roll)
	}
	run(firasimRobot(), &d, 0, 0, 1)
	if math.Abs(d.Pitch) > 1e-6 || math.Abs(d.Roll) > 1e-6 || math.Abs(d.Rise) > 1e-6 {
		t.Errorf("stands with pitch %g, roll %g and %g m too high", d.Pitch, d.Roll, d.Rise)
	}
}

func TestState(t *testing.T) {
	d := drive{driveState: standing()}
	run(firasimRobot(), &d, -20, 90, 0.3)
	f := d.numbers()
	if got, ok := driveStateOf(&f); !ok || got != d.driveState {
		t.Errorf("got %+v, %t, want %+v", got, ok, d.driveState)
	}
	for name, change := range map[string]func(f *[driveNumbers]float64){
		"NaN":           func(f *[driveNumbers]float64) { f[0] = math.NaN() },
		"infinite":      func(f *[driveNumbers]float64) { f[20] = math.Inf(1) },
		"stretched":     func(f *[driveNumbers]float64) { f[1] += 0.1 },
		"off its joint": func(f *[driveNumbers]float64) { f[3] = 2 },
	} {
		bad := f
		change(&bad)
		if _, ok := driveStateOf(&bad); ok {
			t.Errorf("%s: taken for a state", name)
		}
	}
}

func TestDiffStepAllocatesNothing(t *testing.T) {
	d := drive{driveState: standing()}
	if n := testing.AllocsPerRun(10, func() { run(firasimRobot(), &d, -150, 150, 0.1) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
