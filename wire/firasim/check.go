package firasim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"touchline/wire"
)

// The sources of issues.
const (
	sourceWire      = "Protocol Buffers, Encoding"
	sourceMessages  = "FIRASim wiki 2020, messages"
	sourceClients   = "FIRASim, what its clients rely on"
	sourceCommands  = "FIRASim, commands and replacements"
	sourceReferee   = "VSSReferee, messages"
	sourceField     = "FIRASim, vision packets"
	sourceSSL       = "SSL-Vision, messages"
	sourceGrSim     = "grSim, messages"
	sourceVSSVision = "vss-vision, what its clients rely on"
	sourceDropped   = "VSSS-Software, objects that it drops"
)

// Check returns all issues of b, decoded as a message of kind k, by offset. Issues that do not disturb receivers are
// notes: unknown fields (once a number), duplicates, a replacement that switches a robot off, degrees that look like
// radians. For bytes that are not a protobuf message Check reports where parsing failed, and does not check values.
func Check(k Kind, b []byte) []wire.Issue {
	t := table{count: map[string]int{}}
	t.message(b, 0, "", partsOf(k))
	r := rules{at: make(map[string]int, len(t.fields))}
	for _, f := range t.fields {
		r.at[f.Name] = f.Offset
	}
	switch k {
	case KindEnvironment:
		var m Environment
		if m.UnmarshalBinary(b) == nil {
			r.environment(&m, len(b))
		}
	case KindPacket:
		var m Packet
		if m.UnmarshalBinary(b) == nil {
			r.packet(&m)
		}
	case KindRefereeCommand:
		var m RefereeCommand
		if m.UnmarshalBinary(b) == nil {
			r.referee(&m)
		}
	case KindPlacement:
		var m Placement
		if m.UnmarshalBinary(b) == nil {
			r.placement(&m)
		}
	case KindSSL:
		var m SSLVision
		if m.UnmarshalBinary(b) == nil {
			r.sslVision(&m, len(b))
		}
	case KindGrSim:
		var m GrSimPacket
		if m.UnmarshalBinary(b) == nil {
			r.grSim(&m)
		}
	}
	issues := append(t.issues, r.issues...)
	slices.SortStableFunc(issues, func(a, b wire.Issue) int { return cmp.Compare(a.Offset, b.Offset) })
	return issues
}

// rules collects the issues of values.
type rules struct {
	at     map[string]int // offsets of the fields by name
	issues []wire.Issue
}

// add adds a violation or a note. The offset of an absent field is that of its message.
func (r *rules) add(note bool, name, source, format string, args ...any) {
	at, found := 0, false
	for path := name; !found && path != ""; {
		at, found = r.at[path]
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	text := fmt.Sprintf(format, args...)
	r.issues = append(r.issues, wire.Issue{Offset: at, Field: name, Source: source, Text: text, Note: note})
}

func (r *rules) environment(m *Environment, size int) {
	if size > MaxVision {
		r.issues = append(r.issues, wire.Issue{Offset: MaxVision, Source: sourceClients,
			Text: fmt.Sprintf("%d bytes: clients receive at most %d and lose the rest", size, MaxVision)})
	}
	if !m.HasFrame {
		r.add(false, "frame", sourceMessages, "missing: it has the positions of the ball and the robots")
	} else {
		r.frame(&m.Frame)
	}
	if !m.HasField {
		r.add(false, "field", sourceField, "missing: every packet has it")
		return
	}
	f := &m.Field
	r.numbers("field", fieldParts, f.Width, f.Length, f.GoalWidth, f.GoalDepth,
		f.CenterRadius, f.PenaltyWidth, f.PenaltyDepth, f.PenaltyPoint)
}

func (r *rules) frame(m *Frame) {
	if m.HasBall {
		b := &m.Ball
		r.numbers("frame.ball", ballParts, b.X, b.Y, b.Z, b.VX, b.VY, b.VZ)
	} else {
		r.add(true, "frame.ball", sourceMessages, "missing: the ball is not visible")
	}
	if m.Dropped > 0 {
		r.add(false, "frame", sourceClients, "%d robots more than the limit of %d a team", m.Dropped, MaxRobots)
	}
	r.team("frame.robots_yellow", m.Yellow)
	r.team("frame.robots_blue", m.Blue)
}

func (r *rules) team(name string, robots []Robot) {
	for i := range robots {
		m, path := &robots[i], name+"["+strconv.Itoa(i)+"]"
		r.id(path+".robot_id", m.ID, "VSSReferee crashes at larger ids")
		if i > 0 && m.ID <= robots[i-1].ID {
			r.add(false, path+".robot_id", sourceClients,
				"%d after %d: robots have ascending ids, because clients use them as indices", m.ID, robots[i-1].ID)
		}
		r.numbers(path, robotParts[1:], m.X, m.Y, m.Orientation, m.VX, m.VY, m.VOrientation)
		if o := m.Orientation; o > math.Pi && !math.IsInf(o, 1) || o <= -math.Pi && !math.IsInf(o, -1) {
			r.add(false, path+".orientation", sourceClients, "%v rad is not in (-pi, pi]", o)
		}
	}
}

func (r *rules) packet(m *Packet) {
	if !m.HasCommands && !m.HasReplacement {
		r.add(true, "", sourceMessages, "neither commands nor a replacement: the packet has no effect")
	}
	if m.Dropped > 0 {
		r.add(false, "", sourceCommands, "%d more than the limits of %d commands and %d robots",
			m.Dropped, MaxCommands, MaxRobots)
	}
	for i := range m.Commands {
		c, path := &m.Commands[i], "cmd.robot_commands["+strconv.Itoa(i)+"]"
		r.id(path+".id", c.ID, "the simulator ignores larger ids")
		r.numbers(path, commandParts[2:], c.Left, c.Right)
	}
	if m.Replacement.HasBall {
		b := &m.Replacement.Ball
		r.numbers("replace.ball", ballReplacementParts, b.X, b.Y, b.VX, b.VY)
		if *b == (BallReplacement{}) {
			r.add(true, "replace.ball", sourceCommands, "present and empty: this places the ball at (0, 0), at rest")
		}
	}
	for i := range m.Replacement.Robots {
		r.replaced(&m.Replacement.Robots[i], "replace.robots["+strconv.Itoa(i)+"]")
	}
}

func (r *rules) replaced(m *RobotReplacement, path string) {
	if !m.HasPosition {
		r.add(true, path+".position", sourceCommands, "missing: this places robot 0 at (0, 0)")
	}
	if !m.TurnOn {
		r.add(true, path+".turnon", sourceCommands, "absent or false: this switches the robot off")
	}
	p := &m.Position
	r.id(path+".position.robot_id", p.ID, "the simulator ignores larger ids")
	r.numbers(path+".position", replacedParts[1:], p.X, p.Y, p.Orientation, p.VX, p.VY, p.VOrientation)
	if p.VX != 0 || p.VY != 0 || p.VOrientation != 0 {
		r.add(true, path+".position", sourceCommands, "has velocities, which have no effect in a replacement")
	}
	r.degrees(path+".position.orientation", p.Orientation)
}

func (r *rules) referee(m *RefereeCommand) {
	r.choice("foul", int32(m.Foul), foulNames)
	r.choice("teamcolor", int32(m.Team), colorNames)
	r.choice("foulQuadrant", m.Quadrant, quadrantNames)
	r.numbers("", refereeParts[3:4], m.Timestamp)
	r.choice("gameHalf", int32(m.Half), halfNames)
}

func (r *rules) placement(m *Placement) {
	if !m.HasWorld {
		r.add(true, "world", sourceReferee, "missing: the packet has no effect")
	}
	r.choice("world.teamColor", int32(m.Team), colorNames[:2])
	if m.Dropped > 0 {
		r.add(false, "world", sourceReferee, "%d robots more than the limit of %d", m.Dropped, MaxRobots)
	}
	ids := uint64(0)
	for i := range m.Robots {
		p, path := &m.Robots[i], "world.robots["+strconv.Itoa(i)+"]"
		r.id(path+".robot_id", p.ID, "a team has no larger ids")
		if p.ID <= MaxID && ids>>p.ID&1 == 1 {
			r.add(false, path+".robot_id", sourceReferee, "duplicate robot %d: a robot has one place", p.ID)
		}
		ids |= 1 << p.ID
		r.numbers(path, replacedParts[1:4], p.X, p.Y, p.Orientation)
		r.degrees(path+".orientation", p.Orientation)
	}
}

func (r *rules) id(name string, id uint32, why string) {
	if id > MaxID {
		r.add(false, name, sourceClients, "invalid id %d: want 0 to %d; %s", id, MaxID, why)
	}
}

// numbers checks that the values of parts in the message at path are finite.
func (r *rules) numbers(path string, parts []part, values ...float64) {
	for i, v := range values {
		if finite(v) {
			continue
		}
		name := parts[i].name
		if path != "" {
			name = path + "." + name
		}
		r.add(false, name, sourceMessages, "%v: want a finite number", v)
	}
}

// degrees adds a note for an orientation that looks like radians: angles below 2 pi degrees are rare.
func (r *rules) degrees(name string, v float64) {
	if v != 0 && math.Abs(v) <= 2*math.Pi {
		r.add(true, name, sourceClients, "%v looks like radians: orientations are in degrees here", v)
	}
}

func (r *rules) choice(name string, v int32, names []string) {
	if !within(v, names) {
		r.add(false, name, sourceReferee, "unknown value %d: want 0 to %d", v, len(names)-1)
	}
}
