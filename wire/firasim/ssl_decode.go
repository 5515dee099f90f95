package firasim

import "math"

// UnmarshalBinary decodes an SSLVision, like that of Environment. It accepts messages without required values.
func (m *SSLVision) UnmarshalBinary(b []byte) error {
	d := &m.Detection
	*m = SSLVision{Detection: SSLDetection{Balls: d.Balls[:0], Yellow: d.Yellow[:0], Blue: d.Blue[:0]}}
	return malformed(m.merge(b))
}

// UnmarshalBinary decodes a GrSimPacket, like that of SSLVision.
func (m *GrSimPacket) UnmarshalBinary(b []byte) error {
	*m = GrSimPacket{Commands: m.Commands[:0], Robots: m.Robots[:0]}
	return malformed(m.merge(b))
}

func (m *SSLVision) merge(b []byte) int {
	return each(b, func(key, v uint64, body []byte) int {
		switch key {
		case 1<<3 | message:
			m.HasDetection = true
			return m.Detection.merge(body)
		case 2<<3 | message:
			m.HasGeometry = true
			return each(body, func(key, _ uint64, body []byte) int {
				if key == 1<<3|message {
					return m.Geometry.merge(body)
				}
				return 0
			})
		}
		return 0
	})
}

// each calls do for each field of b, with the content of a message, and ends at the first negative result.
func each(b []byte, do func(key, v uint64, body []byte) int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		var body []byte
		if key&7 == message {
			body = b[n-int(v) : n]
		}
		if bad := do(key, v, body); bad < 0 {
			return bad
		}
		b = b[n:]
	}
	return 0
}

func (m *SSLDetection) merge(b []byte) int {
	return each(b, func(key, v uint64, body []byte) int {
		switch key {
		case 1<<3 | varint:
			m.Number = uint32(v)
		case 2<<3 | fixed64:
			m.Captured = math.Float64frombits(v)
		case 3<<3 | fixed64:
			m.Sent = math.Float64frombits(v)
		case 4<<3 | varint:
			m.Camera = uint32(v)
		case 5<<3 | message:
			return mergeElement(&m.Balls, MaxRobots, &m.Dropped, body)
		case 6<<3 | message:
			return mergeElement(&m.Yellow, MaxRobots, &m.Dropped, body)
		case 7<<3 | message:
			return mergeElement(&m.Blue, MaxRobots, &m.Dropped, body)
		}
		return 0
	})
}

func (m *SSLBall) merge(b []byte) int {
	return each(b, func(key, v uint64, _ []byte) int {
		f := math.Float32frombits(uint32(v))
		switch key {
		case 1<<3 | fixed32:
			m.Confidence = f
		case 3<<3 | fixed32:
			m.X = f
		case 4<<3 | fixed32:
			m.Y = f
		case 6<<3 | fixed32:
			m.PixelX = f
		case 7<<3 | fixed32:
			m.PixelY = f
		}
		return 0
	})
}

func (m *SSLRobot) merge(b []byte) int {
	return each(b, func(key, v uint64, _ []byte) int {
		f := math.Float32frombits(uint32(v))
		switch key {
		case 1<<3 | fixed32:
			m.Confidence = f
		case 2<<3 | varint:
			m.HasID, m.ID = true, uint32(v)
		case 3<<3 | fixed32:
			m.X = f
		case 4<<3 | fixed32:
			m.Y = f
		case 5<<3 | fixed32:
			m.HasOrientation, m.Orientation = true, f
		case 6<<3 | fixed32:
			m.PixelX = f
		case 7<<3 | fixed32:
			m.PixelY = f
		}
		return 0
	})
}

func (m *SSLGeometry) merge(b []byte) int {
	return each(b, func(key, v uint64, _ []byte) int {
		if key&7 != varint {
			return 0
		}
		switch key >> 3 {
		case 1:
			m.Length = int32(v)
		case 2:
			m.Width = int32(v)
		case 3:
			m.GoalWidth = int32(v)
		case 4:
			m.GoalDepth = int32(v)
		case 5:
			m.Boundary = int32(v)
		case 8:
			m.PenaltyDepth = int32(v)
		case 9:
			m.PenaltyWidth = int32(v)
		case 10:
			m.CircleRadius = int32(v)
		}
		return 0
	})
}

func (m *GrSimPacket) merge(b []byte) int {
	return each(b, func(key, v uint64, body []byte) int {
		switch key {
		case 1<<3 | message:
			m.HasCommands = true
			return m.mergeCommands(body)
		case 2<<3 | message:
			m.HasReplacement = true
			return m.mergeReplacement(body)
		}
		return 0
	})
}

func (m *GrSimPacket) mergeCommands(b []byte) int {
	return each(b, func(key, v uint64, body []byte) int {
		switch key {
		case 1<<3 | fixed64:
			m.Timestamp = math.Float64frombits(v)
		case 2<<3 | varint:
			m.Yellow = v != 0
		case 3<<3 | message:
			return mergeElement(&m.Commands, MaxCommands, &m.Dropped, body)
		}
		return 0
	})
}

func (m *GrSimCommand) merge(b []byte) int {
	return each(b, func(key, v uint64, _ []byte) int {
		f := math.Float32frombits(uint32(v))
		switch key {
		case 1<<3 | varint:
			m.ID = uint32(v)
		case 2<<3 | fixed32:
			m.KickX = f
		case 3<<3 | fixed32:
			m.KickZ = f
		case 4<<3 | fixed32:
			m.Tangent = f
		case 5<<3 | fixed32:
			m.Normal = f
		case 6<<3 | fixed32:
			m.Angular = f
		case 7<<3 | varint:
			m.Spinner = v != 0
		case 8<<3 | varint:
			m.ByWheel = v != 0
		case 9<<3 | fixed32, 10<<3 | fixed32, 11<<3 | fixed32, 12<<3 | fixed32:
			m.Wheel[key>>3-9] = f
		}
		return 0
	})
}

func (m *GrSimPacket) mergeReplacement(b []byte) int {
	return each(b, func(key, v uint64, body []byte) int {
		switch key {
		case 1<<3 | message:
			m.HasBall = true
			return m.Ball.merge(body)
		case 2<<3 | message:
			return mergeElement(&m.Robots, MaxRobots, &m.Dropped, body)
		}
		return 0
	})
}

func (m *GrSimBall) merge(b []byte) int {
	return each(b, func(key, v uint64, _ []byte) int {
		if i := key>>3 - 1; key&7 == fixed64 && i < 4 {
			m.Value[i], m.Has[i] = math.Float64frombits(v), true
		}
		return 0
	})
}

func (m *GrSimRobot) merge(b []byte) int {
	return each(b, func(key, v uint64, _ []byte) int {
		switch key {
		case 1<<3 | fixed64:
			m.X = math.Float64frombits(v)
		case 2<<3 | fixed64:
			m.Y = math.Float64frombits(v)
		case 3<<3 | fixed64:
			m.Dir = math.Float64frombits(v)
		case 4<<3 | varint:
			m.ID = uint32(v)
		case 5<<3 | varint:
			m.Yellow = v != 0
		case 6<<3 | varint:
			m.Off = v == 0
		}
		return 0
	})
}
