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

// A log of what a monitor of another league heard has the score, the parts and the names that it heard. Its walls draw home
// attacking +x in each part; frames are in the field frame, in which the teams change ends.
func TestHeardGame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heard.mcap")
	w, err := matchlog.CreatePacked(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	log := &testLog{w, t, path}
	figure := map[string]any{"number": 7, "color": soccer.Cyan, "shape": "robot", "self": true, "pose": soccer.Pose{X: 3, Y: 1}}
	scene := map[string]any{"ball": map[string]any{"x": 2, "y": 1, "age": 100}, "robots": []any{figure}}
	wall := map[string]any{
		"field": soccer.HSLMiddle(), "fused": scene,
		"tiles": []any{map[string]any{"number": 7, "color": soccer.Cyan, "state": "live", "belief": scene}},
		"game":  map[string]any{"home": map[string]any{"name": "B-Human"}, "away": map[string]any{"name": "HULKs"}},
	}
	st := game.State{Part: game.FirstHalf, Running: true}
	log.write(soccer.Epoch, matchlog.States, &st)
	log.write(soccer.Epoch+1, matchlog.TopicPrefix+"wall", wall)
	st.Part, st.Running, st.Home.Goals, st.Goal = game.SecondHalf, false, 1, game.Home
	second := soccer.Epoch.Add(time.Minute)
	log.write(second, matchlog.States, &st)
	log.write(second+1, matchlog.TopicPrefix+"wall", wall)
	l := log.open()
	m, err := analysislog.Describe(l)
	if err != nil || m.Origin != analysis.FromPackages || m.Names != [2]string{"B-Human", "HULKs"} || m.Field.Length != 14 {
		t.Fatalf("match %+v, error %v", m, err)
	}
	var x, ball, believed []float64
	var states []game.State
	err = m.Read(l, analysislog.Options{Beliefs: true}, func(f *analysis.Frame) error {
		x, ball = append(x, f.Scene.Robots[0].Pose.X), append(ball, f.Scene.Ball.X)
		believed, states = append(believed, f.Beliefs[0].Ball.X), append(states, f.State)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{3, -3}; !reflect.DeepEqual(x, want) {
		t.Errorf("home's robot is at x %v, want %v", x, want)
	}
	if want := []float64{2, -2}; !reflect.DeepEqual(ball, want) || !reflect.DeepEqual(believed, want) {
		t.Errorf("the ball is at x %v, and believed at %v, want %v", ball, believed, want)
	}
	if len(states) != 2 || !states[0].Running || states[1].Running || states[1].Part != game.SecondHalf || states[1].Home.Goals != 1 {
		t.Errorf("states %+v", states)
	}
}
