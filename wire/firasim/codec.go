package firasim

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"touchline/wire/internal/protobuf"
	"touchline/wire/internal/sslvision"
)

// ErrMalformed is the error for bytes that are not a protobuf message: truncated, a varint of more than ten bytes, an
// invalid field number, a group without its end. Check reports the position.
var ErrMalformed = errors.New("firasim: not a protobuf message")

// UnmarshalBinary decodes an Environment. It accepts any value, including NaN and invalid ids, and reuses m's memory.
// The error is ErrMalformed for bytes that are not a protobuf message; m then holds the values before the error.
func (m *Environment) UnmarshalBinary(b []byte) error {
	*m = Environment{Frame: Frame{Yellow: m.Frame.Yellow[:0], Blue: m.Frame.Blue[:0]}}
	return malformed(mergeEnvironment(m, b, &m.Frame.Dropped))
}

// UnmarshalBinary decodes a Packet, like that of Environment.
func (m *Packet) UnmarshalBinary(b []byte) error {
	*m = Packet{Commands: m.Commands[:0], Replacement: Replacement{Robots: m.Replacement.Robots[:0]}}
	return malformed(mergePacket(m, b, &m.Dropped))
}

// UnmarshalBinary decodes a RefereeCommand, like that of Environment.
func (m *RefereeCommand) UnmarshalBinary(b []byte) error {
	*m = RefereeCommand{}
	return malformed(mergeRefereeCommand(m, b, nil))
}

// UnmarshalBinary decodes a Placement, like that of Environment.
func (m *Placement) UnmarshalBinary(b []byte) error {
	*m = Placement{Robots: m.Robots[:0]}
	return malformed(mergePlacement(m, b, &m.Dropped))
}

// UnmarshalBinary decodes an SSLVision, like that of Environment. It accepts messages without required values.
func (m *SSLVision) UnmarshalBinary(b []byte) error {
	return malformed((*sslvision.Wrapper)(m).Decode(b))
}

// UnmarshalBinary decodes a GrSimPacket, like that of SSLVision.
func (m *GrSimPacket) UnmarshalBinary(b []byte) error {
	*m = GrSimPacket{Commands: m.Commands[:0], Robots: m.Robots[:0]}
	return malformed(mergeGrSimPacket(m, b, &m.Dropped))
}

// malformed returns the error for a negative length.
func malformed(n int) error {
	if err := protobuf.Malformed(n); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// AppendBinary appends the encoding of m to b, with the bytes of protobuf's deterministic encoders. It refuses messages
// with issues of Check other than notes.
func (m *Environment) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendEnvironment(b, m)
	valid = valid && m.HasFrame && m.HasField && ordered(m.Frame.Yellow) && ordered(m.Frame.Blue)
	return KindEnvironment.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Environment.
func (m *Packet) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendPacket(b, m)
	return KindPacket.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Environment.
func (m *RefereeCommand) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendRefereeCommand(b, m)
	return KindRefereeCommand.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Environment, without the velocities of robots.
func (m *Placement) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendPlacement(b, m)
	for i := range m.Robots {
		valid = valid && !repeats(m.Robots, i)
	}
	return KindPlacement.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Environment. Required values are written where they are
// zero, too: these messages are proto2.
func (m *SSLVision) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := sslvision.AppendWrapper(b, (*sslvision.Wrapper)(m))
	return KindSSL.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of SSLVision.
func (m *GrSimPacket) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendGrSimPacket(b, m)
	return KindGrSim.finish(b, start, valid)
}

// finish returns b, or the first violation of the message that begins at start and b without that message.
func (k Kind) finish(b []byte, start int, valid bool) ([]byte, error) {
	if valid && len(b)-start <= datagrams[k].limit {
		return b, nil
	}
	for _, issue := range Check(k, b[start:]) {
		if !issue.Note {
			return b[:start], errors.New("firasim: " + issue.String())
		}
	}
	return b, nil
}

// The functions below are rules of Check and AppendBinary.

// isHeading reports whether a finite v is in (-pi, pi].
func isHeading(v float64) bool { return v > -math.Pi && v <= math.Pi }

// descends reports whether robot i does not have a larger id than the one before.
func descends(robots []Robot, i int) bool { return i > 0 && robots[i].ID <= robots[i-1].ID }

// ordered reports whether robots have ascending ids and valid headings.
func ordered(robots []Robot) bool {
	for i := range robots {
		if descends(robots, i) || !isHeading(robots[i].Orientation) {
			return false
		}
	}
	return true
}

// repeats reports whether robot i has the id of an earlier one.
func repeats(robots []Robot, i int) bool {
	return slices.ContainsFunc(robots[:i], func(r Robot) bool { return r.ID == robots[i].ID })
}
