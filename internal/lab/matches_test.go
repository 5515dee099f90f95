package lab

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func short() Config {
	cfg := DefaultConfig()
	cfg.Seeds, cfg.Half = 3, 2*time.Second
	return cfg
}

// The same seeds give the same figures, and all matches end.
func TestSameSeeds(t *testing.T) {
	done := 0
	first, err := Run(t.Context(), short(), func(n int) { done = n })
	if err != nil || done != 3 || first.Matches != 3 || len(first.Failures) > 0 {
		t.Fatalf("got %d matches, %d at last, failures %v, error %v", first.Matches, done, first.Failures, err)
	}
	names, _ := Figures()
	for i := range first.Teams {
		if n := len(first.Teams[i].Figures); n != len(names) {
			t.Errorf("team %d has %d figures, want %d", i, n, len(names))
		}
		if c := first.Teams[i].Figures["coverage"]; !(c.Mean > 10 && c.Mean < 100) {
			t.Errorf("team %d covers %.1f %% of the field", i, c.Mean)
		}
	}
	if first.Teams[0].Won+first.Teams[1].Won+first.Drawn != 3 || first.Played.Mean < 2 {
		t.Errorf("got %+v", first)
	}
	if again, err := Run(t.Context(), short(), func(int) {}); err != nil || !reflect.DeepEqual(again, first) {
		t.Errorf("the same seeds gave\n%+v and\n%+v, error %v", first, again, err)
	}
}

// A team's figures are its own, on whichever side it plays: the robots of a team that stands still drive nowhere.
func TestSidesChange(t *testing.T) {
	cfg := short()
	cfg.Seeds = 2
	cfg.Other = "still"
	r, err := Run(t.Context(), cfg, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Teams[1].Figures["distance"]; d.Mean > 1 || r.Teams[1].Name != "still" {
		t.Errorf("%s drove %.1f m", r.Teams[1].Name, d.Mean)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Run(ctx, short(), func(int) {})
	if !errors.Is(err, context.Canceled) || r.Matches != 0 || len(r.Failures) > 0 {
		t.Errorf("got %d matches, failures %v, error %v", r.Matches, r.Failures, err)
	}
}

func TestRefuses(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"seeds: 0":    func(c *Config) { c.Seeds = 0 },
		"half: 1ms":   func(c *Config) { c.Half = time.Millisecond },
		"elves":       func(c *Config) { c.One = "elves" },
		"loss":        func(c *Config) { c.Link.Loss = 2 },
		"want 1 to 1": func(c *Config) { c.Seeds = 1 << 20 },
	} {
		cfg := short()
		change(&cfg)
		if _, err := Run(t.Context(), cfg, func(int) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
