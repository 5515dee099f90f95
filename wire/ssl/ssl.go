// Package ssl encodes and decodes the messages of the Small Size League: SSL-Vision's packets, the tracker's, the game
// controller's Referee, and those of the simulation protocol. Each datagram is one protobuf message (proto2).
//
//	message                 address           sender to receivers
//	SSL_WrapperPacket       224.5.23.2:10006  SSL-Vision to all; simulators use port 10020
//	TrackerWrapperPacket    224.5.23.2:10010  a tracker to all: filtered positions and velocities
//	Referee                 224.5.23.1:10003  game controller to all
//	SimulatorCommand        UDP 10300         client to simulator, answered by a SimulatorResponse
//	RobotControl            UDP 10301, 10302  blue and yellow team to simulator, answered by a RobotControlResponse
//	SimulationSyncRequest   -                 client to simulator, answered by a SimulationSyncResponse
//
// The frame of all of them has its origin at the centre, x along the field's length, y to its left, and
// counter-clockwise angles. SSL-Vision and the Referee measure in mm, trackers and simulators in m; docs/ssl.md has the
// fields with their numbers.
//
// A field starts with its key, number*8 + wire type. Required values are written where they are zero, too. Receivers
// skip unknown fields and fields with another wire type, use the last of several values, and merge duplicates of a
// message that is not repeated. Not kept: game events and their proposals, capabilities of trackers, calibrations and
// models of cameras, custom feedback.
package ssl

import (
	"touchline/wire/internal/sslvision"
)

// Addresses of the league.
const (
	VisionGroup    = "224.5.23.2:10006" // SSL-Vision
	VisionSimGroup = "224.5.23.2:10020" // SSL-Vision's messages from simulators
	TrackerGroup   = "224.5.23.2:10010"
	RefereeGroup   = "224.5.23.1:10003"
	ControlPort    = 10300 // UDP: SimulatorCommand
	BluePort       = 10301 // UDP: RobotControl of the blue team
	YellowPort     = 10302 // UDP: RobotControl of the yellow team
)

// Bounds of messages.
const (
	MaxID      = sslvision.MaxID      // largest id of a robot
	MaxObjects = sslvision.MaxObjects // elements of a list that are kept when decoding
	MaxCameras = 16                   // detections of a SimulationSyncResponse that are kept
	MaxCards   = 32                   // times of yellow cards that are kept
)

// Vision is SSL_WrapperPacket: what a camera sees, and the size of the field. A part whose Has is false is zero.
type Vision sslvision.Wrapper

// The parts of Vision.
type (
	Detection  = sslvision.Detection // SSL_DetectionFrame
	VisionBall = sslvision.Ball      // SSL_DetectionBall
	VisionBot  = sslvision.Robot     // SSL_DetectionRobot
	Geometry   = sslvision.Geometry  // SSL_GeometryFieldSize
	Line       = sslvision.Line      // SSL_FieldLineSegment
	Arc        = sslvision.Arc       // SSL_FieldCircularArc
	Point      = sslvision.Point     // Vector2f
)

// Team is a team's colour.
type Team int32

// The values of Team.
const (
	NoTeam Team = iota
	Yellow
	Blue
)

// Tracker is TrackerWrapperPacket.
type Tracker struct {
	UUID       []byte // of the program that runs; another one after it is started again
	SourceName []byte
	HasFrame   bool
	Frame      TrackedFrame
	Dropped    int // balls and robots beyond MaxObjects that decoding dropped; not encoded
}

// TrackedFrame is what a tracker knows of all objects on the field.
type TrackedFrame struct {
	Number    uint32
	Timestamp float64       // s, Unix time of the data
	Balls     []TrackedBall // the first is the primary one
	Robots    []TrackedRobot
	HasKicked bool
	Kicked    KickedBall
}

// TrackedBall is a ball in m and m/s.
type TrackedBall struct {
	X, Y, Z       float32
	HasVelocity   bool
	VX, VY, VZ    float32
	HasVisibility bool
	Visibility    float32 // 0: not visible, 1: visible
}

// TrackedRobot is a robot in m, rad, m/s and rad/s.
type TrackedRobot struct {
	ID                uint32
	Team              Team
	X, Y, Orientation float32
	HasVelocity       bool
	VX, VY            float32
	HasAngular        bool
	Angular           float32
	HasVisibility     bool
	Visibility        float32 // 0: not visible, 1: visible
}

// KickedBall is a ball that moves after a kick, with where it will stop.
type KickedBall struct {
	X, Y         float32 // m, where it was kicked
	VX, VY, VZ   float32 // m/s, right after the kick
	Start        float64 // s, Unix time of the kick
	HasStop      bool
	Stop         float64 // s, Unix time
	HasStopPlace bool
	StopX, StopY float32 // m
	HasRobot     bool    // the robot that kicked is known
	ID           uint32
	Team         Team
}

// Referee is the game controller's message. Optional values that are absent are zero.
type Referee struct {
	Source          []byte // UUID of the game controller
	MatchType       MatchType
	PacketTime      uint64 // us of Unix time, when the packet was sent
	Stage           Stage
	HasStageTime    bool
	StageTimeLeft   int64 // us; negative in a stage that is over its time
	Command         Command
	CommandCounter  uint32 // commands since the game controller started
	CommandTime     uint64 // us of Unix time, when the command was given
	Yellow, Blue    TeamInfo
	HasPlace        bool
	PlaceX, PlaceY  float32 // mm, where the ball is to be placed
	HasBluePositive bool
	BluePositive    bool // blue's goal is at +x
	HasNext         bool
	NextCommand     Command // follows after this stop
	HasActionTime   bool
	ActionTimeLeft  int64  // us
	StatusMessage   []byte // for spectators, since 2025
	Dropped         int    // times of cards beyond MaxCards that decoding dropped; not encoded
}

// TeamInfo is a team in a Referee.
type TeamInfo struct {
	Name                     []byte
	Score                    uint32
	RedCards                 uint32
	YellowCardTimes          []uint32 // us that each yellow card still lasts, in ascending order
	YellowCards              uint32   // so far
	Timeouts                 uint32   // that the team may still take
	TimeoutTime              uint32   // us that the team may still use
	Goalkeeper               uint32   // id
	FoulCounter              uint32
	PlacementFailures        uint32 // in a row
	CanPlaceBall             bool
	MaxAllowedBots           uint32
	SubstitutionIntent       bool // the team wants to exchange a robot at the next chance
	PlacementFailuresReached bool
	SubstitutionAllowed      bool
	SubstitutionsLeft        uint32    // in this half, since 2024
	SubstitutionTimeLeft     uint32    // us, since 2024
	HullColor                HullColor // since 2025
}

// Error is SimulatorError.
type Error struct{ Code, Text []byte }

// SimulatorCommand is a client's message to a simulator. A part whose Has is false is zero.
type SimulatorCommand struct {
	HasControl  bool
	HasBall     bool
	Ball        TeleportBall
	Robots      []TeleportRobot
	HasSpeed    bool
	Speed       float32 // of the simulation; 1: real time
	HasConfig   bool
	HasGeometry bool
	Geometry    Geometry
	Specs       []RobotSpecs
	HasRealism  bool
	Realism     []Custom
	HasPort     bool
	VisionPort  uint32
	Dropped     int // elements of lists beyond MaxObjects that decoding dropped; not encoded
}

// TeleportBall moves the ball. A value whose HasValue is false stays as it is.
type TeleportBall struct {
	Value    [6]float32 // x, y, z in m, vx, vy, vz in m/s
	HasValue [6]bool
	Safely   bool // robots make room
	Roll     bool // the ball gets the spin of rolling
	ByForce  bool // pulls the ball there until a teleport without ByForce follows
}

// TeleportRobot moves a robot, adds it to the field or removes it. A place whose HasPlace is false stays as it is.
type TeleportRobot struct {
	ID         uint32
	Team       Team
	Place      [3]float32 // x, y in m, orientation in rad
	HasPlace   [3]bool
	HasTwist   [3]bool
	Twist      [3]float32 // m/s along x and y in the field's frame, rad/s
	HasPresent bool
	Present    bool
	ByForce    bool // pulls the robot there until a teleport without ByForce follows
}

// RobotSpecs are the sizes and limits of a robot. A value whose Has is false keeps the simulator's default.
type RobotSpecs struct {
	ID        uint32
	Team      Team
	Size      [6]float32 // radius m, height m, mass kg, largest speeds of kick and chip m/s, centre to dribbler m
	HasSize   [6]bool
	HasLimits bool
	Limit     [6]float32 // m/s2, rad/s2 to speed up; m/s2, rad/s2 to brake; m/s, rad/s
	HasLimit  [6]bool
	HasWheels bool
	Wheels    [4]float32 // rad from ahead, clockwise: front right, back right, back left, front left
}

// Custom is a message of one simulator: google.protobuf.Any.
type Custom struct{ Type, Value []byte }

// SimulatorResponse is a simulator's answer to a SimulatorCommand.
type SimulatorResponse struct {
	Errors  []Error
	Dropped int // errors beyond MaxObjects that decoding dropped; not encoded
}

// RobotControl is the message of a team to its robots in a simulator.
type RobotControl struct {
	Commands []RobotCommand
	Dropped  int // commands beyond MaxObjects that decoding dropped; not encoded
}

// RobotCommand moves one robot. At most one of HasWheels, HasLocal and HasGlobal is true.
type RobotCommand struct {
	ID            uint32
	HasMove       bool
	HasWheels     bool
	Wheels        [4]float32 // m/s: front right, back right, back left, front left
	HasLocal      bool
	Local         [3]float32 // m/s ahead, m/s to the left, rad/s
	HasGlobal     bool
	Global        [3]float32 // m/s along x, m/s along y, rad/s
	HasKickSpeed  bool
	KickSpeed     float32 // m/s, of all three dimensions
	HasKickAngle  bool
	KickAngle     float32 // degrees above the ground; 0: straight
	HasDribbler   bool
	DribblerSpeed float32 // rounds a minute
}

// RobotControlResponse is a simulator's answer to a RobotControl.
type RobotControlResponse struct {
	Errors   []Error
	Feedback []Feedback
	Dropped  int // elements beyond MaxObjects that decoding dropped; not encoded
}

// Feedback is what a simulated robot senses.
type Feedback struct {
	ID         uint32
	HasContact bool
	Contact    bool // the dribbler touches the ball
}

// SyncRequest is SimulationSyncRequest: a step of the simulation, with commands that apply before it.
type SyncRequest struct {
	HasStep    bool
	Step       float32 // s
	HasCommand bool
	Command    SimulatorCommand
	HasRobots  bool
	Robots     RobotControl
	Dropped    int // elements of lists beyond MaxObjects that decoding dropped; not encoded
}

// SyncResponse is SimulationSyncResponse: what the cameras see after the step.
type SyncResponse struct {
	Detections []Detection
	HasRobots  bool
	Robots     RobotControlResponse
	Dropped    int // elements of lists beyond their bounds that decoding dropped; not encoded
}
