// Package team is the codec of the messages that the TCM carries between robots and computers of one team, and between
// the field and its robots (TeamChaos paper, section 3). Package tcm is the codec of the datagrams. docs/teamcom.md has
// the byte tables, docs/manager.md those of types 32 and 34 to 44.
//
//	type  message       sender to receiver    content
//	1     Belief        robot to robots       ball and self-localisation with covariances
//	2     Measurements  robot to robots       ball and obstacles as the camera measured them
//	3     Status        robot to computers    pose, target, intention, battery
//	4     Debug         robot to computers    active states, ball booking, percepts, world
//	5     Referee       computer to robots    the state of the game
//	6     Sense         field to robot        measurements of the robot's sensors
//	7     Motor         robot to field        velocity, kick, dribbler
//	8     Directory     both ways             text of TCM.ini; without text the request for it
//	32    Image         robot to computer     a picture
//	33    File          any to any            one chunk of a file
//	34    Parameters    robot to computer     a part of its table of parameters
//	35    Drive         computer to robot     teleoperation
//	36    KickCheck     robot to computer     measured kicks
//	37    LocomotionCheck  robot to computer  a measured path
//	38    Attend        computer to robot     a manager is there, and what it wants
//	39    Management    robot to computer     what can be managed, who holds the control
//	40    Challenge     robot to computer     the nonce for the operator who drives
//	41    Request       computer to robot     of an operator: take the control, set a parameter, ...
//	42    Answer        robot to computer     to a request
//	43    Overlay       robot to computer     shapes to draw over an Image
//	44    Scene         both ways             what lies before a simulated camera; unknown, the request for it
//
// Each message begins with a version byte, 1. Integers are little-endian; numbers with a unit are IEEE 754 single
// precision, little-endian. Units are SI: m, rad, m/s, rad/s, s. Poses are in the team frame (package soccer): x points
// to the opponents' goal, y to the left, angles are counter-clockwise from -pi to pi. Sightings, motor commands and
// odometry are in the robot's frame: x ahead, y to its left. Numbers that the flags declare unknown are 0.
//
// Messages contain no capture time of their own: the TCM carries it with each message, on the sender's clock.
//
// AppendBinary and UnmarshalBinary refuse NaN, infinite numbers, numbers out of range, matrices that are no covariance
// and texts with control characters; the error names the field. UnmarshalBinary accepts other deviations, which Check
// reports: reserved flags, enumerations with an unknown value, unused numbers that are not 0, and bytes after the last
// field, which later versions may add.
package team

import (
	"errors"
	"fmt"

	"touchline/wire"
)

// Version is the version byte of all messages.
const Version = 1

// Types of messages, as the TCM numbers them.
const (
	TypeBelief       uint16 = 1
	TypeMeasurements uint16 = 2
	TypeStatus       uint16 = 3
	TypeDebug        uint16 = 4
	TypeReferee      uint16 = 5
	TypeSense        uint16 = 6
	TypeMotor        uint16 = 7
	TypeDirectory    uint16 = 8
	TypeFile         uint16 = 33

	// Of the manager.
	TypeImage           uint16 = 32
	TypeParameters      uint16 = 34
	TypeDrive           uint16 = 35
	TypeKickCheck       uint16 = 36
	TypeLocomotionCheck uint16 = 37
	TypeAttend          uint16 = 38
	TypeManagement      uint16 = 39
	TypeChallenge       uint16 = 40
	TypeRequest         uint16 = 41
	TypeAnswer          uint16 = 42
	TypeOverlay         uint16 = 43
	TypeScene           uint16 = 44
)

// Bounds of messages. A message with more is refused.
const (
	MaxBalls     = 16      // of measurements
	MaxSightings = 16      // obstacles of measurements
	MaxLines     = 64      // line points of a Sense
	MaxStates    = 16      // of a Debug
	MaxObstacles = 32      // of a Debug
	MaxPeers     = 16      // of a Debug
	MaxName      = 32      // bytes of a state's name
	MaxText      = 100     // bytes of an intention or a referee's command
	MaxDirectory = 1 << 16 // bytes of a Directory's text
)

// Unknown is the value of a battery level that the sender does not know.
const Unknown = 255

// ErrVersion is the error of a message of another version.
var ErrVersion = errors.New("team: unknown version")

// source is the label of the rules.
const source = "TCM payloads"

// message is a pointer to one of the messages.
type message interface {
	AppendBinary([]byte) ([]byte, error)
	UnmarshalBinary([]byte) error
	DataType() uint16
	layout(*coder)
}

// newMessage returns an empty message of a type and its name, or nil for an unknown type.
func newMessage(dataType uint16) (message, string) {
	switch dataType {
	case TypeBelief:
		return new(Belief), "belief"
	case TypeMeasurements:
		return new(Measurements), "measurements"
	case TypeStatus:
		return new(Status), "status"
	case TypeDebug:
		return new(Debug), "debug record"
	case TypeReferee:
		return new(Referee), "referee"
	case TypeSense:
		return new(Sense), "sense"
	case TypeMotor:
		return new(Motor), "motor"
	case TypeDirectory:
		return new(Directory), "directory"
	case TypeFile:
		return new(File), "file"
	case TypeImage:
		return new(Image), "image"
	case TypeParameters:
		return new(Parameters), "parameters"
	case TypeDrive:
		return new(Drive), "teleoperation"
	case TypeKickCheck:
		return new(KickCheck), "kick check"
	case TypeLocomotionCheck:
		return new(LocomotionCheck), "locomotion check"
	case TypeAttend:
		return new(Attend), "attend"
	case TypeManagement:
		return new(Management), "management"
	case TypeChallenge:
		return new(Challenge), "challenge"
	case TypeRequest:
		return new(Request), "request"
	case TypeAnswer:
		return new(Answer), "answer"
	case TypeOverlay:
		return new(Overlay), "overlay"
	case TypeScene:
		return new(Scene), "scene"
	}
	return nil, ""
}

// Fields returns the byte table of b, decoded as a message of this type. It covers every byte of b in order. For an
// unknown type or version it returns nil.
func Fields(dataType uint16, b []byte) []wire.Field {
	m, _ := newMessage(dataType)
	if m == nil || len(b) == 0 || b[0] != Version {
		return nil
	}
	c := reader(b)
	c.listing = true
	m.layout(&c)
	if rest := len(b) - c.at; rest > 0 {
		name, value := "trailing", "skipped"
		if c.err != nil {
			name, value = "unreadable", c.err.Error()
		}
		c.fields = append(c.fields, wire.Field{Offset: c.at, Len: rest, Name: name, Value: value})
	}
	return c.fields
}

// Check returns the faults of b as a message of this type, by offset. A message of an unknown type is a note.
func Check(dataType uint16, b []byte) []wire.Issue {
	m, name := newMessage(dataType)
	if m == nil {
		return []wire.Issue{{Source: source, Note: true,
			Text: fmt.Sprintf("type %d is not one of the messages 1 to 8 and 32 to 44", dataType)}}
	}
	c := reader(b)
	c.strict = true
	m.layout(&c)
	rest := len(b) - c.at
	switch {
	case errors.Is(c.err, ErrVersion):
		return []wire.Issue{{Field: "version", Source: source, Text: fmt.Sprintf("%d: want %d", b[0], Version)}}
	case errors.Is(c.err, wire.ErrShort):
		c.issues = append(c.issues, wire.Issue{Offset: len(b), Source: source,
			Text: "a truncated " + name + " message: it ends before its last field"})
	case rest > 0 && c.err == nil:
		c.issues = append(c.issues, wire.Issue{Offset: c.at, Field: "trailing", Source: source, Note: true,
			Text: "bytes after the last field: receivers skip them"})
	}
	return c.issues
}
