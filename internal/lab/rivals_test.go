package lab

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// rivalry plays a few games of a protocol.
func rivalry(t testing.TB, name RivalsName, change func(*RivalsConfig)) RivalsReport {
	t.Helper()
	cfg := DefaultRivalsConfig()
	cfg.Protocol, cfg.Seeds = name, 8
	if change != nil {
		change(&cfg)
	}
	r, err := RivalsRun(t.Context(), cfg, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The lease is better than each other protocol, with fewer messages, on a network that loses little or much, alone or in
// bursts. The figures of docs/booking.md come from more games.
func TestLeaseIsBetter(t *testing.T) {
	for _, network := range [][2]float64{{0, 0}, {0.3, 0}, {0.3, 5}, {0.5, 0}} {
		set := func(c *RivalsConfig) { c.Loss, c.Burst = network[0], network[1] }
		lease := rivalry(t, Lease, set)
		for _, name := range []RivalsName{Literal, Nearest, Auction} {
			other := rivalry(t, name, set)
			for what, pair := range map[string][2]float64{
				"double": {lease.Double, other.Double}, "zero": {lease.Zero, other.Zero},
				"hand-overs": {lease.Handovers, other.Handovers}, "median crash gap": {lease.Gap.P50, other.Gap.P50},
				"messages": {lease.Messages, other.Messages},
			} {
				if what == "median crash gap" && network[0] == 0.5 {
					continue // too close for so few games
				}
				if pair[0] >= pair[1] {
					t.Errorf("loss %v: %s: %v of the lease, %v of %s", network, what, pair[0], pair[1], name)
				}
			}
		}
		const most = 510 // ms
		if lease.Gap.Max > most || lease.Gap.Crashes < 50 {
			t.Errorf("loss %v: %d crashes, crash gap up to %v ms, want at most %v", network, lease.Gap.Crashes, lease.Gap.Max, most)
		}
	}
}

// The same seeds give the same bytes, however many games run at a time.
func TestSameSeedsSameFigures(t *testing.T) {
	for _, name := range Names() {
		var printed []string
		for range 2 {
			b, err := json.Marshal(rivalry(t, name, func(c *RivalsConfig) { c.Burst = 3; c.Length = 30 * time.Second }))
			if err != nil {
				t.Fatal(err)
			}
			printed = append(printed, string(b))
		}
		if printed[0] != printed[1] {
			t.Errorf("%s:\n%s\n%s", name, printed[0], printed[1])
		}
		other, _ := json.Marshal(rivalry(t, name, func(c *RivalsConfig) { c.First, c.Length = 100, 30*time.Second }))
		if string(other) == printed[0] {
			t.Errorf("%s: other seeds give the same figures", name)
		}
	}
}

// Robots that start at once, in lock-step, agree on one booker within three renewals of the lease.
func TestLockStepStart(t *testing.T) {
	r := rivalry(t, Lease, func(c *RivalsConfig) {
		c.Scene, c.Loss, c.Seeds, c.Length = LockStep, 0, 100, time.Second
	})
	if r.Start.Never > 0 || r.Start.Max > 150 {
		t.Errorf("one booker after up to %v ms, in %d games never: want at most 150 ms", r.Start.Max, r.Start.Never)
	}
}

// Two robots at equal distances with a noise of 9 cm do not take the ball from each other; without a hysteresis they do.
func TestEqualDistances(t *testing.T) {
	set := func(c *RivalsConfig) {
		c.Scene, c.Robots, c.Loss, c.Seeds, c.Length = Equal, 2, 0, 2, 10*time.Minute
	}
	if r := rivalry(t, Lease, set); r.Handovers != 0 || r.One < 99.9 {
		t.Errorf("%v hand-overs a minute, one booker %v %% of the time: want none, and always", r.Handovers, r.One)
	}
	if r := rivalry(t, Nearest, set); r.Handovers < 10 {
		t.Errorf("nearest: %v hand-overs a minute: the distances are not equal", r.Handovers)
	}
}

// The lease with few messages stays within 1,200 in a game of 20 minutes when 30 % of them are lost.
func TestBudget(t *testing.T) {
	if r := rivalry(t, Budget, nil); r.PerGame > 1250 || r.Double > 10 || r.Gap.Max > 6000 {
		t.Errorf("%v messages in a game, two bookers %v %% of the time, crash gap up to %v ms", r.PerGame, r.Double, r.Gap.Max)
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*RivalsConfig){
		"robots 17: want 2 to 16": func(c *RivalsConfig) { c.Robots = 17 },
		"seeds 0: want 1":         func(c *RivalsConfig) { c.Seeds = 0 },
		"length 0s: want 1s":      func(c *RivalsConfig) { c.Length = 0 },
		"loss 1: want a share":    func(c *RivalsConfig) { c.Loss = 1 },
		"loss -1: want a share":   func(c *RivalsConfig) { c.Loss = -1 },
		"burst -1: want a mean":   func(c *RivalsConfig) { c.Burst = -1 },
	} {
		cfg := DefaultRivalsConfig()
		change(&cfg)
		if _, err := RivalsRun(t.Context(), cfg, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// An interrupted batch reports the games that are done.
func TestRivalsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := DefaultRivalsConfig()
	cfg.Length = time.Second
	r, err := RivalsRun(ctx, cfg, func(done int) {
		if done == 10 {
			cancel()
		}
	})
	if err == nil || r.Seeds < 10 || r.Seeds > 500 || r.One == 0 {
		t.Errorf("%v after %d games, one booker %v %%", err, r.Seeds, r.One)
	}
}

func BenchmarkGame(b *testing.B) {
	for _, name := range Names() {
		b.Run(string(name), func(b *testing.B) {
			b.ReportAllocs()
			rivalry(b, name, func(c *RivalsConfig) { c.Seeds = b.N })
		})
	}
}
