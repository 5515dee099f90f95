package firasim

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

var update = flag.Bool("update", false, "write generated.go from the tables")

// TestGenerated checks that generated.go agrees with the tables.
func TestGenerated(t *testing.T) {
	g := generator{done: map[string]bool{}}
	for i := range datagrams {
		g.message(datagrams[i].table)
	}
	want, err := format.Source([]byte("// Code generated from table.go by TestGenerated. DO NOT EDIT.\n\npackage firasim\n\n" +
		"import \"math\"\n" + g.text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, g.text.String())
	}
	if *update {
		if err := os.WriteFile("generated.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("generated.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("generated.go is not what the tables say: run this test with -update (%v)", err)
	}
}

type generator struct {
	text strings.Builder
	done map[string]bool // by names of tables: two may share functions
}

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.text, format+"\n", args...) }

// message writes the functions of t and of the messages in it.
func (g *generator) message(t *table) {
	if g.done[t.name] {
		return
	}
	g.done[t.name] = true
	var kept []generated
	flat := true
	for i := range t.fields {
		f := generated{&t.fields[i], t}
		if f.keeper == "" {
			continue
		}
		kept = append(kept, f)
		if f.table != nil {
			g.message(f.table)
			flat = false
		}
	}
	g.merge(t, kept, flat)
	g.append(t, kept)
}

// merge writes the function that decodes the fields of t into its struct. A negative result is an error of protowire.
func (g *generator) merge(t *table, kept []generated, flat bool) {
	g.line("\nfunc merge%s(m *%s, b []byte, dropped *int) int {\nfor len(b) > 0 {", t.name, t.typ.Name())
	if flat {
		g.line("key, v, n := plain(b)\nif n == 0 {\nif key, v, n = next(b); n < 0 {\nreturn n\n}\n}")
	} else {
		g.line("key, v, n := next(b)\nif n < 0 {\nreturn n\n}")
	}
	g.line("switch key {")
	for _, f := range kept {
		g.line("case %s:", f.key())
		if f.flag != "" {
			g.line("m.%s = true", f.item(f.flag))
		}
		to := f.address()
		if f.list {
			to = fmt.Sprintf("extend(&%s)", f.place())
		}
		if f.table == nil {
			g.line("%s = %s", f.place(), f.decoded())
			continue
		}
		g.line("if bad := merge%s(%s, b[n-int(v):n], dropped); bad < 0 {\nreturn bad\n}", f.table.name, to)
		if f.list {
			g.line("bound(&%s, %d, dropped)", f.place(), f.bound)
		}
	}
	g.line("}\nb = b[n:]\n}\nreturn 0\n}")
}

// append writes the function that encodes the struct of t and reports whether each value is valid.
func (g *generator) append(t *table, kept []generated) {
	g.line("\nfunc append%s(b []byte, m *%s) (_ []byte, valid bool) {\nvalid = %s", t.name, t.typ.Name(), valid(kept))
	for _, f := range kept {
		switch {
		case f.list:
			g.line("for i := range %s {", f.place())
		case f.flag != "":
			g.line("if m.%s {", f.item(f.flag))
		case !f.needed && !f.off:
			g.line("if %s {", f.nonzero())
		default:
			g.line("{")
		}
		switch {
		case f.table == nil:
			g.line("b = %s", f.encoded())
		case room(f.table) < 128: // the length has one byte
			g.line("at, ok := len(b)+2, true\nb, ok = append%s(append(b, byte(%s), 0), %s)", f.table.name, f.key(), f.address())
			g.line("b[at-1] = byte(len(b)-at)\nvalid = valid && ok")
		default:
			g.line("at, ok := len(b), true\nb, ok = append%s(append(b, byte(%s), 0, 0), %s)", f.table.name, f.key(), f.address())
			g.line("b = sized(b, at)\nvalid = valid && ok")
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
		case f.list:
			all = append(all, fmt.Sprintf("len(%s) <= %d", f.place(), f.bound))
		case f.ratio:
			all = append(all, fmt.Sprintf("isRatio(%s)", f.place()))
		case kind == reflect.Float64:
			numbers = append(numbers, f.place())
		case kind == reflect.Float32:
			numbers = append(numbers, "float64("+f.place()+")")
		case f.rule != nil:
			all = append(all, fmt.Sprintf("uint32(%s) <= %d", f.place(), f.rule.most))
		}
	}
	if numbers != nil {
		all = append(all, "finite("+strings.Join(numbers, ", ")+")")
	}
	if all == nil {
		return "true"
	}
	return strings.Join(all, " && ")
}

// room returns the bytes of the longest message without lists, and a large number for one with a list.
func room(t *table) (n int) {
	for _, f := range t.fields {
		switch {
		case f.keeper == "":
		case f.list:
			n += 1 << 20
		case f.table != nil:
			n += 2 + room(f.table)
		default:
			n += 11
		}
	}
	return n
}

// generated is a field whose value the struct of a table keeps.
type generated struct {
	*field
	of *table
}

// kind returns the kind of the value.
func (f generated) kind() reflect.Kind {
	if t := f.of.typ.Field(f.index).Type; t.Kind() == reflect.Array {
		return t.Elem().Kind()
	}
	return f.of.typ.Field(f.index).Type.Kind()
}

// item returns the name of a field, or that of its item where it is an array.
func (f generated) item(name string) string {
	if v, _ := f.of.typ.FieldByName(name); v.Type.Kind() == reflect.Array {
		return fmt.Sprintf("%s[%d]", name, f.field.item)
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
	return fmt.Sprintf("%d<<3 | %s", f.num, map[protowire.Type]string{protowire.VarintType: "varint",
		protowire.Fixed32Type: "fixed32", protowire.Fixed64Type: "fixed64", protowire.BytesType: "message"}[f.typ])
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
	}
	return f.place() + " != 0"
}

func (f generated) encoded() string {
	name, value := "Uint", "uint64("+f.place()+")"
	switch f.kind() {
	case reflect.Bool:
		if name, value = "Bool", f.place(); f.off {
			value = "!" + value
		}
	case reflect.Float64:
		name, value = "Double", f.place()
	case reflect.Float32:
		name, value = "Float", f.place()
	}
	return fmt.Sprintf("append%s(b, byte(%s), %s)", name, f.key(), value)
}
