package wire_test

import (
	"testing"

	"touchline/wire"
)

// A style gives the text of a number, and a name may stand for it.
func TestStyle(t *testing.T) {
	names := map[int64]string{1: "robot", 2: "computer"}
	for _, c := range []struct {
		style *wire.Style
		value int64
		size  int
		text  string
		alone bool
	}{
		{nil, -5, 2, "-5", false},
		{nil, -1, 8, "18446744073709551615", false},
		{&wire.Style{Names: names}, 1, 1, "1 (robot)", false},
		{&wire.Style{Names: names}, 3, 1, "3", false},
		{&wire.Style{Names: names, Other: "kind %d"}, 3, 1, "3 (kind 3)", false},
		{&wire.Style{Names: names, Alone: true}, 2, 1, "computer", true},
		{&wire.Style{Names: names, Alone: true}, 3, 1, "3", false},
		{&wire.Style{Bits: []string{"a", "b"}}, 3, 1, "3 (a, b)", false},
		{&wire.Style{Bits: []string{"a", "b"}}, 4, 1, "4", false},
		{&wire.Style{Bits: []string{"a", "b"}, Alone: true}, 6, 1, "b, bit 2", true},
		{&wire.Style{Bits: []string{"a", "b"}, Alone: true}, 0, 1, "none", true},
		{&wire.Style{Set: true}, 0b1001, 8, "0 3", false},
		{&wire.Style{Set: true}, 0, 8, "none", false},
		{&wire.Style{Hex: true}, 0xbeef, 4, "0x0000beef", false},
		{&wire.Style{Divide: 4}, -10, 2, "-2.5", false},
	} {
		if text, alone := c.style.Value(c.value, c.size); text != c.text || alone != c.alone {
			t.Errorf("%+v, %d: got %q, %t", c.style, c.value, text, alone)
		}
	}
}

// A range has bounds, and values beside them.
func TestRange(t *testing.T) {
	r := wire.Range{Least: 1, Most: 63, Also: []float64{255}, Text: "%[1]d: want at most %[3]d"}
	for v, want := range map[float64]bool{0: false, 1: true, 63: true, 64: false, 255: true} {
		if r.Holds(v) != want {
			t.Errorf("%v holds: %t", v, !want)
		}
	}
	if got := r.Describe(70); got != "70: want at most 63" {
		t.Errorf("got %q", got)
	}
}
