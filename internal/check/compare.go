package check

import (
	"fmt"
	"math"
	"slices"
	"time"

	"touchline/internal/stat"
	"touchline/soccer"
)

// Bounds of comparing two teams' balls.
const (
	slot     = 500 * time.Millisecond // one ball of each team is kept
	maxSlots = 4 * 3600 * 2
	agree    = 0.5 // m: the balls of two teams that see it right differ by less
)

// track is where a team believed the ball to be, twice a second.
type track struct {
	start soccer.Time
	at    []soccer.Vec // NaN where it was unknown
}

func (t *track) add(now soccer.Time, at soccer.Vec) {
	if now == 0 {
		return
	}
	if t.start == 0 {
		t.start = now
	}
	n := int64(now.Sub(t.start) / slot)
	if n < int64(len(t.at)) || n >= maxSlots {
		return
	}
	for int64(len(t.at)) < n {
		t.at = append(t.at, unknownPlace())
	}
	t.at = append(t.at, at)
}

// position returns where the ball was at a time; NaN if that is unknown.
func (t *track) position(at soccer.Time) soccer.Vec {
	n := int64(at.Sub(t.start) / slot)
	if at < t.start || n >= int64(len(t.at)) {
		return unknownPlace()
	}
	return t.at[n]
}

func unknownPlace() soccer.Vec { return soccer.Vec{X: math.NaN(), Y: math.NaN()} }

// Compare checks the teams of one match against each other: whether one was away while the referee box logged, and
// where two teams believe the ball to be. If they agree in another frame than that of the specification, and no other
// finding tells whose frame is wrong, both cards get a note.
func Compare(cards ...*Card) {
	absences(cards)
	if len(cards) == 2 {
		compareBalls(cards[0], cards[1])
	}
}

func compareBalls(a, b *Card) {
	if wrongFrame(a) || wrongFrame(b) {
		return
	}
	pairs := ballPairs(a, b)
	if pairs == nil {
		return
	}
	// The other team's ball is turned by pi (MSL World Model 2015, section 2), and perhaps in another frame as well.
	apart := func(convert func(soccer.Vec) soccer.Vec) float64 {
		all := make([]float64, 0, len(pairs))
		for _, p := range pairs {
			all = append(all, convert(p[1].Turned()).Sub(p[0]).Len())
		}
		slices.Sort(all)
		return stat.Quantile(all, 0.5)
	}
	right := apart(func(v soccer.Vec) soccer.Vec { return v })
	best, least := &frames[0], math.Inf(1)
	for i := range frames {
		if off := apart(frames[i].apply); off < least {
			best, least = &frames[i], off
		}
	}
	if right <= least || least > agree || right < 3*agree {
		return
	}
	note := func(team string) string {
		return fmt.Sprintf("the median distance from the ball of %.40q is %.1f m; with one of the two frames %s it is %.1f m",
			team, right, best.view, least)
	}
	a.frameNote, b.frameNote = note(b.team), note(a.team)
}

// ballPairs returns where both teams believed the ball to be at the same times, each in its team frame; nil if that
// tells too little.
func ballPairs(a, b *Card) (pairs [][2]soccer.Vec) {
	var lowest, highest soccer.Vec
	track := &a.contents.track
	for i, at := range track.at {
		other := b.contents.track.position(track.start.Add(time.Duration(i) * slot))
		if math.IsNaN(at.X) || math.IsNaN(other.X) {
			continue
		}
		if len(pairs) == 0 {
			lowest, highest = at, at
		}
		lowest = soccer.Vec{X: min(lowest.X, at.X), Y: min(lowest.Y, at.Y)}
		highest = soccer.Vec{X: max(highest.X, at.X), Y: max(highest.Y, at.Y)}
		pairs = append(pairs, [2]soccer.Vec{{X: at.Y, Y: -at.X}, {X: other.Y, Y: -other.X}})
	}
	if len(pairs) < 60 || highest.X-lowest.X < 3 || highest.Y-lowest.Y < 3 {
		return nil
	}
	return pairs
}

func wrongFrame(c *Card) bool {
	out := &findings{rule: &rules[rank(RuleFrame)]}
	c.judgeFrame(out)
	return out.has(RuleFrame)
}

// Bounds of a team that is away.
const (
	leastAway   = 15  // s
	awayShare   = 0.1 // share of the game: a reconnection takes seconds
	awayNoGame  = 0.4 // share of a log that has no part of a game: teams come and go
	shortAbsent = 3   // s that do not count: RuleGap finds them
)

// presence is in which seconds a team sent something, in which the referee box logged, and in which the game was on.
type presence struct{ sent, logged, playing seconds }

// seconds is a set of seconds. It is bounded: those before the first one and hours later are not in it.
type seconds struct {
	first int64 // seconds since 1970
	known bool
	bits  []uint64
	lost  bool // some are not in it
}

func (s *seconds) add(at soccer.Time) {
	second := int64(at) / int64(time.Second)
	if !s.known {
		s.known, s.first = true, second
	}
	n := second - s.first
	if n < 0 || n >= maxSeconds {
		s.lost = true
		return
	}
	for int64(len(s.bits)) <= n/64 {
		s.bits = append(s.bits, 0)
	}
	s.bits[n/64] |= 1 << (n % 64)
}

func (s *seconds) has(second int64) bool {
	n := second - s.first
	return n >= 0 && n/64 < int64(len(s.bits)) && s.bits[n/64]&(1<<(n%64)) != 0
}

// end returns the second after the last one.
func (s *seconds) end() int64 { return s.first + 64*int64(len(s.bits)) }

// add counts a message, or a window without one.
func (p *presence) add(m *StationMessage, sent bool) {
	if m.Received == 0 {
		return
	}
	if p.logged.add(m.Received); sent {
		p.sent.add(m.Received)
	}
	if m.Playing {
		p.playing.add(m.Received)
	}
}

// absence is how long a team sent nothing while the referee box logged.
type absence struct {
	away, of   int64 // s
	from, till int64 // the longest part, s since 1970
	game       bool  // only seconds in which the game was on count
}

// absences sets how long each team of a match was away, unless the log is too long to tell.
func absences(cards []*Card) {
	first, last, game := int64(math.MaxInt64), int64(math.MinInt64), false
	for _, c := range cards {
		c.absence = absence{}
		if s := &c.presence.logged; s.lost {
			return
		} else if s.known {
			first, last = min(first, s.first), max(last, s.end())
		}
		game = game || c.presence.playing.known
	}
	if first > last || last-first > 2*maxSeconds {
		return
	}
	for _, c := range cards {
		c.absence = c.absent(cards, first, last, game)
	}
}

// absent returns how long c was away.
func (c *Card) absent(cards []*Card, first, last int64, game bool) absence {
	a := absence{game: game}
	start, run := first, int64(0)
	end := func() {
		if run > shortAbsent {
			if a.away += run; run > a.till-a.from {
				a.from, a.till = start, start+run
			}
		}
		run = 0
	}
	arrived := game // before a game a team may come later
	for second := first; second < last; second++ {
		counts := false
		for _, o := range cards {
			counts = counts || o.presence.logged.has(second) && (!game || o.presence.playing.has(second))
		}
		arrived = arrived || c.presence.sent.has(second)
		switch {
		case !counts || !arrived:
		case c.presence.sent.has(second):
			end()
			a.of++
		default:
			if run == 0 {
				start = second
			}
			run++
			a.of++
		}
	}
	end()
	return a
}

// judgeVanished reports that the team was away for a large part of the game.
func (c *Card) judgeVanished(out *findings) {
	a := &c.absence
	away, of := uint64(a.away), uint64(a.of)
	if a.away < leastAway || c.worldstates == 0 || share(away, of) < awayNoGame && (!a.game || share(away, of) < awayShare) {
		return
	}
	began := int64(c.start) / int64(time.Second)
	what := "log"
	if a.game {
		what = "game"
	}
	out.fault(&spot{time: float64(max(a.from-began, 0))}, away, of,
		"no message in %d of the %d s of the %s; the longest absence: %s, from %s", a.away, a.of, what,
		clockText(a.till-a.from), clockText(a.from-began))
}

// clockText returns seconds as minutes and seconds.
func clockText(s int64) string {
	if s < 0 {
		return "the start"
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
