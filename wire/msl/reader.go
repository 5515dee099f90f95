package msl

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// reader walks over valid JSON, so it never fails.
type reader struct {
	b []byte
	i int
}

// read returns a reader of the JSON object b, or ErrMalformed.
func read(b []byte) (reader, error) {
	r, at, why := open(b)
	if why != "" {
		return r, malformed(at, why)
	}
	return r, nil
}

func malformed(at int, why string) error {
	return fmt.Errorf("%w: byte %d: %s", ErrMalformed, at, why)
}

// open returns a reader of the JSON object b, or where parsing failed and why.
func open(b []byte) (r reader, at int, why string) {
	switch {
	case len(b) > MaxMessage:
		return r, MaxMessage, fmt.Sprintf("too long: at most %d bytes are accepted", MaxMessage)
	case !jsontext.Value(b).IsValid():
		at, why = fault(b)
		return r, at, why
	}
	r.b = b
	if c := r.peek(); c != '{' {
		return r, r.i, fmt.Sprintf("begins with %q instead of {", c)
	}
	return r, 0, ""
}

// fault returns where parsing of the invalid b failed and why, with a hint for common mistakes.
func fault(b []byte) (at int, why string) {
	d := jsontext.NewDecoder(bytes.NewReader(b))
	_, err := d.ReadToken()
	for err == nil && d.StackDepth() > 0 {
		_, err = d.ReadToken()
	}
	at = int(d.InputOffset())
	var s *jsontext.SyntacticError
	switch {
	case err == nil: // the value is complete, and more follows
		return len(b) - len(bytes.TrimLeft(b[at:], " \t\r\n")), "text after the object: close each message with a NUL"
	case !errors.As(err, &s):
		return at, "only blanks"
	}
	at, why = int(s.ByteOffset), s.Err.Error()
	if errors.Is(err, jsontext.ErrDuplicateName) {
		why += " " + string(s.JSONPointer)
	}
	return at, why + hint(b, at)
}

// hint returns the fix of a common mistake at byte at of b, or "".
func hint(b []byte, at int) string {
	rest := b[min(at, len(b)):]
	if next := bytes.TrimLeft(rest, ", \t\r\n"); len(next) > 0 && rest[0] == ',' && (next[0] == '}' || next[0] == ']') {
		return ": remove the comma before the end"
	}
	for _, word := range []string{"NaN", "nan", "Inf", "inf"} {
		if bytes.HasPrefix(rest, []byte(word)) {
			return ": JSON has no " + word + ", write null for an unknown value"
		}
	}
	return ""
}

// peek skips blanks, commas and colons and returns the first byte of the next value, key or end.
func (r *reader) peek() byte {
	for {
		switch c := r.b[r.i]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.i++
		default:
			return c
		}
	}
}

// more reports whether another element or key follows, and skips the end of the list or object if not.
func (r *reader) more() bool {
	if c := r.peek(); c != '}' && c != ']' {
		return true
	}
	r.i++
	return false
}

// list enters a list and reports whether there is one; it skips any other value.
func (r *reader) list() bool {
	if r.peek() != '[' {
		r.skip()
		return false
	}
	r.i++
	return true
}

// object reports whether another object follows in a list, and skips other values. Without room for the object, it
// skips and counts it.
func (r *reader) object(room bool, dropped *int) bool {
	for r.more() {
		if r.b[r.i] == '{' {
			if room {
				return true
			}
			*dropped++
		}
		r.skip()
	}
	return false
}

// token reads a string, a number or a literal and returns it as written.
func (r *reader) token() []byte {
	text := r.peek() == '"'
	start := r.i
	for r.i++; r.i < len(r.b); r.i++ {
		c := r.b[r.i]
		switch {
		case text && c == '\\':
			r.i++ // an escaped quote ends no string
		case text && c == '"':
			r.i++
			return r.b[start:r.i]
		case !text && (c <= ' ' || c == ',' || c == ':' || c == ']' || c == '}'):
			return r.b[start:r.i]
		}
	}
	return r.b[start:r.i]
}

// skip skips a whole value.
func (r *reader) skip() {
	for depth := 0; ; {
		switch r.peek() {
		case '{', '[':
			depth++
			r.i++
		case '}', ']':
			depth--
			r.i++
		default:
			r.token()
		}
		if depth == 0 {
			return
		}
	}
}

// key reads a key, or another string, and returns it without quotes.
func (r *reader) key() []byte { return unquoted(nil, r.token()) }

// unquoted returns the contents of a quoted string, in scratch if it has escapes.
func unquoted(scratch, quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	plain, _ := jsontext.AppendUnquote(scratch[:0], quoted) // valid: no error
	return plain
}

// text reads a value and returns it as text: old if that is equal, "" if it is not a string.
func (r *reader) text(old string) string {
	if r.peek() != '"' {
		r.skip()
		return ""
	}
	var scratch [256]byte
	if plain := unquoted(scratch[:], r.token()); string(plain) != old {
		return string(plain)
	}
	return old
}

// number reads a value and returns it as a number, also if it is written as a string; true and false are 1 and 0. Other
// values are unknown, and so are numbers that exceed a float64.
func (r *reader) number() Number {
	var digits []byte
	c := r.peek()
	at := int32(r.i)
	switch c {
	case '{', '[', 'n':
		r.skip()
		return Number{}
	case '"':
		if digits = r.key(); len(digits) == 0 || !jsontext.Value(digits).IsValid() || jsontext.Value(digits).Kind() != '0' {
			return Number{}
		}
	case 't', 'f':
		r.token()
		if c == 't' {
			return Number{1, true, at}
		}
		return Number{0, true, at}
	default:
		if v, ok := r.decimal(); ok {
			return Number{v, true, at}
		}
		digits = r.token()
	}
	v, err := strconv.ParseFloat(string(digits), 64)
	if err != nil {
		return Number{}
	}
	return Number{v, true, at}
}

// powers are powers of ten, all of them exact.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// decimal reads a number of at most 15 digits without an exponent, or stays where it is and reports false. Such a
// number is the quotient of two exact ones, so it is rounded once, as strconv does in more time.
func (r *reader) decimal() (float64, bool) {
	i, digits, point, whole := r.i, 0, 0, uint64(0)
	if r.b[i] == '-' {
		i++
	}
	for ; ; i++ { // the message does not end with a number
		if c := r.b[i]; c-'0' <= 9 {
			whole = whole*10 + uint64(c-'0')
			digits++
		} else if c == '.' {
			point = digits
		} else {
			break
		}
	}
	if r.b[i]|0x20 == 'e' || digits >= len(powers) {
		return 0, false
	}
	if point == 0 {
		point = digits
	}
	v := float64(whole) / powers[digits-point]
	if r.b[r.i] == '-' {
		v = -v
	}
	r.i = i
	return v, true
}

// vector reads a value and returns its first three components; a value that is not a list has none.
func (r *reader) vector() Vec {
	var v Vec
	if r.peek() == '[' {
		v.Offset = int32(r.i)
	}
	for in := r.list(); in && r.more(); {
		if v.Len == len(v.At) {
			r.skip()
			continue
		}
		v.At[v.Len] = r.number()
		v.Len++
	}
	return v
}
