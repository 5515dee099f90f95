package matchlog_test

import (
	"path/filepath"
	"testing"
	"time"

	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/msl"
)

// The events of a log tell when their commands left for each team, or why they did not.
func TestDepartures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := soccer.Epoch
	write := func(at soccer.Time, channel, text string) {
		t.Helper()
		if err := w.Write(matchlog.Message{Time: at, Channel: channel, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	write(at, matchlog.Commands, `{"command":"IS_ALIVE","targetTeam":"224.16.32.0","robotID":3}`) // without a line
	for _, command := range []struct{ name, home, away string }{
		{"WELCOME", `"millis":1`, ""}, {"WELCOME", "", `"millis":2`}, {"STOP", `"millis":3`, ""},
		{"FIRST_HALF", `"millis":4`, `"millis":5`}, {"START", `"millis":6,"why":"STOP came first"`, `"millis":30`},
		{"STOP", `"millis":7`, `"millis":8`},
	} {
		at = at.Add(100 * time.Millisecond)
		write(at, matchlog.Commands, `{"command":"`+command.name+`","targetTeam":""}`)
		line := msl.Line{TimestampMillis: 1415610000000, State: "1st Half", Description: command.name}
		text, err := line.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		write(at, matchlog.Lines, string(text))
		if command.home != "" {
			write(at.Add(10*time.Millisecond), matchlog.HomeSent, `{"message":"`+command.name+`",`+command.home+"}")
		}
		if command.away != "" {
			write(at.Add(10*time.Millisecond), matchlog.AwaySent, `{"message":"`+command.name+`",`+command.away+"}")
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Wait(); err != nil {
		t.Fatal(err)
	}
	s, err := log.Summary("a")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Events) != 6 {
		t.Fatalf("got %d events: %+v", len(s.Events), s.Events)
	}
	for i, want := range []struct {
		home, away float64
		why        string
	}{{1, 0, ""}, {0, 2, ""}, {3, 0, ""}, {4, 5, ""}, {0, 30, "STOP came first"}, {7, 8, ""}} {
		left := s.Events[i].Left
		if left == nil || millis(left.Home) != want.home || millis(left.Away) != want.away || left.Why != want.why {
			t.Errorf("event %d: %+v, want %+v", i, left, want)
		}
	}
}

func millis(ms *float64) float64 {
	if ms == nil {
		return 0
	}
	return *ms
}
