package firasim

import "touchline/wire/internal/protobuf"

// The tables of this file are the only place that lists the fields of messages. Fields and Check read them, and the
// functions of generated.go that decode and encode are written from them by
//
//	go test ./wire/firasim -run TestGenerated -generate

var (
	foulNames     = []string{"FREE_KICK", "PENALTY_KICK", "GOAL_KICK", "FREE_BALL", "KICKOFF", "STOP", "GAME_ON", "HALT"}
	colorNames    = []string{"BLUE", "YELLOW", "NONE"}
	quadrantNames = []string{"none", "1", "2", "3", "4"}
	halfNames     = []string{
		"no half", "first half", "second half", "overtime first half", "overtime second half", "penalty shootouts",
	}

	// The ranges of ids.
	visionID = &protobuf.Range{Most: MaxID, Source: sourceClients,
		Text: "invalid id %[1]d: want 0 to %[3]d; VSSReferee crashes at larger ids"}
	commandID = &protobuf.Range{Most: MaxID, Source: sourceClients,
		Text: "invalid id %[1]d: want 0 to %[3]d; the simulator ignores larger ids"}
	placementID = &protobuf.Range{Most: MaxID, Source: sourceClients,
		Text: "invalid id %[1]d: want 0 to %[3]d; a team has no larger ids"}
	anyTeam = &protobuf.Range{Most: uint32(Yellow), Source: sourceReferee, Text: protobuf.UnknownValue}
)

// FIRASim and VSSReferee.
var (
	environmentTable = protobuf.TableOf[Environment]("Environment",
		protobuf.Integer(1, "step", "ms", "Step"),
		protobuf.Sub(2, "frame", "Frame", protobuf.TableOf[Frame]("Frame",
			protobuf.Sub(1, "ball", "Ball", protobuf.TableOf[Ball]("Ball",
				protobuf.Double(1, "x", "m", "X"), protobuf.Double(2, "y", "m", "Y"), protobuf.Double(3, "z", "m", "Z"),
				protobuf.Double(4, "vx", "m/s", "VX"), protobuf.Double(5, "vy", "m/s", "VY"),
				protobuf.Double(6, "vz", "m/s", "VZ"),
			)),
			protobuf.List(2, "robots_yellow", "Yellow", MaxRobots, robotTable),
			protobuf.List(3, "robots_blue", "Blue", MaxRobots, robotTable),
		)),
		protobuf.Sub(3, "field", "Field", protobuf.TableOf[Field]("Field",
			protobuf.Double(1, "width", "m", "Width"), protobuf.Double(2, "length", "m", "Length"),
			protobuf.Double(3, "goal_width", "m", "GoalWidth"), protobuf.Double(4, "goal_depth", "m", "GoalDepth"),
			protobuf.Double(5, "center_radius", "m", "CenterRadius"),
			protobuf.Double(6, "penalty_width", "m", "PenaltyWidth"),
			protobuf.Double(7, "penalty_depth", "m", "PenaltyDepth"),
			protobuf.Double(8, "penalty_point", "m", "PenaltyPoint"),
		)),
		protobuf.Integer(4, "goals_blue", "", "GoalsBlue"), protobuf.Integer(5, "goals_yellow", "", "GoalsYellow"),
	)
	robotTable    = protobuf.TableOf[Robot]("Robot", robotFields(visionID, "rad")...)
	replacedTable = protobuf.TableOf[Robot]("Robot", robotFields(commandID, "degrees")...)
	placedTable   = protobuf.TableOf[Robot]("PlacedRobot", robotFields(placementID, "degrees")[:4]...)

	packetTable = protobuf.TableOf[Packet]("Packet",
		protobuf.Part(1, "cmd", "HasCommands", protobuf.TableOf[Packet]("Commands",
			protobuf.List(1, "robot_commands", "Commands", MaxCommands, protobuf.TableOf[Command]("Command",
				protobuf.Limited(commandID, protobuf.Integer(1, "id", "", "ID")),
				protobuf.Boolean(2, "yellowteam", "Yellow"),
				protobuf.Double(6, "wheel_left", "rad/s", "Left"), protobuf.Double(7, "wheel_right", "rad/s", "Right"),
			)),
		)),
		protobuf.Sub(2, "replace", "Replacement", protobuf.TableOf[Replacement]("Replacement",
			protobuf.Sub(1, "ball", "Ball", protobuf.TableOf[BallReplacement]("BallReplacement",
				ballFields("X", "Y", "VX", "VY")...)),
			protobuf.List(2, "robots", "Robots", MaxRobots, protobuf.TableOf[RobotReplacement]("RobotReplacement",
				protobuf.Sub(1, "position", "Position", replacedTable), protobuf.Boolean(5, "yellowteam", "Yellow"),
				protobuf.Boolean(6, "turnon", "TurnOn"),
			)),
		)),
	)

	refereeTable = protobuf.TableOf[RefereeCommand]("RefereeCommand",
		protobuf.Choice(1, "foul", foulNames, sourceReferee, "Foul"),
		protobuf.Choice(2, "teamcolor", colorNames, sourceReferee, "Team"),
		protobuf.Choice(3, "foulQuadrant", quadrantNames, sourceReferee, "Quadrant"),
		protobuf.Double(4, "timestamp", "", "Timestamp"),
		protobuf.Choice(5, "gameHalf", halfNames, sourceReferee, "Half"),
	)
	placementTable = protobuf.TableOf[Placement]("Placement",
		protobuf.Part(1, "world", "HasWorld", protobuf.TableOf[Placement]("PlacementWorld",
			protobuf.Limited(anyTeam, protobuf.Choice(1, "teamColor", colorNames, sourceReferee, "Team")),
			protobuf.List(2, "robots", "Robots", MaxRobots, placedTable),
		)),
	)
)

// grSim. The table of SSL-Vision is that of package sslvision.
var (
	grSimTable = protobuf.TableOf[GrSimPacket]("GrSimPacket",
		protobuf.Part(1, "commands", "HasCommands", protobuf.TableOf[GrSimPacket]("GrSimCommands",
			protobuf.Need(protobuf.Double(1, "timestamp", "s", "Timestamp")),
			protobuf.Need(protobuf.Boolean(2, "isteamyellow", "Yellow")),
			protobuf.List(3, "robot_commands", "Commands", MaxCommands, protobuf.TableOf[GrSimCommand]("GrSimCommand",
				protobuf.Need(protobuf.Limited(commandID, protobuf.Integer(1, "id", "", "ID"))),
				protobuf.Need(protobuf.Float(2, "kickspeedx", "m/s", "KickX")),
				protobuf.Need(protobuf.Float(3, "kickspeedz", "m/s", "KickZ")),
				protobuf.Need(protobuf.Float(4, "veltangent", "m/s", "Tangent")),
				protobuf.Need(protobuf.Float(5, "velnormal", "m/s", "Normal")),
				protobuf.Need(protobuf.Float(6, "velangular", "rad/s", "Angular")),
				protobuf.Need(protobuf.Boolean(7, "spinner", "Spinner")),
				protobuf.Need(protobuf.Boolean(8, "wheelsspeed", "ByWheel")),
				protobuf.Float(9, "wheel1", "rad/s", "Wheel"), protobuf.Float(10, "wheel2", "rad/s", "Wheel"),
				protobuf.Float(11, "wheel3", "rad/s", "Wheel"), protobuf.Float(12, "wheel4", "rad/s", "Wheel"),
			)),
		)),
		protobuf.Part(2, "replacement", "HasReplacement", protobuf.TableOf[GrSimPacket]("GrSimReplacement",
			protobuf.Sub(1, "ball", "Ball", protobuf.TableOf[GrSimBall]("GrSimBall",
				ballFields("Value", "Value", "Value", "Value")...)),
			protobuf.List(2, "robots", "Robots", MaxRobots, protobuf.TableOf[GrSimRobot]("GrSimRobot",
				protobuf.Need(protobuf.Double(1, "x", "m", "X")),
				protobuf.Need(protobuf.Double(2, "y", "m", "Y")),
				protobuf.Need(protobuf.Double(3, "dir", "degrees", "Dir")),
				protobuf.Need(protobuf.Limited(commandID, protobuf.Integer(4, "id", "", "ID"))),
				protobuf.Need(protobuf.Boolean(5, "yellowteam", "Yellow")),
				protobuf.Off(6, "turnon", "Off"),
			)),
		)),
	)
)

func robotFields(id *protobuf.Range, angle string) []*protobuf.Field {
	return []*protobuf.Field{
		protobuf.Limited(id, protobuf.Integer(1, "robot_id", "", "ID")),
		protobuf.Double(2, "x", "m", "X"), protobuf.Double(3, "y", "m", "Y"),
		protobuf.Double(4, "orientation", angle, "Orientation"),
		protobuf.Double(5, "vx", "m/s", "VX"), protobuf.Double(6, "vy", "m/s", "VY"),
		protobuf.Double(7, "vorientation", "rad/s", "VOrientation"),
	}
}

func ballFields(x, y, vx, vy string) []*protobuf.Field {
	return []*protobuf.Field{protobuf.Double(1, "x", "m", x), protobuf.Double(2, "y", "m", y),
		protobuf.Double(3, "vx", "m/s", vx), protobuf.Double(4, "vy", "m/s", vy)}
}
