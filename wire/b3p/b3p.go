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
	"touchline/wire/internal/coder"
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
	Sequence uint32 // number of its newest renewal
	Reason   Reason
}

// Belief is what a robot believes about the booking. It spreads renewals that not every robot received.
type Belief struct {
	Released   bool  // the booker gave up the ball: nobody has booked it
	Booker     uint8 // 1 to MaxRobot; 0: none
	Epoch      uint32
	Sequence   uint32 // number of the newest renewal that the sender knows
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

var reasonNames = []string{
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

var protocol = coder.Protocol{Name: "b3p", Source: "Ball booking messages", Version: Version, ErrVersion: ErrVersion}

// AppendBinary appends m to b. It refuses messages that Check would complain about.
func (m *Claim) AppendBinary(b []byte) ([]byte, error) {
	return coder.Append(&protocol, b, m, (*Claim).layout)
}

// AppendBinary appends m to b, like that of Claim.
func (m *Release) AppendBinary(b []byte) ([]byte, error) {
	return coder.Append(&protocol, b, m, (*Release).layout)
}

// AppendBinary appends m to b, like that of Claim.
func (m *Belief) AppendBinary(b []byte) ([]byte, error) {
	return coder.Append(&protocol, b, m, (*Belief).layout)
}

// UnmarshalBinary decodes b. Errors: ErrVersion, wire.ErrShort. It keeps nothing of b.
func (m *Claim) UnmarshalBinary(b []byte) error {
	return coder.Unmarshal(&protocol, b, m, (*Claim).layout)
}

// UnmarshalBinary decodes b, like that of Claim.
func (m *Release) UnmarshalBinary(b []byte) error {
	return coder.Unmarshal(&protocol, b, m, (*Release).layout)
}

// UnmarshalBinary decodes b, like that of Claim.
func (m *Belief) UnmarshalBinary(b []byte) error {
	return coder.Unmarshal(&protocol, b, m, (*Belief).layout)
}

// layout returns the layout of a type of message, or nil.
func layout(dataType uint16) func(*coder.Coder) {
	switch dataType {
	case TypeClaim:
		return new(Claim).layout
	case TypeRelease:
		return new(Release).layout
	case TypeBelief:
		return new(Belief).layout
	}
	return nil
}

// Check returns all that is wrong with b as a message of this type, by offset. A type of another protocol is a note.
func Check(dataType uint16, b []byte) []wire.Issue {
	if m := layout(dataType); m != nil {
		return protocol.Check(b, "message", m)
	}
	return []wire.Issue{{Source: protocol.Source, Note: true,
		Text: fmt.Sprintf("type %d is not one of the messages 16 to 18", dataType)}}
}

// Fields returns the byte table of b, decoded as a message of this type. It covers every byte of b in order. For an
// unknown type or version it returns nil.
func Fields(dataType uint16, b []byte) []wire.Field {
	if m := layout(dataType); m != nil {
		return protocol.Fields(b, m)
	}
	return nil
}

// The rules of single fields.
var (
	rangeBooker   = &wire.Range{Least: 1, Most: MaxRobot, Text: "robot %d: want %d to %d"}
	rangeNone     = &wire.Range{Most: MaxRobot, Text: rangeBooker.Text}
	rangeDistance = &wire.Range{Most: MaxDistance, Text: "%[1]d mm: want at most %[3]d"}
	rangeOwn      = &wire.Range{Most: MaxDistance, Also: []float64{Unknown}, Text: rangeDistance.Text}
	rangeReason   = &wire.Range{Most: float64(reasons - 1), Text: "%d: want %d to %d"}
	rangeFlags    = &wire.Range{Most: flagReleased, Text: "%#02x: bits 1 to 7 are reserved, want 0"}
)

// The rules of two fields. Package internal/dissector applies them, too, by their keys.
var (
	ruleBelow = wire.Rule{Key: "below", Text: "%d mm: below claimed, the smallest distance of the booking, %d mm"}
	ruleNone  = wire.Rule{Key: "released", Text: "robot 0 cannot have released the ball"}
)

// Describe returns the byte tables of the messages, by their types, and the rules of Check that no row has.
func Describe() wire.Description {
	d := wire.Description{Rules: append(coder.Rules(), ruleBelow, ruleNone)}
	for i, name := range []string{"claim", "release", "belief"} {
		dataType := TypeClaim + uint16(i)
		d.Messages = append(d.Messages, wire.Message{Type: int(dataType), Name: name,
			Rows: protocol.Describe(func() func(*coder.Coder) { return layout(dataType) })})
	}
	for i := range d.Rules {
		d.Rules[i].Source = protocol.Source
	}
	return d
}

// judges reports whether c applies the rules to the field that was visited last.
func judges(c *coder.Coder) bool { return c.Strict && c.Err == nil }

// booker visits the id of the booker.
func booker(c *coder.Coder, r *wire.Range, v *uint8) {
	c.Uint8("booker", v)
	c.Within(1, "booker", uint64(*v), r)
}

// distance visits a distance.
func distance(c *coder.Coder, field string, r *wire.Range, v *uint16) {
	c.Uint16(field, "mm", v)
	c.Within(2, field, uint64(*v), r)
}

// distances visits the distances of the booker. The smallest one of a booking is not above the current one.
func distances(c *coder.Coder, claimed, advertised *uint16) {
	distance(c, "claimed", rangeDistance, claimed)
	distance(c, "advertised", rangeDistance, advertised)
	if c.Special(ruleBelow.Key); judges(c) && *claimed > *advertised {
		c.Fault(2, "advertised", ruleBelow.Text, *advertised, *claimed)
	}
}

func (m *Claim) layout(c *coder.Coder) {
	c.CheckVersion()
	booker(c, rangeBooker, &m.Booker)
	c.Uint32("epoch", &m.Epoch)
	c.Uint32("sequence", &m.Sequence)
	distances(c, &m.Claimed, &m.Advertised)
}

func (m *Release) layout(c *coder.Coder) {
	c.CheckVersion()
	booker(c, rangeBooker, &m.Booker)
	c.Uint32("epoch", &m.Epoch)
	c.Uint32("sequence", &m.Sequence)
	c.Uint8("reason", (*uint8)(&m.Reason))
	c.Within(1, "reason", uint64(m.Reason), rangeReason)
}

const flagReleased = 1 // flag of a belief

func (m *Belief) layout(c *coder.Coder) {
	c.CheckVersion()
	flags := uint8(0)
	if m.Released {
		flags = flagReleased
	}
	if c.Uint8("flags", &flags); !c.Writing {
		m.Released = flags&flagReleased != 0
	}
	c.Within(1, "flags", uint64(flags), rangeFlags)
	booker(c, rangeNone, &m.Booker)
	if c.Special(ruleNone.Key); judges(c) && m.Released && m.Booker == 0 {
		c.Fault(1, "booker", "%s", ruleNone.Text)
	}
	c.Uint32("epoch", &m.Epoch)
	c.Uint32("sequence", &m.Sequence)
	distances(c, &m.Claimed, &m.Advertised)
	c.Uint16("age", "ms", &m.AgeMillis)
	distance(c, "own", rangeOwn, &m.Own)
}
