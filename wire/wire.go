// Package wire is what every codec shares: the words for what a message holds and what is wrong with it.
package wire

import (
	"errors"
	"fmt"
)

// ErrShort says that a message ends before its layout does.
var ErrShort = errors.New("wire: message is too short")

// Issue is one thing that is wrong with a message.
type Issue struct {
	Offset int    `json:"offset"` // of the first byte in question
	Field  string `json:"field"`  // as Fields names it; "" for the whole message
	Source string `json:"source"` // the broken rule: a label of docs/sources.md and the section, "MSL World Model 2015, section 3"
	Text   string `json:"text"`   // plain words: what is wrong and what is right
	Note   bool   `json:"note"`   // worth knowing, but no document forbids it
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
	Unit   string `json:"unit"` // "" where the value has none
}
