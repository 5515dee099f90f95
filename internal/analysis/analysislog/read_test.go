package analysislog_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/internal/match"
	"touchline/matchlog"
	"touchline/soccer"
)

// testLog is a log that a test writes.
type testLog struct {
	*matchlog.Writer
	t    testing.TB
	path string
}

func newLog(t testing.TB) *testLog {
	t.Helper()
	path := filepath.Join(t.TempDir(), "match.mcap")
	w, err := matchlog.CreatePacked(path, map[string]string{matchlog.MetaHome: "one", matchlog.MetaAway: "two"})
	if err != nil {
		t.Fatal(err)
	}
	return &testLog{w, t, path}
}

func (l *testLog) write(at soccer.Time, channel string, v any) {
	l.t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = l.Write(matchlog.Message{Time: at, Published: at, Channel: channel, Data: data})
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// open ends and opens the log.
func (l *testLog) open() *matchlog.Log {
	l.t.Helper()
	if err := l.Close(); err != nil {
		l.t.Fatal(err)
	}
	opened, err := matchlog.Open(l.path)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { opened.Close() })
	return opened
}

// play plays a match, records what its figures are computed from, and returns them with the log.
func play(t testing.TB, seed uint64, half time.Duration) (analysis.TallyView, *matchlog.Log) {
	t.Helper()
	log := newLog(t)
	cfg := match.DefaultMatchConfig()
	cfg.Seed, cfg.Half, cfg.Link.Loss = seed, half, 0.1
	m, err := match.NewMatch(cfg, match.Tap{Sample: func(now soccer.Time, s *autoref.Scene, st *game.State) {
		truth := analysis.Truth(now, s)
		log.write(now, matchlog.Truth, &truth)
		log.write(now, matchlog.States, st)
	}})
	if err != nil {
		t.Fatal(err)
	}
	for !m.Over() {
		m.Advance(m.Now().Add(time.Second))
	}
	var v match.View
	m.View(&v)
	return v.Tally, log.open()
}

// The figures of a record are those of the match.
func TestFiguresOfRecord(t *testing.T) {
	for seed := range uint64(2) {
		want, l := play(t, seed+1, 30*time.Second)
		m, err := analysislog.Describe(l)
		if err != nil || m.Origin != analysis.FromTruth {
			t.Fatalf("got origin %q, error %v", m.Origin, err)
		}
		tally := analysis.NewTally(m.Field)
		err = m.Read(l, analysislog.Options{}, func(f *analysis.Frame) error {
			if !f.Told {
				t.Fatal("the record does not tell who handled the ball")
			}
			tally.Step(f.Time, &f.Scene, &f.State)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := tally.View(); !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: got\n%+v, want\n%+v", seed+1, got, want)
		}
	}
}
