package refboxnet

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"touchline/game"
	"touchline/matchlog"
)

const (
	// A journal takes what belongs to its game this long after the next one began: by then its decisions have gone out, or
	// never do.
	retiresFor = maxSync + maxWrite
	// How many journals of games before may wait for room on the disk.
	mostRetired = 4
)

// beginJournal begins the journal of the box's game.
func (l *Server) beginJournal() {
	began, field := l.box.Began(), l.Config.Box.Field
	l.journal = newJournal(l.Config.Dir, began, map[string]string{
		matchlog.MetaField: l.Config.Box.Name, matchlog.MetaRules: rulesJSON(l.Config.Box.Rules),
		matchlog.MetaBegan: strconv.FormatInt(int64(began), 10), matchlog.MetaSize: fmt.Sprintf("%gx%g", field.Length, field.Width),
	}, l.Log)
	l.journal.tap = l.Config.Tap
	l.running.Store(l.journal.name())
}

// startJournal lets the journal wait for the disk.
func (l *Server) startJournal() {
	j := l.journal
	l.files.Go(func() { j.run(l.synced, l.ended) })
}

// runningName returns which log is the referee's alone: the running game's, until its end was sent.
func (l *Server) runningName() string {
	if part := l.box.Game().State().Part; !l.box.InProgress() || part == game.PreOvertime {
		return ""
	}
	return l.journal.name()
}

// beginNext retires the journal of a game that is over and begins another.
func (l *Server) beginNext() {
	l.journal.over = time.Now()
	if l.retired = append(l.retired, l.journal); len(l.retired) > mostRetired {
		j := l.retired[0]
		l.retired = l.retired[1:]
		l.endJournal(j, true)
	}
	l.beginJournal()
	l.startJournal()
}

// retire finishes the journals of games before, once all that belongs to them is written.
func (l *Server) retire(now time.Time) {
	kept := l.retired[:0]
	for _, j := range l.retired {
		if j.retry(now, l.clock.At(now)); j.failed == nil && now.Sub(j.over) > retiresFor {
			j.end(true)
		} else {
			kept = append(kept, j)
		}
	}
	l.retired = kept
}

// endJournal ends a journal, finished where its game is over and all of it is written, and counts what is lost.
func (l *Server) endJournal(j *journal, over bool) {
	if n := j.unwritten(); n > 0 {
		l.lost += n
		l.Log.Error("decisions are not on the disk", "game", j.name(), "decisions", n, "err", j.failed)
	}
	j.end(over && j.failed == nil)
}

// endJournals ends them all, after a last try to write what waits. The error says how much is lost.
func (l *Server) endJournals() error {
	now := time.Now()
	for _, j := range append(l.retired, l.journal) {
		if j.failed != nil {
			j.flush(now, l.clock.At(now), time.Hour)
		}
		l.endJournal(j, j != l.journal || !l.box.InProgress())
	}
	if l.lost > 0 {
		return fmt.Errorf("refbox: %d decisions are not on the disk: it took nothing to the end; write down score and clock, and make room", l.lost)
	}
	if l.journal.gone.Load() {
		return errors.New("refbox: " + l.journal.path + " is gone from its folder: what was decided is lost")
	}
	return nil
}

// diskTrouble says what is wrong with the disk, "" for nothing.
func (l *Server) diskTrouble() string {
	if text := l.journal.trouble(); text != "" {
		return text
	}
	for _, j := range l.retired {
		if text := j.trouble(); text != "" {
			return fmt.Sprintf("game %s: %s", j.name(), text)
		}
	}
	return ""
}

// wentOut notes that a decision reached the sockets of all teams, in its own game's journal as long as that is open.
// After a crash the journal tells by it which did.
func (l *Server) wentOut(d *delivery) {
	if d.number == 0 {
		return
	}
	if d.journal == l.journal {
		l.box.Delivered(d.number, d.millis)
	}
	for _, j := range append(l.retired, l.journal) {
		if j == d.journal {
			j.writeJSON(l.now(), matchlog.Sent, d.record())
		}
	}
	if l.Changed != nil {
		l.Changed()
	}
}
