package playback

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// clock is a session whose time advances with each look at it.
type clock struct{ looks, paused atomic.Int64 }

func (c *clock) Wall(string) any {
	if c.paused.Load() == 0 {
		c.looks.Add(1)
	}
	spread := 0.25
	return &watch.Wall{
		Session: "test", Time: float64(c.looks.Load()) / 10, Spread: &spread,
		Marks: []watch.Mark{{Time: 0.1, Kind: "kick", Text: "kick-in"}},
	}
}

func (c *clock) Network(string) any { return watch.Network{Group: "test"} }

func state(t *Recorder) *State { return t.State("session").(*State) }

func newTape(dir string) *Recorder {
	return New(Config{Dir: dir, Meta: map[string]string{matchlog.MetaSize: "22x14"}},
		slog.New(slog.NewTextHandler(io.Discard, nil)))
}

// get answers a request from a tape's past.
func get(t *testing.T, tape *Recorder, url string, v any) (status int) {
	t.Helper()
	mux := http.NewServeMux()
	for pattern, h := range Handlers(tape.Player()) {
		mux.Handle(pattern, h)
	}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", url, nil))
	if err := json.Unmarshal(answer.Body.Bytes(), v); err != nil {
		t.Fatalf("%s: %s: %v", url, answer.Body, err)
	}
	return answer.Code
}

// A tape keeps what a session shows, serves it, and records it when asked to.
func TestTape(t *testing.T) {
	dir := t.TempDir()
	tape, session := newTape(dir), new(clock)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tape.Run(ctx, session) }()
	if err := tape.Start(""); err != nil {
		t.Fatal(err)
	}
	if err := tape.Start(""); err == nil {
		t.Error("a second recording was started beside the first")
	}
	for range 1000 { // a flood
		tape.Packet(&soccer.Packet{Time: soccer.Epoch, Channel: "224.16.32.75:2005", Data: []byte("robot")})
	}
	wiretest.Eventually(t, "two seconds are kept", func() bool { return state(tape).To >= 2 })
	session.paused.Store(1)
	running := state(tape).Recording
	if running == nil || !running.Running || running.Bytes == 0 || running.Dropped != 0 {
		t.Errorf("the state of the recording is %+v", running)
	}
	if err := tape.Stop(); err != nil {
		t.Fatal(err)
	}
	finished := state(tape).Recording
	if finished == nil || finished.Running || finished.Error != "" || !strings.HasPrefix(finished.File, "session_") {
		t.Fatalf("the state of the finished recording is %+v", finished)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	l, err := matchlog.Open(filepath.Join(dir, finished.File))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, c := range l.Info().Channels {
		counts[c.Name] = c.Count
	}
	if counts[matchlog.Packets] != 1000 || counts[WallChannel] < 19 || counts[NetworkChannel] < 3 ||
		counts[SceneChannel] < 15 || counts[FieldChannel] != 1 ||
		l.Schemas()[SceneChannel].Name != "foxglove.SceneUpdate" || l.Info().Meta[matchlog.MetaSize] != "22x14" {
		t.Errorf("the recording has %v and %v", counts, l.Info().Meta)
	}
	var frames struct{ Frames []Frame }
	if code := get(t, tape, "/api/session/frames?from=500&to=1500&step=500", &frames); code != http.StatusOK ||
		len(frames.Frames) != 3 || frames.Frames[2].Wall.Time != 1.5 || frames.Frames[2].T != 1500 {
		t.Errorf("status %d, frames %+v", code, frames.Frames)
	}
	var strip Strip
	if code := get(t, tape, "/api/session/strip?samples=4", &strip); code != http.StatusOK || len(strip.Samples) < 4 ||
		*strip.Samples[0].Spread != 0.25 || len(strip.Marks) != 1 {
		t.Errorf("status %d, strip %+v", code, strip)
	}
}

// teamOfStrangers is a session with a robot whose state machine this program does not know.
type teamOfStrangers struct {
	clock
	machine hfsm.Machine
}

func (*teamOfStrangers) Nodes(string) any   { return nil }
func (*teamOfStrangers) Booking(string) any { return nil }

func (s *teamOfStrangers) Behaviour(string) any {
	return watch.BehaviourView{
		Time:     float64(s.looks.Load()) / 10,
		Robots:   []watch.BehaviourRobot{{Team: 3, Number: 4, Live: true, Machine: s.machine.Checksum(), States: []string{"wait"}}},
		Machines: []watch.BehaviourMachine{{Checksum: s.machine.Checksum(), Machine: &s.machine}},
	}
}

// A recording keeps the state machines of its robots, so that a program without them draws them, also when it sees only a
// part of the recording. A live session does, too.
func TestMachines(t *testing.T) {
	s := &teamOfStrangers{machine: hfsm.Machine{Name: "another program's", States: []hfsm.State{
		{Name: "wait", Behaviour: "stand"}, {Name: "go", Behaviour: "drive"},
	}, Transitions: []hfsm.Transition{
		{From: "wait", To: "go", After: 1234 * time.Millisecond}, {From: "go", To: "wait", When: "ball"},
	}}}
	path := filepath.Join(t.TempDir(), "s.mcap")
	w, err := matchlog.CreatePacked(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	history := newHistory(mostTopics)
	live := newPlayer(history, history)
	logged := 0.0
	for n := 7; n < 100; n++ { // a part of a session
		now := soccer.Epoch.Add(time.Duration(n) * SamplePeriod)
		wall := s.Wall("wall").(*watch.Wall)
		live.Observe(now, wall)
		sampleSession(n, now, wall, s, &logged, func(channel string, v any) {
			m, err := message(now, channel, v)
			history.add(m)
			if err := errors.Join(err, w.Write(m)); err != nil {
				t.Error(err)
			}
		})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	replay, err := OpenReplay(path)
	if err != nil {
		t.Fatal(err)
	}
	defer replay.Close()
	if err := replay.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, player := range map[string]*Player{"recording": replay.Player, "live": live} {
		for _, at := range []float64{9, 5, 0.9, 9} {
			v, err := player.behaviour(at)
			if err != nil || len(v.Robots) != 1 || v.Robots[0].States[0] != "wait" {
				t.Fatalf("%s, %g s: %v, %+v", name, at, err, v)
			}
			if len(v.Machines) != 1 || v.Machines[0].Checksum != s.machine.Checksum() || !reflect.DeepEqual(v.Machines[0].Machine, &s.machine) {
				t.Errorf("%s, %g s: the machines are %+v", name, at, v.Machines)
			}
		}
	}
}

// Requests that name no time are refused in words.
func TestRequestsAreChecked(t *testing.T) {
	tape := newTape("")
	for url, want := range map[string]int{
		"/api/session/frames?from=x":                     http.StatusBadRequest,
		"/api/session/frames?from=1&to=NaN":              http.StatusBadRequest,
		"/api/session/frames?from=-1e300":                http.StatusBadRequest,
		"/api/session/frames?from=0&to=1e18&step=1e-300": http.StatusOK, // nothing is recorded
		"/api/session/strip?samples=all":                 http.StatusBadRequest,
		"/api/session/strip":                             http.StatusOK,
		"/api/session/packets?at=%20":                    http.StatusBadRequest,
		"/api/session/packets?key=a&at=1":                http.StatusOK,
	} {
		var v map[string]any
		if got := get(t, tape, url, &v); got != want || want >= 400 && v["error"] == "" {
			t.Errorf("%s: status %d, %v, want %d", url, got, v, want)
		}
	}
}

// A recording in a folder that does not exist is refused, and the tape goes on.
func TestStartFails(t *testing.T) {
	tape := newTape(filepath.Join(t.TempDir(), "none"))
	if err := tape.Start(""); !os.IsNotExist(err) && (err == nil || !strings.Contains(err.Error(), "no such file")) {
		t.Errorf("got %v", err)
	}
	if s := state(tape); s.Recording != nil || !s.Live {
		t.Errorf("the state is %+v", s)
	}
	if err := tape.Stop(); err != nil {
		t.Error(err)
	}
}
