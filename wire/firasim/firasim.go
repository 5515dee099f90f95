// Package firasim is what FIRASim and VSSReferee put on the wire: vision out, wheel commands and replacements in, the
// referee's commands and the teams' placements. Each datagram is one protobuf message, written and read by hand.
//
// Lengths are m, m/s; angles rad, rad/s, but orientations of replacements and placements are degrees. x runs along the
// field's length and blue's goals count at +x, y to its left, the origin is the centre, angles are counter-clockwise.
package firasim

// Addresses that are in use (facts firasim 1).
const (
	Vision      = "224.0.0.1:10002"  // what today's clients read
	VisionWiki  = "224.0.0.1:10020"  // what seed 004 says
	CommandPort = 20011              // UDP: commands and replacements
	Referee     = "224.5.23.2:10003" // VSSReferee's commands
	Placements  = "224.5.23.2:10004" // the teams' placements
)

// Environment is what the simulator says once a tick.
type Environment struct {
	Step        uint32 // ms of simulated time
	HasFrame    bool
	Frame       Frame
	HasField    bool
	Field       Field
	GoalsBlue   uint32
	GoalsYellow uint32
}

// Frame is where everything is. A robot that is switched off is missing.
type Frame struct {
	HasBall bool
	Ball    Ball
	Yellow  []Robot
	Blue    []Robot
}

// Ball is the ball's centre, 0.0215 m high at rest, and its velocity.
type Ball struct{ X, Y, Z, VX, VY, VZ float64 }

// Robot is a robot's pose and twist in the field frame; in a replacement its orientation is in degrees.
type Robot struct {
	ID                                      uint32
	X, Y, Orientation, VX, VY, VOrientation float64
}

// Field is the field's size in m.
type Field struct {
	Width, Length, GoalWidth, GoalDepth                    float64
	CenterRadius, PenaltyWidth, PenaltyDepth, PenaltyPoint float64
}

// Packet is what clients send to the simulator.
type Packet struct {
	HasCommands    bool // Commands is there, perhaps empty
	Commands       []Command
	HasReplacement bool
	Replacement    Replacement
}

// Command sets the wheel speeds of one robot in rad/s.
type Command struct {
	ID     uint32
	Yellow bool
	Left   float64
	Right  float64
}

// Replacement puts things elsewhere.
type Replacement struct {
	HasBall bool // present and empty: the ball is put to (0, 0)
	Ball    BallReplacement
	Robots  []RobotReplacement
}

// BallReplacement is the ball's new position and velocity.
type BallReplacement struct{ X, Y, VX, VY float64 }

// RobotReplacement puts a robot elsewhere, its Orientation in degrees; velocities have no meaning. Without TurnOn it is
// switched off.
type RobotReplacement struct {
	HasPosition bool
	Position    Robot
	Yellow      bool
	TurnOn      bool
}

// RefereeCommand is VSSRef_Command.
type RefereeCommand struct {
	Foul      Foul
	Team      Color
	Quadrant  uint8 // 1..4, 0 none
	Timestamp float64
	Half      Half
}

// Foul is what the referee calls.
type Foul uint8

// The values of VSSRef's Foul.
const (
	FreeKick Foul = iota
	PenaltyKick
	GoalKick
	FreeBall
	Kickoff
	Stop
	GameOn
	Halt
)

// Color is a team in VSSRef's messages.
type Color uint8

// The values of VSSRef's Color.
const (
	Blue Color = iota
	Yellow
	NoTeam
)

// Half is a part of the game.
type Half uint8

// The values of VSSRef's Half.
const (
	NoHalf Half = iota
	FirstHalf
	SecondHalf
	OvertimeFirst
	OvertimeSecond
	PenaltyShootouts
)

// Placement is VSSRef_Placement: where a team wants to stand; Orientation in degrees.
type Placement struct {
	HasWorld bool
	Team     Color
	Robots   []Robot
}
