package mixedteam_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "touchline/wire/mixedteam"
)

// ownStruct returns a struct of a team's own protocol: identifiers, counters, floats, doubles, integers in mm, unused
// entries.
func (c corpus) ownStruct(n int) []byte {
	var b []byte
	kind := c.IntN(5)
	for len(b) < n {
		x, y := c.position()
		switch kind {
		case 0:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)/1000))
		case 1:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(y)/1000))
		case 2:
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		case 3:
			b = put16(b, -32768, -32768)
		case 4:
			b = binary.LittleEndian.AppendUint32(b, c.Uint32N(2000))
			b = put16(b, x, y)
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(c.Float64())))
		}
	}
	return b[:n]
}

func (c corpus) json(n int) []byte {
	b := []byte(`{"type":"worldstate","teamName":"Own","intention":"Searching for the ball","robots":[`)
	for len(b) < n {
		x, y := c.position()
		b = fmt.Appendf(b, `{"id":%d,"pose":[%.3f,%.3f,%.4f],"ballEngaged":0},`,
			c.IntN(6), float64(x)/1000, float64(y)/1000, c.Float64()*6.28)
	}
	return b[:n]
}

// trailer returns the bytes after a package of this size: none, or a team's own data, often with a length that gives
// the datagram the size of another layout.
func (c corpus) trailer(size int) []byte {
	n := 1 + c.IntN(400)
	if other := c.pick(SizeV2, SizePadded); c.chance(40) && other > size {
		n = other - size
	}
	switch c.IntN(14) {
	case 0, 1:
		return make([]byte, n)
	case 2, 3:
		return c.bytes(n)
	case 4:
		return slices.Repeat([]byte{byte(c.pick(0xff, 0xcd, 0x20, 0x80))}, n)
	case 5:
		return c.json(n)
	case 6, 7:
		return c.ownStruct(n)
	case 8:
		return [...]func() []byte{c.v1, c.v2, c.padded}[c.IntN(3)]()
	}
	return nil
}

// foreign returns a datagram that is not a package. Half of them start with 123.
func (c corpus) foreign() []byte {
	n := c.pick(c.IntN(500), c.IntN(500), SizeV1, SizeV2, SizePadded)
	var b []byte
	switch c.IntN(9) {
	case 0:
		b = c.bytes(n)
	case 1, 2:
		b = c.ownStruct(n)
	case 3:
		b = c.json(n)
	case 4:
		b = make([]byte, n)
	case 5: // a length, then text
		b = append(binary.LittleEndian.AppendUint32(nil, 123), c.json(123)...)
	case 6: // an unknown version, then random bytes
		b = append([]byte{123, byte(3 + c.IntN(250))}, c.bytes(n)...)
	case 7: // the draft of v1 without confidences: flag, balls 3 x 12, obstacles 10 x 4, self 4
		b = []byte{123}
		for range 40 / 2 {
			x, y := c.position()
			b = put16(b, x, y)
		}
	case 8:
		b = slices.Repeat([]byte{byte(c.pick(0, 0xff, 123, 0x80))}, n)
	}
	if len(b) > 1 && c.chance(50) {
		b[0] = 123
		if c.chance(60) {
			b[1] = byte(1 + c.IntN(6))
		}
	} else if len(b) > 0 && b[0] == 123 && c.chance(50) {
		b[0] = byte(124 + c.IntN(100))
	}
	return b
}

// draw returns a datagram, its variant and its description.
func (c corpus) draw() ([]byte, Variant, string) {
	makers := [...]func() []byte{V1: c.v1, V2: c.v2, V2Padded: c.padded}
	switch v := Variant(c.IntN(5)); v {
	case V1, V2, V2Padded:
		b := makers[v]()
		tail := c.trailer(len(b))
		return append(b, tail...), v, fmt.Sprintf("%v and %d bytes", v, len(tail))
	case 4:
		v = Variant(1 + c.IntN(3))
		b := makers[v]()
		n := c.IntN(len(b))
		if c.chance(50) { // a size of another layout
			n = min(len(b)-1, c.pick(SizeV1, SizeV2, SizeV1+c.IntN(93), len(b)-1))
		}
		return b[:n], Foreign, fmt.Sprintf("%v cut at %d", v, n)
	}
	return c.foreign(), Foreign, "other traffic"
}

// TestCorpus wants F1 >= 0.999 for each variant and overall, and no silent error: a wrong variant with a confidence of
// 0.9 or more. Below that, page and report show the doubt.
func TestCorpus(t *testing.T) {
	const cases = 20000
	c := corpus{rand.New(rand.NewPCG(2014, 1110))}
	var counts [4][4]int // want, got
	doubts := 0
	for i := range cases {
		b, want, what := c.draw()
		id := Identify(b)
		counts[want][id.Variant]++
		if id.Confidence < 0.9 {
			doubts++
			if issues := Check(b); id.Variant != Foreign && (!issues[0].Note || !strings.Contains(issues[0].Text, id.Reason)) {
				t.Errorf("case %d: the issues do not begin with a note of the doubt: %v", i, issues)
			}
		}
		if id.Variant != want {
			t.Logf("case %d, %s: got %v with confidence %.3f: %s\n% x", i, what, id.Variant, id.Confidence, id.Reason, b)
			if id.Confidence >= 0.9 {
				t.Errorf("case %d is a silent error", i)
			}
		}
	}
	right := 0
	for v := Foreign; v <= V2Padded; v++ {
		hits, wanted, got := counts[v][v], 0, 0
		for w := range counts {
			wanted += counts[v][w]
			got += counts[w][v]
		}
		right += hits
		f1 := 2 * float64(hits) / float64(wanted+got)
		t.Logf("%-9v %5d cases, F1 %.5f", v, wanted, f1)
		if f1 < 0.999 || wanted < 2000 {
			t.Errorf("%v: got F1 %.5f over %d cases, want 0.999 over 2000", v, f1, wanted)
		}
	}
	t.Logf("overall: %d of %d right, %d in doubt", right, cases, doubts)
	if float64(right) < 0.999*cases {
		t.Errorf("overall: got %d of %d right, want 99.9 %%", right, cases)
	}
	if doubts > cases/100 {
		t.Errorf("got %d of %d in doubt, want at most 1 %%", doubts, cases)
	}
}
