package matchlog_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"touchline/matchlog"
	"touchline/soccer"
)

// A frame has the newest state of a simulator's field, if it is not older than a second.
func TestFramesOfSimulator(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{`{"time":0}`, `{"time":0.1}`} {
		at := began + soccer.Time(i)*100e6
		if err := w.Write(matchlog.Message{Time: at, Channel: matchlog.VSS, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	frames, err := open(t, path).Frames(began+50e6, began+1250e6, 400*time.Millisecond)
	if err != nil || len(frames) != 4 {
		t.Fatalf("got %d frames, %v", len(frames), err)
	}
	for i, want := range []string{`{"time":0}`, `{"time":0.1}`, `{"time":0.1}`, ""} {
		if got := string(frames[i].VSS); got != want {
			t.Errorf("frame %d: got %s, want %s", i, got, want)
		}
	}
}

// The goals and other events of a simulator are events of the log.
func TestSummaryOfSimulator(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{
		`{"time":1,"kind":"goal","text":"blue scores: blue 1, yellow 0"}`, `{"time":1,"kind":"referee","text":"KICKOFF yellow"}`,
		`{"time":2,"kind":"reset","text":"start"}`, `{"time":2,"kind":"other","text":"of a later version"}`, `{`, `[]`,
	} {
		if err := w.Write(matchlog.Message{Time: began + soccer.Time(i)*1e9, Channel: matchlog.Marks, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := open(t, path).Summary("a.mcap")
	if err != nil {
		t.Fatal(err)
	}
	at := matchlog.Millis(began)
	want := []matchlog.Event{
		{T: at, Kind: "goal", Text: "blue scores: blue 1, yellow 0"},
		{T: at + 1000, Kind: "referee", Text: "KICKOFF yellow"}, {T: at + 2000, Kind: "reset", Text: "start"},
		{T: at + 3000, Kind: "other", Text: "of a later version"},
	}
	if !slices.Equal(s.Events, want) {
		t.Errorf("got %+v, want %+v", s.Events, want)
	}
}
