package game_test

import (
	"archive/zip"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "touchline/game"
	"touchline/game/gametest"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// The keys of the captured game lead to the messages that its base station received.
func TestCapturedGame(t *testing.T) {
	want := gametest.Messages(t)
	if len(want) != 87 || want[0].Command != "WELCOME" {
		t.Fatalf("%d messages, the first %v", len(want), want[0])
	}
	want = want[1:] // the server sends it to each team alone
	g := New(DefaultRules(), gametest.Presses(t)[0].Time)
	var got []Message
	var decisions []Decision
	for _, p := range gametest.Presses(t) {
		d := p.Decision
		decisions = append(decisions, d)
		got = append(got, g.Tick(d.Time)...)
		if d.Time == p.Time {
			checkClock(t, g, &p.Event)
		}
		out, err := g.Apply(d)
		if err != nil {
			t.Fatalf("%s: %v", p.Line, err)
		}
		got = append(got, out.Messages...)
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i].Message {
			t.Fatalf("message %d: got %v, captured %v", i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
	t.Logf("%d messages are those of the capture", len(got))
	checkRepairEnd(t, decisions, want)
}

// checkClock compares the clocks with those that the RefBox showed at a key. The RefBox counts in frames of 40 ms, and
// its first interval begins when the program starts.
func checkClock(t *testing.T, g *Game, e *gametest.Event) {
	t.Helper()
	s := g.State()
	if s.Part == PreGame {
		return
	}
	if d := math.Abs(s.Total.Seconds() - float64(e.Total) - 0.5); d > 0.8 {
		t.Errorf("%s: total clock %v", e.Line, s.Total)
	}
	if d := math.Abs(s.Effective.Seconds() - float64(e.Effective) - 0.5); d > 1.2 {
		t.Errorf("%s: effective clock %v", e.Line, s.Effective)
	}
}

// checkRepairEnd checks the end of two repairs: in the capture REPAIR_END came after 20 s of playing time with two
// stops, and ours is due within 100 ms of that.
func checkRepairEnd(t *testing.T, decisions []Decision, want []gametest.Received) {
	t.Helper()
	var began, ended time.Duration
	for _, m := range want {
		switch m.Command {
		case FirstHalfBegins:
			began = m.After
		case RepairEnds:
			ended = m.After
		}
	}
	g := New(DefaultRules(), decisions[0].Time)
	var first soccer.Time
	for _, d := range decisions {
		if d.Command == Start && first == 0 {
			first = d.Time
		}
		due := first.Add(ended - began)
		if first != 0 && d.Time > due {
			if m := g.Tick(due.Add(-100 * time.Millisecond)); len(m) != 0 {
				t.Errorf("too early: %v", m)
			}
			if m := g.Tick(due.Add(100 * time.Millisecond)); len(m) != 2 || m[0] != (Message{RepairEnds, Home, 0}) ||
				m[1] != m[0] {
				t.Errorf("got %v, want REPAIR_END for home twice", m)
			}
			return
		}
		if _, err := g.Apply(d); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("no REPAIR_END was due")
}

// Every key that the referee of a real match pressed is allowed here too. The match went to overtime and a shoot-out.
func TestRealMatch(t *testing.T) {
	z, err := zip.OpenReader(filepath.Join(wiretest.Data(t, "refbox-2016-excerpt"), "test_log2.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var pressed []gametest.Event
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".A.msl") && !strings.HasSuffix(f.Name, ".B.msl") && strings.HasSuffix(f.Name,
			".msl") {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			pressed = gametest.Events(t, r, true)
		}
	}
	sides := map[string]Side{"CYAN ": Home, "MAGENTA ": Away}
	g := New(DefaultRules(), pressed[0].Time)
	n := 0
	for _, e := range pressed {
		c := e.Key()
		if c == "" {
			continue
		}
		n++
		if _, err := g.Apply(Decision{Time: e.Time, Command: c, Side: sides[e.Team]}); err != nil {
			t.Errorf("%s: %v", e.Line, err)
		}
	}
	if n < 100 {
		t.Errorf("%d decisions", n)
	}
}
