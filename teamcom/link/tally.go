package link

import (
	"time"

	"touchline/soccer"
)

// recentSeconds are the seconds of recent figures: the current one and the ten before it.
const recentSeconds = 11

// counts are the fates of datagrams or messages.
type counts struct {
	expected   uint64 // that the peer sent
	received   uint64 // once each
	duplicates uint64
	reordered  uint64 // received after a newer one
	bytes      uint64
}

func (c *counts) add(d counts) {
	c.expected += d.expected
	c.received += d.received
	c.duplicates += d.duplicates
	c.reordered += d.reordered
	c.bytes += d.bytes
}

// lost returns how many are missing.
func (c *counts) lost() uint64 {
	if c.expected < c.received { // some were missing in the seconds before, and came late
		return 0
	}
	return c.expected - c.received
}

// tally counts in total and over the last 10 s.
type tally struct {
	total   counts
	seconds [recentSeconds]counts
	ring    ring
}

func (t *tally) add(now soccer.Time, d counts) {
	t.total.add(d)
	slot, fresh := t.ring.slot(now)
	if fresh {
		t.seconds[slot] = counts{}
	}
	t.seconds[slot].add(d)
}

// recent returns the counts of the last 10 s, and the span in seconds that they cover, at least 1 s.
func (t *tally) recent(now soccer.Time) (c counts, span float64) {
	for slot := range t.seconds {
		if t.ring.covers(slot, now) {
			c.add(t.seconds[slot])
		}
	}
	return c, t.ring.span(now)
}

// ring assigns a slot to each of the recent seconds.
type ring struct {
	began   bool
	start   soccer.Time // of the first use
	seconds [recentSeconds]int64
}

// second returns the second of a time.
func second(t soccer.Time) int64 { return int64(t) / int64(time.Second) }

// slot returns the slot of now; fresh is true if it holds figures of an earlier second.
func (r *ring) slot(now soccer.Time) (slot int, fresh bool) {
	if !r.began {
		r.began, r.start = true, now
		for i := range r.seconds {
			r.seconds[i] = second(now) - recentSeconds
		}
	}
	s := second(now)
	slot = int(uint64(s) % recentSeconds)
	if s > r.seconds[slot] {
		r.seconds[slot] = s
		return slot, true
	}
	return slot, false
}

// covers reports whether a slot belongs to the last 10 s.
func (r *ring) covers(slot int, now soccer.Time) bool {
	age := second(now) - r.seconds[slot]
	return r.began && age >= 0 && age < recentSeconds
}

// span returns the seconds that the ring covers, at least 1.
func (r *ring) span(now soccer.Time) float64 {
	oldest := max(r.start, soccer.Time((second(now)-recentSeconds+1)*int64(time.Second)))
	return max(now.Sub(oldest).Seconds(), 1)
}
