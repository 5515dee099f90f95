// Package msl is the codec of the messages between a base station and the RefBox of the Middle Size League: JSON
// objects over TCP, each closed by a NUL. The worldstate and the event are those of MSL World Model 2015, the commands
// those of RefBox 2.1.
//
// Base station to RefBox:
//
//	worldstate, at least 10 times per second
//	  type        text     "worldstate"; mandatory
//	  teamName    text     mandatory
//	  intention   text     of the team
//	  robots      list     five
//	    id            number
//	    pose          vector   X m, Y m, heading rad
//	    targetPose    vector   X m, Y m, heading rad
//	    velocity      vector   X m/s, Y m/s, rad/s
//	    intention     text     of the robot
//	    batteryLevel  number   percent
//	    ballEngaged   number   0 or 1
//	  balls       list     most confident first
//	    position      vector   X, Y, Z m
//	    velocity      vector   X, Y, Z m/s
//	    confidence    number   0 to 1
//	  obstacles   list
//	    position      vector   X, Y m
//	    velocity      vector   X, Y m/s
//	    radius        number   m
//	    confidence    number   0 to 1
//	  ageMs       number   ms
//	event, at any time
//	  type        text     "event"
//	  robotId     number
//	  event       text     "kick", "pass", ...
//
// RefBox to base station:
//
//	command
//	  robotID     number   1 to 99; only with SUBSTITUTION and IS_ALIVE
//	  command     text     "START", ...
//	  targetTeam  text     the team's multicast group, or "" for both
//
// X is to the right, Y to the opponents' goal, angles are counter-clockwise in [0, 2 pi), and a robot that faces the
// opponents' goal has heading 0. Any component of a vector may be null. Numbers in the structs are the wire's own;
// observe.go converts them to the team frame of package soccer.
//
// Syntax is strict: trailing commas, duplicate keys, NaN and broken UTF-8 are errors. Meaning is liberal: decoding
// accepts the deviations of real senders, and Check names them.
package msl

import (
	"errors"
	"strconv"
)

// Port is where the RefBox listens for base stations (RefBox 2.1).
const Port = 28097

// Bounds of decoding. Further elements of a list are counted in Dropped and not kept.
const (
	MaxMessage   = 1 << 20 // bytes of a message
	MaxRobots    = 16      // five play; some senders list substitutes too (RefBox 2016)
	MaxBalls     = 32
	MaxObstacles = 128
	MaxNumber    = 99 // on a robot's shirt (RefBox 2.1)
)

// Errors of decoding.
var (
	ErrMalformed = errors.New("msl: not a JSON object") // the text tells where and why
	ErrKind      = errors.New("msl: another kind of message")
)

// Kind is the kind of a message.
type Kind uint8

// The kinds of messages.
const (
	KindUnknown Kind = iota // not a JSON object, or none of the other kinds
	KindWorldstate
	KindEvent
	KindCommand
)

// String returns the kind as type has it, "command", or "unknown".
func (k Kind) String() string {
	switch k {
	case KindWorldstate:
		return "worldstate"
	case KindEvent:
		return "event"
	case KindCommand:
		return "command"
	}
	return "unknown"
}

// Number is a number that may be unknown: absent or null.
type Number struct {
	Value  float64 // 0 if unknown
	Known  bool
	Offset int32 // offset of its first byte in the decoded message; 0: not decoded, or unknown
}

// Num returns v as a known Number.
func Num(v float64) Number { return Number{Value: v, Known: true} }

// Is reports whether n is known and equals v.
func (n Number) Is(v float64) bool { return n.Known && n.Value == v }

// Vec is a position, pose or velocity in the units of the wire.
type Vec struct {
	At     [3]Number
	Len    int   // number of components; 0 if the vector is absent or null
	Offset int32 // offset of its first byte in the decoded message; 0: not decoded, absent or null
}

// Vec2 returns a vector of two known components.
func Vec2(x, y float64) Vec { return Vec{Len: 2, At: [3]Number{Num(x), Num(y)}} }

// Vec3 returns a vector of three known components.
func Vec3(x, y, z float64) Vec { return Vec{Len: 3, At: [3]Number{Num(x), Num(y), Num(z)}} }

// Worldstate is what a team believes.
type Worldstate struct {
	TeamName  string
	Intention string // the team's intention, free text
	Robots    []Robot
	Balls     []Ball // by falling confidence; the first is the current ball
	Obstacles []Obstacle
	AgeMillis Number // age of the contents at the time of sending
	Dropped   int    // elements of lists that decoding did not keep; not encoded
}

// Robot is one robot of the team.
type Robot struct {
	ID           Number // shirt number
	Pose         Vec    // X, Y in m, heading in rad
	TargetPose   Vec    // where the robot drives to
	Velocity     Vec    // X, Y in m/s, and rad/s
	Intention    string // free text
	BatteryLevel Number // percent
	BallEngaged  Number // 0 or 1
}

// Ball is a ball that the team believes in.
type Ball struct {
	Position   Vec    // X, Y, Z in m
	Velocity   Vec    // m/s
	Confidence Number // 0 to 1
}

// Obstacle is an obstacle that the team believes in.
type Obstacle struct {
	Position   Vec    // X, Y in m; some senders add Z
	Velocity   Vec    // m/s
	Radius     Number // m
	Confidence Number // 0 to 1
}

// Event is an event in the game. The connection tells the team of the robot.
type Event struct {
	RobotID Number
	Event   string // "kick", "pass", ...; free text
}

// Command is a command of the RefBox to base stations.
type Command struct {
	Name       string // one of the constants below, or one of a newer RefBox
	TargetTeam string // the team's multicast group, "" for both; ":1" follows for the second base station of one team
	RobotID    int    // 1 to MaxNumber; 0: none
}

// Text returns the command's name, followed by the robot's number if it has one: "IS_ALIVE 3".
func (c *Command) Text() string {
	if c.RobotID == 0 {
		return c.Name
	}
	return c.Name + " " + strconv.Itoa(c.RobotID)
}

// The commands of RefBox 2.1.
const (
	Start              = "START"
	Stop               = "STOP"
	DropBall           = "DROP_BALL"
	Park               = "PARK"
	FirstHalf          = "FIRST_HALF"
	SecondHalf         = "SECOND_HALF"
	FirstHalfOvertime  = "FIRST_HALF_OVERTIME"
	SecondHalfOvertime = "SECOND_HALF_OVERTIME"
	HalfTime           = "HALF_TIME"
	EndGame            = "END_GAME"
	GameOver           = "GAMEOVER" // GAME_OVER in its documents, which is decoded as GAMEOVER
	Reset              = "RESET"
	Welcome            = "WELCOME" // its document has a blank before it, which decoding trims
	KickOff            = "KICKOFF"
	FreeKick           = "FREEKICK"
	GoalKick           = "GOALKICK"
	ThrowIn            = "THROWIN"
	Corner             = "CORNER"
	Penalty            = "PENALTY"
	Goal               = "GOAL"
	SubGoal            = "SUBGOAL" // cancels a goal
	Repair             = "REPAIR"
	RepairEnd          = "REPAIR_END"
	YellowCard         = "YELLOW_CARD"
	RedCard            = "RED_CARD"
	DoubleYellow       = "DOUBLE_YELLOW"
	Substitution       = "SUBSTITUTION"
	IsAlive            = "IS_ALIVE"
	EndPart            = "END_PART"     // defined, never sent
	TestModeOn         = "TESTMODE_ON"  // defined, never sent
	TestModeOff        = "TESTMODE_OFF" // defined, never sent
)

// words are all commands.
var words = []string{Start, Stop, DropBall, Park, FirstHalf, SecondHalf, FirstHalfOvertime, SecondHalfOvertime,
	HalfTime,
	EndGame, GameOver, Reset, Welcome, KickOff, FreeKick, GoalKick, ThrowIn, Corner, Penalty, Goal, SubGoal, Repair, RepairEnd,
	YellowCard, RedCard, DoubleYellow, Substitution, IsAlive, EndPart, TestModeOn, TestModeOff}
