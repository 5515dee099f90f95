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
	for i := range first.Table {
		for a, row := range first.Table[i] {
			if !slices.IsSortedFunc(row[:], func(a, b float64) int { return int((b - a) * 1000) }) {
				t.Errorf("layer %d, bearing %d: %v does not fall", i, a, row)
			}
		}
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

// The values are the nearest to the shots that fall with the distance: where more goals are seen farther away, all places
// there share the mean.
func TestXGFit(t *testing.T) {
	cfg := fewShots()
	var shots []shot
	for i := range 10_000 {
		d := []float64{1, 2, 3, 4}[i%4]
		goals := []int{9, 2, 4, 1}[i%4] // of 10
		s := shot{from: soccer.Vec{X: 9 - d}, outcome: saved}
		if i/4%10 < goals {
			s.outcome = scored
		}
		shots = append(shots, s)
	}
	table := fit(&cfg, shots)
	for d, want := range map[float64]float64{1: 0.9, 2: 0.3, 3: 0.3, 4: 0.1} {
		if got := table.At(&cfg.Field, soccer.Vec{X: 9 - d}, 0); math.Abs(got-want) > 0.01 {
			t.Errorf("from %v m: %v, want %v", d, got, want)
		}
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
