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

func (l *listing) issue(note bool, at int, field, source, text string) {
	l.issues = append(l.issues, wire.Issue{Offset: at, Field: field, Source: source, Text: text, Note: note})
}

// message adds the fields of b, which begins at byte at of the datagram.
func (l *listing) message(b []byte, at int, path string, t *table) {
	start, seen := at, uint64(0)
	for len(b) > 0 {
		key, v, n := next(b)
		if n < 0 {
			problem := protowire.ParseError(n)
			l.field(at, len(b), path+"unreadable", problem.Error(), "")
			l.issue(false, at, path+"unreadable", sourceWire,
				fmt.Sprintf("parsing failed, this is not a field of a protobuf message: %v", problem))
			return
		}
		num, typ := protowire.Number(key>>3), protowire.Type(key&7)
		i := t.find(num)
		switch {
		case i < 0:
			name := path + strconv.Itoa(int(num))
			l.field(at, n, name, "unknown: "+typeName(typ), "")
			if l.count[name]++; l.count[name] == 1 {
				l.issue(true, at, name, sourceMessages,
					fmt.Sprintf("unknown field number %d: receivers skip it", num))
			}
		case typ != t.fields[i].typ:
			f := &t.fields[i]
			l.field(at, n, path+f.name, "skipped: "+typeName(typ), "")
			l.issue(false, at, path+f.name, sourceMessages,
				fmt.Sprintf("receivers skip it because it is %s: encode %s", typeName(typ), typeName(f.typ)))
		default:
			seen |= 1 << i
			l.known(&t.fields[i], b[:n], v, at, path)
		}
		b, at = b[n:], at+n
	}
	for i := range t.fields {
		if f := &t.fields[i]; f.needed && seen>>i&1 == 0 {
			l.issue(false, start, path+f.name, sourceSSL,
				"missing: it is required, and receivers refuse the whole packet without it")
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
		l.issue(true, at, name, sourceWire, "duplicate: receivers merge it into the first one")
	case i == 1:
		l.issue(true, at, name, sourceWire, "duplicate: receivers use the last one")
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

// Describe returns the byte tables of the messages; the type of a table is its Kind. Their Rules are those of Check.
func Describe() wire.Description {
	var d wire.Description
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
		if f.table != nil {
			r.Rows = f.table.rows()
		}
		rows = append(rows, r)
	}
	return rows
}
