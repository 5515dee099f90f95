package team

import "touchline/wire/internal/coder"

// maxSigmaRad, in rad, is the greatest standard deviation of an angle.
const maxSigmaRad = 3.1416

// Ranges of numbers. They keep a receiver's arithmetic finite and exceed all fields.
var (
	spanPosition = coder.NewSpan(-100, 100, "m")
	spanTravel   = coder.NewSpan(-1e6, 1e6, "m")
	spanDistance = coder.NewSpan(0, 1000, "m")
	spanAngle    = coder.NewSpan(-3.1416, 3.1416, "rad")
	spanTurn     = coder.NewSpan(0, 6.2832, "rad")
	spanSpeed    = coder.NewSpan(-100, 100, "m/s")
	spanSpin     = coder.NewSpan(-100, 100, "rad/s")
	spanKick     = coder.NewSpan(0, 100, "m/s")
	spanRise     = coder.NewSpan(0, 1.5708, "rad")
	spanShare    = coder.NewSpan(0, 1, "")
	spanAge      = coder.NewSpan(0, 1e6, "s")
	spanSigma    = coder.NewSpan(0, 100, "m")
	spanSigmaRad = coder.NewSpan(0, maxSigmaRad, "rad")
	spanVar      = coder.NewSpan(0, 1e6, "")
)

// Self is a robot's estimate of its own pose and velocity, in the team frame.
type Self struct {
	Known       bool // false: the robot does not know where it is, and all other fields are zero
	HasHeading  bool
	HasVelocity bool
	HasCov      bool
	X, Y        float32 // m
	Heading     float32 // rad; 0 faces the opponents' goal
	VX, VY      float32 // m/s
	VHeading    float32 // rad/s
	// Cov is the upper triangle of the covariance of x, y and heading (xx, xy, xh, yy, yh, hh), in m and rad.
	Cov        [6]float32
	Confidence float32 // probability in (0, 1]; 0: unknown
}

// Ball is a belief about the ball, in the team frame.
type Ball struct {
	Known       bool // false: all other fields are zero
	HasVelocity bool
	HasCov      bool
	X, Y, Z     float32 // m; Z is the height of its centre
	VX, VY, VZ  float32 // m/s
	// Cov is the upper triangle of the covariance of x, y, vx and vy (10 numbers), in m and m/s.
	Cov        [10]float32
	ZVar       float32 // variance of Z in m^2
	VZVar      float32 // variance of VZ in m^2/s^2
	Confidence float32 // probability in (0, 1] that it is the ball; 0: unknown
	Age        float32 // s since the newest measurement
	Sources    uint64  // robots whose measurements it contains: bit n is robot n
}

// Sighting is one object as one robot's camera measured it, in the robot's frame. A standard deviation of 0 is unknown.
type Sighting struct {
	Kind         Kind
	Number       uint8   // jersey number of a recognised robot; 0: unknown
	Range        float32 // m along the floor, from the robot's centre to the object's
	RangeSigma   float32 // m
	Bearing      float32 // rad; 0 is ahead, positive to the left
	BearingSigma float32 // rad
	Height       float32 // m, of the object's centre above the floor; 0: unknown
	HeightSigma  float32 // m
	Confidence   float32 // probability in (0, 1]; 0: unknown
}

// Kind is the kind of object of a Sighting or an Obstacle.
type Kind uint8

// The kinds of objects.
const (
	Unidentified Kind = iota // an obstacle, perhaps a robot
	TheBall
	Teammate
	Opponent
	Other // a person, a goalpost
)

var kindNames = []string{"unidentified", "ball", "teammate", "opponent", "other"}

// String returns the kind in words.
func (k Kind) String() string { return coder.NameOf(uint8(k), kindNames) }

// View is the sector of the floor that a camera saw: an unseen object inside it is probably gone. Width 0: unknown.
type View struct {
	Bearing float32 // rad, of its middle in the robot's frame
	Width   float32 // rad, 2 pi for an omnidirectional camera
	Range   float32 // m, to which it detects the ball
}

// Booking is the booking of the ball as one robot knows it (TeamChaos paper, section 4).
type Booking struct {
	Protocol  Protocol
	Booked    bool    // a robot has booked the ball
	Booker    uint8   // that robot; 0: none
	Distance  float32 // m, from the booker to the ball, as the booker sent it
	Timestamp uint64  // ns on the sender's clock, of the booking or its newest renewal; 0: none
	Epoch     uint32  // epoch of the lease
	Sequence  uint32  // number of the newest renewal
	Left      float32 // s until the lease expires
	Own       float32 // m, from the sender to the ball; 0: unknown
}

// Protocol is a way to book the ball.
type Protocol uint8

// The protocols.
const (
	NoBooking Protocol = iota
	Lease
	Literal // the rule as printed in TeamChaos paper, section 4
	Nearest
	Auction
)

var protocolNames = []string{"none", "lease", "literal", "nearest", "auction"}

// String returns the name of the protocol.
func (p Protocol) String() string { return coder.NameOf(uint8(p), protocolNames) }

// Obstacle is one obstacle of a robot's world, in the team frame.
type Obstacle struct {
	ID        uint16 // lasting identity on the sender; 0: none
	Kind      Kind
	Number    uint8      // jersey number of a recognised robot; 0: unknown
	X, Y      float32    // m
	VX, VY    float32    // m/s
	Cov       [3]float32 // xx, xy, yy of the position in m^2
	Existence float32    // probability
	Age       float32    // s since the newest measurement
}

// Peer is a teammate in a robot's world, in the team frame.
type Peer struct {
	Number     uint8
	Known      bool // its pose
	HasHeading bool
	Disagrees  bool    // it contradicts the others about what it sees
	Ignored    bool    // its claims to the ball: they contradict what the sender sees
	X, Y       float32 // m
	Heading    float32 // rad
	Age        float32 // s since its newest message
	Trust      float32 // 1: its measurements count fully; 0: not at all
	BiasX      float32 // m, estimated error of its position
	BiasY      float32 // m
	Since      float32 // s since it began to disagree

	// Only of an extended Debug.
	BiasHeading float32 // rad, estimated error of its heading
	What        Subject // about which it disagrees
	By          float32 // m, how far that lies from what the others report
}

// Dispute says how the sender itself contradicts its teammates.
type Dispute struct {
	What  Subject
	Since float32 // s since it began
	By    float32 // m, how far its reports lie from theirs
}

// Subject is the part of a robot's reports that contradicts those of others.
type Subject uint8

// The subjects.
const (
	NoSubject Subject = iota
	BallSubject
	PoseSubject // and with it all that the robot sees
)

var subjectNames = []string{"none", "ball", "pose"}

// String returns the subject in words.
func (s Subject) String() string { return coder.NameOf(uint8(s), subjectNames) }

// Goal is the newest goal that the sender saw.
type Goal struct {
	By          Side    // side that scored: ours if the ball is in the opponents' goal
	Age         float32 // s since the ball crossed the line
	Probability float32 // probability that it is a goal
}

var (
	selfFlags = []string{"known", "heading", "velocity", "covariance"}
	ballFlags = []string{"known", "velocity", "covariance"}
	selfCovs  = []string{"cov_xx", "cov_xy", "cov_xh", "cov_yy", "cov_yh", "cov_hh"}
	ballCovs  = []string{
		"cov_xx", "cov_xy", "cov_xvx", "cov_xvy", "cov_yy", "cov_yvx", "cov_yvy", "cov_vxvx", "cov_vxvy", "cov_vyvy",
	}
	planeCovs    = []string{"cov_xx", "cov_xy", "cov_yy"}
	bookingFlags = []string{"booked"}
	peerFlags    = []string{"pose", "heading", "disagrees", "ignored"}
)

func (m *Self) layout(c *coder.Coder) {
	c.In("self", -1)
	c.Flags(selfFlags, &m.Known, &m.HasHeading, &m.HasVelocity, &m.HasCov)
	heading, velocity := m.Known && m.HasHeading, m.Known && m.HasVelocity
	c.Float("x", m.Known, &m.X, &spanPosition)
	c.Float("y", m.Known, &m.Y, &spanPosition)
	c.Float("heading", heading, &m.Heading, &spanAngle)
	c.Float("vx", velocity, &m.VX, &spanSpeed)
	c.Float("vy", velocity, &m.VY, &spanSpeed)
	c.Float("vheading", velocity, &m.VHeading, &spanSpin)
	c.Covariance(selfCovs, m.Known && m.HasCov, m.Cov[:], 3)
	c.Float("confidence", m.Known, &m.Confidence, &spanShare)
	c.In("", -1)
}

func (m *Ball) layout(c *coder.Coder) {
	c.In("ball", -1)
	c.Flags(ballFlags, &m.Known, &m.HasVelocity, &m.HasCov)
	velocity := m.Known && m.HasVelocity
	c.Float("x", m.Known, &m.X, &spanPosition)
	c.Float("y", m.Known, &m.Y, &spanPosition)
	c.Float("z", m.Known, &m.Z, &spanPosition)
	c.Float("vx", velocity, &m.VX, &spanSpeed)
	c.Float("vy", velocity, &m.VY, &spanSpeed)
	c.Float("vz", velocity, &m.VZ, &spanSpeed)
	c.Covariance(ballCovs, m.Known && m.HasCov, m.Cov[:], 4)
	c.Float("var_z", m.Known && m.HasCov, &m.ZVar, &spanVar)
	c.Float("var_vz", m.Known && m.HasCov, &m.VZVar, &spanVar)
	c.Float("confidence", m.Known, &m.Confidence, &spanShare)
	c.Float("age", m.Known, &m.Age, &spanAge)
	c.Robots("sources", &m.Sources)
	c.In("", -1)
}

func (m *Sighting) layout(c *coder.Coder) {
	coder.Choice(c, "kind", &m.Kind, kindNames)
	c.Uint8("number", &m.Number)
	c.Float("range", true, &m.Range, &spanDistance)
	c.Float("range_sigma", true, &m.RangeSigma, &spanSigma)
	c.Float("bearing", true, &m.Bearing, &spanAngle)
	c.Float("bearing_sigma", true, &m.BearingSigma, &spanSigmaRad)
	c.Float("height", true, &m.Height, &spanPosition)
	c.Float("height_sigma", true, &m.HeightSigma, &spanSigma)
	c.Float("confidence", true, &m.Confidence, &spanShare)
}

func (m *View) layout(c *coder.Coder) {
	c.In("view", -1)
	c.Float("bearing", true, &m.Bearing, &spanAngle)
	c.Float("width", true, &m.Width, &spanTurn)
	c.Float("range", true, &m.Range, &spanDistance)
	c.In("", -1)
}

func (m *Booking) layout(c *coder.Coder) {
	c.In("booking", -1)
	c.Flags(bookingFlags, &m.Booked)
	coder.Choice(c, "protocol", &m.Protocol, protocolNames)
	c.Uint8("booker", &m.Booker)
	c.Float("distance", m.Booked, &m.Distance, &spanDistance)
	c.Uint64("timestamp", "ns", &m.Timestamp)
	c.Uint32("epoch", &m.Epoch)
	c.Uint32("sequence", &m.Sequence)
	c.Float("left", true, &m.Left, &spanAge)
	c.Float("own_distance", true, &m.Own, &spanDistance)
	c.In("", -1)
}

func (m *Obstacle) layout(c *coder.Coder) {
	c.Uint16("id", "", &m.ID)
	coder.Choice(c, "kind", &m.Kind, kindNames)
	c.Uint8("number", &m.Number)
	c.Float("x", true, &m.X, &spanPosition)
	c.Float("y", true, &m.Y, &spanPosition)
	c.Float("vx", true, &m.VX, &spanSpeed)
	c.Float("vy", true, &m.VY, &spanSpeed)
	c.Covariance(planeCovs, true, m.Cov[:], 2)
	c.Float("existence", true, &m.Existence, &spanShare)
	c.Float("age", true, &m.Age, &spanAge)
}

func (m *Peer) layout(c *coder.Coder) {
	c.Uint8("number", &m.Number)
	c.Flags(peerFlags, &m.Known, &m.HasHeading, &m.Disagrees, &m.Ignored)
	c.Float("x", m.Known, &m.X, &spanPosition)
	c.Float("y", m.Known, &m.Y, &spanPosition)
	c.Float("heading", m.Known && m.HasHeading, &m.Heading, &spanAngle)
	c.Float("age", true, &m.Age, &spanAge)
	c.Float("trust", true, &m.Trust, &spanShare)
	c.Float("bias_x", true, &m.BiasX, &spanPosition)
	c.Float("bias_y", true, &m.BiasY, &spanPosition)
	c.Float("since", m.Disagrees, &m.Since, &spanAge)
}

// extension visits the fields that only an extended Debug has.
func (m *Peer) extension(c *coder.Coder) {
	c.Float("bias_heading", true, &m.BiasHeading, &spanAngle)
	coder.Choice(c, "what", &m.What, subjectNames)
	c.Float("by", m.What != NoSubject, &m.By, &spanDistance)
}

func (m *Dispute) layout(c *coder.Coder) {
	c.In("dispute", -1)
	coder.Choice(c, "what", &m.What, subjectNames)
	c.Float("since", m.What != NoSubject, &m.Since, &spanAge)
	c.Float("by", m.What != NoSubject, &m.By, &spanDistance)
	c.In("", -1)
}

func (m *Goal) layout(c *coder.Coder) {
	c.In("goal", -1)
	coder.Choice(c, "by", &m.By, sideNames)
	c.Float("age", m.By != NoSide, &m.Age, &spanAge)
	c.Float("probability", m.By != NoSide, &m.Probability, &spanShare)
	c.In("", -1)
}
