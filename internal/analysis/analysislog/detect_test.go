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

// compared compares what the detector finds in a match with what the simulator tells.
type compared struct {
	passes, shots score
	worst, total  float64 // difference of the teams' possession: largest, and sum
	matches       int
}

func (c *compared) add(t testing.TB, seed uint64) {
	told, found := both(t, seed, time.Minute)
	c.passes.count(told.Events(), found.Events(), pass)
	c.shots.count(told.Events(), found.Events(), shot)
	a, b := told.View(), found.View()
	off := max(math.Abs(a.Home.Possession-b.Home.Possession), math.Abs(a.Away.Possession-b.Away.Possession))
	c.worst, c.total, c.matches = max(c.worst, off), c.total+off, c.matches+1
	if math.Abs(a.Home.Distance-b.Home.Distance) > 0.001*a.Home.Distance {
		t.Errorf("seed %d: robots drove %.1f m, found %.1f m", seed, a.Home.Distance, b.Home.Distance)
	}
}

// Without what the simulator tells, the detector finds nearly the same passes, shots and possession. It cannot see from ten
// samples a second who was last at the ball in a duel.
func TestDetector(t *testing.T) {
	var c compared
	for seed := range uint64(3) {
		c.add(t, 100+seed)
	}
	if c.passes.f1() < 0.85 || c.shots.f1() < 0.75 || c.worst > 0.05 {
		t.Errorf("passes F1 %.3f, shots F1 %.3f, possession off by %.3f", c.passes.f1(), c.shots.f1(), c.worst)
	}
}

// BenchmarkDetector measures the detector: -benchtime 200x plays 200 matches of 2 x 1 min.
func BenchmarkDetector(b *testing.B) {
	var c compared
	for b.Loop() {
		c.add(b, 1000+uint64(c.matches))
	}
	b.ReportMetric(c.passes.f1(), "passes-F1")
	b.ReportMetric(c.shots.f1(), "shots-F1")
	b.ReportMetric(100*c.total/float64(c.matches), "possession-points")
	b.ReportMetric(100*c.worst, "worst-points")
}
