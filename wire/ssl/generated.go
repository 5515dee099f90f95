// Code generated from table.go by TestGenerated. DO NOT EDIT.

package ssl

import (
	"math"

	"touchline/wire/internal/protobuf"
	"touchline/wire/internal/sslvision"
)

func mergeBallPos(m *TrackedBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.X = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.Y = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.Z = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendBallPos(b []byte, m *TrackedBall) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.X), float64(m.Y), float64(m.Z))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.X)
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Y)
	}
	{
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Z)
	}
	return b, valid
}

func mergeBallVel(m *TrackedBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.VX = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.VY = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.VZ = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendBallVel(b []byte, m *TrackedBall) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.VX), float64(m.VY), float64(m.VZ))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.VX)
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.VY)
	}
	{
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.VZ)
	}
	return b, valid
}

func mergeTrackedBall(m *TrackedBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			if bad := mergeBallPos(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			m.HasVelocity = true
			if bad := mergeBallVel(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | 5:
			m.HasVisibility = true
			m.Visibility = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendTrackedBall(b []byte, m *TrackedBall) (_ []byte, valid bool) {
	valid = protobuf.IsRatio(m.Visibility)
	{
		at, ok := len(b)+2, true
		b, ok = appendBallPos(append(b, 1<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasVelocity {
		at, ok := len(b)+2, true
		b, ok = appendBallVel(append(b, 2<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasVisibility {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Visibility)
	}
	return b, valid
}

func mergeRobotID(m *TrackedRobot, b []byte, dropped *int) int {
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
			m.Team = Team(v)
		}
		b = b[n:]
	}
	return 0
}

func appendRobotID(b []byte, m *TrackedRobot) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 15 && uint32(m.Team) <= 2
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	{
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.Team))
	}
	return b, valid
}

func mergeRobotPos(m *TrackedRobot, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.X = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.Y = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendRobotPos(b []byte, m *TrackedRobot) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.X), float64(m.Y))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.X)
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Y)
	}
	return b, valid
}

func mergeRobotVel(m *TrackedRobot, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.VX = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.VY = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendRobotVel(b []byte, m *TrackedRobot) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.VX), float64(m.VY))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.VX)
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.VY)
	}
	return b, valid
}

func mergeTrackedRobot(m *TrackedRobot, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			if bad := mergeRobotID(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			if bad := mergeRobotPos(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | 5:
			m.Orientation = math.Float32frombits(uint32(v))
		case 4<<3 | 2:
			m.HasVelocity = true
			if bad := mergeRobotVel(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 5<<3 | 5:
			m.HasAngular = true
			m.Angular = math.Float32frombits(uint32(v))
		case 6<<3 | 5:
			m.HasVisibility = true
			m.Visibility = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendTrackedRobot(b []byte, m *TrackedRobot) (_ []byte, valid bool) {
	valid = protobuf.IsRatio(m.Visibility) && protobuf.Finite(float64(m.Orientation), float64(m.Angular))
	{
		at, ok := len(b)+2, true
		b, ok = appendRobotID(append(b, 1<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	{
		at, ok := len(b)+2, true
		b, ok = appendRobotPos(append(b, 2<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	{
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Orientation)
	}
	if m.HasVelocity {
		at, ok := len(b)+2, true
		b, ok = appendRobotVel(append(b, 4<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasAngular {
		b = protobuf.AppendFloat(append(b, 5<<3|5), m.Angular)
	}
	if m.HasVisibility {
		b = protobuf.AppendFloat(append(b, 6<<3|5), m.Visibility)
	}
	return b, valid
}

func mergeKickedPos(m *KickedBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.X = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.Y = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendKickedPos(b []byte, m *KickedBall) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.X), float64(m.Y))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.X)
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Y)
	}
	return b, valid
}

func mergeKickedVel(m *KickedBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.VX = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.VY = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.VZ = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendKickedVel(b []byte, m *KickedBall) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.VX), float64(m.VY), float64(m.VZ))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.VX)
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.VY)
	}
	{
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.VZ)
	}
	return b, valid
}

func mergeKickedStop(m *KickedBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.StopX = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.StopY = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendKickedStop(b []byte, m *KickedBall) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.StopX), float64(m.StopY))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.StopX)
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.StopY)
	}
	return b, valid
}

func mergeKickedID(m *KickedBall, b []byte, dropped *int) int {
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
			m.Team = Team(v)
		}
		b = b[n:]
	}
	return 0
}

func appendKickedID(b []byte, m *KickedBall) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 15 && uint32(m.Team) <= 2
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	{
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.Team))
	}
	return b, valid
}

func mergeKickedBall(m *KickedBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			if bad := mergeKickedPos(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			if bad := mergeKickedVel(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | 1:
			m.Start = math.Float64frombits(v)
		case 4<<3 | 1:
			m.HasStop = true
			m.Stop = math.Float64frombits(v)
		case 5<<3 | 2:
			m.HasStopPlace = true
			if bad := mergeKickedStop(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 6<<3 | 2:
			m.HasRobot = true
			if bad := mergeKickedID(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendKickedBall(b []byte, m *KickedBall) (_ []byte, valid bool) {
	valid = protobuf.Finite(m.Start, m.Stop)
	{
		at, ok := len(b)+2, true
		b, ok = appendKickedPos(append(b, 1<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	{
		at, ok := len(b)+2, true
		b, ok = appendKickedVel(append(b, 2<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	{
		b = protobuf.AppendDouble(append(b, 3<<3|1), m.Start)
	}
	if m.HasStop {
		b = protobuf.AppendDouble(append(b, 4<<3|1), m.Stop)
	}
	if m.HasStopPlace {
		at, ok := len(b)+2, true
		b, ok = appendKickedStop(append(b, 5<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasRobot {
		at, ok := len(b)+2, true
		b, ok = appendKickedID(append(b, 6<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeTrackedFrame(m *TrackedFrame, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1 << 3:
			m.Number = uint32(v)
		case 2<<3 | 1:
			m.Timestamp = math.Float64frombits(v)
		case 3<<3 | 2:
			if bad := mergeTrackedBall(protobuf.Extend(&m.Balls), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Balls, 64, dropped)
		case 4<<3 | 2:
			if bad := mergeTrackedRobot(protobuf.Extend(&m.Robots), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Robots, 64, dropped)
		case 5<<3 | 2:
			m.HasKicked = true
			if bad := mergeKickedBall(&m.Kicked, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendTrackedFrame(b []byte, m *TrackedFrame) (_ []byte, valid bool) {
	valid = len(m.Balls) <= 64 && len(m.Robots) <= 64 && protobuf.Finite(m.Timestamp)
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.Number))
	}
	{
		b = protobuf.AppendDouble(append(b, 2<<3|1), m.Timestamp)
	}
	for i := range m.Balls {
		at, ok := len(b)+2, true
		b, ok = appendTrackedBall(append(b, 3<<3|2, 0), &m.Balls[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Robots {
		at, ok := len(b)+2, true
		b, ok = appendTrackedRobot(append(b, 4<<3|2, 0), &m.Robots[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasKicked {
		at, ok := len(b)+1, true
		b, ok = appendKickedBall(append(b, 5<<3|2, 0, 0), &m.Kicked)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeTracker(m *Tracker, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.UUID = append(m.UUID[:0], b[n-int(v):n]...)
		case 2<<3 | 2:
			m.SourceName = append(m.SourceName[:0], b[n-int(v):n]...)
		case 3<<3 | 2:
			m.HasFrame = true
			if bad := mergeTrackedFrame(&m.Frame, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendTracker(b []byte, m *Tracker) (_ []byte, valid bool) {
	valid = true
	{
		b = protobuf.AppendText(append(b, 1<<3|2), m.UUID)
	}
	if len(m.SourceName) > 0 {
		b = protobuf.AppendText(append(b, 2<<3|2), m.SourceName)
	}
	if m.HasFrame {
		at, ok := len(b)+1, true
		b, ok = appendTrackedFrame(append(b, 3<<3|2, 0, 0), &m.Frame)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeTeamInfo(m *TeamInfo, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.Name = append(m.Name[:0], b[n-int(v):n]...)
		case 2 << 3:
			m.Score = uint32(v)
		case 3 << 3:
			m.RedCards = uint32(v)
		case 4<<3 | 2:
			if bad := protobuf.MergeNumbers(&m.YellowCardTimes, b[n-int(v):n], 32, dropped); bad < 0 {
				return bad
			}
		case 5 << 3:
			m.YellowCards = uint32(v)
		case 6 << 3:
			m.Timeouts = uint32(v)
		case 7 << 3:
			m.TimeoutTime = uint32(v)
		case 8 << 3:
			m.Goalkeeper = uint32(v)
		case 9 << 3:
			m.FoulCounter = uint32(v)
		case 10 << 3:
			m.PlacementFailures = uint32(v)
		case 12 << 3:
			m.CanPlaceBall = v != 0
		case 13 << 3:
			m.MaxAllowedBots = uint32(v)
		case 14 << 3:
			m.SubstitutionIntent = v != 0
		case 15 << 3:
			m.PlacementFailuresReached = v != 0
		case 16 << 3:
			m.SubstitutionAllowed = v != 0
		case 17 << 3:
			m.SubstitutionsLeft = uint32(v)
		case 18 << 3:
			m.SubstitutionTimeLeft = uint32(v)
		case 19 << 3:
			m.HullColor = HullColor(v)
		}
		b = b[n:]
	}
	return 0
}

func appendTeamInfo(b []byte, m *TeamInfo) (_ []byte, valid bool) {
	valid = len(m.YellowCardTimes) <= 32 && uint32(m.HullColor) <= 2
	{
		b = protobuf.AppendText(append(b, 1<<3|2), m.Name)
	}
	{
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.Score))
	}
	{
		b = protobuf.AppendUint(append(b, 3<<3), uint64(m.RedCards))
	}
	if len(m.YellowCardTimes) > 0 {
		b = protobuf.AppendNumbers(append(b, 4<<3|2), m.YellowCardTimes)
	}
	{
		b = protobuf.AppendUint(append(b, 5<<3), uint64(m.YellowCards))
	}
	{
		b = protobuf.AppendUint(append(b, 6<<3), uint64(m.Timeouts))
	}
	{
		b = protobuf.AppendUint(append(b, 7<<3), uint64(m.TimeoutTime))
	}
	{
		b = protobuf.AppendUint(append(b, 8<<3), uint64(m.Goalkeeper))
	}
	if m.FoulCounter != 0 {
		b = protobuf.AppendUint(append(b, 9<<3), uint64(m.FoulCounter))
	}
	if m.PlacementFailures != 0 {
		b = protobuf.AppendUint(append(b, 10<<3), uint64(m.PlacementFailures))
	}
	if m.CanPlaceBall {
		b = protobuf.AppendBool(append(b, 12<<3), m.CanPlaceBall)
	}
	if m.MaxAllowedBots != 0 {
		b = protobuf.AppendUint(append(b, 13<<3), uint64(m.MaxAllowedBots))
	}
	if m.SubstitutionIntent {
		b = protobuf.AppendBool(append(b, 14<<3), m.SubstitutionIntent)
	}
	if m.PlacementFailuresReached {
		b = protobuf.AppendBool(append(b, 15<<3), m.PlacementFailuresReached)
	}
	if m.SubstitutionAllowed {
		b = protobuf.AppendBool(append(b, (16<<3)&0x7f|0x80, (16<<3)>>7), m.SubstitutionAllowed)
	}
	if m.SubstitutionsLeft != 0 {
		b = protobuf.AppendUint(append(b, (17<<3)&0x7f|0x80, (17<<3)>>7), uint64(m.SubstitutionsLeft))
	}
	if m.SubstitutionTimeLeft != 0 {
		b = protobuf.AppendUint(append(b, (18<<3)&0x7f|0x80, (18<<3)>>7), uint64(m.SubstitutionTimeLeft))
	}
	if m.HullColor != 0 {
		b = protobuf.AppendUint(append(b, (19<<3)&0x7f|0x80, (19<<3)>>7), uint64(m.HullColor))
	}
	return b, valid
}

func mergePlace(m *Referee, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.PlaceX = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.PlaceY = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendPlace(b []byte, m *Referee) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.PlaceX), float64(m.PlaceY))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.PlaceX)
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.PlaceY)
	}
	return b, valid
}

func mergeReferee(m *Referee, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1 << 3:
			m.PacketTime = uint64(v)
		case 2 << 3:
			m.Stage = Stage(v)
		case 3 << 3:
			m.HasStageTime = true
			m.StageTimeLeft = protobuf.Signed(v)
		case 4 << 3:
			m.Command = Command(v)
		case 5 << 3:
			m.CommandCounter = uint32(v)
		case 6 << 3:
			m.CommandTime = uint64(v)
		case 7<<3 | 2:
			if bad := mergeTeamInfo(&m.Yellow, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 8<<3 | 2:
			if bad := mergeTeamInfo(&m.Blue, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 9<<3 | 2:
			m.HasPlace = true
			if bad := mergePlace(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 10 << 3:
			m.HasBluePositive = true
			m.BluePositive = v != 0
		case 12 << 3:
			m.HasNext = true
			m.NextCommand = Command(v)
		case 15 << 3:
			m.HasActionTime = true
			m.ActionTimeLeft = int64(v)
		case 18<<3 | 2:
			m.Source = append(m.Source[:0], b[n-int(v):n]...)
		case 19 << 3:
			m.MatchType = MatchType(v)
		case 20<<3 | 2:
			m.StatusMessage = append(m.StatusMessage[:0], b[n-int(v):n]...)
		}
		b = b[n:]
	}
	return 0
}

func appendReferee(b []byte, m *Referee) (_ []byte, valid bool) {
	valid = uint32(m.Stage) <= 13 && uint32(m.Command) <= 17 && uint32(m.NextCommand) <= 17 && uint32(m.MatchType) <= 3
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.PacketTime))
	}
	{
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.Stage))
	}
	if m.HasStageTime {
		b = protobuf.AppendUint(append(b, 3<<3), protobuf.ZigZag(m.StageTimeLeft))
	}
	{
		b = protobuf.AppendUint(append(b, 4<<3), uint64(m.Command))
	}
	{
		b = protobuf.AppendUint(append(b, 5<<3), uint64(m.CommandCounter))
	}
	{
		b = protobuf.AppendUint(append(b, 6<<3), uint64(m.CommandTime))
	}
	{
		at, ok := len(b)+1, true
		b, ok = appendTeamInfo(append(b, 7<<3|2, 0, 0), &m.Yellow)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	{
		at, ok := len(b)+1, true
		b, ok = appendTeamInfo(append(b, 8<<3|2, 0, 0), &m.Blue)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasPlace {
		at, ok := len(b)+2, true
		b, ok = appendPlace(append(b, 9<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasBluePositive {
		b = protobuf.AppendBool(append(b, 10<<3), m.BluePositive)
	}
	if m.HasNext {
		b = protobuf.AppendUint(append(b, 12<<3), uint64(m.NextCommand))
	}
	if m.HasActionTime {
		b = protobuf.AppendUint(append(b, 15<<3), uint64(m.ActionTimeLeft))
	}
	if len(m.Source) > 0 {
		b = protobuf.AppendText(append(b, (18<<3|2)&0x7f|0x80, (18<<3|2)>>7), m.Source)
	}
	if m.MatchType != 0 {
		b = protobuf.AppendUint(append(b, (19<<3)&0x7f|0x80, (19<<3)>>7), uint64(m.MatchType))
	}
	if len(m.StatusMessage) > 0 {
		b = protobuf.AppendText(append(b, (20<<3|2)&0x7f|0x80, (20<<3|2)>>7), m.StatusMessage)
	}
	return b, valid
}

func mergeTeleportBall(m *TeleportBall, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.HasValue[0] = true
			m.Value[0] = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.HasValue[1] = true
			m.Value[1] = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.HasValue[2] = true
			m.Value[2] = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.HasValue[3] = true
			m.Value[3] = math.Float32frombits(uint32(v))
		case 5<<3 | 5:
			m.HasValue[4] = true
			m.Value[4] = math.Float32frombits(uint32(v))
		case 6<<3 | 5:
			m.HasValue[5] = true
			m.Value[5] = math.Float32frombits(uint32(v))
		case 7 << 3:
			m.Safely = v != 0
		case 8 << 3:
			m.Roll = v != 0
		case 9 << 3:
			m.ByForce = v != 0
		}
		b = b[n:]
	}
	return 0
}

func appendTeleportBall(b []byte, m *TeleportBall) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.Value[0]), float64(m.Value[1]), float64(m.Value[2]), float64(m.Value[3]), float64(m.Value[4]), float64(m.Value[5]))
	if m.HasValue[0] {
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.Value[0])
	}
	if m.HasValue[1] {
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Value[1])
	}
	if m.HasValue[2] {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Value[2])
	}
	if m.HasValue[3] {
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Value[3])
	}
	if m.HasValue[4] {
		b = protobuf.AppendFloat(append(b, 5<<3|5), m.Value[4])
	}
	if m.HasValue[5] {
		b = protobuf.AppendFloat(append(b, 6<<3|5), m.Value[5])
	}
	if m.Safely {
		b = protobuf.AppendBool(append(b, 7<<3), m.Safely)
	}
	if m.Roll {
		b = protobuf.AppendBool(append(b, 8<<3), m.Roll)
	}
	if m.ByForce {
		b = protobuf.AppendBool(append(b, 9<<3), m.ByForce)
	}
	return b, valid
}

func mergeTeleportID(m *TeleportRobot, b []byte, dropped *int) int {
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
			m.Team = Team(v)
		}
		b = b[n:]
	}
	return 0
}

func appendTeleportID(b []byte, m *TeleportRobot) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 15 && uint32(m.Team) <= 2
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	{
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.Team))
	}
	return b, valid
}

func mergeTeleportRobot(m *TeleportRobot, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			if bad := mergeTeleportID(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 5:
			m.HasPlace[0] = true
			m.Place[0] = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.HasPlace[1] = true
			m.Place[1] = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.HasPlace[2] = true
			m.Place[2] = math.Float32frombits(uint32(v))
		case 5<<3 | 5:
			m.HasTwist[0] = true
			m.Twist[0] = math.Float32frombits(uint32(v))
		case 6<<3 | 5:
			m.HasTwist[1] = true
			m.Twist[1] = math.Float32frombits(uint32(v))
		case 7<<3 | 5:
			m.HasTwist[2] = true
			m.Twist[2] = math.Float32frombits(uint32(v))
		case 8 << 3:
			m.HasPresent = true
			m.Present = v != 0
		case 9 << 3:
			m.ByForce = v != 0
		}
		b = b[n:]
	}
	return 0
}

func appendTeleportRobot(b []byte, m *TeleportRobot) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.Place[0]), float64(m.Place[1]), float64(m.Place[2]), float64(m.Twist[0]), float64(m.Twist[1]), float64(m.Twist[2]))
	{
		at, ok := len(b)+2, true
		b, ok = appendTeleportID(append(b, 1<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasPlace[0] {
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Place[0])
	}
	if m.HasPlace[1] {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Place[1])
	}
	if m.HasPlace[2] {
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Place[2])
	}
	if m.HasTwist[0] {
		b = protobuf.AppendFloat(append(b, 5<<3|5), m.Twist[0])
	}
	if m.HasTwist[1] {
		b = protobuf.AppendFloat(append(b, 6<<3|5), m.Twist[1])
	}
	if m.HasTwist[2] {
		b = protobuf.AppendFloat(append(b, 7<<3|5), m.Twist[2])
	}
	if m.HasPresent {
		b = protobuf.AppendBool(append(b, 8<<3), m.Present)
	}
	if m.ByForce {
		b = protobuf.AppendBool(append(b, 9<<3), m.ByForce)
	}
	return b, valid
}

func mergeSimulatorControl(m *SimulatorCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasBall = true
			if bad := mergeTeleportBall(&m.Ball, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			if bad := mergeTeleportRobot(protobuf.Extend(&m.Robots), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Robots, 64, dropped)
		case 3<<3 | 5:
			m.HasSpeed = true
			m.Speed = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendSimulatorControl(b []byte, m *SimulatorCommand) (_ []byte, valid bool) {
	valid = len(m.Robots) <= 64 && protobuf.Finite(float64(m.Speed))
	if m.HasBall {
		at, ok := len(b)+2, true
		b, ok = appendTeleportBall(append(b, 1<<3|2, 0), &m.Ball)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Robots {
		at, ok := len(b)+2, true
		b, ok = appendTeleportRobot(append(b, 2<<3|2, 0), &m.Robots[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasSpeed {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Speed)
	}
	return b, valid
}

func mergeConfigGeometry(m *SimulatorCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasGeometry = true
			if bad := sslvision.MergeGeometry(&m.Geometry, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendConfigGeometry(b []byte, m *SimulatorCommand) (_ []byte, valid bool) {
	valid = true
	if m.HasGeometry {
		at, ok := len(b)+1, true
		b, ok = sslvision.AppendGeometry(append(b, 1<<3|2, 0, 0), &m.Geometry)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeSpecsID(m *RobotSpecs, b []byte, dropped *int) int {
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
			m.Team = Team(v)
		}
		b = b[n:]
	}
	return 0
}

func appendSpecsID(b []byte, m *RobotSpecs) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 15 && uint32(m.Team) <= 2
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	{
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.Team))
	}
	return b, valid
}

func mergeRobotLimits(m *RobotSpecs, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.HasLimit[0] = true
			m.Limit[0] = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.HasLimit[1] = true
			m.Limit[1] = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.HasLimit[2] = true
			m.Limit[2] = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.HasLimit[3] = true
			m.Limit[3] = math.Float32frombits(uint32(v))
		case 5<<3 | 5:
			m.HasLimit[4] = true
			m.Limit[4] = math.Float32frombits(uint32(v))
		case 6<<3 | 5:
			m.HasLimit[5] = true
			m.Limit[5] = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendRobotLimits(b []byte, m *RobotSpecs) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.Limit[0]), float64(m.Limit[1]), float64(m.Limit[2]), float64(m.Limit[3]), float64(m.Limit[4]), float64(m.Limit[5]))
	if m.HasLimit[0] {
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.Limit[0])
	}
	if m.HasLimit[1] {
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Limit[1])
	}
	if m.HasLimit[2] {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Limit[2])
	}
	if m.HasLimit[3] {
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Limit[3])
	}
	if m.HasLimit[4] {
		b = protobuf.AppendFloat(append(b, 5<<3|5), m.Limit[4])
	}
	if m.HasLimit[5] {
		b = protobuf.AppendFloat(append(b, 6<<3|5), m.Limit[5])
	}
	return b, valid
}

func mergeWheelAngles(m *RobotSpecs, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.HasWheels = true
			m.Wheels[0] = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.HasWheels = true
			m.Wheels[1] = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.HasWheels = true
			m.Wheels[2] = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.HasWheels = true
			m.Wheels[3] = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendWheelAngles(b []byte, m *RobotSpecs) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.Wheels[0]), float64(m.Wheels[1]), float64(m.Wheels[2]), float64(m.Wheels[3]))
	if m.HasWheels {
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.Wheels[0])
	}
	if m.HasWheels {
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Wheels[1])
	}
	if m.HasWheels {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Wheels[2])
	}
	if m.HasWheels {
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Wheels[3])
	}
	return b, valid
}

func mergeRobotSpecs(m *RobotSpecs, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			if bad := mergeSpecsID(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 5:
			m.HasSize[0] = true
			m.Size[0] = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.HasSize[1] = true
			m.Size[1] = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.HasSize[2] = true
			m.Size[2] = math.Float32frombits(uint32(v))
		case 7<<3 | 5:
			m.HasSize[3] = true
			m.Size[3] = math.Float32frombits(uint32(v))
		case 8<<3 | 5:
			m.HasSize[4] = true
			m.Size[4] = math.Float32frombits(uint32(v))
		case 9<<3 | 5:
			m.HasSize[5] = true
			m.Size[5] = math.Float32frombits(uint32(v))
		case 10<<3 | 2:
			m.HasLimits = true
			if bad := mergeRobotLimits(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 13<<3 | 2:
			m.HasWheels = true
			if bad := mergeWheelAngles(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendRobotSpecs(b []byte, m *RobotSpecs) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.Size[0]), float64(m.Size[1]), float64(m.Size[2]), float64(m.Size[3]), float64(m.Size[4]), float64(m.Size[5]))
	{
		at, ok := len(b)+2, true
		b, ok = appendSpecsID(append(b, 1<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasSize[0] {
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Size[0])
	}
	if m.HasSize[1] {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Size[1])
	}
	if m.HasSize[2] {
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Size[2])
	}
	if m.HasSize[3] {
		b = protobuf.AppendFloat(append(b, 7<<3|5), m.Size[3])
	}
	if m.HasSize[4] {
		b = protobuf.AppendFloat(append(b, 8<<3|5), m.Size[4])
	}
	if m.HasSize[5] {
		b = protobuf.AppendFloat(append(b, 9<<3|5), m.Size[5])
	}
	if m.HasLimits {
		at, ok := len(b)+2, true
		b, ok = appendRobotLimits(append(b, 10<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasWheels {
		at, ok := len(b)+2, true
		b, ok = appendWheelAngles(append(b, 13<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeCustom(m *Custom, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.Type = append(m.Type[:0], b[n-int(v):n]...)
		case 2<<3 | 2:
			m.Value = append(m.Value[:0], b[n-int(v):n]...)
		}
		b = b[n:]
	}
	return 0
}

func appendCustom(b []byte, m *Custom) (_ []byte, valid bool) {
	valid = true
	if len(m.Type) > 0 {
		b = protobuf.AppendText(append(b, 1<<3|2), m.Type)
	}
	if len(m.Value) > 0 {
		b = protobuf.AppendText(append(b, 2<<3|2), m.Value)
	}
	return b, valid
}

func mergeRealism(m *SimulatorCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasRealism = true
			if bad := mergeCustom(protobuf.Extend(&m.Realism), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Realism, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendRealism(b []byte, m *SimulatorCommand) (_ []byte, valid bool) {
	valid = len(m.Realism) <= 64
	for i := range m.Realism {
		at, ok := len(b)+1, true
		b, ok = appendCustom(append(b, 1<<3|2, 0, 0), &m.Realism[i])
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeSimulatorConfig(m *SimulatorCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasGeometry = true
			if bad := mergeConfigGeometry(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			if bad := mergeRobotSpecs(protobuf.Extend(&m.Specs), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Specs, 64, dropped)
		case 3<<3 | 2:
			m.HasRealism = true
			if bad := mergeRealism(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 4 << 3:
			m.HasPort = true
			m.VisionPort = uint32(v)
		}
		b = b[n:]
	}
	return 0
}

func appendSimulatorConfig(b []byte, m *SimulatorCommand) (_ []byte, valid bool) {
	valid = len(m.Specs) <= 64
	if m.HasGeometry {
		at, ok := len(b)+1, true
		b, ok = appendConfigGeometry(append(b, 1<<3|2, 0, 0), m)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	for i := range m.Specs {
		at, ok := len(b)+1, true
		b, ok = appendRobotSpecs(append(b, 2<<3|2, 0, 0), &m.Specs[i])
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasRealism {
		at, ok := len(b)+1, true
		b, ok = appendRealism(append(b, 3<<3|2, 0, 0), m)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasPort {
		b = protobuf.AppendUint(append(b, 4<<3), uint64(m.VisionPort))
	}
	return b, valid
}

func mergeSimulatorCommand(m *SimulatorCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasControl = true
			if bad := mergeSimulatorControl(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			m.HasConfig = true
			if bad := mergeSimulatorConfig(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendSimulatorCommand(b []byte, m *SimulatorCommand) (_ []byte, valid bool) {
	valid = true
	if m.HasControl {
		at, ok := len(b)+1, true
		b, ok = appendSimulatorControl(append(b, 1<<3|2, 0, 0), m)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasConfig {
		at, ok := len(b)+1, true
		b, ok = appendSimulatorConfig(append(b, 2<<3|2, 0, 0), m)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeError(m *Error, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.Code = append(m.Code[:0], b[n-int(v):n]...)
		case 2<<3 | 2:
			m.Text = append(m.Text[:0], b[n-int(v):n]...)
		}
		b = b[n:]
	}
	return 0
}

func appendError(b []byte, m *Error) (_ []byte, valid bool) {
	valid = true
	if len(m.Code) > 0 {
		b = protobuf.AppendText(append(b, 1<<3|2), m.Code)
	}
	if len(m.Text) > 0 {
		b = protobuf.AppendText(append(b, 2<<3|2), m.Text)
	}
	return b, valid
}

func mergeSimulatorResponse(m *SimulatorResponse, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			if bad := mergeError(protobuf.Extend(&m.Errors), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Errors, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendSimulatorResponse(b []byte, m *SimulatorResponse) (_ []byte, valid bool) {
	valid = len(m.Errors) <= 64
	for i := range m.Errors {
		at, ok := len(b)+1, true
		b, ok = appendError(append(b, 1<<3|2, 0, 0), &m.Errors[i])
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeWheelVelocity(m *RobotCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.HasWheels = true
			m.Wheels[0] = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.HasWheels = true
			m.Wheels[1] = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.HasWheels = true
			m.Wheels[2] = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.HasWheels = true
			m.Wheels[3] = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendWheelVelocity(b []byte, m *RobotCommand) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.Wheels[0]), float64(m.Wheels[1]), float64(m.Wheels[2]), float64(m.Wheels[3]))
	if m.HasWheels {
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.Wheels[0])
	}
	if m.HasWheels {
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Wheels[1])
	}
	if m.HasWheels {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Wheels[2])
	}
	if m.HasWheels {
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Wheels[3])
	}
	return b, valid
}

func mergeLocalVelocity(m *RobotCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.HasLocal = true
			m.Local[0] = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.HasLocal = true
			m.Local[1] = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.HasLocal = true
			m.Local[2] = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendLocalVelocity(b []byte, m *RobotCommand) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.Local[0]), float64(m.Local[1]), float64(m.Local[2]))
	if m.HasLocal {
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.Local[0])
	}
	if m.HasLocal {
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Local[1])
	}
	if m.HasLocal {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Local[2])
	}
	return b, valid
}

func mergeGlobalVelocity(m *RobotCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.HasGlobal = true
			m.Global[0] = math.Float32frombits(uint32(v))
		case 2<<3 | 5:
			m.HasGlobal = true
			m.Global[1] = math.Float32frombits(uint32(v))
		case 3<<3 | 5:
			m.HasGlobal = true
			m.Global[2] = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendGlobalVelocity(b []byte, m *RobotCommand) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.Global[0]), float64(m.Global[1]), float64(m.Global[2]))
	if m.HasGlobal {
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.Global[0])
	}
	if m.HasGlobal {
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Global[1])
	}
	if m.HasGlobal {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Global[2])
	}
	return b, valid
}

func mergeMove(m *RobotCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasWheels = true
			if bad := mergeWheelVelocity(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			m.HasLocal = true
			if bad := mergeLocalVelocity(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | 2:
			m.HasGlobal = true
			if bad := mergeGlobalVelocity(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendMove(b []byte, m *RobotCommand) (_ []byte, valid bool) {
	valid = true
	if m.HasWheels {
		at, ok := len(b)+2, true
		b, ok = appendWheelVelocity(append(b, 1<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasLocal {
		at, ok := len(b)+2, true
		b, ok = appendLocalVelocity(append(b, 2<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasGlobal {
		at, ok := len(b)+2, true
		b, ok = appendGlobalVelocity(append(b, 3<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeRobotCommand(m *RobotCommand, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1 << 3:
			m.ID = uint32(v)
		case 2<<3 | 2:
			m.HasMove = true
			if bad := mergeMove(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | 5:
			m.HasKickSpeed = true
			m.KickSpeed = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.HasKickAngle = true
			m.KickAngle = math.Float32frombits(uint32(v))
		case 5<<3 | 5:
			m.HasDribbler = true
			m.DribblerSpeed = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

func appendRobotCommand(b []byte, m *RobotCommand) (_ []byte, valid bool) {
	valid = uint32(m.ID) <= 15 && protobuf.Finite(float64(m.KickSpeed), float64(m.KickAngle), float64(m.DribblerSpeed))
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	if m.HasMove {
		at, ok := len(b)+2, true
		b, ok = appendMove(append(b, 2<<3|2, 0), m)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasKickSpeed {
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.KickSpeed)
	}
	if m.HasKickAngle {
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.KickAngle)
	}
	if m.HasDribbler {
		b = protobuf.AppendFloat(append(b, 5<<3|5), m.DribblerSpeed)
	}
	return b, valid
}

func mergeRobotControl(m *RobotControl, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			if bad := mergeRobotCommand(protobuf.Extend(&m.Commands), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Commands, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendRobotControl(b []byte, m *RobotControl) (_ []byte, valid bool) {
	valid = len(m.Commands) <= 64
	for i := range m.Commands {
		at, ok := len(b)+1, true
		b, ok = appendRobotCommand(append(b, 1<<3|2, 0, 0), &m.Commands[i])
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeFeedback(m *Feedback, b []byte, dropped *int) int {
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
			m.HasContact = true
			m.Contact = v != 0
		}
		b = b[n:]
	}
	return 0
}

func appendFeedback(b []byte, m *Feedback) (_ []byte, valid bool) {
	valid = true
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.ID))
	}
	if m.HasContact {
		b = protobuf.AppendBool(append(b, 2<<3), m.Contact)
	}
	return b, valid
}

func mergeRobotControlResponse(m *RobotControlResponse, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			if bad := mergeError(protobuf.Extend(&m.Errors), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Errors, 64, dropped)
		case 2<<3 | 2:
			if bad := mergeFeedback(protobuf.Extend(&m.Feedback), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Feedback, 64, dropped)
		}
		b = b[n:]
	}
	return 0
}

func appendRobotControlResponse(b []byte, m *RobotControlResponse) (_ []byte, valid bool) {
	valid = len(m.Errors) <= 64 && len(m.Feedback) <= 64
	for i := range m.Errors {
		at, ok := len(b)+1, true
		b, ok = appendError(append(b, 1<<3|2, 0, 0), &m.Errors[i])
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	for i := range m.Feedback {
		at, ok := len(b)+2, true
		b, ok = appendFeedback(append(b, 2<<3|2, 0), &m.Feedback[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	return b, valid
}

func mergeSyncRequest(m *SyncRequest, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 5:
			m.HasStep = true
			m.Step = math.Float32frombits(uint32(v))
		case 2<<3 | 2:
			m.HasCommand = true
			if bad := mergeSimulatorCommand(&m.Command, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | 2:
			m.HasRobots = true
			if bad := mergeRobotControl(&m.Robots, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendSyncRequest(b []byte, m *SyncRequest) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.Step))
	if m.HasStep {
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.Step)
	}
	if m.HasCommand {
		at, ok := len(b)+1, true
		b, ok = appendSimulatorCommand(append(b, 2<<3|2, 0, 0), &m.Command)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasRobots {
		at, ok := len(b)+1, true
		b, ok = appendRobotControl(append(b, 3<<3|2, 0, 0), &m.Robots)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

func mergeSyncResponse(m *SyncResponse, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			if bad := sslvision.MergeDetection(protobuf.Extend(&m.Detections), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Detections, 16, dropped)
		case 2<<3 | 2:
			m.HasRobots = true
			if bad := mergeRobotControlResponse(&m.Robots, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

func appendSyncResponse(b []byte, m *SyncResponse) (_ []byte, valid bool) {
	valid = len(m.Detections) <= 16
	for i := range m.Detections {
		at, ok := len(b)+1, true
		b, ok = sslvision.AppendDetection(append(b, 1<<3|2, 0, 0), &m.Detections[i])
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasRobots {
		at, ok := len(b)+1, true
		b, ok = appendRobotControlResponse(append(b, 2<<3|2, 0, 0), &m.Robots)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}
