package wire_test

import (
	"testing"

	"touchline/wire"
)

// Text from the network cannot clear a terminal, add a line to a log or turn the direction of what follows.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		"START":          "START",
		"Zürich 東京 ⚽":    "Zürich 東京 ⚽",
		"\x1b[2J":        ".[2J",
		"a\nb\r\tc":      "a.b..c",
		"a\u0085b\x7f":   "a.b.",
		"a\u202eb\u2028": "a.b.",
		"\xff":           "\ufffd",
		"a\u202eb\x1b[2J\u200f\u2066\u2028é\u00ad": "a.b.[2J...é.",
	} {
		if got := wire.Printable(text); got != want {
			t.Errorf("Printable(%q) = %q, want %q", text, got, want)
		}
	}
}

// Escaped JSON holds the same texts, and none of the characters that control a terminal.
func TestAppendEscaped(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":[1,"é 東京"]}` + "\n": `{"a":[1,"é 東京"]}` + "\n",
		"\"\x7f\u0085\u202e\"":    `"\u007f\u0085\u202e"`,
		"\"\u2028\U000e0041x\"":   `"\u2028\udb40\udc41x"`,
	} {
		if got := string(wire.AppendEscaped(nil, []byte(text))); got != want {
			t.Errorf("AppendEscaped(%q) = %q, want %q", text, got, want)
		}
	}
}
