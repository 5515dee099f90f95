// Package sslvision is the coder of SSL-Vision's packet, which two codecs speak: wire/ssl for the Small Size League,
// and wire/firasim for Very Small Size leagues with a camera. The field numbers are those of SSL-Vision's messages.
package sslvision

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"touchline/wire"
	"touchline/wire/internal/protobuf"
)

// Source is the source of the messages in issues.
const Source = "SSL-Vision, messages"

// Bounds of messages.
const (
	MaxObjects = 64 // balls, robots of a team, lines, arcs that are kept when decoding
	MaxID      = 15 // largest id of a pattern
)

// Wrapper is SSL_WrapperPacket. A part whose Has is false is zero.
type Wrapper struct {
	HasDetection bool
	Detection    Detection
	HasGeometry  bool
	Geometry     Geometry
	Origin       int32 // program that sent the packet, a number of SourceNames; 0: unknown
}

// Detection is SSL_DetectionFrame: what one camera saw.
type Detection struct {
	Number        uint32
	Captured      float64 // s, when the picture was received
	Sent          float64 // s
	Camera        uint32
	Balls         []Ball
	Yellow        []Robot
	Blue          []Robot
	HasCameraTime bool
	CameraTime    float64 // s, the camera's own clock, which need not be Unix time
	Dropped       int     // objects and lines beyond MaxObjects of each list that decoding dropped; not encoded
}

// Ball is a ball's position in mm, its place in the picture, and a confidence of 0 to 1.
type Ball struct {
	Confidence, X, Y, PixelX, PixelY float32
	HasArea, HasZ                    bool
	Area                             uint32  // pixels
	Z                                float32 // mm, of simulators
}

// Robot is a robot's pose in mm and rad, its place in the picture, and a confidence of 0 to 1.
type Robot struct {
	HasID            bool // false: the camera did not recognise the pattern
	ID               uint32
	HasOrientation   bool
	Confidence, X, Y float32
	Orientation      float32
	PixelX, PixelY   float32
	HasHeight        bool
	Height           float32 // mm
}

// Geometry is the field of SSL_GeometryData in mm. Optional sizes are 0 where they are unknown. Calibrations and models
// are not kept.
type Geometry struct {
	Length, Width, GoalWidth, GoalDepth      int32
	Boundary                                 int32 // distance from the touch lines to the walls
	PenaltyDepth, PenaltyWidth, CircleRadius int32
	LineThickness, PenaltyMark, GoalHeight   int32   // PenaltyMark: distance from the goal's centre
	BallRadius, MaxRobotRadius               float32 // mm
	BoundaryGoalLine, GoalSubstitution       int32   // distance from the goal lines to the walls; width of that area
	Lines                                    []Line
	Arcs                                     []Arc
}

// Line is SSL_FieldLineSegment in mm.
type Line struct {
	Name      []byte
	From, To  Point
	Thickness float32
	HasType   bool
	Type      int32 // a number of ShapeNames
}

// Arc is SSL_FieldCircularArc in mm, from angle A1 to A2 in rad.
type Arc struct {
	Name           []byte
	Center         Point
	Radius, A1, A2 float32
	Thickness      float32
	HasType        bool
	Type           int32 // a number of ShapeNames
}

// Point is a place in mm.
type Point struct{ X, Y float32 }

// SourceNames are the programs that send vision packets.
var SourceNames = []string{"unknown", "other", "SSL-Vision", "vision processor", "grSim", "ER-Force"}

// ShapeNames are the types of lines and arcs.
var ShapeNames = []string{
	"Undefined", "CenterCircle", "TopTouchLine", "BottomTouchLine", "LeftGoalLine", "RightGoalLine", "HalfwayLine",
	"CenterLine", "LeftPenaltyStretch", "RightPenaltyStretch", "LeftFieldLeftPenaltyStretch",
	"LeftFieldRightPenaltyStretch", "RightFieldLeftPenaltyStretch", "RightFieldRightPenaltyStretch",
}

// The tables are the only place that lists the fields; generated.go is written from them by
//
//	go test ./wire/internal/sslvision -run TestGenerated -generate

var patternID = &protobuf.Range{Most: MaxID, Source: Source, Text: "invalid id %[1]d: want 0 to %[3]d"}

// The tables of the messages.
var (
	Table = shared(protobuf.TableOf[Wrapper]("Wrapper",
		protobuf.Sub(1, "detection", "Detection", DetectionTable),
		protobuf.Part(2, "geometry", "HasGeometry", shared(protobuf.TableOf[Wrapper]("GeometryData",
			protobuf.Need(protobuf.Sub(1, "field", "Geometry", GeometryTable)),
			protobuf.List(2, "calib", "", MaxObjects, nil), protobuf.Sub(3, "models", "", nil),
		))),
		protobuf.Choice(3, "source", SourceNames, Source, "Origin"),
	))
	DetectionTable = shared(protobuf.TableOf[Detection]("Detection",
		need(protobuf.Integer(1, "frame_number", "", "Number")), need(protobuf.Double(2, "t_capture", "s", "Captured")),
		need(protobuf.Double(3, "t_sent", "s", "Sent")), need(protobuf.Integer(4, "camera_id", "", "Camera")),
		protobuf.List(5, "balls", "Balls", MaxObjects, shared(protobuf.TableOf[Ball]("Ball",
			need(protobuf.Ratio(1, "confidence", "Confidence")), protobuf.Integer(2, "area", "", "Area"),
			need(mm(3, "x", "X")), need(mm(4, "y", "Y")), mm(5, "z", "Z"),
			need(protobuf.Float(6, "pixel_x", "", "PixelX")), need(protobuf.Float(7, "pixel_y", "", "PixelY")),
		))),
		protobuf.List(6, "robots_yellow", "Yellow", MaxObjects, robotTable),
		protobuf.List(7, "robots_blue", "Blue", MaxObjects, robotTable),
		protobuf.Double(8, "t_capture_camera", "s", "CameraTime"),
	))
	robotTable = shared(protobuf.TableOf[Robot]("Robot",
		need(protobuf.Ratio(1, "confidence", "Confidence")),
		protobuf.Limited(patternID, protobuf.Integer(2, "robot_id", "", "ID")),
		need(mm(3, "x", "X")), need(mm(4, "y", "Y")), protobuf.Float(5, "orientation", "rad", "Orientation"),
		need(protobuf.Float(6, "pixel_x", "", "PixelX")), need(protobuf.Float(7, "pixel_y", "", "PixelY")),
		mm(8, "height", "Height"),
	))
	GeometryTable = shared(protobuf.TableOf[Geometry]("Geometry",
		need(size(1, "field_length", "Length")), need(size(2, "field_width", "Width")),
		need(size(3, "goal_width", "GoalWidth")), need(size(4, "goal_depth", "GoalDepth")),
		need(size(5, "boundary_width", "Boundary")),
		protobuf.List(6, "field_lines", "Lines", MaxObjects, shared(protobuf.TableOf[Line]("Line",
			need(protobuf.Hidden(protobuf.Text(1, "name", "Name"))), need(protobuf.Sub(2, "p1", "From", pointTable)),
			need(protobuf.Sub(3, "p2", "To", pointTable)), need(mm(4, "thickness", "Thickness")),
			protobuf.Choice(5, "type", ShapeNames, Source, "Type"),
		))),
		protobuf.List(7, "field_arcs", "Arcs", MaxObjects, shared(protobuf.TableOf[Arc]("Arc",
			need(protobuf.Hidden(protobuf.Text(1, "name", "Name"))), need(protobuf.Sub(2, "center", "Center", pointTable)),
			need(mm(3, "radius", "Radius")), need(protobuf.Float(4, "a1", "rad", "A1")),
			need(protobuf.Float(5, "a2", "rad", "A2")), need(mm(6, "thickness", "Thickness")),
			protobuf.Choice(7, "type", ShapeNames, Source, "Type"),
		))),
		size(8, "penalty_area_depth", "PenaltyDepth"), size(9, "penalty_area_width", "PenaltyWidth"),
		size(10, "center_circle_radius", "CircleRadius"), size(11, "line_thickness", "LineThickness"),
		size(12, "goal_center_to_penalty_mark", "PenaltyMark"), size(13, "goal_height", "GoalHeight"),
		mm(14, "ball_radius", "BallRadius"), mm(15, "max_robot_radius", "MaxRobotRadius"),
		size(16, "boundary_width_goal_line", "BoundaryGoalLine"),
		size(17, "goal_substitution_area_width", "GoalSubstitution"),
	))
	pointTable = shared(protobuf.TableOf[Point]("Point", need(mm(1, "x", "X")), need(mm(2, "y", "Y"))))
)

//go:noinline
func shared(t *protobuf.Table) *protobuf.Table { return t.SharedBy("sslvision") }

//go:noinline
func need(f *protobuf.Field) *protobuf.Field { return protobuf.Need(f) }

//go:noinline
func mm(num protowire.Number, name, keeper string) *protobuf.Field {
	return protobuf.Float(num, name, "mm", keeper)
}

// size is an integer in mm.
//
//go:noinline
func size(num protowire.Number, name, keeper string) *protobuf.Field {
	return protobuf.Limited(&protobuf.Range{Most: math.MaxInt32, Source: Source, Text: "%[1]d mm: want a size"},
		protobuf.Integer(num, name, "mm", keeper))
}

// Decode decodes m and reuses its memory. It accepts any value and messages without required values. A negative result
// is an error of protowire.
func (m *Wrapper) Decode(b []byte) int {
	d, g := &m.Detection, &m.Geometry
	*m = Wrapper{Detection: Detection{Balls: d.Balls[:0], Yellow: d.Yellow[:0], Blue: d.Blue[:0]},
		Geometry: Geometry{Lines: g.Lines[:0], Arcs: g.Arcs[:0]}}
	return MergeWrapper(m, b, &d.Dropped)
}

// The rules of Check.
var (
	RuleNothing = wire.Rule{Key: "nothing", Source: Source, Note: true,
		Text: "neither a detection nor the field: the packet has no effect"}
	RuleObjects = wire.Rule{Key: "objects", Source: Source,
		Text: "more than the limit of %d balls or robots a team"}
	RulePattern = wire.Rule{Key: "pattern", Source: Source, Note: true,
		Text: "missing: the camera did not recognise the robot's pattern"}
	RuleHeadingMissing = wire.Rule{Key: "heading-missing", Source: Source, Note: true,
		Text: "missing: the robot's heading is unknown"}
	RuleDegrees = wire.Rule{Key: "degrees", Source: Source, Note: true,
		Text: "%v looks like degrees: orientations are in rad"}
)

// Check adds the issues of a message beyond those of its single values.
func (m *Wrapper) Check(r *protobuf.Values) {
	if !m.HasDetection && !m.HasGeometry {
		r.Add(&RuleNothing, "")
	}
	m.Detection.Check(r, "detection")
	if max(len(m.Geometry.Lines), len(m.Geometry.Arcs)) > MaxObjects {
		r.Add(&RuleObjects, "geometry", MaxObjects)
	}
}

// Check adds the issues of a detection at a path.
func (m *Detection) Check(r *protobuf.Values, path string) {
	if m.Dropped > 0 || max(len(m.Balls), len(m.Yellow), len(m.Blue)) > MaxObjects {
		r.Add(&RuleObjects, path, MaxObjects)
	}
	for i := range m.Yellow {
		m.Yellow[i].check(r, protobuf.Index(path+".robots_yellow", i))
	}
	for i := range m.Blue {
		m.Blue[i].check(r, protobuf.Index(path+".robots_blue", i))
	}
}

func (m *Robot) check(r *protobuf.Values, path string) {
	if !m.HasID {
		r.Add(&RulePattern, path+".robot_id")
	}
	switch v := m.Orientation; {
	case !m.HasOrientation:
		r.Add(&RuleHeadingMissing, path+".orientation")
	case math.Abs(float64(v)) > 2*math.Pi:
		r.Add(&RuleDegrees, path+".orientation", v)
	}
}
