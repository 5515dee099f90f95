package analysislog_test

import (
	"math"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/match"
	"touchline/soccer"
)

// both counts the figures of matches twice: with what the simulator tells of touches and kicks, and with what the
// detector finds.
func both(t testing.TB, seed uint64, half time.Duration) (told, found *analysis.Tally) {
	t.Helper()
	cfg := match.DefaultMatchConfig()
	cfg.Seed, cfg.Half, cfg.Link.Loss = seed, half, 0.1
	told, found = analysis.NewTally(cfg.Field), analysis.NewTally(cfg.Field)
	told.Keep, found.Keep = analysis.MostEvents, analysis.MostEvents
	var detector analysis.Detector
	var frame analysis.Frame
	m, err := match.NewMatch(cfg, match.Tap{Sample: func(now soccer.Time, s *autoref.Scene, st *game.State) {
		told.Step(now, s, st)
		truth := analysis.Truth(now, s)
		truth.Contacts = nil
		frame.Time, frame.State, frame.Known = now, *st, true
		frame.Told = analysis.Restore(&frame.Scene, &truth)
		detector.Fill(&frame)
		found.Step(now, &frame.Scene, &frame.State)
	}})
	if err != nil {
		t.Fatal(err)
	}
	for !m.Over() {
		m.Advance(m.Now().Add(time.Second))
	}
	return told, found
}

// score compares events of a kind.
type score struct{ right, told, found int }

func (s *score) f1() float64 { return 2 * float64(s.right) / float64(max(s.told+s.found, 1)) }

func (s *score) count(told, found []analysis.Event, kind func(*analysis.Event) bool) {
	used := map[int]bool{}
	for i := range found {
		if kind(&found[i]) {
			s.found++
		}
	}
	for i := range told {
		a := &told[i]
		if !kind(a) {
			continue
		}
		s.told++
		best, at := -1, time.Second
		for k := range found {
			b := &found[k]
			off := b.At.Sub(a.At).Abs()
			if kind(b) && !used[k] && b.By == a.By && off < at {
				best, at = k, off
			}
		}
		if best >= 0 {
			s.right++
			used[best] = true
		}
	}
}

func pass(e *analysis.Event) bool { return e.Kind == analysis.Passed && e.Success }
func shot(e *analysis.Event) bool { return e.Kind == analysis.Shot }

// Without what the simulator tells, the detector finds nearly the same passes, shots and possession. It cannot see from ten
// samples a second who was last at the ball in a duel.
func TestDetector(t *testing.T) {
	var passes, shots score
	worst := 0.0
	for seed := range uint64(4) {
		told, found := both(t, 100+seed, 2*time.Minute)
		passes.count(told.Events(), found.Events(), pass)
		shots.count(told.Events(), found.Events(), shot)
		a, b := told.View(), found.View()
		worst = max(worst, math.Abs(a.Home.Possession-b.Home.Possession), math.Abs(a.Away.Possession-b.Away.Possession))
		t.Logf("seed %d: possession %.3f %.3f, found %.3f %.3f; distance %.1f, found %.1f", 100+seed,
			a.Home.Possession, a.Away.Possession, b.Home.Possession, b.Away.Possession, a.Home.Distance, b.Home.Distance)
	}
	t.Logf("passes %+v F1 %.3f, shots %+v F1 %.3f, possession off by %.3f", passes, passes.f1(), shots, shots.f1(), worst)
	if passes.f1() < 0.9 || shots.f1() < 0.8 || worst > 0.05 {
		t.Errorf("passes F1 %.3f, shots F1 %.3f, possession off by %.3f", passes.f1(), shots.f1(), worst)
	}
}
