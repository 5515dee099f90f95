package check

import (
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
)

// Times of timestamps.
const (
	stepBack    = 300 // ms: a step back of this much is no packet that a newer one overtook, if the next ones agree
	lateFor     = 1500 * time.Millisecond
	frozenAfter = 2500 * time.Millisecond
	rateHalf    = 1500 * time.Millisecond
	shortPart   = 290 * time.Second // shorter than any part of a match: an overtime has two of 5 minutes
	restartsIn  = time.Minute
	waitOthers  = 1500 * time.Millisecond // time for the other robots' timestamps to restart too
)

// stamps watches a sender's timestamps.
type stamps struct {
	known   bool
	newest  uint32
	at      soccer.Time // arrival of newest
	changed soccer.Time // when the timestamp last changed
	repeats int         // packets with it since

	back      uint32 // a step back that is not confirmed yet
	backCount int

	restarted [2]soccer.Time // newest first; 0: never
	part      time.Duration  // the newest timestamp before the newest restart
	compared  bool           // the newest restart was compared with the other senders

	marks bounded.Ring[mark] // ends of the halves of the window of rates
}

// mark is a timestamp with its arrival.
type mark struct {
	at    soccer.Time
	stamp uint32
}

// maxMarks is the number of marks of a window of rates.
const maxMarks = 3

// judgeStamp judges the timestamp of a package. It reports whether the package is late: a newer one overtook it.
func (j *Judge) judgeStamp(t *trace, now soccer.Time, stamp uint32) (late bool) {
	s := &t.stamps
	if !s.known {
		*s = stamps{known: true, newest: stamp, at: now, changed: now}
		*s.marks.Push(maxMarks) = mark{now, stamp}
		return false
	}
	if behind := int64(s.newest) - int64(stamp); behind > 0 {
		if !s.confirmed(stamp) {
			return behind < lateFor.Milliseconds() || s.backCount > 0
		}
		s.restart(now, s.newest)
		s.marks.Clear()
	}
	s.backCount = 0
	if stamp != s.newest {
		s.changed, s.repeats = now, 0
	}
	s.newest, s.at, s.repeats = stamp, now, s.repeats+1
	j.judgeRestart(t, now)
	still := now.Sub(s.changed)
	if stamp != 0 && still >= frozenAfter && s.repeats >= 10 { // 0 before the first start
		t.report(now, stampFrozen.fault(stamp, still.Seconds()))
	}
	t.judgeRate(now, stamp)
	return false
}

// confirmed reports whether a timestamp that steps back continues the one before, which did too: an overtaken packet
// is followed by one that does not.
func (s *stamps) confirmed(stamp uint32) bool {
	if s.newest-stamp < stepBack && s.backCount == 0 {
		return false
	}
	if s.backCount == 0 || stamp < s.back || stamp-s.back > 1000 {
		s.backCount = 0
	}
	s.back = stamp
	s.backCount++
	return s.backCount >= 3
}

// restart records that the timestamp restarted after part ms.
func (s *stamps) restart(now soccer.Time, part uint32) {
	s.restarted = [2]soccer.Time{now, s.restarted[0]}
	s.part, s.compared = time.Duration(part)*time.Millisecond, false
}

// judgeRestart compares the newest restart with the other senders, once they had the time to restart too: the start of
// a half restarts the timestamps of all robots.
func (j *Judge) judgeRestart(t *trace, now soccer.Time) {
	s := &t.stamps
	at, before := s.restarted[0], s.restarted[1]
	again := before != 0 && at.Sub(before) < restartsIn
	if at == 0 || s.compared || now.Sub(at) < waitOthers && !again {
		return
	}
	s.compared = true
	running := false
	for _, e := range j.traces.All() {
		o := e.Value
		if o == t || o.sender.Color != t.sender.Color || !o.stamps.known || now.Sub(o.last) > together {
			continue
		}
		if other := o.stamps.restarted[0]; other != 0 && at.Sub(other).Abs() < 3*time.Second {
			return
		}
		running = running || o.stamps.newest != 0 && at.Sub(o.first) > together
	}
	switch {
	case again:
		t.report(now, stampRestartsTwice.fault(at.Sub(before).Seconds()))
	case running:
		t.report(now, stampRestartedAlone.fault())
	case s.part < shortPart:
		t.report(now, stampRestarted.fault(s.part.Seconds()))
	}
}

// judgeRate finds timestamps in another unit: in both halves of the window they advance at the same wrong rate. A jump
// of the clock is in one half only.
func (t *trace) judgeRate(now soccer.Time, stamp uint32) {
	s := &t.stamps
	if stamp == 0 || s.marks.Len() > 0 && s.marks.At(0).stamp == 0 {
		s.marks.Clear()
	}
	if n := s.marks.Len(); n > 0 && now.Sub(s.marks.At(n-1).at) < rateHalf {
		return
	}
	if *s.marks.Push(maxMarks) = (mark{now, stamp}); s.marks.Len() < maxMarks {
		return
	}
	first, second, both := s.rate(0, 1), s.rate(1, 2), s.rate(0, 2)
	// A session that falls behind, or runs in slow motion, is slow by less than any other unit.
	wrong := func(rate float64) bool { return rate > 0 && (rate < 200 || rate > 5000) }
	switch {
	case !wrong(first) || !wrong(second) || max(first, second) > 3*min(first, second):
	case both > 0.6 && both < 1.5:
		t.report(now, stampSeconds.fault())
	default:
		t.report(now, stampRate.fault(both))
	}
}

// rate returns the advance a second from one mark to another.
func (s *stamps) rate(from, to int) float64 {
	a, b := s.marks.At(from), s.marks.At(to)
	return float64(b.stamp-a.stamp) / b.at.Sub(a.at).Seconds()
}
