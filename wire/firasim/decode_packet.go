package firasim

import "math"

func (m *Packet) merge(b []byte) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		bad := 0
		switch key {
		case 1<<3 | message:
			m.HasCommands = true
			bad = m.mergeCommands(b[n-int(v) : n])
		case 2<<3 | message:
			m.HasReplacement = true
			bad = m.Replacement.merge(b[n-int(v):n], &m.Dropped)
		}
		if bad < 0 {
			return bad
		}
		b = b[n:]
	}
	return 0
}

func (m *Packet) mergeCommands(b []byte) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		if key == 1<<3|message {
			if bad := mergeElement(&m.Commands, MaxCommands, &m.Dropped, b[n-int(v):n]); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func (m *Command) merge(b []byte) int {
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
		case 2<<3 | varint:
			m.Yellow = v != 0
		case 6<<3 | fixed64:
			m.Left = math.Float64frombits(v)
		case 7<<3 | fixed64:
			m.Right = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func (m *Replacement) merge(b []byte, dropped *int) int {
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
			bad = mergeElement(&m.Robots, MaxRobots, dropped, b[n-int(v):n])
		}
		if bad < 0 {
			return bad
		}
		b = b[n:]
	}
	return 0
}

func (m *BallReplacement) merge(b []byte) int {
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
			m.VX = math.Float64frombits(v)
		case 4<<3 | fixed64:
			m.VY = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func (m *RobotReplacement) merge(b []byte) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasPosition = true
			if bad := m.Position.merge(b[n-int(v) : n]); bad < 0 {
				return bad
			}
		case 5<<3 | varint:
			m.Yellow = v != 0
		case 6<<3 | varint:
			m.TurnOn = v != 0
		}
		b = b[n:]
	}
	return 0
}

func (m *RefereeCommand) merge(b []byte) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | varint:
			m.Foul = Foul(v)
		case 2<<3 | varint:
			m.Team = Color(v)
		case 3<<3 | varint:
			m.Quadrant = int32(v)
		case 4<<3 | fixed64:
			m.Timestamp = math.Float64frombits(v)
		case 5<<3 | varint:
			m.Half = Half(v)
		}
		b = b[n:]
	}
	return 0
}

func (m *Placement) merge(b []byte) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		if key == 1<<3|message {
			m.HasWorld = true
			if bad := m.mergeWorld(b[n-int(v) : n]); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func (m *Placement) mergeWorld(b []byte) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | varint:
			m.Team = Color(v)
		case 2<<3 | message:
			if bad := mergeElement(&m.Robots, MaxRobots, &m.Dropped, b[n-int(v):n]); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}
