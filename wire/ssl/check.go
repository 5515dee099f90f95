package ssl

import (
	"math"
	"reflect"

	"touchline/wire"
	"touchline/wire/internal/protobuf"
	"touchline/wire/internal/sslvision"
)

// The sources of issues.
const (
	sourceWire       = "Protocol Buffers, Encoding"
	sourceCommon     = "SSL game controller, ssl_gc_common.proto"
	sourceReferee    = "SSL game controller, ssl_gc_referee_message.proto"
	sourceTracker    = "SSL game controller, ssl_vision_detection_tracked.proto"
	sourceSimulation = "SSL simulation protocol, messages"
	sourceRules      = "SSL Rules 2026, kicking"
)

// maxKickSpeed is the largest speed of a kick in m/s that SSL Rules 2026 allow.
const maxKickSpeed = 6.5

// The rules of Check.
var (
	ruleRatio = wire.Rule{Key: "ratio", Source: sourceTracker,
		Text: "%v: want 0 to 1"}
	ruleFinite = wire.Rule{Key: "finite", Source: sourceWire,
		Text: "%v: want a finite number"}
	ruleSyntax = wire.Rule{Key: "syntax", Source: sourceWire,
		Text: "parsing failed, this is not a field of a protobuf message: %v"}
	ruleUnknown = wire.Rule{Key: "unknown", Source: sourceWire, Note: true,
		Text: "unknown field number %d: receivers skip it"}
	ruleType = wire.Rule{Key: "type", Source: sourceWire,
		Text: "receivers skip it because it is %s: encode %s"}
	ruleRequired = wire.Rule{Key: "required", Source: sourceWire,
		Text: "missing: it is required, and receivers refuse the whole packet without it"}
	ruleMerged = wire.Rule{Key: "merged", Source: sourceWire, Note: true,
		Text: "duplicate: receivers merge it into the first one"}
	ruleRepeated = wire.Rule{Key: "repeated", Source: sourceWire, Note: true,
		Text: "duplicate: receivers use the last one"}
	ruleMany = wire.Rule{Key: "many", Source: sourceSimulation,
		Text: "a list has more than the limit of %d elements"}
	ruleNoFrame = wire.Rule{Key: "no-frame", Source: sourceTracker, Note: true,
		Text: "missing: the packet has no positions"}
	ruleMetres = wire.Rule{Key: "metres", Source: sourceTracker, Note: true,
		Text: "%v m looks like mm: trackers and simulators measure in m"}
	ruleTwice = wire.Rule{Key: "twice", Source: sourceTracker, Note: true,
		Text: "duplicate robot %v %d: receivers use one of them"}
	ruleDegrees = wire.Rule{Key: "degrees", Source: sourceTracker, Note: true,
		Text: "%v looks like degrees: orientations are in rad"}
	ruleOld = wire.Rule{Key: "old", Source: sourceReferee, Note: true,
		Text: "%v: the game controller does not send it any more"}
	ruleMicros = wire.Rule{Key: "micros", Source: sourceReferee, Note: true,
		Text: "%d is no time since 2001 in us of Unix time"}
	rulePlace = wire.Rule{Key: "place", Source: sourceReferee, Note: true,
		Text: "missing: a ball placement has a designated position"}
	ruleIdle = wire.Rule{Key: "idle", Source: sourceSimulation, Note: true,
		Text: "the packet has no effect"}
	ruleOneMove = wire.Rule{Key: "one-move", Source: sourceSimulation,
		Text: "several kinds of velocity: receivers use the last one in the bytes"}
	ruleKick = wire.Rule{Key: "kick", Source: sourceRules, Note: true,
		Text: "%v m/s is above the limit of 6.5 m/s"}

	rulesOfCheck = []wire.Rule{ruleRatio, ruleFinite, ruleSyntax, ruleUnknown, ruleType, ruleRequired, ruleMerged,
		ruleRepeated, ruleMany, ruleNoFrame, ruleMetres, ruleTwice, ruleDegrees, ruleOld, ruleMicros, rulePlace, ruleIdle,
		ruleOneMove, ruleKick, sslvision.RuleNothing, sslvision.RuleObjects, sslvision.RulePattern,
		sslvision.RuleHeadingMissing}

	rulesOfAll = protobuf.Rules{
		Ratio: &ruleRatio, Finite: &ruleFinite, Syntax: &ruleSyntax, Unknown: &ruleUnknown, Type: &ruleType,
		Required: &ruleRequired, Merged: &ruleMerged, Repeated: &ruleRepeated,
	}
)

// Check returns all issues of b, decoded as a message of kind k, by offset. Issues that do not disturb receivers are
// notes: unknown fields (once a number), duplicates, values that look like those of other units. For bytes that are not
// a protobuf message Check reports where parsing failed, and does not check values.
func Check(k Kind, b []byte) []wire.Issue {
	return rulesOfAll.Check(k.table(), b, func(v *protobuf.Values) {
		if int(k) < len(datagrams) {
			datagrams[k].check(datagrams[k].table, &rules{v}, b)
		}
	})
}

// rules collects the issues of values.
type rules struct{ *protobuf.Values }

// decoded returns a function that checks the values of bytes that decode as an M, in the end by its own rules.
func decoded[T any, M interface {
	*T
	UnmarshalBinary(b []byte) error
}](own func(*rules, M)) func(*protobuf.Table, *rules, []byte) {
	return func(t *protobuf.Table, r *rules, b []byte) {
		m := M(new(T))
		if m.UnmarshalBinary(b) != nil {
			return
		}
		r.Struct(t, reflect.ValueOf(m).Elem(), "")
		own(r, m)
	}
}

// many adds the issue that decoding dropped elements.
func (r *rules) many(dropped int) {
	if dropped > 0 {
		r.Add(&ruleMany, "", MaxObjects)
	}
}

func (r *rules) vision(m *Vision) { (*sslvision.Wrapper)(m).Check(r.Values) }

func (r *rules) tracker(m *Tracker) {
	r.many(m.Dropped)
	if !m.HasFrame {
		r.Add(&ruleNoFrame, "tracked_frame")
	}
	for i := range m.Frame.Balls {
		b := &m.Frame.Balls[i]
		r.metres(protobuf.Index("tracked_frame.balls", i)+".pos", b.X, b.Y)
	}
	for i := range m.Frame.Robots {
		p, path := &m.Frame.Robots[i], protobuf.Index("tracked_frame.robots", i)
		r.metres(path+".pos", p.X, p.Y)
		r.degrees(path+".orientation", p.Orientation)
		for k := range m.Frame.Robots[:i] {
			if q := &m.Frame.Robots[k]; q.ID == p.ID && q.Team == p.Team {
				r.Add(&ruleTwice, path+".robot_id", p.Team, p.ID)
				break
			}
		}
	}
}

// metres adds a note for a place that is not on a field of at most 12 x 9 m.
func (r *rules) metres(path string, values ...float32) {
	for i, v := range values {
		if math.Abs(float64(v)) > 20 {
			r.Add(&ruleMetres, path+"."+"xy"[i:i+1], v)
		}
	}
}

func (r *rules) degrees(path string, v float32) {
	if math.Abs(float64(v)) > 2*math.Pi {
		r.Add(&ruleDegrees, path, v)
	}
}

func (r *rules) referee(m *Referee) {
	r.many(m.Dropped)
	switch m.Command {
	case IndirectYellow, IndirectBlue, GoalYellow, GoalBlue:
		r.Add(&ruleOld, "command", m.Command)
	case PlacementYellow, PlacementBlue:
		if !m.HasPlace {
			r.Add(&rulePlace, "designated_position")
		}
	}
	if m.PacketTime < 1e15 || m.PacketTime > 1e17 {
		r.Add(&ruleMicros, "packet_timestamp", m.PacketTime)
	}
}

func (r *rules) simulatorCommand(m *SimulatorCommand) {
	r.many(m.Dropped)
	if !m.HasControl && !m.HasConfig {
		r.Add(&ruleIdle, "")
	}
	r.teleports(m, "control")
}

func (r *rules) teleports(m *SimulatorCommand, path string) {
	r.metres(path+".teleport_ball", m.Ball.Value[:2]...)
	for i := range m.Robots {
		p, at := &m.Robots[i], protobuf.Index(path+".teleport_robot", i)
		r.metres(at, p.Place[:2]...)
		r.degrees(at+".orientation", p.Place[2])
	}
}

func (r *rules) simulatorResponse(m *SimulatorResponse) { r.many(m.Dropped) }

func (r *rules) robotControl(m *RobotControl) {
	r.many(m.Dropped)
	if len(m.Commands) == 0 {
		r.Add(&ruleIdle, "")
	}
	r.commands(m, "")
}

func (r *rules) commands(m *RobotControl, path string) {
	for i := range m.Commands {
		c, at := &m.Commands[i], protobuf.Index(path+"robot_commands", i)
		if c.ways() > 1 {
			r.Add(&ruleOneMove, at+".move_command")
		}
		if c.KickSpeed > maxKickSpeed {
			r.Add(&ruleKick, at+".kick_speed", c.KickSpeed)
		}
	}
}

func (r *rules) robotControlResponse(m *RobotControlResponse) { r.many(m.Dropped) }

func (r *rules) syncRequest(m *SyncRequest) {
	r.many(m.Dropped)
	if !m.HasStep && !m.HasCommand && !m.HasRobots {
		r.Add(&ruleIdle, "")
	}
	r.teleports(&m.Command, "simulator_command.control")
	r.commands(&m.Robots, "robot_control.")
}

func (r *rules) syncResponse(m *SyncResponse) {
	r.many(m.Dropped)
	for i := range m.Detections {
		m.Detections[i].Check(r.Values, protobuf.Index("detection", i))
	}
}
