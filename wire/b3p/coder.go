package b3p

import (
	"errors"
	"fmt"
	"strconv"

	"touchline/wire"
)

// source is the label of the rules.
const source = "Ball booking messages"

// mode is what a coder does with the fields of a message.
type mode int

const (
	reading  mode = iota
	writing       // refusing faults
	checking      // reading, collecting faults
	listing       // reading, collecting fields
)

// coder visits the fields of a message in the order of the wire.
type coder struct {
	mode   mode
	b      []byte
	start  int // writing: where the message begins in b
	at     int // offset of the next byte
	err    error
	issues []wire.Issue
	fields []wire.Field
}

func writer(b []byte) coder { return coder{mode: writing, b: b, start: len(b), at: len(b)} }

// written returns the bytes with the message, or the bytes without it and the first violation.
func (c *coder) written() ([]byte, error) {
	if len(c.issues) > 0 {
		return c.b[:c.start], errors.New("b3p: " + c.issues[0].Field + ": " + c.issues[0].Text)
	}
	return c.b, nil
}

// number visits an integer of size bytes.
func number[T uint8 | uint16 | uint32](c *coder, field, unit string, size int, v *T) {
	if c.mode == writing {
		for i := range size {
			c.b = append(c.b, byte(uint64(*v)>>(8*i)))
		}
		c.at += size
		return
	}
	if c.err == nil && len(c.b)-c.at < size {
		c.err = fmt.Errorf("b3p: %w: %d bytes", wire.ErrShort, len(c.b))
	}
	if c.err != nil {
		*v = 0
		return
	}
	n := uint64(0)
	for i, p := range c.b[c.at : c.at+size] {
		n |= uint64(p) << (8 * i)
	}
	*v = T(n)
	if c.mode == listing {
		c.fields = append(c.fields, wire.Field{
			Offset: c.at, Len: size, Name: field, Value: strconv.FormatUint(n, 10), Unit: unit,
		})
	}
	c.at += size
}

// judges reports whether faults of the field that was visited last are wanted.
func (c *coder) judges() bool { return c.err == nil && (c.mode == writing || c.mode == checking) }

// fault adds a violation of the field of size bytes that was visited last.
func (c *coder) fault(size int, field, format string, args ...any) {
	c.issues = append(c.issues, wire.Issue{
		Offset: c.at - c.start - size, Field: field, Source: source, Text: fmt.Sprintf(format, args...),
	})
}

func (c *coder) version() {
	v := uint8(Version)
	if number(c, "version", "", 1, &v); c.err == nil && v != Version {
		c.err = fmt.Errorf("%w: %d instead of %d", ErrVersion, v, Version)
	}
}

// booker visits the id of the booker, from least on.
func (c *coder) booker(least uint8, v *uint8) {
	number(c, "booker", "", 1, v)
	if c.judges() && (*v < least || *v > MaxRobot) {
		c.fault(1, "booker", "robot %d: want %d to %d", *v, least, MaxRobot)
	}
}

// distance visits a distance. Unknown is valid where mayBeUnknown says so.
func (c *coder) distance(field string, mayBeUnknown bool, v *uint16) {
	number(c, field, "mm", 2, v)
	if c.judges() && *v > MaxDistance && !(mayBeUnknown && *v == Unknown) {
		c.fault(2, field, "%d mm: want at most %d", *v, MaxDistance)
	}
}

// order checks that the smallest distance of a booking is not above the current one.
func (c *coder) order(claimed, advertised uint16) {
	if c.judges() && claimed > advertised {
		c.fault(2, "advertised", "%d mm: below claimed, the smallest distance of the booking, %d mm", advertised, claimed)
	}
}

func (m *Claim) layout(c *coder) {
	c.version()
	c.booker(1, &m.Booker)
	number(c, "epoch", "", 4, &m.Epoch)
	number(c, "sequence", "", 4, &m.Sequence)
	c.distance("claimed", false, &m.Claimed)
	c.distance("advertised", false, &m.Advertised)
	c.order(m.Claimed, m.Advertised)
}

func (m *Release) layout(c *coder) {
	c.version()
	c.booker(1, &m.Booker)
	number(c, "epoch", "", 4, &m.Epoch)
	number(c, "sequence", "", 4, &m.Sequence)
	number(c, "reason", "", 1, (*uint8)(&m.Reason))
	if c.judges() && m.Reason >= reasons {
		c.fault(1, "reason", "%d: want 0 to %d", uint8(m.Reason), reasons-1)
	}
}

const flagReleased = 1 // of a belief

func (m *Belief) layout(c *coder) {
	c.version()
	flags := uint8(0)
	if m.Released {
		flags = flagReleased
	}
	number(c, "flags", "", 1, &flags)
	m.Released = flags&flagReleased != 0
	if c.judges() && flags&^flagReleased != 0 {
		c.fault(1, "flags", "%#02x: bits 1 to 7 are reserved, want 0", flags)
	}
	c.booker(0, &m.Booker)
	if c.judges() && m.Released && m.Booker == 0 {
		c.fault(1, "booker", "robot 0 cannot have released the ball")
	}
	number(c, "epoch", "", 4, &m.Epoch)
	number(c, "sequence", "", 4, &m.Sequence)
	c.distance("claimed", false, &m.Claimed)
	c.distance("advertised", false, &m.Advertised)
	c.order(m.Claimed, m.Advertised)
	number(c, "age", "ms", 2, &m.AgeMillis)
	c.distance("own", true, &m.Own)
}
