package match

import (
	"strings"
	"testing"
	"time"

	"touchline/game"
)

// The ball is in play from its first touch on: until then the page names the set piece.
func TestPhase(t *testing.T) {
	s := showOpen(t, 2*time.Minute)
	count := map[string]int{}
	named, touched := 0, 0
	for range 1200 {
		showAdvance(t, s, 100*time.Millisecond)
		v := s.State()
		if !v.Running {
			continue
		}
		count[v.Phase]++
		switch moved := s.referee.InPlay(); {
		case moved && v.Phase != "in play":
			t.Fatalf("after %.1f s the ball is in play and the page says %q", v.Time, v.Phase)
		case !moved && v.Phase != "in play":
			named++
		case moved:
			touched++
		}
	}
	if touched < 2*named || named == 0 {
		t.Errorf("got %v: want the set piece until it is taken, and then the ball in play for most of the time", count)
	}
}

// A title is shown in place of the name of the software; without titles, teams of one name are home and away.
func TestTitles(t *testing.T) {
	cfg := DefaultMatchConfig()
	if home, away := cfg.Titles(); home != "home" || away != "away" {
		t.Errorf("got %s and %s", home, away)
	}
	cfg.Away.Name = "touchline-nearest"
	if home, away := cfg.Titles(); home != "touchline" || away != "touchline-nearest" {
		t.Errorf("got %s and %s", home, away)
	}
	cfg.Home.Title, cfg.Away.Title = "Lions", "Blue Sharks"
	s, err := NewShow(cfg, Tap{})
	if err != nil {
		t.Fatal(err)
	}
	if v := s.State(); v.Home.Name != "Lions" || v.Away.Name != "Blue Sharks" {
		t.Errorf("got %s and %s", v.Home.Name, v.Away.Name)
	}
	for _, bad := range []string{"a team with a name that is long", "a\tb", " a", "\x1b[1m", "\xff", "Blue Sharks"} {
		cfg.Home.Title = bad
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "-name") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

// The page gets passes, shots and where the ball was, and the robots of the next game drive from where they stand.
func TestAgain(t *testing.T) {
	s := showOpen(t, 40*time.Second)
	if err := s.Again(2); err == nil {
		t.Error("another game begins before the end of this one")
	}
	passes := 0
	for range 400 {
		if s.Over() {
			break
		}
		s.Advance(s.Now().Add(500 * time.Millisecond)) // the clock stops at the end
		passes = max(passes, len(s.State().Passes))
	}
	v := s.State()
	if v.Phase != "full time" || !v.Over {
		t.Fatalf("after %v s: %s", v.Time, v.Phase)
	}
	if passes == 0 || len(v.Shots) != v.Home.Tally.Shots+v.Away.Tally.Shots || v.Heat.Columns*v.Heat.Rows != len(v.Heat.Home) ||
		!strings.ContainsAny(v.Heat.Home+v.Heat.Away, "9") || strings.Trim(v.Heat.Home, "0123456789") != "" {
		t.Errorf("got %d passes, %d shots, heat %+v", passes, len(v.Shots), v.Heat)
	}
	goals := 0
	for _, shot := range v.Shots {
		if shot.Result == "goal" {
			goals++
		}
	}
	if goals < len(v.Goals)-1 { // one may be an own goal
		t.Errorf("%d of %d goals were shots: %+v", goals, len(v.Goals), v.Shots)
	}
	stood := v.Robots[3].Pose
	if err := s.Again(2); err != nil {
		t.Fatal(err)
	}
	showAdvance(t, s, 100*time.Millisecond)
	next := s.State()
	if next.Over || next.Part != string(game.PreGame) || next.Seed != "2" || next.Start < v.Time || next.Home.Tally.Goals != 0 ||
		len(next.Goals) != 0 || len(next.Shots) != 0 || len(next.Possession) > 1 {
		t.Errorf("the next game begins as %+v", next)
	}
	if far := stood.Turned().XY().Sub(next.Robots[3].Pose.XY()).Len(); far > 0.5 { // the teams change ends
		t.Errorf("a robot was carried by %.1f m", far)
	}
	showAdvance(t, s, 30*time.Second)
	if v := s.State(); v.Part != string(game.FirstHalf) || v.Clock < 5 || v.Home.Tally.Possession+v.Away.Tally.Possession == 0 {
		t.Errorf("after 30 s of the next game: %s, %v s", v.Part, v.Clock)
	}
}
