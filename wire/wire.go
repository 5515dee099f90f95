// Package wire is what every codec shares: a reader with a sticky error, and the words for what a message holds and
// what is wrong with it.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrShort says that a message ends before its layout does.
var ErrShort = errors.New("wire: message is too short")

// Issue is one thing that is wrong with a message.
type Issue struct {
	Offset int    `json:"offset"` // of the first byte in question
	Field  string `json:"field"`  // as Fields names it; "" for the whole message
	Clause string `json:"clause"` // of the document that says so
	Text   string `json:"text"`   // plain words: what is wrong and what is right
	Note   bool   `json:"note"`   // worth knowing, but no document forbids it
}

// String returns the issue in one line.
func (i Issue) String() string {
	if i.Field == "" {
		return fmt.Sprintf("byte %d: %s (%s)", i.Offset, i.Text, i.Clause)
	}
	return fmt.Sprintf("byte %d, %s: %s (%s)", i.Offset, i.Field, i.Text, i.Clause)
}

// Field is one decoded field of a message, for pages, reports and dissectors.
type Field struct {
	Offset int    `json:"offset"`
	Len    int    `json:"len"` // bytes
	Name   string `json:"name"`
	Value  string `json:"value"`
	Unit   string `json:"unit"` // "" where the value has none
}

// Reader reads a message from the front. The first read past the end sets a sticky error; later reads give zeros.
type Reader struct {
	b   []byte
	off int
	err error
}

// NewReader returns a Reader of b, which it does not copy.
func NewReader(b []byte) Reader { return Reader{b: b} }

// Take returns the next n bytes, a part of the message itself, or nil when fewer are left. One Take a record is the
// fast way: index into its result.
func (r *Reader) Take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > len(r.b)-r.off {
		r.err = fmt.Errorf("%w: %d bytes wanted at byte %d of %d", ErrShort, n, r.off, len(r.b))
		return nil
	}
	p := r.b[r.off : r.off+n : r.off+n]
	r.off += n
	return p
}

// Uint8 reads one byte.
func (r *Reader) Uint8() uint8 {
	if p := r.Take(1); p != nil {
		return p[0]
	}
	return 0
}

// Uint16 reads two bytes, little-endian.
func (r *Reader) Uint16() uint16 {
	if p := r.Take(2); p != nil {
		return binary.LittleEndian.Uint16(p)
	}
	return 0
}

// Uint32 reads four bytes, little-endian.
func (r *Reader) Uint32() uint32 {
	if p := r.Take(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

// Rest returns what is left, without a copy.
func (r *Reader) Rest() []byte { return r.Take(len(r.b) - r.off) }

// Offset returns how many bytes were read.
func (r *Reader) Offset() int { return r.off }

// Err returns the first error, or nil.
func (r *Reader) Err() error { return r.err }
