package lab

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"
)

func TestInterval(t *testing.T) {
	scores := []*score{{played: 1}, {played: 2}, {played: 3}, {played: 6}}
	f := interval(scores, func(s *score) float64 { return s.played })
	// The deviation is sqrt(14/3), that of the mean half of it.
	if half := 1.96 * math.Sqrt(14.0/3) / 2; f.Mean != 3 || math.Abs(f.CI[0]-(3-half)) > 1e-9 ||
		math.Abs(f.CI[1]-(3+half)) > 1e-9 {
		t.Errorf("got %+v", f)
	}
	if f := interval(scores[:1], func(s *score) float64 { return s.played }); f != (Figure{Mean: 1}) {
		t.Errorf("one match: got %+v", f)
	}
	if f := interval(nil, nil); f != (Figure{}) {
		t.Errorf("no match: got %+v", f)
	}
}

// A panic is reported with its place.
func TestWhere(t *testing.T) {
	defer func() {
		if p := recover(); p == nil {
			t.Error("no panic")
		}
		if at := where(debug.Stack()); !strings.Contains(at, "internal/lab/report_internal_test.go:") {
			t.Errorf("got %q", at)
		}
	}()
	var s *score
	s.played++ // panics
}
