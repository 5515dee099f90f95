// Package wire holds what every codec shares: the description of a message's fields and of its faults.
//
// Each package below wire is the codec of one protocol, with the same face: types with AppendBinary, which is strict,
// and UnmarshalBinary, which is liberal; Check, which returns every fault of a message; and Fields, which returns its
// byte table. Directory vectors holds messages with their contents and faults, for tests in any language.
package wire

import (
	"errors"
	"fmt"
)

// ErrShort is the error of a message that ends before its last field.
var ErrShort = errors.New("wire: message is too short")

// Issue is one fault of a message.
type Issue struct {
	Offset int    `json:"offset"` // of the first byte in question
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

// Field is one decoded field of a message, for pages, reports and dissectors.
type Field struct {
	Offset int    `json:"offset"`
	Len    int    `json:"len"` // bytes
	Name   string `json:"name"`
	Value  string `json:"value"`
	Unit   string `json:"unit"` // "" for a value without a unit
}
