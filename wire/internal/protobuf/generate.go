package protobuf

import (
	"fmt"
	"reflect"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Generate returns the Go functions, without formatting, that decode and encode the messages of tables. A codec's test
// keeps them in its generated.go.
func Generate(pkg string, tables ...*Table) []byte {
	g := generator{pkg: pkg, done: map[string]bool{}}
	for _, t := range tables {
		g.message(t)
	}
	text := g.text.String()
	head := "// Code generated from table.go by TestGenerated. DO NOT EDIT.\n\npackage " + pkg + "\n\nimport (\n"
	if strings.Contains(text, "math.") {
		head += "\"math\"\n\n"
	}
	head += "\"touchline/wire/internal/protobuf\"\n"
	if g.other != "" && strings.Contains(text, g.other+".") {
		head += "\"touchline/wire/internal/" + g.other + "\"\n"
	}
	return []byte(head + ")\n" + text)
}

type generator struct {
	text  strings.Builder
	pkg   string
	other string          // package whose functions are called
	done  map[string]bool // by names of tables: two may share functions
}

// function returns the name of a function of t, "merge" or "append".
func (g *generator) function(verb string, t *Table) string {
	switch t.shared {
	case "":
		return verb + t.name
	case g.pkg:
		return strings.ToUpper(verb[:1]) + verb[1:] + t.name
	}
	return t.shared + "." + strings.ToUpper(verb[:1]) + verb[1:] + t.name
}

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.text, format+"\n", args...) }

// message writes the functions of t and of the messages in it.
func (g *generator) message(t *Table) {
	if g.done[t.name] {
		return
	}
	g.done[t.name] = true
	if t.shared != "" && t.shared != g.pkg {
		g.other = t.shared
		return
	}
	var kept []generated
	flat := true
	for i := range t.fields {
		f := generated{&t.fields[i], t}
		if f.keeper == "" && !f.inline {
			continue
		}
		kept = append(kept, f)
		if f.table != nil {
			g.message(f.table)
			flat = false
		}
		flat = flat && !f.text && !f.packed && !f.list
	}
	g.merge(t, kept, flat)
	g.append(t, kept)
}

// comment writes the comment of an exported function.
func (g *generator) comment(t *Table, verb, text string) {
	g.line("")
	if t.shared != "" {
		g.line("// %s %s", g.function(verb, t), text)
	}
}

// merge writes the function that decodes the fields of t into its struct. A negative result is an error of protowire.
func (g *generator) merge(t *Table, kept []generated, flat bool) {
	g.comment(t, "merge", "decodes b into m, and counts what it drops. A negative result is an error of protowire.")
	g.line("func %s(m *%s, b []byte, dropped *int) int {\nfor len(b) > 0 {", g.function("merge", t), t.typ.Name())
	if flat {
		g.line("key, v, n := protobuf.Plain(b)\nif n == 0 {\nif key, v, n = protobuf.Next(b); n < 0 {\nreturn n\n}\n}")
	} else {
		g.line("key, v, n := protobuf.Next(b)\nif n < 0 {\nreturn n\n}")
	}
	g.line("switch key {")
	for _, f := range kept {
		g.line("case %s:", f.key())
		if f.flag != "" {
			g.line("m.%s = true", f.item(f.flag))
		}
		switch {
		case f.text:
			g.line("%s = append(%[1]s[:0], b[n-int(v):n]...)", f.place())
		case f.packed:
			g.line("if bad := protobuf.MergeNumbers(&%s, b[n-int(v):n], %d, dropped); bad < 0 {\nreturn bad\n}",
				f.place(), f.bound)
		case f.table == nil:
			g.line("%s = %s", f.place(), f.decoded())
		case f.list:
			g.line("if bad := %s(protobuf.Extend(&%s), b[n-int(v):n], dropped); bad < 0 {\nreturn bad\n}",
				g.function("merge", f.table), f.place())
			g.line("protobuf.Bound(&%s, %d, dropped)", f.place(), f.bound)
		default:
			g.line("if bad := %s(%s, b[n-int(v):n], dropped); bad < 0 {\nreturn bad\n}",
				g.function("merge", f.table), f.address())
		}
	}
	g.line("}\nb = b[n:]\n}\nreturn 0\n}")
}

// append writes the function that encodes the struct of t and reports whether each value is valid.
func (g *generator) append(t *Table, kept []generated) {
	g.comment(t, "append", "encodes m and reports whether each value is valid.")
	g.line("func %s(b []byte, m *%s) (_ []byte, valid bool) {\nvalid = %s", g.function("append", t),
		t.typ.Name(), valid(kept))
	for _, f := range kept {
		switch {
		case f.list:
			g.line("for i := range %s {", f.place())
		case f.packed:
			g.line("if len(%s) > 0 {", f.place())
		case f.flag != "":
			g.line("if m.%s {", f.item(f.flag))
		case !f.needed && !f.always && !f.off && !f.inline:
			g.line("if %s {", f.nonzero())
		default:
			g.line("{")
		}
		switch {
		case f.table == nil:
			g.line("b = %s", f.encoded())
		case room(f.table) < 128: // the length has one byte
			g.line("at, ok := len(b)+%d, true\nb, ok = %s(append(b, %s, 0), %s)", f.keyLen()+1, g.function("append", f.table),
				f.keyBytes(), f.address())
			g.line("b[at-1] = byte(len(b)-at)\nvalid = valid && ok")
		default:
			g.line("at, ok := len(b)+%d, true\nb, ok = %s(append(b, %s, 0, 0), %s)", f.keyLen(), g.function("append", f.table),
				f.keyBytes(), f.address())
			g.line("b = protobuf.Sized(b, at)\nvalid = valid && ok")
		}
		g.line("}")
	}
	g.line("return b, valid\n}")
}

// valid returns the condition that the values of fields keep their own rules.
func valid(kept []generated) string {
	var numbers, all []string
	for _, f := range kept {
		switch kind := f.kind(); {
		case f.text:
		case f.list, f.packed:
			all = append(all, fmt.Sprintf("len(%s) <= %d", f.place(), f.bound))
		case f.ratio:
			all = append(all, fmt.Sprintf("protobuf.IsRatio(%s)", f.place()))
		case kind == reflect.Float64:
			numbers = append(numbers, f.place())
		case kind == reflect.Float32:
			numbers = append(numbers, "float64("+f.place()+")")
		case f.rule != nil:
			all = append(all, fmt.Sprintf("uint32(%s) <= %d", f.place(), f.rule.Most))
		}
	}
	if numbers != nil {
		all = append(all, "protobuf.Finite("+strings.Join(numbers, ", ")+")")
	}
	if all == nil {
		return "true"
	}
	return strings.Join(all, " && ")
}

// room returns the bytes of the longest message without lists, and a large number for one with a list.
func room(t *Table) (n int) {
	for _, f := range t.fields {
		switch {
		case f.keeper == "" && !f.inline:
		case f.list, f.text, f.packed:
			n += 1 << 20
		case f.table != nil:
			n += 2 + room(f.table)
		default:
			n += 12
		}
	}
	return n
}

// generated is a field whose value the struct of a table keeps.
type generated struct {
	*Field
	of *Table
}

// kind returns the kind of the value.
func (f generated) kind() reflect.Kind {
	if f.inline {
		return reflect.Struct
	}
	if t := f.of.typ.Field(f.index).Type; t.Kind() == reflect.Array {
		return t.Elem().Kind()
	}
	return f.of.typ.Field(f.index).Type.Kind()
}

// item returns the name of a field, or that of its item where it is an array.
func (f generated) item(name string) string {
	if v, _ := f.of.typ.FieldByName(name); v.Type.Kind() == reflect.Array {
		return fmt.Sprintf("%s[%d]", name, f.Field.item)
	}
	return name
}

// place returns the variable that keeps the value.
func (f generated) place() string { return "m." + f.item(f.keeper) }

// address returns the pointer to the struct that keeps a message.
func (f generated) address() string {
	switch {
	case f.inline:
		return "m"
	case f.list:
		return "&" + f.place() + "[i]"
	}
	return "&" + f.place()
}

func (f generated) key() string {
	if f.typ == 0 {
		return fmt.Sprintf("%d<<3", f.num)
	}
	return fmt.Sprintf("%d<<3 | %d", f.num, f.typ)
}

// keyLen returns the bytes of the key.
func (f generated) keyLen() int { return protowire.SizeTag(f.num) }

// keyBytes returns the bytes of the key as elements of a list.
func (f generated) keyBytes() string {
	if f.keyLen() == 1 {
		return f.key()
	}
	return fmt.Sprintf("(%s)&0x7f|0x80, (%[1]s)>>7", f.key())
}

func (f generated) decoded() string {
	switch kind := f.kind(); {
	case f.off:
		return "v == 0"
	case kind == reflect.Bool:
		return "v != 0"
	case kind == reflect.Float64:
		return "math.Float64frombits(v)"
	case kind == reflect.Float32:
		return "math.Float32frombits(uint32(v))"
	case f.zigzag:
		return "protobuf.Signed(v)"
	}
	return f.of.typ.Field(f.index).Type.Name() + "(v)"
}

// nonzero returns the condition to encode a value. -0.0 is not zero.
func (f generated) nonzero() string {
	switch f.kind() {
	case reflect.Bool:
		return f.place()
	case reflect.Float64:
		return "math.Float64bits(" + f.place() + ") != 0"
	case reflect.Float32:
		return "math.Float32bits(" + f.place() + ") != 0"
	case reflect.Slice:
		return "len(" + f.place() + ") > 0"
	}
	return f.place() + " != 0"
}

func (f generated) encoded() string {
	name, value := "Uint", "uint64("+f.place()+")"
	switch {
	case f.text:
		name, value = "Text", f.place()
	case f.packed:
		name, value = "Numbers", f.place()
	case f.zigzag:
		value = "protobuf.ZigZag(" + f.place() + ")"
	case f.kind() == reflect.Bool:
		if name, value = "Bool", f.place(); f.off {
			value = "!" + value
		}
	case f.kind() == reflect.Float64:
		name, value = "Double", f.place()
	case f.kind() == reflect.Float32:
		name, value = "Float", f.place()
	}
	return fmt.Sprintf("protobuf.Append%s(append(b, %s), %s)", name, f.keyBytes(), value)
}
