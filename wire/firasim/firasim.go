// Package firasim encodes and decodes the messages of FIRASim and VSSReferee: vision out; wheel commands and
// replacements in; the commands of the referee and the placements of the teams. Each datagram is one protobuf message
// (proto3). Leagues with a camera use SSL-Vision's and grSim's messages in their place (proto2): SSLVision and
// GrSimPacket; docs/firasim.md has their numbers.
//
// The frame has x along the field's length towards the goal where blue scores, y to its left, the origin at the centre,
// and counter-clockwise angles. A field starts with its key, number*8 + wire type: a double has the key number*8 + 1
// and 8 bytes (little-endian), an integer number*8 and a varint, a message number*8 + 2 and its length as a varint.
// Numbers, keys and units are those of FIRASim and VSSReferee; FIRASim wiki 2020 has the messages down to Robot and
// Command:
//
//	Environment   simulator to clients, once a tick
//	  1 08 step          ms of simulated time
//	  2 12 frame         Frame
//	  3 1a field         Field, in every packet
//	  4 20 goals_blue    counted at +x
//	  5 28 goals_yellow  counted at -x
//	Frame
//	  1 0a ball           Ball
//	  2 12 robots_yellow  Robot, any number, by ascending id
//	  3 1a robots_blue    Robot, any number, by ascending id
//	Ball
//	  1 09 x  2 11 y  3 19 z     m, of the centre
//	  4 21 vx 5 29 vy 6 31 vz    m/s
//	Robot
//	  1 08 robot_id
//	  2 11 x  3 19 y             m
//	  4 21 orientation           rad in (-pi, pi]; in a RobotReplacement degrees
//	  5 29 vx 6 31 vy            m/s in the field's frame; without meaning in a RobotReplacement
//	  7 39 vorientation          rad/s; without meaning in a RobotReplacement
//	Field
//	  1 09 width 2 11 length 3 19 goal_width 4 21 goal_depth                          m
//	  5 29 center_radius 6 31 penalty_width 7 39 penalty_depth 8 41 penalty_point     m, since June 2021
//
//	Packet        clients to simulator
//	  1 0a cmd      Commands: 1 0a robot_commands, Command, any number
//	  2 12 replace  Replacement
//	Command
//	  1 08 id  2 10 yellowteam
//	  6 31 wheel_left 7 39 wheel_right    rad/s, holds until the next
//	Replacement
//	  1 0a ball    BallReplacement; present and empty it puts the ball to (0, 0)
//	  2 12 robots  RobotReplacement, any number
//	BallReplacement
//	  1 09 x  2 11 y      m
//	  3 19 vx 4 21 vy     m/s
//	RobotReplacement
//	  1 0a position    Robot
//	  5 28 yellowteam
//	  6 30 turnon      absent: the robot is switched off
//
//	VSSRef_Command    referee to teams
//	  1 08 foul 2 10 teamcolor 3 18 foulQuadrant    see Foul and Color; quadrants 1..4
//	  4 21 timestamp                                the referee's clock
//	  5 28 gameHalf                                 see Half
//
//	VSSRef_Placement  teams to referee
//	  1 0a world       Frame: 1 08 teamColor, 2 12 robots
//	robots
//	  1 08 robot_id
//	  2 11 x 3 19 y    m
//	  4 21 orientation degrees
//
// Zero values are absent, and absent values are zero; -0.0 is not zero and is encoded. Receivers skip unknown fields
// and fields with another wire type, use the last of several values, and merge duplicates of a message that is not
// repeated.
package firasim

import (
	"slices"
	"strconv"
)

// Addresses of FIRASim and VSSReferee.
const (
	Vision      = "224.0.0.1:10002"  // group of present clients
	VisionWiki  = "224.0.0.1:10020"  // group of FIRASim wiki 2020
	CommandPort = 20011              // UDP: commands and replacements
	Referee     = "224.5.23.2:10003" // commands of VSSReferee
	Placements  = "224.5.23.2:10004" // placements of the teams
)

// Bounds of messages.
const (
	MaxVision   = 1024  // bytes of an Environment: the buffer of clients
	MaxID       = 4     // largest robot id, five robots a team; VSSReferee crashes at larger ids
	MaxRobots   = 64    // robots of a list that are kept when decoding
	MaxCommands = 32768 // commands that are kept when decoding: more than fit into a datagram
)

// Environment is the vision packet that the simulator sends once a tick. A part whose Has is false is zero.
type Environment struct {
	Step        uint32 // ms of simulated time
	HasFrame    bool
	Frame       Frame
	HasField    bool
	Field       Field
	GoalsBlue   uint32
	GoalsYellow uint32
}

// Clone returns a copy that shares nothing with m.
func (m *Environment) Clone() Environment {
	c := *m
	c.Frame.Blue, c.Frame.Yellow = slices.Clone(m.Frame.Blue), slices.Clone(m.Frame.Yellow)
	return c
}

// Frame is the positions and velocities of ball and robots. Switched-off robots are missing.
type Frame struct {
	HasBall bool
	Ball    Ball
	Yellow  []Robot // by ascending id
	Blue    []Robot // by ascending id
	Dropped int     // robots beyond MaxRobots a team that decoding dropped; not encoded
}

// Ball is the ball's centre in m, 0.0215 m high at rest, and its velocity in m/s.
type Ball struct{ X, Y, Z, VX, VY, VZ float64 }

// Robot is a robot's pose (m, rad) and twist (m/s, rad/s) in the field frame. In a replacement and a placement its
// orientation is in degrees and its velocities have no meaning; a placement does not have them.
type Robot struct {
	ID                                      uint32 // 0..MaxID
	X, Y, Orientation, VX, VY, VOrientation float64
}

// Field is the field's size in m.
type Field struct {
	Width, Length, GoalWidth, GoalDepth                    float64
	CenterRadius, PenaltyWidth, PenaltyDepth, PenaltyPoint float64 // 0 in versions before June 2021
}

// Packet is the message of clients to the simulator.
type Packet struct {
	HasCommands    bool // Commands is present, perhaps empty
	Commands       []Command
	HasReplacement bool
	Replacement    Replacement
	Dropped        int // commands beyond MaxCommands and robots beyond MaxRobots that decoding dropped; not encoded
}

// Command sets the wheel speeds of one robot in rad/s; positive speeds drive forwards.
type Command struct {
	ID     uint32 // 0..MaxID
	Yellow bool
	Left   float64
	Right  float64
}

// Replacement places the ball and robots.
type Replacement struct {
	HasBall bool // present and empty: the ball is placed at (0, 0)
	Ball    BallReplacement
	Robots  []RobotReplacement
}

// BallReplacement is the ball's new position in m and velocity in m/s.
type BallReplacement struct{ X, Y, VX, VY float64 }

// RobotReplacement places a robot. Without TurnOn it switches the robot off.
type RobotReplacement struct {
	HasPosition bool // false: robot 0 at (0, 0)
	Position    Robot
	Yellow      bool
	TurnOn      bool
}

// RefereeCommand is VSSRef_Command.
type RefereeCommand struct {
	Foul      Foul
	Team      Color   // the team of the call, NoTeam for none
	Quadrant  int32   // quadrant of a free ball, 1..4; 0 none
	Timestamp float64 // the clock of the referee; no source gives its unit
	Half      Half
}

// Placement is VSSRef_Placement: the places that a team wants.
type Placement struct {
	HasWorld bool
	Team     Color
	Robots   []Robot
	Dropped  int // robots beyond MaxRobots that decoding dropped; not encoded
}

// Foul is a command of the referee.
type Foul int32

// The values of VSSRef's Foul (VSSReferee).
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
type Color int32

// The values of VSSRef's Color (VSSReferee).
const (
	Blue Color = iota
	Yellow
	NoTeam
)

// Half is a part of the match.
type Half int32

// The values of VSSRef's Half (VSSReferee).
const (
	NoHalf Half = iota
	FirstHalf
	SecondHalf
	OvertimeFirst
	OvertimeSecond
	PenaltyShootouts
)

// String returns the name of f in VSSReferee, like "GAME_ON", or its number.
func (f Foul) String() string { return nameOf(int32(f), foulNames) }

// String returns the name of c in VSSReferee, "BLUE", "YELLOW" or "NONE", or its number.
func (c Color) String() string { return nameOf(int32(c), colorNames) }

// String returns the part in words, like "first half", or its number.
func (h Half) String() string { return nameOf(int32(h), halfNames) }

// nameOf returns the name of v, or its number without a name.
func nameOf(v int32, names []string) string {
	if uint32(v) >= uint32(len(names)) {
		return strconv.Itoa(int(v))
	}
	return names[v]
}
