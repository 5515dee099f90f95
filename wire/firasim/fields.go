package firasim

import (
	"fmt"
	"math"
	"reflect"
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

// datagram describes the messages of a kind.
type datagram struct {
	name   string
	table  *table
	limit  int    // bytes of the receivers' buffer
	source string // source of limit
	check  func(d *datagram, r *rules, b []byte)
}

var datagrams = [...]datagram{
	KindEnvironment:    {"Environment", environmentTable, MaxVision, sourceClients, decoded((*rules).environment)},
	KindPacket:         {"Packet", packetTable, math.MaxInt, "", decoded((*rules).packet)},
	KindRefereeCommand: {"VSSRef_Command", refereeTable, math.MaxInt, "", decoded((*rules).referee)},
	KindPlacement:      {"VSSRef_Placement", placementTable, math.MaxInt, "", decoded((*rules).placement)},
	KindSSL:            {"SSL_WrapperPacket", sslTable, MaxVision, sourceVSSVision, decoded((*rules).sslVision)},
	KindGrSim:          {"grSim_Packet", grSimTable, math.MaxInt, "", decoded((*rules).grSim)},
}

// String returns the name of the message, like "Environment", or the number of an unknown kind.
func (k Kind) String() string {
	if int(k) >= len(datagrams) {
		return strconv.Itoa(int(k))
	}
	return datagrams[k].name
}

// table returns the fields of k, none for an unknown kind.
func (k Kind) table() *table {
	if int(k) >= len(datagrams) {
		return new(table)
	}
	return datagrams[k].table
}

// Fields returns the byte table of b, decoded as a message of kind k. It covers every byte of b in order. Names are
// those of the proto files with their path, like "frame.robots_blue[1].x". A message has an entry for its key and
// length, followed by its fields. Unknown fields are listed too, like "frame.9", and malformed bytes as "unreadable".
func Fields(k Kind, b []byte) []wire.Field {
	l := listing{count: map[string]int{}}
	l.message(b, 0, "", k.table())
	return l.fields
}

// listing collects the fields of a message and its issues at the level of bytes.
type listing struct {
	fields []wire.Field
	issues []wire.Issue   // independent of values
	count  map[string]int // occurrences of each name; of a list over all of its elements
}

func (l *listing) field(at, n int, name, value, unit string) {
	l.fields = append(l.fields, wire.Field{Offset: at, Len: n, Name: name, Value: value, Unit: unit})
}

func (l *listing) issue(rule *wire.Rule, at int, field string, values ...any) {
	l.issues = append(l.issues, rule.Issue(at, field, values...))
}

// message adds the fields of b, which begins at byte at of the datagram.
func (l *listing) message(b []byte, at int, path string, t *table) {
	start, seen := at, uint64(0)
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			problem := protowire.ParseError(n)
			l.field(at, len(b), path+"unreadable", problem.Error(), "")
			l.issue(&ruleSyntax, at, path+"unreadable", problem)
			return
		}
		num, typ := protowire.Number(key>>3), protowire.Type(key&7)
		i := t.find(num)
		switch {
		case i < 0:
			name := path + strconv.Itoa(int(num))
			l.field(at, n, name, "unknown: "+typeName(typ), "")
			if l.count[name]++; l.count[name] == 1 {
				l.issue(&ruleUnknown, at, name, num)
			}
		case typ != t.fields[i].typ:
			f := &t.fields[i]
			l.field(at, n, path+f.name, "skipped: "+typeName(typ), "")
			l.issue(&ruleType, at, path+f.name, typeName(typ), typeName(f.typ))
		default:
			seen |= 1 << i
			l.known(&t.fields[i], b[:n], v, at, path)
		}
		b, at = b[n:], at+n
	}
	for i := range t.fields {
		if f := &t.fields[i]; f.needed && seen>>i&1 == 0 {
			l.issue(&ruleRequired, start, path+f.name)
		}
	}
}

// find returns the index of a field, or -1.
func (t *table) find(num protowire.Number) int {
	for i := range t.fields {
		if t.fields[i].num == num {
			return i
		}
	}
	return -1
}

// known adds the field f with its value v, or the length v of its content at the end of b.
func (l *listing) known(f *field, b []byte, v uint64, at int, path string) {
	name := l.name(path, f, at)
	switch {
	case f.typ != protowire.BytesType:
		l.field(at, len(b), name, f.value(v), f.unit)
	case f.table == nil:
		l.field(at, len(b), name, strconv.FormatUint(v, 10)+" (not kept)", "bytes")
	default:
		head := len(b) - int(v)
		l.field(at, head, name, strconv.FormatUint(v, 10), "bytes")
		l.message(b[head:], at+head, name+".", f.table)
	}
}

// name returns the name of the next occurrence of f with its index, and adds a note for the first duplicate.
func (l *listing) name(path string, f *field, at int) string {
	name := path + f.name
	i := l.count[name]
	l.count[name]++
	switch {
	case f.list:
		name += "[" + strconv.Itoa(i) + "]"
	case i == 1 && f.typ == protowire.BytesType:
		l.issue(&ruleMerged, at, name)
	case i == 1:
		l.issue(&ruleRepeated, at, name)
	}
	return name
}

// value returns the value of a number.
func (f *field) value(v uint64) string {
	switch {
	case f.typ == protowire.Fixed64Type:
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case f.typ == protowire.Fixed32Type:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case f.truth:
		return strconv.FormatBool(v != 0)
	case f.names == nil:
		return strconv.FormatUint(uint64(uint32(v)), 10)
	case uint32(v) < uint32(len(f.names)):
		return fmt.Sprintf("%d (%s)", int32(v), f.names[int32(v)])
	}
	return strconv.Itoa(int(int32(v)))
}

var typeNames = [...]string{"a varint", "8 bytes", "bytes with a length", "a group", 5: "4 bytes"}

// typeName returns the name of a wire type.
func typeName(t protowire.Type) string { return typeNames[t] }

// words returns parts of the texts of rules: the names of wire types, and the errors of protowire by their numbers.
func words() map[string]string {
	m := map[string]string{}
	for t, name := range typeNames {
		m[strconv.Itoa(t)] = name
	}
	for n := -1; n > -6; n-- {
		m[strconv.Itoa(n)] = protowire.ParseError(n).Error()
	}
	return m
}

// ports are the destinations of the messages. A packet to CommandPort may be grSim's, too (IsGrSim).
var ports = []wire.Port{
	{Address: Vision, Type: int(KindEnvironment)}, {Address: VisionWiki, Type: int(KindEnvironment)},
	{Address: SSLVisionVSS, Type: int(KindSSL)}, {Address: SSLVisionGroup, Type: int(KindSSL)},
	{Address: SSLVisionGrSim, Type: int(KindSSL)}, {Address: fmt.Sprintf(":%d", CommandPort), Type: int(KindPacket)},
	{Address: Referee, Type: int(KindRefereeCommand)}, {Address: Placements, Type: int(KindPlacement)},
}

// Describe returns the byte tables of the messages; the type of a table is its Kind. Their Rules are those of Check.
func Describe() wire.Description {
	d := wire.Description{Rules: rulesOfCheck, Words: words(), Ports: ports}
	for k := range datagrams {
		d.Messages = append(d.Messages, wire.Message{Type: k, Name: datagrams[k].name, Rows: datagrams[k].table.rows()})
	}
	return d
}

var styleTruth = &wire.Style{Names: map[int64]string{0: "false"}, Other: "true", Alone: true}

// rows returns the rows of a message.
func (t *table) rows() []wire.Row {
	rows := make([]wire.Row, 0, len(t.fields))
	for i := range t.fields {
		f := &t.fields[i]
		r := wire.Row{Kind: wire.Varint, Name: f.name, Unit: f.unit, Num: int(f.num), Must: f.needed, Most: f.bound}
		switch {
		case f.typ == protowire.Fixed64Type:
			r.Kind, r.Size = wire.Fixed, 8
		case f.typ == protowire.Fixed32Type:
			r.Kind, r.Size = wire.Fixed, 4
		case f.truth:
			r.Style = styleTruth
		case f.names != nil:
			r.Style = &wire.Style{Names: wire.NamesOf(f.names)}
		case f.list:
			r.Kind = wire.Objects
		case f.typ == protowire.BytesType:
			r.Kind = wire.Nested
		}
		switch {
		case f.table != nil:
			r.Rows = f.table.rows()
		case f.keeper == "":
		case f.ratio:
			r.Range = &wire.Range{Key: ruleRatio.Key, Most: 1}
		case r.Kind == wire.Fixed:
			r.Range = &wire.Range{Key: ruleFinite.Key}
		case f.rule != nil:
			kept := t.typ.Field(f.index).Type.Kind()
			r.Range = &wire.Range{Most: float64(f.rule.most), Text: f.rule.text,
				Signed: kept >= reflect.Int && kept <= reflect.Int64}
		}
		rows = append(rows, r)
	}
	return rows
}
