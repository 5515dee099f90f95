package camera

import (
	"math"
	"testing"

	"touchline/soccer"
)

// TestLabel compares the labels of a scene with where its things are, and with the colours of its picture.
func TestLabel(t *testing.T) {
	hall := MSLVenue(soccer.MSL18x12(), 1)
	for _, cam := range []Camera{Perspective(), Omnidirectional()} {
		scene, params, picture := testScene(), DefaultParams(), Picture{}
		r := NewRenderer(cam, hall, 1)
		things := r.Label(&scene, &params, nil)
		r.Render(&scene, &params, &picture)
		eye := cam.EyeAt(scene.Self, params.Pan, params.Tilt)
		for _, want := range []struct {
			at    soccer.Vec3
			thing Thing
		}{
			{scene.Ball, Ball}, {soccer.Vec3{X: 8.06, Y: -0.5, Z: 0.2}, RobotBody},
			{soccer.Vec3{X: 8.06, Y: -0.5, Z: 0.48}, MagentaMarker}, {soccer.Vec3{X: 6.96, Y: 1.13, Z: 0.48}, CyanMarker},
			{soccer.Vec3{X: 6.75, Y: -0.1}, FieldLine}, {soccer.Vec3{X: 6.3, Y: 0.3}, Carpet},
		} {
			x, y, ok := eye.Pixel(want.at)
			if got := things[int(math.Round(y))*cam.Width+int(math.Round(x))]; !ok || got != want.thing {
				t.Errorf("%s at %.0f %.0f: %v, want %v", cam.Name, x, y, got, want.thing)
			}
		}
		var seen, like [Things]int
		for i, thing := range things {
			seen[thing]++
			y, cb, cr := int(picture.Y[i]), int(picture.Cb[i]), int(picture.Cr[i])
			if [...]bool{
				true, cb < 128 && cr < 120, y > 110, cr > cb+25, y > 100, y < 90, cb > cr+20, cr > 135,
			}[thing] {
				like[thing]++
			}
		}
		for thing := range Things {
			if seen[thing] < 20 || like[thing]*10 < seen[thing]*7 {
				t.Errorf("%s: of %d pixels of %v, %d have its colour", cam.Name, seen[thing], thing, like[thing])
			}
		}
		if n := testing.AllocsPerRun(3, func() { things = r.Label(&scene, &params, things) }); n != 0 {
			t.Errorf("%.0f allocations", n)
		}
	}
}
