package booking

import (
	"math/bits"

	"touchline/soccer"
	"touchline/wire/b3p"
)

// An exhaustive check visits each state once. For that, states that behave alike must be equal: Relative writes a state
// in such a form. It needs a Config without Jitter and with a Smoothing of 1.

// Relative moves the state in time so that now becomes base, and in numbers so that the known epoch and renewal become
// 0. It returns what those were. Of times that are long past it keeps only that they are.
func (s *State) Relative(c *Config, now, base soccer.Time) (epoch, sequence uint32) {
	epoch, sequence = s.Epoch, s.Sequence
	s.Epoch, s.Sequence = 0, 0
	s.sequence -= sequence
	slots := soccer.Time(c.Slot) * soccer.Time(bits.OnesCount64(c.Members))
	move := func(t *soccer.Time, matters soccer.Time) { *t = max(*t-now, -matters-1) + base }
	s.replaced = s.replaced && s.Booker != 0 && s.Booker != c.Self && now.Sub(s.Since) <= c.Dwell
	s.late = s.late && s.Booker != 0 && s.Booker != c.Self && now.Sub(s.Heard) <= c.Lease
	if s.Booker == 0 {
		move(&s.Since, slots)
	} else {
		move(&s.Since, soccer.Time(c.Dwell))
	}
	move(&s.Heard, soccer.Time(c.Lease)+slots)
	move(&s.SeenAt, soccer.Time(c.Lost))
	move(&s.due, soccer.Time(max(c.Renewal, c.Gossip)))
	move(&s.ready, 0)
	move(&s.claimed, soccer.Time(c.Gap))
	move(&s.acted, soccer.Time(c.Recent))
	if s.Own == b3p.Unknown {
		s.distance = 0
	}
	for i := range s.Mates {
		m := &s.Mates[i]
		if m.present(c, now) {
			move(&m.At, 3*soccer.Time(c.Lease))
		} else {
			*m = Mate{lied: m.lied, turned: m.turned}
		}
		if now.Sub(m.lied) > c.Recent {
			m.lied = 0
		} else {
			move(&m.lied, soccer.Time(c.Recent))
		}
		if m.turned != 0 {
			move(&m.turned, soccer.Time(max(c.LieFor, c.Pardon)))
		}
	}
	if s.Booker != c.Self && s.Released != c.Self {
		s.repeats = 0
	}
	if s.Released != c.Self {
		s.reason = 0
	}
	s.strange.from, s.strange.epoch, s.strange.since = 0, 0, 0 // all epochs of the check are near each other
	s.Counts, s.random, s.clock, s.behind = Counts{}, 0, base, 0
	return epoch, sequence
}

// Listens reports whether the robot has just started and must not claim the ball yet.
func (s *State) Listens(now soccer.Time) bool { return !s.began || now < s.ready }

// Blank reports whether the robot knows nothing of the team's bookings yet.
func (s *State) Blank() bool { return !s.learnt }

// Relative moves the state in time so that now becomes base, like that of State.
func (l *Literal) Relative(c *Config, now, base soccer.Time) (epoch, sequence uint32) {
	l.Timestamp = max(l.Timestamp-now, -soccer.Time(c.Lease)) + base
	l.SeenAt = max(l.SeenAt-now, -soccer.Time(c.Lost)-1) + base
	if l.Own == b3p.Unknown {
		l.distance = 0
	}
	return 0, 0
}

// Listens reports false: the printed protocol claims the ball at once.
func (l *Literal) Listens(soccer.Time) bool { return false }

// Blank reports false: the printed protocol has no epochs that a robot could know.
func (l *Literal) Blank() bool { return false }
