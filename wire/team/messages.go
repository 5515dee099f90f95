package team

import "touchline/wire/internal/coder"

// Belief is a robot's report to its teammates about the ball and itself.
type Belief struct {
	Color uint8 // 0 cyan, 1 magenta, 255 unknown
	Ball  Ball
	Self  Self
}

// Measurements holds the objects in one picture of a robot's camera, in the robot's frame, and the robot's pose at that
// time. Teammates fuse them like their own.
type Measurements struct {
	BallHeld  bool // the robot holds the ball
	Self      Self // when the picture was taken
	View      View
	Balls     []Sighting // most confident first, at most MaxBalls
	Obstacles []Sighting // at most MaxSightings
}

// Status is a robot's report to its team's computers.
type Status struct {
	Mode          Mode
	BallEngaged   bool
	Battery       uint8 // percent; Unknown
	Self          Self
	HasTarget     bool
	TargetX       float32 // m
	TargetY       float32 // m
	TargetHeading float32 // rad
	Intention     string  // at most MaxText bytes
}

// Mode is the mode of a robot.
type Mode uint8

// The modes.
const (
	ModeUnknown Mode = iota
	Idle
	Playing
	Stopped // the referee stopped it, or is silent
	Penalised
	Teleoperated
	Calibrating
	Faulty
)

var modeNames = []string{
	"unknown", "idle", "playing", "stopped", "penalised", "teleoperated", "calibrating", "faulty",
}

// String returns the mode in words.
func (m Mode) String() string { return coder.NameOf(uint8(m), modeNames) }

// Debug is the debug record of a robot: its state machine, the booking of the ball, its percepts and its world.
type Debug struct {
	Machine   uint32 // checksum of the robot's state machine; 0: none
	Booking   Booking
	Ball      Ball
	Self      Self
	Percepts  Measurements // percepts of the newest picture
	States    []string     // active states, from the outermost to the innermost, at most MaxStates
	Obstacles []Obstacle   // at most MaxObstacles
	Peers     []Peer       // at most MaxPeers
	Extended  bool         // it has what follows, and the last fields of each Peer: records of older programs end before
	Dispute   Dispute
	Goal      Goal
}

// Referee is the state of the game, from a team's computer to its robots. The computer repeats it, since nothing is
// acknowledged.
type Referee struct {
	State    State
	Part     Part
	SetPiece SetPiece
	Side     Side   // side of the set piece
	Goals    uint8  // goals of the own team
	Conceded uint8  // goals of the opponents
	Sequence uint32 // grows with each change
	Out      uint64 // robots that must leave the field or stay off it: bit n is robot n
	Command  string // newest command of the referee box, at most MaxText bytes
}

// State is whether robots may move.
type State uint8

// The states of a game.
const (
	Halted  State = iota // no game: robots stand
	Stop                 // robots stop
	Waiting              // waits for the start of the set piece
	Running
	Parking // robots leave the field
)

// Part is a part of the game.
type Part uint8

// The parts of a game.
const (
	BeforeGame Part = iota
	FirstHalf
	HalfTime
	SecondHalf
	FirstOvertime
	SecondOvertime
	ShootOut
	GameOver
)

// SetPiece is how play begins.
type SetPiece uint8

// The set pieces.
const (
	NoSetPiece SetPiece = iota
	KickOff
	FreeKick
	GoalKick
	ThrowIn
	Corner
	Penalty
	DroppedBall
)

// Side is the team of a set piece.
type Side uint8

// The sides.
const (
	NoSide Side = iota
	Ours
	Theirs
)

var (
	stateNames = []string{"halted", "stopped", "waiting", "running", "parking"}
	partNames  = []string{
		"before the game", "first half", "half-time", "second half", "first overtime", "second overtime", "shoot-out",
		"game over",
	}
	setPieceNames = []string{
		"none", "kick-off", "free kick", "goal kick", "throw-in", "corner", "penalty", "dropped ball",
	}
	sideNames = []string{"none", "ours", "theirs"}
)

// String returns the state in words.
func (s State) String() string { return coder.NameOf(uint8(s), stateNames) }

// String returns the part in words.
func (p Part) String() string { return coder.NameOf(uint8(p), partNames) }

// String returns the set piece in words.
func (s SetPiece) String() string { return coder.NameOf(uint8(s), setPieceNames) }

// String returns "none", "ours" or "theirs".
func (s Side) String() string { return coder.NameOf(uint8(s), sideNames) }

// Sense holds the measurements of a robot's sensors, from the field.
type Sense struct {
	HasOdometry bool
	HasHead     bool
	Battery     uint8  // percent; Unknown
	Motor       uint32 // sequence of the newest motor command that the robot executed; 0: none
	// The odometry: the pose since the start, with the slip of the wheels, and the velocity in the robot's frame.
	TravelX, TravelY, TravelHeading float32      // m, rad
	VX, VY, VHeading                float32      // m/s, rad/s
	HeadPan, HeadTilt               float32      // rad
	Percepts                        Measurements // percepts of the newest picture
	Lines                           []Point      // points of field lines in that picture, in the robot's frame
}

// Point is a point on the floor in the robot's frame.
type Point struct{ X, Y float32 }

// Motor is a command of a robot's software to its motors. The field executes the newest one, and stops the robot when
// none arrives for a while.
type Motor struct {
	Sequence          uint32  // grows with each command; the Sense reports the newest one
	VX, VY, VHeading  float32 // m/s, rad/s: desired velocity in the robot's frame
	Dribbler          float32 // 0 off to 1 full
	Kick              uint32  // number of the kick: the robot kicks once for each new number; 0: no kick
	KickSpeed         float32 // m/s, of the ball
	KickElevation     float32 // rad above the floor
	HasHead           bool    // false: the head stays
	HeadPan, HeadTilt float32 // rad
}

// Directory is the text of a team's TCM.ini; without text it is the request for it.
type Directory struct {
	Text string // at most MaxDirectory bytes of UTF-8
}
