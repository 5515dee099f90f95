package booking

import (
	"math"
	"math/bits"

	"touchline/soccer"
	"touchline/wire/b3p"
)

// Nearest is the rule of mitecom (its decideRole), for comparison: each robot tells its distance, and the nearest of
// those that were heard within Config.Lease goes to the ball. It has no booking, only the distances. As in mitecom, a robot goes to
// the ball unless a mate is strictly nearer: at exactly equal distances both go. mitecom never forgets a mate; here a
// distance holds for Config.Lease, or a robot that crashed next to the ball would stop the others for ever.
//
// Its message is a Belief without a booker. The distance is filtered as that of State, but in steps of 1 mm, in order
// that few distances are equal.
type Nearest struct {
	Mates [MaxMembers]Mate
	OwnDistance
	began bool
	due   soccer.Time
}

// Step carries out one event at time now of the robot's own clock, and sets out to what the robot sends.
func (n *Nearest) Step(c *Config, now soccer.Time, e *Event, out *Output) {
	*out = Output{}
	if !n.began {
		n.began, n.Own, n.due = true, b3p.Unknown, now
	}
	if m := &e.Message; m.Type != 0 {
		if m.Type == b3p.TypeBelief && c.member(e.From) && e.From != c.Self {
			n.Mates[c.Index(e.From)] = Mate{Own: m.Belief.Own, At: now}
		}
		return
	}
	if n.see(c, now, &e.View); n.due <= now {
		n.due = now.Add(c.Renewal)
		out.send(Message{Type: b3p.TypeBelief, Belief: b3p.Belief{Own: n.exact()}})
	}
}

// Booking returns the robot that is the nearest at time now. The distance of this robot is the newest one, the others'
// are those that it heard.
func (n *Nearest) Booking(c *Config, now soccer.Time) Booking {
	b := Booking{Own: n.metres()}
	nearest := uint16(b3p.Unknown)
	if own := n.exact(); own < nearest {
		nearest = own
		b.Booker, b.Timestamp, b.Left = c.Self, n.SeenAt, c.Lease
	}
	for robots := c.Members &^ (1 << c.Self); robots != 0; robots &= robots - 1 {
		id := uint8(bits.TrailingZeros64(robots))
		m := &n.Mates[c.Index(id)]
		if age := now.Sub(m.At); m.At != 0 && age < c.Lease && m.Own < nearest {
			nearest = m.Own
			b.Booker, b.Timestamp, b.Left = id, m.At, c.Lease-age
		}
	}
	if b.Booked = b.Booker != 0; b.Booked {
		b.Distance = float64(nearest) / 1000
	}
	return b
}

// exact returns the robot's filtered distance in mm.
func (s *OwnDistance) exact() uint16 {
	if s.Own == b3p.Unknown {
		return b3p.Unknown
	}
	return uint16(math.Round(s.distance * 1000))
}
