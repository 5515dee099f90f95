// Package firasim is what FIRASim and VSSReferee put on the wire: vision out, wheel commands and replacements in, the
// referee's commands and the teams' placements. Each datagram is one protobuf message (proto3), written and read by hand.
//
// x runs along the field's length, blue's goals count at +x, y to its left, the origin is the centre, angles are
// counter-clockwise. A field begins with its key, number*8 + wire type: a double's is number*8 + 1 and 8 bytes
// (little-endian) follow, an integer's is number*8 and a varint follows, a message's is number*8 + 2 and its length as a
// varint follows. Numbers, keys and units (FIRASim, VSSReferee; FIRASim wiki 2020 has the messages down to Robot and
// Command):
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
// A value of zero is absent, and what is absent is zero; -0.0 is no zero and is written. Readers skip what they do not
// know, also a known number with another wire type, take the last of several values, and merge several messages of one
// number into one where only one is meant.
package firasim

import (
	"slices"
	"strconv"
)

// Addresses that are in use (FIRASim, VSSReferee).
const (
	Vision      = "224.0.0.1:10002"  // what today's clients read
	VisionWiki  = "224.0.0.1:10020"  // of FIRASim wiki 2020
	CommandPort = 20011              // UDP: commands and replacements
	Referee     = "224.5.23.2:10003" // VSSReferee's commands
	Placements  = "224.5.23.2:10004" // the teams' placements
)

// Bounds of what is read and written.
const (
	MaxVision   = 1024  // bytes of an Environment: clients read no more
	MaxID       = 4     // of robots, five a team; more makes VSSReferee crash
	MaxRobots   = 64    // robots a list that are kept on reading
	MaxCommands = 32768 // commands that are kept on reading: more than one datagram holds
)

// Environment is what the simulator says once a tick. A part whose Has is false is zero.
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

// Frame is where everything is. A robot that is switched off is missing.
type Frame struct {
	HasBall bool
	Ball    Ball
	Yellow  []Robot // by ascending id
	Blue    []Robot // by ascending id
	Dropped int     // robots beyond MaxRobots a team that were not kept on reading; not written
}

// Ball is the ball's centre in m, 0.0215 m high at rest, and its velocity in m/s.
type Ball struct{ X, Y, Z, VX, VY, VZ float64 }

// Robot is a robot's pose (m, rad) and twist (m/s, rad/s) in the field frame. In a replacement and a placement its
// orientation is in degrees and its velocities have no meaning; a placement does not even carry them.
type Robot struct {
	ID                                      uint32 // 0..MaxID
	X, Y, Orientation, VX, VY, VOrientation float64
}

// Field is the field's size in m.
type Field struct {
	Width, Length, GoalWidth, GoalDepth                    float64
	CenterRadius, PenaltyWidth, PenaltyDepth, PenaltyPoint float64 // 0 from programs older than June 2021
}

// Packet is what clients send to the simulator.
type Packet struct {
	HasCommands    bool // Commands is there, perhaps empty
	Commands       []Command
	HasReplacement bool
	Replacement    Replacement
	Dropped        int // commands beyond MaxCommands and robots beyond MaxRobots that were not kept on reading; not written
}

// Command sets the wheel speeds of one robot in rad/s; both positive drive ahead.
type Command struct {
	ID     uint32 // 0..MaxID
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

// BallReplacement is the ball's new position in m and velocity in m/s.
type BallReplacement struct{ X, Y, VX, VY float64 }

// RobotReplacement puts a robot elsewhere. Without TurnOn it is switched off.
type RobotReplacement struct {
	HasPosition bool // false: robot 0 is meant, at (0, 0)
	Position    Robot
	Yellow      bool
	TurnOn      bool
}

// RefereeCommand is VSSRef_Command.
type RefereeCommand struct {
	Foul      Foul
	Team      Color   // the team that it concerns, NoTeam if none
	Quadrant  int32   // of a free ball, 1..4; 0 none
	Timestamp float64 // the referee's clock; no source names its unit
	Half      Half
}

// Placement is VSSRef_Placement: where a team wants to stand.
type Placement struct {
	HasWorld bool
	Team     Color
	Robots   []Robot
	Dropped  int // robots beyond MaxRobots that were not kept on reading; not written
}

// Foul is what the referee calls.
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

// Half is a part of the game.
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

var (
	foulNames  = []string{"FREE_KICK", "PENALTY_KICK", "GOAL_KICK", "FREE_BALL", "KICKOFF", "STOP", "GAME_ON", "HALT"}
	colorNames = []string{"BLUE", "YELLOW", "NONE"}
	halfNames  = []string{"no half", "first half", "second half", "overtime first half", "overtime second half", "penalty shootouts"}

	quadrantNames = []string{"none", "1", "2", "3", "4"}
)

// String returns VSSReferee's name of f, like "GAME_ON", or its number.
func (f Foul) String() string { return nameOf(int32(f), foulNames) }

// String returns VSSReferee's name of c, "BLUE", "YELLOW" or "NONE", or its number.
func (c Color) String() string { return nameOf(int32(c), colorNames) }

// String returns the part in words, like "first half", or its number.
func (h Half) String() string { return nameOf(int32(h), halfNames) }

// nameOf returns the name of v, or the number when it has none.
func nameOf(v int32, names []string) string {
	if !within(v, names) {
		return strconv.Itoa(int(v))
	}
	return names[v]
}

// within reports whether v has a name.
func within(v int32, names []string) bool { return uint32(v) < uint32(len(names)) }
