package camera

import (
	"errors"
	"math"
	"testing"

	"touchline/soccer"
)

// take draws a picture of a robot that stands before a penalty area.
func take(t *testing.T, light, warmth float64, params Params) (*Picture, Eye) {
	t.Helper()
	cam := Perspective()
	scene := Scene{
		Self: soccer.Pose{X: 5, Y: 0.5}, HasBall: true, Ball: soccer.Vec3{X: 7, Y: 0.2, Z: soccer.BallRadius}, Light: light,
		Warmth: warmth,
	}
	var p Picture
	NewRenderer(cam, MSLVenue(soccer.MSL18x12(), 1), 1).Render(&scene, &params, &p)
	return &p, cam.EyeAt(scene.Self, params.Pan, params.Tilt)
}

// segment returns the class of each pixel by a table.
func segment(p *Picture, table *Table) []Class {
	all := make([]Class, len(p.Y))
	for i := range all {
		all[i] = table.At(p.Y[i], p.Cb[i], p.Cr[i])
	}
	return all
}

// TestEditor adds the colour of the ball to an empty table by a click, sees the ball, and takes it back.
func TestEditor(t *testing.T) {
	p, eye := take(t, 1, 0, DefaultParams())
	x, y, _ := eye.Pixel(soccer.Vec3{X: 7, Y: 0.2, Z: soccer.BallRadius})
	var drag []int
	for dy := -3; dy <= 3; dy++ {
		for dx := -3; dx <= 3; dx++ {
			drag = append(drag, (int(y)+dy)*p.Width+int(x)+dx)
		}
	}
	e := Editor{Table: new(Table)}
	if n := e.Add(p, drag, Orange, 2); n < 50 {
		t.Errorf("%d cells changed", n)
	}
	orange, elsewhere := 0, 0
	for i, c := range segment(p, e.Table) {
		if c != Orange {
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
	if e.Add(p, []int{-1, 1 << 40}, White, 2) != 0 || e.Add(p, drag, Classes, 0) != 0 {
		t.Error("pixels outside of the picture, or an unknown class, changed the table")
	}
	if !e.Undo() || *e.Table != (Table{}) || e.Undo() {
		t.Error("undo did not restore the empty table")
	}
}

// TestLearn starts a table from the model of the field and checks it by confusion on a second picture.
func TestLearn(t *testing.T) {
	field := soccer.MSL18x12()
	p, eye := take(t, 1, 0, DefaultParams())
	e := Editor{Table: new(Table)}
	e.Learn([]Picture{*p}, [][]Class{FieldLabels(&eye, p.Width, p.Height, &field, nil)})

	params := DefaultParams()
	params.Pan = 0.4
	q, eye := take(t, 1, 0, params)
	var c Confusion
	c.Count(FieldLabels(&eye, q.Width, q.Height, &field, nil), segment(q, e.Table))
	green, n := c.Recall(Green)
	white, m := c.Recall(White)
	if green < 0.95 || white < 0.7 || n < 5000 || m < 300 || c[Green][White]*100 > n {
		t.Errorf("green %.3f of %d, white %.3f of %d: %v", green, n, white, m, c)
	}
}

// TestAdjust brings back the colours of a patch of carpet after a cloud has come.
func TestAdjust(t *testing.T) {
	cam := Perspective()
	params := DefaultParams()
	before, _ := take(t, 1, 0, params)
	want, err := Measure(before, 80, 130, 128, 155)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		cloudy, _ := take(t, 0.4, -0.5, params)
		seen, err := Measure(cloudy, 80, 130, 128, 155)
		if err != nil {
			t.Fatal(err)
		}
		set, err := Adjust(cam.Declare(&params), seen, want)
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
		if math.Abs(want[c]/CarpetPatch[c]-1) > 0.05 {
			t.Errorf("channel %d of the carpet: %.4f, Carpet has %.4f", c, want[c], CarpetPatch[c])
		}
	}
	after, _ := take(t, 0.4, -0.5, params)
	got, err := Measure(after, 80, 130, 128, 155)
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
	exposure := Param{Name: "exposure", Min: 0.1, Max: 40, Now: 30}
	set, err := Adjust([]Param{{Name: "pan"}, exposure}, Patch{0.09, 0.09, 0.09}, GreyPatch)
	if exposure.Now = 40; err != nil || len(set) != 1 || set[0] != exposure {
		t.Errorf("%+v, %v, want the longest exposure", set, err)
	}
	if set, err := Adjust([]Param{{Name: "gain", Max: 24}}, Patch{0.09, 0.09, 0.09}, GreyPatch); err != nil ||
		len(set) != 1 || math.Abs(set[0].Now-6.02) > 0.01 {
		t.Errorf("%+v, %v, want 6.02 dB", set, err)
	}
	if set, err := Adjust([]Param{{Name: "pan"}}, GreyPatch, GreyPatch); !errors.Is(err, ErrInput) {
		t.Errorf("a camera without exposure: %+v, %v", set, err)
	}
}

// TestMeasureRefuses measures patches of no use.
func TestMeasureRefuses(t *testing.T) {
	bright := DefaultParams()
	bright.Exposure, bright.Gain = 40, 24
	white, _ := take(t, 1, 0, bright)
	dark, _ := take(t, 0, 0, DefaultParams())
	for name, p := range map[string]*Picture{"overexposed": white, "dark": dark} {
		if got, err := Measure(p, 80, 130, 128, 155); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := Measure(white, 200, 150, 300, 300); !errors.Is(err, ErrInput) {
		t.Errorf("outside: %v", err)
	}
}

// TestCalibrateRefuses gives Calibrate problems that make no sense.
func TestCalibrateRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Problem)
		want   error
	}{
		{"no sample", func(*Problem) {}, ErrUndetermined},
		{"a mirror", func(p *Problem) { p.Camera = Omnidirectional() }, ErrUndetermined},
		{"a pose that is not finite", func(p *Problem) {
			p.Samples = []Sample{{Self: &soccer.Pose{X: math.NaN()}}}
		}, ErrInput},
		{"no sigma", func(p *Problem) { p.JointSigma = 0 }, ErrInput},
		{"a tilt that is not finite", func(p *Problem) { p.Samples = []Sample{{Tilt: math.NaN()}} }, ErrInput},
		{"a point that is not finite", func(p *Problem) {
			p.Samples = []Sample{{Points: []Point{{X: math.Inf(1), Normal: soccer.Vec{X: 1}}}}}
		}, ErrInput},
		{"a normal of no length", func(p *Problem) {
			p.Samples = []Sample{{Points: []Point{{X: 1}}}}
		}, ErrInput},
		{"too many samples", func(p *Problem) { p.Samples = make([]Sample, 65) }, ErrInput},
	} {
		p := NewProblem(Perspective(), soccer.MSL18x12(), soccer.Pose{})
		c.change(&p)
		if _, err := Calibrate(&p); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// From a touch line most lines are thin and far, and all in one part of the field: neither the light that reaches beyond
// their edges nor edges that melt into one may move the camera.
func TestThinLines(t *testing.T) {
	truth := Perspective()
	stands, field := soccer.Pose{X: 1.72, Y: -4.72, Theta: 1.35}, soccer.MSL18x12()
	believed := truth
	believed.Mount.Tilt += 3.6 * degree
	believed.Mount.Roll -= 4.2 * degree
	cfg := DefaultConfig()
	cfg.Uncalibrated = true
	renderer := NewRenderer(truth, MSLVenue(field, 1), 1)
	finder := NewFinder(believed, cfg, DefaultTable())
	problem := NewProblem(believed, field, soccer.Pose{X: stands.X + 0.05, Y: stands.Y - 0.05, Theta: stands.Theta + degree})
	params, picture, found := DefaultParams(), Picture{}, Percepts{}
	for i := range 32 {
		params.Pan = (math.Mod(float64(i)*0.618, 1) - 0.5) * 100 * degree
		params.Tilt = -(4 + 28*float64(i)/32) * degree
		renderer.Render(&Scene{Self: stands, Light: 1}, &params, &picture)
		if err := finder.Find(&picture, &View{Pan: params.Pan, Tilt: params.Tilt}, &found); err != nil {
			t.Fatal(err)
		}
		problem.Samples = append(problem.Samples, Sample{
			Pan: params.Pan, Tilt: params.Tilt, Points: Collect(&picture, found.Lines, nil),
		})
	}
	r, err := Calibrate(&problem)
	tilt, roll := r.Camera.Mount.Tilt-truth.Mount.Tilt, r.Camera.Mount.Roll-truth.Mount.Roll
	focal := r.Camera.Lens.Focal/truth.Lens.Focal - 1
	if err != nil || math.Abs(tilt) > 0.1*degree || math.Abs(roll) > 0.05*degree || math.Abs(focal) > 0.005 {
		t.Errorf("off by %.2f and %.2f degrees and %.2f %%, %v", tilt/degree, roll/degree, 100*focal, err)
	}
}
