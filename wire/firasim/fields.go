package firasim

import (
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"touchline/wire"
)

// Kind is a message that fills a datagram. The port determines the kind, the bytes do not.
type Kind uint8

// The kinds.
const (
	KindEnvironment Kind = iota
	KindPacket
	KindRefereeCommand
	KindPlacement
	KindSSL
	KindGrSim
)

// String returns the name of the message, like "Environment".
func (k Kind) String() string {
	return nameOf(int32(k), []string{
		"Environment", "Packet", "VSSRef_Command", "VSSRef_Placement", "SSL_WrapperPacket", "grSim_Packet",
	})
}

// part is one numbered field of a message.
type part struct {
	num    protowire.Number
	name   string
	typ    protowire.Type
	unit   string
	parts  []part   // of a message; nil: its content is not decoded
	list   bool     // repeated
	needed bool     // required, in messages of proto2
	names  []string // of the values of an enumeration; "false" and "true" of a bool
}

var (
	boolNames = []string{"false", "true"}

	environmentParts = []part{
		integer(1, "step", "ms"), sub(2, "frame", frameParts), sub(3, "field", fieldParts),
		integer(4, "goals_blue", ""), integer(5, "goals_yellow", ""),
	}
	frameParts = []part{
		sub(1, "ball", ballParts), list(2, "robots_yellow", robotParts), list(3, "robots_blue", robotParts),
	}
	ballParts = []part{
		double(1, "x", "m"), double(2, "y", "m"), double(3, "z", "m"),
		double(4, "vx", "m/s"), double(5, "vy", "m/s"), double(6, "vz", "m/s"),
	}
	robotParts = []part{
		integer(1, "robot_id", ""), double(2, "x", "m"), double(3, "y", "m"), double(4, "orientation", "rad"),
		double(5, "vx", "m/s"), double(6, "vy", "m/s"), double(7, "vorientation", "rad/s"),
	}
	fieldParts = []part{
		double(1, "width", "m"), double(2, "length", "m"), double(3, "goal_width", "m"), double(4, "goal_depth", "m"),
		double(5, "center_radius", "m"), double(6, "penalty_width", "m"), double(7, "penalty_depth", "m"),
		double(8, "penalty_point", "m"),
	}

	packetParts = []part{
		sub(1, "cmd", []part{list(1, "robot_commands", commandParts)}),
		sub(2, "replace", []part{sub(1, "ball", ballReplacementParts), list(2, "robots", robotReplacementParts)}),
	}
	commandParts = []part{
		integer(1, "id", ""), choice(2, "yellowteam", boolNames),
		double(6, "wheel_left", "rad/s"), double(7, "wheel_right", "rad/s"),
	}
	ballReplacementParts = []part{
		double(1, "x", "m"), double(2, "y", "m"), double(3, "vx", "m/s"), double(4, "vy", "m/s"),
	}
	robotReplacementParts = []part{
		sub(1, "position", replacedParts), choice(5, "yellowteam", boolNames), choice(6, "turnon", boolNames),
	}
	replacedParts = []part{
		integer(1, "robot_id", ""), double(2, "x", "m"), double(3, "y", "m"), double(4, "orientation", "degrees"),
		double(5, "vx", "m/s"), double(6, "vy", "m/s"), double(7, "vorientation", "rad/s"),
	}

	refereeParts = []part{
		choice(1, "foul", foulNames), choice(2, "teamcolor", colorNames), choice(3, "foulQuadrant", quadrantNames),
		double(4, "timestamp", ""), choice(5, "gameHalf", halfNames),
	}
	placementParts = []part{
		sub(1, "world", []part{choice(1, "teamColor", colorNames), list(2, "robots", replacedParts[:4])}),
	}
)

func integer(num protowire.Number, name, unit string) part {
	return part{num: num, name: name, unit: unit, typ: protowire.VarintType}
}

func double(num protowire.Number, name, unit string) part {
	return part{num: num, name: name, unit: unit, typ: protowire.Fixed64Type}
}

func choice(num protowire.Number, name string, names []string) part {
	return part{num: num, name: name, typ: protowire.VarintType, names: names}
}

func sub(num protowire.Number, name string, parts []part) part {
	return part{num: num, name: name, typ: protowire.BytesType, parts: parts}
}

func list(num protowire.Number, name string, parts []part) part {
	return part{num: num, name: name, typ: protowire.BytesType, parts: parts, list: true}
}

// partsOf returns the fields of k, or nil.
func partsOf(k Kind) []part {
	switch k {
	case KindEnvironment:
		return environmentParts
	case KindPacket:
		return packetParts
	case KindRefereeCommand:
		return refereeParts
	case KindPlacement:
		return placementParts
	case KindSSL:
		return sslParts
	case KindGrSim:
		return grSimParts
	}
	return nil
}

// Fields returns the byte table of b, decoded as a message of kind k. It covers every byte of b in order. Names are
// those of the proto files with their path, like "frame.robots_blue[1].x". A message has an entry for its key and
// length, followed by its fields. Unknown fields are listed too, like "frame.9", and malformed bytes as "unreadable".
func Fields(k Kind, b []byte) []wire.Field {
	t := table{count: map[string]int{}}
	t.message(b, 0, "", partsOf(k))
	return t.fields
}

// table collects the fields of a message and its issues at the level of bytes.
type table struct {
	fields []wire.Field
	issues []wire.Issue   // independent of values
	count  map[string]int // occurrences of each name; of a list over all of its elements
}

// message adds the fields of b, which begins at byte at of the datagram.
func (t *table) message(b []byte, at int, path string, parts []part) {
	start, seen := at, uint64(0)
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			t.unreadable(at, path+"unreadable", len(b), n)
			return
		}
		num, typ := protowire.Number(key>>3), protowire.Type(key&7)
		var p *part
		for i := range parts {
			if parts[i].num == num {
				p = &parts[i]
				if typ == p.typ {
					seen |= 1 << i
				}
			}
		}
		switch {
		case p == nil:
			name := path + strconv.Itoa(int(num))
			t.fields = append(t.fields, wire.Field{Offset: at, Len: n, Name: name, Value: "unknown: " + typeName(typ)})
			if t.count[name]++; t.count[name] == 1 {
				t.issues = append(t.issues, wire.Issue{Offset: at, Field: name, Source: sourceMessages, Note: true,
					Text: fmt.Sprintf("unknown field number %d: receivers skip it", num)})
			}
		case typ != p.typ:
			t.fields = append(t.fields, wire.Field{
				Offset: at, Len: n, Name: path + p.name, Value: "skipped: " + typeName(typ),
			})
			t.issues = append(t.issues, wire.Issue{Offset: at, Field: path + p.name, Source: sourceMessages,
				Text: fmt.Sprintf("receivers skip it because it is %s: encode %s", typeName(typ), typeName(p.typ))})
		case typ == protowire.BytesType && p.parts == nil:
			t.fields = append(t.fields, wire.Field{
				Offset: at, Len: n, Name: t.name(path, p, at), Value: strconv.FormatUint(v, 10) + " (not kept)", Unit: "bytes",
			})
		case typ == protowire.BytesType:
			size := int(v)
			name := t.name(path, p, at)
			t.fields = append(t.fields, wire.Field{
				Offset: at, Len: n - size, Name: name, Value: strconv.Itoa(size), Unit: "bytes",
			})
			t.message(b[n-size:n], at+n-size, name+".", p.parts)
		default:
			t.fields = append(t.fields, wire.Field{
				Offset: at, Len: n, Name: t.name(path, p, at), Value: p.value(v), Unit: p.unit,
			})
		}
		b, at = b[n:], at+n
	}
	for i := range parts {
		if parts[i].needed && seen>>i&1 == 0 {
			t.issues = append(t.issues, wire.Issue{Offset: start, Field: path + parts[i].name, Source: sourceSSL,
				Text: "missing: it is required, and receivers refuse the whole packet without it"})
		}
	}
}

// name returns the name of the next occurrence of p with its index, and adds a note for the first duplicate.
func (t *table) name(path string, p *part, at int) string {
	name := path + p.name
	i := t.count[name]
	t.count[name]++
	switch {
	case p.list:
		name += "[" + strconv.Itoa(i) + "]"
	case i == 1 && p.typ == protowire.BytesType:
		t.issues = append(t.issues, wire.Issue{Offset: at, Field: name, Source: sourceWire, Note: true,
			Text: "duplicate: receivers merge it into the first one"})
	case i == 1:
		t.issues = append(t.issues, wire.Issue{Offset: at, Field: name, Source: sourceWire, Note: true,
			Text: "duplicate: receivers use the last one"})
	}
	return name
}

// unreadable adds n malformed bytes with the error code of protowire.
func (t *table) unreadable(at int, name string, n, code int) {
	t.fields = append(t.fields, wire.Field{Offset: at, Len: n, Name: name, Value: protowire.ParseError(code).Error()})
	t.issues = append(t.issues, wire.Issue{Offset: at, Field: name, Source: sourceWire,
		Text: fmt.Sprintf("parsing failed, this is not a field of a protobuf message: %v", protowire.ParseError(code))})
}

// value returns the value of a number.
func (p *part) value(v uint64) string {
	switch {
	case p.typ == protowire.Fixed64Type:
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case p.typ == protowire.Fixed32Type:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case p.names == nil:
		return strconv.FormatUint(uint64(uint32(v)), 10)
	case len(p.names) == 2:
		return strconv.FormatBool(v != 0)
	case within(int32(v), p.names):
		return fmt.Sprintf("%d (%s)", int32(v), p.names[int32(v)])
	}
	return strconv.Itoa(int(int32(v)))
}

// typeName returns the name of a wire type.
func typeName(t protowire.Type) string {
	switch t {
	case protowire.VarintType:
		return "a varint"
	case protowire.Fixed64Type:
		return "8 bytes"
	case protowire.BytesType:
		return "bytes with a length"
	case protowire.StartGroupType:
		return "a group"
	}
	return "4 bytes"
}
