package camera

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"touchline/soccer"
)

// mirrorRun is a robot with a mirror that is wrong by 3 degrees of tilt, 2 of roll, 5 % of focal length and 2 cm of
// height. In each of n places its body sways by 0.1 degrees, and it believes to stand 8 cm and 1.1 degrees elsewhere.
func mirrorRun(seed uint64, n int, moves bool) (truth Camera, problem Problem, held []Sample) {
	r := rand.New(rand.NewPCG(seed, 77))
	either := func(v float64) float64 { return v * float64(2*r.IntN(2)-1) }
	truth = Omnidirectional()
	believed := truth
	truth.Mount.Tilt, truth.Mount.Roll = either(3*degree), either(2*degree)
	believed.Lens.Focal *= 1 + either(0.05)
	believed.Mount.Height += either(0.02)
	renderer := NewRenderer(truth, MSLVenue(soccer.MSL18x12(), seed), seed)
	cfg := DefaultConfig()
	cfg.Uncalibrated = true
	finder := NewFinder(believed, cfg, DefaultTable())
	params, picture, found := DefaultParams(), Picture{}, Percepts{}
	problem = NewProblem(believed, soccer.MSL18x12(), soccer.Pose{})
	scene := Scene{Light: 1}
	for i := range n + 3 {
		if i == 0 || moves {
			scene.Self = soccer.Pose{X: 16*r.Float64() - 8, Y: 10*r.Float64() - 5, Theta: 2 * math.Pi * r.Float64()}
			scene.Sway = Sway{Tilt: 0.1 * degree * r.NormFloat64(), Roll: 0.1 * degree * r.NormFloat64()}
		}
		renderer.Render(&scene, &params, &picture)
		if err := finder.Find(&picture, &View{}, &found); err != nil {
			panic(err)
		}
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		self := soccer.Pose{X: scene.Self.X + 0.08*cos, Y: scene.Self.Y + 0.08*sin, Theta: scene.Self.Theta + either(1.1*degree)}
		if i > 0 && !moves {
			self = *problem.Samples[0].Self
		}
		sample := Sample{Self: &self, Points: Collect(&picture, found.Lines, nil)}
		if i < n {
			problem.Samples = append(problem.Samples, sample)
		} else {
			held = append(held, sample)
		}
	}
	return truth, problem, held
}

// TestMirror calibrates mirrors from pictures of ten places, and checks them in three others.
func TestMirror(t *testing.T) {
	for seed := range uint64(4) {
		truth, problem, held := mirrorRun(seed, 10, true)
		got, err := Calibrate(&problem)
		if err != nil {
			t.Errorf("run %d: %v", seed, err)
			continue
		}
		tilt, roll := got.Camera.Mount.Tilt-truth.Mount.Tilt, got.Camera.Mount.Roll-truth.Mount.Roll
		focal, height := got.Camera.Lens.Focal/truth.Lens.Focal-1, got.Camera.Mount.Height-truth.Mount.Height
		rms, used, err := HoldOut(&got, problem.Field, held)
		t.Logf("run %d: tilt %.3f, roll %.3f degrees, focal %.2f %%, height %.1f cm; predicted %.3f, %.3f degrees, %.2f %%; "+
			"rms %.2f px, hold-out %.2f px of %d points", seed, tilt/degree, roll/degree, 100*focal, 100*height,
			got.Sigma.Tilt/degree, got.Sigma.Roll/degree, 100*got.Sigma.Focal, got.RMS, rms, used)
		if math.Abs(tilt) > 0.3*degree || math.Abs(roll) > 0.3*degree || math.Abs(focal) > 0.02 || err != nil || rms > 1.7 || used < 200 {
			t.Errorf("run %d: %v", seed, err)
		}
	}
}

// TestMirrorInOnePlace refuses pictures that were all taken in one place: its sway is unknown.
func TestMirrorInOnePlace(t *testing.T) {
	_, problem, _ := mirrorRun(9, 8, false)
	if _, err := Calibrate(&problem); !errors.Is(err, ErrUndetermined) || !strings.Contains(err.Error(), "more places") {
		t.Errorf("%v", err)
	}
}
