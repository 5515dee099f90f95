package wire

import (
	"strings"
	"unicode"
)

// IsControl reports whether a character controls the program that shows it instead of being shown: it moves the cursor
// of a terminal, breaks a line, or changes the direction of the text that follows.
func IsControl(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Printable returns text from the network as one line that is safe to print on a terminal or in a log: each control
// character becomes a dot, and bytes that are not UTF-8 become U+FFFD.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if IsControl(r) {
			return '.'
		}
		return r
	}, text)
}
