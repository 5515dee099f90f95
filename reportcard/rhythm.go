package reportcard

import (
	"fmt"
	"time"

	"touchline/conform"
	"touchline/soccer"
)

// What is judged over a stream, and from when on.
const (
	enough      = 20                     // messages before a share of them says anything
	minRate     = 10.0                   // Hz (MSL World Model 2015, section 3)
	measured    = 0.01                   // a mean rate is counted so well
	poor        = 8                      // messages in a second: jitter alone takes one of ten away, not two
	longGap     = time.Second            // ten windows of 100 ms without data
	shortGap    = 350 * time.Millisecond // three of them; a hiccup of the network if it is rare
	maxBack     = 100 * time.Millisecond // further back than a queue explains
	backNoise   = 2 * time.Millisecond   // of times in whole milliseconds
	together    = 2 * time.Millisecond
	settling    = 2 * time.Second // what waited while the referee took the team in comes at once
	maxSeconds  = 4 * 3600        // whose rate is kept
	clockAge    = 60_000          // ms: no age but a clock
	longestHole = 10              // seconds of a silence that are drawn
)

// rhythm is when a team's worldstates come and which moments they hold.
type rhythm struct {
	n         uint64
	received  soccer.Time
	published soccer.Time
	pubSeen   bool
	behind    int // messages since received that came before it

	gaps conform.Gaps
	ages conform.Gaps

	active  time.Duration // on the stream's own time line: without what gaps last beyond longGap
	silent  time.Duration
	gapMax  time.Duration
	ageMax  float64
	long    spot   // gaps of longGap
	short   spot   // of shortGap
	longest spot   // the longest
	window  int64  // of 100 ms that the newest message came in, from the first message on
	holes   uint64 // windows before that without any

	second    time.Duration // where the current one begins
	inSecond  int
	skip      bool // a long gap is in it
	seconds   uint64
	low       uint64 // seconds with fewer than ten
	poor      uint64
	run       uint64 // of poor seconds
	runMax    uint64
	slow      spot // the first poor second
	below     spot // the first low one
	candidate spot // the first message of the current second
	rates     []uint16

	back         spot
	backMax      time.Duration
	backTogether uint64 // of back those that arrived together with the message before
	same         spot   // the same moment again
	joined       spot   // arrived together and hold nearly the same moment
	together     uint64 // arrived together, whatever they hold
	timed        uint64
}

// add takes in the times of a message.
func (r *rhythm) add(c *Card, s *Message) {
	r.n++
	if c.now.AgeMillis.Known && c.now.AgeMillis.Value >= 0 {
		r.ages.Add(int32(min(c.now.AgeMillis.Value, 1e6)), 1)
		r.ageMax = max(r.ageMax, c.now.AgeMillis.Value)
	}
	if s.Received == 0 {
		return
	}
	if r.received == 0 {
		r.received, r.published, r.pubSeen = s.Received, s.Published, s.Published != 0
		r.inSecond = 1
		c.mark(&r.candidate, s, 0, 1)
		return
	}
	// The clock may be set back, for one message or for good; what is further ahead than a tournament is no time.
	gap := max(s.Received.Sub(r.received), 0)
	if s.Received < r.received {
		r.behind++
	} else {
		r.behind = 0
	}
	if s.Received > r.received && gap == 0 || gap > 1000*time.Hour {
		gap = 0
	}
	r.timed++
	r.pass(c, s, gap)
	clock := c.now.AgeMillis.Known && c.now.AgeMillis.Value > clockAge // no age: what follows from it is no moment
	if s.Published != 0 && r.pubSeen && !clock {
		r.moments(c, s, gap)
	} else if s.Published == 0 && gap <= together && r.active > settling {
		c.mark(&r.joined, s, 0, 1)
	}
	if r.behind == 0 || r.behind > enough {
		r.received, r.behind = s.Received, 0
	}
	r.published, r.pubSeen = s.Published, s.Published != 0 && !clock
}

// pass lets a gap pass.
func (r *rhythm) pass(c *Card, s *Message, gap time.Duration) {
	r.gaps.Add(int32(min(gap, time.Hour)/time.Millisecond), 1)
	if gap > r.gapMax {
		r.gapMax = gap
		r.longest = spot{}
		c.mark(&r.longest, s, 0, 1)
	}
	if gap >= shortGap && gap < longGap {
		c.mark(&r.short, s, 0, 1)
	}
	if w := int64(s.Received.Sub(c.began) / (100 * time.Millisecond)); gap > 0 && w > r.window {
		r.holes += uint64(w - r.window - 1)
		r.window = w
	}
	if gap >= longGap {
		c.mark(&r.long, s, 0, 1)
		r.silent += gap
		r.skip = true
		r.close()
		for range min(int(gap/time.Second), longestHole) {
			r.keep(0)
		}
		r.second, r.skip = r.active, true
		r.begin(c, s)
		return
	}
	r.active += gap
	for r.active-r.second >= time.Second {
		r.close()
		r.second += time.Second
		r.candidate = spot{}
	}
	if r.candidate.count == 0 {
		r.begin(c, s)
		return
	}
	r.inSecond++
}

// begin begins a second with s.
func (r *rhythm) begin(c *Card, s *Message) {
	r.candidate = spot{}
	c.mark(&r.candidate, s, 0, 1)
	r.inSecond = 1
}

// close judges the current second.
func (r *rhythm) close() {
	r.keep(r.inSecond)
	n, skip := r.inSecond, r.skip
	r.inSecond, r.skip = 0, false
	if skip {
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

func (r *rhythm) keep(n int) {
	if len(r.rates) < maxSeconds {
		r.rates = append(r.rates, uint16(min(n, 65535)))
	}
}

// moments judges the moment that s holds against the one before.
func (r *rhythm) moments(c *Card, s *Message, gap time.Duration) {
	step := s.Published.Sub(r.published)
	instant := s.Received.Sub(r.received).Abs() <= together // a clock that was set back has no gap either
	if step < -backNoise {
		c.markValue(&r.back, s, c.now.AgeMillis.Offset)
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
		c.markValue(&r.same, s, c.now.AgeMillis.Offset)
	}
	if gap <= together && step.Abs() <= r.period()/2 {
		c.mark(&r.joined, s, 0, 1)
	}
}

// period is the mean time between two messages without long gaps.
func (r *rhythm) period() time.Duration {
	if r.timed <= r.long.count {
		return 0
	}
	return r.active / time.Duration(r.timed-r.long.count)
}

// mean returns the mean rate in Hz without long gaps; 0: not known.
func (r *rhythm) mean() float64 {
	if p := r.period(); p > 0 {
		return 1 / p.Seconds()
	}
	return 0
}

// findings appends what is wrong with the times.
func (r *rhythm) findings(c *Card, all []Finding) []Finding {
	all = r.rate(c, all)
	if r.long.count > 0 || r.short.count >= 3 && share(r.short.count, r.timed) >= 0.0005 {
		first := r.short
		if r.long.count > 0 && (r.short.count == 0 || r.long.first < r.short.first) {
			first = r.long
		}
		first.count = r.long.count + r.short.count
		all = append(all, c.finding(&first, RuleGap, false, share(first.count, r.timed), fmt.Sprintf(
			"%s of more than %d ms without a worldstate, the longest %.1f s; each window of 100 ms without one is logged as empty",
			many(first.count, "time"), shortGap.Milliseconds(), r.gapMax.Seconds())))
	} else if r.short.count > 0 {
		all = append(all, c.finding(&r.short, RuleGap, true, share(r.short.count, r.timed), fmt.Sprintf(
			"no worldstate for %d ms", r.gapMax.Milliseconds())))
	}
	if r.back.count > 0 {
		all = append(all, r.backwards(c))
	}
	return r.burst(c, all)
}

// byBox is why worldstates of a log may have been read together by no fault of the team.
const byBox = "the RefBox 2.1 reads a team about every 80 ms, or the line held them back"

// polled reports whether a referee box read the team now and then only: many of a log's messages were read together, as
// those of a team that sends more often than every 80 ms are.
func (r *rhythm) polled(c *Card) bool {
	return c.computed && share(r.together, r.timed) >= 0.1 && r.mean() > 1/0.08
}

// backwards says how the moments that worldstates hold go back. What was read together is no sure sign of it where that is
// so for many; and the line holds a message back now and then.
func (r *rhythm) backwards(c *Card) Finding {
	n, text := r.back.count, ""
	if r.backTogether > 0 {
		text = fmt.Sprintf("; %d of them were read in the same instant: %s", r.backTogether, byBox)
	}
	if r.polled(c) {
		n -= r.backTogether
	}
	note := (n < 3 || share(n, r.timed) < 0.005) && r.backMax < maxBack
	return c.finding(&r.back, RuleBackwards, note, share(r.back.count, r.timed), fmt.Sprintf(
		"the moment that a worldstate holds (receipt less ageMs) is before that of the message before: %s, by up to %d ms%s",
		many(r.back.count, "time"), r.backMax.Milliseconds(), text))
}

// burst says how many worldstates come together. A log without times of receipt does not tell who kept them.
func (r *rhythm) burst(c *Card, all []Finding) []Finding {
	count, what, note := &r.same, "hold the same moment as the message before: they come in bursts", false
	if share(r.same.count, r.timed) < 0.05 || r.polled(c) && 2*r.same.count < r.together {
		count, what = &r.joined, "arrive together with the message before: they come in bursts"
		if c.computed {
			note, what = true, "were read together with the message before: "+byBox
		}
		if share(r.joined.count, r.timed) < 0.12 {
			return all
		}
	}
	if count.count < 10 {
		return all
	}
	return append(all, c.finding(count, RuleBurst, note, share(count.count, r.timed), fmt.Sprintf(
		"%d of %d worldstates %s", count.count, r.n, what)))
}

// rate judges how often worldstates come.
func (r *rhythm) rate(c *Card, all []Finding) []Finding {
	mean := r.mean()
	slowMean := float64(r.timed-r.long.count+1) < (1-measured)*minRate*r.active.Seconds() && r.active >= 5*time.Second
	most := r.seconds >= 5 && float64(r.low) >= 0.8*float64(r.seconds)
	some := r.poor >= 3 && (float64(r.poor) >= 0.02*float64(r.seconds) || r.runMax >= 3)
	first := r.slow
	if first.count == 0 {
		first = r.below
	}
	switch {
	case slowMean || most:
		first.count = max(r.low, 1)
		all = append(all, c.finding(&first, RuleRate, false, share(r.low, r.seconds), fmt.Sprintf(
			"%.2f worldstates a second on average, 10 is the least; %d of %d seconds have fewer than ten", mean, r.low, r.seconds)))
	case some:
		first.count = r.poor
		all = append(all, c.finding(&first, RuleRate, false, share(r.poor, r.seconds), fmt.Sprintf(
			"%d of %d seconds have %d worldstates or fewer, 10 is the least (%.1f on average)", r.poor, r.seconds, poor, mean)))
	}
	return all
}

// many writes a number of things.
func many(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
