package wire

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
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

// AppendEscaped appends JSON with \u escapes in place of the control characters in its texts, which no JSON encoder
// escapes from U+007F on. Readers of the JSON get the same texts.
func AppendEscaped(b, json []byte) []byte {
	for len(json) > 0 {
		r, n := utf8.DecodeRune(json)
		switch {
		case r < 0x7f || !IsControl(r):
			b = append(b, json[:n]...)
		case r > 0xffff:
			b = fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
		json = json[n:]
	}
	return b
}
