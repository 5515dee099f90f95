package booking

import (
	"touchline/soccer"
	"touchline/wire/b3p"
)

// Literal is the protocol exactly as the TeamChaos paper prints it (section 4, Figure 5): four variables, one message.
// It is here for comparison. In lock-step it never settles: all robots book, overwrite each other's booking, wait for
// its end, and book again.
//
// The paper leaves open what follows; Literal decides it in the simplest way.
//   - Renewal: the booker sends its booking again each Config.Renewal. The paper says "periodically".
//   - The booking is free after Config.Lease without a renewal. The paper says "recently".
//   - A better position is one that is nearer by more than Config.Hysteresis. The paper says "some distance
//     thresholds".
//   - A message overwrites the four variables, whatever they are: "other robots update this information". This
//     holds for the booker, too.
//   - The distance is filtered as that of State, and rounded to 50 mm.
//   - A robot that does not know the ball's position, or is unfit, does nothing: the booking ends with its lease. The
//     paper has no message for the end of a booking.
//   - A robot starts with nothing booked, and books at once.
//
// On the wire it is a Claim with epoch and sequence 0.
type Literal struct {
	Booked    bool        // true when any robot has booked the ball
	Booker    uint8       // that robot
	Distance  uint16      // mm, from it to the ball
	Timestamp soccer.Time // local time when it booked or re-booked the ball
	OwnDistance
	began bool
}

// Step carries out one event at time now of the robot's own clock, and sets out to what the robot sends.
func (l *Literal) Step(c *Config, now soccer.Time, e *Event, out *Output) {
	*out = Output{}
	if !l.began {
		l.began, l.Own = true, b3p.Unknown
	}
	if m := &e.Message; m.Type != 0 {
		if m.Type == b3p.TypeClaim && c.member(e.From) && e.From != c.Self && m.Claim.Advertised <= b3p.MaxDistance {
			l.Booked, l.Booker, l.Distance, l.Timestamp = true, e.From, m.Claim.Advertised, now
		}
		return
	}
	l.see(c, now, &e.View)
	if !e.View.Known || l.Own == b3p.Unknown {
		return
	}
	age := now.Sub(l.Timestamp)
	nearer := float64(l.Own)+float64(c.Hysteresis*1000) < float64(l.Distance)
	switch {
	case !l.Booked:
	case l.Booker == c.Self && age >= c.Renewal:
	case age >= c.Lease:
	case l.Booker != c.Self && nearer:
	default:
		return
	}
	l.Booked, l.Booker, l.Distance, l.Timestamp = true, c.Self, l.Own, now
	out.send(Message{Type: b3p.TypeClaim, Claim: b3p.Claim{Booker: c.Self, Claimed: l.Own, Advertised: l.Own}})
}

// Booking returns the booking that the robot believes in at time now. A booking that was not renewed counts as none.
func (l *Literal) Booking(c *Config, now soccer.Time) Booking {
	b := Booking{Timestamp: l.Timestamp, Own: l.metres()}
	if age := now.Sub(l.Timestamp); l.Booked && age < c.Lease {
		b.Booked, b.Booker, b.Distance, b.Left = true, l.Booker, float64(l.Distance)/1000, c.Lease-age
	}
	return b
}
