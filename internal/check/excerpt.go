package check

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"touchline/wire"
)

// spot counts a fault and keeps its first place.
type spot struct {
	count      uint64
	order      uint64 // number of the first message with it
	first      int64
	line       int64
	offset     int
	time, game float64
	excerpt    string
	at, length int
}

// add adds the faults of another spot; the earlier one is the first place.
func (p *spot) add(other *spot) {
	count := p.count + other.count
	if p.count == 0 || other.count > 0 && other.order < p.order {
		*p = *other
	}
	p.count = count
}

// mark counts a fault of length bytes at an offset of m, and keeps the excerpt of the first one. A length of 0 stands
// for that of the JSON value there.
func (c *Card) mark(p *spot, m *StationMessage, offset, length int) {
	p.count++
	if p.count > 1 {
		return
	}
	offset = max(min(offset, len(m.Data)), 0)
	p.order, p.first, p.offset, p.game = c.messages, m.Offset, offset, m.Game.Seconds()
	if m.Line > 0 {
		p.line = m.Line + int64(bytes.Count(m.Data[:offset], []byte{'\n'}))
	}
	if m.Received != 0 && c.start != 0 {
		p.time = m.Received.Sub(c.start).Seconds()
	}
	if length == 0 {
		length = valueLen(m.Data[offset:])
	}
	p.excerpt, p.at, p.length = excerpt(m.Data, offset, length)
}

// markValue marks the JSON value at an offset of m.
func (c *Card) markValue(p *spot, m *StationMessage, offset int32) { c.mark(p, m, int(offset), 0) }

// valueLen returns the length of the JSON value or word at the start of b, or less if it is too long to show.
func valueLen(b []byte) int {
	const most = 40
	b = b[:min(len(b), most)]
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '"':
		if n := bytes.IndexByte(b[1:], '"'); n >= 0 {
			return n + 2
		}
		return len(b)
	case '[':
		if n := bytes.IndexByte(b, ']'); n >= 0 {
			return n + 1
		}
		return len(b)
	case '{', '}', ']':
		return 1
	}
	if n := bytes.IndexAny(b, ",]} \t\r\n"); n > 0 {
		return n
	}
	return 1
}

// excerpt returns the text around length bytes at an offset of b on one line, and where these bytes are in it. It
// replaces runs of blanks by one and characters that cannot be printed by dots.
func excerpt(b []byte, offset, length int) (text string, at, n int) {
	const before, after = 60, 60
	from, to := max(offset-before, 0), min(offset+length+after, len(b))
	var out strings.Builder
	blank := false
	for i := from; i < to; {
		if i >= offset && at == 0 && n == 0 && i <= offset {
			at, blank = out.Len(), false
		}
		r, size := utf8.DecodeRune(b[i:to])
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			if !blank {
				out.WriteByte(' ')
			}
			blank = true
		case r == utf8.RuneError && size == 1 || wire.IsControl(r):
			out.WriteByte('.')
			blank = false
		default:
			out.WriteRune(r)
			blank = false
		}
		i += size
		if n == 0 && i >= offset+length && i > offset {
			n = out.Len() - at
		}
	}
	if offset >= to {
		at = out.Len()
	}
	return out.String(), at, n
}
