package selfloc

import (
	"math"
	"testing"

	"touchline/soccer"
)

// The map finds the nearest line as well as a search through all of them, except near cells with three lines at hand.
func TestLineMap(t *testing.T) {
	for _, f := range []soccer.Field{soccer.MSL18x12(), soccer.MSL22x14()} {
		m, marks := newLineMap(&f), f.Marks()
		off, n := 0, 0
		for x := -f.Length/2 - 3; x < f.Length/2+3; x += 0.083 {
			for y := -f.Width/2 - 3; y < f.Width/2+3; y += 0.091 {
				p, least := soccer.Vec{X: x, Y: y}, math.Inf(1)
				for i := range marks {
					least = min(least, p.Sub(marks[i].Nearest(p)).Len())
				}
				got := m.offset(p).Len()
				if n++; got > least+1e-9 {
					off++
				}
				if got > least+0.1 && math.Abs(x) < f.Length/2+margin && math.Abs(y) < f.Width/2+margin {
					t.Fatalf("%s: %v is %.3f m from a line, the map says %.3f m", f.Name, p, least, got)
				}
			}
		}
		if off > n/200 {
			t.Errorf("%s: at %d of %d points the map takes another line", f.Name, off, n)
		}
	}
}

func TestInverse(t *testing.T) {
	m := matrix{4, 1, 0.5, 3, -0.2, 2}
	inv, ok := inverse(&m)
	if !ok {
		t.Fatal("no inverse")
	}
	for i := range 3 {
		var e vector
		e[i] = 1
		got := times(&m, times(&inv, e))
		for k := range got {
			if math.Abs(got[k]-e[k]) > 1e-12 {
				t.Errorf("M M^-1 e%d = %v", i, got)
			}
		}
	}
	if tr := trace(&m, &inv); math.Abs(tr-3) > 1e-12 {
		t.Errorf("trace of M M^-1 is %v", tr)
	}
	if _, ok := inverse(&matrix{1, 1, 0, 1, 0, 1}); ok {
		t.Error("a singular matrix has an inverse")
	}
}

func TestComposeAndBetween(t *testing.T) {
	a, b := soccer.Pose{X: 1, Y: -2, Theta: 2}, soccer.Pose{X: 0.3, Y: 0.7, Theta: -3}
	back := a.Relative(a.Compose(b))
	if d := change(back, b); math.Abs(d[0])+math.Abs(d[1])+math.Abs(d[2]) > 1e-12 {
		t.Errorf("got %+v, want %+v", back, b)
	}
}
