package tcm

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is what an entity is.
type Kind uint8

// The kinds.
const (
	Robot    Kind = 1
	Computer Kind = 2
)

var kindNames = map[int64]string{int64(Robot): "robot", int64(Computer): "computer"}

// String returns "robot" or "computer".
func (k Kind) String() string {
	if name, ok := kindNames[int64(k)]; ok {
		return name
	}
	return "kind " + strconv.Itoa(int(k))
}

// Entity is a source or a destination.
type Entity struct {
	Kind Kind
	ID   uint8 // 1..255; 0: all of the kind
}

// String returns "robot:3", "computer:1", or "robots" and "computers" for all of the kind.
func (e Entity) String() string {
	if e.ID == 0 {
		return e.Kind.String() + "s"
	}
	return e.Kind.String() + ":" + strconv.Itoa(int(e.ID))
}

// ParseEntity parses the text that String returns.
func ParseEntity(text string) (Entity, error) {
	kind, id, one := strings.Cut(text, ":")
	n, err := strconv.ParseUint(id, 10, 8)
	valid := err == nil && n > 0 && id == strconv.FormatUint(n, 10)
	switch {
	case kind == "robot" && valid:
		return Entity{Robot, uint8(n)}, nil
	case kind == "computer" && valid:
		return Entity{Computer, uint8(n)}, nil
	case kind == "robots" && !one:
		return Entity{Kind: Robot}, nil
	case kind == "computers" && !one:
		return Entity{Kind: Computer}, nil
	}
	return Entity{}, fmt.Errorf(
		"%q is no robot or computer: write robot:1 to robot:255, computer:1 to computer:255, robots or computers", text)
}

// valid reports whether e is one entity.
func (e Entity) valid() bool { return (e.Kind == Robot || e.Kind == Computer) && e.ID > 0 }

// Socket is one of the four sockets of an entity. Its value is the offset of its port from the entity's base port.
type Socket uint8

// The sockets.
const (
	Robots    Socket = 0 // robot to robot
	Bulk      Socket = 1 // images and files
	Telemetry Socket = 2 // periodic data of which only the newest matters
	Command   Socket = 3 // small and urgent
	Sockets          = 4 // how many there are
)

var socketNames = [Sockets]string{Robots: "robots", Bulk: "bulk", Telemetry: "telemetry", Command: "command"}

// String returns "robots", "bulk", "telemetry" or "command".
func (s Socket) String() string {
	if s < Sockets {
		return socketNames[s]
	}
	return "socket " + strconv.Itoa(int(s))
}

// Module is a module of a robot's or a computer's program. From FirstOwnModule on, the numbers are a team's own.
type Module uint8

// The modules of a TeamChaos robot, and those of touchline.
const (
	Cmd     Module = 1 // commander: motors and sensors
	PAM     Module = 2 // perceptual anchoring
	HBM     Module = 3 // hierarchical behaviours
	GM      Module = 4 // global map
	HFSM    Module = 5 // hierarchical finite state machine
	TCM     Module = 6 // team communication
	GCtrl   Module = 7 // game controller
	Manager Module = 8 // manager on a computer
	Field   Module = 9 // simulated field

	FirstOwnModule Module = 64
)

var moduleNames = [...]string{
	Cmd: "Cmd", PAM: "PAM", HBM: "HBM", GM: "GM", HFSM: "HFSM", TCM: "TCM", GCtrl: "GCtrl", Manager: "Manager",
	Field: "Field",
}

// String returns the name of m, like "HFSM", or "module 64".
func (m Module) String() string {
	if m.known() {
		return moduleNames[m]
	}
	return "module " + strconv.Itoa(int(m))
}

func (m Module) known() bool { return int(m) < len(moduleNames) && moduleNames[m] != "" }

// Type is the type of a message. From FirstOwnType on, the numbers are a team's own.
type Type uint16

// The types.
const (
	Belief          Type = 1 // ball and self-localisation
	Measurements    Type = 2 // raw observations with the pose at capture time
	Status          Type = 3
	Debug           Type = 4
	Referee         Type = 5
	Sense           Type = 6 // from the field to a robot
	Motor           Type = 7 // from a robot to the field
	Directory       Type = 8 // text of TCM.ini; empty: a request
	BookingClaim    Type = 16
	BookingRelease  Type = 17
	BookingBelief   Type = 18
	Image           Type = 32
	File            Type = 33
	CameraParameter Type = 34
	Teleoperation   Type = 35
	KickCheck       Type = 36
	LocomotionCheck Type = 37
	Attend          Type = 38 // a manager is there, and what it wants
	Management      Type = 39 // a robot that can be managed
	Challenge       Type = 40 // the nonce for its driver
	Request         Type = 41 // an operator's request
	Answer          Type = 42 // answer to a request
	Overlay         Type = 43 // shapes over an image
	Scene           Type = 44 // from the field to a simulated camera; unknown: a request

	FirstOwnType Type = 1000
)

var typeNames = [...]string{
	Belief: "belief", Measurements: "measurements", Status: "status", Debug: "debug record", Referee: "referee",
	Sense: "sense", Motor: "motor", Directory: "directory", BookingClaim: "booking claim",
	BookingRelease: "booking release", BookingBelief: "booking belief", Image: "image", File: "file",
	CameraParameter: "camera parameter", Teleoperation: "teleoperation", KickCheck: "kick check",
	LocomotionCheck: "locomotion check", Attend: "attend", Management: "management", Challenge: "challenge",
	Request: "request", Answer: "answer", Overlay: "overlay", Scene: "scene",
}

// String returns the name of t, like "belief", or "type 1000".
func (t Type) String() string {
	if t.known() {
		return typeNames[t]
	}
	return "type " + strconv.Itoa(int(t))
}

func (t Type) known() bool { return int(t) < len(typeNames) && typeNames[t] != "" }
