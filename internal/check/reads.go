package check

import (
	"hash/maphash"
	"math/bits"
	"time"

	"touchline/soccer"
)

// Bounds of what the readings of a receiver explain. RefBox reads each team at its own times: about every 80 ms with
// delays up to 99 ms (RefBox 2.1), or every 134 ms (RefBox 2016).
const (
	oneReading  = 2 * time.Millisecond   // messages of one reading
	slowReader  = 200 * time.Millisecond // no RefBox reads that seldom
	backNoise   = 2 * time.Millisecond   // error of times in whole milliseconds
	leastBack   = 8 * time.Millisecond   // steps back below this are not counted
	lateness    = 10 * time.Millisecond  // a network delays that long now and then
	maxBack     = 100 * time.Millisecond // further back than a queue explains
	stepZero    = 400                    // ms that are added to steps of worldstate time, which may be negative
	settling    = 2 * time.Second        // messages that waited for the admission of the team arrive at once
	enoughPairs = 10                     // worldstates that arrive together, before they mean anything
	stalled     = 3                      // usual periods without a reading: the receiver stood still
	fastMove    = 0.35                   // s in which a robot in motion covers minMove
)

var hashSeed = maphash.MakeSeed()

// reads follows the readings of a receiver: worldstates wait for a reading, and those that waited together arrive in
// one instant. A time of receipt is late by at most the time since the reading before.
type reads struct {
	n             uint64
	gaps          histogram // between readings
	steps         histogram // steps of worldstate time from message to message, plus stepZero
	current, last reading
	before        soccer.Time // the reading since which the messages of last may have waited
	published     soccer.Time // worldstate time of the message before
	hash          uint64      // hash of the message before

	proven back    // worldstate time went back further than any reading explains
	late   [8]back // it went back by 8, 16, 32 ... ms, a usual reading later

	joined, timed uint64 // messages that arrived together with the one before; all
	pairs         spot   // joined, with nearly the same worldstate time
	same          spot   // messages with the worldstate time of the one before
	moving        uint64 // messages while a robot moves fast
	again         spot   // messages while a robot moves fast whose bytes are those of the one before
}

// back counts steps back of worldstate time.
type back struct {
	spot
	most time.Duration
}

// reading is all messages of one instant.
type reading struct {
	at     soccer.Time
	newest soccer.Time // worldstate time; 0: unknown
}

// add counts a message and its worldstate time, 0 if that is unknown.
func (r *reads) add(c *Card, m *StationMessage, published soccer.Time) {
	hash := maphash.Bytes(hashSeed, m.Data)
	if r.timed++; c.contents.seconds < c.contents.fastUntil {
		if r.moving++; hash == r.hash {
			c.mark(&r.again, m, 0, 1)
		}
	}
	if gap := m.Received.Sub(r.current.at); r.n == 0 || gap > oneReading || gap < -oneReading {
		if r.n++; r.n > 1 && gap > 0 {
			r.gaps.add(int32(min(gap, time.Hour)/time.Millisecond), 1)
		}
		// Readings in quick succession empty a queue: what they read may have waited as long as for the first one.
		if median := r.period(); r.current.at.Sub(r.last.at) >= median/2 {
			r.before = r.last.at
		}
		r.last, r.current = r.current, reading{at: m.Received}
	} else if c.rhythm.active > settling {
		r.joined++
		if published == 0 || r.published == 0 || published.Sub(r.published).Abs() <= c.rhythm.period()/2 {
			c.mark(&r.pairs, m, 0, 1)
		}
	}
	if published != 0 && r.published != 0 {
		step := published.Sub(r.published)
		r.steps.add(int32(max(min(step/time.Millisecond, stepZero), -stepZero)+stepZero), 1)
		// A worldstate that is sent in its time is none of a burst, also if nothing new was known.
		soon := m.Received.Sub(c.rhythm.received) <= c.rhythm.period()/2
		if step.Abs() <= time.Millisecond && soon && c.rhythm.active > settling {
			c.markValue(&r.same, m, c.current.AgeMillis.Offset)
		}
	}
	r.compare(c, m, published)
	if published != 0 {
		r.current.newest = max(r.current.newest, published)
	}
	r.published, r.hash = published, hash
}

// compare compares worldstate time with that of the reading before. The order within a reading tells nothing: an
// export does not keep it.
func (r *reads) compare(c *Card, m *StationMessage, published soccer.Time) {
	step := r.last.newest.Sub(published)
	if published == 0 || r.last.newest == 0 || r.last.at > r.current.at || step <= backNoise {
		return
	}
	to := &r.proven
	if wait := r.last.at.Sub(r.before); r.before == 0 || wait <= 0 || step <= wait+backNoise {
		k := bits.Len64(uint64(step/leastBack)) - 1
		if k < 0 || r.current.at.Sub(r.last.at) < r.period()/2 {
			return // the message before was delayed on its way
		}
		if r.before != 0 && wait > stalled*r.period() {
			return // the message before waited while the receiver stood still
		}
		to = &r.late[min(k, len(r.late)-1)]
	}
	c.markValue(&to.spot, m, c.current.AgeMillis.Offset)
	to.most = max(to.most, step)
}

// noise returns by how much readings make the steps of worldstate time differ.
func (r *reads) noise() time.Duration {
	low, _ := r.steps.quantile(0.05)
	high, _ := r.steps.quantile(0.95)
	return max(lateness, time.Duration(high-low)*time.Millisecond)
}

// period returns the median time between readings; it is the period of the receiver, or that of the team if the team is
// slower.
func (r *reads) period() time.Duration {
	p, _ := r.gaps.quantile(0.5)
	return time.Duration(p * float64(time.Millisecond))
}

// judgeBackwards reports that worldstate time goes backwards, further than the readings of the receiver explain.
func (c *Card) judgeBackwards(out *findings) {
	r := &c.rhythm.reads
	sum := r.proven
	for k := range r.late {
		if b := &r.late[k]; leastBack<<k >= r.noise() {
			sum.add(&b.spot)
			sum.most = max(sum.most, b.most)
		}
	}
	if sum.count > 0 {
		f := out.fault(&sum.spot, sum.count, r.timed,
			"worldstate time (receipt less ageMs) went backwards %s, by up to %d ms: readings every %d ms do not "+
				"explain it",
			Plural(sum.count, "time"), sum.most.Milliseconds(), r.period().Milliseconds())
		f.Note = (sum.count < 3 || share(sum.count, r.timed) < 0.005) && sum.most < maxBack
	}
}

// judgeBursts reports that worldstates are sent twice, or several at a time.
func (c *Card) judgeBursts(out *findings) {
	r := &c.rhythm.reads
	again, same, pairs := r.again.count, r.same.count, r.pairs.count
	switch {
	case again >= enoughPairs && share(again, r.moving) >= 0.05:
		out.fault(&r.again, again, r.timed,
			"%d worldstates repeat the message before byte by byte while robots move fast: each was sent again", again)
	case c.polled && (share(r.joined, r.timed) < 0.12 || r.period() <= slowReader):
	case !c.polled && share(same, r.timed) >= 0.05 && same >= enoughPairs:
		out.fault(&r.same, same, r.timed,
			"%d of %d worldstates have the worldstate time of the message before: they come in bursts", same, r.timed)
	case share(pairs, r.timed) >= 0.12 && pairs >= enoughPairs:
		out.fault(&r.pairs, pairs, r.timed,
			"%d of %d worldstates arrive together with the message before, in bursts %d ms apart",
			pairs, r.timed, r.period().Milliseconds())
	}
}
