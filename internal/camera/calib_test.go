package camera_test

import (
	"errors"
	"math"
	"testing"

	"touchline/internal/camera"
	"touchline/soccer"
)

// take draws a picture of a robot that stands before a penalty area.
func take(t *testing.T, light, warmth float64, params camera.Params) (*camera.Picture, camera.Eye) {
	t.Helper()
	cam := camera.Perspective()
	scene := camera.Scene{
		Self: soccer.Pose{X: 5, Y: 0.5}, HasBall: true, Ball: soccer.Vec3{X: 7, Y: 0.2, Z: soccer.BallRadius}, Light: light,
		Warmth: warmth,
	}
	var p camera.Picture
	camera.NewRenderer(cam, camera.MSLVenue(soccer.MSL18x12(), 1), 1).Render(&scene, &params, &p)
	return &p, cam.EyeAt(scene.Self, params.Pan, params.Tilt)
}

// segment returns the class of each pixel by a table.
func segment(p *camera.Picture, table *camera.Table) []camera.Class {
	all := make([]camera.Class, len(p.Y))
	for i := range all {
		all[i] = table.At(p.Y[i], p.Cb[i], p.Cr[i])
	}
	return all
}

// TestEditor adds the colour of the ball to an empty table by a click, sees the ball, and takes it back.
func TestEditor(t *testing.T) {
	p, eye := take(t, 1, 0, camera.DefaultParams())
	x, y, _ := eye.Pixel(soccer.Vec3{X: 7, Y: 0.2, Z: soccer.BallRadius})
	var drag []int
	for dy := -3; dy <= 3; dy++ {
		for dx := -3; dx <= 3; dx++ {
			drag = append(drag, (int(y)+dy)*p.Width+int(x)+dx)
		}
	}
	e := camera.Editor{Table: new(camera.Table)}
	if n := e.Add(p, drag, camera.Orange, 2); n < 50 {
		t.Errorf("%d cells changed", n)
	}
	orange, elsewhere := 0, 0
	for i, c := range segment(p, e.Table) {
		if c != camera.Orange {
			continue
		}
		if math.Hypot(float64(i%p.Width)-x, float64(i/p.Width)-y) < 14 {
			orange++
		} else {
			elsewhere++
		}
	}
	if orange < 150 || elsewhere > orange {
		t.Errorf("%d orange pixels on the ball, %d elsewhere", orange, elsewhere)
	}
	if e.Add(p, []int{-1, 1 << 40}, camera.White, 2) != 0 || e.Add(p, drag, camera.Classes, 0) != 0 {
		t.Error("pixels outside of the picture, or an unknown class, changed the table")
	}
	if !e.Undo() || *e.Table != (camera.Table{}) || e.Undo() {
		t.Error("undo did not restore the empty table")
	}
}

// TestLearn starts a table from the model of the field and checks it by confusion on a second picture.
func TestLearn(t *testing.T) {
	field := soccer.MSL18x12()
	p, eye := take(t, 1, 0, camera.DefaultParams())
	e := camera.Editor{Table: new(camera.Table)}
	e.Learn([]camera.Picture{*p}, [][]camera.Class{camera.FieldLabels(&eye, p.Width, p.Height, &field, nil)})

	params := camera.DefaultParams()
	params.Pan = 0.4
	q, eye := take(t, 1, 0, params)
	var c camera.Confusion
	c.Count(camera.FieldLabels(&eye, q.Width, q.Height, &field, nil), segment(q, e.Table))
	green, n := c.Recall(camera.Green)
	white, m := c.Recall(camera.White)
	if green < 0.95 || white < 0.7 || n < 5000 || m < 300 || c[camera.Green][camera.White]*100 > n {
		t.Errorf("green %.3f of %d, white %.3f of %d: %v", green, n, white, m, c)
	}
}

// TestAdjust brings back the colours of a patch of carpet after a cloud has come.
func TestAdjust(t *testing.T) {
	cam := camera.Perspective()
	params := camera.DefaultParams()
	before, _ := take(t, 1, 0, params)
	want, err := camera.Measure(before, 80, 130, 128, 155)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		cloudy, _ := take(t, 0.4, -0.5, params)
		seen, err := camera.Measure(cloudy, 80, 130, 128, 155)
		if err != nil {
			t.Fatal(err)
		}
		set, err := camera.Adjust(cam.Declare(&params), seen, want)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range set {
			if _, err := cam.Set(&params, p.Name, p.Now); err != nil {
				t.Error(err)
			}
		}
	}
	for c := range want {
		if math.Abs(want[c]/camera.CarpetPatch[c]-1) > 0.05 {
			t.Errorf("channel %d of the carpet: %.4f, Carpet has %.4f", c, want[c], camera.CarpetPatch[c])
		}
	}
	after, _ := take(t, 0.4, -0.5, params)
	got, err := camera.Measure(after, 80, 130, 128, 155)
	if err != nil {
		t.Fatal(err)
	}
	for c := range got {
		if math.Abs(got[c]/want[c]-1) > 0.15 {
			t.Errorf("channel %d: %.4f, want %.4f; %+v", c, got[c], want[c], params)
		}
	}
}

// TestAdjustWithLess adjusts cameras that have few parameters.
func TestAdjustWithLess(t *testing.T) {
	exposure := camera.Param{Name: "exposure", Min: 0.1, Max: 40, Now: 30}
	set, err := camera.Adjust([]camera.Param{{Name: "pan"}, exposure}, camera.Patch{0.09, 0.09, 0.09}, camera.GreyPatch)
	if exposure.Now = 40; err != nil || len(set) != 1 || set[0] != exposure {
		t.Errorf("%+v, %v, want the longest exposure", set, err)
	}
	if set, err := camera.Adjust([]camera.Param{{Name: "gain", Max: 24}}, camera.Patch{0.09, 0.09, 0.09}, camera.GreyPatch); err != nil ||
		len(set) != 1 || math.Abs(set[0].Now-6.02) > 0.01 {
		t.Errorf("%+v, %v, want 6.02 dB", set, err)
	}
	if set, err := camera.Adjust([]camera.Param{{Name: "pan"}}, camera.GreyPatch, camera.GreyPatch); !errors.Is(err, camera.ErrInput) {
		t.Errorf("a camera without exposure: %+v, %v", set, err)
	}
}

// TestMeasureRefuses measures patches of no use.
func TestMeasureRefuses(t *testing.T) {
	bright := camera.DefaultParams()
	bright.Exposure, bright.Gain = 40, 24
	white, _ := take(t, 1, 0, bright)
	dark, _ := take(t, 0, 0, camera.DefaultParams())
	for name, p := range map[string]*camera.Picture{"overexposed": white, "dark": dark} {
		if got, err := camera.Measure(p, 80, 130, 128, 155); !errors.Is(err, camera.ErrInput) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := camera.Measure(white, 200, 150, 300, 300); !errors.Is(err, camera.ErrInput) {
		t.Errorf("outside: %v", err)
	}
}

// TestCalibrateRefuses gives Calibrate problems that make no sense.
func TestCalibrateRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*camera.Problem)
		want   error
	}{
		{"no sample", func(*camera.Problem) {}, camera.ErrUndetermined},
		{"a mirror", func(p *camera.Problem) { p.Camera = camera.Omnidirectional() }, camera.ErrUndetermined},
		{"a pose that is not finite", func(p *camera.Problem) {
			p.Samples = []camera.Sample{{Self: &soccer.Pose{X: math.NaN()}}}
		}, camera.ErrInput},
		{"no sigma", func(p *camera.Problem) { p.JointSigma = 0 }, camera.ErrInput},
		{"a tilt that is not finite", func(p *camera.Problem) { p.Samples = []camera.Sample{{Tilt: math.NaN()}} }, camera.ErrInput},
		{"a point that is not finite", func(p *camera.Problem) {
			p.Samples = []camera.Sample{{Points: []camera.Point{{X: math.Inf(1), Normal: soccer.Vec{X: 1}}}}}
		}, camera.ErrInput},
		{"a normal of no length", func(p *camera.Problem) {
			p.Samples = []camera.Sample{{Points: []camera.Point{{X: 1}}}}
		}, camera.ErrInput},
		{"too many samples", func(p *camera.Problem) { p.Samples = make([]camera.Sample, 65) }, camera.ErrInput},
	} {
		p := camera.NewProblem(camera.Perspective(), soccer.MSL18x12(), soccer.Pose{})
		c.change(&p)
		if _, err := camera.Calibrate(&p); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// From a touch line most lines are thin and far, and all in one part of the field: neither the light that reaches beyond
// their edges nor edges that melt into one may move the camera.
func TestThinLines(t *testing.T) {
	truth := camera.Perspective()
	stands, field := soccer.Pose{X: 1.72, Y: -4.72, Theta: 1.35}, soccer.MSL18x12()
	believed := truth
	believed.Mount.Tilt += 3.6 * degree
	believed.Mount.Roll -= 4.2 * degree
	cfg := camera.DefaultConfig()
	cfg.Uncalibrated = true
	renderer := camera.NewRenderer(truth, camera.MSLVenue(field, 1), 1)
	finder := camera.NewFinder(believed, cfg, camera.DefaultTable())
	problem := camera.NewProblem(believed, field, soccer.Pose{X: stands.X + 0.05, Y: stands.Y - 0.05, Theta: stands.Theta + degree})
	params, picture, found := camera.DefaultParams(), camera.Picture{}, camera.Percepts{}
	for i := range 32 {
		params.Pan = (math.Mod(float64(i)*0.618, 1) - 0.5) * 100 * degree
		params.Tilt = -(4 + 28*float64(i)/32) * degree
		renderer.Render(&camera.Scene{Self: stands, Light: 1}, &params, &picture)
		if err := finder.Find(&picture, &camera.View{Pan: params.Pan, Tilt: params.Tilt}, &found); err != nil {
			t.Fatal(err)
		}
		problem.Samples = append(problem.Samples, camera.Sample{
			Pan: params.Pan, Tilt: params.Tilt, Points: camera.Collect(&picture, found.Lines, nil),
		})
	}
	r, err := camera.Calibrate(&problem)
	tilt, roll := r.Camera.Mount.Tilt-truth.Mount.Tilt, r.Camera.Mount.Roll-truth.Mount.Roll
	focal := r.Camera.Lens.Focal/truth.Lens.Focal - 1
	if err != nil || math.Abs(tilt) > 0.1*degree || math.Abs(roll) > 0.05*degree || math.Abs(focal) > 0.005 {
		t.Errorf("off by %.2f and %.2f degrees and %.2f %%, %v", tilt/degree, roll/degree, 100*focal, err)
	}
}
