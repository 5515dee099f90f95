package team

// maxSigmaRad, in rad, is the greatest standard deviation of an angle.
const maxSigmaRad = 3.1416

// Ranges of numbers. They keep a receiver's arithmetic finite and exceed all fields.
var (
	spanPosition = span{-100, 100, "m"}
	spanTravel   = span{-1e6, 1e6, "m"}
	spanDistance = span{0, 1000, "m"}
	spanAngle    = span{-3.1416, 3.1416, "rad"}
	spanTurn     = span{0, 6.2832, "rad"}
	spanSpeed    = span{-100, 100, "m/s"}
	spanSpin     = span{-100, 100, "rad/s"}
	spanKick     = span{0, 100, "m/s"}
	spanRise     = span{0, 1.5708, "rad"}
	spanShare    = span{0, 1, ""}
	spanAge      = span{0, 1e6, "s"}
	spanSigma    = span{0, 100, "m"}
	spanSigmaRad = span{0, maxSigmaRad, "rad"}
	spanCov      = span{-1e6, 1e6, ""}
	spanVar      = span{0, 1e6, ""}
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
func (k Kind) String() string { return nameOf(uint8(k), kindNames) }

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
	Epoch     uint32  // of the lease
	Sequence  uint32  // of the newest renewal
	Left      float32 // s until the lease expires
	Own       float32 // m, from the sender to the ball; 0: unknown
}

// Protocol is a way to book the ball.
type Protocol uint8

// The protocols.
const (
	NoBooking Protocol = iota
	Lease
	Literal // as TeamChaos paper, section 4, prints it
	Nearest
	Auction
)

var protocolNames = []string{"none", "lease", "literal", "nearest", "auction"}

// String returns the name of the protocol.
func (p Protocol) String() string { return nameOf(uint8(p), protocolNames) }

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
	Disagrees  bool    // with the others about what it sees
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
func (s Subject) String() string { return nameOf(uint8(s), subjectNames) }

// Goal is the newest goal that the sender saw.
type Goal struct {
	By          Side    // that scored: ours if the ball is in the opponents' goal
	Age         float32 // s since the ball crossed the line
	Probability float32 // that it did
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

func (m *Self) layout(c *coder) {
	c.in("self", -1)
	c.flags(selfFlags, &m.Known, &m.HasHeading, &m.HasVelocity, &m.HasCov)
	heading, velocity := m.Known && m.HasHeading, m.Known && m.HasVelocity
	c.float("x", m.Known, &m.X, &spanPosition)
	c.float("y", m.Known, &m.Y, &spanPosition)
	c.float("heading", heading, &m.Heading, &spanAngle)
	c.float("vx", velocity, &m.VX, &spanSpeed)
	c.float("vy", velocity, &m.VY, &spanSpeed)
	c.float("vheading", velocity, &m.VHeading, &spanSpin)
	c.covariance(selfCovs, m.Known && m.HasCov, m.Cov[:], 3)
	c.float("confidence", m.Known, &m.Confidence, &spanShare)
	c.in("", -1)
}

func (m *Ball) layout(c *coder) {
	c.in("ball", -1)
	c.flags(ballFlags, &m.Known, &m.HasVelocity, &m.HasCov)
	velocity := m.Known && m.HasVelocity
	c.float("x", m.Known, &m.X, &spanPosition)
	c.float("y", m.Known, &m.Y, &spanPosition)
	c.float("z", m.Known, &m.Z, &spanPosition)
	c.float("vx", velocity, &m.VX, &spanSpeed)
	c.float("vy", velocity, &m.VY, &spanSpeed)
	c.float("vz", velocity, &m.VZ, &spanSpeed)
	c.covariance(ballCovs, m.Known && m.HasCov, m.Cov[:], 4)
	c.float("var_z", m.Known && m.HasCov, &m.ZVar, &spanVar)
	c.float("var_vz", m.Known && m.HasCov, &m.VZVar, &spanVar)
	c.float("confidence", m.Known, &m.Confidence, &spanShare)
	c.float("age", m.Known, &m.Age, &spanAge)
	c.robots("sources", &m.Sources)
	c.in("", -1)
}

func (m *Sighting) layout(c *coder) {
	choice(c, "kind", &m.Kind, kindNames)
	c.uint8("number", &m.Number)
	c.float("range", true, &m.Range, &spanDistance)
	c.float("range_sigma", true, &m.RangeSigma, &spanSigma)
	c.float("bearing", true, &m.Bearing, &spanAngle)
	c.float("bearing_sigma", true, &m.BearingSigma, &spanSigmaRad)
	c.float("height", true, &m.Height, &spanPosition)
	c.float("height_sigma", true, &m.HeightSigma, &spanSigma)
	c.float("confidence", true, &m.Confidence, &spanShare)
}

func (m *View) layout(c *coder) {
	c.in("view", -1)
	c.float("bearing", true, &m.Bearing, &spanAngle)
	c.float("width", true, &m.Width, &spanTurn)
	c.float("range", true, &m.Range, &spanDistance)
	c.in("", -1)
}

func (m *Booking) layout(c *coder) {
	c.in("booking", -1)
	c.flags(bookingFlags, &m.Booked)
	choice(c, "protocol", &m.Protocol, protocolNames)
	c.uint8("booker", &m.Booker)
	c.float("distance", m.Booked, &m.Distance, &spanDistance)
	c.uint64("timestamp", "ns", &m.Timestamp)
	c.uint32("epoch", &m.Epoch)
	c.uint32("sequence", &m.Sequence)
	c.float("left", true, &m.Left, &spanAge)
	c.float("own_distance", true, &m.Own, &spanDistance)
	c.in("", -1)
}

func (m *Obstacle) layout(c *coder) {
	c.uint16("id", &m.ID)
	choice(c, "kind", &m.Kind, kindNames)
	c.uint8("number", &m.Number)
	c.float("x", true, &m.X, &spanPosition)
	c.float("y", true, &m.Y, &spanPosition)
	c.float("vx", true, &m.VX, &spanSpeed)
	c.float("vy", true, &m.VY, &spanSpeed)
	c.covariance(planeCovs, true, m.Cov[:], 2)
	c.float("existence", true, &m.Existence, &spanShare)
	c.float("age", true, &m.Age, &spanAge)
}

func (m *Peer) layout(c *coder) {
	c.uint8("number", &m.Number)
	c.flags(peerFlags, &m.Known, &m.HasHeading, &m.Disagrees, &m.Ignored)
	c.float("x", m.Known, &m.X, &spanPosition)
	c.float("y", m.Known, &m.Y, &spanPosition)
	c.float("heading", m.Known && m.HasHeading, &m.Heading, &spanAngle)
	c.float("age", true, &m.Age, &spanAge)
	c.float("trust", true, &m.Trust, &spanShare)
	c.float("bias_x", true, &m.BiasX, &spanPosition)
	c.float("bias_y", true, &m.BiasY, &spanPosition)
	c.float("since", m.Disagrees, &m.Since, &spanAge)
}

// extension visits the fields that only an extended Debug has.
func (m *Peer) extension(c *coder) {
	c.float("bias_heading", true, &m.BiasHeading, &spanAngle)
	choice(c, "what", &m.What, subjectNames)
	c.float("by", m.What != NoSubject, &m.By, &spanDistance)
}

func (m *Dispute) layout(c *coder) {
	c.in("dispute", -1)
	choice(c, "what", &m.What, subjectNames)
	c.float("since", m.What != NoSubject, &m.Since, &spanAge)
	c.float("by", m.What != NoSubject, &m.By, &spanDistance)
	c.in("", -1)
}

func (m *Goal) layout(c *coder) {
	c.in("goal", -1)
	choice(c, "by", &m.By, sideNames)
	c.float("age", m.By != NoSide, &m.Age, &spanAge)
	c.float("probability", m.By != NoSide, &m.Probability, &spanShare)
	c.in("", -1)
}
