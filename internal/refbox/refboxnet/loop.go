package refboxnet

import (
	"context"
	"fmt"
	"slices"
	"time"

	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
)

const (
	tickEvery  = 10 * time.Millisecond
	scoreEvery = 50 * time.Millisecond // RefBox 2.1 sends the score 20 times a second
	// A slower disk is not waited for: the game continues, and the referee page shows a warning.
	maxSync = 2 * time.Second
	// How long the answer to a decision waits for the teams' sockets.
	maxDelivery = time.Second
	// A larger jump of the machine's clock is reported.
	clockSlack = 2 * time.Second
)

// pendingSend is output that waits until the journal is on disk up to mark.
type pendingSend struct {
	journal *journal
	mark    uint64
	since   time.Time
	e       refbox.Effects // only Send, Close and Score
	written bool           // the journal was writable
	d       *delivery      // nil: it belongs to no decision
}

// loop owns the box. Decisions have priority: it looks for one between any two other tasks.
func (srv *Server) loop(ctx context.Context) error {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		srv.drainUrgent()
		select {
		case <-ctx.Done():
			return nil
		case f := <-srv.calls:
			f(srv.Now())
		case s := <-srv.synced:
			srv.release(s)
		case c := <-srv.accepted:
			srv.conns[c.id] = c
			if srv.successor.Load() != nil {
				srv.hangUp(c)
				continue
			}
			srv.apply(srv.box.Connect(srv.Now(), c.id, c.addr))
		case c := <-srv.received:
			srv.receive(c)
		case c := <-srv.left:
			srv.disconnect(c)
		case d := <-srv.out:
			srv.delivered(d)
		case x := <-srv.departed:
			srv.recordDeparture(x)
		case f := <-srv.queries:
			f(srv.Now())
		case m := <-srv.truth:
			srv.journal.write(m)
		case <-ticker.C:
			srv.tick()
		}
	}
}

// drainUrgent handles everything that must not wait: the referee's calls, and their messages once the journal is on
// disk.
func (srv *Server) drainUrgent() {
	for {
		select {
		case f := <-srv.calls:
			f(srv.Now())
		case s := <-srv.synced:
			srv.release(s)
		default:
			return
		}
	}
}

// tick advances the box, after handling what was read by then: it belongs to windows that are about to close.
func (srv *Server) tick() {
	now := time.Now()
	for range srv.conns {
		select {
		case c := <-srv.received:
			srv.receive(c)
			continue
		default:
		}
		break
	}
	if srv.successor.Load() == nil {
		srv.apply(srv.box.Tick(srv.at(now)))
	}
	srv.journal.retry(now, srv.at(now))
	srv.retire(now)
	srv.box.Trouble("disk", srv.diskTrouble())
	srv.running.Store(srv.runningName())
	srv.tail.set(srv.journal.length())
	for len(srv.pending) > 0 && now.Sub(srv.pending[0].since) > maxSync {
		srv.box.Trouble("slow disk", fmt.Sprintf("the disk did not answer for %v: decisions were sent before they "+
			"were on disk", maxSync))
		srv.journal.note(srv.Now(), "the disk did not answer: a decision was sent before it was on disk")
		srv.deliver(srv.pending[0], false)
		srv.pending = srv.pending[1:]
	}
	if now.Sub(srv.clockCheckedAt) >= time.Second {
		srv.checkClock(now)
	}
}

// checkClock reports a jump of the machine's clock: it was set, or the machine slept. The game's clocks do not jump.
func (srv *Server) checkClock(now time.Time) {
	ahead := soccer.Time(now.UnixNano()).Sub(srv.clock.At(now))
	if d := ahead - srv.clockAhead; !srv.clockCheckedAt.IsZero() && (d > clockSlack || d < -clockSlack) {
		text := fmt.Sprintf("the clock of this machine jumped by %v: it was set, or the machine slept; the game's clocks "+
			"did not jump, correct them if needed", d.Round(time.Second))
		srv.box.Trouble("clock", text)
		srv.journal.note(srv.Now(), text)
		srv.Log.Warn(text)
		srv.jumpedAt = now
	} else if now.Sub(srv.jumpedAt) > time.Minute {
		srv.box.Trouble("clock", "")
	}
	srv.clockAhead, srv.clockCheckedAt = ahead, now
}

// receive gives the box the messages that a connection read. A decision waits for at most one of them.
func (srv *Server) receive(c *conn) {
	messages, now := 0, srv.at(c.at)
	c.split.Split(c.data, func(m []byte) {
		srv.apply(srv.box.Receive(now, c.id, m))
		messages++
		srv.drainUrgent()
	})
	srv.apply(srv.box.Unterminated(now, c.id, c.split.Pending(), c.split.Lost))
	c.turn <- messages
}

// disconnect removes a connection that ended.
func (srv *Server) disconnect(c *conn) {
	if _, there := srv.conns[c.id]; !there {
		return
	}
	delete(srv.conns, c.id)
	if !c.closing && c.stuck.Load() {
		srv.warnUnread(c, fmt.Sprintf("no read for %v", maxWrite))
	}
	srv.apply(srv.box.Disconnect(srv.Now(), c.id))
	srv.hangUp(c)
}

// apply carries out the effects of a call of the box.
func (srv *Server) apply(e refbox.Effects) { srv.applyDecision(e, nil) }

// applyDecision carries out the effects of a decision; d is nil for other calls.
func (srv *Server) applyDecision(e refbox.Effects, d *delivery) {
	if e.NewGame {
		srv.beginNext()
	}
	decided := d != nil
	if decided {
		d.journal = srv.journal
	}
	// A STOP that changes nothing waits neither for the disk nor behind messages that do.
	if decided && d.stop && !e.Sync {
		e.Send = slices.DeleteFunc(e.Send, srv.behindWelcome)
		srv.deliver(pendingSend{journal: srv.journal, since: time.Now(), e: e, d: d}, true)
		e.Send, e.Close, e.Score, d = nil, nil, nil, nil
	}
	srv.record(e.Log)
	if e.Sync || decided {
		srv.tail.set(srv.journal.length()) // standbys receive it while the disk is still writing
	}
	if len(e.Send)+len(e.Close)+len(e.Score) > 0 || d != nil {
		srv.enqueue(e, d)
	}
	if e.Over {
		srv.journal.interrupted.Store(false) // the referee ends the game once more
		srv.journal.export()
	}
	// At the end of a game the next tick opens the log: by then the messages are sent.
	if name := srv.runningName(); name != "" {
		srv.running.Store(name)
	}
}

// record writes records to the journal.
func (srv *Server) record(records []refbox.Record) {
	admitted := false
	for _, r := range records {
		srv.journal.write(message(r))
		admitted = admitted || r.Channel == matchlog.Admissions
	}
	if admitted {
		srv.journal.setTeams(srv.box.Admissions())
	}
}

// enqueue delivers messages, once the journal is on disk if they need that, and never before earlier messages.
func (srv *Server) enqueue(e refbox.Effects, d *delivery) {
	p := pendingSend{journal: srv.journal, since: time.Now(), e: e, d: d, written: srv.journal.trouble() == ""}
	if e.Sync {
		p.mark = srv.journal.sync()
	}
	if len(srv.pending) > 0 || e.Sync && p.written {
		srv.pending = append(srv.pending, p)
		return
	}
	srv.deliver(p, p.written || !e.Sync)
}

// behindWelcome queues a message for a connection whose WELCOME still waits for the disk.
func (srv *Server) behindWelcome(s refbox.Send) bool {
	c := srv.conns[s.To]
	if len(srv.pending) == 0 || c == nil || c.out != nil {
		return false
	}
	srv.pending = append(srv.pending, pendingSend{
		journal: srv.journal, since: time.Now(), e: refbox.Effects{Send: []refbox.Send{s}}, written: true,
	})
	return true
}

// release sends the messages that waited for the disk.
func (srv *Server) release(s synced) {
	if s.zip {
		text := ""
		if s.err != nil {
			text = fmt.Sprintf("the zip of game %s could not be written: %v. The page /log creates it from the journal",
				s.journal.name(), s.err)
		}
		srv.box.Trouble("zip", text)
		return
	}
	s.journal.confirm(s)
	if s.err == nil && s.journal == srv.journal {
		srv.box.Trouble("slow disk", "")
	}
	for len(srv.pending) > 0 && srv.pending[0].journal.done >= srv.pending[0].mark {
		if d := srv.pending[0].d; d != nil {
			d.disk = time.Since(srv.pending[0].since)
		}
		srv.deliver(srv.pending[0], s.err == nil && srv.pending[0].written)
		srv.pending = srv.pending[1:]
	}
}

// deliver queues messages at the sockets; kept reports whether the journal is on disk.
func (srv *Server) deliver(h pendingSend, kept bool) {
	if h.d != nil {
		h.d.kept = kept
		h.d.left.Add(int32(len(h.e.Send)))
	}
	for _, s := range h.e.Send {
		srv.send(s, &h)
	}
	for _, cl := range h.e.Close {
		if c := srv.conns[cl.Conn]; c != nil {
			srv.Log.Debug("closing a connection", "from", c.addr, "why", cl.Why)
			srv.hangUp(c)
		}
	}
	h.d.socketDone() // the count starts at one
	for _, b := range h.e.Score {
		select {
		case srv.events <- b:
		default: // the score follows anyway
		}
	}
}
