package rcg

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// text is the unread rest of an expression. After a fault all methods return zero values.
type text struct {
	rest []byte
	bad  bool
	why  string
}

// fail notes the first fault.
func (t *text) fail(format string, args ...any) {
	if !t.bad {
		t.bad, t.why, t.rest = true, fmt.Sprintf(format, args...), nil
	}
}

// err returns the fault of a line with a name.
func (t *text) err(name string) error {
	if !t.bad {
		return nil
	}
	return fmt.Errorf("%w %.20q: %s", ErrMalformed, name, t.why)
}

func (t *text) skip() { t.rest = bytes.TrimLeft(t.rest, " \t\r") }

// open reads an opening parenthesis, and close a closing one.
func (t *text) open()  { t.mark('(') }
func (t *text) close() { t.mark(')') }

func (t *text) mark(c byte) {
	if t.skip(); len(t.rest) == 0 || t.rest[0] != c {
		t.fail("want %c before %.20q", c, t.rest)
		return
	}
	t.rest = t.rest[1:]
}

// opens reports whether a parenthesis opens next, and ends whether one closes, or nothing follows.
func (t *text) opens() bool {
	t.skip()
	return len(t.rest) > 0 && t.rest[0] == '('
}

func (t *text) ends() bool {
	t.skip()
	return len(t.rest) == 0 || t.rest[0] == ')'
}

// word reads a word, which blanks and parentheses end.
func (t *text) word() []byte {
	t.skip()
	n := bytes.IndexAny(t.rest, " ()\t\r")
	if n < 0 {
		n = len(t.rest)
	}
	if n == 0 {
		t.fail("want a word before %.20q", t.rest)
		return nil
	}
	w := t.rest[:n]
	t.rest = t.rest[n:]
	return w
}

// whole reads a whole number from 0 to 1,000,000.
func (t *text) whole() int {
	w := t.word()
	n, err := strconv.Atoi(string(w))
	if err != nil || n < 0 || n > 1_000_000 {
		t.fail("want a whole number, not %.20q", w)
		return 0
	}
	return n
}

// bits reads a number as "0x9".
func (t *text) bits() uint32 {
	w := t.word()
	n, err := strconv.ParseUint(string(w), 0, 32)
	if err != nil {
		t.fail("want a number like 0x9, not %.20q", w)
	}
	return uint32(n)
}

// number reads a finite number.
func (t *text) number() float64 {
	w := t.word()
	v, err := strconv.ParseFloat(string(w), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		t.fail("want a number, not %.20q", w)
		return 0
	}
	return v
}

// leave passes over the rest of an expression with its closing parenthesis.
func (t *text) leave() {
	depth := 1
	for i := 0; i < len(t.rest); i++ {
		switch t.rest[i] {
		case '"':
			n := bytes.IndexByte(t.rest[i+1:], '"')
			if n < 0 {
				t.fail("a quotation without its end")
				return
			}
			i += n + 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				t.rest = t.rest[i+1:]
				return
			}
		}
	}
	t.fail("want ) at its end")
}
