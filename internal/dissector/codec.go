package dissector

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"touchline/internal/formats"
	"touchline/wire"
)

// record is a message of fixed size in a program of another language.
type record struct {
	name    string // "mixedteam_v2"
	comment string
	rows    []wire.Row
}

// records returns the messages whose rows have fixed sizes.
func records() []record {
	var all []record
	for _, f := range formats.All() {
		if !f.Packed {
			continue
		}
		for _, m := range f.Describe().Messages {
			if fixed(m.Rows) {
				all = append(all, record{identifier(f.Name + "_" + m.Name), f.Title + ", " + m.Name, m.Rows})
			}
		}
	}
	return all
}

// fixed reports whether all rows have a size.
func fixed(rows []wire.Row) bool {
	return !slices.ContainsFunc(rows, func(r wire.Row) bool {
		switch r.Kind {
		case wire.Uint, wire.Int, wire.Float:
			return false
		case wire.Bytes, wire.Each:
			return r.Size == 0 || !fixed(r.Rows)
		case wire.Matrix:
			return false
		}
		return r.Kind != wire.Special || r.Name != "below" && r.Name != "released"
	})
}

var notIdentifier = regexp.MustCompile(`[^a-z0-9_]+`)

// identifier returns a name that C and Python accept.
func identifier(name string) string {
	return strings.Trim(notIdentifier.ReplaceAllString(strings.ToLower(name), "_"), "_")
}

// member is a row as a member of a struct.
type member struct {
	*wire.Row
	name string
}

// members returns the rows that hold bytes. Padding has numbered names.
func members(rows []wire.Row, list string) []member {
	var all []member
	padding := 0
	for i := range rows {
		r := &rows[i]
		if r.Size == 0 || r.Kind == wire.Matrix {
			continue
		}
		name := identifier(strings.TrimPrefix(strings.TrimPrefix(r.Name, list+"[#]."), "piece[#]."))
		if r.Name == "padding" {
			padding++
			name = fmt.Sprintf("padding%d", padding)
		}
		all = append(all, member{r, name})
	}
	return all
}

// C returns a C header with a struct, a size, a pack and an unpack function for each message.
func C(version string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "/* Messages of robot soccer. Written by touchline %s from the byte tables of its codecs: do not edit it,\n"+
		" * write it again with \"touchline codec --lang c\". C99. Integers are little-endian on the wire, whatever the\n"+
		" * processor is. Pack writes and unpack reads NAME_SIZE bytes; units are those of docs/mixed-team.md and\n"+
		" * docs/teamcom.md, and comments have them. */\n#ifndef TOUCHLINE_H\n#define TOUCHLINE_H\n\n"+
		"#include <stdint.h>\n#include <string.h>\n\n%s", version, cHelpers)
	for _, r := range records() {
		c := cWriter{&b}
		c.record(&r)
	}
	b.WriteString("#endif\n")
	return b.Bytes()
}

const cHelpers = `static inline void touchline_put(uint8_t *b, uint64_t v, int size) {
	int i;
	for (i = 0; i < size; i++) b[i] = (uint8_t)(v >> (8 * i));
}

static inline uint64_t touchline_get(const uint8_t *b, int size) {
	uint64_t v = 0;
	int i;
	for (i = 0; i < size; i++) v |= (uint64_t)b[i] << (8 * i);
	return v;
}

static inline void touchline_put_float(uint8_t *b, float v) {
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	touchline_put(b, bits, 4);
}

static inline float touchline_get_float(const uint8_t *b) {
	uint32_t bits = (uint32_t)touchline_get(b, 4);
	float v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

`

type cWriter struct{ *bytes.Buffer }

func (c cWriter) printf(format string, args ...any) { fmt.Fprintf(c, format, args...) }

// record writes a message.
func (c cWriter) record(r *record) {
	for _, m := range members(r.rows, "") {
		if m.Kind == wire.Each {
			c.printf("typedef struct {\n")
			c.members(m.Rows, m.Name)
			c.printf("} %s_%s_t;\n\n", r.name, m.name)
		}
	}
	size := strings.ToUpper(r.name) + "_SIZE"
	c.printf("/* %s. */\n#define %s %d\ntypedef struct {\n", r.comment, size, wire.Size(sized(r.rows)))
	for _, m := range members(r.rows, "") {
		if m.Kind == wire.Each {
			c.printf("\t%s_%s_t %s[%d];\n", r.name, m.name, m.name, m.Size)
		} else {
			c.member(m)
		}
	}
	c.printf("} %s_t;\n\n", r.name)
	c.printf("static inline void %s_pack(uint8_t b[%s], const %s_t *m) {\n", r.name, size, r.name)
	c.moves(r.rows, true)
	c.printf("}\n\nstatic inline void %s_unpack(%s_t *m, const uint8_t b[%s]) {\n", r.name, r.name, size)
	c.moves(r.rows, false)
	c.printf("}\n\n")
}

// sized returns the rows without those that only check others.
func sized(rows []wire.Row) []wire.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r wire.Row) bool {
		return r.Kind == wire.Matrix || r.Kind == wire.Special
	})
}

func (c cWriter) members(rows []wire.Row, list string) {
	for _, m := range members(rows, list) {
		c.member(m)
	}
}

// member writes the declaration of a number or of bytes.
func (c cWriter) member(m member) {
	typ, array := "", ""
	switch m.Kind {
	case wire.Bytes:
		typ, array = "uint8_t", fmt.Sprintf("[%d]", m.Size)
	case wire.Float:
		typ = "float"
	case wire.Int:
		typ = fmt.Sprintf("int%d_t", 8*m.Size)
	default:
		typ = fmt.Sprintf("uint%d_t", 8*m.Size)
	}
	c.printf("\t%s %s%s;%s\n", typ, m.name, array, cComment(m.Row))
}

// cComment returns the unit of a row and the names of its values.
func cComment(r *wire.Row) string {
	text := r.Unit
	if s := r.Style; s != nil && len(s.Names) > 0 && len(s.Names) <= 12 {
		for v := int64(-32768); v < 256; v++ {
			if name, ok := s.Names[v]; ok {
				text += fmt.Sprintf(", %d %s", v, name)
			}
		}
	} else if s != nil && s.Bits != nil {
		for i, name := range s.Bits {
			text += fmt.Sprintf(", bit %d %s", i, name)
		}
	}
	if text = strings.TrimPrefix(text, ", "); text == "" {
		return ""
	}
	return " /* " + text + " */"
}

// moves writes the statements that pack or unpack the members.
func (c cWriter) moves(rows []wire.Row, pack bool) {
	at := 0
	for _, m := range members(rows, "") {
		if m.Kind != wire.Each {
			c.move(m, "\t", fmt.Sprintf("b + %d", at), "m->"+m.name, pack)
			at += m.Size
			continue
		}
		size := wire.Size(m.Rows)
		c.printf("\tfor (int i = 0; i < %d; i++) {\n", m.Size)
		inner := 0
		for _, e := range members(m.Rows, m.Name) {
			c.move(e, "\t\t", fmt.Sprintf("b + %d + %d * i", at+inner, size), fmt.Sprintf("m->%s[i].%s", m.name, e.name), pack)
			inner += e.Size
		}
		c.printf("\t}\n")
		at += m.Size * size
	}
}

// move writes the statement that packs or unpacks one member.
func (c cWriter) move(m member, indent, place, name string, pack bool) {
	switch {
	case m.Kind == wire.Bytes && pack:
		c.printf("%smemcpy(%s, %s, %d);\n", indent, place, name, m.Size)
	case m.Kind == wire.Bytes:
		c.printf("%smemcpy(%s, %s, %d);\n", indent, name, place, m.Size)
	case m.Kind == wire.Float && pack:
		c.printf("%stouchline_put_float(%s, %s);\n", indent, place, name)
	case m.Kind == wire.Float:
		c.printf("%s%s = touchline_get_float(%s);\n", indent, name, place)
	case pack && m.Kind == wire.Int:
		c.printf("%stouchline_put(%s, (uint%d_t)%s, %d);\n", indent, place, 8*m.Size, name, m.Size)
	case pack:
		c.printf("%stouchline_put(%s, %s, %d);\n", indent, place, name, m.Size)
	default:
		sign := "u"
		if m.Kind == wire.Int {
			sign = ""
		}
		c.printf("%s%s = (%sint%d_t)touchline_get(%s, %d);\n", indent, name, sign, 8*m.Size, place, m.Size)
	}
}

// Python returns a Python module with a class for each message: SIZE, unpack and pack.
func Python(version string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\"\"\"Messages of robot soccer. Written by touchline %s from the byte tables of its codecs: do not edit it,\n"+
		"write it again with \"touchline codec --lang python\". Each class has SIZE, unpack(data, at=0) and pack(). Units are in\n"+
		"comments; records of a list are objects of their own class.\"\"\"\n\nimport struct\n%s", version, pythonBase)
	for _, r := range records() {
		class := pythonClass(r.name)
		for _, m := range members(r.rows, "") {
			if m.Kind == wire.Each {
				pythonRecord(&b, class+pythonClass(m.name), "One of "+m.name+" in "+r.comment, members(m.Rows, m.Name), "")
			}
		}
		pythonRecord(&b, class, r.comment, members(r.rows, ""), class)
	}
	return b.Bytes()
}

const pythonBase = `

class _Message:
    """A message: its members are those of _FIELDS, as (name, format of struct, class of the records, their number)."""

    _FIELDS = ()
    SIZE = 0
    __slots__ = ()

    def __init__(self, **values):
        for name, form, record, count in self._FIELDS:
            if record:
                default = [record() for _ in range(count)]
            else:
                default = bytes(struct.calcsize(form)) if form.endswith("s") else 0
            setattr(self, name, values.pop(name, default))
        if values:
            raise TypeError("unknown fields: " + ", ".join(sorted(values)))

    @classmethod
    def unpack(cls, data, at=0):
        """Return the message that data has from byte at on. Raise ValueError if data ends before."""
        if at < 0 or len(data) - at < cls.SIZE:
            raise ValueError("%s has %d bytes, %d are there" % (cls.__name__, cls.SIZE, max(0, len(data) - at)))
        values = {}
        for name, form, record, count in cls._FIELDS:
            if record:
                values[name] = [record.unpack(data, at + i * record.SIZE) for i in range(count)]
                at += count * record.SIZE
            else:
                values[name] = struct.unpack_from(form, data, at)[0]
                at += struct.calcsize(form)
        return cls(**values)

    def pack(self):
        """Return the bytes of the message. Raise struct.error if a number does not fit."""
        parts = []
        for name, form, record, count in self._FIELDS:
            value = getattr(self, name)
            if record:
                if len(value) != count:
                    raise ValueError("%s: want %d records, got %d" % (name, count, len(value)))
                parts += [one.pack() for one in value]
            else:
                parts.append(struct.pack(form, value))
        return b"".join(parts)

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join("%s=%r" % (f[0], getattr(self, f[0])) for f in self._FIELDS))
`

// pythonClass returns the name of a class.
func pythonClass(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// pythonRecord writes a class.
func pythonRecord(b *bytes.Buffer, class, comment string, all []member, outer string) {
	fmt.Fprintf(b, "\n\nclass %s(_Message):\n    \"\"\"%s.\"\"\"\n\n    _FIELDS = (\n", class, comment)
	size := 0
	for _, m := range all {
		if m.Kind == wire.Each {
			fmt.Fprintf(b, "        (%q, None, %s, %d),\n", m.name, outer+pythonClass(m.name), m.Size)
			size += m.Size * wire.Size(m.Rows)
			continue
		}
		remark := strings.TrimSuffix(strings.TrimPrefix(cComment(m.Row), " /* "), " */")
		if remark != "" {
			remark = "  # " + remark
		}
		fmt.Fprintf(b, "        (%q, %q, None, 0),%s\n", m.name, pythonFormat(m.Row), remark)
		size += m.Size
	}
	fmt.Fprintf(b, "    )\n    SIZE = %d\n    __slots__ = tuple(f[0] for f in _FIELDS)\n", size)
}

// pythonFormat returns the format of a row in Python's module struct.
func pythonFormat(r *wire.Row) string {
	switch r.Kind {
	case wire.Bytes:
		return fmt.Sprintf("%ds", r.Size)
	case wire.Float:
		return "<f"
	}
	letter := map[int]string{1: "b", 2: "h", 4: "i", 8: "q"}[r.Size]
	if r.Kind == wire.Uint {
		letter = strings.ToUpper(letter)
	}
	return "<" + letter
}
