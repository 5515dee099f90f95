package refboxnet

import (
	"slices"
	"testing"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/wire"
)

// deliveries returns the deliveries in a journal that is still being written.
func deliveries(t *testing.T, path string) []game.Delivery {
	t.Helper()
	log, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var all []game.Delivery
	for m, err := range log.Messages(0, 1<<62, matchlog.Sent) {
		if err != nil {
			t.Fatal(err)
		}
		var d game.Delivery
		if err := wire.DecodeJSON(m.Data, "the delivery", &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// A delivery is recorded in the journal of its own game, even if the next game has begun.
func TestDeliveryInItsGame(t *testing.T) {
	l, _, _ := opened(t)
	decide := func(made game.Decision) *delivery {
		t.Helper()
		d := &delivery{received: time.Now(), done: make(chan struct{}), report: l.out}
		_, e, err := l.box.Decide(l.Now(), made)
		if err != nil {
			t.Fatal(err)
		}
		d.number = len(l.box.Game().Log())
		l.applyDecision(e, d)
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
	l.delivered(reset)
	l.delivered(next)
	if got, want := deliveries(t, first.path), reset.record(); !slices.Contains(got, want) {
		t.Errorf("deliveries in the first game's journal: %+v, want %+v among them", got, want)
	}
	if got, want := deliveries(t, l.journal.path), next.record(); len(got) != 1 || got[0] != want {
		t.Errorf("deliveries in the second game's journal: %+v, want %+v", got, want)
	}
	l.retire(time.Now().Add(retiresFor + time.Second))
	if len(l.retired) != 0 {
		t.Error("the first game's journal stays open")
	}
	l.delivered(reset) // too late: without effect
	close(l.ended)
	if err := l.endJournals(); err != nil {
		t.Error(err)
	}
	l.files.Wait()
	if !matchlog.Finished(first.path) {
		t.Error("the first game's journal is not finished")
	}
}

// Journals of earlier versions have deliveries as notes: recovery reads them.
func TestDeliveryInNotes(t *testing.T) {
	var o unfinishedGame
	for _, text := range []string{"decision 7 went out 1.0 ms after it was asked for",
		"the referee box was started again"} {
		if err := o.add(matchlog.Message{Channel: matchlog.Notes, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if o.sent != 7 {
		t.Errorf("last delivery %d, want 7", o.sent)
	}
}
