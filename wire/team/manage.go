package team

import "touchline/wire/internal/coder"

// The messages between a robot and the computers that manage it: docs/manager.md describes them.

// Bounds of the messages of the manager.
const (
	MaxKicks      = 16   // kicks of a Management
	MaxParameters = 16   // parameters of one message
	MaxChoices    = 16   // choices of a parameter
	MaxUnit       = 8    // bytes
	MaxTries      = 50   // tries of a KickCheck
	MaxNumbers    = 8    // numbers of a Request
	MaxPath       = 50   // points of one LocomotionCheck
	MaxMissing    = 64   // chunks of one Answer
	MaxPicture    = 2048 // pixels of a side
	MaxRate       = 60   // pictures a second
)

// Operator identifies a person at a page: the computer that serves the page, and a random number of the page.
type Operator struct {
	Computer uint8  // id of the computer; 0: nobody
	Page     uint32 // random; 0: nobody
}

// Attend says that a computer manages a robot, and what it wants. It is repeated 4 times a second; a robot stops its
// reports to a computer that is silent for 2 s.
type Attend struct {
	Holder  uint32 // the page of this computer that holds the control and is alive; 0: none
	Table   uint32 // table whose parameters the computer knows, from Parameters; 0: none
	Since   uint32 // newest revision of that table that the computer knows; 0: none
	Picture PictureWish
}

// PictureWish is what pictures a computer wants. Rate 0: none.
type PictureWish struct {
	Rate    uint8 // greatest rate in pictures a second
	Format  PictureFormat
	Quality uint8 // JPEG quality, 1 to 100; 0 for other formats
	Divisor uint8 // 1 full size, 2 half, 4 a quarter
	// Region of the picture in pixels; zeros: all of it.
	X, Y, Width, Height uint16
	Overlay             bool // an Overlay with each picture
}

// PictureFormat is how the pixels of an Image are coded.
type PictureFormat uint8

// The formats of pictures.
const (
	JPEG    PictureFormat = iota // scans of 16 rows
	YCbCr                        // planes Y, Cb, Cr of 2 rows; Cb and Cr at half resolution both ways
	Classes                      // runs of a class of the colour table
)

var formatNames = []string{"jpeg", "ycbcr", "classes"}

// String returns "jpeg", "ycbcr" or "classes".
func (f PictureFormat) String() string { return coder.NameOf(uint8(f), formatNames) }

// Management is a robot's report to a computer that attends it, 5 times a second.
type Management struct {
	Table      uint32 // identifies the start of the robot's software; with another number everything starts over
	Revision   uint32 // number of the newest change of a parameter
	Parameters uint32 // their number
	Nonce      uint64 // random; an operator's Request echoes it within 2 s
	Holder     Operator
	HolderName string // at most MaxName bytes
	Drive      DriveState
	Kick       uint32 // id of the newest kick that was executed for the holder; 0: none
	Machine    uint32 // checksum of the state machine that runs; 0: none
	Previous   uint32 // checksum of the one to which the robot can roll back; 0: none
	Waiting    uint32 // checksum of the one that waits for a safe moment; 0: none
	// Limits of what the robot executes: m/s ahead and to each side, rad/s, and rad of the head. 0: it cannot.
	MaxAhead, MaxSide, MaxTurn, MaxPan, MaxTilt float32
	Kicks                                       []Kick // at most MaxKicks
}

// Kick is a kick of the robot's list.
type Kick struct {
	Name      string  // at most MaxName bytes
	Speed     float32 // m/s of the ball
	Elevation float32 // rad
}

// DriveState is whether an operator can drive the robot.
type DriveState uint8

// The states of driving.
const (
	DriveFree    DriveState = iota // nobody holds the control
	DriveReady                     // the holder sends no commands
	Driving                        // the holder drives
	DriveLapsed                    // the holder's commands stopped or were too old: the robot stands
	DriveRefused                   // a refereed game plays
	DriveHeld                      // the holder drives or can drive, and holds the robot's state machine
)

var driveNames = []string{"free", "ready", "driving", "lapsed", "refused", "held"}

// String returns the state in words.
func (s DriveState) String() string { return coder.NameOf(uint8(s), driveNames) }

// Challenge is the newest nonce for the operator who holds the control, 50 times a second. Each Drive echoes the newest
// one that arrived: its age at the robot is the age of the command.
type Challenge struct {
	Nonce uint64 // random
	Drive DriveState
	Kick  uint32 // number of the kick, as in Management
}

// Drive is a command of the operator who drives a robot, 25 times a second. The robot stops 300 ms after it sent the
// nonce of the newest one.
type Drive struct {
	Operator          uint32 // page
	Nonce             uint64 // nonce of the newest Challenge
	Sequence          uint32 // grows with each command
	VX, VY, VHeading  float32
	HasHead           bool
	HeadPan, HeadTilt float32 // rad
	Dribbler          float32 // 0 off to 1 full
	Kick              uint32  // id of a kick: the robot kicks once for each id that is above the one before; 0: none
	KickIndex         uint8   // index in the robot's list
	Check             bool    // a check of the robot goes on; a command without it ends the check
}

// Parameters is a part of the robot's table: the parameters that changed after revision Since and up to Upto.
type Parameters struct {
	Table    uint32
	Since    uint32
	Upto     uint32
	Revision uint32 // revision of the whole table
	List     []Parameter
}

// ParameterKind is the type of a parameter's value.
type ParameterKind uint8

// The kinds of parameters.
const (
	Number  ParameterKind = iota
	Integer               // a whole number
	Switch                // 0 off, 1 on
	Choice                // index into Choices
)

var parameterKinds = []string{"number", "integer", "switch", "choice"}

// String returns the kind in words.
func (k ParameterKind) String() string { return coder.NameOf(uint8(k), parameterKinds) }

// ParameterSource is where the value of a parameter comes from.
type ParameterSource uint8

// The sources of values.
const (
	FromDefault  ParameterSource = iota
	FromFile                     // a configuration of the robot
	FromOperator                 // By names the operator
	FromRobot                    // the robot itself, for example automatic exposure
)

var parameterSources = []string{"default", "file", "operator", "robot"}

// String returns the source in words.
func (s ParameterSource) String() string { return coder.NameOf(uint8(s), parameterSources) }

// Parameter is one parameter of a robot, with its value.
type Parameter struct {
	Revision uint32 // revision of its newest change
	Name     string // unique, at most MaxName bytes
	Group    string // under which pages show it, at most MaxName bytes
	Unit     string // at most MaxUnit bytes, "" for none
	Kind     ParameterKind
	ReadOnly bool
	Source   ParameterSource
	Value    float32
	Default  float32
	Min, Max float32
	Step     float32  // step of a slider; 0: any
	Choices  []string // values of a Choice, at most MaxChoices of MaxName bytes
	By       string   // operator of the newest change, at most MaxName bytes
}

// Operation is what a Request wants.
type Operation uint8

// The operations.
const (
	Take      Operation = iota // the control; Text is the operator's name
	GiveUp                     // the control
	Set                        // the parameter Text to Value
	Adopt                      // the state machine of the complete file with the transfer ID
	RollBack                   // return to the state machine before
	Verify                     // ask whether the file with the transfer ID is complete: the Answer lists missing chunks
	CheckKick                  // Kick number ID of the list, Value times; 0 times: stop. Numbers: speed in m/s, place x, y, heading
	CheckWalk                  // Figure ID with Value m/s or rad/s; 0: stop. Numbers: size in m, laps, start x, y, heading
	Fetch                      // FetchWindow chunks of the file Text from chunk Value on, as File messages with the transfer ID
	Hold                       // the state machine: Value 1 from the state Text on, "": at once; 2 one transition more; 0 no longer
)

// FetchWindow is the number of chunks that answer one Fetch at most.
const FetchWindow = 32

var operationNames = []string{
	"take", "give up", "set", "adopt", "roll back", "verify", "check kick", "check walk", "fetch", "hold",
}

// String returns the operation in words.
func (o Operation) String() string { return coder.NameOf(uint8(o), operationNames) }

// Request asks a robot for something once. The computer repeats it every 100 ms, with the newest nonce, until the
// Answer arrives.
type Request struct {
	Operator  uint32 // page
	Nonce     uint64 // nonce of a Management that the robot sent in the last 2 s
	Number    uint32 // number of the page's request: 1, 2, 3 ...; the robot executes each once, in order
	Operation Operation
	ID        uint64
	Value     float32
	Text      string // at most MaxText bytes
	Numbers   []float32
}

// Result is how a request ended.
type Result uint8

// The results.
const (
	Done     Result = iota
	Adjusted        // the robot took another value: the Answer has it
	Refused         // the Answer says why
	Missing         // the file is not complete
)

var resultNames = []string{"done", "adjusted", "refused", "missing"}

// String returns the result in words.
func (r Result) String() string { return coder.NameOf(uint8(r), resultNames) }

// Answer answers a Request. A robot repeats it for each repetition of the request.
type Answer struct {
	Operator uint32
	Number   uint32 // number of the request
	Result   Result
	Value    float32 // value of the parameter, as the robot read it back
	Revision uint32  // revision of the table after the request
	Text     string  // why it was refused or adjusted, at most MaxText bytes
	Missing  []uint32
}

// KickCheck reports a kick check, twice a second and at each change, with all tries so far.
type KickCheck struct {
	Run   uint32 // number of the run
	Kick  uint8  // number in the list
	Total uint8  // tries wanted
	State CheckState
	Speed float32 // m/s, asked of each kick
	// Place is where the ball lies before each kick, and the direction of the kick: m, rad, in the team frame.
	PlaceX, PlaceY, PlaceTheta float32
	Note                       string // text for people, at most MaxText bytes
	Tries                      []KickTry
}

// CheckState is the state of a check.
type CheckState uint8

// The states of a check.
const (
	Preparing CheckState = iota // the robot goes to its start
	Executing
	Measuring
	Finished
	Aborted      // Note says why
	AwaitingBall // kick check: somebody puts the ball at its place
)

var checkNames = []string{"preparing", "executing", "measuring", "finished", "aborted", "waiting"}

// String returns the state in words.
func (s CheckState) String() string { return coder.NameOf(uint8(s), checkNames) }

// KickTry is one measured kick.
type KickTry struct {
	OK       bool
	Inside   bool    // the ball came to rest inside the field: Distance holds
	Speed    float32 // m/s at launch
	Angle    float32 // rad from the robot's heading, at launch; left is positive
	Distance float32 // m from the launch to the ball's rest
	Delay    float32 // s from the command to the ball's motion
	// Standard deviations of the measurements of Speed, Angle and Distance: m/s, rad, m.
	SpeedSigma, AngleSigma, DistanceSigma float32
	Ago                                   float32 // s, from the command to kick to the departure of the message
}

// LocomotionCheck reports a part of the path of a locomotion check, 5 times a second; the parts take turns.
type LocomotionCheck struct {
	Run    uint32
	Figure Figure
	Speed  float32 // m/s, or rad/s of a turn on the spot
	Size   float32 // m: way, radius or side of the figure
	Laps   float32 // times that the figure is driven
	Ago    float32 // s, from the start of the path to the departure of the message; 0: not started
	State  CheckState
	Note   string // at most MaxText bytes
	Total  uint16 // points so far
	First  uint16 // index of Path[0]
	Path   []PathPoint
}

// Figure is the path of a locomotion check.
type Figure uint8

// The figures.
const (
	Straight Figure = iota
	Sideways
	Turn
	Circle
	Square
	Eight
)

var figureNames = []string{"straight", "sideways", "turn", "circle", "square", "figure eight"}

// String returns the figure in words.
func (f Figure) String() string { return coder.NameOf(uint8(f), figureNames) }

// PathPoint is where a robot was: by its odometry since the start; and in the team frame where it should have been, and
// where it was by its localisation.
type PathPoint struct {
	Time                                float32 // s since the start
	OdometryX, OdometryY, OdometryTheta float32 // m, rad
	WorldKnown                          bool
	WorldX, WorldY, WorldTheta          float32 // m, rad
	WantX, WantY, WantTheta             float32
}
