package team

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"touchline/wire"
)

// span is a range of values with their unit.
type span struct {
	from, to float32
	unit     string
}

// float visits a number. Where the flags say that it is not used, it is 0.
func (c *coder) float(field string, used bool, v *float32, r *span) {
	switch {
	case c.writing:
		c.b = binary.LittleEndian.AppendUint32(c.b, math.Float32bits(*v))
	case c.err == nil && len(c.b)-c.at >= 4:
		*v = math.Float32frombits(binary.LittleEndian.Uint32(c.b[c.at:]))
		c.at += 4
	default:
		c.next(4) // notes the error
		*v = 0
		return
	}
	if !used || c.listing || !(*v >= r.from && *v <= r.to) {
		c.checkFloat(field, used, v, r)
	}
}

// checkFloat lists the number that was visited last, and applies its rules.
func (c *coder) checkFloat(field string, used bool, v *float32, r *span) {
	switch {
	case c.listing && used:
		c.row(4, field, strconv.FormatFloat(float64(*v), 'g', -1, 32), r.unit)
	case c.listing:
		c.row(4, field, "unused", "")
	case used:
		c.refuse(4, field, "%v: want %v to %v %s", *v, r.from, r.to, r.unit)
	case *v == 0:
	case c.strict:
		c.fault(4, field, "%v, but the flags say that it is not used: write 0", *v)
	default:
		*v = 0
	}
}

// refuse adds a violation that makes a message unusable: decoding fails, too.
func (c *coder) refuse(n int, field, format string, args ...any) {
	if c.strict {
		c.fault(n, field, format, args...)
	} else if c.err == nil && !c.listing {
		c.err = fmt.Errorf("team: %s: %s", c.name(field), fmt.Sprintf(format, args...))
	}
}

// covariance visits the upper triangle of a symmetric matrix, row by row.
func (c *coder) covariance(names []string, used bool, v []float32, size int) {
	faults := len(c.issues)
	for i := range v {
		c.float(names[i], used, &v[i], &spanCov)
	}
	if !used || c.err != nil || len(c.issues) > faults {
		return
	}
	if k := unfit(v, size); k >= 0 {
		c.refuse(4*(len(v)-k), names[k], "%v: want the elements of a covariance", v[k])
	}
}

// unfit returns the index of an element that makes the matrix of an upper triangle no covariance, or -1. A covariance has
// no negative eigenvalue: the elimination of Gauss meets only positive pivots, or zero rows.
func unfit(v []float32, size int) int {
	const rounding = 1.001 // of numbers that the sender rounded to float32
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

// flags visits a byte of flags, from bit 0 on.
func (c *coder) flags(names []string, bits ...*bool) {
	var v uint8
	for i, bit := range bits {
		if *bit {
			v |= 1 << i
		}
	}
	listing := c.listing
	c.listing = false
	c.uint8("flags", &v)
	c.listing = listing
	if c.err != nil {
		v = 0
	}
	for i, bit := range bits {
		if !c.writing { // the sender may encode one message on two goroutines
			*bit = v>>i&1 == 1
		}
	}
	if listing && c.err == nil {
		c.row(1, "flags", flagList(v, names), "")
	}
	if rest := v >> len(bits); c.strict && rest != 0 {
		c.fault(1, "flags", "bits from %d on are reserved: write 0", len(bits))
	}
}

func flagList(v uint8, names []string) string {
	s := ""
	for i := range 8 {
		switch {
		case v>>i&1 == 0:
		case i < len(names):
			s += ", " + names[i]
		default:
			s += ", bit " + strconv.Itoa(i)
		}
	}
	if s == "" {
		return "none"
	}
	return s[2:]
}

// choice visits a byte with named values.
func choice[T ~uint8](c *coder, field string, v *T, names []string) {
	n := uint8(*v)
	listing := c.listing
	c.listing = false
	c.uint8(field, &n)
	if c.listing = listing; !c.writing {
		*v = T(n)
	}
	if listing && c.err == nil {
		c.row(1, field, nameOf(n, names), "")
	}
	if c.strict && c.err == nil && int(n) >= len(names) {
		c.fault(1, field, "%d has no meaning: want 0 to %d", n, len(names)-1)
	}
}

// nameOf returns the name of v, or its number without a name.
func nameOf(v uint8, names []string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return strconv.Itoa(int(v))
}

// count visits the number of elements of a list and returns it.
func (c *coder) count(field string, n, most int) int {
	v := uint8(min(n, 255))
	c.uint8(field, &v)
	if !c.writing {
		n = int(v)
	}
	if n <= most {
		return n
	}
	c.tooLong(field, n, most)
	if c.writing {
		return n
	}
	return 0
}

// tooLong refuses a list or text of n elements. Decoding cannot continue.
func (c *coder) tooLong(field string, n, most int) {
	if c.strict {
		c.fault(1, field, "%d: want at most %d", n, most)
	}
	if !c.writing && c.err == nil {
		c.err = fmt.Errorf("team: %s: %d: want at most %d", c.name(field), n, most)
	}
}

// text visits a text with its length.
func (c *coder) text(field string, v *string, most int) {
	n := c.count(field+".length", len(*v), most)
	p := c.next(n)
	switch {
	case p == nil:
		if c.err != nil {
			*v = ""
		}
	case c.writing:
		copy(p, *v)
	default:
		setText(v, p)
	}
	c.checkText(field, *v, n)
}

// checkText lists the text of n bytes that was visited last, and applies its rules.
func (c *coder) checkText(field, v string, n int) {
	switch {
	case c.err != nil || n == 0:
	case c.listing:
		c.row(n, field, wire.Printable(v), "")
	case !plain(v):
		c.refuse(n, field, "%.40q: want UTF-8 without control characters", v)
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

// setText sets v to the text of p, and keeps an equal text.
func setText(v *string, p []byte) {
	if *v != string(p) {
		*v = string(p)
	}
}

// list visits the number of elements of a list. When reading it makes room for them, in the list's memory.
func list[T any](c *coder, field string, v *[]T, most int) {
	n := c.count(field, len(*v), most)
	if !c.writing {
		*v = slices.Grow((*v)[:0], n)[:n]
	}
}
