package firasim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

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
	return malformed(m.merge(b))
}

// UnmarshalBinary decodes a Packet, like that of Environment.
func (m *Packet) UnmarshalBinary(b []byte) error {
	*m = Packet{Commands: m.Commands[:0], Replacement: Replacement{Robots: m.Replacement.Robots[:0]}}
	return malformed(m.merge(b))
}

// UnmarshalBinary decodes a RefereeCommand, like that of Environment.
func (m *RefereeCommand) UnmarshalBinary(b []byte) error {
	*m = RefereeCommand{}
	return malformed(m.merge(b))
}

// UnmarshalBinary decodes a Placement, like that of Environment.
func (m *Placement) UnmarshalBinary(b []byte) error {
	*m = Placement{Robots: m.Robots[:0]}
	n := m.merge(b)
	for i := range m.Robots { // fields 5 to 7 have no meaning here
		r := &m.Robots[i]
		r.VX, r.VY, r.VOrientation = 0, 0, 0
	}
	return malformed(n)
}

// malformed returns the error for a negative length.
func malformed(n int) error {
	if n >= 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrMalformed, protowire.ParseError(n))
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

func (m *Environment) merge(b []byte) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		bad := 0
		switch key {
		case 1<<3 | varint:
			m.Step = uint32(v)
		case 2<<3 | message:
			m.HasFrame = true
			bad = m.Frame.merge(b[n-int(v) : n])
		case 3<<3 | message:
			m.HasField = true
			bad = m.Field.merge(b[n-int(v) : n])
		case 4<<3 | varint:
			m.GoalsBlue = uint32(v)
		case 5<<3 | varint:
			m.GoalsYellow = uint32(v)
		}
		if bad < 0 {
			return bad
		}
		b = b[n:]
	}
	return 0
}

func (m *Frame) merge(b []byte) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		bad := 0
		switch key {
		case 1<<3 | message:
			m.HasBall = true
			bad = m.Ball.merge(b[n-int(v) : n])
		case 2<<3 | message:
			bad = mergeElement(&m.Yellow, MaxRobots, &m.Dropped, b[n-int(v):n])
		case 3<<3 | message:
			bad = mergeElement(&m.Blue, MaxRobots, &m.Dropped, b[n-int(v):n])
		}
		if bad < 0 {
			return bad
		}
		b = b[n:]
	}
	return 0
}

// mergeElement decodes b into a new element of list. It decodes an element beyond bound as well, because an error in it
// is an error of the whole message, and drops it.
func mergeElement[T any, M interface {
	*T
	merge([]byte) int
}](list *[]T, bound int, dropped *int, b []byte) int {
	*list = append(*list, *new(T))
	n := M(&(*list)[len(*list)-1]).merge(b)
	if len(*list) > bound {
		*list = (*list)[:bound]
		*dropped++
	}
	return n
}

func (m *Ball) merge(b []byte) int {
	for len(b) > 0 {
		key, v, n := plain(b)
		if n == 0 {
			if key, v, n = next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | fixed64:
			m.X = math.Float64frombits(v)
		case 2<<3 | fixed64:
			m.Y = math.Float64frombits(v)
		case 3<<3 | fixed64:
			m.Z = math.Float64frombits(v)
		case 4<<3 | fixed64:
			m.VX = math.Float64frombits(v)
		case 5<<3 | fixed64:
			m.VY = math.Float64frombits(v)
		case 6<<3 | fixed64:
			m.VZ = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func (m *Robot) merge(b []byte) int {
	for len(b) > 0 {
		key, v, n := plain(b)
		if n == 0 {
			if key, v, n = next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | varint:
			m.ID = uint32(v)
		case 2<<3 | fixed64:
			m.X = math.Float64frombits(v)
		case 3<<3 | fixed64:
			m.Y = math.Float64frombits(v)
		case 4<<3 | fixed64:
			m.Orientation = math.Float64frombits(v)
		case 5<<3 | fixed64:
			m.VX = math.Float64frombits(v)
		case 6<<3 | fixed64:
			m.VY = math.Float64frombits(v)
		case 7<<3 | fixed64:
			m.VOrientation = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func (m *Field) merge(b []byte) int {
	for len(b) > 0 {
		key, v, n := plain(b)
		if n == 0 {
			if key, v, n = next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | fixed64:
			m.Width = math.Float64frombits(v)
		case 2<<3 | fixed64:
			m.Length = math.Float64frombits(v)
		case 3<<3 | fixed64:
			m.GoalWidth = math.Float64frombits(v)
		case 4<<3 | fixed64:
			m.GoalDepth = math.Float64frombits(v)
		case 5<<3 | fixed64:
			m.CenterRadius = math.Float64frombits(v)
		case 6<<3 | fixed64:
			m.PenaltyWidth = math.Float64frombits(v)
		case 7<<3 | fixed64:
			m.PenaltyDepth = math.Float64frombits(v)
		case 8<<3 | fixed64:
			m.PenaltyPoint = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}
