package refboxnet

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/matchlog"
)

const (
	// A journal stays open this long after the next game began: by then its decisions are delivered, or never will be.
	retiresFor = maxSync + maxWrite
	// How many journals of earlier games may wait for room on the disk.
	maxRetired = 4
)

// beginJournal begins the journal of the current game.
func (srv *Server) beginJournal() {
	began, field := srv.box.Began(), srv.Config.Box.Field
	srv.journal = newJournal(srv.Config.Dir, began, map[string]string{
		matchlog.MetaField: srv.Config.Box.Name, matchlog.MetaRules: rulesJSON(srv.Config.Box.Rules),
		matchlog.MetaBegan: strconv.FormatInt(int64(began), 10), matchlog.MetaSize: fmt.Sprintf("%gx%g", field.Length,
			field.Width),
	}, srv.Log)
	srv.journal.tap = srv.Config.Tap
	srv.running.Store(srv.journal.name())
}

// startJournal starts the journal's goroutine.
func (srv *Server) startJournal() {
	j := srv.journal
	srv.files.Go(func() { j.run(srv.synced, srv.ended) })
}

// runningName returns the name of the log that needs the token: of the running game, until its end is sent.
func (srv *Server) runningName() string {
	if part := srv.box.Game().State().Part; !srv.box.InProgress() || part == game.PreOvertime {
		return ""
	}
	return srv.journal.name()
}

// beginNext retires the current journal and begins another one.
func (srv *Server) beginNext() {
	srv.journal.over = time.Now()
	if srv.retired = append(srv.retired, srv.journal); len(srv.retired) > maxRetired {
		j := srv.retired[0]
		srv.retired = srv.retired[1:]
		srv.endJournal(j, true)
	}
	srv.beginJournal()
	srv.startJournal()
}

// retire finishes the journals of earlier games once they are complete.
func (srv *Server) retire(now time.Time) {
	kept := srv.retired[:0]
	for _, j := range srv.retired {
		if j.retry(now, srv.at(now)); j.failed == nil && now.Sub(j.over) > retiresFor {
			j.end(true)
		} else {
			kept = append(kept, j)
		}
	}
	srv.retired = kept
}

// endJournal ends a journal and counts lost decisions. The journal is finished if its game is over and all is written.
func (srv *Server) endJournal(j *journal, over bool) {
	if n := j.unwritten(); n > 0 {
		srv.lost += n
		srv.Log.Error("decisions are not on disk", "game", j.name(), "decisions", n, "err", j.failed)
	}
	j.end(over && j.failed == nil)
}

// endJournals ends all journals after a last try to write. The error tells how much is lost.
func (srv *Server) endJournals() error {
	now := time.Now()
	for _, j := range append(srv.retired, srv.journal) {
		if j.failed != nil {
			j.flush(now, srv.at(now), time.Hour)
		}
		srv.endJournal(j, j != srv.journal || !srv.box.InProgress())
	}
	if srv.lost > 0 {
		return fmt.Errorf("refboxnet: %d decisions are lost: the disk failed to the end; write down score and clock, "+
			"and free disk space", srv.lost)
	}
	if srv.journal.gone.Load() {
		return fmt.Errorf("refboxnet: %s is missing from its folder: its decisions are lost", srv.journal.path)
	}
	return nil
}

// diskTrouble returns a warning about the disk, "" if it works.
func (srv *Server) diskTrouble() string {
	if text := srv.journal.trouble(); text != "" {
		return text
	}
	for _, j := range srv.retired {
		if text := j.trouble(); text != "" {
			return fmt.Sprintf("game %s: %s", j.name(), text)
		}
	}
	return ""
}

// delivered records that a decision reached the sockets of all teams, in the journal of its game while that is open.
// After a crash recovery finds there which decisions were delivered.
func (srv *Server) delivered(d *delivery) {
	if d.number == 0 {
		return
	}
	if d.journal == srv.journal {
		srv.box.Delivered(d.number, d.millis)
	}
	if srv.isOpen(d.journal) {
		d.journal.writeJSON(srv.Now(), matchlog.Sent, d.record())
	}
	if srv.Changed != nil {
		srv.Changed()
	}
}

// isOpen reports whether a journal still takes messages.
func (srv *Server) isOpen(j *journal) bool {
	return j == srv.journal || slices.Contains(srv.retired, j)
}

// delivery follows a decision to the teams' sockets.
type delivery struct {
	number   int // number in the game's log; 0: it is not there
	stop     bool
	journal  *journal      // journal of its game
	received time.Time     // time at which the request was read
	disk     time.Duration // waiting for the journal
	kept     bool          // it was on disk before it was sent
	left     atomic.Int32  // sockets that have not taken it yet; -1: all have
	lost     atomic.Bool   // at least one team could not be sent it
	millis   float64       // latency from received to the last socket; valid after done
	done     chan struct{}
	report   chan<- *delivery

	mu   sync.Mutex
	void []string  // commands that a STOP made void
	last time.Time // departure of its last message
}

// record returns the delivery as the journal holds it.
func (d *delivery) record() game.Delivery {
	return game.Delivery{Decision: d.number, Millis: d.millis, Disk: float64(d.disk) / float64(time.Millisecond)}
}

// socketDone counts one socket that took it.
func (d *delivery) socketDone() {
	if d == nil || d.left.Add(-1) >= 0 {
		return
	}
	d.millis = float64(time.Since(d.received)) / 1e6
	close(d.done)
	select {
	case d.report <- d:
	default: // with this many deliveries one latency may be missing
	}
}

// socketMissed counts a socket that cannot take it.
func (d *delivery) socketMissed() {
	if d != nil {
		d.lost.Store(true)
		d.socketDone()
	}
}

// leave notes that one of its messages left, or why it will not.
func (d *delivery) leave(x *departure) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch x.Why {
	case "":
		d.last = x.at
	case overtaken:
		if !slices.Contains(d.void, x.Message) {
			d.void = append(d.void, x.Message)
		}
	default:
		d.lost.Store(true)
	}
}

// read returns the commands that a STOP made void, and when clients that read every 20 ms have read the others.
func (d *delivery) read() (void []string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.stop && !d.last.IsZero() {
		at = d.last.Add(refbox.Gap)
	}
	return asList(d.void), at
}

// recordDeparture records when a message left for a team, in the journal of its game while that is open.
func (srv *Server) recordDeparture(x departure) {
	at := srv.at(x.at)
	if x.of.journal == srv.journal {
		srv.box.Departed(at, x.of.Side, x.Departure)
	}
	if !srv.isOpen(x.of.journal) {
		return
	}
	channel := matchlog.HomeSent
	if x.of.Side == game.Away {
		channel = matchlog.AwaySent
	}
	x.of.journal.writeJSON(at, channel, x.Departure)
}
