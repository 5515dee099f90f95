package reportcard

import (
	"fmt"
	"math"
	"time"

	"touchline/soccer"
)

// Bounds of a team that is away.
const (
	leastAway   = 15  // s
	awayShare   = 0.1 // of the game: a reconnection takes seconds
	awayNoGame  = 0.4 // of a log that has no part of a game: teams come and go
	shortAbsent = 3   // s that do not count: RuleGap finds them
)

// presence is in which seconds a team sent something, in which the referee box logged, and in which the game was on.
type presence struct{ sent, logged, playing seconds }

// seconds is a set of seconds. It is bounded: those before the first one and hours later are not in it.
type seconds struct {
	first int64 // since 1970
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
func (p *presence) add(m *Message, sent bool) {
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
	from, till int64 // of the longest part, s since 1970
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

// vanishedFinding appends that the team was away for a large part of the game.
func (c *Card) vanishedFinding(all []Finding) []Finding {
	a := &c.absence
	if a.away < leastAway || c.worldstates == 0 || share(uint64(a.away), uint64(a.of)) < awayNoGame &&
		(!a.game || share(uint64(a.away), uint64(a.of)) < awayShare) {
		return all
	}
	began := int64(c.start) / int64(time.Second)
	what := "log"
	if a.game {
		what = "game"
	}
	spot := spot{count: uint64(a.away), time: float64(max(a.from-began, 0))}
	return append(all, c.violation(&spot, RuleVanished, share(uint64(a.away), uint64(a.of)),
		"no message in %d of the %d s of the %s; the longest absence: %s, from %s", a.away, a.of, what,
		clockText(a.till-a.from), clockText(a.from-began)))
}

// clockText returns seconds as minutes and seconds.
func clockText(s int64) string {
	if s < 0 {
		return "the start"
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
