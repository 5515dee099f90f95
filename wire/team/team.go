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
	"touchline/wire/internal/coder"
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
	MaxBalls     = 16      // balls of measurements
	MaxSightings = 16      // obstacles of measurements
	MaxLines     = 64      // line points of a Sense
	MaxStates    = 16      // states of a Debug
	MaxObstacles = 32      // obstacles of a Debug
	MaxPeers     = 16      // peers of a Debug
	MaxName      = 32      // bytes of a state's name
	MaxText      = 100     // bytes of an intention or a referee's command
	MaxDirectory = 1 << 16 // bytes of a Directory's text
)

// Unknown is the value of a battery level that the sender does not know.
const Unknown = 255

// ErrVersion is the error of a message of another version.
var ErrVersion = errors.New("team: unknown version")

var protocol = coder.Protocol{Name: "team", Source: "TCM payloads", Version: Version, ErrVersion: ErrVersion}

// messages makes an empty message of each type.
var messages = map[uint16]struct {
	name  string
	empty func() layouter
}{
	TypeBelief:          {"belief", func() layouter { return new(Belief) }},
	TypeMeasurements:    {"measurements", func() layouter { return new(Measurements) }},
	TypeStatus:          {"status", func() layouter { return new(Status) }},
	TypeDebug:           {"debug record", func() layouter { return new(Debug) }},
	TypeReferee:         {"referee", func() layouter { return new(Referee) }},
	TypeSense:           {"sense", func() layouter { return new(Sense) }},
	TypeMotor:           {"motor", func() layouter { return new(Motor) }},
	TypeDirectory:       {"directory", func() layouter { return new(Directory) }},
	TypeFile:            {"file", func() layouter { return new(File) }},
	TypeImage:           {"image", func() layouter { return new(Image) }},
	TypeParameters:      {"parameters", func() layouter { return new(Parameters) }},
	TypeDrive:           {"teleoperation", func() layouter { return new(Drive) }},
	TypeKickCheck:       {"kick check", func() layouter { return new(KickCheck) }},
	TypeLocomotionCheck: {"locomotion check", func() layouter { return new(LocomotionCheck) }},
	TypeAttend:          {"attend", func() layouter { return new(Attend) }},
	TypeManagement:      {"management", func() layouter { return new(Management) }},
	TypeChallenge:       {"challenge", func() layouter { return new(Challenge) }},
	TypeRequest:         {"request", func() layouter { return new(Request) }},
	TypeAnswer:          {"answer", func() layouter { return new(Answer) }},
	TypeOverlay:         {"overlay", func() layouter { return new(Overlay) }},
	TypeScene:           {"scene", func() layouter { return new(Scene) }},
}

// The rules of the messages that are no rows alone. Package internal/dissector applies them, too, by their keys.
var (
	ruleUTF8       = wire.Rule{Key: "directory", Text: "not UTF-8"}
	ruleFileSize   = wire.Rule{Key: "file-size", Text: "%d: want at most %d"}
	ruleFileChunk  = wire.Rule{Key: "file-chunk", Text: "%d: want %d to %d"}
	ruleFileIndex  = wire.Rule{Key: "file-index", Text: "%d: the file has %d chunks"}
	ruleGeometry   = wire.Rule{Key: "image-geometry", Text: "%d: want %d to %d"}
	ruleRowsJPEG   = wire.Rule{Key: "image-jpeg", Text: "%d: want 16 for JPEG"}
	ruleRowsYCbCr  = wire.Rule{Key: "image-ycbcr", Text: "%d: want an even number for YCbCr"}
	ruleQuality    = wire.Rule{Key: "image-quality", Text: "0: want 1 to 100 for JPEG"}
	ruleSliceAt    = wire.Rule{Key: "image-at", Text: "team: pieces: a slice at byte %d of a piece: want %d or more"}
	ruleSliceIndex = wire.Rule{Key: "image-slice", Text: "team: pieces: slice %d: the picture has %d"}
	ruleCanonical  = wire.Rule{Key: "image-pieces",
		Text: "the slices are not where the layout places them, or padding is not 0"}

	specialRules = []wire.Rule{ruleUTF8, ruleFileSize, ruleFileChunk, ruleFileIndex, ruleGeometry, ruleRowsJPEG,
		ruleRowsYCbCr, ruleQuality, ruleSliceAt, ruleSliceIndex, ruleCanonical}
)

// layouter is a message.
type layouter interface{ layout(*coder.Coder) }

// Fields returns the byte table of b, decoded as a message of this type. It covers every byte of b in order. For an
// unknown type or version it returns nil.
func Fields(dataType uint16, b []byte) []wire.Field {
	m, ok := messages[dataType]
	if !ok {
		return nil
	}
	return protocol.Fields(b, m.empty().layout)
}

// Check returns the faults of b as a message of this type, by offset. A message of an unknown type is a note.
func Check(dataType uint16, b []byte) []wire.Issue {
	m, ok := messages[dataType]
	if !ok {
		return []wire.Issue{{Source: protocol.Source, Note: true,
			Text: fmt.Sprintf("type %d is not one of the messages 1 to 8 and 32 to 44", dataType)}}
	}
	return protocol.Check(b, m.name+" message", m.empty().layout)
}

// Describe returns the byte tables of the messages, by their types, and the rules of Check that no row has.
func Describe() wire.Description {
	d := wire.Description{Rules: append(coder.Rules(), specialRules...)}
	for dataType := range TypeScene + 1 {
		m, ok := messages[dataType]
		if !ok {
			continue
		}
		d.Messages = append(d.Messages, wire.Message{Type: int(dataType), Name: m.name,
			Rows: protocol.Describe(func() func(*coder.Coder) { return m.empty().layout })})
	}
	for i := range d.Rules {
		d.Rules[i].Source = protocol.Source
	}
	return d
}
