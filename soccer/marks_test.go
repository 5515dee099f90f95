package soccer_test

import (
	"math"
	"testing"

	"touchline/soccer"
)

// The lines of a field lie on it and are the same when the field is turned by half a turn.
func TestMarksAreSymmetric(t *testing.T) {
	for _, f := range []soccer.Field{soccer.MSL18x12(), soccer.MSL22x14(), soccer.VSS3v3(), soccer.VSS5v5()} {
		marks := f.Marks()
		distance := func(p soccer.Vec) float64 {
			least := math.Inf(1)
			for i := range marks {
				least = min(least, p.Sub(marks[i].Nearest(p)).Len())
			}
			return least
		}
		for x := -f.Length; x <= f.Length; x += f.Length / 41 {
			for y := -f.Width; y <= f.Width; y += f.Width / 37 {
				p := soccer.Vec{X: x, Y: y}
				if d, turned := distance(p), distance(p.Turned()); math.Abs(d-turned) > 1e-9 {
					t.Fatalf("%s: %v is %.3f m from a line, the opposite point %.3f m", f.Name, p, d, turned)
				}
				for i := range marks {
					if n := marks[i].Nearest(p); math.Abs(n.X) > f.Length/2+1e-9 || math.Abs(n.Y) > f.Width/2+1e-9 {
						t.Fatalf("%s: mark %d reaches %v, off the field", f.Name, i, n)
					}
				}
			}
		}
	}
}

func TestNearestPointOfAMark(t *testing.T) {
	f := soccer.MSL18x12()
	corner := soccer.Mark{Centre: soccer.Vec{X: 9, Y: 6}, Toward: soccer.Vec{X: -1, Y: -1}, Radius: 0.75}
	circle := soccer.Mark{Radius: f.CircleRadius}
	line := soccer.Mark{From: soccer.Vec{X: -9, Y: 6}, To: soccer.Vec{X: 9, Y: 6}}
	for _, c := range []struct {
		mark    soccer.Mark
		p, want soccer.Vec
	}{
		{line, soccer.Vec{X: 2, Y: 4}, soccer.Vec{X: 2, Y: 6}},
		{line, soccer.Vec{X: 12, Y: 7}, soccer.Vec{X: 9, Y: 6}},
		{circle, soccer.Vec{X: 0, Y: -5}, soccer.Vec{X: 0, Y: -2}},
		{circle, soccer.Vec{}, soccer.Vec{X: 2, Y: 0}},
		{corner, soccer.Vec{X: 6, Y: 2}, soccer.Vec{X: 9 - 0.45, Y: 6 - 0.6}},
		{corner, soccer.Vec{X: 10, Y: 3}, soccer.Vec{X: 9, Y: 5.25}},
		{corner, soccer.Vec{X: 8, Y: 7}, soccer.Vec{X: 8.25, Y: 6}},
	} {
		if got := c.mark.Nearest(c.p); got.Sub(c.want).Len() > 1e-9 {
			t.Errorf("nearest to %v: got %v, want %v", c.p, got, c.want)
		}
	}
}

// A ray crosses a straight mark once, a circle twice, and only the quarter of it that an arc is.
func TestCrossings(t *testing.T) {
	line := soccer.Mark{From: soccer.Vec{X: 2, Y: -1}, To: soccer.Vec{X: 2, Y: 1}}
	circle := soccer.Mark{Centre: soccer.Vec{X: 3}, Radius: 1}
	arc := circle
	arc.Toward = soccer.Vec{X: -1, Y: 1}
	ahead := soccer.Vec{X: 1}
	for name, c := range map[string]struct {
		mark      soccer.Mark
		from, to  soccer.Vec
		near, far float64
	}{
		"a line":              {line, soccer.Vec{}, ahead, 2, -1},
		"beside a line":       {line, soccer.Vec{Y: 1.5}, ahead, -1, -1},
		"along a line":        {line, soccer.Vec{}, soccer.Vec{Y: 1}, -1, -1},
		"a circle":            {circle, soccer.Vec{}, ahead, 2, 4},
		"beside a circle":     {circle, soccer.Vec{Y: 2}, ahead, -1, -1},
		"the half of a chord": {arc, soccer.Vec{Y: 0.6}, ahead, 2.2, -1},
	} {
		near, far := c.mark.Crossings(c.from, c.to)
		if math.Abs(near-c.near) > 1e-9 || math.Abs(far-c.far) > 1e-9 {
			t.Errorf("%s: got %g and %g, want %g and %g", name, near, far, c.near, c.far)
		}
	}
}
