package lab

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/analysis"
	"touchline/soccer"
)

func fewShots() XGConfig {
	cfg := DefaultXGConfig()
	cfg.Shots, cfg.Checks = 100, 100
	return cfg
}

// The same seed gives the same shots and the same table, on any number of cores; another seed gives others.
func TestXGRun(t *testing.T) {
	done := 0
	first, err := XGRun(t.Context(), fewShots(), func(n int) { done = n })
	if err != nil || done != 200 || first.Situations < 200 {
		t.Fatalf("%d shots done, %d situations, error %v", done, first.Situations, err)
	}
	shots := 0
	for _, n := range first.Outcomes {
		shots += n
	}
	if goals := first.Outcomes["goal"]; shots != 100 || goals < 5 || goals > 60 || first.Outcomes["saved"] == 0 {
		t.Errorf("outcomes %v", first.Outcomes)
	}
	n := 0
	for _, b := range first.Bins {
		n += b.Shots
	}
	if len(first.Bins) != 10 || n != 100 || !(first.Brier > 0 && first.Brier < 1) {
		t.Errorf("%d shots in %d bins, Brier score %v", n, len(first.Bins), first.Brier)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	check := fewShots()
	check.Shots = 0
	if r, err := XGRun(t.Context(), check, func(int) {}); err != nil || r.Brier != r.Before.Brier || r.Checks != 100 ||
		math.Abs(r.Goals-r.Before.Goals) > 1e-9 {
		t.Errorf("without shots: %+v, %v", r, err)
	}
	if again, err := XGRun(t.Context(), fewShots(), func(int) {}); err != nil || !reflect.DeepEqual(again, first) {
		t.Errorf("the same seed gave\n%+v and\n%+v, error %v", first, again, err)
	}
	other := fewShots()
	other.Seed = 2
	if r, err := XGRun(t.Context(), other, func(int) {}); err != nil || reflect.DeepEqual(r.Table, first.Table) {
		t.Errorf("another seed gave the same table, error %v", err)
	}
}

// The table is as right as the shots are many: with one place and opening it has their share of goals, and between places
// it may rise with the distance.
func TestXGFit(t *testing.T) {
	cfg := fewShots()
	var shots []shot
	share := map[float64]int{1: 9, 2: 2, 3: 4, 4: 1} // of 10
	for i := range 40_000 {
		d := float64(1 + i%4)
		s := shot{from: soccer.Vec{X: 9 - d}, opening: 0.1 * float64(i/4%2), outcome: saved}
		if i/8%10 < share[d] {
			s.outcome = scored
		}
		shots = append(shots, s)
	}
	table := fit(&cfg, shots)
	for d, want := range share {
		for _, opening := range []float64{0, 0.05, 0.1} {
			if got := table.At(&cfg.Field, soccer.Vec{X: 9 - d}, opening); math.Abs(got-float64(want)/10) > 0.01 {
				t.Errorf("from %v m, opening %v: %v, want 0.%d", d, opening, got, want)
			}
		}
	}
}

// The bins hold equally many shots by their xG, and the verdict is that of the worst one.
func TestXGBins(t *testing.T) {
	cfg := fewShots()
	cfg.Shots = 0
	var shots []shot
	for i := range 1000 {
		s := shot{from: soccer.Vec{X: 9 - 0.01*float64(i%100)}, opening: 0.1, outcome: saved}
		if analysis.XG(&cfg.Field, s.from, s.opening) > float64(i/100)/10+0.05 {
			s.outcome = scored
		}
		shots = append(shots, s)
	}
	r := newXGReport(&cfg, shots, nil)
	for i, b := range r.Bins {
		if b.Shots != 100 || b.From > b.XG+1e-9 || b.XG > b.To+1e-9 || i > 0 && b.From < r.Bins[i-1].To {
			t.Errorf("bin %d: %+v", i, b)
		}
	}
	if !r.Within != slices.ContainsFunc(r.Bins, func(b XGBin) bool { return math.Abs(b.XG-b.Goals) > 0.03 }) || r.Top.Shots != 10 {
		t.Errorf("within %v, top %+v", r.Within, r.Top)
	}
	for i := range shots {
		shots[i].outcome = scored
	}
	if r := newXGReport(&cfg, shots, nil); r.Within {
		t.Errorf("all shots are goals, and within is true")
	}
}

// A match gives its shots with their xG.
func TestXGPlay(t *testing.T) {
	r, err := XGPlay(t.Context(), 1, 2, 40*time.Second, func(int) {})
	if err != nil || r.Shots == 0 || !(r.XG > 0 && r.XG < float64(r.Shots)) || r.Goals > r.Shots {
		t.Errorf("got %+v, error %v", r, err)
	}
}

func TestXGRefuses(t *testing.T) {
	for want, change := range map[string]func(*XGConfig){
		"shots 1: want 100":  func(c *XGConfig) { c.Shots = 1 },
		"shots 1000000000":   func(c *XGConfig) { c.Shots = 1e9 },
		"checks 0: want 100": func(c *XGConfig) { c.Checks = 0 },
	} {
		cfg := fewShots()
		change(&cfg)
		if _, err := XGRun(t.Context(), cfg, func(int) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := XGRun(ctx, fewShots(), func(int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
}
