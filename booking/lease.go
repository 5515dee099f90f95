package booking

import (
	"math"
	"math/bits"
	"time"

	"touchline/soccer"
	"touchline/wire/b3p"
)

// Step carries out one event at time now of the robot's own clock, and sets out to what the robot sends.
func (s *State) Step(c *Config, now soccer.Time, e *Event, out *Output) {
	*out = Output{}
	now = s.monotonic(now)
	if !s.began {
		s.begin(c, now)
	}
	if e.Message.Type == 0 {
		s.control(c, now, &e.View, out)
		return
	}
	if !c.member(e.From) {
		s.Counts.Stranger++
		return
	}
	if e.From == c.Self {
		s.Counts.Twin++
		return
	}
	switch m := &e.Message; m.Type {
	case b3p.TypeClaim:
		s.claim(c, now, e.From, &m.Claim, out)
	case b3p.TypeRelease:
		s.release(c, now, e.From, &m.Release)
	case b3p.TypeBelief:
		s.belief(c, now, e.From, &m.Belief)
	}
	if newer(s.Sequence, s.sequence) {
		s.sequence = s.Sequence
	}
}

// monotonic returns a time that never runs backwards: a clock that is set back goes on from the newest time.
func (s *State) monotonic(now soccer.Time) soccer.Time {
	if now += s.behind; now < s.clock {
		s.Counts.Backward++
		s.behind += s.clock - now
		now = s.clock
	}
	s.clock = now
	return now
}

func (s *State) begin(c *Config, now soccer.Time) {
	s.began, s.Own = true, b3p.Unknown
	s.ready, s.Since = now.Add(c.Listen), now.Add(c.Listen)
	s.random = (c.Seed*64 + uint64(c.Self)) * 0x9e3779b97f4a7c15 // never 0: robots have ids from 1
	s.due = now.Add(s.jitter(c, c.Gossip))
}

// control carries out the end of a control period.
func (s *State) control(c *Config, now soccer.Time, v *View, out *Output) {
	if s.acted != 0 && now.Sub(s.acted) > c.Recent { // it was held up itself: messages of that time still wait
		s.ready = max(s.ready, now.Add(c.Listen))
	}
	s.acted = now
	s.see(c, now, v)
	s.watch(c, now, v)
	if s.Booker == c.Self {
		s.lead(c, now, v, out)
		return
	}
	if s.Own != b3p.Unknown && v.Known && s.ready <= now {
		if epoch, ok := s.mayClaim(c, now); ok {
			s.book(c, now, epoch)
			out.send(s.ownClaim(c, now))
			return
		}
	}
	if s.repeats > 0 && s.Released == c.Self && s.due <= now {
		s.repeats--
		s.due = now.Add(c.Gap)
		out.send(s.ownRelease(c))
		return
	}
	if c.Gossip > 0 && s.due <= now {
		s.schedule(c, now, c.Gossip)
		out.send(s.ownBelief(now))
	}
}

// lead carries out a control period of the booker.
func (s *State) lead(c *Config, now soccer.Time, v *View, out *Output) {
	if s.Own == b3p.Unknown {
		s.Booker, s.Released, s.Since = 0, c.Self, now
		s.reason, s.repeats, s.due = b3p.Lost, c.Repeats, now.Add(c.Gap)
		if !v.Fit {
			s.reason = v.Reason
		}
		out.send(s.ownRelease(c))
		return
	}
	if now < s.due && !s.changed(c, now) {
		return
	}
	if s.repeats > 0 {
		s.repeats--
	} else {
		s.renew(now)
	}
	out.send(s.ownClaim(c, now))
}

// changed reports whether the others should know the booker's new distance before the next renewal.
func (s *State) changed(c *Config, now soccer.Time) bool {
	by := math.Abs(float64(s.Own)-float64(s.Advertised)) / 1000
	return c.Change > 0 && by > c.Change && now.Sub(s.claimed) >= c.Gap
}

// renew renews the robot's own booking.
func (s *State) renew(now soccer.Time) {
	s.Sequence++
	s.sequence = s.Sequence
	s.Advertised, s.Claimed, s.Heard = s.Own, min(s.Claimed, s.Own), now
}

// mayClaim returns the epoch with which the robot may claim the ball now.
func (s *State) mayClaim(c *Config, now soccer.Time) (epoch uint32, ok bool) {
	wait := time.Duration(s.rank(c, now)) * c.Slot
	silence := now.Sub(s.Heard)
	switch {
	case s.Booker == 0:
		return s.Epoch + 1, now.Sub(s.Since) >= wait
	case silence > c.Lease, silence > c.Silence+wait && s.allMiss(c, now):
		return s.Epoch, true
	}
	nearer := float64(s.Own)+float64(c.Hysteresis*1000) < float64(s.Advertised)
	if now.Sub(s.Since) <= c.Dwell { // of those that replace a silent booker, the nearest one need not wait
		return s.Epoch, nearer && s.replaced && s.Own < s.Claimed
	}
	return s.Epoch + 1, nearer
}

// rank returns how many teammates that can play the ball are nearer to it. The booker does not count, for the robot
// asks when the booker is gone.
func (s *State) rank(c *Config, now soccer.Time) int {
	n := 0
	for robots := s.others(c); robots != 0; robots &= robots - 1 {
		robot := uint8(bits.TrailingZeros64(robots))
		m := &s.Mates[c.Index(robot)]
		switch {
		case !m.present(c, now) || m.Own == b3p.Unknown:
		case m.Own < s.Own, m.Own == s.Own && robot < c.Self:
			n++
		}
	}
	return n
}

// allMiss reports whether all teammates, at least one, say that they miss the booker's renewals as long as this robot.
func (s *State) allMiss(c *Config, now soccer.Time) bool {
	n := 0
	for robots := s.others(c); robots != 0; robots &= robots - 1 {
		m := &s.Mates[c.Index(uint8(bits.TrailingZeros64(robots)))]
		switch {
		case !m.present(c, now):
		case m.misses != s.Booker || m.At.Sub(s.Heard) < c.Recent:
			return false
		default:
			n++
		}
	}
	return n > 0
}

// others returns the teammates without the booker and those that are ignored.
func (s *State) others(c *Config) uint64 { return c.Members &^ (s.Ignored | 1<<c.Self | 1<<s.Booker) }

// present reports whether a teammate takes part in the game: it was heard within three leases.
func (m *Mate) present(c *Config, now soccer.Time) bool {
	return m.At != 0 && now.Sub(m.At) <= 3*c.Lease
}

// book makes the robot the booker.
func (s *State) book(c *Config, now soccer.Time, epoch uint32) {
	s.sequence++
	s.Booker, s.Released, s.Epoch, s.Sequence = c.Self, 0, epoch, s.sequence
	s.Claimed, s.Advertised = s.Own, s.Own
	s.Heard, s.Since, s.due, s.repeats, s.learnt = now, now, now, c.Repeats, true
}

// ownClaim returns the robot's claim and sets when it is due again.
func (s *State) ownClaim(c *Config, now soccer.Time) Message {
	if s.repeats > 0 {
		s.due = now.Add(c.Gap)
	} else {
		s.schedule(c, now, c.Renewal)
	}
	s.claimed = now
	return Message{Type: b3p.TypeClaim, Claim: b3p.Claim{
		Booker: c.Self, Epoch: s.Epoch, Sequence: s.Sequence, Claimed: s.Claimed, Advertised: s.Advertised,
	}}
}

func (s *State) ownRelease(c *Config) Message {
	return Message{Type: b3p.TypeRelease, Release: b3p.Release{
		Booker: c.Self, Epoch: s.Epoch, Sequence: s.Sequence, Reason: s.reason,
	}}
}

func (s *State) ownBelief(now soccer.Time) Message {
	m := b3p.Belief{
		Booker: s.Booker, Epoch: s.Epoch, Sequence: s.Sequence, Claimed: s.Claimed, Advertised: s.Advertised, Own: s.Own,
	}
	if s.Booker == 0 {
		m.Booker, m.Released = s.Released, s.Released != 0
	}
	m.AgeMillis = uint16(min(now.Sub(s.Heard)/time.Millisecond, math.MaxUint16))
	return Message{Type: b3p.TypeBelief, Belief: m}
}

// schedule sets when the next renewal or belief is due: a period after the last was due, so that control periods do not
// lengthen it.
func (s *State) schedule(c *Config, now soccer.Time, period time.Duration) {
	if s.due = s.due.Add(s.jitter(c, period)); s.due <= now {
		s.due = now.Add(s.jitter(c, period))
	}
}

// jitter returns about this period.
func (s *State) jitter(c *Config, period time.Duration) time.Duration {
	// The generator is Marsaglia's xorshift: one word of state, so that a State stays a plain value.
	s.random ^= s.random << 13
	s.random ^= s.random >> 7
	s.random ^= s.random << 17
	share := float64(float64(s.random>>11)*0x1p-52) - 1 // -1 to 1
	return period + time.Duration(float64(period)*c.Jitter*share)
}

// newer reports whether a is after b. Numbers wrap, as those of RFC 1982; of two that are 2^31 apart, which RFC 1982
// leaves open, the larger is newer.
func newer(a, b uint32) bool {
	const half = 1 << 31
	return a != b && a-b < half || a-b == half && a > b
}
