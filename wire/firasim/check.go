package firasim

import (
	"math"
	"reflect"

	"touchline/wire"
	"touchline/wire/internal/protobuf"
	"touchline/wire/internal/sslvision"
)

// The sources of issues.
const (
	sourceWire      = "Protocol Buffers, Encoding"
	sourceMessages  = "FIRASim wiki 2020, messages"
	sourceClients   = "FIRASim, what its clients rely on"
	sourceCommands  = "FIRASim, commands and replacements"
	sourceReferee   = "VSSReferee, messages"
	sourceField     = "FIRASim, vision packets"
	sourceSSL       = sslvision.Source
	sourceGrSim     = "grSim, messages"
	sourceVSSVision = "vss-vision, what its clients rely on"
	sourceDropped   = "VSSS-Software, objects that it drops"
)

// The rules of Check.
var (
	ruleRatio = wire.Rule{Key: "ratio", Source: sourceSSL,
		Text: "%v: want 0 to 1"}
	ruleFinite = wire.Rule{Key: "finite", Source: sourceMessages,
		Text: "%v: want a finite number"}
	ruleFrame = wire.Rule{Key: "frame", Source: sourceMessages,
		Text: "missing: it has the positions of the ball and the robots"}
	ruleBall = wire.Rule{Key: "ball", Source: sourceMessages, Note: true,
		Text: "missing: the ball is not visible"}
	ruleRobots = wire.Rule{Key: "robots", Source: sourceClients,
		Text: "%d robots more than the limit of %d a team"}
	ruleField = wire.Rule{Key: "field", Source: sourceField,
		Text: "missing: every packet has it"}
	ruleHeading = wire.Rule{Key: "heading", Source: sourceClients,
		Text: "%v rad is not in (-pi, pi]"}
	ruleAscending = wire.Rule{Key: "ascending", Source: sourceClients,
		Text: "%d after %d: robots have ascending ids, because clients use them as indices"}
	ruleIdle = wire.Rule{Key: "idle", Source: sourceMessages, Note: true,
		Text: "neither commands nor a replacement: the packet has no effect"}
	ruleMany = wire.Rule{Key: "many", Source: sourceCommands,
		Text: "%d more than the limits of %d commands and %d robots"}
	ruleBallReset = wire.Rule{Key: "ball-reset", Source: sourceCommands, Note: true,
		Text: "present and empty: this places the ball at (0, 0), at rest"}
	rulePosition = wire.Rule{Key: "position", Source: sourceCommands, Note: true,
		Text: "missing: this places robot 0 at (0, 0)"}
	ruleTurnon = wire.Rule{Key: "turnon", Source: sourceCommands, Note: true,
		Text: "absent or false: this switches the robot off"}
	ruleVelocities = wire.Rule{Key: "velocities", Source: sourceCommands, Note: true,
		Text: "has velocities, which have no effect in a replacement"}
	ruleWorld = wire.Rule{Key: "world", Source: sourceReferee, Note: true,
		Text: "missing: the packet has no effect"}
	rulePlaces = wire.Rule{Key: "places", Source: sourceReferee,
		Text: "%d robots more than the limit of %d"}
	ruleTwice = wire.Rule{Key: "twice", Source: sourceReferee,
		Text: "duplicate robot %d: a robot has one place"}
	ruleRadians = wire.Rule{Key: "radians", Source: sourceClients, Note: true,
		Text: "%v looks like radians: orientations are in degrees here"}
	ruleConfidence = wire.Rule{Key: "confidence", Source: sourceDropped, Note: true,
		Text: "0: receivers take it for an object that was not seen"}
	rulePixel = wire.Rule{Key: "pixel", Source: sourceDropped, Note: true,
		Text: "the place in the picture is (0, 0): receivers take it for an object that was not seen"}
	ruleIdleGrsim = wire.Rule{Key: "idle-grsim", Source: sourceGrSim, Note: true,
		Text: "neither commands nor a replacement: the packet has no effect"}
	ruleCommands = wire.Rule{Key: "commands", Source: sourceGrSim,
		Text: "more than the limits of %d commands and %d robots"}
	ruleWheels = wire.Rule{Key: "wheels", Source: sourceGrSim, Note: true,
		Text: "true: the speeds of four wheels have no meaning for a robot with two, and touchline refuses them"}
	ruleNormal = wire.Rule{Key: "normal", Source: sourceGrSim, Note: true,
		Text: "%v m/s: a robot with two wheels cannot move sideways"}
	ruleOff = wire.Rule{Key: "off", Source: sourceGrSim, Note: true,
		Text: "false: this switches the robot off"}
	ruleSize = wire.Rule{Key: "size", Source: sourceClients,
		Text: "%d bytes: clients receive at most %d and lose the rest"}
	ruleSyntax = wire.Rule{Key: "syntax", Source: sourceWire,
		Text: "parsing failed, this is not a field of a protobuf message: %v"}
	ruleUnknown = wire.Rule{Key: "unknown", Source: sourceMessages, Note: true,
		Text: "unknown field number %d: receivers skip it"}
	ruleType = wire.Rule{Key: "type", Source: sourceMessages,
		Text: "receivers skip it because it is %s: encode %s"}
	ruleRequired = wire.Rule{Key: "required", Source: sourceSSL,
		Text: "missing: it is required, and receivers refuse the whole packet without it"}
	ruleMerged = wire.Rule{Key: "merged", Source: sourceWire, Note: true,
		Text: "duplicate: receivers merge it into the first one"}
	ruleRepeated = wire.Rule{Key: "repeated", Source: sourceWire, Note: true,
		Text: "duplicate: receivers use the last one"}

	rulesOfCheck = []wire.Rule{ruleRatio, ruleFinite, ruleFrame, ruleBall, ruleRobots, ruleField, ruleHeading,
		ruleAscending, ruleIdle, ruleMany, ruleBallReset, rulePosition, ruleTurnon,
		ruleVelocities, ruleWorld, rulePlaces, ruleTwice, ruleRadians, sslvision.RuleNothing,
		sslvision.RuleObjects, sslvision.RulePattern, sslvision.RuleHeadingMissing, sslvision.RuleDegrees,
		ruleConfidence, rulePixel,
		ruleIdleGrsim, ruleCommands, ruleWheels, ruleNormal, ruleOff, ruleSize, ruleSyntax,
		ruleUnknown, ruleType, ruleRequired, ruleMerged, ruleRepeated}
)

// Check returns all issues of b, decoded as a message of kind k, by offset. Issues that do not disturb receivers are
// notes: unknown fields (once a number), duplicates, a replacement that switches a robot off, degrees that look like
// radians. For bytes that are not a protobuf message Check reports where parsing failed, and does not check values.
func Check(k Kind, b []byte) []wire.Issue {
	return rulesOfAll.Check(k.table(), b, func(v *protobuf.Values) {
		if int(k) < len(datagrams) {
			datagrams[k].check(&datagrams[k], &rules{v}, b)
		}
	})
}

// rulesOfAll are the rules of each message.
var rulesOfAll = protobuf.Rules{
	Ratio: &ruleRatio, Finite: &ruleFinite, Syntax: &ruleSyntax, Unknown: &ruleUnknown, Type: &ruleType,
	Required: &ruleRequired, Merged: &ruleMerged, Repeated: &ruleRepeated,
}

// rules collects the issues of values.
type rules struct{ *protobuf.Values }

// decoded returns a function that checks the values of bytes that decode as an M, in the end by its own rules.
func decoded[T any, M interface {
	*T
	UnmarshalBinary(b []byte) error
}](own func(*rules, M)) func(*datagram, *rules, []byte) {
	return func(d *datagram, r *rules, b []byte) {
		m := M(new(T))
		if m.UnmarshalBinary(b) != nil {
			return
		}
		if len(b) > d.limit {
			issue := ruleSize.Issue(d.limit, "", len(b), d.limit)
			issue.Source = d.source
			r.Issues = append(r.Issues, issue)
		}
		r.Struct(d.table, reflect.ValueOf(m).Elem(), "")
		own(r, m)
	}
}

func (r *rules) environment(m *Environment) {
	if !m.HasFrame {
		r.Add(&ruleFrame, "frame")
	} else if !m.Frame.HasBall {
		r.Add(&ruleBall, "frame.ball")
	}
	if m.Frame.Dropped > 0 {
		r.Add(&ruleRobots, "frame", m.Frame.Dropped, MaxRobots)
	}
	r.ascending("frame.robots_yellow", m.Frame.Yellow)
	r.ascending("frame.robots_blue", m.Frame.Blue)
	if !m.HasField {
		r.Add(&ruleField, "field")
	}
}

func (r *rules) ascending(name string, robots []Robot) {
	for i := range robots {
		if o := robots[i].Orientation; protobuf.Finite(o) && !isHeading(o) {
			r.Add(&ruleHeading, protobuf.Index(name, i)+".orientation", o)
		}
		if descends(robots, i) {
			r.Add(&ruleAscending, protobuf.Index(name, i)+".robot_id", robots[i].ID, robots[i-1].ID)
		}
	}
}

func (r *rules) referee(*RefereeCommand) {} // each value has its own rule

func (r *rules) packet(m *Packet) {
	if !m.HasCommands && !m.HasReplacement {
		r.Add(&ruleIdle, "")
	}
	if m.Dropped > 0 {
		r.Add(&ruleMany, "", m.Dropped, MaxCommands, MaxRobots)
	}
	if m.Replacement.HasBall && m.Replacement.Ball == (BallReplacement{}) {
		r.Add(&ruleBallReset, "replace.ball")
	}
	for i := range m.Replacement.Robots {
		p, path := &m.Replacement.Robots[i], protobuf.Index("replace.robots", i)
		if !p.HasPosition {
			r.Add(&rulePosition, path+".position")
		}
		if !p.TurnOn {
			r.Add(&ruleTurnon, path+".turnon")
		}
		if p.Position.VX != 0 || p.Position.VY != 0 || p.Position.VOrientation != 0 {
			r.Add(&ruleVelocities, path+".position")
		}
		r.degrees(path+".position.orientation", p.Position.Orientation)
	}
}

func (r *rules) placement(m *Placement) {
	if !m.HasWorld {
		r.Add(&ruleWorld, "world")
	}
	if m.Dropped > 0 {
		r.Add(&rulePlaces, "world", m.Dropped, MaxRobots)
	}
	for i, p := range m.Robots {
		path := protobuf.Index("world.robots", i)
		if p.ID <= MaxID && repeats(m.Robots, i) {
			r.Add(&ruleTwice, path+".robot_id", p.ID)
		}
		r.degrees(path+".orientation", p.Orientation)
	}
}

// degrees adds a note for an orientation that looks like radians: angles below 2 pi degrees are rare.
func (r *rules) degrees(name string, v float64) {
	if v != 0 && math.Abs(v) <= 2*math.Pi {
		r.Add(&ruleRadians, name, v)
	}
}

func (r *rules) sslVision(m *SSLVision) {
	(*sslvision.Wrapper)(m).Check(r.Values)
	d := &m.Detection
	for i, b := range d.Balls {
		r.seen(protobuf.Index("detection.balls", i), b.Confidence, b.PixelX, b.PixelY)
	}
	for i, b := range d.Yellow {
		r.seen(protobuf.Index("detection.robots_yellow", i), b.Confidence, b.PixelX, b.PixelY)
	}
	for i, b := range d.Blue {
		r.seen(protobuf.Index("detection.robots_blue", i), b.Confidence, b.PixelX, b.PixelY)
	}
}

// seen adds notes for values that receivers take for an object that was not seen.
func (r *rules) seen(path string, confidence, x, y float32) {
	switch {
	case !protobuf.IsRatio(confidence):
	case confidence == 0:
		r.Add(&ruleConfidence, path+".confidence")
	case x == 0 && y == 0:
		r.Add(&rulePixel, path+".pixel_x")
	}
}

func (r *rules) grSim(m *GrSimPacket) {
	if !m.HasCommands && !m.HasReplacement {
		r.Add(&ruleIdleGrsim, "")
	}
	if m.Dropped > 0 || len(m.Commands) > MaxCommands || len(m.Robots) > MaxRobots {
		r.Add(&ruleCommands, "", MaxCommands, MaxRobots)
	}
	for i, c := range m.Commands {
		path := protobuf.Index("commands.robot_commands", i)
		switch {
		case c.ByWheel:
			r.Add(&ruleWheels, path+".wheelsspeed")
		case c.Normal != 0:
			r.Add(&ruleNormal, path+".velnormal", c.Normal)
		}
	}
	for i, p := range m.Robots {
		path := protobuf.Index("replacement.robots", i)
		r.degrees(path+".dir", p.Dir)
		if p.Off {
			r.Add(&ruleOff, path+".turnon")
		}
	}
}
