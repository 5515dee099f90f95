package booking

import (
	"math/bits"
	"time"

	"touchline/soccer"
	"touchline/wire/b3p"
)

// claim receives a claim or renewal from the booker that it names. All answer a claim that loses, for its sender may
// have missed the renewals: the booker at once, the others at the end of the control period.
func (s *State) claim(c *Config, now soccer.Time, from uint8, m *b3p.Claim, out *Output) {
	switch {
	case m.Booker != from || m.Claimed > b3p.MaxDistance || m.Advertised > b3p.MaxDistance:
		s.Counts.Absurd++
		return
	case !s.plausible(c, now, from, m.Epoch):
		s.Counts.Jump++
		return
	}
	s.note(c, now, from, m.Advertised)
	s.Mates[c.Index(from)].books = true
	if s.Ignored>>from&1 == 1 {
		s.Counts.Lie++
		return
	}
	s.learnt = true
	s.weigh(c, now, 0, Booked{m.Booker, m.Epoch, m.Sequence, m.Claimed, m.Advertised})
	switch {
	case s.Booker != c.Self:
		if s.Booker != from {
			s.due = now
		}
	case now.Sub(s.claimed) < c.Gap:
		s.due = min(s.due, s.claimed.Add(c.Gap))
	default:
		s.due, s.repeats = now, c.Repeats
		s.renew(now)
		out.send(s.ownClaim(c, now))
	}
}

// Booked is a booking in a message.
type Booked struct {
	Booker              uint8
	Epoch, Sequence     uint32
	Claimed, Advertised uint16 // mm
}

// weigh believes a booking that was renewed age ago, if it renews or beats the known one, or the known one is over.
// News that are old do not beat a booking: a teammate may still believe in a booker that crashed.
func (s *State) weigh(c *Config, now soccer.Time, age time.Duration, b Booked) {
	heard := now.Add(-age)
	switch {
	case b.Booker == s.Booker && b.Epoch == s.Epoch:
		if newer(b.Sequence, s.Sequence) {
			s.Heard = max(s.Heard, s.onTime(c, now, heard, b.Sequence-s.Sequence))
			s.Sequence, s.Claimed, s.Advertised = b.Sequence, b.Claimed, b.Advertised
		} else {
			s.Counts.Old++
		}
	case age < c.Recent && (s.beats(&b) || s.over(c, now, &b)):
		if b.Booker != s.Booker {
			s.Since, s.due, s.repeats = now, now, 0 // and tells the others at once
			s.replaced = s.Booker != 0 && s.Epoch == b.Epoch
		}
		s.Booker, s.Released, s.Epoch, s.Sequence = b.Booker, 0, b.Epoch, b.Sequence
		s.Claimed, s.Advertised, s.Heard = b.Claimed, b.Advertised, heard
	default:
		s.Counts.Old++
	}
}

// onTime returns when the renewal that is n after the known one would have been heard at the latest, if that is before
// heard: one that was held back on the way says that the booker lived then, not that it lives now. When two in a row
// are late, the booker or the network has become slower, and the second one counts from its arrival; so does one after
// a lease.
func (s *State) onTime(c *Config, now, heard soccer.Time, n uint32) soccer.Time {
	latest := s.Heard.Add(time.Duration(n) * time.Duration(float64(c.Renewal)*(1+c.Jitter)))
	if heard <= latest || s.late || now.Sub(s.Heard) > c.Lease {
		s.late = false
		return heard
	}
	s.late = heard.Sub(latest) > c.Renewal/2
	return latest
}

// beats reports whether a booking beats the known one in the order of claims. Without a booker only a newer epoch does.
func (s *State) beats(b *Booked) bool {
	switch {
	case b.Epoch != s.Epoch:
		return newer(b.Epoch, s.Epoch)
	case s.Booker == 0:
		return false
	case b.Claimed != s.Claimed:
		return b.Claimed < s.Claimed
	}
	return b.Booker < s.Booker
}

// over reports whether a booking that does not beat the known one takes its place, since that one was not renewed
// for Config.Recent. The own one is never over. A release ended its epoch, so none of that takes its place.
func (s *State) over(c *Config, now soccer.Time, b *Booked) bool {
	if newer(s.Epoch, b.Epoch) || s.Booker == c.Self || s.Booker == 0 {
		return false
	}
	return now.Sub(s.Heard) > c.Recent
}

// release receives the release of the ball by the booker.
func (s *State) release(c *Config, now soccer.Time, from uint8, m *b3p.Release) {
	switch {
	case m.Booker != from:
		s.Counts.Absurd++
	case !s.plausible(c, now, from, m.Epoch):
		s.Counts.Jump++
	default:
		s.note(c, now, from, b3p.Unknown)
		s.free(c, now, m.Booker, m.Epoch, m.Sequence)
	}
}

// free believes that the booker released the ball, unless something newer is known. The release ends the epoch: a robot
// that booked the ball within it goes on with the next one, else a belief in the released booking could beat it.
func (s *State) free(c *Config, now soccer.Time, booker uint8, epoch, sequence uint32) {
	same := s.Booker == booker && s.Epoch == epoch && !newer(s.Sequence, sequence)
	if s.Booker == c.Self && s.Epoch == epoch {
		s.Epoch, s.due = epoch+1, now
		return
	}
	if !same && !newer(epoch, s.Epoch) {
		s.Counts.Old++
		return
	}
	s.Booker, s.Released, s.Epoch, s.Sequence, s.Since = 0, booker, epoch, sequence, now
}

// belief receives a teammate's belief.
func (s *State) belief(c *Config, now soccer.Time, from uint8, m *b3p.Belief) {
	age := time.Duration(m.AgeMillis) * time.Millisecond
	switch {
	case m.Claimed > b3p.MaxDistance || m.Advertised > b3p.MaxDistance || m.Own > b3p.MaxDistance && m.Own != b3p.Unknown:
		s.Counts.Absurd++
		return
	case m.Booker != 0 && !c.member(m.Booker):
		s.Counts.Stranger++
		return
	}
	s.note(c, now, from, m.Own)
	if s.false(c, now, age, from, m) {
		s.Mates[c.Index(from)].lied = now
		s.Counts.Lie++
		if m.Booker == from { // a booker claims: no robot tells of its own booking
			return
		}
	}
	if s.Ignored>>from&1 == 1 {
		s.Counts.Lie++
		return
	}
	if age >= c.Recent && !m.Released {
		s.Mates[c.Index(from)].misses = m.Booker
	}
	// The sender misses renewals that this robot has heard, or sent: tell it before it takes the ball.
	if age >= 2*c.Renewal && m.Booker == s.Booker && m.Epoch == s.Epoch && newer(s.Sequence, m.Sequence) {
		s.due = min(s.due, max(now, s.claimed.Add(c.Gap)))
	}
	switch {
	case m.Booker == 0 || age > c.Lease && !m.Released:
		// Nothing that is worth knowing.
	case s.Ignored>>m.Booker&1 == 1:
		s.Counts.Lie++
	case s.learnt && farther(m.Epoch, s.Epoch, c.Jump):
		s.Counts.Jump++
	case m.Booker == c.Self:
		s.remember(c, now, age, m)
	case m.Released:
		s.learnt = true
		s.free(c, now, m.Booker, m.Epoch, m.Sequence)
	case !newer(m.Epoch, s.Epoch) && newer(s.Sequence, m.Sequence):
		s.Counts.Old++ // else two robots keep each other's belief in a dead booker alive
	default:
		s.learnt = true
		s.weigh(c, now, age, Booked{m.Booker, m.Epoch, m.Sequence, m.Claimed, m.Advertised})
	}
}

// false reports whether a belief tells of a recent booking that its booker does not make: this robot, the sender itself,
// or one that told so within the lease. On a bad network that happens for a moment. Old news are no lie: the network may
// repeat them.
func (s *State) false(c *Config, now soccer.Time, age time.Duration, from uint8, m *b3p.Belief) bool {
	if c.LieFor == 0 || m.Booker == 0 || m.Released || age >= c.Recent {
		return false
	}
	if !newer(m.Epoch, s.Epoch) && (m.Epoch != s.Epoch || !newer(m.Sequence, s.Sequence)) {
		return false
	}
	switch m.Booker {
	case from:
		return true
	case c.Self:
		return s.Booker != c.Self
	}
	booker := &s.Mates[c.Index(m.Booker)]
	return booker.At != 0 && now.Sub(booker.At) <= c.Lease && !booker.books
}

// remember receives a belief about this robot itself. A booking that it does not know is one from before its restart, or
// a lie: it waits like the others until the lease has expired, or, as the booker, goes on with those numbers.
func (s *State) remember(c *Config, now soccer.Time, age time.Duration, m *b3p.Belief) {
	s.learnt = true
	later := newer(m.Epoch, s.Epoch) || m.Epoch == s.Epoch && s.Booker == 0 && newer(m.Sequence, s.Sequence)
	switch {
	case !later:
		return
	case s.Booker == c.Self: // its renewals would seem old to those that believe this
		s.Epoch, s.Sequence, s.due = m.Epoch, m.Sequence, now
		return
	}
	s.Booker, s.Released, s.Epoch, s.Sequence = 0, c.Self, m.Epoch, m.Sequence
	s.Since = now.Add(c.Lease - min(age, c.Lease))
}

// note notes a teammate's distance.
func (s *State) note(c *Config, now soccer.Time, from uint8, own uint16) {
	m := &s.Mates[c.Index(from)]
	m.Own, m.At, m.misses, m.books = own, now, 0, false
}

// farther reports whether two epochs are more than jump apart.
func farther(a, b, jump uint32) bool { return min(a-b, b-a) > jump }

// plausible reports whether to believe an epoch. One that is far ahead of the team's is believed when its booker has
// kept to it for a lease: then it is no damaged message, and two halves of a team that were apart for long find each
// other.
func (s *State) plausible(c *Config, now soccer.Time, from uint8, epoch uint32) bool {
	if !s.learnt || !farther(epoch, s.Epoch, c.Jump) {
		return true
	}
	if x := &s.strange; x.from != from || x.epoch != epoch || now.Sub(x.since) > 4*c.Lease {
		x.from, x.epoch, x.since = from, epoch, now
	}
	return newer(epoch, s.Epoch) && now.Sub(s.strange.since) >= c.Lease
}

// watch judges teammates. One is ignored that for LieFor claims to be nearer by Lie than it is seen, claims a distance
// but tells nobody its place, or tells of bookings that their bookers do not make; and the ball is free if it had booked
// it. It is believed again when what it says has fitted for Pardon.
func (s *State) watch(c *Config, now soccer.Time, v *View) {
	if c.LieFor == 0 {
		return
	}
	for robots := c.Members &^ (1 << c.Self); robots != 0; robots &= robots - 1 {
		robot := uint8(bits.TrailingZeros64(robots))
		m, ignored := &s.Mates[c.Index(robot)], s.Ignored>>robot&1 == 1
		lies, known := s.lies(c, now, v, robot)
		if !known {
			continue
		}
		switch {
		case lies == ignored:
			m.turned = 0
		case m.turned == 0:
			m.turned = now
		case ignored && now.Sub(m.turned) >= c.Pardon:
			m.turned, s.Ignored = 0, s.Ignored&^(1<<robot)
		case !ignored && now.Sub(m.turned) >= c.LieFor:
			m.turned, s.Ignored = 0, s.Ignored|1<<robot
			if s.Booker == robot {
				s.Booker, s.Released, s.Since = 0, robot, now
			}
		}
	}
}

// lies reports whether a teammate lies, and whether this robot can tell.
func (s *State) lies(c *Config, now soccer.Time, v *View, robot uint8) (lies, known bool) {
	i := c.Index(robot)
	m := &s.Mates[i]
	told := m.At != 0 && now.Sub(m.At) <= c.Lease
	claims := m.Own != b3p.Unknown
	switch {
	case !told:
		return false, false
	case m.lied != 0 && now.Sub(m.lied) <= c.Recent, claims && v.Hidden>>robot&1 == 1:
		return true, true
	case claims && v.Seen[i] > 0:
		return v.Seen[i]-float64(m.Own)/1000 > c.Lie, true
	}
	return false, m.turned != 0 && v.Hidden>>robot&1 == 0
}
