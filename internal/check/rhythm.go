package check

import (
	"math"
	"time"

	"touchline/soccer"
)

// Bounds of the rhythm of a stream.
const (
	enoughMessages = 20                     // before a share of them means anything
	leastRate      = 10.0                   // Hz (MSL World Model 2015, section 3)
	rateError      = 0.01                   // relative error of a counted mean rate
	poor           = 8                      // messages in a second: jitter alone costs one of ten, not two
	longGap        = time.Second            // ten windows of 100 ms without data
	shortGap       = 350 * time.Millisecond // three windows; a single one is a hiccup of the network
	maxSeconds     = 4 * 3600               // seconds for which the rate is kept
	clockAge       = 60_000                 // ms: a larger ageMs is a timestamp, not an age
	longestHole    = 10                     // seconds of a silence that the chart shows
	reconnecting   = 3 * time.Second        // a team may need this long to find a referee box that started again
)

// rhythm is when the worldstates of a team arrive and of which times they are.
type rhythm struct {
	received soccer.Time
	behind   int // messages in a row that were received before received: the clock was set back

	gaps histogram
	ages histogram

	active time.Duration // duration of the stream without gaps of longGap and more
	silent time.Duration // duration of these gaps
	gapMax time.Duration
	ageMax float64
	timed  uint64 // gaps
	long   spot   // gaps of longGap and more
	short  spot   // gaps of shortGap and more
	queued spot   // gaps of shortGap and more after which the missing messages arrived at once
	ending hole   // the newest gap of shortGap and more
	window int64  // number of the window of 100 ms with the newest message
	holes  uint64 // earlier windows without a message

	second    time.Duration // start of the current second in active
	inSecond  int           // messages in it
	broken    bool          // a long gap is in it
	seconds   uint64
	low       [int(leastRate)]lowSeconds // by their messages
	candidate spot                       // the first message of the current second
	rates     []uint16

	reads reads
}

// lowSeconds counts the seconds with few messages.
type lowSeconds struct {
	spot
	run, most uint64 // seconds in a row with this many messages or fewer: now, and at most
}

// hole is a gap until it is known whether the missing messages arrive together at its end.
type hole struct {
	spot
	gap time.Duration // 0: none
	end soccer.Time
	n   int // messages at its end
}

// add counts the times of a worldstate.
func (r *rhythm) add(c *Card, m *StationMessage) {
	age := c.current.AgeMillis
	if age.Known && age.Value >= 0 {
		r.ages.add(int32(min(age.Value, 1e6)), 1)
		r.ageMax = max(r.ageMax, age.Value)
	}
	if m.Received == 0 {
		return
	}
	published := m.Published
	if age.Known && age.Value > clockAge {
		published = 0 // it follows from a timestamp that is no age
	}
	if r.received == 0 {
		r.received = m.Received
		r.startSecond(c, m)
		r.reads.add(c, m, published)
		return
	}
	// The clock of the receiver may be set back, for one message or for good; a jump of weeks ahead is no gap.
	gap := max(m.Received.Sub(r.received), 0)
	if m.Received < r.received {
		r.behind++
	} else {
		r.behind = 0
	}
	if m.Received > r.received && gap == 0 || gap > 1000*time.Hour {
		gap = 0
	}
	if away := c.boxAway(r.received, m.Received); away > 0 && gap-away < reconnecting {
		r.addAway(c, m, gap)
	} else {
		r.timed++
		r.addGap(c, m, gap-away)
	}
	r.reads.add(c, m, published)
	if r.behind == 0 || r.behind > enoughMessages {
		r.received, r.behind = m.Received, 0
	}
}

// addAway counts the gap before m as no gap of the team, which had no referee box.
func (r *rhythm) addAway(c *Card, m *StationMessage, gap time.Duration) {
	r.endHole()
	r.window = int64(m.Received.Sub(c.start) / (100 * time.Millisecond))
	r.breakOff(c, m, gap)
}

// breakOff ends a second that a gap before m broke, and starts the next one.
func (r *rhythm) breakOff(c *Card, m *StationMessage, gap time.Duration) {
	r.silent += gap
	r.broken = true
	r.endSecond()
	for range min(int(gap/time.Second), longestHole) {
		r.keepRate(0)
	}
	r.second, r.broken = r.active, true
	r.startSecond(c, m)
}

// addGap counts the gap before m.
func (r *rhythm) addGap(c *Card, m *StationMessage, gap time.Duration) {
	r.gaps.add(int32(min(gap, time.Hour)/time.Millisecond), 1)
	r.gapMax = max(r.gapMax, gap)
	if w := int64(m.Received.Sub(c.start) / (100 * time.Millisecond)); gap > 0 && w > r.window {
		r.holes += uint64(w - r.window - 1)
		r.window = w
	}
	if h := &r.ending; h.gap > 0 && (gap >= shortGap || m.Received.Sub(h.end) > lateness) {
		r.endHole()
	} else if h.gap > 0 {
		h.n++
	}
	if gap >= shortGap {
		r.ending = hole{gap: gap, end: m.Received, n: 1}
		c.mark(&r.ending.spot, m, 0, 1)
	}
	if gap >= longGap {
		r.breakOff(c, m, gap)
		return
	}
	r.active += gap
	for r.active-r.second >= time.Second {
		r.endSecond()
		r.second += time.Second
		r.candidate = spot{}
	}
	if r.candidate.count == 0 {
		r.startSecond(c, m)
		return
	}
	r.inSecond++
}

// endHole counts the newest gap. If most of the missing messages arrived at its end, the team had sent them in time.
func (r *rhythm) endHole() {
	h := r.ending
	r.ending = hole{}
	switch {
	case h.gap == 0:
	case float64(h.n) >= max(3, 0.6*h.gap.Seconds()*r.mean()):
		r.queued.add(&h.spot)
		if h.gap >= longGap {
			r.silent, r.active, r.second = r.silent-h.gap, r.active+h.gap, r.second+h.gap
		}
	case h.gap >= longGap:
		r.long.add(&h.spot)
	default:
		r.short.add(&h.spot)
	}
}

// startSecond starts a second with m as its first message.
func (r *rhythm) startSecond(c *Card, m *StationMessage) {
	r.candidate = spot{}
	c.mark(&r.candidate, m, 0, 1)
	r.inSecond = 1
}

// endSecond judges the current second.
func (r *rhythm) endSecond() {
	r.keepRate(r.inSecond)
	n, broken := r.inSecond, r.broken
	r.inSecond, r.broken = 0, false
	if !broken {
		r.seconds++
	}
	if !broken && n < len(r.low) {
		r.low[n].add(&r.candidate)
	}
	for k := range r.low {
		if s := &r.low[k]; broken || n > k {
			s.run = 0
		} else {
			s.run++
			s.most = max(s.most, s.run)
		}
	}
}

// keepRate keeps the messages of a second for the chart.
func (r *rhythm) keepRate(n int) {
	if len(r.rates) < maxSeconds {
		r.rates = append(r.rates, uint16(min(n, 65535)))
	}
}

// period returns the mean gap without long gaps; 0: unknown.
func (r *rhythm) period() time.Duration {
	if r.timed <= r.long.count {
		return 0
	}
	return r.active / time.Duration(r.timed-r.long.count)
}

// mean returns the mean rate in Hz without long gaps; 0: unknown.
func (r *rhythm) mean() float64 {
	if p := r.period(); p > 0 {
		return 1 / p.Seconds()
	}
	return 0
}

// judgeGaps reports the gaps. Gaps after which all messages arrived at once were not made by the team.
func (c *Card) judgeGaps(out *findings) {
	r := &c.rhythm
	ended := *r
	ended.endHole()
	long, short, queued := &ended.long, &ended.short, &ended.queued
	switch {
	case c.filled > 0 && c.worldstates == 0:
		out.fault(&spot{}, c.filled, c.filled, "no worldstate at all: the referee box logged %s as empty",
			Plural(c.filled, "window"))
	case long.count > 0 || short.count >= 3 && share(short.count, r.timed) >= 0.0005:
		long.add(short)
		out.fault(long, long.count, r.timed,
			"%s of more than %d ms without a worldstate, the longest %.1f s; the RefBox logs each window of "+
				"100 ms without one as empty",
			Plural(long.count, "gap"), shortGap.Milliseconds(), r.gapMax.Seconds())
	case short.count > 0:
		out.note(short, short.count, r.timed, "no worldstate for %d ms", r.gapMax.Milliseconds())
	case queued.count >= 3:
		out.note(queued, queued.count, r.timed,
			"%s of more than %d ms, after which the missing worldstates arrived at once: the network or the "+
				"receiver stalled",
			Plural(queued.count, "gap"), shortGap.Milliseconds())
	}
}

// judgeRate reports that the rate is too low. A second has fewer messages the longer the receiver waits between its
// readings.
func (c *Card) judgeRate(out *findings) {
	r := &c.rhythm
	slowMean := float64(r.timed-r.long.count+1) < (1-rateError)*leastRate*r.active.Seconds() && r.active >= 5*time.Second
	var low, few spot
	limit := poor - int(math.Ceil(leastRate*min(r.reads.period(), slowReader).Seconds()))
	for n := range r.low {
		if low.add(&r.low[n].spot); n <= limit {
			few.add(&r.low[n].spot)
		}
	}
	mostSeconds := r.seconds >= 5 && float64(low.count) >= 0.8*float64(r.seconds)
	someSeconds := few.count >= 3 && (float64(few.count) >= 0.02*float64(r.seconds) || r.low[limit].most >= 3)
	switch {
	case slowMean || mostSeconds:
		out.fault(&low, max(low.count, 1), r.seconds,
			"%.2f worldstates a second on average, at least 10 required; %d of %d seconds have fewer than ten",
			r.mean(), max(low.count, 1), r.seconds)
	case someSeconds:
		out.fault(&few, few.count, r.seconds, "%d of %d seconds have %d worldstates or fewer, at least 10 required (%.1f on "+
			"average)", few.count, r.seconds, limit, r.mean())
	}
}
