// Package dissector writes the dissector for Wireshark, and codecs in C and Python, from the byte tables of the codecs
// in wire. It is apart from the command that prints them because its tests need tshark and compilers.
package dissector

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"touchline/internal/formats"
	"touchline/wire"
	"touchline/wire/tcm"
)

// programs are core.lua, which all formats share, and a program for each format that rows do not suffice to recognise and
// dissect, named like the format.
//
//go:embed lua/*.lua
var programs embed.FS

// described returns the formats with byte tables. A new one in package formats needs a program only if its messages do not
// begin with fixed bytes.
var described = func() (all []*formats.Format) {
	for _, f := range formats.All() {
		if f.Describe != nil {
			all = append(all, f)
		}
	}
	return all
}

// Lua writes the dissector: one file for the plugins folder of Wireshark 4.0 and newer. version is touchline's.
func Lua(w io.Writer, version string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "-- Wireshark dissector for the protocols of robot soccer. Written by touchline %s from the byte tables of its\n"+
		"-- codecs: do not edit it, write it again with \"touchline dissector -o touchline.lua\".\n\nlocal CONTROLS = {%s}\n\n",
		version, controls())
	b.WriteString("local DATA = {}\n")
	for _, f := range described() {
		d := f.Describe()
		l := &literal{b: &b}
		fmt.Fprintf(&b, "\nDATA.%s = ", f.Name)
		l.description(&d)
		b.WriteString("\n")
	}
	core, err := programs.ReadFile("lua/core.lua")
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n%s", core)
	for _, f := range described() {
		program, err := programs.ReadFile("lua/" + f.Name + ".lua")
		switch {
		case err == nil:
			fmt.Fprintf(&b, "\n%s", program)
		case len(f.Messages) > 0:
			fmt.Fprintf(&b, "\nby_rows(%s, %s, DATA.%s)\n", quote(f.Name), quote(f.League), f.Name)
		}
	}
	_, err = b.WriteTo(w)
	return err
}

// controls lists the ranges of control characters above ASCII, as pairs: those of wire.IsControl.
func controls() string {
	var pairs []string
	first := rune(-1)
	for r := rune(0x7f); r <= unicode.MaxRune+1; r++ {
		switch control := r <= unicode.MaxRune && wire.IsControl(r); {
		case control && first < 0:
			first = r
		case !control && first >= 0:
			pairs = append(pairs, strconv.Itoa(int(first)), strconv.Itoa(int(r-1)))
			first = -1
		}
	}
	return strings.Join(pairs, ", ")
}

// literal writes Lua tables.
type literal struct{ b *bytes.Buffer }

func (l *literal) printf(format string, args ...any) { fmt.Fprintf(l.b, format, args...) }

func (l *literal) description(d *wire.Description) {
	l.printf("{\n rules = {\n")
	for i := range d.Rules {
		r := &d.Rules[i]
		l.printf("  [%s] = {text = %s, note = %t},\n", quote(r.Key), quote(r.Text), r.Note)
	}
	l.printf(" },\n words = {")
	for _, key := range slices.Sorted(maps.Keys(d.Words)) {
		l.printf("[%s] = %s, ", quote(key), quote(d.Words[key]))
	}
	l.printf("},\n ports = {")
	for _, p := range d.Ports {
		group, port, _ := strings.Cut(p.Address, ":")
		l.printf("{group = %s, port = %s, type = %d}, ", quote(group), port, p.Type)
	}
	l.printf("},\n messages = {\n")
	for i := range d.Messages {
		m := &d.Messages[i]
		l.printf("  {type = %d, name = %s, title = %s, rows = {\n", m.Type, quote(m.Name), quote(tcm.Type(m.Type).String()))
		l.rows(m.Rows, "   ")
		l.printf("  }},\n")
	}
	l.printf(" },\n}")
}

var kindNames = [...]string{
	wire.Uint: "uint", wire.Int: "int", wire.Float: "float", wire.Bytes: "bytes", wire.Text: "text", wire.Count: "count",
	wire.Each: "each", wire.Again: "again", wire.More: "more", wire.Matrix: "matrix", wire.Special: "special",
	wire.Varint: "varint", wire.Signed: "signed", wire.ZigZag: "zigzag", wire.Varints: "varints", wire.Packed: "packed",
	wire.Fixed: "fixed", wire.Nested: "nested", wire.Objects: "objects", wire.String: "string",
	wire.Number: "number", wire.Vector: "vector", wire.Records: "records",
}

func (l *literal) rows(rows []wire.Row, indent string) {
	for i := range rows {
		r := &rows[i]
		l.printf("%s{kind = %s, name = %s", indent, quote(kindNames[r.Kind]), quote(r.Name))
		if r.Size != 0 || r.Kind == wire.Bytes {
			l.printf(", size = %d", r.Size)
		}
		l.number("most", r.Most)
		l.number("num", r.Num)
		if r.Unit != "" {
			l.printf(", unit = %s", quote(r.Unit))
		}
		if r.Must {
			l.printf(", must = true")
		}
		l.number("least", r.Least)
		l.rule("lack", r.Lack)
		l.rule("over", r.Over)
		if len(r.Other) > 0 {
			l.printf(", other = {")
			for _, s := range r.Other {
				l.printf("{name = %s, note = %t}, ", quote(s.Name), s.Note != "")
			}
			l.printf("}")
		}
		if r.Style != nil {
			l.style(r.Style)
		}
		if r.Range != nil {
			l.limits(r.Range)
		}
		if len(r.When) > 0 {
			l.printf(", when = {")
			for _, c := range r.When {
				l.printf("{name = %s, bit = %d}, ", quote(c.Name), c.Bit)
			}
			l.printf("}")
		}
		if r.Rows != nil {
			l.printf(", rows = {\n")
			l.rows(r.Rows, indent+" ")
			l.printf("%s}", indent)
		}
		l.printf("},\n")
	}
}

func (l *literal) number(name string, v int) {
	if v != 0 {
		l.printf(", %s = %d", name, v)
	}
}

func (l *literal) rule(name string, r *wire.Rule) {
	if r != nil {
		l.printf(", %s = {key = %s, text = %s, note = %t}", name, quote(r.Key), quote(r.Text), r.Note)
	}
}

func (l *literal) style(s *wire.Style) {
	l.printf(", style = {")
	if s.Names != nil {
		l.printf("names = {")
		for _, v := range slices.Sorted(maps.Keys(s.Names)) {
			l.printf("[%d] = %s, ", v, quote(s.Names[v]))
		}
		l.printf("}, ")
	}
	if s.Bits != nil {
		l.printf("bits = {")
		for _, name := range s.Bits {
			l.printf("%s, ", quote(name))
		}
		l.printf("}, ")
	}
	for _, t := range []struct{ name, text string }{{"other", s.Other}, {"fixed", s.Fixed}} {
		if t.text != "" {
			l.printf("%s = %s, ", t.name, quote(t.text))
		}
	}
	if s.Divide != 0 {
		l.printf("divide = %v, ", s.Divide)
	}
	l.printf("alone = %t, set = %t, hex = %t}", s.Alone, s.Set, s.Hex)
}

func (l *literal) limits(r *wire.Range) {
	l.printf(", range = {least = %v, most = %v, note = %t", r.Least, r.Most, r.Note)
	for _, t := range []struct{ name, text string }{{"text", r.Text}, {"key", r.Key}} {
		if t.text != "" {
			l.printf(", %s = %s", t.name, quote(t.text))
		}
	}
	if r.Signed {
		l.printf(", signed = true")
	}
	if len(r.Also) > 0 {
		also := slices.Clone(r.Also)
		sort.Float64s(also)
		l.printf(", also = {")
		for _, v := range also {
			l.printf("%v, ", v)
		}
		l.printf("}")
	}
	l.printf("}")
}

// quote returns a Lua string.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03d`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
