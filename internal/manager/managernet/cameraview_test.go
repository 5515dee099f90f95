package managernet

import (
	"math"
	"sync"
	"testing"

	"touchline/internal/camera"

	"touchline/soccer"
	"touchline/wire/team"
)

// hall is the hall of all pictures.
var hall = sync.OnceValue(func() *camera.Venue { return camera.MSLVenue(soccer.MSL18x12(), 1) })

// shoot draws what a camera at a pose sees: a ball and the field.
func shoot(cam camera.Camera, at soccer.Pose, tilt float64) (*camera.Picture, *camera.View) {
	params := camera.DefaultParams()
	params.Tilt = tilt
	var p camera.Picture
	camera.NewRenderer(cam, hall(), 1).Render(&camera.Scene{
		Self: at, HasBall: true, Ball: soccer.Vec3{X: at.X + 2, Y: at.Y + 0.3, Z: soccer.BallRadius}, Light: 1,
	}, &params, &p)
	return &p, &camera.View{Tilt: tilt, Self: soccer.Localisation{Known: true, Pose: at}}
}

// shapes returns the shapes of a kind.
func shapes(m *team.Overlay, kind team.ShapeKind) (found []team.Shape) {
	for _, s := range m.Shapes {
		if s.Kind == kind {
			found = append(found, s)
		}
	}
	return found
}

// onLine returns the share of places on an overlay's lines up to 5 m away with a pixel of a white line within 2 px.
func onLine(eye *camera.Eye, p *camera.Picture, lines []team.Shape) float64 {
	table := camera.DefaultTable()
	white := func(x, y float64) bool {
		for v := int(y) - 2; v <= int(y)+2; v++ {
			for u := int(x) - 2; u <= int(x)+2; u++ {
				if u < 0 || v < 0 || u >= p.Width || v >= p.Height {
					continue
				}
				if i := v*p.Width + u; table[camera.Index(p.Y[i], p.Cb[i], p.Cr[i])] == camera.White {
					return true
				}
			}
		}
		return false
	}
	hits, all := 0, 0
	for _, s := range lines {
		for i := range len(s.Points) - 1 {
			a, b := s.Points[i], s.Points[i+1]
			for t := 0.0; t < 1; t += 0.1 {
				x := (float64(a.X) + t*float64(b.X-a.X)) / team.PixelScale
				y := (float64(a.Y) + t*float64(b.Y-a.Y)) / team.PixelScale
				if at, ok := eye.Floor(x, y, 0); !ok || at.Len() > 5 || at.Len() < 1 || x < 2 || y < 2 || x > float64(p.Width-3) || y > float64(p.Height-3) {
					continue
				}
				all++
				if white(x, y) {
					hits++
				}
			}
		}
	}
	return float64(hits) / float64(max(all, 1))
}

// The projected lines of the field lie on the white lines of the picture, and no longer when the robot is wrong about its
// pose; the ball has its distance, the horizon is at its height.
func TestOverlay(t *testing.T) {
	for _, cam := range []camera.Camera{camera.Perspective(), camera.Omnidirectional()} {
		t.Run(cam.Name, func(t *testing.T) {
			f := NewCameraView(cam, camera.DefaultConfig())
			tilt := 0.0
			if !cam.Mount.Down {
				tilt = -0.2
			}
			p, view := shoot(cam, soccer.Pose{X: 4}, tilt)
			var m team.Overlay
			f.overlay(p, view, &m)
			if _, err := m.AppendBinary(nil); err != nil {
				t.Fatal(err)
			}
			balls := shapes(&m, team.BallShape)
			if want := math.Hypot(2, 0.3); len(balls) != 1 || math.Abs(float64(balls[0].Distance)-want) > 0.15 || balls[0].Sigma <= 0 ||
				!balls[0].Closed {
				t.Errorf("balls %+v", balls)
			}
			eye := cam.Eye(0, tilt)
			right := onLine(&eye, p, shapes(&m, team.FieldLine))
			view.Self.Pose.Y, view.Self.Pose.X = 0.4, 4.4
			var wrong team.Overlay
			f.overlay(p, view, &wrong)
			if off := onLine(&eye, p, shapes(&wrong, team.FieldLine)); right < 0.85 || off > 0.6 {
				t.Errorf("%.2f of the projected lines are white, %.2f with a pose wrong by 0.6 m", right, off)
			}
			for _, h := range shapes(&m, team.Horizon) {
				for _, at := range h.Points {
					if ray := eye.Ray(float64(at.X)/team.PixelScale, float64(at.Y)/team.PixelScale); math.Abs(ray.Z) > 0.01 {
						t.Fatalf("a point of the horizon looks along %+v", ray)
					}
				}
			}
			if len(shapes(&m, team.Horizon)) == 0 || len(shapes(&m, team.LineDots)) != 1 {
				t.Error("no horizon, or no line points")
			}
			view.Self.Known = false
			if f.overlay(p, view, &m); len(shapes(&m, team.FieldLine)) > 0 {
				t.Error("a robot that does not know where it is projects lines")
			}
		})
	}
}

// A picture of another size has an unknown lens: nothing is drawn over it, but it is sent.
func TestOtherSize(t *testing.T) {
	f := NewCameraView(camera.Perspective(), camera.DefaultConfig())
	p, view := shoot(camera.Omnidirectional(), soccer.Pose{}, 0)
	m := team.Overlay{Shapes: make([]team.Shape, 3)}
	if f.overlay(p, view, &m); len(m.Shapes) != 0 {
		t.Errorf("%d shapes", len(m.Shapes))
	}
	var image team.Image
	for _, format := range []team.PictureFormat{team.JPEG, team.YCbCr, team.Classes} {
		if err := f.Encode(p, &team.PictureWish{Rate: 25, Format: format, Quality: 75}, &image); err != nil || image.Width != 480 {
			t.Errorf("%v: %d wide, %v", format, image.Width, err)
		}
	}
}

// A region of the classes is that part of the whole picture; one outside is refused.
func TestRegionOfClasses(t *testing.T) {
	f := NewCameraView(camera.Perspective(), camera.DefaultConfig())
	p, _ := shoot(camera.Perspective(), soccer.Pose{X: 4}, -0.2)
	wish := team.PictureWish{Rate: 25, Format: team.Classes, Divisor: 2, X: 52, Y: 40, Width: 104, Height: 80}
	var m team.Image
	if err := f.Encode(p, &wish, &m); err != nil || m.Width != 52 || m.Height != 40 || m.X != 52 || m.Y != 40 || m.Divisor != 2 {
		t.Fatalf("%+v, %v", m, err)
	}
	table := camera.DefaultTable()
	x, y := 0, 0
	for _, slice := range m.Slices {
		for i := 0; i < len(slice); i += 2 {
			for range int(slice[i+1]) + 1 {
				at := (40+2*y)*p.Width + 52 + 2*x
				if want := table[camera.Index(p.Y[at], p.Cb[at], p.Cr[at])]; slice[i] != byte(want) {
					t.Fatalf("at %d, %d: class %d, want %d", x, y, slice[i], want)
				}
				if x++; x == 52 {
					x, y = 0, y+1
				}
			}
		}
	}
	if y != 40 {
		t.Errorf("%d rows", y)
	}
	wish.X = 300
	if f.Encode(p, &wish, &m) == nil {
		t.Error("a region outside the picture is sent")
	}
}

func BenchmarkOverlay(b *testing.B) {
	for _, cam := range []camera.Camera{camera.Perspective(), camera.Omnidirectional()} {
		b.Run(cam.Name, func(b *testing.B) {
			f := NewCameraView(cam, camera.DefaultConfig())
			p, view := shoot(cam, soccer.Pose{X: 4}, 0)
			var m team.Overlay
			var bytes []byte
			b.ReportAllocs()
			for b.Loop() {
				f.overlay(p, view, &m)
				bytes, _ = m.AppendBinary(bytes[:0])
			}
			b.ReportMetric(float64(len(bytes)), "bytes")
		})
	}
}
