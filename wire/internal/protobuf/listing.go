package protobuf

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"touchline/wire"
)

// Rules are the rules that each protobuf message has, with the sources of a protocol.
type Rules struct {
	Ratio, Finite    *wire.Rule // of values: the value
	Syntax           *wire.Rule // the error
	Unknown          *wire.Rule // the field's number
	Type             *wire.Rule // the names of both types
	Required         *wire.Rule
	Merged, Repeated *wire.Rule // a duplicate of a message, and of a value
}

// Listing is the fields of a message and its issues at the level of bytes.
type Listing struct {
	Fields []wire.Field
	Issues []wire.Issue // independent of values
	rules  *Rules
	count  map[string]int // occurrences of each name; of a list over all of its elements
}

// List lists a message. The fields cover every byte of b in order. A message has an entry for its key and length,
// followed by its fields. Unknown fields are listed too, like "frame.9", and malformed bytes as "unreadable".
func (r *Rules) List(t *Table, b []byte) Listing {
	l := Listing{rules: r, count: map[string]int{}}
	l.message(b, 0, "", t)
	return l
}

func (l *Listing) field(at, n int, name, value, unit string) {
	l.Fields = append(l.Fields, wire.Field{Offset: at, Len: n, Name: name, Value: value, Unit: unit})
}

func (l *Listing) issue(rule *wire.Rule, at int, field string, values ...any) {
	l.Issues = append(l.Issues, rule.Issue(at, field, values...))
}

// message adds the fields of b, which begins at byte at of the datagram.
func (l *Listing) message(b []byte, at int, path string, t *Table) {
	start, seen := at, uint64(0)
	for len(b) > 0 {
		key, v, n := Next(b)
		if n < 0 {
			problem := protowire.ParseError(n)
			l.field(at, len(b), path+"unreadable", problem.Error(), "")
			l.issue(l.rules.Syntax, at, path+"unreadable", problem)
			return
		}
		num, typ := protowire.Number(key>>3), protowire.Type(key&7)
		i := t.find(num)
		switch {
		case i < 0:
			name := path + strconv.Itoa(int(num))
			l.field(at, n, name, "unknown: "+typeName(typ), "")
			if l.count[name]++; l.count[name] == 1 {
				l.issue(l.rules.Unknown, at, name, num)
			}
		case typ != t.fields[i].typ:
			f := &t.fields[i]
			l.field(at, n, path+f.name, "skipped: "+typeName(typ), "")
			l.issue(l.rules.Type, at, path+f.name, typeName(typ), typeName(f.typ))
		default:
			seen |= 1 << i
			l.known(&t.fields[i], b[:n], v, at, path)
		}
		b, at = b[n:], at+n
	}
	for i := range t.fields {
		if f := &t.fields[i]; f.needed && seen>>i&1 == 0 {
			l.issue(l.rules.Required, start, path+f.name)
		}
	}
}

// known adds the field f with its value v, or the length v of its content at the end of b.
func (l *Listing) known(f *Field, b []byte, v uint64, at int, path string) {
	name := l.name(path, f, at)
	head := len(b) - int(min(v, uint64(len(b))))
	switch {
	case f.typ != protowire.BytesType:
		l.field(at, len(b), name, f.value(v), f.unit)
	case f.text && !f.hidden:
		l.field(at, len(b), name, wire.Printable(string(b[head:])), "")
	case f.packed:
		l.numbers(f, b, head, at, name)
	case f.table == nil: // not decoded, or hidden
		l.field(at, len(b), name, strconv.FormatUint(v, 10)+" (not shown)", "bytes")
	default:
		l.field(at, head, name, strconv.FormatUint(v, 10), "bytes")
		l.message(b[head:], at+head, name+".", f.table)
	}
}

// numbers adds a packed list.
func (l *Listing) numbers(f *Field, b []byte, head, at int, name string) {
	var list []uint32
	dropped := 0
	text := ""
	if n := MergeNumbers(&list, b[head:], f.bound, &dropped); n < 0 {
		text = protowire.ParseError(n).Error()
		l.issue(l.rules.Syntax, at+head, name, text)
	} else {
		text = fmt.Sprint(list)
	}
	l.field(at, len(b), name, text, f.unit)
}

// name returns the name of the next occurrence of f with its index, and adds a note for the first duplicate.
func (l *Listing) name(path string, f *Field, at int) string {
	name := path + f.name
	i := l.count[name]
	l.count[name]++
	switch {
	case f.list:
		name += "[" + strconv.Itoa(i) + "]"
	case f.packed: // a list
	case i == 1 && f.typ == protowire.BytesType && !f.text:
		l.issue(l.rules.Merged, at, name)
	case i == 1:
		l.issue(l.rules.Repeated, at, name)
	}
	return name
}

// value returns the value of a number.
func (f *Field) value(v uint64) string {
	switch {
	case f.typ == protowire.Fixed64Type:
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case f.typ == protowire.Fixed32Type:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case f.truth:
		return strconv.FormatBool(v != 0)
	case f.zigzag:
		return strconv.FormatInt(Signed(v), 10)
	case f.signed:
		return strconv.FormatInt(int64(v), 10)
	case f.wide:
		return strconv.FormatUint(v, 10)
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

// Words returns parts of the texts of rules: the names of wire types, and the errors of protowire by their numbers.
func Words() map[string]string {
	m := map[string]string{}
	for t, name := range typeNames {
		m[strconv.Itoa(t)] = name
	}
	for n := -1; n >= -6; n-- {
		m[strconv.Itoa(n)] = protowire.ParseError(n).Error()
	}
	return m
}

var styleTruth = &wire.Style{Names: map[int64]string{0: "false"}, Other: "true", Alone: true}

// Rows returns the rows of a message.
func (r *Rules) Rows(t *Table) []wire.Row {
	rows := make([]wire.Row, 0, len(t.fields))
	for i := range t.fields {
		f := &t.fields[i]
		row := wire.Row{Kind: f.rowKind(), Name: f.name, Unit: f.unit, Num: int(f.num), Must: f.needed}
		if f.keeper != "" {
			row.Most = f.bound
		}
		switch {
		case f.typ == protowire.Fixed64Type:
			row.Size = 8
		case f.typ == protowire.Fixed32Type:
			row.Size = 4
		case f.wide:
			row.Size = 8
		case f.truth:
			row.Style = styleTruth
		case f.names != nil:
			row.Style = &wire.Style{Names: wire.NamesOf(f.names)}
		}
		switch {
		case f.table != nil:
			row.Rows = r.Rows(f.table)
		case f.keeper == "":
		case f.ratio:
			row.Range = &wire.Range{Key: r.Ratio.Key, Most: 1}
		case row.Kind == wire.Fixed:
			row.Range = &wire.Range{Key: r.Finite.Key}
		case f.rule != nil:
			kept := t.typ.Field(f.index).Type.Kind()
			row.Range = &wire.Range{Most: float64(f.rule.Most), Text: f.rule.Text,
				Signed: kept >= reflect.Int && kept <= reflect.Int64}
		}
		rows = append(rows, row)
	}
	return rows
}

// rowKind returns how the bytes of f are read.
func (f *Field) rowKind() wire.RowKind {
	switch {
	case f.typ == protowire.Fixed64Type, f.typ == protowire.Fixed32Type:
		return wire.Fixed
	case f.typ == protowire.VarintType && f.list:
		return wire.Varints
	case f.zigzag:
		return wire.ZigZag
	case f.signed:
		return wire.Signed
	case f.typ == protowire.VarintType:
		return wire.Varint
	case f.hidden:
		return wire.Bytes
	case f.text:
		return wire.String
	case f.packed:
		return wire.Packed
	case f.list:
		return wire.Objects
	}
	return wire.Nested
}
