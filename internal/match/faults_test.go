package match

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"touchline/game"

	"touchline/internal/watch"
	"touchline/soccer"
)

// docs/match.md lists the faults as the table has them, and each example is a fault of a match.
func TestFaultTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/match.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Faults() {
		row := "| `" + strings.ReplaceAll(k.Syntax, "|", "\\|") + "` | " + k.Help + " |\n"
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/match.md lacks %s", row)
		}
		cfg := short()
		f, err := ParseFault(k.Example)
		if cfg.Faults = append(cfg.Faults, f); err != nil || f.What != k.Name || cfg.Validate() != nil {
			t.Errorf("%s: got %+v, errors %v and %v", k.Example, f, err, cfg.Validate())
		}
	}
	for text, want := range map[string]string{
		"":                   "'partition home 2,4 10s 20s' or 'mirror away 3 10s 20s'",
		"partition home 1s":  "without the second time",
		"crash home 1":       "without the second time",
		"crash home x 1s 2s": "'gone away 30s'",
		"silent 30s":         "an end time is required",
		"gone away 1s 2s 3s": "without the second time",
	} {
		if _, err := ParseFault(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// docs/booking.md lists the faults of a session, each of which is a command of its pages.
func TestSessionFaults(t *testing.T) {
	page, err := os.ReadFile("../../docs/booking.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range SessionFaults() {
		if !strings.Contains(string(page), "\n| `"+string(k.Name)+"` | `{") {
			t.Errorf("docs/booking.md lacks the command %s", k.Name)
		}
	}
}

// A mirrored robot of a match believes to stand in the other half until the fault ends; one that is cut off hears nobody.
func TestFaultsOfMatch(t *testing.T) {
	cfg := short()
	for _, text := range []string{"mirror home 3 2s 4s", "partition away 2,4 2s 4s"} {
		f, err := ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Faults = append(cfg.Faults, f)
	}
	m, err := NewMatch(cfg, Tap{})
	if err != nil {
		t.Fatal(err)
	}
	mirrored := func() bool {
		var w soccer.World
		var v View
		m.View(&v)
		if !m.World(game.Home, 3, &w) || !w.Self.Known {
			t.Fatal("robot 3 does not know its pose")
		}
		return w.Self.Pose.XY().Sub(v.Robots[2].Pose.XY()).Len() > 1
	}
	for _, step := range []struct {
		at    time.Duration
		wrong bool
	}{{2 * time.Second, false}, {4 * time.Second, true}, {6 * time.Second, false}} {
		m.Advance(soccer.Epoch.Add(step.at - time.Millisecond))
		if got := mirrored(); got != step.wrong {
			t.Errorf("after %v robot 3 is mirrored: %t", step.at, got)
		}
		want := map[bool]int{false: 4, true: 1}[step.wrong]
		if got := up(m, game.Away, "robot:2"); step.at > 2*time.Second && got != want {
			t.Errorf("after %v robot 2 of away hears %d robots, want %d", step.at, got, want)
		}
	}
}

// The tile of a crashed robot says that it crashed and when it starts again, not that somebody switched it off.
func TestCrashOnTheWall(t *testing.T) {
	s, err := Virtual(quiet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := open(t, short(), Tap{})
	if err := errors.Join(s.SetFault(Fault{What: Crash, Robot: 3}, true),
		m.SetFault(Fault{What: Crash, Side: game.Home, Robot: 3}, true)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"crashed, starts again in 3 s", "crashed, starts again in 2 s", "crashed, starts again in 1 s", ""} {
		for what, w := range map[string]*watch.Wall{"session": s.Wall(), "match": m.Wall()} {
			if got := w.Tiles[2]; got.Crashed != want || (got.State == "off") != (want != "") {
				t.Errorf("the tile of a %s is %s with %q, want %q", what, got.State, got.Crashed, want)
			}
		}
		advance(s, 1100*time.Millisecond)
		matchAdvance(m, 1100*time.Millisecond)
	}
	if err := s.Switch(3, false); err != nil {
		t.Fatal(err)
	}
	if got := s.Wall().Tiles[2]; got.State != "off" || got.Crashed != "" {
		t.Errorf("switched off, the tile is %s with %q", got.State, got.Crashed)
	}
}
