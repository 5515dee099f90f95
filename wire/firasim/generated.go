// Code generated from table.go by TestGenerated. DO NOT EDIT.

package firasim

import (
	"math"

	"touchline/wire/internal/protobuf"
)

func mergeBall(m *Ball, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 1:
			m.X = math.Float64frombits(v)
		case 2<<3 | 1:
			m.Y = math.Float64frombits(v)
		case 3<<3 | 1:
			m.Z = math.Float64frombits(v)
		case 4<<3 | 1:
			m.VX = math.Float64frombits(v)
		case 5<<3 | 1:
			m.VY = math.Float64frombits(v)
		case 6<<3 | 1:
			m.VZ = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func appendBall(b []byte, m *Ball) (_ []byte, valid bool) {
	valid = protobuf.Finite(m.X, m.Y, m.Z, m.VX, m.VY, m.VZ)
	if math.Float64bits(m.X) != 0 {
		b = protobuf.AppendDouble(append(b, 1<<3|1), m.X)
	}
	if math.Float64bits(m.Y) != 0 {
		b = protobuf.AppendDouble(append(b, 2<<3|1), m.Y)
	}
	if math.Float64bits(m.Z) != 0 {
		b = protobuf.AppendDouble(append(b, 3<<3|1), m.Z)
	}
	if math.Float64bits(m.VX) != 0 {
		b = protobuf.AppendDouble(append(b, 4<<3|1), m.VX)
	}
	if math.Float64bits(m.VY) != 0 {
		b = protobuf.AppendDouble(append(b, 5<<3|1), m.VY)
	}
	if math.Float64bits(m.VZ) != 0 {
		b = protobuf.AppendDouble(append(b, 6<<3|1), m.VZ)
	}
	return b, valid
}

func mergeRobot(m *Robot, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1 << 3:
			m.ID = uint32(v)
		case 2<<3 | 1:
			m.X = math.Float64frombits(v)
		case 3<<3 | 1:
			m.Y = math.Float64frombits(v)
		case 4<<3 | 1:
			m.Orientation = math.Float64frombits(v)
		case 5<<3 | 1:
			m.VX = math.Float64frombits(v)
		case 6<<3 | 1:
			m.VY = math.Float64frombits(v)
		case 7<<3 | 1:
			m.VOrientation = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func appendRobot(b []byte, m *Robot) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && protobuf.Finite(m.X, m.Y, m.Orientation, m.VX, m.VY, m.VOrientation)
	if m.ID != 0 {
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	if math.Float64bits(m.X) != 0 {
		b = protobuf.AppendDouble(append(b, 2<<3|1), m.X)
	}
	if math.Float64bits(m.Y) != 0 {
		b = protobuf.AppendDouble(append(b, 3<<3|1), m.Y)
	}
	if math.Float64bits(m.Orientation) != 0 {
		b = protobuf.AppendDouble(append(b, 4<<3|1), m.Orientation)
	}
	if math.Float64bits(m.VX) != 0 {
		b = protobuf.AppendDouble(append(b, 5<<3|1), m.VX)
	}
	if math.Float64bits(m.VY) != 0 {
		b = protobuf.AppendDouble(append(b, 6<<3|1), m.VY)
	}
	if math.Float64bits(m.VOrientation) != 0 {
		b = protobuf.AppendDouble(append(b, 7<<3|1), m.VOrientation)
	}
	return b, valid
}

func mergeFrame(m *Frame, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasBall = true
			if bad := mergeBall(&m.Ball, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			if bad := mergeRobot(protobuf.Extend(&m.Yellow), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Yellow, 64, dropped)
		case 3<<3 | 2:
			if bad := mergeRobot(protobuf.Extend(&m.Blue), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Blue, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendFrame(b []byte, m *Frame) (_ []byte, valid bool) {
	valid = len(m.Yellow) <= 64 && len(m.Blue) <= 64
	if m.HasBall {
		at, ok := len(b)+2, true
		b, ok = appendBall(append(b, 1<<3|2, 0), &m.Ball)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Yellow {
		at, ok := len(b)+2, true
		b, ok = appendRobot(append(b, 2<<3|2, 0), &m.Yellow[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Blue {
		at, ok := len(b)+2, true
		b, ok = appendRobot(append(b, 3<<3|2, 0), &m.Blue[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeField(m *Field, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 1:
			m.Width = math.Float64frombits(v)
		case 2<<3 | 1:
			m.Length = math.Float64frombits(v)
		case 3<<3 | 1:
			m.GoalWidth = math.Float64frombits(v)
		case 4<<3 | 1:
			m.GoalDepth = math.Float64frombits(v)
		case 5<<3 | 1:
			m.CenterRadius = math.Float64frombits(v)
		case 6<<3 | 1:
			m.PenaltyWidth = math.Float64frombits(v)
		case 7<<3 | 1:
			m.PenaltyDepth = math.Float64frombits(v)
		case 8<<3 | 1:
			m.PenaltyPoint = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func appendField(b []byte, m *Field) (_ []byte, valid bool) {
	valid = protobuf.Finite(m.Width, m.Length, m.GoalWidth, m.GoalDepth, m.CenterRadius, m.PenaltyWidth, m.PenaltyDepth, m.PenaltyPoint)
	if math.Float64bits(m.Width) != 0 {
		b = protobuf.AppendDouble(append(b, 1<<3|1), m.Width)
	}
	if math.Float64bits(m.Length) != 0 {
		b = protobuf.AppendDouble(append(b, 2<<3|1), m.Length)
	}
	if math.Float64bits(m.GoalWidth) != 0 {
		b = protobuf.AppendDouble(append(b, 3<<3|1), m.GoalWidth)
	}
	if math.Float64bits(m.GoalDepth) != 0 {
		b = protobuf.AppendDouble(append(b, 4<<3|1), m.GoalDepth)
	}
	if math.Float64bits(m.CenterRadius) != 0 {
		b = protobuf.AppendDouble(append(b, 5<<3|1), m.CenterRadius)
	}
	if math.Float64bits(m.PenaltyWidth) != 0 {
		b = protobuf.AppendDouble(append(b, 6<<3|1), m.PenaltyWidth)
	}
	if math.Float64bits(m.PenaltyDepth) != 0 {
		b = protobuf.AppendDouble(append(b, 7<<3|1), m.PenaltyDepth)
	}
	if math.Float64bits(m.PenaltyPoint) != 0 {
		b = protobuf.AppendDouble(append(b, 8<<3|1), m.PenaltyPoint)
	}
	return b, valid
}

func mergeEnvironment(m *Environment, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1 << 3:
			m.Step = uint32(v)
		case 2<<3 | 2:
			m.HasFrame = true
			if bad := mergeFrame(&m.Frame, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | 2:
			m.HasField = true
			if bad := mergeField(&m.Field, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 4 << 3:
			m.GoalsBlue = uint32(v)
		case 5 << 3:
			m.GoalsYellow = uint32(v)
		}
		b = b[n:]
	}
	return 0
}

func appendEnvironment(b []byte, m *Environment) (_ []byte, valid bool) {
	valid = true
	if m.Step != 0 {
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.Step))
	}
	if m.HasFrame {
		at, ok := len(b)+1, true
		b, ok = appendFrame(append(b, 2<<3|2, 0, 0), &m.Frame)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasField {
		at, ok := len(b)+2, true
		b, ok = appendField(append(b, 3<<3|2, 0), &m.Field)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.GoalsBlue != 0 {
		b = protobuf.AppendUint(append(b, 4<<3), uint64(m.GoalsBlue))
	}
	if m.GoalsYellow != 0 {
		b = protobuf.AppendUint(append(b, 5<<3), uint64(m.GoalsYellow))
	}
	return b, valid
}

func mergeCommand(m *Command, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1 << 3:
			m.ID = uint32(v)
		case 2 << 3:
			m.Yellow = v != 0
		case 6<<3 | 1:
			m.Left = math.Float64frombits(v)
		case 7<<3 | 1:
			m.Right = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func appendCommand(b []byte, m *Command) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && protobuf.Finite(m.Left, m.Right)
	if m.ID != 0 {
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	if m.Yellow {
		b = protobuf.AppendBool(append(b, 2<<3), m.Yellow)
	}
	if math.Float64bits(m.Left) != 0 {
		b = protobuf.AppendDouble(append(b, 6<<3|1), m.Left)
	}
	if math.Float64bits(m.Right) != 0 {
		b = protobuf.AppendDouble(append(b, 7<<3|1), m.Right)
	}
	return b, valid
}

func mergeCommands(m *Packet, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasCommands = true
			if bad := mergeCommand(protobuf.Extend(&m.Commands), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Commands, 32768, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendCommands(b []byte, m *Packet) (_ []byte, valid bool) {
	valid = len(m.Commands) <= 32768
	for i := range m.Commands {
		at, ok := len(b)+2, true
		b, ok = appendCommand(append(b, 1<<3|2, 0), &m.Commands[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeBallReplacement(m *BallReplacement, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 1:
			m.X = math.Float64frombits(v)
		case 2<<3 | 1:
			m.Y = math.Float64frombits(v)
		case 3<<3 | 1:
			m.VX = math.Float64frombits(v)
		case 4<<3 | 1:
			m.VY = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func appendBallReplacement(b []byte, m *BallReplacement) (_ []byte, valid bool) {
	valid = protobuf.Finite(m.X, m.Y, m.VX, m.VY)
	if math.Float64bits(m.X) != 0 {
		b = protobuf.AppendDouble(append(b, 1<<3|1), m.X)
	}
	if math.Float64bits(m.Y) != 0 {
		b = protobuf.AppendDouble(append(b, 2<<3|1), m.Y)
	}
	if math.Float64bits(m.VX) != 0 {
		b = protobuf.AppendDouble(append(b, 3<<3|1), m.VX)
	}
	if math.Float64bits(m.VY) != 0 {
		b = protobuf.AppendDouble(append(b, 4<<3|1), m.VY)
	}
	return b, valid
}

func mergeRobotReplacement(m *RobotReplacement, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasPosition = true
			if bad := mergeRobot(&m.Position, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 5 << 3:
			m.Yellow = v != 0
		case 6 << 3:
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
		b, ok = appendRobot(append(b, 1<<3|2, 0), &m.Position)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.Yellow {
		b = protobuf.AppendBool(append(b, 5<<3), m.Yellow)
	}
	if m.TurnOn {
		b = protobuf.AppendBool(append(b, 6<<3), m.TurnOn)
	}
	return b, valid
}

func mergeReplacement(m *Replacement, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasBall = true
			if bad := mergeBallReplacement(&m.Ball, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			if bad := mergeRobotReplacement(protobuf.Extend(&m.Robots), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Robots, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendReplacement(b []byte, m *Replacement) (_ []byte, valid bool) {
	valid = len(m.Robots) <= 64
	if m.HasBall {
		at, ok := len(b)+2, true
		b, ok = appendBallReplacement(append(b, 1<<3|2, 0), &m.Ball)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Robots {
		at, ok := len(b)+2, true
		b, ok = appendRobotReplacement(append(b, 2<<3|2, 0), &m.Robots[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergePacket(m *Packet, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasCommands = true
			if bad := mergeCommands(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
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
		at, ok := len(b)+1, true
		b, ok = appendCommands(append(b, 1<<3|2, 0, 0), m)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasReplacement {
		at, ok := len(b)+1, true
		b, ok = appendReplacement(append(b, 2<<3|2, 0, 0), &m.Replacement)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeRefereeCommand(m *RefereeCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1 << 3:
			m.Foul = Foul(v)
		case 2 << 3:
			m.Team = Color(v)
		case 3 << 3:
			m.Quadrant = int32(v)
		case 4<<3 | 1:
			m.Timestamp = math.Float64frombits(v)
		case 5 << 3:
			m.Half = Half(v)
		}
		b = b[n:]
	}
	return 0
}

func appendRefereeCommand(b []byte, m *RefereeCommand) (_ []byte, valid bool) {
	valid = uint32(m.Foul) <= 7 && uint32(m.Team) <= 2 && uint32(m.Quadrant) <= 4 && uint32(m.Half) <= 5 && protobuf.Finite(m.Timestamp)
	if m.Foul != 0 {
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.Foul))
	}
	if m.Team != 0 {
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.Team))
	}
	if m.Quadrant != 0 {
		b = protobuf.AppendUint(append(b, 3<<3), uint64(m.Quadrant))
	}
	if math.Float64bits(m.Timestamp) != 0 {
		b = protobuf.AppendDouble(append(b, 4<<3|1), m.Timestamp)
	}
	if m.Half != 0 {
		b = protobuf.AppendUint(append(b, 5<<3), uint64(m.Half))
	}
	return b, valid
}

func mergePlacedRobot(m *Robot, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1 << 3:
			m.ID = uint32(v)
		case 2<<3 | 1:
			m.X = math.Float64frombits(v)
		case 3<<3 | 1:
			m.Y = math.Float64frombits(v)
		case 4<<3 | 1:
			m.Orientation = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func appendPlacedRobot(b []byte, m *Robot) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && protobuf.Finite(m.X, m.Y, m.Orientation)
	if m.ID != 0 {
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	if math.Float64bits(m.X) != 0 {
		b = protobuf.AppendDouble(append(b, 2<<3|1), m.X)
	}
	if math.Float64bits(m.Y) != 0 {
		b = protobuf.AppendDouble(append(b, 3<<3|1), m.Y)
	}
	if math.Float64bits(m.Orientation) != 0 {
		b = protobuf.AppendDouble(append(b, 4<<3|1), m.Orientation)
	}
	return b, valid
}

func mergePlacementWorld(m *Placement, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1 << 3:
			m.Team = Color(v)
		case 2<<3 | 2:
			if bad := mergePlacedRobot(protobuf.Extend(&m.Robots), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Robots, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendPlacementWorld(b []byte, m *Placement) (_ []byte, valid bool) {
	valid = uint32(m.Team) <= 1 && len(m.Robots) <= 64
	if m.Team != 0 {
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.Team))
	}
	for i := range m.Robots {
		at, ok := len(b)+2, true
		b, ok = appendPlacedRobot(append(b, 2<<3|2, 0), &m.Robots[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergePlacement(m *Placement, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
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
		at, ok := len(b)+1, true
		b, ok = appendPlacementWorld(append(b, 1<<3|2, 0, 0), m)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeGrSimCommand(m *GrSimCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1 << 3:
			m.ID = uint32(v)
		case 2<<3 | 5:
			m.KickX = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.KickZ = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.Tangent = math.Float32frombits(uint32(v))
		case 5<<3 | 5:
			m.Normal = math.Float32frombits(uint32(v))
		case 6<<3 | 5:
			m.Angular = math.Float32frombits(uint32(v))
		case 7 << 3:
			m.Spinner = v != 0
		case 8 << 3:
			m.ByWheel = v != 0
		case 9<<3 | 5:
			m.Wheel[0] = math.Float32frombits(uint32(v))
		case 10<<3 | 5:
			m.Wheel[1] = math.Float32frombits(uint32(v))
		case 11<<3 | 5:
			m.Wheel[2] = math.Float32frombits(uint32(v))
		case 12<<3 | 5:
			m.Wheel[3] = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimCommand(b []byte, m *GrSimCommand) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && protobuf.Finite(float64(m.KickX), float64(m.KickZ), float64(m.Tangent), float64(m.Normal), float64(m.Angular), float64(m.Wheel[0]), float64(m.Wheel[1]), float64(m.Wheel[2]), float64(m.Wheel[3]))
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.KickX)
	}
	{
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.KickZ)
	}
	{
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Tangent)
	}
	{
		b = protobuf.AppendFloat(append(b, 5<<3|5), m.Normal)
	}
	{
		b = protobuf.AppendFloat(append(b, 6<<3|5), m.Angular)
	}
	{
		b = protobuf.AppendBool(append(b, 7<<3), m.Spinner)
	}
	{
		b = protobuf.AppendBool(append(b, 8<<3), m.ByWheel)
	}
	if math.Float32bits(m.Wheel[0]) != 0 {
		b = protobuf.AppendFloat(append(b, 9<<3|5), m.Wheel[0])
	}
	if math.Float32bits(m.Wheel[1]) != 0 {
		b = protobuf.AppendFloat(append(b, 10<<3|5), m.Wheel[1])
	}
	if math.Float32bits(m.Wheel[2]) != 0 {
		b = protobuf.AppendFloat(append(b, 11<<3|5), m.Wheel[2])
	}
	if math.Float32bits(m.Wheel[3]) != 0 {
		b = protobuf.AppendFloat(append(b, 12<<3|5), m.Wheel[3])
	}
	return b, valid
}

func mergeGrSimCommands(m *GrSimPacket, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 1:
			m.Timestamp = math.Float64frombits(v)
		case 2 << 3:
			m.Yellow = v != 0
		case 3<<3 | 2:
			m.HasCommands = true
			if bad := mergeGrSimCommand(protobuf.Extend(&m.Commands), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Commands, 32768, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimCommands(b []byte, m *GrSimPacket) (_ []byte, valid bool) {
	valid = len(m.Commands) <= 32768 && protobuf.Finite(m.Timestamp)
	{
		b = protobuf.AppendDouble(append(b, 1<<3|1), m.Timestamp)
	}
	{
		b = protobuf.AppendBool(append(b, 2<<3), m.Yellow)
	}
	for i := range m.Commands {
		at, ok := len(b)+1, true
		b, ok = appendGrSimCommand(append(b, 3<<3|2, 0, 0), &m.Commands[i])
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeGrSimBall(m *GrSimBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 1:
			m.HasValue[0] = true
			m.Value[0] = math.Float64frombits(v)
		case 2<<3 | 1:
			m.HasValue[1] = true
			m.Value[1] = math.Float64frombits(v)
		case 3<<3 | 1:
			m.HasValue[2] = true
			m.Value[2] = math.Float64frombits(v)
		case 4<<3 | 1:
			m.HasValue[3] = true
			m.Value[3] = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimBall(b []byte, m *GrSimBall) (_ []byte, valid bool) {
	valid = protobuf.Finite(m.Value[0], m.Value[1], m.Value[2], m.Value[3])
	if m.HasValue[0] {
		b = protobuf.AppendDouble(append(b, 1<<3|1), m.Value[0])
	}
	if m.HasValue[1] {
		b = protobuf.AppendDouble(append(b, 2<<3|1), m.Value[1])
	}
	if m.HasValue[2] {
		b = protobuf.AppendDouble(append(b, 3<<3|1), m.Value[2])
	}
	if m.HasValue[3] {
		b = protobuf.AppendDouble(append(b, 4<<3|1), m.Value[3])
	}
	return b, valid
}

func mergeGrSimRobot(m *GrSimRobot, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 1:
			m.X = math.Float64frombits(v)
		case 2<<3 | 1:
			m.Y = math.Float64frombits(v)
		case 3<<3 | 1:
			m.Dir = math.Float64frombits(v)
		case 4 << 3:
			m.ID = uint32(v)
		case 5 << 3:
			m.Yellow = v != 0
		case 6 << 3:
			m.Off = v == 0
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimRobot(b []byte, m *GrSimRobot) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 4 && protobuf.Finite(m.X, m.Y, m.Dir)
	{
		b = protobuf.AppendDouble(append(b, 1<<3|1), m.X)
	}
	{
		b = protobuf.AppendDouble(append(b, 2<<3|1), m.Y)
	}
	{
		b = protobuf.AppendDouble(append(b, 3<<3|1), m.Dir)
	}
	{
		b = protobuf.AppendUint(append(b, 4<<3), uint64(m.ID))
	}
	{
		b = protobuf.AppendBool(append(b, 5<<3), m.Yellow)
	}
	{
		b = protobuf.AppendBool(append(b, 6<<3), !m.Off)
	}
	return b, valid
}

func mergeGrSimReplacement(m *GrSimPacket, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasBall = true
			if bad := mergeGrSimBall(&m.Ball, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			if bad := mergeGrSimRobot(protobuf.Extend(&m.Robots), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Robots, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendGrSimReplacement(b []byte, m *GrSimPacket) (_ []byte, valid bool) {
	valid = len(m.Robots) <= 64
	if m.HasBall {
		at, ok := len(b)+2, true
		b, ok = appendGrSimBall(append(b, 1<<3|2, 0), &m.Ball)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Robots {
		at, ok := len(b)+2, true
		b, ok = appendGrSimRobot(append(b, 2<<3|2, 0), &m.Robots[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeGrSimPacket(m *GrSimPacket, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasCommands = true
			if bad := mergeGrSimCommands(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
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
		at, ok := len(b)+1, true
		b, ok = appendGrSimCommands(append(b, 1<<3|2, 0, 0), m)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasReplacement {
		at, ok := len(b)+1, true
		b, ok = appendGrSimReplacement(append(b, 2<<3|2, 0, 0), m)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}
