// Code generated from table.go by TestGenerated. DO NOT EDIT.

package firasim

import "math"

func mergeBall(m *Ball, b []byte, dropped *int) int {
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

func appendBall(b []byte, m *Ball) (_ []byte, valid bool) {
	valid = finite(m.X, m.Y, m.Z, m.VX, m.VY, m.VZ)
	if math.Float64bits(m.X) != 0 {
		b = appendDouble(b, byte(1<<3|fixed64), m.X)
	}
	if math.Float64bits(m.Y) != 0 {
		b = appendDouble(b, byte(2<<3|fixed64), m.Y)
	}
	if math.Float64bits(m.Z) != 0 {
		b = appendDouble(b, byte(3<<3|fixed64), m.Z)
	}
	if math.Float64bits(m.VX) != 0 {
		b = appendDouble(b, byte(4<<3|fixed64), m.VX)
	}
	if math.Float64bits(m.VY) != 0 {
		b = appendDouble(b, byte(5<<3|fixed64), m.VY)
	}
	if math.Float64bits(m.VZ) != 0 {
		b = appendDouble(b, byte(6<<3|fixed64), m.VZ)
	}
	return b, valid
}

func mergeRobot(m *Robot, b []byte, dropped *int) int {
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

func appendRobot(b []byte, m *Robot) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && finite(m.X, m.Y, m.Orientation, m.VX, m.VY, m.VOrientation)
	if m.ID != 0 {
		b = appendUint(b, byte(1<<3|varint), uint64(m.ID))
	}
	if math.Float64bits(m.X) != 0 {
		b = appendDouble(b, byte(2<<3|fixed64), m.X)
	}
	if math.Float64bits(m.Y) != 0 {
		b = appendDouble(b, byte(3<<3|fixed64), m.Y)
	}
	if math.Float64bits(m.Orientation) != 0 {
		b = appendDouble(b, byte(4<<3|fixed64), m.Orientation)
	}
	if math.Float64bits(m.VX) != 0 {
		b = appendDouble(b, byte(5<<3|fixed64), m.VX)
	}
	if math.Float64bits(m.VY) != 0 {
		b = appendDouble(b, byte(6<<3|fixed64), m.VY)
	}
	if math.Float64bits(m.VOrientation) != 0 {
		b = appendDouble(b, byte(7<<3|fixed64), m.VOrientation)
	}
	return b, valid
}

func mergeFrame(m *Frame, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasBall = true
			if bad := mergeBall(&m.Ball, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | message:
			if bad := mergeRobot(extend(&m.Yellow), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Yellow, 64, dropped)
		case 3<<3 | message:
			if bad := mergeRobot(extend(&m.Blue), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Blue, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendFrame(b []byte, m *Frame) (_ []byte, valid bool) {
	valid = len(m.Yellow) <= 64 && len(m.Blue) <= 64
	if m.HasBall {
		at, ok := len(b)+2, true
		b, ok = appendBall(append(b, byte(1<<3|message), 0), &m.Ball)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Yellow {
		at, ok := len(b)+2, true
		b, ok = appendRobot(append(b, byte(2<<3|message), 0), &m.Yellow[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Blue {
		at, ok := len(b)+2, true
		b, ok = appendRobot(append(b, byte(3<<3|message), 0), &m.Blue[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeField(m *Field, b []byte, dropped *int) int {
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

func appendField(b []byte, m *Field) (_ []byte, valid bool) {
	valid = finite(m.Width, m.Length, m.GoalWidth, m.GoalDepth, m.CenterRadius, m.PenaltyWidth, m.PenaltyDepth, m.PenaltyPoint)
	if math.Float64bits(m.Width) != 0 {
		b = appendDouble(b, byte(1<<3|fixed64), m.Width)
	}
	if math.Float64bits(m.Length) != 0 {
		b = appendDouble(b, byte(2<<3|fixed64), m.Length)
	}
	if math.Float64bits(m.GoalWidth) != 0 {
		b = appendDouble(b, byte(3<<3|fixed64), m.GoalWidth)
	}
	if math.Float64bits(m.GoalDepth) != 0 {
		b = appendDouble(b, byte(4<<3|fixed64), m.GoalDepth)
	}
	if math.Float64bits(m.CenterRadius) != 0 {
		b = appendDouble(b, byte(5<<3|fixed64), m.CenterRadius)
	}
	if math.Float64bits(m.PenaltyWidth) != 0 {
		b = appendDouble(b, byte(6<<3|fixed64), m.PenaltyWidth)
	}
	if math.Float64bits(m.PenaltyDepth) != 0 {
		b = appendDouble(b, byte(7<<3|fixed64), m.PenaltyDepth)
	}
	if math.Float64bits(m.PenaltyPoint) != 0 {
		b = appendDouble(b, byte(8<<3|fixed64), m.PenaltyPoint)
	}
	return b, valid
}

func mergeEnvironment(m *Environment, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | varint:
			m.Step = uint32(v)
		case 2<<3 | message:
			m.HasFrame = true
			if bad := mergeFrame(&m.Frame, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | message:
			m.HasField = true
			if bad := mergeField(&m.Field, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 4<<3 | varint:
			m.GoalsBlue = uint32(v)
		case 5<<3 | varint:
			m.GoalsYellow = uint32(v)
		}
		b = b[n:]
	}
	return 0
}

func appendEnvironment(b []byte, m *Environment) (_ []byte, valid bool) {
	valid = true
	if m.Step != 0 {
		b = appendUint(b, byte(1<<3|varint), uint64(m.Step))
	}
	if m.HasFrame {
		at, ok := len(b), true
		b, ok = appendFrame(append(b, byte(2<<3|message), 0, 0), &m.Frame)
		b = sized(b, at)
		valid = valid && ok
	}
	if m.HasField {
		at, ok := len(b)+2, true
		b, ok = appendField(append(b, byte(3<<3|message), 0), &m.Field)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.GoalsBlue != 0 {
		b = appendUint(b, byte(4<<3|varint), uint64(m.GoalsBlue))
	}
	if m.GoalsYellow != 0 {
		b = appendUint(b, byte(5<<3|varint), uint64(m.GoalsYellow))
	}
	return b, valid
}

func mergeCommand(m *Command, b []byte, dropped *int) int {
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

func appendCommand(b []byte, m *Command) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && finite(m.Left, m.Right)
	if m.ID != 0 {
		b = appendUint(b, byte(1<<3|varint), uint64(m.ID))
	}
	if m.Yellow {
		b = appendBool(b, byte(2<<3|varint), m.Yellow)
	}
	if math.Float64bits(m.Left) != 0 {
		b = appendDouble(b, byte(6<<3|fixed64), m.Left)
	}
	if math.Float64bits(m.Right) != 0 {
		b = appendDouble(b, byte(7<<3|fixed64), m.Right)
	}
	return b, valid
}

func mergeCommands(m *Packet, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasCommands = true
			if bad := mergeCommand(extend(&m.Commands), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Commands, 32768, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendCommands(b []byte, m *Packet) (_ []byte, valid bool) {
	valid = len(m.Commands) <= 32768
	for i := range m.Commands {
		at, ok := len(b)+2, true
		b, ok = appendCommand(append(b, byte(1<<3|message), 0), &m.Commands[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeBallReplacement(m *BallReplacement, b []byte, dropped *int) int {
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

func appendBallReplacement(b []byte, m *BallReplacement) (_ []byte, valid bool) {
	valid = finite(m.X, m.Y, m.VX, m.VY)
	if math.Float64bits(m.X) != 0 {
		b = appendDouble(b, byte(1<<3|fixed64), m.X)
	}
	if math.Float64bits(m.Y) != 0 {
		b = appendDouble(b, byte(2<<3|fixed64), m.Y)
	}
	if math.Float64bits(m.VX) != 0 {
		b = appendDouble(b, byte(3<<3|fixed64), m.VX)
	}
	if math.Float64bits(m.VY) != 0 {
		b = appendDouble(b, byte(4<<3|fixed64), m.VY)
	}
	return b, valid
}

func mergeRobotReplacement(m *RobotReplacement, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasPosition = true
			if bad := mergeRobot(&m.Position, b[n-int(v):n], dropped); bad < 0 {
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

func appendRobotReplacement(b []byte, m *RobotReplacement) (_ []byte, valid bool) {
	valid = true
	if m.HasPosition {
		at, ok := len(b)+2, true
		b, ok = appendRobot(append(b, byte(1<<3|message), 0), &m.Position)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.Yellow {
		b = appendBool(b, byte(5<<3|varint), m.Yellow)
	}
	if m.TurnOn {
		b = appendBool(b, byte(6<<3|varint), m.TurnOn)
	}
	return b, valid
}

func mergeReplacement(m *Replacement, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasBall = true
			if bad := mergeBallReplacement(&m.Ball, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | message:
			if bad := mergeRobotReplacement(extend(&m.Robots), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Robots, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendReplacement(b []byte, m *Replacement) (_ []byte, valid bool) {
	valid = len(m.Robots) <= 64
	if m.HasBall {
		at, ok := len(b)+2, true
		b, ok = appendBallReplacement(append(b, byte(1<<3|message), 0), &m.Ball)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Robots {
		at, ok := len(b)+2, true
		b, ok = appendRobotReplacement(append(b, byte(2<<3|message), 0), &m.Robots[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergePacket(m *Packet, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasCommands = true
			if bad := mergeCommands(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | message:
			m.HasReplacement = true
			if bad := mergeReplacement(&m.Replacement, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendPacket(b []byte, m *Packet) (_ []byte, valid bool) {
	valid = true
	if m.HasCommands {
		at, ok := len(b), true
		b, ok = appendCommands(append(b, byte(1<<3|message), 0, 0), m)
		b = sized(b, at)
		valid = valid && ok
	}
	if m.HasReplacement {
		at, ok := len(b), true
		b, ok = appendReplacement(append(b, byte(2<<3|message), 0, 0), &m.Replacement)
		b = sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeRefereeCommand(m *RefereeCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := plain(b)
		if n == 0 {
			if key, v, n = next(b); n < 0 {
				return n
			}
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

func appendRefereeCommand(b []byte, m *RefereeCommand) (_ []byte, valid bool) {
	valid = uint32(m.Foul) <= 7 && uint32(m.Team) <= 2 && uint32(m.Quadrant) <= 4 && uint32(m.Half) <= 5 && finite(m.Timestamp)
	if m.Foul != 0 {
		b = appendUint(b, byte(1<<3|varint), uint64(m.Foul))
	}
	if m.Team != 0 {
		b = appendUint(b, byte(2<<3|varint), uint64(m.Team))
	}
	if m.Quadrant != 0 {
		b = appendUint(b, byte(3<<3|varint), uint64(m.Quadrant))
	}
	if math.Float64bits(m.Timestamp) != 0 {
		b = appendDouble(b, byte(4<<3|fixed64), m.Timestamp)
	}
	if m.Half != 0 {
		b = appendUint(b, byte(5<<3|varint), uint64(m.Half))
	}
	return b, valid
}

func mergePlacedRobot(m *Robot, b []byte, dropped *int) int {
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
		}
		b = b[n:]
	}
	return 0
}

func appendPlacedRobot(b []byte, m *Robot) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && finite(m.X, m.Y, m.Orientation)
	if m.ID != 0 {
		b = appendUint(b, byte(1<<3|varint), uint64(m.ID))
	}
	if math.Float64bits(m.X) != 0 {
		b = appendDouble(b, byte(2<<3|fixed64), m.X)
	}
	if math.Float64bits(m.Y) != 0 {
		b = appendDouble(b, byte(3<<3|fixed64), m.Y)
	}
	if math.Float64bits(m.Orientation) != 0 {
		b = appendDouble(b, byte(4<<3|fixed64), m.Orientation)
	}
	return b, valid
}

func mergePlacementWorld(m *Placement, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | varint:
			m.Team = Color(v)
		case 2<<3 | message:
			if bad := mergePlacedRobot(extend(&m.Robots), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Robots, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendPlacementWorld(b []byte, m *Placement) (_ []byte, valid bool) {
	valid = uint32(m.Team) <= 1 && len(m.Robots) <= 64
	if m.Team != 0 {
		b = appendUint(b, byte(1<<3|varint), uint64(m.Team))
	}
	for i := range m.Robots {
		at, ok := len(b)+2, true
		b, ok = appendPlacedRobot(append(b, byte(2<<3|message), 0), &m.Robots[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergePlacement(m *Placement, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasWorld = true
			if bad := mergePlacementWorld(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendPlacement(b []byte, m *Placement) (_ []byte, valid bool) {
	valid = true
	if m.HasWorld {
		at, ok := len(b), true
		b, ok = appendPlacementWorld(append(b, byte(1<<3|message), 0, 0), m)
		b = sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeSSLBall(m *SSLBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := plain(b)
		if n == 0 {
			if key, v, n = next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | fixed32:
			m.Confidence = math.Float32frombits(uint32(v))
		case 3<<3 | fixed32:
			m.X = math.Float32frombits(uint32(v))
		case 4<<3 | fixed32:
			m.Y = math.Float32frombits(uint32(v))
		case 6<<3 | fixed32:
			m.PixelX = math.Float32frombits(uint32(v))
		case 7<<3 | fixed32:
			m.PixelY = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendSSLBall(b []byte, m *SSLBall) (_ []byte, valid bool) {
	valid = isRatio(m.Confidence) && finite(float64(m.X), float64(m.Y), float64(m.PixelX), float64(m.PixelY))
	{
		b = appendFloat(b, byte(1<<3|fixed32), m.Confidence)
	}
	{
		b = appendFloat(b, byte(3<<3|fixed32), m.X)
	}
	{
		b = appendFloat(b, byte(4<<3|fixed32), m.Y)
	}
	{
		b = appendFloat(b, byte(6<<3|fixed32), m.PixelX)
	}
	{
		b = appendFloat(b, byte(7<<3|fixed32), m.PixelY)
	}
	return b, valid
}

func mergeSSLRobot(m *SSLRobot, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := plain(b)
		if n == 0 {
			if key, v, n = next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | fixed32:
			m.Confidence = math.Float32frombits(uint32(v))
		case 2<<3 | varint:
			m.HasID = true
			m.ID = uint32(v)
		case 3<<3 | fixed32:
			m.X = math.Float32frombits(uint32(v))
		case 4<<3 | fixed32:
			m.Y = math.Float32frombits(uint32(v))
		case 5<<3 | fixed32:
			m.HasOrientation = true
			m.Orientation = math.Float32frombits(uint32(v))
		case 6<<3 | fixed32:
			m.PixelX = math.Float32frombits(uint32(v))
		case 7<<3 | fixed32:
			m.PixelY = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendSSLRobot(b []byte, m *SSLRobot) (_ []byte, valid bool) {
	valid = isRatio(m.Confidence) && uint32(m.ID) <= 15 && finite(float64(m.X), float64(m.Y), float64(m.Orientation), float64(m.PixelX), float64(m.PixelY))
	{
		b = appendFloat(b, byte(1<<3|fixed32), m.Confidence)
	}
	if m.HasID {
		b = appendUint(b, byte(2<<3|varint), uint64(m.ID))
	}
	{
		b = appendFloat(b, byte(3<<3|fixed32), m.X)
	}
	{
		b = appendFloat(b, byte(4<<3|fixed32), m.Y)
	}
	if m.HasOrientation {
		b = appendFloat(b, byte(5<<3|fixed32), m.Orientation)
	}
	{
		b = appendFloat(b, byte(6<<3|fixed32), m.PixelX)
	}
	{
		b = appendFloat(b, byte(7<<3|fixed32), m.PixelY)
	}
	return b, valid
}

func mergeSSLDetection(m *SSLDetection, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
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
			if bad := mergeSSLBall(extend(&m.Balls), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Balls, 64, dropped)
		case 6<<3 | message:
			if bad := mergeSSLRobot(extend(&m.Yellow), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Yellow, 64, dropped)
		case 7<<3 | message:
			if bad := mergeSSLRobot(extend(&m.Blue), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Blue, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendSSLDetection(b []byte, m *SSLDetection) (_ []byte, valid bool) {
	valid = len(m.Balls) <= 64 && len(m.Yellow) <= 64 && len(m.Blue) <= 64 && finite(m.Captured, m.Sent)
	{
		b = appendUint(b, byte(1<<3|varint), uint64(m.Number))
	}
	{
		b = appendDouble(b, byte(2<<3|fixed64), m.Captured)
	}
	{
		b = appendDouble(b, byte(3<<3|fixed64), m.Sent)
	}
	{
		b = appendUint(b, byte(4<<3|varint), uint64(m.Camera))
	}
	for i := range m.Balls {
		at, ok := len(b)+2, true
		b, ok = appendSSLBall(append(b, byte(5<<3|message), 0), &m.Balls[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Yellow {
		at, ok := len(b)+2, true
		b, ok = appendSSLRobot(append(b, byte(6<<3|message), 0), &m.Yellow[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Blue {
		at, ok := len(b)+2, true
		b, ok = appendSSLRobot(append(b, byte(7<<3|message), 0), &m.Blue[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeSSLGeometry(m *SSLGeometry, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := plain(b)
		if n == 0 {
			if key, v, n = next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | varint:
			m.Length = int32(v)
		case 2<<3 | varint:
			m.Width = int32(v)
		case 3<<3 | varint:
			m.GoalWidth = int32(v)
		case 4<<3 | varint:
			m.GoalDepth = int32(v)
		case 5<<3 | varint:
			m.Boundary = int32(v)
		case 8<<3 | varint:
			m.PenaltyDepth = int32(v)
		case 9<<3 | varint:
			m.PenaltyWidth = int32(v)
		case 10<<3 | varint:
			m.CircleRadius = int32(v)
		}
		b = b[n:]
	}
	return 0
}

func appendSSLGeometry(b []byte, m *SSLGeometry) (_ []byte, valid bool) {
	valid = uint32(m.Length) <= 2147483647 && uint32(m.Width) <= 2147483647 && uint32(m.GoalWidth) <= 2147483647 && uint32(m.GoalDepth) <= 2147483647 && uint32(m.Boundary) <= 2147483647 && uint32(m.PenaltyDepth) <= 2147483647 && uint32(m.PenaltyWidth) <= 2147483647 && uint32(m.CircleRadius) <= 2147483647
	{
		b = appendUint(b, byte(1<<3|varint), uint64(m.Length))
	}
	{
		b = appendUint(b, byte(2<<3|varint), uint64(m.Width))
	}
	{
		b = appendUint(b, byte(3<<3|varint), uint64(m.GoalWidth))
	}
	{
		b = appendUint(b, byte(4<<3|varint), uint64(m.GoalDepth))
	}
	{
		b = appendUint(b, byte(5<<3|varint), uint64(m.Boundary))
	}
	if m.PenaltyDepth != 0 {
		b = appendUint(b, byte(8<<3|varint), uint64(m.PenaltyDepth))
	}
	if m.PenaltyWidth != 0 {
		b = appendUint(b, byte(9<<3|varint), uint64(m.PenaltyWidth))
	}
	if m.CircleRadius != 0 {
		b = appendUint(b, byte(10<<3|varint), uint64(m.CircleRadius))
	}
	return b, valid
}

func mergeSSLGeometryData(m *SSLVision, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasGeometry = true
			if bad := mergeSSLGeometry(&m.Geometry, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendSSLGeometryData(b []byte, m *SSLVision) (_ []byte, valid bool) {
	valid = true
	if m.HasGeometry {
		at, ok := len(b)+2, true
		b, ok = appendSSLGeometry(append(b, byte(1<<3|message), 0), &m.Geometry)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeSSLVision(m *SSLVision, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasDetection = true
			if bad := mergeSSLDetection(&m.Detection, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | message:
			m.HasGeometry = true
			if bad := mergeSSLGeometryData(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendSSLVision(b []byte, m *SSLVision) (_ []byte, valid bool) {
	valid = true
	if m.HasDetection {
		at, ok := len(b), true
		b, ok = appendSSLDetection(append(b, byte(1<<3|message), 0, 0), &m.Detection)
		b = sized(b, at)
		valid = valid && ok
	}
	if m.HasGeometry {
		at, ok := len(b)+2, true
		b, ok = appendSSLGeometryData(append(b, byte(2<<3|message), 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeGrSimCommand(m *GrSimCommand, b []byte, dropped *int) int {
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
		case 2<<3 | fixed32:
			m.KickX = math.Float32frombits(uint32(v))
		case 3<<3 | fixed32:
			m.KickZ = math.Float32frombits(uint32(v))
		case 4<<3 | fixed32:
			m.Tangent = math.Float32frombits(uint32(v))
		case 5<<3 | fixed32:
			m.Normal = math.Float32frombits(uint32(v))
		case 6<<3 | fixed32:
			m.Angular = math.Float32frombits(uint32(v))
		case 7<<3 | varint:
			m.Spinner = v != 0
		case 8<<3 | varint:
			m.ByWheel = v != 0
		case 9<<3 | fixed32:
			m.Wheel[0] = math.Float32frombits(uint32(v))
		case 10<<3 | fixed32:
			m.Wheel[1] = math.Float32frombits(uint32(v))
		case 11<<3 | fixed32:
			m.Wheel[2] = math.Float32frombits(uint32(v))
		case 12<<3 | fixed32:
			m.Wheel[3] = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimCommand(b []byte, m *GrSimCommand) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && finite(float64(m.KickX), float64(m.KickZ), float64(m.Tangent), float64(m.Normal), float64(m.Angular), float64(m.Wheel[0]), float64(m.Wheel[1]), float64(m.Wheel[2]), float64(m.Wheel[3]))
	{
		b = appendUint(b, byte(1<<3|varint), uint64(m.ID))
	}
	{
		b = appendFloat(b, byte(2<<3|fixed32), m.KickX)
	}
	{
		b = appendFloat(b, byte(3<<3|fixed32), m.KickZ)
	}
	{
		b = appendFloat(b, byte(4<<3|fixed32), m.Tangent)
	}
	{
		b = appendFloat(b, byte(5<<3|fixed32), m.Normal)
	}
	{
		b = appendFloat(b, byte(6<<3|fixed32), m.Angular)
	}
	{
		b = appendBool(b, byte(7<<3|varint), m.Spinner)
	}
	{
		b = appendBool(b, byte(8<<3|varint), m.ByWheel)
	}
	if math.Float32bits(m.Wheel[0]) != 0 {
		b = appendFloat(b, byte(9<<3|fixed32), m.Wheel[0])
	}
	if math.Float32bits(m.Wheel[1]) != 0 {
		b = appendFloat(b, byte(10<<3|fixed32), m.Wheel[1])
	}
	if math.Float32bits(m.Wheel[2]) != 0 {
		b = appendFloat(b, byte(11<<3|fixed32), m.Wheel[2])
	}
	if math.Float32bits(m.Wheel[3]) != 0 {
		b = appendFloat(b, byte(12<<3|fixed32), m.Wheel[3])
	}
	return b, valid
}

func mergeGrSimCommands(m *GrSimPacket, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | fixed64:
			m.Timestamp = math.Float64frombits(v)
		case 2<<3 | varint:
			m.Yellow = v != 0
		case 3<<3 | message:
			m.HasCommands = true
			if bad := mergeGrSimCommand(extend(&m.Commands), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Commands, 32768, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimCommands(b []byte, m *GrSimPacket) (_ []byte, valid bool) {
	valid = len(m.Commands) <= 32768 && finite(m.Timestamp)
	{
		b = appendDouble(b, byte(1<<3|fixed64), m.Timestamp)
	}
	{
		b = appendBool(b, byte(2<<3|varint), m.Yellow)
	}
	for i := range m.Commands {
		at, ok := len(b), true
		b, ok = appendGrSimCommand(append(b, byte(3<<3|message), 0, 0), &m.Commands[i])
		b = sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeGrSimBall(m *GrSimBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := plain(b)
		if n == 0 {
			if key, v, n = next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | fixed64:
			m.HasValue[0] = true
			m.Value[0] = math.Float64frombits(v)
		case 2<<3 | fixed64:
			m.HasValue[1] = true
			m.Value[1] = math.Float64frombits(v)
		case 3<<3 | fixed64:
			m.HasValue[2] = true
			m.Value[2] = math.Float64frombits(v)
		case 4<<3 | fixed64:
			m.HasValue[3] = true
			m.Value[3] = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimBall(b []byte, m *GrSimBall) (_ []byte, valid bool) {
	valid = finite(m.Value[0], m.Value[1], m.Value[2], m.Value[3])
	if m.HasValue[0] {
		b = appendDouble(b, byte(1<<3|fixed64), m.Value[0])
	}
	if m.HasValue[1] {
		b = appendDouble(b, byte(2<<3|fixed64), m.Value[1])
	}
	if m.HasValue[2] {
		b = appendDouble(b, byte(3<<3|fixed64), m.Value[2])
	}
	if m.HasValue[3] {
		b = appendDouble(b, byte(4<<3|fixed64), m.Value[3])
	}
	return b, valid
}

func mergeGrSimRobot(m *GrSimRobot, b []byte, dropped *int) int {
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
			m.Dir = math.Float64frombits(v)
		case 4<<3 | varint:
			m.ID = uint32(v)
		case 5<<3 | varint:
			m.Yellow = v != 0
		case 6<<3 | varint:
			m.Off = v == 0
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimRobot(b []byte, m *GrSimRobot) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && finite(m.X, m.Y, m.Dir)
	{
		b = appendDouble(b, byte(1<<3|fixed64), m.X)
	}
	{
		b = appendDouble(b, byte(2<<3|fixed64), m.Y)
	}
	{
		b = appendDouble(b, byte(3<<3|fixed64), m.Dir)
	}
	{
		b = appendUint(b, byte(4<<3|varint), uint64(m.ID))
	}
	{
		b = appendBool(b, byte(5<<3|varint), m.Yellow)
	}
	{
		b = appendBool(b, byte(6<<3|varint), !m.Off)
	}
	return b, valid
}

func mergeGrSimReplacement(m *GrSimPacket, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasBall = true
			if bad := mergeGrSimBall(&m.Ball, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | message:
			if bad := mergeGrSimRobot(extend(&m.Robots), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			bound(&m.Robots, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimReplacement(b []byte, m *GrSimPacket) (_ []byte, valid bool) {
	valid = len(m.Robots) <= 64
	if m.HasBall {
		at, ok := len(b)+2, true
		b, ok = appendGrSimBall(append(b, byte(1<<3|message), 0), &m.Ball)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Robots {
		at, ok := len(b)+2, true
		b, ok = appendGrSimRobot(append(b, byte(2<<3|message), 0), &m.Robots[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeGrSimPacket(m *GrSimPacket, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | message:
			m.HasCommands = true
			if bad := mergeGrSimCommands(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | message:
			m.HasReplacement = true
			if bad := mergeGrSimReplacement(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimPacket(b []byte, m *GrSimPacket) (_ []byte, valid bool) {
	valid = true
	if m.HasCommands {
		at, ok := len(b), true
		b, ok = appendGrSimCommands(append(b, byte(1<<3|message), 0, 0), m)
		b = sized(b, at)
		valid = valid && ok
	}
	if m.HasReplacement {
		at, ok := len(b), true
		b, ok = appendGrSimReplacement(append(b, byte(2<<3|message), 0, 0), m)
		b = sized(b, at)
		valid = valid && ok
	}
	return b, valid
}
