package firasim

import (
	"touchline/wire/internal/protobuf"
	"touchline/wire/internal/sslvision"
)

// Addresses of SSL-Vision's packets.
const (
	SSLVisionVSS   = "224.5.23.2:10015" // cameras of Very Small Size leagues (vss-vision)
	SSLVisionGroup = "224.5.23.2:10006" // SSL-Vision itself
	SSLVisionGrSim = "224.5.23.2:10020" // grSim
)

// SSLVision is SSL_WrapperPacket: what a camera sees, and the size of the field. A part whose Has is false is zero.
type SSLVision sslvision.Wrapper

// The parts of SSLVision.
type (
	SSLDetection = sslvision.Detection // SSL_DetectionFrame
	SSLBall      = sslvision.Ball      // SSL_DetectionBall
	SSLRobot     = sslvision.Robot     // SSL_DetectionRobot
	SSLGeometry  = sslvision.Geometry  // SSL_GeometryFieldSize
)

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
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return false
		}
		body := b[n-int(min(v, uint64(n))) : n]
		switch {
		case key == 1<<3|protobuf.Message && len(body) > 0:
			return body[0] == 1<<3|byte(protobuf.Fixed64) || body[0] == 2<<3 || body[0] == 3<<3|byte(protobuf.Message)
		case key == 2<<3|protobuf.Message && grSimReplacement(body):
			return true
		}
		b = b[n:]
	}
	return false
}

// grSimReplacement reports whether a replacement places a robot as grSim does: with its x first, not with a message.
func grSimReplacement(b []byte) bool {
	for len(b) > 0 {
		key, v, n := protobuf.Next(b)
		if n < 0 {
			return false
		}
		if key == 2<<3|protobuf.Message {
			return v > 0 && b[n-int(v)] == 1<<3|byte(protobuf.Fixed64)
		}
		b = b[n:]
	}
	return false
}
