package firasim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrMalformed is the error for bytes that are not a protobuf message: truncated, a varint of more than ten bytes, an
// invalid field number, a group without its end. Check reports the position.
var ErrMalformed = errors.New("firasim: not a protobuf message")

// Wire types in a key.
const (
	varint  = uint64(protowire.VarintType)
	fixed32 = uint64(protowire.Fixed32Type)
	fixed64 = uint64(protowire.Fixed64Type)
	message = uint64(protowire.BytesType)
)

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
	d := &m.Detection
	*m = SSLVision{Detection: SSLDetection{Balls: d.Balls[:0], Yellow: d.Yellow[:0], Blue: d.Blue[:0]}}
	return malformed(mergeSSLVision(m, b, &d.Dropped))
}

// UnmarshalBinary decodes a GrSimPacket, like that of SSLVision.
func (m *GrSimPacket) UnmarshalBinary(b []byte) error {
	*m = GrSimPacket{Commands: m.Commands[:0], Robots: m.Robots[:0]}
	return malformed(mergeGrSimPacket(m, b, &m.Dropped))
}

// malformed returns the error for a negative length.
func malformed(n int) error {
	if n >= 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrMalformed, protowire.ParseError(n))
}

// extend appends a zero element to list and returns it.
func extend[T any](list *[]T) *T {
	*list = append(*list, *new(T))
	return &(*list)[len(*list)-1]
}

// bound cuts list to most elements and counts what that drops. Elements beyond the bound are decoded before, because an
// error in one is an error of the whole message.
func bound[T any](list *[]T, most int, dropped *int) {
	if len(*list) > most {
		*list = (*list)[:most]
		*dropped++
	}
}

// plain is the fast path of next: it decodes a double with a key of one byte, and returns n = 0 for any other field.
func plain(b []byte) (key, v uint64, n int) {
	if len(b) < 9 || b[0]&0x87 != 1 || b[0] < 1<<3 {
		return 0, 0, 0
	}
	return uint64(b[0]), binary.LittleEndian.Uint64(b[1:]), 9
}

// next decodes the first field of b and returns its key, its value and the length of both. The value is the bits of a
// number, or the length of the message at the end of the field, or 0 for wire types that these messages do not have. A
// negative length is an error of protowire.
func next(b []byte) (key, v uint64, n int) {
	if key = uint64(b[0]); key < 1<<3 || key > 127 {
		num, typ, size := protowire.ConsumeTag(b)
		if size < 0 {
			return 0, 0, size
		}
		if num > protowire.MaxValidNumber {
			_, _, n = protowire.ConsumeTag([]byte{0}) // the error for an invalid field number
			return 0, 0, n
		}
		key, n = protowire.EncodeTag(num, typ), size-1
	}
	n++
	size := 0
	switch key & 7 {
	case varint:
		if n < len(b) && b[n] < 0x80 {
			return key, uint64(b[n]), n + 1
		}
		v, size = protowire.ConsumeVarint(b[n:])
	case fixed64:
		v, size = protowire.ConsumeFixed64(b[n:])
	case fixed32:
		var bits uint32
		bits, size = protowire.ConsumeFixed32(b[n:])
		v = uint64(bits)
	case message:
		if n < len(b) && b[n] < 0x80 && int(b[n]) < len(b)-n {
			return key, uint64(b[n]), n + 1 + int(b[n])
		}
		var body []byte
		body, size = protowire.ConsumeBytes(b[n:])
		v = uint64(len(body))
	default:
		size = protowire.ConsumeFieldValue(protowire.Number(key>>3), protowire.Type(key&7), b[n:])
	}
	if size < 0 {
		return 0, 0, size
	}
	return key, v, n + size
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
	b, valid := appendSSLVision(b, m)
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

// sized writes the length of the message with its key at b[at] and room for a length of two bytes. It moves the content
// if the length has another size.
func sized(b []byte, at int) []byte {
	body := at + 3
	n := len(b) - body
	if n >= 0x80 && n < 0x4000 {
		b[at+1], b[at+2] = byte(n)|0x80, byte(n>>7)
		return b
	}
	var length [10]byte
	return slices.Replace(b, at+1, body, protowire.AppendVarint(length[:0], uint64(n))...)
}

func appendUint(b []byte, key byte, v uint64) []byte {
	return protowire.AppendVarint(append(b, key), v)
}

func appendBool(b []byte, key byte, v bool) []byte {
	if v {
		return append(b, key, 1)
	}
	return append(b, key, 0)
}

func appendDouble(b []byte, key byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, key), math.Float64bits(v))
}

func appendFloat(b []byte, key byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(append(b, key), math.Float32bits(v))
}

// The functions below are rules of Check and AppendBinary.

// finite reports whether no value is NaN or infinite: a finite number minus itself is 0.
func finite(v ...float64) bool {
	sum := 0.0
	for _, x := range v {
		sum += x - x
	}
	return sum == 0
}

func isRatio(v float32) bool { return v >= 0 && v <= 1 }

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
