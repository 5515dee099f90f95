package bounded

import (
	"bytes"
	"fmt"
	"strings"
)

// Bounds of TOML.
const (
	maxDots = 8 // of a line outside of texts; the parser takes memory by the square of the dots of a key
	maxOpen = 2 // brackets and braces that are open at once
)

// CheckTOML refuses TOML with keys and values that lie so deep within each other that to decode them costs much memory. A text
// that does not end is the parser's business.
func CheckTOML(b []byte) error {
	dots, open := 0, 0
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '#':
			if i = after(b, i, "\n") - 1; i+1 < len(b) {
				dots = 0
			}
		case '"', '\'':
			end := string(c)
			if triple := strings.Repeat(end, 3); bytes.HasPrefix(b[i:], []byte(triple)) {
				end = triple
			}
			i = after(b, i+len(end), end) - 1
		case '\n':
			dots = 0
		case '.':
			dots++
		case '[', '{':
			open++
		case ']', '}':
			open--
		}
		if dots > maxDots || open > maxOpen {
			return fmt.Errorf("line %d: more than %d dots in a line, or %d brackets within each other: want one value a line",
				1+bytes.Count(b[:i], []byte("\n")), maxDots, maxOpen)
		}
	}
	return nil
}

// after returns the place after the next end from i on, the length of b if there is none. Within a text in double quotes
// a backslash hides the character behind it.
func after(b []byte, i int, end string) int {
	for ; i < len(b); i++ {
		switch {
		case bytes.HasPrefix(b[i:], []byte(end)):
			return i + len(end)
		case b[i] == '\\' && end[0] == '"':
			i++
		case b[i] == '\n' && len(end) == 1 && end[0] != '\n': // a text of one line does not end: its line does
			return i
		}
	}
	return len(b)
}
