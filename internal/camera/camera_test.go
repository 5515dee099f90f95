package camera

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"touchline/soccer"
)

// testScene returns a scene before the goal of an MSL field.
func testScene() Scene {
	return Scene{
		Self: soccer.Pose{X: 5, Y: 0.5}, HasBall: true, Ball: soccer.Vec3{X: 7, Y: 0.2, Z: soccer.BallRadius}, Light: 1,
		Robots: []Body{
			{Pose: soccer.Pose{X: 8.3, Y: -0.5}, Color: soccer.Magenta}, {Pose: soccer.Pose{X: 7.2, Y: 1.2}, Color: soccer.Cyan},
			{Pose: soccer.Pose{X: 3, Y: 1.2}, Color: soccer.Cyan},
		},
		Obstacles: []soccer.Vec{{X: 6, Y: -2}},
	}
}

// save writes a picture as PNG where CAMERA_PICTURES names a folder, for people who want to look at it.
func save(t testing.TB, name string, p *Picture) {
	dir := os.Getenv("CAMERA_PICTURES")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, &image.YCbCr{
		Y: p.Y, Cb: p.Cb, Cr: p.Cr, YStride: p.Width, CStride: p.Width, SubsampleRatio: image.YCbCrSubsampleRatio444,
		Rect: image.Rect(0, 0, p.Width, p.Height),
	}); err != nil {
		t.Fatal(err)
	}
}

// TestLensThereAndBack sends pixels along their rays and back, through each camera.
func TestLensThereAndBack(t *testing.T) {
	for _, c := range []Camera{Perspective(), AIBO(), Omnidirectional()} {
		eye := c.EyeAt(soccer.Pose{X: 1, Y: -2, Theta: 2}, 0.4, -0.3)
		r := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			x, y := float64(c.Width)*r.Float64(), float64(c.Height)*r.Float64()
			d := eye.Ray(x, y)
			back := soccer.Vec3{X: eye.At.X + 3*d.X, Y: eye.At.Y + 3*d.Y, Z: eye.At.Z + 3*d.Z}
			if u, v, ok := eye.Pixel(back); !ok || math.Hypot(u-x, v-y) > 1e-6 {
				t.Fatalf("%s: pixel %.3f %.3f came back as %.3f %.3f %t", c.Name, x, y, u, v, ok)
			}
		}
	}
}

// TestDirections checks the frames: ahead is the middle or the top of a picture, left is left.
func TestDirections(t *testing.T) {
	persp, omni := Perspective(), Omnidirectional()
	for _, c := range []struct {
		name     string
		eye      Eye
		at       soccer.Vec3
		right    float64 // sign of x relative to the middle
		down     float64
		vertical float64 // of the middle
	}{
		{"ahead", persp.Eye(0, 0), soccer.Vec3{X: 2.1, Z: 0.6}, 0, 0, 79.5},
		{"left", persp.Eye(0, 0), soccer.Vec3{X: 2.1, Y: 0.5, Z: 0.6}, -1, 0, 79.5},
		{"below", persp.Eye(0, 0), soccer.Vec3{X: 2.1, Z: 0.3}, 0, 1, 79.5},
		{"head to the left", persp.Eye(0.2, 0), soccer.Vec3{X: 2.1, Z: 0.6}, 1, 0, 79.5},
		{"head up", persp.Eye(0, 0.2), soccer.Vec3{X: 2.1, Z: 0.6}, 0, 1, 79.5},
		{"omni ahead", omni.Eye(0, 0), soccer.Vec3{X: 2}, 0, -1, 239.5},
		{"omni left", omni.Eye(0, 0), soccer.Vec3{Y: 2}, -1, 0, 239.5},
	} {
		x, y, ok := c.eye.Pixel(c.at)
		if !ok || sign(x-c.eye.Lens.CX) != c.right || sign(y-c.vertical) != c.down {
			t.Errorf("%s: at %.1f %.1f", c.name, x, y)
		}
	}
}

func sign(v float64) float64 {
	if math.Abs(v) < 1e-6 {
		return 0
	}
	return math.Copysign(1, v)
}

// TestBallWhereTheModelSaysSo compares the orange pixels of a picture with the projected centre of the ball.
func TestBallWhereTheModelSaysSo(t *testing.T) {
	hall := MSLVenue(soccer.MSL18x12(), 1)
	for _, cam := range []Camera{Perspective(), Omnidirectional()} {
		scene, params, picture := testScene(), DefaultParams(), Picture{}
		NewRenderer(cam, hall, 1).Render(&scene, &params, &picture)
		save(t, "scene-"+cam.Name, &picture)
		eye := cam.EyeAt(scene.Self, params.Pan, params.Tilt)
		wantX, wantY, _ := eye.Pixel(scene.Ball)
		var n, x, y float64
		for i := range picture.Y {
			px, py := float64(i%cam.Width), float64(i/cam.Width)
			if picture.Cr[i] > 160 && picture.Cb[i] < 110 && math.Hypot(px-wantX, py-wantY) < 30 {
				n, x, y = n+1, x+px, y+py
			}
		}
		if n < 30 || math.Hypot(x/n-wantX, y/n-wantY) > 0.7 {
			t.Errorf("%s: %.0f orange pixels around %.2f %.2f, the model says %.2f %.2f", cam.Name, n, x/n, y/n, wantX, wantY)
		}
	}
}

// TestSameSeedSamePicture renders twice, and with another seed.
func TestSameSeedSamePicture(t *testing.T) {
	scene, params := testScene(), DefaultParams()
	var a, b, c Picture
	NewRenderer(Perspective(), MSLVenue(soccer.MSL18x12(), 1), 1).Render(&scene, &params, &a)
	NewRenderer(Perspective(), MSLVenue(soccer.MSL18x12(), 1), 1).Render(&scene, &params, &b)
	NewRenderer(Perspective(), MSLVenue(soccer.MSL18x12(), 1), 2).Render(&scene, &params, &c)
	if string(a.Y) != string(b.Y) || string(a.Cr) != string(b.Cr) {
		t.Error("the same seed gave another picture")
	}
	if string(a.Y) == string(c.Y) {
		t.Error("another seed gave the same noise")
	}
}

// TestParams checks what the operator's parameters do to a picture.
func TestParams(t *testing.T) {
	hall := MSLVenue(soccer.MSL18x12(), 1)
	cam := Perspective()
	scene := testScene()
	mean := func(change func(*Params, *Scene)) (y, cb, cr float64) {
		p, s, picture := DefaultParams(), scene, Picture{}
		change(&p, &s)
		NewRenderer(cam, hall, 1).Render(&s, &p, &picture)
		for i := range picture.Y {
			y, cb, cr = y+float64(picture.Y[i]), cb+float64(picture.Cb[i]), cr+float64(picture.Cr[i])
		}
		n := float64(len(picture.Y))
		return y / n, cb / n, cr / n
	}
	y, cb, cr := mean(func(*Params, *Scene) {})
	dark, _, _ := mean(func(_ *Params, s *Scene) { s.Light = 0.4 })
	mended, _, _ := mean(func(p *Params, s *Scene) { s.Light, p.Exposure = 0.4, 25 })
	loud, _, _ := mean(func(p *Params, s *Scene) { s.Light, p.Gain = 0.4, 7.96 })
	_, blue, _ := mean(func(p *Params, _ *Scene) { p.WhiteBlue = 1.5 })
	_, _, red := mean(func(p *Params, _ *Scene) { p.WhiteRed = 1.5 })
	if dark > 0.75*y || math.Abs(mended-y) > 2 || math.Abs(loud-y) > 3 || blue < cb+5 || red < cr+5 {
		t.Errorf("Y %.1f, dark %.1f, exposed %.1f, amplified %.1f; Cb %.1f to %.1f, Cr %.1f to %.1f", y, dark, mended, loud,
			cb, blue, cr, red)
	}
}

// TestKnock knocks a camera: its picture is that of a camera that is mounted in this way.
func TestKnock(t *testing.T) {
	hall := MSLVenue(soccer.MSL18x12(), 1)
	for _, cam := range []Camera{Perspective(), Omnidirectional()} {
		turned, scene, params := cam, testScene(), DefaultParams()
		turned.Mount.Tilt, turned.Mount.Roll = 0.07, -0.05
		var want, got Picture
		NewRenderer(turned, hall, 1).Render(&scene, &params, &want)
		params.KnockTilt, params.KnockRoll = 0.07, -0.05
		NewRenderer(cam, hall, 1).Render(&scene, &params, &got)
		if !slices.Equal(got.Y, want.Y) || !slices.Equal(got.Cb, want.Cb) {
			t.Errorf("%s: the pictures differ", cam.Name)
		}
	}
}

// TestSet tries to set each parameter to values inside and outside of its range.
func TestSet(t *testing.T) {
	cam := Perspective()
	p := DefaultParams()
	for _, d := range append(cam.Declare(&p), cam.DeclareKnock(&p)...) {
		if got, err := cam.Set(&p, d.Name, d.Max); err != nil || got != d.Max {
			t.Errorf("%s: %g, %v", d.Name, got, err)
		}
		for _, bad := range []float64{d.Max + 1, d.Min - 1, math.NaN(), math.Inf(1)} {
			if got, err := cam.Set(&p, d.Name, bad); err == nil || got != d.Max {
				t.Errorf("%s took %g as %g", d.Name, bad, got)
			}
		}
	}
	if _, err := cam.Set(&p, "zoom", 1); err == nil {
		t.Error("zoom was taken")
	}
	omni := Omnidirectional()
	if _, err := omni.Set(&p, "tilt", 0); err == nil {
		t.Error("a camera without a head took tilt")
	}
}

// TestNoAllocations renders pictures into buffers that have their size.
func TestNoAllocations(t *testing.T) {
	scene, params, picture := testScene(), DefaultParams(), Picture{}
	r := NewRenderer(Perspective(), MSLVenue(soccer.MSL18x12(), 1), 1)
	r.Render(&scene, &params, &picture)
	if n := testing.AllocsPerRun(5, func() { r.Render(&scene, &params, &picture) }); n != 0 {
		t.Errorf("%.0f allocations a picture", n)
	}
}

// BenchmarkRender draws pictures of a camera that stands, and of one that sways with each picture.
func BenchmarkRender(b *testing.B) {
	hall := MSLVenue(soccer.MSL18x12(), 1)
	for _, cam := range []Camera{Perspective(), Omnidirectional()} {
		for _, sway := range []float64{0, 0.005} {
			b.Run(fmt.Sprintf("%s/%v", cam.Name, sway), func(b *testing.B) {
				scene, params, picture := testScene(), DefaultParams(), Picture{}
				r := NewRenderer(cam, hall, 1)
				r.Render(&scene, &params, &picture)
				b.ReportAllocs()
				for b.Loop() {
					sway = -sway
					scene.Sway.Tilt = sway
					r.Render(&scene, &params, &picture)
				}
			})
		}
	}
}

// TestOptics sets what a robot assumes of its camera. The limits may be rounded to 32 bits.
func TestOptics(t *testing.T) {
	cam := Perspective()
	assumed := cam
	for _, p := range cam.DeclareOptics(&assumed) {
		for _, v := range []float64{p.Min, p.Max, float64(float32(p.Min)), float64(float32(p.Max)), p.Default} {
			if took, err := cam.SetOptics(&assumed, p.Name, v); err != nil || math.Abs(took-v) > 1e-5 {
				t.Errorf("%s %v: %v, %v", p.Name, v, took, err)
			}
		}
		for _, v := range []float64{p.Min - 0.01, p.Max + 0.01, math.NaN()} {
			if _, err := cam.SetOptics(&assumed, p.Name, v); !errors.Is(err, ErrParam) {
				t.Errorf("%s %v is accepted", p.Name, v)
			}
		}
	}
	if assumed != cam {
		t.Errorf("%+v, want the defaults", assumed)
	}
	if _, err := cam.SetOptics(&assumed, "pan", 0); !errors.Is(err, ErrParam) {
		t.Error("pan is one of the optics")
	}
	omni := Omnidirectional()
	if all := omni.DeclareOptics(&omni); all[len(all)-1].Name != "mirror" || all[len(all)-1].Now != 1 {
		t.Errorf("a mirror declares %+v", all)
	}
}
