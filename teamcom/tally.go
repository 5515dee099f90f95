package teamcom

import (
	"time"

	"touchline/soccer"
)

// recentSeconds are the seconds of recent figures: the current one and the ten before it.
const recentSeconds = 11

// counts are the fates of datagrams or messages.
type counts struct {
	expected   uint64 // number that the peer sent
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

// since returns the counts that were added to before.
func (c *counts) since(before *counts) counts {
	return counts{
		c.expected - before.expected, c.received - before.received, c.duplicates - before.duplicates,
		c.reordered - before.reordered, c.bytes - before.bytes,
	}
}

// tally counts in total and over the last 10 s. Within a second it touches its first fields only.
type tally struct {
	second  span // second that is counted
	total   counts
	before  counts                // total before that second
	slot    int                   // slot of that second
	seconds [recentSeconds]counts // lacks the amount by which total exceeds before
	ring    recentSlots
}

func (t *tally) add(now soccer.Time, d counts) {
	if !t.second.has(now) {
		t.keep()
		slot, fresh := t.ring.slot(now)
		if fresh {
			t.seconds[slot] = counts{}
		}
		t.slot, t.second = slot, secondAround(now)
	}
	t.total.add(d)
}

// keep adds what was counted in the second to its slot.
func (t *tally) keep() {
	t.seconds[t.slot].add(t.total.since(&t.before))
	t.before = t.total
}

// recent returns the counts of the last 10 s, and the span in seconds that they cover, at least 1 s.
func (t *tally) recent(now soccer.Time) (c counts, span float64) {
	t.keep()
	for slot := range t.seconds {
		if t.ring.covers(slot, now) {
			c.add(t.seconds[slot])
		}
	}
	return c, t.ring.span(now)
}

// recentSlots assigns a slot to each of the recent seconds.
type recentSlots struct {
	began   bool
	start   soccer.Time // time of the first use
	seconds [recentSeconds]int64
}

// span is a time from one to another, without the latter.
type span struct{ from, to soccer.Time }

func (s *span) has(t soccer.Time) bool { return s.from <= t && t < s.to }

// secondAround returns the second that a time belongs to.
func secondAround(t soccer.Time) span {
	from := soccer.Time(second(t) * int64(time.Second))
	return span{from, from.Add(time.Second)}
}

// second returns the second of a time.
func second(t soccer.Time) int64 { return int64(t) / int64(time.Second) }

// slot returns the slot of now; fresh is true if it holds figures of an earlier second.
func (r *recentSlots) slot(now soccer.Time) (slot int, fresh bool) {
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
func (r *recentSlots) covers(slot int, now soccer.Time) bool {
	age := second(now) - r.seconds[slot]
	return r.began && age >= 0 && age < recentSeconds
}

// span returns the seconds that the ring covers, at least 1.
func (r *recentSlots) span(now soccer.Time) float64 {
	oldest := max(r.start, soccer.Time((second(now)-recentSeconds+1)*int64(time.Second)))
	return max(now.Sub(oldest).Seconds(), 1)
}
