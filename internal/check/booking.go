package check

import (
	"fmt"

	"touchline/wire"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
)

// sourceBooking is the label of the rules of the ball booking.
const sourceBooking = "Ball booking messages"

// books reports whether a type is one of the ball booking.
func books(t tcm.Type) bool { return t >= tcm.BookingClaim && t <= tcm.BookingBelief }

// claims is what is known of a sender's claims since it started.
type claims struct {
	kind     Kind
	number   uint32 // number of the newest message
	known    bool
	epoch    uint32
	sequence uint32
}

// judge judges whether a message of the ball booking can be true.
func (l *claims) judge(m *Message) (issues []wire.Issue) {
	var claim b3p.Claim
	var release b3p.Release
	var belief b3p.Belief
	fault := func(field, format string, args ...any) {
		issues = append(issues, wire.Issue{Field: field, Source: sourceBooking, Text: fmt.Sprintf(format, args...)})
	}
	booker := uint8(0)
	switch {
	case m.Type == tcm.BookingClaim && claim.UnmarshalBinary(m.Data) == nil:
		booker = claim.Booker
	case m.Type == tcm.BookingRelease && release.UnmarshalBinary(m.Data) == nil:
		booker = release.Booker
	case m.Type == tcm.BookingBelief && belief.UnmarshalBinary(m.Data) == nil:
	default:
		return nil // Check says why
	}
	switch {
	case m.From.Entity.Kind != tcm.Robot:
		fault("", "%v sends a %v: only robots book the ball", m.From.Entity, m.Type)
		return issues
	case m.Type == tcm.BookingBelief:
		return nil
	case booker != m.From.Entity.ID:
		fault("booker", "robot %d, but %v is the sender: a robot books the ball only for itself, and receivers drop the rest",
			booker, m.From.Entity)
		return issues
	case m.Type == tcm.BookingRelease:
		return nil
	}
	if l.known && l.kind == m.Kind && int32(m.Number-l.number) < 0 {
		return nil // overtaken on the way
	}
	if l.known && int32(claim.Epoch-l.epoch) < 0 {
		fault("epoch", "falls from %d to %d without a restart: receivers take the claim for an old one; use the newest epoch "+
			"that was heard, or the next", l.epoch, claim.Epoch)
	}
	if l.known && int32(claim.Sequence-l.sequence) < 0 {
		fault("sequence", "falls from %d to %d without a restart: receivers take the claim for an old one; advance it by 1 with "+
			"each renewal, also in the next booking", l.sequence, claim.Sequence)
	}
	*l = claims{m.Kind, m.Number, true, claim.Epoch, claim.Sequence}
	return issues
}
