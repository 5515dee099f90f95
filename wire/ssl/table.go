package ssl

import (
	"google.golang.org/protobuf/encoding/protowire"

	"touchline/wire/internal/protobuf"
	"touchline/wire/internal/sslvision"
)

// The tables of this file are the only place that lists the fields of messages. Fields and Check read them, and the
// functions of generated.go that decode and encode are written from them by
//
//	go test ./wire/ssl -run TestGenerated -generate

// robotID is the range of ids: a pattern shows one of 16.
var robotID = &protobuf.Range{Most: MaxID, Source: sourceCommon,
	Text: "invalid id %[1]d: want 0 to %[3]d; patterns have no other ids"}

// Shorter names of constructors.

//go:noinline
func need(f *protobuf.Field) *protobuf.Field { return protobuf.Need(f) }

//go:noinline
func float(num protowire.Number, name, unit, keeper string) *protobuf.Field {
	return protobuf.Float(num, name, unit, keeper)
}

//go:noinline
func list(num protowire.Number, name, keeper string, t *protobuf.Table) *protobuf.Field {
	return protobuf.List(num, name, keeper, MaxObjects, t)
}

// floats are optional floats with one unit.
//
//go:noinline
func floats(unit string, needed bool, keeper string, first protowire.Number, names ...string) (all []*protobuf.Field) {
	for i, name := range names {
		f := float(first+protowire.Number(i), name, unit, keeper)
		if needed {
			f = need(f)
		}
		all = append(all, f)
	}
	return all
}

// idFields are the fields of RobotId. Both are written always, as its senders do.
//
//go:noinline
func idFields() []*protobuf.Field {
	return []*protobuf.Field{
		protobuf.Always(protobuf.Limited(robotID, protobuf.Integer(1, "id", "", "ID"))),
		protobuf.Always(protobuf.Choice(2, "team", teamNames, sourceCommon, "Team")),
	}
}

// vector is Vector2 or Vector3.
//
//go:noinline
func vector(unit string, keepers ...string) (all []*protobuf.Field) {
	for i, keeper := range keepers {
		all = append(all, need(float(protowire.Number(i+1), "xyz"[i:i+1], unit, keeper)))
	}
	return all
}

// The tracker.
var trackerTable = protobuf.TableOf[Tracker]("Tracker",
	need(protobuf.Text(1, "uuid", "UUID")), protobuf.Text(2, "source_name", "SourceName"),
	protobuf.Sub(3, "tracked_frame", "Frame", protobuf.TableOf[TrackedFrame]("TrackedFrame",
		need(protobuf.Integer(1, "frame_number", "", "Number")), need(protobuf.Double(2, "timestamp", "s", "Timestamp")),
		list(3, "balls", "Balls", protobuf.TableOf[TrackedBall]("TrackedBall",
			need(protobuf.Part(1, "pos", "", protobuf.TableOf[TrackedBall]("BallPos", vector("m", "X", "Y", "Z")...))),
			protobuf.Part(2, "vel", "HasVelocity",
				protobuf.TableOf[TrackedBall]("BallVel", vector("m/s", "VX", "VY", "VZ")...)),
			protobuf.Ratio(3, "visibility", "Visibility"),
		)),
		list(4, "robots", "Robots", protobuf.TableOf[TrackedRobot]("TrackedRobot",
			need(protobuf.Part(1, "robot_id", "", protobuf.TableOf[TrackedRobot]("RobotID", idFields()...))),
			need(protobuf.Part(2, "pos", "", protobuf.TableOf[TrackedRobot]("RobotPos", vector("m", "X", "Y")...))),
			need(float(3, "orientation", "rad", "Orientation")),
			protobuf.Part(4, "vel", "HasVelocity", protobuf.TableOf[TrackedRobot]("RobotVel", vector("m/s", "VX", "VY")...)),
			float(5, "vel_angular", "rad/s", "Angular"), protobuf.Ratio(6, "visibility", "Visibility"),
		)),
		protobuf.Sub(5, "kicked_ball", "Kicked", protobuf.TableOf[KickedBall]("KickedBall",
			need(protobuf.Part(1, "pos", "", protobuf.TableOf[KickedBall]("KickedPos", vector("m", "X", "Y")...))),
			need(protobuf.Part(2, "vel", "", protobuf.TableOf[KickedBall]("KickedVel", vector("m/s", "VX", "VY", "VZ")...))),
			need(protobuf.Double(3, "start_timestamp", "s", "Start")), protobuf.Double(4, "stop_timestamp", "s", "Stop"),
			protobuf.Part(5, "stop_pos", "HasStopPlace",
				protobuf.TableOf[KickedBall]("KickedStop", vector("m", "StopX", "StopY")...)),
			protobuf.Part(6, "robot_id", "HasRobot", protobuf.TableOf[KickedBall]("KickedID", idFields()...)),
		)),
		protobuf.Choices(6, "capabilities", capabilityNames),
	)),
)

// The game controller.
var (
	refereeTable = protobuf.TableOf[Referee]("Referee",
		need(protobuf.Wide(1, "packet_timestamp", "us", "PacketTime")),
		need(protobuf.Choice(2, "stage", stageNames, sourceReferee, "Stage")),
		protobuf.Flagged("HasStageTime", protobuf.Sint(3, "stage_time_left", "us", "StageTimeLeft")),
		need(protobuf.Choice(4, "command", commandNames, sourceReferee, "Command")),
		need(protobuf.Integer(5, "command_counter", "", "CommandCounter")),
		need(protobuf.Wide(6, "command_timestamp", "us", "CommandTime")),
		need(protobuf.Sub(7, "yellow", "Yellow", teamTable)), need(protobuf.Sub(8, "blue", "Blue", teamTable)),
		protobuf.Part(9, "designated_position", "HasPlace",
			protobuf.TableOf[Referee]("Place", vector("mm", "PlaceX", "PlaceY")...)),
		protobuf.Boolean(10, "blue_team_on_positive_half", "BluePositive"),
		protobuf.Flagged("HasNext", protobuf.Choice(12, "next_command", commandNames, sourceReferee, "NextCommand")),
		protobuf.Flagged("HasActionTime", protobuf.Int(15, "current_action_time_remaining", "us", "ActionTimeLeft")),
		list(16, "game_events", "", nil), list(17, "game_event_proposals", "", nil),
		protobuf.Text(18, "source_identifier", "Source"),
		protobuf.Choice(19, "match_type", matchNames, sourceReferee, "MatchType"),
		protobuf.Text(20, "status_message", "StatusMessage"),
	)
	teamTable = protobuf.TableOf[TeamInfo]("TeamInfo",
		need(protobuf.Text(1, "name", "Name")), need(protobuf.Integer(2, "score", "", "Score")),
		need(protobuf.Integer(3, "red_cards", "", "RedCards")),
		protobuf.Numbers(4, "yellow_card_times", "us", "YellowCardTimes", MaxCards),
		need(protobuf.Integer(5, "yellow_cards", "", "YellowCards")), need(protobuf.Integer(6, "timeouts", "", "Timeouts")),
		need(protobuf.Integer(7, "timeout_time", "us", "TimeoutTime")),
		need(protobuf.Integer(8, "goalkeeper", "", "Goalkeeper")), protobuf.Integer(9, "foul_counter", "", "FoulCounter"),
		protobuf.Integer(10, "ball_placement_failures", "", "PlacementFailures"),
		protobuf.Boolean(12, "can_place_ball", "CanPlaceBall"),
		protobuf.Integer(13, "max_allowed_bots", "", "MaxAllowedBots"),
		protobuf.Boolean(14, "bot_substitution_intent", "SubstitutionIntent"),
		protobuf.Boolean(15, "ball_placement_failures_reached", "PlacementFailuresReached"),
		protobuf.Boolean(16, "bot_substitution_allowed", "SubstitutionAllowed"),
		protobuf.Integer(17, "bot_substitutions_left", "", "SubstitutionsLeft"),
		protobuf.Integer(18, "bot_substitution_time_left", "us", "SubstitutionTimeLeft"),
		protobuf.Choice(19, "hull_color", hullNames, sourceReferee, "HullColor"),
	)
)

// The simulation protocol.
var (
	commandTable = protobuf.TableOf[SimulatorCommand]("SimulatorCommand",
		protobuf.Part(1, "control", "HasControl", protobuf.TableOf[SimulatorCommand]("SimulatorControl",
			protobuf.Sub(1, "teleport_ball", "Ball", protobuf.TableOf[TeleportBall]("TeleportBall", append(append(
				floats("m", false, "Value", 1, "x", "y", "z"), floats("m/s", false, "Value", 4, "vx", "vy", "vz")...),
				protobuf.Boolean(7, "teleport_safely", "Safely"), protobuf.Boolean(8, "roll", "Roll"),
				protobuf.Boolean(9, "by_force", "ByForce"))...)),
			list(2, "teleport_robot", "Robots", protobuf.TableOf[TeleportRobot]("TeleportRobot",
				need(protobuf.Part(1, "id", "", protobuf.TableOf[TeleportRobot]("TeleportID", idFields()...))),
				float(2, "x", "m", "Place"), float(3, "y", "m", "Place"), float(4, "orientation", "rad", "Place"),
				float(5, "v_x", "m/s", "Twist"), float(6, "v_y", "m/s", "Twist"), float(7, "v_angular", "rad/s", "Twist"),
				protobuf.Boolean(8, "present", "Present"), protobuf.Boolean(9, "by_force", "ByForce"),
			)),
			float(3, "simulation_speed", "", "Speed"),
		)),
		protobuf.Part(2, "config", "HasConfig", protobuf.TableOf[SimulatorCommand]("SimulatorConfig",
			protobuf.Part(1, "geometry", "HasGeometry", protobuf.TableOf[SimulatorCommand]("ConfigGeometry",
				need(protobuf.Sub(1, "field", "Geometry", sslvision.GeometryTable)), list(2, "calib", "", nil),
				protobuf.Sub(3, "models", "", nil),
			)),
			list(2, "robot_specs", "Specs", specsTable),
			protobuf.Part(3, "realism_config", "HasRealism", protobuf.TableOf[SimulatorCommand]("Realism",
				list(1, "custom", "Realism", protobuf.TableOf[Custom]("Custom",
					protobuf.Text(1, "type_url", "Type"), protobuf.Hidden(protobuf.Text(2, "value", "Value")),
				)),
			)),
			protobuf.Flagged("HasPort", protobuf.Integer(4, "vision_port", "", "VisionPort")),
		)),
	)
	specsTable = protobuf.TableOf[RobotSpecs]("RobotSpecs",
		need(protobuf.Part(1, "id", "", protobuf.TableOf[RobotSpecs]("SpecsID", idFields()...))),
		float(2, "radius", "m", "Size"), float(3, "height", "m", "Size"), float(4, "mass", "kg", "Size"),
		float(7, "max_linear_kick_speed", "m/s", "Size"), float(8, "max_chip_kick_speed", "m/s", "Size"),
		float(9, "center_to_dribbler", "m", "Size"),
		protobuf.Part(10, "limits", "HasLimits", protobuf.TableOf[RobotSpecs]("RobotLimits",
			float(1, "acc_speedup_absolute_max", "m/s2", "Limit"), float(2, "acc_speedup_angular_max", "rad/s2", "Limit"),
			float(3, "acc_brake_absolute_max", "m/s2", "Limit"), float(4, "acc_brake_angular_max", "rad/s2", "Limit"),
			float(5, "vel_absolute_max", "m/s", "Limit"), float(6, "vel_angular_max", "rad/s", "Limit"),
		)),
		protobuf.Part(13, "wheel_angles", "HasWheels", protobuf.TableOf[RobotSpecs]("WheelAngles",
			floats("rad", true, "Wheels", 1, "front_right", "back_right", "back_left", "front_left")...)),
		list(14, "custom", "", nil),
	)
	errorTable = protobuf.TableOf[Error]("Error",
		protobuf.Text(1, "code", "Code"), protobuf.Text(2, "message", "Text"))
	simulatorResponseTable = protobuf.TableOf[SimulatorResponse]("SimulatorResponse", list(1, "errors", "Errors", errorTable))

	robotControlTable = protobuf.TableOf[RobotControl]("RobotControl",
		list(1, "robot_commands", "Commands", protobuf.TableOf[RobotCommand]("RobotCommand",
			need(protobuf.Limited(robotID, protobuf.Integer(1, "id", "", "ID"))),
			protobuf.Part(2, "move_command", "HasMove", protobuf.TableOf[RobotCommand]("Move",
				protobuf.Part(1, "wheel_velocity", "HasWheels", protobuf.TableOf[RobotCommand]("WheelVelocity",
					floats("m/s", true, "Wheels", 1, "front_right", "back_right", "back_left", "front_left")...)),
				protobuf.Part(2, "local_velocity", "HasLocal", protobuf.TableOf[RobotCommand]("LocalVelocity",
					append(floats("m/s", true, "Local", 1, "forward", "left"), need(float(3, "angular", "rad/s", "Local")))...)),
				protobuf.Part(3, "global_velocity", "HasGlobal", protobuf.TableOf[RobotCommand]("GlobalVelocity",
					append(floats("m/s", true, "Global", 1, "x", "y"), need(float(3, "angular", "rad/s", "Global")))...)),
			)),
			float(3, "kick_speed", "m/s", "KickSpeed"), float(4, "kick_angle", "degrees", "KickAngle"),
			protobuf.Flagged("HasDribbler", float(5, "dribbler_speed", "rpm", "DribblerSpeed")),
		)),
	)
	robotResponseTable = protobuf.TableOf[RobotControlResponse]("RobotControlResponse",
		list(1, "errors", "Errors", errorTable),
		list(2, "feedback", "Feedback", protobuf.TableOf[Feedback]("Feedback",
			need(protobuf.Integer(1, "id", "", "ID")), protobuf.Boolean(2, "dribbler_ball_contact", "Contact"),
			protobuf.Sub(3, "custom", "", nil),
		)),
	)
	syncRequestTable = protobuf.TableOf[SyncRequest]("SyncRequest",
		float(1, "sim_step", "s", "Step"),
		protobuf.Sub(2, "simulator_command", "Command", commandTable),
		protobuf.Sub(3, "robot_control", "Robots", robotControlTable),
	)
	syncResponseTable = protobuf.TableOf[SyncResponse]("SyncResponse",
		protobuf.List(1, "detection", "Detections", MaxCameras, sslvision.DetectionTable),
		protobuf.Sub(2, "robot_control_response", "Robots", robotResponseTable),
	)
)
