package firasim

// Addresses of SSL-Vision's packets.
const (
	SSLVisionVSS   = "224.5.23.2:10015" // cameras of Very Small Size leagues (vss-vision)
	SSLVisionGroup = "224.5.23.2:10006" // SSL-Vision itself
	SSLVisionGrSim = "224.5.23.2:10020" // grSim
)

// maxSSLID is the largest id of SSL-Vision's patterns.
const maxSSLID = 15

// SSLVision is SSL_WrapperPacket: what a camera sees, and the size of the field. A part whose Has is false is zero.
type SSLVision struct {
	HasDetection bool
	Detection    SSLDetection
	HasGeometry  bool
	Geometry     SSLGeometry
}

// SSLDetection is SSL_DetectionFrame.
type SSLDetection struct {
	Number   uint32
	Captured float64 // s
	Sent     float64 // s
	Camera   uint32
	Balls    []SSLBall
	Yellow   []SSLRobot
	Blue     []SSLRobot
	Dropped  int // balls and robots beyond MaxRobots of each list that decoding dropped; not encoded
}

// SSLBall is a ball's position in mm, its place in the picture, and a confidence of 0 to 1. Area and height are not
// kept.
type SSLBall struct{ Confidence, X, Y, PixelX, PixelY float32 }

// SSLRobot is a robot's pose in mm and rad, its place in the picture, and a confidence of 0 to 1. Its height is not
// kept.
type SSLRobot struct {
	HasID            bool // false: the camera did not recognise the pattern
	ID               uint32
	HasOrientation   bool
	Confidence, X, Y float32
	Orientation      float32
	PixelX, PixelY   float32
}

// SSLGeometry is the field of SSL_GeometryData in mm. Lines, arcs, calibrations and models are not kept.
type SSLGeometry struct {
	Length, Width, GoalWidth, GoalDepth      int32
	Boundary                                 int32 // distance from the touch lines to the walls
	PenaltyDepth, PenaltyWidth, CircleRadius int32 // 0: unknown
}

// GrSimPacket is grSim_Packet, the message of clients to grSim. A part whose Has is false is zero.
type GrSimPacket struct {
	HasCommands    bool
	Timestamp      float64 // the sender's clock
	Yellow         bool    // the team of all commands
	Commands       []GrSimCommand
	HasReplacement bool
	HasBall        bool
	Ball           GrSimBall
	Robots         []GrSimRobot
	Dropped        int // commands and robots beyond their bounds that decoding dropped; not encoded
}

// GrSimCommand sets a robot's velocity in its own frame, or the speeds of its four wheels in rad/s.
type GrSimCommand struct {
	ID                       uint32
	KickX, KickZ             float32 // m/s
	Tangent, Normal, Angular float32 // m/s forwards, m/s to the left, rad/s
	Spinner                  bool
	ByWheel                  bool // Wheel counts, not the velocity
	Wheel                    [4]float32
}

// GrSimBall places the ball. A value whose HasValue is false stays as it is.
type GrSimBall struct {
	Value    [4]float64 // x, y in m, vx, vy in m/s
	HasValue [4]bool
}

// GrSimRobot places a robot. Off switches it off; grSim switches a robot on where turnon is absent.
type GrSimRobot struct {
	X, Y   float64 // m
	Dir    float64 // degrees
	ID     uint32
	Yellow bool
	Off    bool
}

// IsGrSim reports whether a packet of clients is a grSim_Packet, and not FIRASim's Packet: their first fields have
// different keys. A packet that only places the ball is the same in both, and IsGrSim reports false.
func IsGrSim(b []byte) bool {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return false
		}
		body := b[n-int(min(v, uint64(n))) : n]
		switch {
		case key == 1<<3|message && len(body) > 0:
			return body[0] == 1<<3|byte(fixed64) || body[0] == 2<<3 || body[0] == 3<<3|byte(message)
		case key == 2<<3|message && grSimReplacement(body):
			return true
		}
		b = b[n:]
	}
	return false
}

// grSimReplacement reports whether a replacement places a robot as grSim does: with its x first, not with a message.
func grSimReplacement(b []byte) bool {
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			return false
		}
		if key == 2<<3|message {
			return v > 0 && b[n-int(v)] == 1<<3|byte(fixed64)
		}
		b = b[n:]
	}
	return false
}
