package refbox

import (
	"slices"
	"testing"
	"time"

	"touchline/game"
	"touchline/matchlog"
)

// noted returns the notes of a journal that is still written.
func noted(t *testing.T, path string) []string {
	t.Helper()
	log, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var all []string
	for m, err := range log.Messages(0, 1<<62, matchlog.Notes) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(m.Data))
	}
	return all
}

// That a decision went out is noted in its own game's journal, though the next game began meanwhile.
func TestWentOutInItsGame(t *testing.T) {
	l, _, _ := opened(t)
	decide := func(made game.Decision) *delivery {
		t.Helper()
		d := &delivery{received: time.Now(), done: make(chan struct{}), report: l.out}
		_, e, err := l.box.Decide(l.now(), made)
		if err != nil {
			t.Fatal(err)
		}
		d.number = len(l.box.Game().Log())
		l.carryOut(e, d)
		return d
	}
	l.startJournal()
	decide(game.Decision{Command: game.KickOff, Side: game.Home})
	reset, first := decide(game.Decision{Command: game.Reset, Force: true}), l.journal
	next := decide(game.Decision{Command: game.KickOff, Side: game.Home})
	if l.journal == first {
		t.Fatal("no other game began")
	}
	reset.millis = 1
	l.wentOut(reset)
	l.wentOut(next)
	if got, want := noted(t, first.path), sentNote(reset); !slices.Contains(got, want) {
		t.Errorf("the first game's journal has %q, not %q", got, want)
	}
	if got, want := noted(t, l.journal.path), sentNote(next); len(got) != 1 || got[0] != want {
		t.Errorf("the second game's journal has %q", got)
	}
	l.retire(time.Now().Add(retiresFor + time.Second))
	if len(l.retired) != 0 {
		t.Error("the first game's journal stays open")
	}
	l.wentOut(reset) // too late: nobody minds
	close(l.ended)
	if err := l.endJournals(); err != nil {
		t.Error(err)
	}
	l.files.Wait()
	if !matchlog.Finished(first.path) {
		t.Error("the first game's journal is not finished")
	}
}
