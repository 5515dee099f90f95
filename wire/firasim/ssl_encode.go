package firasim

import (
	"encoding/binary"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// AppendBinary appends the encoding of m to b, like that of Environment. Required values are written where they are
// zero, too: these messages are proto2.
func (m *SSLVision) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	d := &m.Detection
	b = slices.Grow(b, 128+36*len(d.Balls)+36*(len(d.Yellow)+len(d.Blue)))
	odd := max(len(d.Balls), len(d.Yellow), len(d.Blue)) > MaxRobots
	if m.HasDetection {
		at := len(b)
		b = append(b, 1<<3|2, 0, 0)
		b = protowire.AppendVarint(append(b, 1<<3), uint64(d.Number))
		b = needDouble(b, 2<<3|1, d.Captured)
		b = needDouble(b, 3<<3|1, d.Sent)
		b = protowire.AppendVarint(append(b, 4<<3), uint64(d.Camera))
		odd = odd || !finite(d.Captured, d.Sent)
		for i := range d.Balls {
			b = d.Balls[i].append(b)
			odd = odd || !d.Balls[i].fits()
		}
		for i := range d.Yellow {
			b = d.Yellow[i].append(b, 6<<3|2)
			odd = odd || !d.Yellow[i].fits()
		}
		for i := range d.Blue {
			b = d.Blue[i].append(b, 7<<3|2)
			odd = odd || !d.Blue[i].fits()
		}
		b = sized(b, at)
	}
	if m.HasGeometry {
		b = m.Geometry.append(b)
		odd = odd || !m.Geometry.fits()
	}
	if odd || len(b)-start > MaxVision {
		return refuse(KindSSL, b, start)
	}
	return b, nil
}

// AppendBinary appends the encoding of m to b, like that of SSLVision.
func (m *GrSimPacket) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	odd := len(m.Commands) > MaxCommands || len(m.Robots) > MaxRobots
	if m.HasCommands {
		at := len(b)
		b = append(b, 1<<3|2, 0, 0)
		b = needDouble(b, 1<<3|1, m.Timestamp)
		b = needBool(b, 2<<3, m.Yellow)
		odd = odd || !finite(m.Timestamp)
		for i := range m.Commands {
			b = m.Commands[i].append(b)
			odd = odd || m.Commands[i].ID > MaxID || !finite(m.Commands[i].numbers()...)
		}
		b = sized(b, at)
	}
	if m.HasReplacement {
		at := len(b)
		b = append(b, 2<<3|2, 0, 0)
		if m.HasBall {
			body := len(b) + 2
			b = append(b, 1<<3|2, 0)
			for i, v := range m.Ball.Value {
				if m.Ball.Has[i] {
					b = needDouble(b, byte(i+1)<<3|1, v)
				}
			}
			b[body-1] = byte(len(b) - body)
			odd = odd || !finite(m.Ball.Value[:]...)
		}
		for i := range m.Robots {
			r := &m.Robots[i]
			b = r.append(b)
			odd = odd || r.ID > MaxID || !finite(r.X, r.Y, r.Dir)
		}
		b = sized(b, at)
	}
	if odd {
		return refuse(KindGrSim, b, start)
	}
	return b, nil
}

// The messages below are always shorter than 128 bytes, so that their lengths have one byte.

func (m *SSLBall) append(b []byte) []byte {
	at := len(b) + 2
	b = append(b, 5<<3|2, 0)
	b = appendFloat(b, 1<<3|5, m.Confidence)
	b = appendFloat(b, 3<<3|5, m.X)
	b = appendFloat(b, 4<<3|5, m.Y)
	b = appendFloat(b, 6<<3|5, m.PixelX)
	b = appendFloat(b, 7<<3|5, m.PixelY)
	b[at-1] = byte(len(b) - at)
	return b
}

func (m *SSLRobot) append(b []byte, key byte) []byte {
	at := len(b) + 2
	b = append(b, key, 0)
	b = appendFloat(b, 1<<3|5, m.Confidence)
	if m.HasID {
		b = protowire.AppendVarint(append(b, 2<<3), uint64(m.ID))
	}
	b = appendFloat(b, 3<<3|5, m.X)
	b = appendFloat(b, 4<<3|5, m.Y)
	if m.HasOrientation {
		b = appendFloat(b, 5<<3|5, m.Orientation)
	}
	b = appendFloat(b, 6<<3|5, m.PixelX)
	b = appendFloat(b, 7<<3|5, m.PixelY)
	b[at-1] = byte(len(b) - at)
	return b
}

func (m *SSLGeometry) append(b []byte) []byte {
	at := len(b) + 4
	b = append(b, 2<<3|2, 0, 1<<3|2, 0)
	for i, v := range []int32{m.Length, m.Width, m.GoalWidth, m.GoalDepth, m.Boundary} {
		b = protowire.AppendVarint(append(b, byte(i+1)<<3), uint64(v))
	}
	b = appendUint(b, 8<<3, uint64(m.PenaltyDepth))
	b = appendUint(b, 9<<3, uint64(m.PenaltyWidth))
	b = appendUint(b, 10<<3, uint64(m.CircleRadius))
	b[at-1], b[at-3] = byte(len(b)-at), byte(len(b)-at+2)
	return b
}

func (m *GrSimCommand) append(b []byte) []byte {
	at := len(b) + 2
	b = append(b, 3<<3|2, 0)
	b = protowire.AppendVarint(append(b, 1<<3), uint64(m.ID))
	b = appendFloat(b, 2<<3|5, m.KickX)
	b = appendFloat(b, 3<<3|5, m.KickZ)
	b = appendFloat(b, 4<<3|5, m.Tangent)
	b = appendFloat(b, 5<<3|5, m.Normal)
	b = appendFloat(b, 6<<3|5, m.Angular)
	b = needBool(b, 7<<3, m.Spinner)
	b = needBool(b, 8<<3, m.ByWheel)
	for i, v := range m.Wheel {
		if math.Float32bits(v) != 0 {
			b = appendFloat(b, byte(i+9)<<3|5, v)
		}
	}
	b[at-1] = byte(len(b) - at)
	return b
}

func (m *GrSimRobot) append(b []byte) []byte {
	at := len(b) + 2
	b = append(b, 2<<3|2, 0)
	b = needDouble(b, 1<<3|1, m.X)
	b = needDouble(b, 2<<3|1, m.Y)
	b = needDouble(b, 3<<3|1, m.Dir)
	b = protowire.AppendVarint(append(b, 4<<3), uint64(m.ID))
	b = needBool(b, 5<<3, m.Yellow)
	b = needBool(b, 6<<3, !m.Off)
	b[at-1] = byte(len(b) - at)
	return b
}

// needDouble appends a double, zero too.
func needDouble(b []byte, key byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, key), math.Float64bits(v))
}

// needBool appends a bool, false too.
func needBool(b []byte, key byte, v bool) []byte {
	if v {
		return append(b, key, 1)
	}
	return append(b, key, 0)
}

// appendFloat appends a float, zero too.
func appendFloat(b []byte, key byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(append(b, key), math.Float32bits(v))
}

// The predicates below are false for what Check reports as a violation.

func confident(v float32) bool { return v >= 0 && v <= 1 }

func (m *SSLBall) fits() bool {
	return confident(m.Confidence) && finite(float64(m.X), float64(m.Y), float64(m.PixelX), float64(m.PixelY))
}

func (m *SSLRobot) fits() bool {
	return m.ID <= maxSSLID && confident(m.Confidence) &&
		finite(float64(m.X), float64(m.Y), float64(m.Orientation), float64(m.PixelX), float64(m.PixelY))
}

func (m *SSLGeometry) fits() bool {
	return min(m.Length, m.Width, m.GoalWidth, m.GoalDepth, m.Boundary,
		m.PenaltyDepth, m.PenaltyWidth, m.CircleRadius) >= 0
}

// numbers returns the numbers of m in the order of grSimCommandParts, without those that are no floats.
func (m *GrSimCommand) numbers() []float64 {
	return []float64{float64(m.KickX), float64(m.KickZ), float64(m.Tangent), float64(m.Normal), float64(m.Angular),
		float64(m.Wheel[0]), float64(m.Wheel[1]), float64(m.Wheel[2]), float64(m.Wheel[3])}
}
