// Package wire holds what every codec shares: the description of a message's fields and of its faults.
//
// Each package below wire is the codec of one protocol, with the same face: types with AppendBinary, which is strict,
// and UnmarshalBinary, which is liberal; Check, which returns every fault of a message; and Fields, which returns its
// byte table. Directory vectors holds messages with their contents and faults, for tests in any language.
package wire

import (
	"errors"
	"fmt"
	"strings"
)

// ErrShort is the error of a message that ends before its last field.
var ErrShort = errors.New("wire: message is too short")

// Issue is one fault of a message.
type Issue struct {
	Offset int    `json:"offset"` // offset of the first byte in question
	Field  string `json:"field"`  // a name of Fields; "" for the whole message
	Source string `json:"source"` // a label of docs/sources.md and the section, "MSL World Model 2015, section 3"
	Text   string `json:"text"`   // what is wrong, and what is right
	Note   bool   `json:"note"`   // a note is worth knowing, but no document forbids it
}

// String returns the issue in one line.
func (i Issue) String() string {
	if i.Field == "" {
		return fmt.Sprintf("byte %d: %s (%s)", i.Offset, i.Text, i.Source)
	}
	return fmt.Sprintf("byte %d, %s: %s (%s)", i.Offset, i.Field, i.Text, i.Source)
}

// Like reports whether two issues are of one kind: they differ at most in their offsets and in the numbers of their texts.
func (i *Issue) Like(other *Issue) bool {
	return i.Field == other.Field && i.Source == other.Source && sameWords(i.Text, other.Text)
}

// sameWords reports whether two texts differ only in their numbers.
func sameWords(a, b string) bool {
	const digits = "0123456789-"
	for {
		a, b = strings.TrimLeft(a, digits), strings.TrimLeft(b, digits)
		i, j := len(a), len(b)
		if n := strings.IndexAny(a, digits); n >= 0 {
			i = n
		}
		if n := strings.IndexAny(b, digits); n >= 0 {
			j = n
		}
		if a[:i] != b[:j] {
			return false
		}
		if a, b = a[i:], b[j:]; a == "" && b == "" {
			return true
		}
	}
}

// Field is one decoded field of a message, for pages, reports and dissectors.
type Field struct {
	Offset int    `json:"offset"`
	Len    int    `json:"len"` // bytes
	Name   string `json:"name"`
	Value  string `json:"value"`
	Unit   string `json:"unit"` // "" for a value without a unit
}
