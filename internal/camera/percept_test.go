package camera

import (
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"touchline/soccer"
)

// sight is a scene before the goal of an MSL field, seen by a camera.
func sight(t testing.TB, cam Camera, change func(*Scene)) (Scene, *Picture, View) {
	t.Helper()
	s := Scene{
		Self: soccer.Pose{X: 5, Y: 0.5}, HasBall: true, Ball: soccer.Vec3{X: 7, Y: 0.2, Z: soccer.BallRadius}, Light: 1,
		Robots: []Body{
			{Pose: soccer.Pose{X: 8.3, Y: -0.5}, Color: soccer.Magenta}, {Pose: soccer.Pose{X: 7.2, Y: 1.2}, Color: soccer.Cyan},
		},
	}
	if change != nil {
		change(&s)
	}
	params, picture := DefaultParams(), Picture{}
	NewRenderer(cam, MSLVenue(soccer.MSL18x12(), 1), 1).Render(&s, &params, &picture)
	return s, &picture, View{Tilt: params.Tilt, Self: soccer.Localisation{Known: true, Pose: s.Self}}
}

func find(t testing.TB, cam Camera, p *Picture, v View) (Percepts, *Finder) {
	t.Helper()
	f := NewFinder(cam, DefaultConfig(), DefaultTable())
	var found Percepts
	if err := f.Find(p, &v, &found); err != nil {
		t.Fatal(err)
	}
	return found, f
}

// saveSegmented writes the segmented picture as PNG where CAMERA_PICTURES names a folder.
func saveSegmented(t testing.TB, name string, cam Camera, classes []Class) {
	dir := os.Getenv("CAMERA_PICTURES")
	if dir == "" {
		return
	}
	colors := [Classes][3]byte{
		{90, 90, 90}, {30, 130, 40}, {255, 255, 255}, {255, 120, 0}, {255, 220, 0}, {40, 60, 220}, {0, 0, 0}, {0, 200, 230},
		{220, 0, 160},
	}
	img := image.NewRGBA(image.Rect(0, 0, cam.Width, cam.Height))
	for i, c := range classes {
		img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3] = colors[c][0], colors[c][1], colors[c][2], 255
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

// TestPercepts compares all percepts of a picture with the scene.
func TestPercepts(t *testing.T) {
	for _, cam := range []Camera{Perspective(), Omnidirectional()} {
		t.Run(cam.Name, func(t *testing.T) {
			scene, picture, view := sight(t, cam, nil)
			found, f := find(t, cam, picture, view)
			saveSegmented(t, "segmented-"+cam.Name, cam, f.segmented())
			inField := func(p soccer.Vec) soccer.Vec { return soccer.Vec{X: p.X + scene.Self.X, Y: p.Y + scene.Self.Y} }

			if len(found.Balls) == 0 || found.Balls[0].Rejected != Accepted ||
				inField(found.Balls[0].Position.XY()).Sub(scene.Ball.XY()).Len() > 0.1 {
				t.Errorf("balls %+v", found.Balls)
			}
			for _, want := range scene.Robots {
				if !seenRobot(found.Obstacles, want, inField) {
					t.Errorf("no %v robot at %.1f %.1f: %+v", want.Color, want.Pose.X, want.Pose.Y, found.Obstacles)
				}
			}
			off, marks := 0, fieldMarks()
			for _, p := range found.Lines {
				nearest := math.Inf(1)
				for i := range marks {
					at := inField(p.Position)
					nearest = min(nearest, at.Sub(marks[i].Nearest(at)).Len())
				}
				if nearest > 0.03+0.02*p.Position.Len() {
					off++
				}
			}
			if len(found.Lines) < 40 || off*20 > len(found.Lines) {
				t.Errorf("%d line points, %d of them on no line", len(found.Lines), off)
			}
			if len(found.Segments) < 2 {
				t.Errorf("segments %+v", found.Segments)
			}
			if len(found.Posts) == 0 {
				t.Error("no goal post")
			}
			for _, p := range found.Posts {
				at := inField(p.Position)
				if math.Abs(at.X-9) > 0.4 || math.Abs(math.Abs(at.Y)-1.0625) > 0.2 {
					t.Errorf("a post at %.2f %.2f", at.X, at.Y)
				}
			}
		})
	}
}

// fieldMarks returns the lines of the field, with a penalty spot that is in view.
func fieldMarks() []soccer.Mark {
	f := soccer.MSL18x12()
	spot := soccer.Vec{X: float64(f.Length*0.5) - f.PenaltySpot}
	return append(f.Marks(), soccer.Mark{From: spot, To: spot})
}

func seenRobot(all []Obstacle, want Body, inField func(soccer.Vec) soccer.Vec) bool {
	for _, o := range all {
		if o.Color == want.Color && inField(o.Position).Sub(want.Pose.XY()).Len() < 0.35 {
			return true
		}
	}
	return false
}

// TestRejections shows the Finder what looks like a ball and is none.
func TestRejections(t *testing.T) {
	cam := Perspective()
	for _, c := range []struct {
		name   string
		change func(*Scene)
		self   soccer.Pose
		want   Reason
	}{
		{"a ball in the air", func(s *Scene) { s.Ball.Z = 0.75 }, soccer.Pose{}, AboveHorizon},
		{"a ball that flies low", func(s *Scene) { s.Ball.Z = 0.35 }, soccer.Pose{}, WrongSize},
		{"a ball beyond the lines", func(*Scene) {}, soccer.Pose{X: 7.8, Y: 0.5}, OutsideField},
	} {
		_, picture, view := sight(t, cam, c.change)
		if c.self != (soccer.Pose{}) {
			view.Self.Pose = c.self
		}
		found, _ := find(t, cam, picture, view)
		ok := false
		for _, b := range found.Balls {
			if b.Rejected == Accepted {
				t.Errorf("%s: accepted %+v", c.name, b)
			}
			ok = ok || b.Rejected == c.want
		}
		if !ok {
			t.Errorf("%s: want %q: %+v", c.name, c.want, found.Balls)
		}
	}
}

// TestWrongPictures gives the Finder pictures of another size, and with a header that lies.
func TestWrongPictures(t *testing.T) {
	f := NewFinder(Perspective(), DefaultConfig(), DefaultTable())
	var found Percepts
	for _, p := range []Picture{{}, {Width: 208, Height: 160}, {Width: 1 << 40, Height: 1 << 40}} {
		if err := f.Find(&p, &View{}, &found); err == nil {
			t.Errorf("a picture of %d x %d px was accepted", p.Width, p.Height)
		}
	}
}

// FuzzFind feeds any pixels to a Finder: it neither panics nor reports a place that is not a number.
func FuzzFind(f *testing.F) {
	cam := Perspective()
	finder := NewFinder(cam, DefaultConfig(), DefaultTable())
	_, picture, _ := sight(f, cam, nil)
	f.Add(picture.Cr[:4000], 0.0, -0.2)
	f.Fuzz(func(t *testing.T, data []byte, pan, tilt float64) {
		p := Picture{}
		p.Resize(cam.Width, cam.Height)
		for i := range p.Y {
			if len(data) > 2 {
				p.Y[i], p.Cb[i], p.Cr[i] = data[i%len(data)], data[(7*i+1)%len(data)], data[(3*i+2)%len(data)]
			}
		}
		var found Percepts
		if err := finder.Find(&p, &View{Pan: pan, Tilt: tilt}, &found); err != nil {
			t.Fatal(err)
		}
		for _, b := range found.Balls {
			if b.Rejected == Accepted && !(b.Position.XY().Len() < 100) {
				t.Errorf("a ball at %v", b.Position)
			}
		}
	})
}

// TestPerceptNoAllocations finds percepts with buffers that have their size.
func TestPerceptNoAllocations(t *testing.T) {
	cam := Perspective()
	_, picture, view := sight(t, cam, nil)
	found, f := find(t, cam, picture, view)
	if n := testing.AllocsPerRun(10, func() { _ = f.Find(picture, &view, &found) }); n != 0 {
		t.Errorf("%.0f allocations a picture", n)
	}
}

func BenchmarkFind(b *testing.B) {
	for _, cam := range []Camera{Perspective(), Omnidirectional()} {
		b.Run(cam.Name, func(b *testing.B) {
			_, picture, view := sight(b, cam, nil)
			found, f := find(b, cam, picture, view)
			b.ReportAllocs()
			for b.Loop() {
				_ = f.Find(picture, &view, &found)
			}
		})
	}
}
