// Code generated from table.go by TestGenerated. DO NOT EDIT.

package sslvision

import (
	"math"

	"touchline/wire/internal/protobuf"
)

// MergeBall decodes b into m, and counts what it drops. A negative result is an error of protowire.
func MergeBall(m *Ball, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.Confidence = math.Float32frombits(uint32(v))
		case 2 << 3:
			m.HasArea = true
			m.Area = uint32(v)
		case 3<<3 | 5:
			m.X = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.Y = math.Float32frombits(uint32(v))
		case 5<<3 | 5:
			m.HasZ = true
			m.Z = math.Float32frombits(uint32(v))
		case 6<<3 | 5:
			m.PixelX = math.Float32frombits(uint32(v))
		case 7<<3 | 5:
			m.PixelY = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

// AppendBall encodes m and reports whether each value is valid.
func AppendBall(b []byte, m *Ball) (_ []byte, valid bool) {
	valid = protobuf.IsRatio(m.Confidence) && protobuf.Finite(float64(m.X), float64(m.Y), float64(m.Z), float64(m.PixelX), float64(m.PixelY))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.Confidence)
	}
	if m.HasArea {
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.Area))
	}
	{
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.X)
	}
	{
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Y)
	}
	if m.HasZ {
		b = protobuf.AppendFloat(append(b, 5<<3|5), m.Z)
	}
	{
		b = protobuf.AppendFloat(append(b, 6<<3|5), m.PixelX)
	}
	{
		b = protobuf.AppendFloat(append(b, 7<<3|5), m.PixelY)
	}
	return b, valid
}

// MergeRobot decodes b into m, and counts what it drops. A negative result is an error of protowire.
func MergeRobot(m *Robot, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Plain(b)
		if n == 0 {
			if key, v, n = protobuf.Next(b); n < 0 {
				return n
			}
		}
		switch key {
		case 1<<3 | 5:
			m.Confidence = math.Float32frombits(uint32(v))
		case 2 << 3:
			m.HasID = true
			m.ID = uint32(v)
		case 3<<3 | 5:
			m.X = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.Y = math.Float32frombits(uint32(v))
		case 5<<3 | 5:
			m.HasOrientation = true
			m.Orientation = math.Float32frombits(uint32(v))
		case 6<<3 | 5:
			m.PixelX = math.Float32frombits(uint32(v))
		case 7<<3 | 5:
			m.PixelY = math.Float32frombits(uint32(v))
		case 8<<3 | 5:
			m.HasHeight = true
			m.Height = math.Float32frombits(uint32(v))
		}
		b = b[n:]
	}
	return 0
}

// AppendRobot encodes m and reports whether each value is valid.
func AppendRobot(b []byte, m *Robot) (_ []byte, valid bool) {
	valid = protobuf.IsRatio(m.Confidence) && uint32(m.ID) <= 15 && protobuf.Finite(float64(m.X), float64(m.Y), float64(m.Orientation), float64(m.PixelX), float64(m.PixelY), float64(m.Height))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.Confidence)
	}
	if m.HasID {
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.ID))
	}
	{
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.X)
	}
	{
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Y)
	}
	if m.HasOrientation {
		b = protobuf.AppendFloat(append(b, 5<<3|5), m.Orientation)
	}
	{
		b = protobuf.AppendFloat(append(b, 6<<3|5), m.PixelX)
	}
	{
		b = protobuf.AppendFloat(append(b, 7<<3|5), m.PixelY)
	}
	if m.HasHeight {
		b = protobuf.AppendFloat(append(b, 8<<3|5), m.Height)
	}
	return b, valid
}

// MergeDetection decodes b into m, and counts what it drops. A negative result is an error of protowire.
func MergeDetection(m *Detection, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1 << 3:
			m.Number = uint32(v)
		case 2<<3 | 1:
			m.Captured = math.Float64frombits(v)
		case 3<<3 | 1:
			m.Sent = math.Float64frombits(v)
		case 4 << 3:
			m.Camera = uint32(v)
		case 5<<3 | 2:
			if bad := MergeBall(protobuf.Extend(&m.Balls), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Balls, 64, dropped)
		case 6<<3 | 2:
			if bad := MergeRobot(protobuf.Extend(&m.Yellow), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Yellow, 64, dropped)
		case 7<<3 | 2:
			if bad := MergeRobot(protobuf.Extend(&m.Blue), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Blue, 64, dropped)
		case 8<<3 | 1:
			m.HasCameraTime = true
			m.CameraTime = math.Float64frombits(v)
		}
		b = b[n:]
	}
	return 0
}

// AppendDetection encodes m and reports whether each value is valid.
func AppendDetection(b []byte, m *Detection) (_ []byte, valid bool) {
	valid = len(m.Balls) <= 64 && len(m.Yellow) <= 64 && len(m.Blue) <= 64 && protobuf.Finite(m.Captured, m.Sent, m.CameraTime)
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.Number))
	}
	{
		b = protobuf.AppendDouble(append(b, 2<<3|1), m.Captured)
	}
	{
		b = protobuf.AppendDouble(append(b, 3<<3|1), m.Sent)
	}
	{
		b = protobuf.AppendUint(append(b, 4<<3), uint64(m.Camera))
	}
	for i := range m.Balls {
		at, ok := len(b)+2, true
		b, ok = AppendBall(append(b, 5<<3|2, 0), &m.Balls[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Yellow {
		at, ok := len(b)+2, true
		b, ok = AppendRobot(append(b, 6<<3|2, 0), &m.Yellow[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	for i := range m.Blue {
		at, ok := len(b)+2, true
		b, ok = AppendRobot(append(b, 7<<3|2, 0), &m.Blue[i])
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	if m.HasCameraTime {
		b = protobuf.AppendDouble(append(b, 8<<3|1), m.CameraTime)
	}
	return b, valid
}

// MergePoint decodes b into m, and counts what it drops. A negative result is an error of protowire.
func MergePoint(m *Point, b []byte, dropped *int) int {
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

// AppendPoint encodes m and reports whether each value is valid.
func AppendPoint(b []byte, m *Point) (_ []byte, valid bool) {
	valid = protobuf.Finite(float64(m.X), float64(m.Y))
	{
		b = protobuf.AppendFloat(append(b, 1<<3|5), m.X)
	}
	{
		b = protobuf.AppendFloat(append(b, 2<<3|5), m.Y)
	}
	return b, valid
}

// MergeLine decodes b into m, and counts what it drops. A negative result is an error of protowire.
func MergeLine(m *Line, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.Name = append(m.Name[:0], b[n-int(v):n]...)
		case 2<<3 | 2:
			if bad := MergePoint(&m.From, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | 2:
			if bad := MergePoint(&m.To, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 4<<3 | 5:
			m.Thickness = math.Float32frombits(uint32(v))
		case 5 << 3:
			m.HasType = true
			m.Type = int32(v)
		}
		b = b[n:]
	}
	return 0
}

// AppendLine encodes m and reports whether each value is valid.
func AppendLine(b []byte, m *Line) (_ []byte, valid bool) {
	valid = uint32(m.Type) <= 13 && protobuf.Finite(float64(m.Thickness))
	{
		b = protobuf.AppendText(append(b, 1<<3|2), m.Name)
	}
	{
		at, ok := len(b)+2, true
		b, ok = AppendPoint(append(b, 2<<3|2, 0), &m.From)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	{
		at, ok := len(b)+2, true
		b, ok = AppendPoint(append(b, 3<<3|2, 0), &m.To)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	{
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.Thickness)
	}
	if m.HasType {
		b = protobuf.AppendUint(append(b, 5<<3), uint64(m.Type))
	}
	return b, valid
}

// MergeArc decodes b into m, and counts what it drops. A negative result is an error of protowire.
func MergeArc(m *Arc, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.Name = append(m.Name[:0], b[n-int(v):n]...)
		case 2<<3 | 2:
			if bad := MergePoint(&m.Center, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3<<3 | 5:
			m.Radius = math.Float32frombits(uint32(v))
		case 4<<3 | 5:
			m.A1 = math.Float32frombits(uint32(v))
		case 5<<3 | 5:
			m.A2 = math.Float32frombits(uint32(v))
		case 6<<3 | 5:
			m.Thickness = math.Float32frombits(uint32(v))
		case 7 << 3:
			m.HasType = true
			m.Type = int32(v)
		}
		b = b[n:]
	}
	return 0
}

// AppendArc encodes m and reports whether each value is valid.
func AppendArc(b []byte, m *Arc) (_ []byte, valid bool) {
	valid = uint32(m.Type) <= 13 && protobuf.Finite(float64(m.Radius), float64(m.A1), float64(m.A2), float64(m.Thickness))
	{
		b = protobuf.AppendText(append(b, 1<<3|2), m.Name)
	}
	{
		at, ok := len(b)+2, true
		b, ok = AppendPoint(append(b, 2<<3|2, 0), &m.Center)
		b[at-1] = byte(len(b) - at)
		valid = valid && ok
	}
	{
		b = protobuf.AppendFloat(append(b, 3<<3|5), m.Radius)
	}
	{
		b = protobuf.AppendFloat(append(b, 4<<3|5), m.A1)
	}
	{
		b = protobuf.AppendFloat(append(b, 5<<3|5), m.A2)
	}
	{
		b = protobuf.AppendFloat(append(b, 6<<3|5), m.Thickness)
	}
	if m.HasType {
		b = protobuf.AppendUint(append(b, 7<<3), uint64(m.Type))
	}
	return b, valid
}

// MergeGeometry decodes b into m, and counts what it drops. A negative result is an error of protowire.
func MergeGeometry(m *Geometry, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1 << 3:
			m.Length = int32(v)
		case 2 << 3:
			m.Width = int32(v)
		case 3 << 3:
			m.GoalWidth = int32(v)
		case 4 << 3:
			m.GoalDepth = int32(v)
		case 5 << 3:
			m.Boundary = int32(v)
		case 6<<3 | 2:
			if bad := MergeLine(protobuf.Extend(&m.Lines), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Lines, 64, dropped)
		case 7<<3 | 2:
			if bad := MergeArc(protobuf.Extend(&m.Arcs), b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
			protobuf.Bound(&m.Arcs, 64, dropped)
		case 8 << 3:
			m.PenaltyDepth = int32(v)
		case 9 << 3:
			m.PenaltyWidth = int32(v)
		case 10 << 3:
			m.CircleRadius = int32(v)
		case 11 << 3:
			m.LineThickness = int32(v)
		case 12 << 3:
			m.PenaltyMark = int32(v)
		case 13 << 3:
			m.GoalHeight = int32(v)
		case 14<<3 | 5:
			m.BallRadius = math.Float32frombits(uint32(v))
		case 15<<3 | 5:
			m.MaxRobotRadius = math.Float32frombits(uint32(v))
		case 16 << 3:
			m.BoundaryGoalLine = int32(v)
		case 17 << 3:
			m.GoalSubstitution = int32(v)
		}
		b = b[n:]
	}
	return 0
}

// AppendGeometry encodes m and reports whether each value is valid.
func AppendGeometry(b []byte, m *Geometry) (_ []byte, valid bool) {
	valid = uint32(m.Length) <= 2147483647 && uint32(m.Width) <= 2147483647 && uint32(m.GoalWidth) <= 2147483647 && uint32(m.GoalDepth) <= 2147483647 && uint32(m.Boundary) <= 2147483647 && len(m.Lines) <= 64 && len(m.Arcs) <= 64 && uint32(m.PenaltyDepth) <= 2147483647 && uint32(m.PenaltyWidth) <= 2147483647 && uint32(m.CircleRadius) <= 2147483647 && uint32(m.LineThickness) <= 2147483647 && uint32(m.PenaltyMark) <= 2147483647 && uint32(m.GoalHeight) <= 2147483647 && uint32(m.BoundaryGoalLine) <= 2147483647 && uint32(m.GoalSubstitution) <= 2147483647 && protobuf.Finite(float64(m.BallRadius), float64(m.MaxRobotRadius))
	{
		b = protobuf.AppendUint(append(b, 1<<3), uint64(m.Length))
	}
	{
		b = protobuf.AppendUint(append(b, 2<<3), uint64(m.Width))
	}
	{
		b = protobuf.AppendUint(append(b, 3<<3), uint64(m.GoalWidth))
	}
	{
		b = protobuf.AppendUint(append(b, 4<<3), uint64(m.GoalDepth))
	}
	{
		b = protobuf.AppendUint(append(b, 5<<3), uint64(m.Boundary))
	}
	for i := range m.Lines {
		at, ok := len(b)+1, true
		b, ok = AppendLine(append(b, 6<<3|2, 0, 0), &m.Lines[i])
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	for i := range m.Arcs {
		at, ok := len(b)+1, true
		b, ok = AppendArc(append(b, 7<<3|2, 0, 0), &m.Arcs[i])
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.PenaltyDepth != 0 {
		b = protobuf.AppendUint(append(b, 8<<3), uint64(m.PenaltyDepth))
	}
	if m.PenaltyWidth != 0 {
		b = protobuf.AppendUint(append(b, 9<<3), uint64(m.PenaltyWidth))
	}
	if m.CircleRadius != 0 {
		b = protobuf.AppendUint(append(b, 10<<3), uint64(m.CircleRadius))
	}
	if m.LineThickness != 0 {
		b = protobuf.AppendUint(append(b, 11<<3), uint64(m.LineThickness))
	}
	if m.PenaltyMark != 0 {
		b = protobuf.AppendUint(append(b, 12<<3), uint64(m.PenaltyMark))
	}
	if m.GoalHeight != 0 {
		b = protobuf.AppendUint(append(b, 13<<3), uint64(m.GoalHeight))
	}
	if math.Float32bits(m.BallRadius) != 0 {
		b = protobuf.AppendFloat(append(b, 14<<3|5), m.BallRadius)
	}
	if math.Float32bits(m.MaxRobotRadius) != 0 {
		b = protobuf.AppendFloat(append(b, 15<<3|5), m.MaxRobotRadius)
	}
	if m.BoundaryGoalLine != 0 {
		b = protobuf.AppendUint(append(b, (16<<3)&0x7f|0x80, (16<<3)>>7), uint64(m.BoundaryGoalLine))
	}
	if m.GoalSubstitution != 0 {
		b = protobuf.AppendUint(append(b, (17<<3)&0x7f|0x80, (17<<3)>>7), uint64(m.GoalSubstitution))
	}
	return b, valid
}

// MergeGeometryData decodes b into m, and counts what it drops. A negative result is an error of protowire.
func MergeGeometryData(m *Wrapper, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasGeometry = true
			if bad := MergeGeometry(&m.Geometry, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		}
		b = b[n:]
	}
	return 0
}

// AppendGeometryData encodes m and reports whether each value is valid.
func AppendGeometryData(b []byte, m *Wrapper) (_ []byte, valid bool) {
	valid = true
	if m.HasGeometry {
		at, ok := len(b)+1, true
		b, ok = AppendGeometry(append(b, 1<<3|2, 0, 0), &m.Geometry)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	return b, valid
}

// MergeWrapper decodes b into m, and counts what it drops. A negative result is an error of protowire.
func MergeWrapper(m *Wrapper, b []byte, dropped *int) int {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return n
		}
		switch key {
		case 1<<3 | 2:
			m.HasDetection = true
			if bad := MergeDetection(&m.Detection, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 2<<3 | 2:
			m.HasGeometry = true
			if bad := MergeGeometryData(m, b[n-int(v):n], dropped); bad < 0 {
				return bad
			}
		case 3 << 3:
			m.Origin = int32(v)
		}
		b = b[n:]
	}
	return 0
}

// AppendWrapper encodes m and reports whether each value is valid.
func AppendWrapper(b []byte, m *Wrapper) (_ []byte, valid bool) {
	valid = uint32(m.Origin) <= 5
	if m.HasDetection {
		at, ok := len(b)+1, true
		b, ok = AppendDetection(append(b, 1<<3|2, 0, 0), &m.Detection)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.HasGeometry {
		at, ok := len(b)+1, true
		b, ok = AppendGeometryData(append(b, 2<<3|2, 0, 0), m)
		b = protobuf.Sized(b, at)
		valid = valid && ok
	}
	if m.Origin != 0 {
		b = protobuf.AppendUint(append(b, 3<<3), uint64(m.Origin))
	}
	return b, valid
}
