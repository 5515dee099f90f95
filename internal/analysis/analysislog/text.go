package analysislog

import (
	"bytes"

	fast "github.com/go-json-experiment/json"
)

// text walks through a JSON text, and decodes only what is asked for. The walls of a record are some 20 kB ten times a
// second, of which the figures need a tenth. What is skipped is not checked.
type text struct {
	b   []byte
	at  int
	bad bool // it is no JSON: the walk has ended
}

// next returns the next byte that is no space, without taking it; 0 at the end.
func (t *text) next() byte {
	for ; t.at < len(t.b); t.at++ {
		switch c := t.b[t.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take takes the next byte if it is c.
func (t *text) take(c byte) bool {
	if t.bad || t.next() != c {
		return false
	}
	t.at++
	return true
}

// skip takes the next value and returns it.
func (t *text) skip() []byte {
	t.next()
	begin, depth := t.at, 0
	for t.at < len(t.b) && !t.bad {
		switch t.b[t.at] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				t.at += 1 + depth // the end of what is around a number
				return t.value(begin)
			}
		case '"':
			if t.quoted(); depth == 0 {
				return t.value(begin)
			}
			continue
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return t.value(begin)
			}
		}
		t.at++
	}
	return t.value(begin)
}

// value returns the value that was taken; nil for none.
func (t *text) value(begin int) []byte {
	if t.bad = t.bad || t.at <= begin || t.at > len(t.b); t.bad {
		return nil
	}
	return t.b[begin:t.at]
}

// quoted takes a string.
func (t *text) quoted() {
	for t.at++; t.at < len(t.b); t.at++ {
		switch t.b[t.at] {
		case '\\':
			t.at++
		case '"':
			t.at++
			return
		}
	}
	t.bad = true
}

// decode decodes the next value.
func (t *text) decode(to any) {
	if v := t.skip(); !t.bad {
		t.bad = fast.Unmarshal(v, to, lenient) != nil
	}
}

// object calls member with the name of each member of the next value, an object; member takes its value. null has no
// members.
func (t *text) object(member func(name string)) {
	t.each('{', '}', func() {
		name := t.skip()
		if t.bad || len(name) < 2 || name[0] != '"' || !t.take(':') {
			t.bad = true
			return
		}
		member(string(bytes.Trim(name, `"`)))
	})
}

// member calls found at the member of the next value, an object, that has a name; found takes its value.
func (t *text) member(name string, found func()) {
	t.object(func(other string) {
		if other == name {
			found()
		} else {
			t.skip()
		}
	})
}

// list calls element at each element of the next value, a list; element takes it. null has no elements.
func (t *text) list(element func()) { t.each('[', ']', element) }

// each calls f at each part of a value that begins and ends with those bytes.
func (t *text) each(begin, end byte, f func()) {
	if t.next() == 'n' {
		t.skip()
		return
	}
	if !t.take(begin) {
		t.bad = true
		return
	}
	if t.take(end) {
		return
	}
	for !t.bad {
		if f(); t.take(end) {
			return
		}
		t.bad = t.bad || !t.take(',')
	}
}
