// Package coder visits the fields of a message in the order of the wire. A message lists its fields once, in a function
// layout; the coder writes them, reads them, applies the rules to them or lists them.
package coder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"touchline/wire"
)

// Protocol is what the messages of a package share. Each begins with a version byte.
type Protocol struct {
	Name       string // name of the package, for errors
	Source     string // source of the rules
	Version    uint8
	ErrVersion error
}

// Append appends m to b, or returns b and the first violation.
func Append[T any](p *Protocol, b []byte, m *T, layout func(*T, *Coder)) ([]byte, error) {
	c := Coder{Protocol: p, B: b, Writing: true, Strict: true, index: -1}
	layout(m, &c)
	if c.violation != nil {
		return b, c.violation
	}
	return c.B, nil
}

// Unmarshal decodes b to m. Errors: the protocol's ErrVersion, wire.ErrShort, or one that names a field.
func Unmarshal[T any](p *Protocol, b []byte, m *T, layout func(*T, *Coder)) error {
	c := p.Reader(b)
	layout(m, &c)
	return c.Err
}

// Reader returns a coder that reads b without applying rules.
func (p *Protocol) Reader(b []byte) Coder { return Coder{Protocol: p, B: b, index: -1} }

// Fields returns the byte table of b. It covers every byte of b in order. For another version it returns nil.
func (p *Protocol) Fields(b []byte, layout func(*Coder)) []wire.Field {
	if len(b) == 0 || b[0] != p.Version {
		return nil
	}
	c := p.Reader(b)
	c.Listing = true
	layout(&c)
	if rest := len(b) - c.At; rest > 0 {
		name, value := "trailing", "skipped"
		if c.Err != nil {
			name, value = "unreadable", c.Err.Error()
		}
		c.fields = append(c.fields, wire.Field{Offset: c.At, Len: rest, Name: name, Value: value})
	}
	return c.fields
}

// Check returns the faults of b by offset. message names it in texts: "message", "sense message".
func (p *Protocol) Check(b []byte, message string, layout func(*Coder)) []wire.Issue {
	c := p.Reader(b)
	c.Strict = true
	layout(&c)
	switch {
	case errors.Is(c.Err, p.ErrVersion):
		return []wire.Issue{{Field: "version", Source: p.Source, Text: fmt.Sprintf(textVersion, b[0], p.Version)}}
	case errors.Is(c.Err, wire.ErrShort):
		c.Issues = append(c.Issues, wire.Issue{Offset: len(b), Source: p.Source,
			Text: fmt.Sprintf(textTruncated, message)})
	case c.At < len(b) && c.Err == nil:
		c.Issues = append(c.Issues, wire.Issue{Offset: c.At, Field: "trailing", Source: p.Source, Note: true,
			Text: textTrailing})
	}
	return c.Issues
}

// Coder visits the fields of one message. Each of its methods writes a value, or reads it, lists it, and applies its
// rules.
type Coder struct {
	*Protocol
	B       []byte
	At      int   // reading: offset of the next byte
	Writing bool  // else reading
	Strict  bool  // rules apply
	Listing bool  // Fields: the byte table is wanted
	Err     error // reading: why the message cannot be read any further
	Issues  []wire.Issue

	Group  string // part of the message that holds the record, with a dot
	record string // record that holds the field, "" for the message itself
	index  int    // number of the record, or -1
	fields []wire.Field
	table  *recorder // Describe: records rows; nil: not

	violation error // the first one of a message that is written
}

// In makes record the holder of the following fields. An element of a list has an index.
func (c *Coder) In(record string, index int) {
	if c.record, c.index = record, index; c.table != nil {
		c.table.element(c.Group+record, index)
	}
}

func (c *Coder) name(field string) string {
	s := c.Group + c.record
	if c.index >= 0 {
		s += "[" + strconv.Itoa(c.index) + "]"
	}
	if s == "" || c.record == "" {
		return s + field
	}
	return s + "." + field
}

// Fault adds a violation of the field of n bytes that was visited last.
func (c *Coder) Fault(n int, field, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.Writing && c.violation == nil {
		c.violation = errors.New(c.Name + ": " + c.name(field) + ": " + text)
	}
	c.Issues = append(c.Issues, wire.Issue{Offset: c.At - n, Field: c.name(field), Source: c.Source, Text: text})
}

// Row adds a row to the byte table for the n bytes that were read last, with this value.
func (c *Coder) Row(n int, field, value, unit string) {
	c.fields = append(c.fields, wire.Field{Offset: c.At - n, Len: n, Name: c.name(field), Value: value, Unit: unit})
}

// row adds a row to the byte table for the bytes that were read last.
func (c *Coder) row(field string, r wire.Row) {
	c.table.add(c, field, &r)
	r.Name = c.name(field)
	c.fields = append(c.fields, r.Field(c.B, c.At-r.Size, r.Size, -1))
}

// Show sets how the integer is shown that was visited last.
func (c *Coder) Show(s *wire.Style) {
	if !c.Listing || c.Err != nil {
		return
	}
	if c.table != nil {
		if c.table.last().Style = s; s.Divide != 0 {
			c.table.last().Kind = wire.Int
		}
	}
	f := &c.fields[len(c.fields)-1]
	alone := false
	if f.Value, alone = s.Value(wire.Integer(c.B[f.Offset:f.Offset+f.Len], s.Divide != 0), f.Len); alone {
		f.Unit = ""
	}
}

// Within applies a rule to the integer v of n bytes that was visited last.
func (c *Coder) Within(n int, field string, v uint64, r *wire.Range) {
	if c.table != nil {
		c.table.last().Range = r
	}
	if c.Strict && c.Err == nil && !r.Holds(float64(v)) {
		c.Fault(n, field, "%s", r.Describe(int64(v)))
	}
}

// Next returns the place of the next n bytes: new ones when writing. It returns nil when the message ends before.
func (c *Coder) Next(n int) []byte {
	if c.Writing {
		at := len(c.B)
		c.B = slices.Grow(c.B, n)[:at+n]
		return c.B[at:]
	}
	if !c.has(n) {
		return nil
	}
	c.At += n
	return c.B[c.At-n : c.At]
}

// CheckVersion visits the version byte of the message.
func (c *Coder) CheckVersion() {
	v := c.Version
	if c.Uint8("version", &v); c.Err == nil && v != c.Version {
		c.Err = fmt.Errorf("%w: %d instead of %d", c.ErrVersion, v, c.Version)
	}
}

// has reports whether n bytes more can be read. Their absence is an error. It is small enough to be inlined.
func (c *Coder) has(n int) bool { return c.Err == nil && len(c.B)-c.At >= n || c.short() }

// short sets the error of a message that ends before its next field, and returns false.
func (c *Coder) short() bool {
	if c.Err == nil {
		c.Err = fmt.Errorf("%s: %w: %d bytes", c.Name, wire.ErrShort, len(c.B))
	}
	return false
}

// read lists the integer v of n bytes and steps over it.
func (c *Coder) read(n int, field, unit string, v uint64) {
	if c.At += n; c.Listing {
		c.list(n, field, unit, v)
	}
}

func (c *Coder) list(n int, field, unit string, v uint64) {
	c.row(field, wire.Row{Kind: wire.Uint, Size: n, Unit: unit})
}

// Uint8 visits an integer without a unit.
func (c *Coder) Uint8(field string, v *uint8) { c.Byte(field, "", v) }

// Byte visits an integer.
func (c *Coder) Byte(field, unit string, v *uint8) {
	switch {
	case c.Writing:
		c.B = append(c.B, *v)
	case c.has(1):
		*v = c.B[c.At]
		c.read(1, field, unit, uint64(*v))
	default:
		*v = 0
	}
}

// Uint16 visits an integer.
func (c *Coder) Uint16(field, unit string, v *uint16) {
	switch {
	case c.Writing:
		c.B = binary.LittleEndian.AppendUint16(c.B, *v)
	case c.has(2):
		*v = binary.LittleEndian.Uint16(c.B[c.At:])
		c.read(2, field, unit, uint64(*v))
	default:
		*v = 0
	}
}

// Uint32 visits an integer without a unit.
func (c *Coder) Uint32(field string, v *uint32) {
	switch {
	case c.Writing:
		c.B = binary.LittleEndian.AppendUint32(c.B, *v)
	case c.has(4):
		*v = binary.LittleEndian.Uint32(c.B[c.At:])
		c.read(4, field, "", uint64(*v))
	default:
		*v = 0
	}
}

// Uint64 visits an integer.
func (c *Coder) Uint64(field, unit string, v *uint64) {
	switch {
	case c.Writing:
		c.B = binary.LittleEndian.AppendUint64(c.B, *v)
	case c.has(8):
		*v = binary.LittleEndian.Uint64(c.B[c.At:])
		c.read(8, field, unit, *v)
	default:
		*v = 0
	}
}

var styleRobots = &wire.Style{Set: true}

// Robots visits a set of robots: bit n is robot n.
func (c *Coder) Robots(field string, v *uint64) {
	c.Uint64(field, "", v)
	c.Show(styleRobots)
}

// Span is a range of values with their unit.
type Span struct {
	From, To float32
	Unit     string
}

// rule returns the rule of the span, for Describe.
func (r *Span) rule() *wire.Range {
	return &wire.Range{Least: float64(r.From), Most: float64(r.To)}
}

// NewSpan returns the span of values from and to, with their unit.
func NewSpan(from, to float32, unit string) Span { return Span{from, to, unit} }

// Float visits a number. Where the flags say that it is not used, it is 0.
func (c *Coder) Float(field string, used bool, v *float32, r *Span) {
	switch {
	case c.Writing:
		c.B = binary.LittleEndian.AppendUint32(c.B, math.Float32bits(*v))
	case c.has(4):
		*v = math.Float32frombits(binary.LittleEndian.Uint32(c.B[c.At:]))
		c.At += 4
	default:
		*v = 0
		return
	}
	if !used || c.Listing || !(*v >= r.From && *v <= r.To) {
		c.checkFloat(field, used, v, r)
	}
}

// The rules of numbers that no Range has. Their texts are formats of the number, and of the span.
const (
	textSpan      = "%v: want %v to %v %s"
	textUnused    = "%v, but the flags say that it is not used: write 0"
	textVersion   = "%d: want %d"
	textTruncated = "a truncated %s: it ends before its last field"
	textTrailing  = "bytes after the last field: receivers skip them"
	textPlain     = "want UTF-8 without control characters"
	textMost      = "%d: want at most %d"
	textMatrix    = "%v: want the elements of a covariance"
)

// checkFloat lists the number that was visited last, and applies its rules.
func (c *Coder) checkFloat(field string, used bool, v *float32, r *Span) {
	switch {
	case c.Listing:
		c.row(field, wire.Row{Kind: wire.Float, Size: 4, Unit: r.Unit, Range: r.rule()})
		if f := &c.fields[len(c.fields)-1]; !used {
			f.Value, f.Unit = "unused", ""
		}
	case used:
		c.Refuse(4, field, textSpan, *v, r.From, r.To, r.Unit)
	case *v == 0:
	case c.Strict:
		c.Fault(4, field, textUnused, *v)
	default:
		*v = 0
	}
}

// Refuse adds a violation that makes a message unusable: decoding fails, too.
func (c *Coder) Refuse(n int, field, format string, args ...any) {
	if c.Strict {
		c.Fault(n, field, format, args...)
	} else if c.Err == nil && !c.Listing {
		c.Err = fmt.Errorf("%s: %s: %s", c.Name, c.name(field), fmt.Sprintf(format, args...))
	}
}

// Bytes visits bytes.
func (c *Coder) Bytes(field string, v []byte) {
	if p := c.Next(len(v)); c.Writing {
		copy(p, v)
	} else if copy(v, p); c.Listing && p != nil {
		c.row(field, wire.Row{Kind: wire.Bytes, Size: len(v)})
	}
}

// Bounded applies a rule to the integer v of n bytes that was visited last. A message that breaks it is unusable.
func (c *Coder) Bounded(n int, field string, v uint64, r *wire.Range) {
	if c.table != nil {
		c.table.last().Range = r
	}
	if c.Err == nil && !r.Holds(float64(v)) {
		c.Refuse(n, field, "%s", r.Describe(int64(v)))
	}
}

var spanCovariance = NewSpan(-1e6, 1e6, "")

// Covariance visits the upper triangle of a symmetric matrix, row by row.
func (c *Coder) Covariance(names []string, used bool, v []float32, size int) {
	faults := len(c.Issues)
	for i := range v {
		c.Float(names[i], used, &v[i], &spanCovariance)
	}
	if c.table != nil {
		c.table.control(wire.Row{Kind: wire.Matrix, Size: len(v)})
	}
	if !used || c.Err != nil || len(c.Issues) > faults {
		return
	}
	if k := unfit(v, size); k >= 0 {
		c.Refuse(4*(len(v)-k), names[k], textMatrix, v[k])
	}
}

// unfit returns the index of an element that makes the matrix of an upper triangle no covariance, or -1. A covariance has
// no negative eigenvalue: the elimination of Gauss meets only positive pivots, or zero rows.
func unfit(v []float32, size int) int {
	const rounding = 1.001 // tolerance for numbers that the sender rounded to float32
	index := func(i, j int) int { return i*size - i*(i+1)/2 + j }
	var m [4][4]float64
	for i := range size {
		for j := i; j < size; j++ {
			m[i][j] = float64(v[index(i, j)])
		}
		if m[i][i] *= rounding; m[i][i] < 0 {
			return index(i, i)
		}
	}
	for k := range size {
		pivot := max(0, m[k][k]) // rounding can make 0 negative
		for i := k + 1; i < size; i++ {
			if pivot == 0 && m[k][i] != 0 || float64(m[k][i]*m[k][i]) > float64(pivot*m[i][i]) {
				return index(k, i)
			}
		}
		for i := k + 1; i < size && pivot > 0; i++ {
			if m[k][i] == 0 {
				continue
			}
			for j := i; j < size; j++ {
				m[i][j] -= float64(m[k][i] / pivot * m[k][j])
			}
		}
	}
	return -1
}

// Flags visits a byte of flags, from bit 0 on.
func (c *Coder) Flags(names []string, bits ...*bool) {
	var v uint8
	for i, bit := range bits {
		if *bit {
			v |= 1 << i
		}
	}
	if c.Uint8("flags", &v); c.Err != nil {
		v = 0
	}
	for i, bit := range bits {
		if !c.Writing { // the sender may encode one message on two goroutines
			*bit = v>>i&1 == 1
		}
	}
	if c.Listing {
		c.Show(&wire.Style{Bits: names, Alone: true})
	}
	if c.table != nil || c.Strict && v>>len(bits) != 0 {
		c.Within(1, "flags", uint64(v), &wire.Range{Most: float64(uint(1)<<len(bits) - 1),
			Text: fmt.Sprintf("bits from %d on are reserved: write 0", len(bits))})
	}
}

// Choice visits a byte with named values.
func Choice[T ~uint8](c *Coder, field string, v *T, names []string) {
	n := uint8(*v)
	if c.Uint8(field, &n); !c.Writing {
		*v = T(n)
	}
	if c.Listing {
		c.Show(&wire.Style{Names: wire.NamesOf(names), Alone: true})
	}
	if c.table != nil || c.Strict && int(n) >= len(names) {
		c.Within(1, field, uint64(n), &wire.Range{Most: float64(len(names) - 1),
			Text: "%d has no meaning: want %d to %d"})
	}
}

// NameOf returns the name of v, or its number without a name.
func NameOf(v uint8, names []string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return strconv.Itoa(int(v))
}

// count visits the number of elements of a list and returns it.
func (c *Coder) count(field string, n, most int) int {
	v := uint8(min(n, 255))
	c.Uint8(field, &v)
	if !c.Writing {
		n = int(v)
	}
	if n <= most {
		return n
	}
	c.TooLong(field, n, most)
	if c.Writing {
		return n
	}
	return 0
}

// TooLong refuses a list or text of n elements. Decoding cannot continue.
func (c *Coder) TooLong(field string, n, most int) {
	if c.Strict {
		c.Fault(1, field, textMost, n, most)
	}
	if !c.Writing && c.Err == nil {
		c.Err = fmt.Errorf("%s: %s: %d: want at most %d", c.Name, c.name(field), n, most)
	}
}

// Text visits a text with its length.
func (c *Coder) Text(field string, v *string, most int) {
	n := c.count(field+".length", len(*v), most)
	if c.table != nil {
		c.table.counted(wire.Text, c.rowName(field), most)
	}
	p := c.Next(n)
	switch {
	case p == nil:
		if c.Err != nil {
			*v = ""
		}
	case c.Writing:
		copy(p, *v)
	default:
		SetText(v, p)
	}
	c.checkText(field, *v, n)
}

// checkText lists the text of n bytes that was visited last, and applies its rules.
func (c *Coder) checkText(field, v string, n int) {
	switch {
	case c.Err != nil || n == 0:
	case c.Listing:
		c.Row(n, field, wire.Printable(v), "")
	case !plain(v):
		c.Refuse(n, field, textPlain)
	}
}

// plain reports whether text is UTF-8 without control characters.
func plain(text string) bool {
	for _, r := range text {
		if r < ' ' || r >= 0x7f && wire.IsControl(r) {
			return false
		}
	}
	return utf8.ValidString(text)
}

// SetText sets v to the text of p, and keeps an equal text.
func SetText(v *string, p []byte) {
	if *v != string(p) {
		*v = string(p)
	}
}

// List visits the number of elements of a list. When reading it makes room for them, in the list's memory.
func List[T any](c *Coder, field string, v *[]T, most int) {
	n := c.count(field, len(*v), most)
	if c.table != nil {
		c.table.counted(wire.Count, c.rowName(field), most)
	}
	if !c.Writing {
		*v = slices.Grow((*v)[:0], n)[:n]
	}
}
