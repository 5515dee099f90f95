package team

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"touchline/wire"
)

// coder visits the fields of a message in the order of the wire. A message has one method layout that names its fields;
// the coder writes them, reads them, applies the rules to them or lists them.
type coder struct {
	b       []byte
	start   int  // writing: where the message begins in b
	at      int  // reading: offset of the next byte
	writing bool // else reading
	strict  bool // the rules apply
	listing bool // fields are listed
	err     error

	group  string // part of the message that holds the record, with a dot
	record string // record that holds the field, "" for the message itself
	index  int    // of the record, or -1

	issues []wire.Issue
	fields []wire.Field
}

func writer(b []byte) coder {
	return coder{b: b, start: len(b), writing: true, strict: true, index: -1}
}

func reader(b []byte) coder { return coder{b: b, index: -1} }

// written returns the bytes with the message, or the bytes without it and the first violation.
func (c *coder) written() ([]byte, error) {
	for i := range c.issues {
		if !c.issues[i].Note {
			return c.b[:c.start], errors.New("team: " + c.issues[i].Field + ": " + c.issues[i].Text)
		}
	}
	return c.b, nil
}

// in makes record the holder of the following fields.
func (c *coder) in(record string, index int) { c.record, c.index = record, index }

func (c *coder) name(field string) string {
	s := c.group + c.record
	if c.index >= 0 {
		s += "[" + strconv.Itoa(c.index) + "]"
	}
	if s == "" || c.record == "" {
		return s + field
	}
	return s + "." + field
}

// fault adds a violation of the field of n bytes that was visited last.
func (c *coder) fault(n int, field, format string, args ...any) {
	at := c.at - n
	if c.writing {
		at = len(c.b) - c.start - n
	}
	c.issues = append(c.issues, wire.Issue{
		Offset: at, Field: c.name(field), Source: source, Text: fmt.Sprintf(format, args...),
	})
}

// row adds a row to the byte table for the n bytes that were read last.
func (c *coder) row(n int, field, value, unit string) {
	c.fields = append(c.fields, wire.Field{Offset: c.at - n, Len: n, Name: c.name(field), Value: value, Unit: unit})
}

// next returns the place of the next n bytes: new ones when writing. It returns nil when the message ends before.
func (c *coder) next(n int) []byte {
	if c.writing {
		at := len(c.b)
		c.b = slices.Grow(c.b, n)[:at+n]
		return c.b[at:]
	}
	if c.err != nil {
		return nil
	}
	if len(c.b)-c.at < n {
		c.err = fmt.Errorf("team: %w: %d bytes", wire.ErrShort, len(c.b))
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

// version visits the version byte of the message.
func (c *coder) version() {
	v := uint8(Version)
	if c.uint8("version", &v); c.err == nil && v != Version {
		c.err = fmt.Errorf("%w: %d instead of %d", ErrVersion, v, Version)
	}
}

func (c *coder) uint8(field string, v *uint8) {
	p := c.next(1)
	switch {
	case p == nil:
		*v = 0
	case c.writing:
		p[0] = *v
	default:
		*v = p[0]
	}
	if c.listing && p != nil {
		c.row(1, field, strconv.Itoa(int(*v)), "")
	}
}

func (c *coder) uint16(field string, v *uint16) {
	p := c.next(2)
	switch {
	case p == nil:
		*v = 0
	case c.writing:
		binary.LittleEndian.PutUint16(p, *v)
	default:
		*v = binary.LittleEndian.Uint16(p)
	}
	if c.listing && p != nil {
		c.row(2, field, strconv.Itoa(int(*v)), "")
	}
}

func (c *coder) uint32(field string, v *uint32) {
	p := c.next(4)
	switch {
	case p == nil:
		*v = 0
	case c.writing:
		binary.LittleEndian.PutUint32(p, *v)
	default:
		*v = binary.LittleEndian.Uint32(p)
	}
	if c.listing && p != nil {
		c.row(4, field, strconv.FormatUint(uint64(*v), 10), "")
	}
}

func (c *coder) uint64(field, unit string, v *uint64) {
	p := c.next(8)
	switch {
	case p == nil:
		*v = 0
	case c.writing:
		binary.LittleEndian.PutUint64(p, *v)
	default:
		*v = binary.LittleEndian.Uint64(p)
	}
	if c.listing && p != nil {
		c.row(8, field, strconv.FormatUint(*v, 10), unit)
	}
}

// robots visits a set of robots: bit n is robot n.
func (c *coder) robots(field string, v *uint64) {
	listing := c.listing
	c.listing = false
	c.uint64(field, "", v)
	if c.listing = listing; listing && c.err == nil {
		c.row(8, field, robotList(*v), "")
	}
}

func robotList(set uint64) string {
	s := ""
	for n := range 64 {
		if set>>n&1 == 1 {
			s += " " + strconv.Itoa(n)
		}
	}
	if s == "" {
		return "none"
	}
	return s[1:]
}
