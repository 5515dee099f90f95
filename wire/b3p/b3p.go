// Package b3p is the codec of the ball booking protocol (TeamChaos paper, section 4): the messages that decide which
// robot of a team goes to the ball. Package booking is the protocol. The messages travel as payloads of the TCM:
//
//	type  message  sender to receivers   content
//	16    Claim    the booker to robots  the ball is booked: sent at the booking and with each renewal
//	17    Release  the booker to robots  the ball is free again
//	18    Belief   robot to robots       what the sender believes about the booking, and its own distance
//
// Integers are little-endian. Distances are in millimetres, from the centre of the robot to the ball; 65535 is unknown.
//
//	Claim, 14 bytes          Release, 11 bytes         Belief, 19 bytes
//	 0  1  version    1       0  1  version   1         0  1  version     1
//	 1  1  booker     1..63   1  1  booker    1..63     1  1  flags       bit 0: released
//	 2  4  epoch              2  4  epoch               2  1  booker      0 none, 1..63
//	 6  4  sequence           6  4  sequence            3  4  epoch
//	10  2  claimed    mm     10  1  reason              7  4  sequence
//	12  2  advertised mm                               11  2  claimed     mm
//	                                                   13  2  advertised  mm
//	                                                   15  2  age         ms
//	                                                   17  2  own         mm
//
// AppendBinary refuses what Check reports as a violation. UnmarshalBinary refuses messages of another version and
// messages that are too short; it ignores bytes after the last field, which later versions may add.
package b3p

import (
	"errors"
	"fmt"

	"touchline/wire"
)

// Version is the version byte of all messages.
const Version = 1

// Types of messages, as the TCM numbers them.
const (
	TypeClaim   uint16 = 16
	TypeRelease uint16 = 17
	TypeBelief  uint16 = 18
)

// Bounds of the fields.
const (
	MaxRobot    = 63     // the highest id of a robot that can book
	MaxDistance = 30_000 // mm; the diagonal of the largest MSL field, 22 m by 14 m, is 26 m
	Unknown     = 65_535 // a distance that the sender does not know
)

// ErrVersion is the error of a message of another version.
var ErrVersion = errors.New("b3p: unknown version")

// Claim says that its sender has booked the ball, or renews the booking.
type Claim struct {
	Booker     uint8  // the sender, 1 to MaxRobot
	Epoch      uint32 // grows with each booking that is no continuation
	Sequence   uint32 // grows with each renewal
	Claimed    uint16 // mm: smallest distance that the booker sent in this booking; it decides between two claims
	Advertised uint16 // mm: current distance, which a nearer robot compares with its own
}

// Release says that its sender gives up the ball that it had booked.
type Release struct {
	Booker   uint8 // the sender, 1 to MaxRobot
	Epoch    uint32
	Sequence uint32 // of its newest renewal
	Reason   Reason
}

// Belief is what a robot believes about the booking. It spreads renewals that not every robot received.
type Belief struct {
	Released   bool  // the booker gave up the ball: nobody has booked it
	Booker     uint8 // 1 to MaxRobot; 0: none
	Epoch      uint32
	Sequence   uint32 // of the newest renewal that the sender knows
	Claimed    uint16 // mm, of the booker
	Advertised uint16 // mm, of the booker
	AgeMillis  uint16 // time since that renewal, or 65535 for more
	Own        uint16 // mm, from the sender to the ball; Unknown: it does not see the ball, or must not play
}

// Reason is why a robot gives up the ball.
type Reason uint8

// The reasons.
const (
	Lost      Reason = iota // the robot does not see the ball any more
	Unfit                   // it is penalised, has fallen or does not know its pose
	Leaving                 // its program ends
	LeftAside               // its role forbids it, for example a goalkeeper outside its area
	reasons
)

var reasonNames = [reasons]string{
	"does not see the ball", "unfit to play", "program ends", "not its role",
}

// String returns the reason in words.
func (r Reason) String() string {
	if r < reasons {
		return reasonNames[r]
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// DataType returns TypeClaim.
func (m *Claim) DataType() uint16 { return TypeClaim }

// DataType returns TypeRelease.
func (m *Release) DataType() uint16 { return TypeRelease }

// DataType returns TypeBelief.
func (m *Belief) DataType() uint16 { return TypeBelief }

// AppendBinary appends m to b. It refuses messages that Check would complain about.
func (m *Claim) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// AppendBinary appends m to b, like that of Claim.
func (m *Release) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// AppendBinary appends m to b, like that of Claim.
func (m *Belief) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b. Errors: ErrVersion, wire.ErrShort. It keeps nothing of b.
func (m *Claim) UnmarshalBinary(b []byte) error {
	c := coder{b: b}
	m.layout(&c)
	return c.err
}

// UnmarshalBinary decodes b, like that of Claim.
func (m *Release) UnmarshalBinary(b []byte) error {
	c := coder{b: b}
	m.layout(&c)
	return c.err
}

// UnmarshalBinary decodes b, like that of Claim.
func (m *Belief) UnmarshalBinary(b []byte) error {
	c := coder{b: b}
	m.layout(&c)
	return c.err
}

// message is a pointer to one of the messages.
type message interface{ layout(*coder) }

func newMessage(dataType uint16) message {
	switch dataType {
	case TypeClaim:
		return new(Claim)
	case TypeRelease:
		return new(Release)
	case TypeBelief:
		return new(Belief)
	}
	return nil
}

// Check returns all that is wrong with b as a message of this type, by offset. A type of another protocol is a note.
func Check(dataType uint16, b []byte) []wire.Issue {
	m := newMessage(dataType)
	if m == nil {
		return []wire.Issue{{Source: source, Note: true,
			Text: fmt.Sprintf("type %d is not one of the messages 16 to 18", dataType)}}
	}
	c := coder{mode: checking, b: b}
	m.layout(&c)
	switch {
	case errors.Is(c.err, ErrVersion):
		return []wire.Issue{{Field: "version", Source: source, Text: fmt.Sprintf("%d: want %d", b[0], Version)}}
	case c.err != nil:
		c.issues = append(c.issues, wire.Issue{Offset: len(b), Source: source,
			Text: "a truncated message: it ends before its last field"})
	case c.at < len(b):
		c.issues = append(c.issues, wire.Issue{Offset: c.at, Field: "trailing", Source: source, Note: true,
			Text: "bytes after the last field: receivers skip them"})
	}
	return c.issues
}

// Fields returns the byte table of b, decoded as a message of this type. It covers every byte of b in order. For an
// unknown type or version it returns nil.
func Fields(dataType uint16, b []byte) []wire.Field {
	m := newMessage(dataType)
	if m == nil || len(b) == 0 || b[0] != Version {
		return nil
	}
	c := coder{mode: listing, b: b}
	m.layout(&c)
	if rest := len(b) - c.at; rest > 0 {
		name, value := "trailing", "skipped"
		if c.err != nil {
			name, value = "unreadable", c.err.Error()
		}
		c.fields = append(c.fields, wire.Field{Offset: c.at, Len: rest, Name: name, Value: value})
	}
	return c.fields
}
