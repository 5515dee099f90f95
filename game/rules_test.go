package game_test

import (
	"testing"
	"time"

	. "touchline/game"
)

// Durations and counts come from the rules.
func TestRulesCount(t *testing.T) {
	r := DefaultRules()
	r.RepairSeconds, r.DoubleYellowSeconds, r.Substitutions, r.SetPieceSeconds = 3, 5, 1, 2
	g := New(r, epoch)
	follow(t, g, plus(firstHalf, "SUBSTITUTION home 1", "SUBSTITUTION home 2 -x has no substitutions left: 1",
		"REPAIR home 1 -> ",
		"YELLOW_CARD home -> ", "YELLOW_CARD home -> ", "DROP_BALL",
		"START -> REPAIR home, YELLOW_CARD home, DOUBLE_YELLOW home, START")...)
	if s := g.State(); s.TakingUntil.Sub(s.Time) != 2*time.Second {
		t.Errorf("set piece until %v, now %v", s.TakingUntil, s.Time)
	}
	follow(t, g, "+3s -> REPAIR_END home", "+2s -> ")
	if p := g.State().Home.Penalties; !p[2].Over {
		t.Errorf("%+v", p)
	}
	for part, want := range map[Part]time.Duration{
		PreGame: 0, FirstHalf: 15 * time.Minute, HalfTime: 10 * time.Minute, SecondHalf: 15 * time.Minute,
		OvertimeFirst:  5 * time.Minute,
		OvertimeSecond: 5 * time.Minute, ShootOut: 0, End: 0,
	} {
		if got := r.Length(part); got != want {
			t.Errorf("%s lasts %v, want %v", part, got, want)
		}
	}
}
