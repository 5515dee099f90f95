package check

import (
	"slices"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// Times of clocks.
const (
	rateSpan    = 2 * time.Second                // span over which the advance of sent is compared with the arrivals
	rateFor     = 10 * time.Second               // time after which the comparison starts again
	futureBy    = uint64(15 * time.Millisecond)  // a sender may read the clock for sent before a message joins
	futureOnce  = uint64(250 * time.Millisecond) // the same for a single message, of a sender that stalls between the two
	oldBy       = uint64(10 * time.Second)
	frozenFor   = uint64(2500 * time.Millisecond)
	frozenTimes = 10                     // messages with the same capture time
	heldMore    = 250 * time.Millisecond // held may exceed the time since the echoed datagram by this
	heldLeast   = 50 * time.Millisecond  // shorter times do not show the unit of held
)

// clock compares a sender's clock with the arrivals.
type clock struct {
	at    soccer.Time // arrival of the first datagram; 0: none
	sent  uint64
	count int
}

// departure is a datagram that a sender sent.
type departure struct {
	sent uint64
	at   soccer.Time
}

// judgeClock judges sent.
func (c *DatagramChecker) judgeClock(s *sender, st *stream) {
	h := &c.datagram.Header
	if h.Sequence == st.highest {
		if st.sent > h.Sent {
			c.fault(24, "sent", sourceClocks,
				"%d ns, but the datagram before left at %d ns: sent never goes back; read a "+
					"monotonic clock", h.Sent, st.sent)
		}
		st.sent, st.at = h.Sent, c.packet.Time
	}
	if unix(s.boot, h.Sent) && h.Sent < (uint64(s.boot)-1)*uint64(time.Second) {
		c.fault(24, "sent", sourceClocks,
			"%d ns lies before boot %d, which looks like the Unix time in seconds at the start: "+
				"the clock was set back; read a monotonic clock", h.Sent, s.boot)
	}
	now, k := c.packet.Time, &s.clock
	if now == 0 {
		return
	}
	if k.at == 0 || now < k.at || now.Sub(k.at) > rateFor {
		*k = clock{at: now, sent: h.Sent}
	}
	k.count++
	passed := now.Sub(k.at)
	if passed < rateSpan || k.count < 10 {
		return
	}
	advance := float64(h.Sent-k.sent) / float64(passed)
	if h.Sent < k.sent {
		return // reported above
	}
	unit, ok := unitOf(advance)
	switch {
	case advance == 0:
		c.fault(24, "sent", sourceClocks, "stays at %d ns while %.1f s pass: write the time when the datagram leaves",
			h.Sent, passed.Seconds())
	case ok:
		c.fault(24, "sent", sourceClocks,
			"looks like %s, it advances by %.6g a second: write nanoseconds", unit, advance*1e9)
	}
}

// unitOf returns the unit whose share of a nanosecond's count a ratio is.
func unitOf(ratio float64) (string, bool) {
	for _, u := range []struct {
		name  string
		share float64
	}{{"microseconds", 1e-3}, {"milliseconds", 1e-6}, {"seconds", 1e-9}} {
		if ratio > 0.8*u.share && ratio < 1.25*u.share {
			return u.name, true
		}
	}
	return "", false
}

// unix reports whether a boot looks like the Unix time in seconds and sent like the Unix time in ns of about that time.
func unix(boot uint32, sent uint64) bool {
	const least, day = 1_000_000_000, 86400 // s
	seconds := sent / uint64(time.Second)
	return boot >= least && seconds+day > uint64(boot) && seconds < uint64(boot)+30*day
}

// periodic reports whether messages of a type are sent again and again, so that an old capture time is a fault.
func periodic(t tcm.Type) bool {
	switch t {
	case tcm.Belief, tcm.Measurements, tcm.Status, tcm.Debug, tcm.Sense, tcm.Motor:
		return true
	}
	return false
}

// judgeCaptured judges the capture time of a message whose piece is at byte at.
func (c *DatagramChecker) judgeCaptured(s *sender, n *counter, p *tcm.Piece, at int, field string) {
	sent := c.datagram.Sent
	at, field = at+8, field+"captured"
	switch {
	case p.Captured == 0:
		c.fault(at, field, sourcePieces, "0: write the time of the measurement, in ns of the same clock as sent")
	case n.isFuture(p.Captured, sent):
		c.fault(at, field, sourcePieces,
			"%d ns is %s later than sent: a measurement cannot be younger than its datagram; read the "+
				"same clock for both", p.Captured, apart(p.Captured-sent))
	case !periodic(p.Type):
	case unix(s.boot, sent) && p.Captured < (uint64(s.boot)-1)*uint64(time.Second) && 2*p.Captured > sent:
		c.fault(at, field, sourcePieces, "%d ns lies %s before the start of boot %d: write the time of the measurement",
			p.Captured, apart(uint64(s.boot)*uint64(time.Second)-p.Captured), s.boot)
	case sent > p.Captured && sent-p.Captured > oldBy:
		if unit, ok := unitOf(float64(p.Captured) / float64(sent)); ok {
			c.fault(at, field, sourcePieces,
				"%d looks like %s: write nanoseconds of the same clock as sent", p.Captured, unit)
			return
		}
		c.fault(at, field, sourcePieces,
			"%d ns is %s before sent: write the time of the measurement, and read the same clock "+
				"for both", p.Captured, apart(sent-p.Captured))
	default:
		c.judgeFrozenCapture(n, p, at, field)
	}
}

// isFuture reports whether a message was captured after its datagram left: by more than a stall explains, or again and
// again.
func (n *counter) isFuture(captured, sent uint64) bool {
	if captured <= sent || captured-sent <= futureBy {
		n.future = 0
		return false
	}
	n.future++
	return captured-sent > futureOnce || n.future >= 3
}

// judgeFrozenCapture finds a capture time that newer messages repeat.
func (c *DatagramChecker) judgeFrozenCapture(n *counter, p *tcm.Piece, at int, field string) {
	sent := c.datagram.Sent
	if p.Captured != n.captured || sent < n.capturedSent {
		n.captured, n.capturedSent, n.sameCaptured = p.Captured, sent, 0
	}
	n.sameCaptured++
	if still := sent - n.capturedSent; n.sameCaptured >= frozenTimes && still >= frozenFor {
		c.fault(at, field, sourcePieces, "the same %d ns in %d messages over %s: write the time of each measurement",
			p.Captured, n.sameCaptured, apart(still))
	}
}

// apart writes a difference of two times in ns.
func apart(ns uint64) string {
	d := time.Duration(min(ns, 1<<62))
	if d > time.Second {
		d = d.Round(time.Millisecond)
	}
	return d.String()
}

// echoes counts what a sender's echoes show.
type echoes struct {
	timed, millis, nanos int // echoes with a known time since the echoed datagram; those whose held looks like ms, ns
	found, missing       int // echoed is the sent of a datagram; is none
	later                int // later than any datagram
}

// judgeEcho compares an echo with the datagrams of the echoed entity.
func (c *DatagramChecker) judgeEcho(s *sender) {
	e := c.datagram.Echo
	if e.From.Kind == 0 {
		return
	}
	if e.From == s.Entity {
		c.fault(32, "echo.id", sourceClocks, "%s echoes itself: echo a datagram that another entity sent", s.Entity)
		return
	}
	peer := c.senders[Source{s.Team, e.From}]
	if peer == nil || peer.observed < uint64(len(peer.sents)) || c.packet.Time == 0 {
		return
	}
	at, found := peer.departure(e.Sent)
	if !found {
		if !peer.earlier(e.Sent) {
			s.echoes.missing++
			c.judgeUnknownEcho(s, peer, e.Sent)
		}
		return
	}
	s.echoes.found++
	since, held := c.packet.Time.Sub(at), time.Duration(e.Held)*time.Microsecond
	if since < 0 {
		return
	}
	late := peer.late(e.Sent, at)
	ratio := held.Seconds() / since.Seconds()
	if since >= heldLeast {
		s.echoes.timed++
		if ratio > 0.7e-3 && ratio < 1.3e-3 {
			s.echoes.millis++
		}
		if ratio > 700 && ratio < 1300 {
			s.echoes.nanos++
		}
	}
	most := s.echoes.timed * 9 / 10
	switch {
	case s.echoes.timed >= 5 && s.echoes.millis >= most:
		c.fault(36, "echo.held", sourceClocks,
			"looks like milliseconds: %s passed since the echoed datagram; write microseconds",
			since.Round(time.Millisecond))
	case s.echoes.timed >= 5 && s.echoes.nanos >= most:
		c.fault(36, "echo.held", sourceClocks,
			"looks like nanoseconds: %s passed since the echoed datagram; write microseconds",
			since.Round(time.Millisecond))
	case held > since+late+heldMore && s.echoes.timed < 5:
	case held > since+late+heldMore:
		c.fault(36, "echo.held", sourceClocks,
			"%d us, but the echoed datagram arrived only %s before: write the time from its "+
				"arrival to this departure", e.Held, since.Round(time.Millisecond))
	}
}

// judgeUnknownEcho judges an echo of a sent that no datagram of the peer has.
func (c *DatagramChecker) judgeUnknownEcho(s, peer *sender, sent uint64) {
	if c.packet.Time.Sub(peer.since) < 2*overtaken {
		return // perhaps a datagram of the boot before
	}
	last := peer.sents[(peer.observed-1)%uint64(len(peer.sents))]
	since := uint64(max(c.packet.Time.Sub(last.at), 0))
	switch {
	// Where datagrams wait before they are recorded, that of the peer may be recorded after its echo.
	case sent > last.sent+since+uint64(time.Second) && s.echoes.tooLate():
		c.fault(40, "echo.sent", sourceClocks,
			"%d ns is later than any datagram of %s: copy sent of the echoed datagram", sent,
			peer.Entity)
	case s.echoes.found == 0 && s.echoes.missing >= 20:
		c.note(40, "echo.sent", sourceClocks,
			"suspicion: %d ns is in no datagram of %s: copy sent of the echoed datagram "+
				"without changing it", sent, peer.Entity)
	}
}

// tooLate counts an echo of a later datagram, and reports whether there are many.
func (e *echoes) tooLate() bool {
	e.later++
	return e.later >= 5 && 10*e.later > e.found+e.missing
}

// earlier reports whether a boot before the newest one can have sent a datagram at sent, on its clock.
func (s *sender) earlier(sent uint64) bool {
	return slices.ContainsFunc(s.older[:], func(o oldBoot) bool { return o.known && sent <= o.latest })
}

// noteDeparture remembers a datagram. The copies of a broadcast by unicast count as one.
func (s *sender) noteDeparture(sent uint64, at soccer.Time) {
	n := uint64(len(s.sents))
	if s.observed > 0 && s.sents[(s.observed-1)%n].sent == sent {
		return
	}
	s.sents[s.observed%n] = departure{sent, at}
	s.observed++
}

// departure returns when the first copy of a recent datagram arrived, and whether one has this sent.
func (s *sender) departure(sent uint64) (at soccer.Time, found bool) {
	for i := range s.sents {
		if d := &s.sents[i]; d.sent == sent && d.at != 0 && (!found || d.at < at) {
			at, found = d.at, true
		}
	}
	return at, found
}

// noteDelay remembers the least delay of the datagrams of a boot.
func (s *sender) noteDelay(sent uint64, at soccer.Time) {
	if at != 0 {
		s.least = min(s.least, int64(uint64(at)-sent))
	}
}

// late returns how much longer than the fastest datagram of its boot a datagram was under way. It may have waited where
// it was recorded: programs that stall read late, and the entity that echoed it did not have to wait.
func (s *sender) late(sent uint64, at soccer.Time) time.Duration {
	return time.Duration(max(int64(uint64(at)-sent)-s.least, 0))
}
