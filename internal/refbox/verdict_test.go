package refbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
)

// A verdict is in the journal and in the list, survives a restart, and the newest one counts.
func TestVerdict(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.decide(now, game.Decision{Command: game.Goal, Side: game.Home})
	before := r.box.Game().State()
	for i, found := range []game.Found{game.Unclear, game.Overturned} {
		now = r.tick(now, time.Second)
		e, err := r.box.Judge(now, game.Verdict{Decision: 4, Found: found, Note: "3 cm missing, left post"})
		if err != nil || !e.Sync || len(e.Send) != 0 {
			t.Fatalf("%s: %+v, error %v", found, e, err)
		}
		r.do(e)
		if got := r.logged(game.VerdictsChannel); len(got) != i+1 {
			t.Fatalf("%d verdicts in the journal", len(got))
		}
	}
	if got := r.box.Game().State(); got.Home.Goals != before.Home.Goals {
		t.Errorf("a verdict changed the score to %d", got.Home.Goals)
	}
	if lines := r.logged(game.LinesChannel); !strings.Contains(string(lines[len(lines)-1].Data),
		"Referee: review of goal CAMBADA: overturned; 3 cm missing; left post") {
		t.Errorf("%q", lines[len(lines)-1].Data)
	}
	for name, b := range map[string]*refbox.Box{
		"running": r.box, "restored": restored(t, refbox.DefaultConfig(), r.box.Began(), r.journal),
	} {
		v := b.Referee(now).Entries[0].Verdict
		if v == nil || v.Found != game.Overturned || v.Note != "3 cm missing, left post" || v.Time != float64(now)/1e6 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestVerdictRefused(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	for want, v := range map[string]game.Verdict{
		"no decision 0":       {Found: game.Upheld},
		"no decision 4":       {Decision: 4, Found: game.Upheld},
		"want upheld":         {Decision: 1, Found: "maybe"},
		"501 bytes":           {Decision: 1, Found: game.Upheld, Note: strings.Repeat("x", 501)},
		"cannot be printed":   {Decision: 1, Found: game.Upheld, Note: "two\nlines"},
		"this program reads ": {Version: 2, Decision: 1, Found: game.Upheld},
	} {
		e, err := r.box.Judge(now, v)
		if !errors.Is(err, game.ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", v, err, want)
		}
		for _, m := range e.Log {
			if m.Channel == game.VerdictsChannel {
				t.Errorf("%+v is in the journal", v)
			}
		}
	}
	if _, err := refbox.Restore(refbox.DefaultConfig(), refbox.History{
		Began: epoch, Verdicts: []game.Verdict{{Version: 1, Decision: 1, Found: game.Upheld}},
	}); err == nil || !strings.Contains(err.Error(), "verdict 1: there is no decision 1") {
		t.Errorf("restored: %v", err)
	}
	if _, err := refbox.ParseVerdict([]byte(`{"decision":1,"found":"upheld"}`)); err == nil {
		t.Error("an unknown key is read")
	}
}
