package analysislog

import fast "github.com/go-json-experiment/json"

// text walks through a JSON text, and decodes only what is asked for. The walls of a record are some 20 kB ten times a
// second, of which the figures need a tenth. Skipped parts are not checked.
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

// skip takes the next value and returns it; nil for none.
func (t *text) skip() []byte {
	first := t.next()
	begin := t.at
	switch first {
	case '{', '[':
		t.at = nested(t.b, t.at)
	case '"':
		t.at = quoted(t.b, t.at)
	default:
		for t.at < len(t.b) && !ends[t.b[t.at]] {
			t.at++
		}
	}
	if t.bad = t.bad || t.at <= begin || t.at > len(t.b); t.bad {
		return nil
	}
	return t.b[begin:t.at]
}

// ends are the bytes that end a number, true, false or null.
var ends = [256]bool{',': true, '}': true, ']': true, ' ': true, '\t': true, '\r': true, '\n': true}

// nested returns the place behind an object or a list that begins at a place; one beyond the end if it has none.
func nested(b []byte, at int) int {
	for depth := 0; at < len(b); at++ {
		switch b[at] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"':
			at = quoted(b, at) - 1
		}
	}
	return len(b) + 1
}

// quoted returns the place behind a string that begins at a place; one beyond the end if it has none.
func quoted(b []byte, at int) int {
	for at++; at < len(b); at++ {
		switch b[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(b) + 1
}

// decode decodes the next value.
func (t *text) decode(to any) {
	if v := t.skip(); !t.bad {
		t.bad = fast.Unmarshal(v, to, lenient) != nil
	}
}

// object calls member with the name of each member of the next value, an object; member takes its value. null has no
// members.
func (t *text) object(member func(name []byte)) {
	t.each('{', '}', func() {
		name := t.skip()
		if t.bad || len(name) < 2 || name[0] != '"' || !t.take(':') {
			t.bad = true
			return
		}
		member(name[1 : len(name)-1])
	})
}

// member calls found at the member of the next value, an object, that has a name; found takes its value.
func (t *text) member(name string, found func()) {
	t.object(func(other []byte) {
		if string(other) == name {
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
