package reportcard

import (
	"fmt"
	"time"

	"touchline/conform"
	"touchline/soccer"
)

// Bounds of the rhythm of a stream.
const (
	enoughMessages = 20                     // before a share of them means anything
	minRate        = 10.0                   // Hz (MSL World Model 2015, section 3)
	rateError      = 0.01                   // relative error of a counted mean rate
	poor           = 8                      // messages in a second: jitter alone costs one of ten, not two
	longGap        = time.Second            // ten windows of 100 ms without data
	shortGap       = 350 * time.Millisecond // three windows; a single one is a hiccup of the network
	maxBack        = 100 * time.Millisecond // further backwards than a queue explains
	backNoise      = 2 * time.Millisecond   // of times in whole milliseconds
	together       = 2 * time.Millisecond
	settling       = 2 * time.Second // messages that waited for the admission of the team arrive at once
	maxSeconds     = 4 * 3600        // for which the rate is kept
	clockAge       = 60_000          // ms: a larger ageMs is a timestamp, not an age
	longestHole    = 10              // seconds of a silence that the chart shows
)

// rhythm is when the worldstates of a team arrive and of which times they are.
type rhythm struct {
	n            uint64
	received     soccer.Time
	published    soccer.Time
	hasPublished bool
	behind       int // messages in a row that were received before received: the clock was set back

	gaps conform.Gaps
	ages conform.Gaps

	active  time.Duration // duration of the stream without gaps of longGap and more
	silent  time.Duration // duration of these gaps
	gapMax  time.Duration
	ageMax  float64
	long    spot   // gaps of longGap and more
	short   spot   // gaps of shortGap and more
	longest spot   // the longest gap
	window  int64  // number of the window of 100 ms with the newest message
	holes   uint64 // earlier windows without a message

	second    time.Duration // start of the current second in active
	inSecond  int           // messages in it
	broken    bool          // a long gap is in it
	seconds   uint64
	low       uint64 // seconds with fewer than ten messages
	poor      uint64 // seconds with poor messages or fewer
	run       uint64 // poor seconds in a row
	runMax    uint64
	slow      spot // the first poor second
	below     spot // the first low second
	candidate spot // the first message of the current second
	rates     []uint16

	back         spot // worldstate time went backwards
	backMax      time.Duration
	backTogether uint64 // of back those that arrived together with the message before
	same         spot   // worldstate time of the message before
	joined       spot   // arrived together and have nearly the same worldstate time
	together     uint64 // arrived together
	timed        uint64 // gaps
}

// add counts the times of a message.
func (r *rhythm) add(c *Card, m *Message) {
	r.n++
	age := c.current.AgeMillis
	if age.Known && age.Value >= 0 {
		r.ages.Add(int32(min(age.Value, 1e6)), 1)
		r.ageMax = max(r.ageMax, age.Value)
	}
	if m.Received == 0 {
		return
	}
	if r.received == 0 {
		r.received, r.published, r.hasPublished = m.Received, m.Published, m.Published != 0
		r.startSecond(c, m)
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
	r.timed++
	r.addGap(c, m, gap)
	timestamp := age.Known && age.Value > clockAge // Published, which follows from it, is no worldstate time
	if m.Published != 0 && r.hasPublished && !timestamp {
		r.addPublished(c, m, gap)
	} else if m.Published == 0 && gap <= together && r.active > settling {
		c.mark(&r.joined, m, 0, 1)
	}
	if r.behind == 0 || r.behind > enoughMessages {
		r.received, r.behind = m.Received, 0
	}
	r.published, r.hasPublished = m.Published, m.Published != 0 && !timestamp
}

// addGap counts the gap before m.
func (r *rhythm) addGap(c *Card, m *Message, gap time.Duration) {
	r.gaps.Add(int32(min(gap, time.Hour)/time.Millisecond), 1)
	if gap > r.gapMax {
		r.gapMax = gap
		r.longest = spot{}
		c.mark(&r.longest, m, 0, 1)
	}
	if gap >= shortGap && gap < longGap {
		c.mark(&r.short, m, 0, 1)
	}
	if w := int64(m.Received.Sub(c.start) / (100 * time.Millisecond)); gap > 0 && w > r.window {
		r.holes += uint64(w - r.window - 1)
		r.window = w
	}
	if gap >= longGap {
		c.mark(&r.long, m, 0, 1)
		r.silent += gap
		r.broken = true
		r.endSecond()
		for range min(int(gap/time.Second), longestHole) {
			r.keepRate(0)
		}
		r.second, r.broken = r.active, true
		r.startSecond(c, m)
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

// startSecond starts a second with m as its first message.
func (r *rhythm) startSecond(c *Card, m *Message) {
	r.candidate = spot{}
	c.mark(&r.candidate, m, 0, 1)
	r.inSecond = 1
}

// endSecond judges the current second.
func (r *rhythm) endSecond() {
	r.keepRate(r.inSecond)
	n, broken := r.inSecond, r.broken
	r.inSecond, r.broken = 0, false
	if broken {
		r.run = 0
		return
	}
	r.seconds++
	if n >= minRate {
		r.run = 0
		return
	}
	if r.low++; r.low == 1 {
		r.below = r.candidate
	}
	if n > poor {
		r.run = 0
		return
	}
	if r.poor++; r.poor == 1 {
		r.slow = r.candidate
	}
	r.run++
	r.runMax = max(r.runMax, r.run)
}

// keepRate keeps the messages of a second for the chart.
func (r *rhythm) keepRate(n int) {
	if len(r.rates) < maxSeconds {
		r.rates = append(r.rates, uint16(min(n, 65535)))
	}
}

// addPublished compares the worldstate time of m with that of the message before.
func (r *rhythm) addPublished(c *Card, m *Message, gap time.Duration) {
	age := c.current.AgeMillis.Offset
	step := m.Published.Sub(r.published)
	instant := m.Received.Sub(r.received).Abs() <= together // the gap is 0 too when the clock was set back
	if step < -backNoise {
		c.markValue(&r.back, m, age)
		r.backMax = max(r.backMax, -step)
		if instant {
			r.backTogether++
		}
	}
	if r.active <= settling {
		return
	}
	if instant {
		r.together++
	}
	if step.Abs() <= time.Millisecond {
		c.markValue(&r.same, m, age)
	}
	if gap <= together && step.Abs() <= r.period()/2 {
		c.mark(&r.joined, m, 0, 1)
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

// findings appends the broken rules of the rhythm.
func (r *rhythm) findings(c *Card, all []Finding) []Finding {
	all = r.rateFinding(c, all)
	if r.long.count > 0 || r.short.count >= 3 && share(r.short.count, r.timed) >= 0.0005 {
		first := r.short
		if r.long.count > 0 && (r.short.count == 0 || r.long.first < r.short.first) {
			first = r.long
		}
		first.count = r.long.count + r.short.count
		all = append(all, c.violation(&first, RuleGap, share(first.count, r.timed),
			"%s of more than %d ms without a worldstate, the longest %.1f s; the RefBox logs each window of 100 ms without one as empty",
			plural(first.count, "gap"), shortGap.Milliseconds(), r.gapMax.Seconds()))
	} else if r.short.count > 0 {
		all = append(all, c.note(&r.short, RuleGap, share(r.short.count, r.timed),
			"no worldstate for %d ms", r.gapMax.Milliseconds()))
	}
	if r.back.count > 0 {
		all = append(all, r.backFinding(c))
	}
	return r.burstFinding(c, all)
}

// rateFinding appends a finding on the rate.
func (r *rhythm) rateFinding(c *Card, all []Finding) []Finding {
	slowMean := float64(r.timed-r.long.count+1) < (1-rateError)*minRate*r.active.Seconds() && r.active >= 5*time.Second
	mostSeconds := r.seconds >= 5 && float64(r.low) >= 0.8*float64(r.seconds)
	someSeconds := r.poor >= 3 && (float64(r.poor) >= 0.02*float64(r.seconds) || r.runMax >= 3)
	first := r.slow
	if first.count == 0 {
		first = r.below
	}
	switch {
	case slowMean || mostSeconds:
		first.count = max(r.low, 1)
		all = append(all, c.violation(&first, RuleRate, share(r.low, r.seconds),
			"%.2f worldstates a second on average, at least 10 required; %d of %d seconds have fewer than ten", r.mean(), r.low, r.seconds))
	case someSeconds:
		first.count = r.poor
		all = append(all, c.violation(&first, RuleRate, share(r.poor, r.seconds),
			"%d of %d seconds have %d worldstates or fewer, at least 10 required (%.1f on average)", r.poor, r.seconds, poor, r.mean()))
	}
	return all
}

// byReceiver is why worldstates may have been read together by no fault of the team.
const byReceiver = "the RefBox 2.1 reads a team about every 80 ms, or the network delayed them"

// polled reports whether the referee box read the team at long intervals: many messages of a log were read together, as
// are those of a team that sends more often than every 80 ms.
func (r *rhythm) polled(c *Card) bool {
	return c.computed && share(r.together, r.timed) >= 0.1 && r.mean() > 1/0.08
}

// backFinding returns how worldstate time goes backwards. Messages that were read together prove nothing if that is so
// for many; and the network delays a message now and then.
func (r *rhythm) backFinding(c *Card) Finding {
	n, text := r.back.count, ""
	if r.backTogether > 0 {
		text = fmt.Sprintf("; %d of these were read together with the worldstate before: %s", r.backTogether, byReceiver)
	}
	if r.polled(c) {
		n -= r.backTogether
	}
	f := c.violation(&r.back, RuleBackwards, share(r.back.count, r.timed),
		"worldstate time went backwards %s, by up to %d ms (worldstate time is receipt less ageMs)%s",
		plural(r.back.count, "time"), r.backMax.Milliseconds(), text)
	f.Note = (n < 3 || share(n, r.timed) < 0.005) && r.backMax < maxBack
	return f
}

// burstFinding appends how many worldstates arrive together. A log without times of receipt does not tell who delayed
// them.
func (r *rhythm) burstFinding(c *Card, all []Finding) []Finding {
	first, what, note := &r.same, "have the worldstate time of the message before: they come in bursts", false
	if share(r.same.count, r.timed) < 0.05 || r.polled(c) && 2*r.same.count < r.together {
		first, what = &r.joined, "arrive together with the message before: they come in bursts"
		if c.computed {
			note, what = true, "were read together with the message before: "+byReceiver
		}
		if share(r.joined.count, r.timed) < 0.12 {
			return all
		}
	}
	if first.count < 10 {
		return all
	}
	f := c.violation(first, RuleBurst, share(first.count, r.timed), "%d of %d worldstates %s", first.count, r.n, what)
	f.Note = note
	return append(all, f)
}
