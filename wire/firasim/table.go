package firasim

import (
	"math"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
)

// The tables of this file are the only place that lists the fields of messages. Fields and Check read them, and the
// functions of generated.go that decode and encode are written from them by
//
//	go test ./wire/firasim -run TestGenerated -update

var (
	foulNames     = []string{"FREE_KICK", "PENALTY_KICK", "GOAL_KICK", "FREE_BALL", "KICKOFF", "STOP", "GAME_ON", "HALT"}
	colorNames    = []string{"BLUE", "YELLOW", "NONE"}
	quadrantNames = []string{"none", "1", "2", "3", "4"}
	halfNames     = []string{
		"no half", "first half", "second half", "overtime first half", "overtime second half", "penalty shootouts",
	}
	sourceNames = []string{"unknown", "other", "SSL-Vision", "vision processor", "grSim", "ER-Force"}

	// The ranges of ids.
	visionID    = &rule{MaxID, sourceClients, "invalid id %[1]d: want 0 to %[3]d; VSSReferee crashes at larger ids"}
	commandID   = &rule{MaxID, sourceClients, "invalid id %[1]d: want 0 to %[3]d; the simulator ignores larger ids"}
	placementID = &rule{MaxID, sourceClients, "invalid id %[1]d: want 0 to %[3]d; a team has no larger ids"}
	anyTeam     = &rule{uint32(Yellow), sourceReferee, unknownValue}
	patternID   = &rule{maxSSLID, sourceSSL, "invalid id %[1]d: want 0 to %[3]d"}
)

// FIRASim and VSSReferee.
var (
	environmentTable = tableOf[Environment]("Environment",
		integer(1, "step", "ms", "Step"),
		sub(2, "frame", "Frame", tableOf[Frame]("Frame",
			sub(1, "ball", "Ball", tableOf[Ball]("Ball",
				double(1, "x", "m", "X"), double(2, "y", "m", "Y"), double(3, "z", "m", "Z"),
				double(4, "vx", "m/s", "VX"), double(5, "vy", "m/s", "VY"), double(6, "vz", "m/s", "VZ"),
			)),
			list(2, "robots_yellow", "Yellow", robotTable), list(3, "robots_blue", "Blue", robotTable),
		)),
		sub(3, "field", "Field", tableOf[Field]("Field",
			double(1, "width", "m", "Width"), double(2, "length", "m", "Length"),
			double(3, "goal_width", "m", "GoalWidth"), double(4, "goal_depth", "m", "GoalDepth"),
			double(5, "center_radius", "m", "CenterRadius"), double(6, "penalty_width", "m", "PenaltyWidth"),
			double(7, "penalty_depth", "m", "PenaltyDepth"), double(8, "penalty_point", "m", "PenaltyPoint"),
		)),
		integer(4, "goals_blue", "", "GoalsBlue"), integer(5, "goals_yellow", "", "GoalsYellow"),
	)
	robotTable    = tableOf[Robot]("Robot", robotFields(visionID, "rad")...)
	replacedTable = tableOf[Robot]("Robot", robotFields(commandID, "degrees")...)
	placedTable   = tableOf[Robot]("PlacedRobot", robotFields(placementID, "degrees")[:4]...)

	packetTable = tableOf[Packet]("Packet",
		part(1, "cmd", "HasCommands", tableOf[Packet]("Commands",
			commands(1, "robot_commands", "Commands", tableOf[Command]("Command",
				limited(commandID, integer(1, "id", "", "ID")), boolean(2, "yellowteam", "Yellow"),
				double(6, "wheel_left", "rad/s", "Left"), double(7, "wheel_right", "rad/s", "Right"),
			)),
		)),
		sub(2, "replace", "Replacement", tableOf[Replacement]("Replacement",
			sub(1, "ball", "Ball", tableOf[BallReplacement]("BallReplacement", ballFields("X", "Y", "VX", "VY")...)),
			list(2, "robots", "Robots", tableOf[RobotReplacement]("RobotReplacement",
				sub(1, "position", "Position", replacedTable), boolean(5, "yellowteam", "Yellow"),
				boolean(6, "turnon", "TurnOn"),
			)),
		)),
	)

	refereeTable = tableOf[RefereeCommand]("RefereeCommand",
		choice(1, "foul", foulNames, "Foul"), choice(2, "teamcolor", colorNames, "Team"),
		choice(3, "foulQuadrant", quadrantNames, "Quadrant"),
		double(4, "timestamp", "", "Timestamp"),
		choice(5, "gameHalf", halfNames, "Half"),
	)
	placementTable = tableOf[Placement]("Placement",
		part(1, "world", "HasWorld", tableOf[Placement]("PlacementWorld",
			limited(anyTeam, choice(1, "teamColor", colorNames, "Team")),
			list(2, "robots", "Robots", placedTable),
		)),
	)
)

// SSL-Vision and grSim.
var (
	sslTable = tableOf[SSLVision]("SSLVision",
		sub(1, "detection", "Detection", tableOf[SSLDetection]("SSLDetection",
			need(integer(1, "frame_number", "", "Number")), need(double(2, "t_capture", "s", "Captured")),
			need(double(3, "t_sent", "s", "Sent")), need(integer(4, "camera_id", "", "Camera")),
			list(5, "balls", "Balls", tableOf[SSLBall]("SSLBall",
				confidence(1), integer(2, "area", "", ""),
				need(float(3, "x", "mm", "X")), need(float(4, "y", "mm", "Y")), float(5, "z", "mm", ""),
				need(float(6, "pixel_x", "", "PixelX")), need(float(7, "pixel_y", "", "PixelY")),
			)),
			list(6, "robots_yellow", "Yellow", sslRobotTable), list(7, "robots_blue", "Blue", sslRobotTable),
			double(8, "t_capture_camera", "s", ""),
		)),
		part(2, "geometry", "HasGeometry", tableOf[SSLVision]("SSLGeometryData",
			need(sub(1, "field", "Geometry", sslFieldTable)), list(2, "calib", "", nil), sub(3, "models", "", nil),
		)),
		choice(3, "source", sourceNames, ""),
	)
	sslRobotTable = tableOf[SSLRobot]("SSLRobot",
		confidence(1), limited(patternID, integer(2, "robot_id", "", "ID")),
		need(float(3, "x", "mm", "X")), need(float(4, "y", "mm", "Y")), float(5, "orientation", "rad", "Orientation"),
		need(float(6, "pixel_x", "", "PixelX")), need(float(7, "pixel_y", "", "PixelY")), float(8, "height", "mm", ""),
	)
	sslFieldTable = tableOf[SSLGeometry]("SSLGeometry",
		need(size(1, "field_length", "Length")), need(size(2, "field_width", "Width")),
		need(size(3, "goal_width", "GoalWidth")), need(size(4, "goal_depth", "GoalDepth")),
		need(size(5, "boundary_width", "Boundary")), list(6, "field_lines", "", nil), list(7, "field_arcs", "", nil),
		size(8, "penalty_area_depth", "PenaltyDepth"), size(9, "penalty_area_width", "PenaltyWidth"),
		size(10, "center_circle_radius", "CircleRadius"), size(11, "line_thickness", ""),
		size(12, "goal_center_to_penalty_mark", ""), size(13, "goal_height", ""), float(14, "ball_radius", "mm", ""),
		float(15, "max_robot_radius", "mm", ""), size(16, "boundary_width_goal_line", ""),
		size(17, "goal_substitution_area_width", ""),
	)

	grSimTable = tableOf[GrSimPacket]("GrSimPacket",
		part(1, "commands", "HasCommands", tableOf[GrSimPacket]("GrSimCommands",
			need(double(1, "timestamp", "s", "Timestamp")), need(boolean(2, "isteamyellow", "Yellow")),
			commands(3, "robot_commands", "Commands", tableOf[GrSimCommand]("GrSimCommand",
				need(limited(commandID, integer(1, "id", "", "ID"))), need(float(2, "kickspeedx", "m/s", "KickX")),
				need(float(3, "kickspeedz", "m/s", "KickZ")), need(float(4, "veltangent", "m/s", "Tangent")),
				need(float(5, "velnormal", "m/s", "Normal")), need(float(6, "velangular", "rad/s", "Angular")),
				need(boolean(7, "spinner", "Spinner")), need(boolean(8, "wheelsspeed", "ByWheel")),
				float(9, "wheel1", "rad/s", "Wheel"), float(10, "wheel2", "rad/s", "Wheel"),
				float(11, "wheel3", "rad/s", "Wheel"), float(12, "wheel4", "rad/s", "Wheel"),
			)),
		)),
		part(2, "replacement", "HasReplacement", tableOf[GrSimPacket]("GrSimReplacement",
			sub(1, "ball", "Ball", tableOf[GrSimBall]("GrSimBall", ballFields("Value", "Value", "Value", "Value")...)),
			list(2, "robots", "Robots", tableOf[GrSimRobot]("GrSimRobot",
				need(double(1, "x", "m", "X")), need(double(2, "y", "m", "Y")), need(double(3, "dir", "degrees", "Dir")),
				need(limited(commandID, integer(4, "id", "", "ID"))), need(boolean(5, "yellowteam", "Yellow")),
				off(6, "turnon", "Off"),
			)),
		)),
	)
)

func robotFields(id *rule, angle string) []field {
	return []field{
		limited(id, integer(1, "robot_id", "", "ID")), double(2, "x", "m", "X"), double(3, "y", "m", "Y"),
		double(4, "orientation", angle, "Orientation"),
		double(5, "vx", "m/s", "VX"), double(6, "vy", "m/s", "VY"), double(7, "vorientation", "rad/s", "VOrientation"),
	}
}

func ballFields(x, y, vx, vy string) []field {
	return []field{double(1, "x", "m", x), double(2, "y", "m", y), double(3, "vx", "m/s", vx), double(4, "vy", "m/s", vy)}
}

// field is one numbered field of a message, and the field of a struct that keeps its value.
type field struct {
	num    protowire.Number
	typ    protowire.Type
	name   string
	unit   string
	names  []string // names of the values of an enumeration
	truth  bool     // a bool
	ratio  bool     // a float from 0 to 1
	table  *table   // table of a message; nil: its content is not decoded
	list   bool     // repeated
	bound  int      // elements of a list that are kept
	needed bool     // required, in messages of proto2
	rule   *rule    // range of an integer; nil: any value

	keeper string // name of the struct's field; "" for none
	index  int    // number of the struct's field
	item   int    // item of a keeper that is an array
	flag   string // name of the struct's field for the presence of the value; "" for none
	inline bool   // a message whose fields are kept by the struct of the message around it
	off    bool   // the struct keeps the opposite of a bool that is always encoded
}

// rule is the range of an integer. The text of its violation is that of a wire.Range.
type rule struct {
	most         uint32
	source, text string
}

const unknownValue = "unknown value %[1]d: want 0 to %[3]d"

// The constructors of fields. The last argument is the name of the struct's field that keeps the value.

func integer(num protowire.Number, name, unit, keeper string) field {
	return field{num: num, name: name, unit: unit, keeper: keeper, typ: protowire.VarintType}
}

func boolean(num protowire.Number, name, keeper string) field {
	return field{num: num, name: name, keeper: keeper, typ: protowire.VarintType, truth: true}
}

func choice(num protowire.Number, name string, names []string, keeper string) field {
	return field{num: num, name: name, keeper: keeper, typ: protowire.VarintType, names: names,
		rule: &rule{uint32(len(names) - 1), sourceReferee, unknownValue}}
}

// size is an integer in mm.
func size(num protowire.Number, name, keeper string) field {
	return limited(&rule{math.MaxInt32, sourceSSL, "%[1]d mm: want a size"}, integer(num, name, "mm", keeper))
}

func double(num protowire.Number, name, unit, keeper string) field {
	return field{num: num, name: name, unit: unit, keeper: keeper, typ: protowire.Fixed64Type}
}

func float(num protowire.Number, name, unit, keeper string) field {
	return field{num: num, name: name, unit: unit, keeper: keeper, typ: protowire.Fixed32Type}
}

// confidence is a float from 0 to 1.
func confidence(num protowire.Number) field {
	f := need(float(num, "confidence", "", "Confidence"))
	f.ratio = true
	return f
}

// off is a bool whose absence means true. The struct keeps its opposite.
func off(num protowire.Number, name, keeper string) field {
	f := boolean(num, name, keeper)
	f.off = true
	return f
}

func sub(num protowire.Number, name, keeper string, t *table) field {
	return field{num: num, name: name, keeper: keeper, typ: protowire.BytesType, table: t}
}

// part is a message whose fields the struct of the message around it keeps. flag is the field for its presence.
func part(num protowire.Number, name, flag string, t *table) field {
	return field{num: num, name: name, keeper: flag, flag: flag, inline: true, typ: protowire.BytesType, table: t}
}

func list(num protowire.Number, name, keeper string, t *table) field {
	f := sub(num, name, keeper, t)
	f.list, f.bound = true, MaxRobots
	return f
}

func commands(num protowire.Number, name, keeper string, t *table) field {
	f := list(num, name, keeper, t)
	f.bound = MaxCommands
	return f
}

func need(f field) field {
	f.needed = true
	return f
}

func limited(r *rule, f field) field {
	f.rule = r
	return f
}

// table is the fields of a message and the struct that keeps them.
type table struct {
	name   string // end of the names of the generated functions; tables that differ only in units and texts share them
	typ    reflect.Type
	fields []field
}

// tableOf returns the table of a message that T keeps. A field of T with Has before the name of another one is the flag
// of its presence. An array keeps as many fields as it has elements.
func tableOf[T any](name string, fields ...field) *table {
	t := &table{name, reflect.TypeFor[T](), fields}
	items := map[string]int{}
	for i := range fields {
		f := &fields[i]
		if f.keeper == "" {
			continue
		}
		keeper, _ := t.typ.FieldByName(f.keeper)
		f.index, f.item = keeper.Index[0], items[f.keeper]
		items[f.keeper]++
		if flag, ok := t.typ.FieldByName("Has" + f.keeper); ok {
			f.flag = flag.Name
		}
	}
	return t
}
