package protobuf

import (
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field is one numbered field of a message, and the field of a struct that keeps its value.
type Field struct {
	num    protowire.Number
	typ    protowire.Type
	name   string
	unit   string
	names  []string // names of the values of an enumeration
	truth  bool     // a bool
	ratio  bool     // a float from 0 to 1
	text   bool     // a string, kept as bytes
	hidden bool     // a text that Fields does not show
	packed bool     // a packed list of numbers
	zigzag bool     // an integer of a sint type
	signed bool     // an integer that is shown with its sign
	wide   bool     // an integer of 64 bits
	table  *Table   // table of a message; nil: its content is not decoded
	list   bool     // repeated
	bound  int      // elements of a list that are kept
	needed bool     // required, in messages of proto2
	always bool     // written where it is zero, too
	rule   *Range   // range of an integer; nil: any value

	keeper string // name of the struct's field; "" for none
	index  int    // number of the struct's field
	item   int    // item of a keeper that is an array
	flag   string // name of the struct's field for the presence of the value; "" for none
	inline bool   // a message whose fields are kept by the struct of the message around it
	off    bool   // the struct keeps the opposite of a bool that is always encoded
}

// Range is the range of an integer. The text of its violation is that of a wire.Range.
type Range struct {
	Most         uint32
	Source, Text string
}

// The constructors of fields. The last argument is the name of the struct's field that keeps the value. They are not
// inlined: that would double the size of the tables in the program.

// Integer is an unsigned integer of 32 bits.
//
//go:noinline
func Integer(num protowire.Number, name, unit, keeper string) *Field {
	return &Field{num: num, name: name, unit: unit, keeper: keeper, typ: protowire.VarintType}
}

// Wide is an unsigned integer of 64 bits.
//
//go:noinline
func Wide(num protowire.Number, name, unit, keeper string) *Field {
	f := Integer(num, name, unit, keeper)
	f.wide = true
	return f
}

// Int is a signed integer of the types int32 and int64.
//
//go:noinline
func Int(num protowire.Number, name, unit, keeper string) *Field {
	f := Wide(num, name, unit, keeper)
	f.signed = true
	return f
}

// Sint is a signed integer of the types sint32 and sint64.
//
//go:noinline
func Sint(num protowire.Number, name, unit, keeper string) *Field {
	f := Int(num, name, unit, keeper)
	f.zigzag = true
	return f
}

// Boolean is a bool.
//
//go:noinline
func Boolean(num protowire.Number, name, keeper string) *Field {
	return &Field{num: num, name: name, keeper: keeper, typ: protowire.VarintType, truth: true}
}

// Choice is an enumeration with names from 0 on. Values without a name break the rule.
//
//go:noinline
func Choice(num protowire.Number, name string, names []string, source, keeper string) *Field {
	return &Field{num: num, name: name, keeper: keeper, typ: protowire.VarintType, names: names,
		rule: &Range{uint32(len(names) - 1), source, UnknownValue}}
}

// UnknownValue is the text of a number that an enumeration does not have.
const UnknownValue = "unknown value %[1]d: want 0 to %[3]d"

// Double is a float of 8 bytes.
//
//go:noinline
func Double(num protowire.Number, name, unit, keeper string) *Field {
	return &Field{num: num, name: name, unit: unit, keeper: keeper, typ: protowire.Fixed64Type}
}

// Float is a float of 4 bytes.
//
//go:noinline
func Float(num protowire.Number, name, unit, keeper string) *Field {
	return &Field{num: num, name: name, unit: unit, keeper: keeper, typ: protowire.Fixed32Type}
}

// Ratio is a float from 0 to 1.
//
//go:noinline
func Ratio(num protowire.Number, name, keeper string) *Field {
	f := Float(num, name, "", keeper)
	f.ratio = true
	return f
}

// Text is a string, kept as bytes.
//
//go:noinline
func Text(num protowire.Number, name, keeper string) *Field {
	return &Field{num: num, name: name, keeper: keeper, typ: protowire.BytesType, text: true}
}

// Hidden lets Fields show the length of a text only.
//
//go:noinline
func Hidden(f *Field) *Field {
	f.hidden = true
	return f
}

// Numbers is a packed list of unsigned integers of 32 bits.
//
//go:noinline
func Numbers(num protowire.Number, name, unit, keeper string, bound int) *Field {
	return &Field{num: num, name: name, unit: unit, keeper: keeper, typ: protowire.BytesType, packed: true, bound: bound}
}

// Choices is a list of enumerations that is not packed. It keeps nothing.
//
//go:noinline
func Choices(num protowire.Number, name string, names []string) *Field {
	return &Field{num: num, name: name, typ: protowire.VarintType, names: names, list: true}
}

// Off is a bool whose absence means true. The struct keeps its opposite.
//
//go:noinline
func Off(num protowire.Number, name, keeper string) *Field {
	f := Boolean(num, name, keeper)
	f.off = true
	return f
}

// Sub is a message; with a nil table its content is not decoded.
//
//go:noinline
func Sub(num protowire.Number, name, keeper string, t *Table) *Field {
	return &Field{num: num, name: name, keeper: keeper, typ: protowire.BytesType, table: t}
}

// Part is a message whose fields the struct of the message around it keeps. flag is the field for its presence, "" for
// none.
//
//go:noinline
func Part(num protowire.Number, name, flag string, t *Table) *Field {
	return &Field{num: num, name: name, keeper: flag, flag: flag, inline: true, typ: protowire.BytesType, table: t}
}

// List is a repeated message of which bound elements are kept.
//
//go:noinline
func List(num protowire.Number, name, keeper string, bound int, t *Table) *Field {
	f := Sub(num, name, keeper, t)
	f.list, f.bound = true, bound
	return f
}

// Need makes a field required.
//
//go:noinline
func Need(f *Field) *Field {
	f.needed = true
	return f
}

// Limited gives an integer a range.
//
//go:noinline
func Limited(r *Range, f *Field) *Field {
	f.rule = r
	return f
}

// Table is the fields of a message and the struct that keeps them.
type Table struct {
	name   string // end of the names of the generated functions; tables that differ only in units and texts share them
	typ    reflect.Type
	fields []Field
	shared string // package of wire/internal that exports the functions; "" for those of the codec itself
}

// SharedBy marks t and returns it: its functions are those of a package of wire/internal.
func (t *Table) SharedBy(pkg string) *Table {
	t.shared = pkg
	return t
}

// TableOf returns the table of a message that T keeps. A field of T with Has before the name of another one is the flag
// of its presence. An array keeps as many fields as it has elements.
func TableOf[T any](name string, fields ...*Field) *Table {
	return tableOf(reflect.TypeFor[T](), name, fields)
}

//go:noinline
func tableOf(typ reflect.Type, name string, fields []*Field) *Table {
	t := &Table{name: name, typ: typ}
	for _, f := range fields {
		t.fields = append(t.fields, *f)
	}
	items := map[string]int{}
	for i := range t.fields {
		f := &t.fields[i]
		if f.keeper == "" {
			continue
		}
		keeper, _ := t.typ.FieldByName(f.keeper)
		f.index, f.item = keeper.Index[0], items[f.keeper]
		items[f.keeper]++
		if flag, ok := t.typ.FieldByName("Has" + f.keeper); ok {
			f.flag = flag.Name
		}
	}
	return t
}

// find returns the index of a field, or -1.
func (t *Table) find(num protowire.Number) int {
	for i := range t.fields {
		if t.fields[i].num == num {
			return i
		}
	}
	return -1
}

// Always lets the encoder write a field that is not required where it is zero, too.
//
//go:noinline
func Always(f *Field) *Field {
	f.always = true
	return f
}

// Flagged names the struct's field for the presence of a value, where it is not Has and the name of the keeper.
//
//go:noinline
func Flagged(flag string, f *Field) *Field {
	f.flag = flag
	return f
}
