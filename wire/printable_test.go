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
	} {
		if got := wire.Printable(text); got != want {
			t.Errorf("Printable(%q) = %q, want %q", text, got, want)
		}
	}
}
