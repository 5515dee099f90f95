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
