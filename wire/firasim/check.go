package firasim

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
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
	l := listing{count: map[string]int{}}
	l.message(b, 0, "", k.table())
	r := rules{at: make(map[string]int, len(l.fields)), issues: l.issues}
	for _, f := range l.fields {
		r.at[f.Name] = f.Offset
	}
	if int(k) < len(datagrams) {
		datagrams[k].check(&datagrams[k], &r, b)
	}
	slices.SortStableFunc(r.issues, func(a, b wire.Issue) int { return cmp.Compare(a.Offset, b.Offset) })
	return r.issues
}

// rules collects the issues of values.
type rules struct {
	at     map[string]int // offsets of the fields by name
	issues []wire.Issue
}

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
			r.issues = append(r.issues, wire.Issue{Offset: d.limit, Source: d.source,
				Text: fmt.Sprintf("%d bytes: clients receive at most %d and lose the rest", len(b), d.limit)})
		}
		r.values(d.table, reflect.ValueOf(m).Elem(), "")
		own(r, m)
	}
}

func (r *rules) violation(name, source, format string, args ...any) {
	r.add(false, name, source, fmt.Sprintf(format, args...))
}

func (r *rules) note(name, source, text string) { r.add(true, name, source, text) }

// add adds an issue. The offset of an absent field is that of its message.
func (r *rules) add(note bool, name, source, text string) {
	at, found := 0, false
	for path := name; !found && path != ""; {
		at, found = r.at[path]
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	r.issues = append(r.issues, wire.Issue{Offset: at, Field: name, Source: source, Text: text, Note: note})
}

// values checks each value of a struct of t against its own rule.
func (r *rules) values(t *table, m reflect.Value, path string) {
	for i := range t.fields {
		f := &t.fields[i]
		if f.keeper == "" {
			continue
		}
		switch v := m.Field(f.index); {
		case f.inline:
			r.values(f.table, m, path+f.name+".")
		case f.list:
			for i := range v.Len() {
				r.values(f.table, v.Index(i), index(path+f.name, i)+".")
			}
		case f.table != nil:
			r.values(f.table, v, path+f.name+".")
		default:
			if v.Kind() == reflect.Array {
				v = v.Index(f.item)
			}
			r.value(f, v, path)
		}
	}
}

// value checks the number v of field f in the message at path.
func (r *rules) value(f *field, v reflect.Value, path string) {
	switch {
	case v.CanFloat() && f.ratio:
		if !isRatio(float32(v.Float())) {
			r.violation(path+f.name, sourceSSL, "%v: want 0 to 1", v)
		}
	case v.CanFloat():
		if !finite(v.Float()) {
			r.violation(path+f.name, sourceMessages, "%v: want a finite number", v)
		}
	case f.rule == nil:
	case v.CanUint() && v.Uint() > uint64(f.rule.most), v.CanInt() && uint32(v.Int()) > f.rule.most:
		r.violation(path+f.name, f.rule.source, f.rule.text, v, f.rule.most)
	}
}

// index returns the name of an element of a list.
func index(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }

func (r *rules) environment(m *Environment) {
	if !m.HasFrame {
		r.violation("frame", sourceMessages, "missing: it has the positions of the ball and the robots")
	} else if !m.Frame.HasBall {
		r.note("frame.ball", sourceMessages, "missing: the ball is not visible")
	}
	if m.Frame.Dropped > 0 {
		r.violation("frame", sourceClients, "%d robots more than the limit of %d a team", m.Frame.Dropped, MaxRobots)
	}
	r.ascending("frame.robots_yellow", m.Frame.Yellow)
	r.ascending("frame.robots_blue", m.Frame.Blue)
	if !m.HasField {
		r.violation("field", sourceField, "missing: every packet has it")
	}
}

func (r *rules) ascending(name string, robots []Robot) {
	for i := range robots {
		if o := robots[i].Orientation; finite(o) && !isHeading(o) {
			r.violation(index(name, i)+".orientation", sourceClients, "%v rad is not in (-pi, pi]", o)
		}
		if descends(robots, i) {
			r.violation(index(name, i)+".robot_id", sourceClients,
				"%d after %d: robots have ascending ids, because clients use them as indices", robots[i].ID, robots[i-1].ID)
		}
	}
}

func (r *rules) referee(*RefereeCommand) {} // each value has its own rule

func (r *rules) packet(m *Packet) {
	if !m.HasCommands && !m.HasReplacement {
		r.note("", sourceMessages, "neither commands nor a replacement: the packet has no effect")
	}
	if m.Dropped > 0 {
		r.violation("", sourceCommands, "%d more than the limits of %d commands and %d robots",
			m.Dropped, MaxCommands, MaxRobots)
	}
	if m.Replacement.HasBall && m.Replacement.Ball == (BallReplacement{}) {
		r.note("replace.ball", sourceCommands, "present and empty: this places the ball at (0, 0), at rest")
	}
	for i := range m.Replacement.Robots {
		p, path := &m.Replacement.Robots[i], index("replace.robots", i)
		if !p.HasPosition {
			r.note(path+".position", sourceCommands, "missing: this places robot 0 at (0, 0)")
		}
		if !p.TurnOn {
			r.note(path+".turnon", sourceCommands, "absent or false: this switches the robot off")
		}
		if p.Position.VX != 0 || p.Position.VY != 0 || p.Position.VOrientation != 0 {
			r.note(path+".position", sourceCommands, "has velocities, which have no effect in a replacement")
		}
		r.degrees(path+".position.orientation", p.Position.Orientation)
	}
}

func (r *rules) placement(m *Placement) {
	if !m.HasWorld {
		r.note("world", sourceReferee, "missing: the packet has no effect")
	}
	if m.Dropped > 0 {
		r.violation("world", sourceReferee, "%d robots more than the limit of %d", m.Dropped, MaxRobots)
	}
	for i, p := range m.Robots {
		path := index("world.robots", i)
		if p.ID <= MaxID && repeats(m.Robots, i) {
			r.violation(path+".robot_id", sourceReferee, "duplicate robot %d: a robot has one place", p.ID)
		}
		r.degrees(path+".orientation", p.Orientation)
	}
}

// degrees adds a note for an orientation that looks like radians: angles below 2 pi degrees are rare.
func (r *rules) degrees(name string, v float64) {
	if v != 0 && math.Abs(v) <= 2*math.Pi {
		r.note(name, sourceClients, fmt.Sprintf("%v looks like radians: orientations are in degrees here", v))
	}
}

func (r *rules) sslVision(m *SSLVision) {
	d := &m.Detection
	if !m.HasDetection && !m.HasGeometry {
		r.note("", sourceSSL, "neither a detection nor the field: the packet has no effect")
	}
	if d.Dropped > 0 || max(len(d.Balls), len(d.Yellow), len(d.Blue)) > MaxRobots {
		r.violation("detection", sourceSSL, "more than the limit of %d balls or robots a team", MaxRobots)
	}
	for i, b := range d.Balls {
		r.seen(index("detection.balls", i), b.Confidence, b.PixelX, b.PixelY)
	}
	for i := range d.Yellow {
		r.sslRobot(&d.Yellow[i], index("detection.robots_yellow", i))
	}
	for i := range d.Blue {
		r.sslRobot(&d.Blue[i], index("detection.robots_blue", i))
	}
}

func (r *rules) sslRobot(m *SSLRobot, path string) {
	r.seen(path, m.Confidence, m.PixelX, m.PixelY)
	if !m.HasID {
		r.note(path+".robot_id", sourceSSL, "missing: the camera did not recognise the robot's pattern")
	}
	switch v := m.Orientation; {
	case !m.HasOrientation:
		r.note(path+".orientation", sourceSSL, "missing: the robot's heading is unknown")
	case math.Abs(float64(v)) > 2*math.Pi:
		r.note(path+".orientation", sourceSSL, fmt.Sprintf("%v looks like degrees: orientations are in rad", v))
	}
}

// seen adds notes for values that receivers take for an object that was not seen.
func (r *rules) seen(path string, confidence, x, y float32) {
	switch {
	case !isRatio(confidence):
	case confidence == 0:
		r.note(path+".confidence", sourceDropped, "0: receivers take it for an object that was not seen")
	case x == 0 && y == 0:
		r.note(path+".pixel_x", sourceDropped,
			"the place in the picture is (0, 0): receivers take it for an object that was not seen")
	}
}

func (r *rules) grSim(m *GrSimPacket) {
	if !m.HasCommands && !m.HasReplacement {
		r.note("", sourceGrSim, "neither commands nor a replacement: the packet has no effect")
	}
	if m.Dropped > 0 || len(m.Commands) > MaxCommands || len(m.Robots) > MaxRobots {
		r.violation("", sourceGrSim, "more than the limits of %d commands and %d robots", MaxCommands, MaxRobots)
	}
	for i, c := range m.Commands {
		path := index("commands.robot_commands", i)
		switch {
		case c.ByWheel:
			r.note(path+".wheelsspeed", sourceGrSim,
				"true: the speeds of four wheels have no meaning for a robot with two, and touchline refuses them")
		case c.Normal != 0:
			r.note(path+".velnormal", sourceGrSim,
				fmt.Sprintf("%v m/s: a robot with two wheels cannot move sideways", c.Normal))
		}
	}
	for i, p := range m.Robots {
		path := index("replacement.robots", i)
		r.degrees(path+".dir", p.Dir)
		if p.Off {
			r.note(path+".turnon", sourceGrSim, "false: this switches the robot off")
		}
	}
}
