package firasim

import "google.golang.org/protobuf/encoding/protowire"

// Addresses of SSL-Vision's packets.
const (
	SSLVisionVSS   = "224.5.23.2:10015" // of the cameras of Very Small Size leagues (vss-vision)
	SSLVisionGroup = "224.5.23.2:10006" // of SSL-Vision itself
	SSLVisionGrSim = "224.5.23.2:10020" // of grSim
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
	Boundary                                 int32 // from the touch lines to the walls
	PenaltyDepth, PenaltyWidth, CircleRadius int32 // 0: unknown
}

// GrSimPacket is grSim_Packet, the message of clients to grSim. A part whose Has is false is zero.
type GrSimPacket struct {
	HasCommands    bool
	Timestamp      float64 // of the sender's clock
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

// GrSimBall places the ball. A value whose Has is false stays as it is.
type GrSimBall struct {
	Value [4]float64 // x, y in m, vx, vy in m/s
	Has   [4]bool
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

var (
	sslParts = []part{
		sub(1, "detection", sslDetectionParts), sub(2, "geometry", sslGeometryParts),
		choice(3, "source", []string{"unknown", "other", "SSL-Vision", "vision processor", "grSim", "ER-Force"}),
	}
	sslDetectionParts = []part{
		need(integer(1, "frame_number", "")), need(double(2, "t_capture", "s")), need(double(3, "t_sent", "s")),
		need(integer(4, "camera_id", "")), list(5, "balls", sslBallParts), list(6, "robots_yellow", sslRobotParts),
		list(7, "robots_blue", sslRobotParts), double(8, "t_capture_camera", "s"),
	}
	sslBallParts = []part{
		need(float(1, "confidence", "")), integer(2, "area", ""), need(float(3, "x", "mm")), need(float(4, "y", "mm")),
		float(5, "z", "mm"), need(float(6, "pixel_x", "")), need(float(7, "pixel_y", "")),
	}
	sslRobotParts = []part{
		need(float(1, "confidence", "")), integer(2, "robot_id", ""), need(float(3, "x", "mm")),
		need(float(4, "y", "mm")), float(5, "orientation", "rad"), need(float(6, "pixel_x", "")),
		need(float(7, "pixel_y", "")), float(8, "height", "mm"),
	}
	sslGeometryParts = []part{
		need(sub(1, "field", []part{
			need(integer(1, "field_length", "mm")), need(integer(2, "field_width", "mm")),
			need(integer(3, "goal_width", "mm")), need(integer(4, "goal_depth", "mm")),
			need(integer(5, "boundary_width", "mm")), list(6, "field_lines", nil), list(7, "field_arcs", nil),
			integer(8, "penalty_area_depth", "mm"), integer(9, "penalty_area_width", "mm"),
			integer(10, "center_circle_radius", "mm"), integer(11, "line_thickness", "mm"),
			integer(12, "goal_center_to_penalty_mark", "mm"), integer(13, "goal_height", "mm"),
			float(14, "ball_radius", "mm"), float(15, "max_robot_radius", "mm"),
			integer(16, "boundary_width_goal_line", "mm"), integer(17, "goal_substitution_area_width", "mm"),
		})),
		list(2, "calib", nil), sub(3, "models", nil),
	}

	grSimParts = []part{
		sub(1, "commands", []part{
			need(double(1, "timestamp", "s")), need(choice(2, "isteamyellow", boolNames)),
			list(3, "robot_commands", grSimCommandParts),
		}),
		sub(2, "replacement", []part{sub(1, "ball", ballReplacementParts), list(2, "robots", grSimRobotParts)}),
	}
	grSimCommandParts = []part{
		need(integer(1, "id", "")), need(float(2, "kickspeedx", "m/s")), need(float(3, "kickspeedz", "m/s")),
		need(float(4, "veltangent", "m/s")), need(float(5, "velnormal", "m/s")), need(float(6, "velangular", "rad/s")),
		need(choice(7, "spinner", boolNames)), need(choice(8, "wheelsspeed", boolNames)), float(9, "wheel1", "rad/s"),
		float(10, "wheel2", "rad/s"), float(11, "wheel3", "rad/s"), float(12, "wheel4", "rad/s"),
	}
	grSimRobotParts = []part{
		need(double(1, "x", "m")), need(double(2, "y", "m")), need(double(3, "dir", "degrees")),
		need(integer(4, "id", "")), need(choice(5, "yellowteam", boolNames)), choice(6, "turnon", boolNames),
	}
)

func float(num protowire.Number, name, unit string) part {
	return part{num: num, name: name, unit: unit, typ: protowire.Fixed32Type}
}

func need(p part) part {
	p.needed = true
	return p
}
