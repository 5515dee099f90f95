package firasim

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// AppendBinary appends the encoding of m to b, with the bytes of protobuf's deterministic encoders. It refuses messages
// with issues of Check other than notes.
func (m *Environment) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b = slices.Grow(b, 192+62*(len(m.Frame.Yellow)+len(m.Frame.Blue))) // largest size
	b = appendUint(b, 1<<3, uint64(m.Step))
	odd := !m.HasFrame || !m.HasField
	if m.HasFrame {
		at := len(b)
		b = append(b, 2<<3|2, 0, 0)
		if m.Frame.HasBall {
			b = m.Frame.Ball.append(b)
			odd = odd || !m.Frame.Ball.finite()
		}
		last := -1
		for i := range m.Frame.Yellow {
			r := &m.Frame.Yellow[i]
			b = r.append(b, 2<<3|2)
			odd = odd || !r.fits(last)
			last = int(r.ID)
		}
		last = -1
		for i := range m.Frame.Blue {
			r := &m.Frame.Blue[i]
			b = r.append(b, 3<<3|2)
			odd = odd || !r.fits(last)
			last = int(r.ID)
		}
		b = sized(b, at)
	}
	if m.HasField {
		b = m.Field.append(b)
		odd = odd || !m.Field.finite()
	}
	b = appendUint(b, 4<<3, uint64(m.GoalsBlue))
	b = appendUint(b, 5<<3, uint64(m.GoalsYellow))
	if odd {
		return refuse(KindEnvironment, b, start)
	}
	return b, nil
}

// AppendBinary appends the encoding of m to b, like that of Environment.
func (m *Packet) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	odd := len(m.Commands) > MaxCommands
	if m.HasCommands {
		at := len(b)
		b = append(b, 1<<3|2, 0, 0)
		for i := range m.Commands {
			c := &m.Commands[i]
			b = c.append(b)
			odd = odd || c.ID > MaxID || !finite(c.Left, c.Right)
		}
		b = sized(b, at)
	}
	if m.HasReplacement {
		at := len(b)
		b = append(b, 2<<3|2, 0, 0)
		r := &m.Replacement
		if r.HasBall {
			b = r.Ball.append(b)
			odd = odd || !finite(r.Ball.X, r.Ball.Y, r.Ball.VX, r.Ball.VY)
		}
		odd = odd || len(r.Robots) > MaxRobots
		for i := range r.Robots {
			b = r.Robots[i].append(b)
			odd = odd || r.Robots[i].Position.ID > MaxID || !r.Robots[i].Position.finite()
		}
		b = sized(b, at)
	}
	if odd {
		return refuse(KindPacket, b, start)
	}
	return b, nil
}

// AppendBinary appends the encoding of m to b, like that of Environment.
func (m *RefereeCommand) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b = appendUint(b, 1<<3, uint64(m.Foul))
	b = appendUint(b, 2<<3, uint64(m.Team))
	b = appendUint(b, 3<<3, uint64(m.Quadrant))
	b = appendDouble(b, 4<<3|1, m.Timestamp)
	b = appendUint(b, 5<<3, uint64(m.Half))
	if !within(int32(m.Foul), foulNames) || !within(int32(m.Team), colorNames) || !within(m.Quadrant, quadrantNames) ||
		!within(int32(m.Half), halfNames) || !finite(m.Timestamp) {
		return refuse(KindRefereeCommand, b, start)
	}
	return b, nil
}

// AppendBinary appends the encoding of m to b, like that of Environment, without the velocities of robots.
func (m *Placement) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	if !m.HasWorld {
		return b, nil
	}
	b = append(b, 1<<3|2, 0, 0)
	b = appendUint(b, 1<<3, uint64(m.Team))
	odd, ids := uint32(m.Team) > uint32(Yellow), uint64(0)
	for _, r := range m.Robots {
		r.VX, r.VY, r.VOrientation = 0, 0, 0
		b = r.append(b, 2<<3|2)
		odd = odd || r.ID > MaxID || ids>>r.ID&1 == 1 || !r.finite()
		ids |= 1 << r.ID
	}
	b = sized(b, start)
	if odd {
		return refuse(KindPlacement, b, start)
	}
	return b, nil
}

// refuse returns b without the message that begins at start, and the first violation of that message.
func refuse(k Kind, b []byte, start int) ([]byte, error) {
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
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(append(b, key), v)
}

func appendBool(b []byte, key byte, v bool) []byte {
	if !v {
		return b
	}
	return append(b, key, 1)
}

// appendDouble omits zero but encodes -0.0.
func appendDouble(b []byte, key byte, v float64) []byte {
	bits := math.Float64bits(v)
	if bits == 0 {
		return b
	}
	return binary.LittleEndian.AppendUint64(append(b, key), bits)
}

// The messages below are always shorter than 128 bytes, so that their lengths have one byte.

func (m *Ball) append(b []byte) []byte {
	at := len(b) + 2
	b = append(b, 1<<3|2, 0)
	b = appendDouble(b, 1<<3|1, m.X)
	b = appendDouble(b, 2<<3|1, m.Y)
	b = appendDouble(b, 3<<3|1, m.Z)
	b = appendDouble(b, 4<<3|1, m.VX)
	b = appendDouble(b, 5<<3|1, m.VY)
	b = appendDouble(b, 6<<3|1, m.VZ)
	b[at-1] = byte(len(b) - at)
	return b
}

func (m *Robot) append(b []byte, key byte) []byte {
	at := len(b) + 2
	b = append(b, key, 0)
	b = appendUint(b, 1<<3, uint64(m.ID))
	b = appendDouble(b, 2<<3|1, m.X)
	b = appendDouble(b, 3<<3|1, m.Y)
	b = appendDouble(b, 4<<3|1, m.Orientation)
	b = appendDouble(b, 5<<3|1, m.VX)
	b = appendDouble(b, 6<<3|1, m.VY)
	b = appendDouble(b, 7<<3|1, m.VOrientation)
	b[at-1] = byte(len(b) - at)
	return b
}

func (m *Field) append(b []byte) []byte {
	at := len(b) + 2
	b = append(b, 3<<3|2, 0)
	b = appendDouble(b, 1<<3|1, m.Width)
	b = appendDouble(b, 2<<3|1, m.Length)
	b = appendDouble(b, 3<<3|1, m.GoalWidth)
	b = appendDouble(b, 4<<3|1, m.GoalDepth)
	b = appendDouble(b, 5<<3|1, m.CenterRadius)
	b = appendDouble(b, 6<<3|1, m.PenaltyWidth)
	b = appendDouble(b, 7<<3|1, m.PenaltyDepth)
	b = appendDouble(b, 8<<3|1, m.PenaltyPoint)
	b[at-1] = byte(len(b) - at)
	return b
}

func (m *Command) append(b []byte) []byte {
	at := len(b) + 2
	b = append(b, 1<<3|2, 0)
	b = appendUint(b, 1<<3, uint64(m.ID))
	b = appendBool(b, 2<<3, m.Yellow)
	b = appendDouble(b, 6<<3|1, m.Left)
	b = appendDouble(b, 7<<3|1, m.Right)
	b[at-1] = byte(len(b) - at)
	return b
}

func (m *BallReplacement) append(b []byte) []byte {
	at := len(b) + 2
	b = append(b, 1<<3|2, 0)
	b = appendDouble(b, 1<<3|1, m.X)
	b = appendDouble(b, 2<<3|1, m.Y)
	b = appendDouble(b, 3<<3|1, m.VX)
	b = appendDouble(b, 4<<3|1, m.VY)
	b[at-1] = byte(len(b) - at)
	return b
}

func (m *RobotReplacement) append(b []byte) []byte {
	at := len(b) + 2
	b = append(b, 2<<3|2, 0)
	if m.HasPosition {
		b = m.Position.append(b, 1<<3|2)
	}
	b = appendBool(b, 5<<3, m.Yellow)
	b = appendBool(b, 6<<3, m.TurnOn)
	b[at-1] = byte(len(b) - at)
	return b
}

// finite reports whether no value is NaN or infinite: a finite number minus itself is 0.
func finite(v ...float64) bool {
	sum := 0.0
	for _, x := range v {
		sum += x - x
	}
	return sum == 0
}

func (m *Ball) finite() bool { return finite(m.X, m.Y, m.Z, m.VX, m.VY, m.VZ) }

func (m *Robot) finite() bool { return finite(m.X, m.Y, m.Orientation, m.VX, m.VY, m.VOrientation) }

func (m *Field) finite() bool {
	return finite(m.Width, m.Length, m.GoalWidth, m.GoalDepth,
		m.CenterRadius, m.PenaltyWidth, m.PenaltyDepth, m.PenaltyPoint)
}

// fits reports whether m may follow a robot with id last in an Environment.
func (m *Robot) fits(last int) bool {
	return int(m.ID) > last && m.ID <= MaxID && m.Orientation > -math.Pi && m.Orientation <= math.Pi && m.finite()
}
