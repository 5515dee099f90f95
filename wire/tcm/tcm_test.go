package tcm_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"touchline/wire"
	. "touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// detached is a Datagram whose pieces refer to memory of its own, as the shared tests of codecs require.
type detached struct {
	Datagram
	memory []byte
}

func (d *detached) UnmarshalBinary(b []byte) error {
	d.memory = append(d.memory[:0], b...)
	return d.Datagram.UnmarshalBinary(d.memory)
}

// header returns the header of the tests: a belief of robot 3 to all robots of team 74.
func header() Header {
	return Header{
		Team: 74, From: Entity{Robot, 3}, To: Entity{Kind: Robot}, Socket: Robots, Boot: 1700000000, Sequence: 7,
		Sent: 1_000_000_000, Echo: Echo{From: Entity{Robot, 1}, Held: 1500, Sent: 998_000_000},
	}
}

func small(t Type, text string) Piece {
	return Piece{Module: GM, Type: t, Number: 41, Captured: 990_000_000, Data: []byte(text)}
}

func key(t testing.TB) *Key {
	t.Helper()
	k, err := NewKey([]byte("0123456789abcdef\n"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func encode(t testing.TB, d *Datagram) []byte {
	t.Helper()
	b, err := d.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// reseal replaces the checksum of b after a change, in a copy.
func reseal(b []byte) []byte {
	return Seal(bytes.Clone(b[:len(b)-SumSize]), nil)
}

func TestRoundTripAndTruncation(t *testing.T) {
	d := Datagram{Header: header(), Pieces: []Piece{
		small(Belief, "ball"), small(Directory, ""),
		{Fragment: true, Module: HFSM, Type: FirstOwnType, Number: 1, Index: 1, Count: 2, Total: 1203, Sum: 5, Every: 4,
			Data: []byte("end")},
	}}
	data := encode(t, &d)
	var got detached
	for n := range data {
		if err := got.UnmarshalBinary(data[:n]); err == nil {
			t.Errorf("the first %d bytes were accepted", n)
		} else if n < HeaderSize+SumSize && n > 2 != errors.Is(err, wire.ErrShort) && n > 2 {
			t.Errorf("%d bytes: got %v, want wire.ErrShort", n, err)
		}
	}
	if err := got.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if again := encode(t, &got.Datagram); !bytes.Equal(again, data) || len(got.Pieces) != 3 {
		t.Errorf("got %+v", got.Datagram)
	}
	if issues := Check(data); len(issues) > 0 {
		t.Errorf("got issues %v", issues)
	}
}

func TestSigned(t *testing.T) {
	d, k := Datagram{Header: header(), Pieces: []Piece{small(Belief, "ball")}}, key(t)
	data, err := d.AppendSigned([]byte("before"), k)
	if err != nil {
		t.Fatal(err)
	}
	data = data[len("before"):]
	var got detached
	if err := got.UnmarshalBinary(data); err != nil || !got.Signed || !k.Valid(data) {
		t.Fatalf("got signed %t, valid %t, %v", got.Signed, k.Valid(data), err)
	}
	if again := encode(t, &got.Datagram); !bytes.Equal(again, data) {
		t.Errorf("encoded again with its tag:\ngot  % x\nwant % x", again, data)
	}
	for i := range data {
		altered := bytes.Clone(data)
		altered[i] ^= 0x10
		if i < len(data)-SumSize && k.Valid(altered) {
			t.Errorf("valid with byte %d altered", i)
		}
	}
	if other, err := NewKey([]byte("0123456789abcdeX")); err != nil || other.Valid(data) {
		t.Errorf("another key: valid, or %v", err)
	}
	if _, err := NewKey([]byte("short\n")); err == nil {
		t.Error("a secret of 5 bytes was accepted")
	}
}

func TestEntities(t *testing.T) {
	for _, text := range []string{"robot:1", "robot:255", "computer:7", "robots", "computers"} {
		if e, err := ParseEntity(text); err != nil || e.String() != text {
			t.Errorf("%s: got %v, %v", text, e, err)
		}
	}
	for _, text := range []string{"", "robot", "robot:", "robot:0", "robot:256", "robot:+1", "robot:01", "robots:1", "dog:1"} {
		if e, err := ParseEntity(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, e)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	d, k := Datagram{Header: header(), Pieces: []Piece{small(Belief, "ball"), small(Status, "ok")}}, key(t)
	buf := make([]byte, 0, MaxDatagram)
	var got Datagram
	if n := testing.AllocsPerRun(100, func() {
		b, err := d.AppendSigned(buf, k)
		if err != nil || got.UnmarshalBinary(b) != nil || !k.Valid(b) {
			t.Fatal(err)
		}
		if b, err = d.AppendBinary(buf); err != nil || got.UnmarshalBinary(b) != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

// hostile returns hostile datagrams with a correct checksum, and the violation that Check reports for each.
func hostile(t testing.TB) map[string][]byte {
	plain := encode(t, &Datagram{Header: header(), Pieces: []Piece{small(Belief, "ball")}})
	with := func(at int, v ...byte) []byte {
		b := bytes.Clone(plain)
		copy(b[at:], v)
		return reseal(b)
	}
	return map[string][]byte{
		"issue 4 flags":            with(4, 0), // replaced below: Seal clears only its own bit
		"issue 5 team":             with(5, 0),
		"issue 6 from.kind":        with(6, 3),
		"issue 7 from.id":          with(7, 0),
		"issue 8 to.kind":          with(8, 0),
		"issue 10 socket":          with(10, 4),
		"issue 11 echo.kind":       with(11, 9),
		"issue 48 piece[0].flags":  with(48, 4),
		"issue 49 piece[0].module": with(49, 0),
		"issue 50 piece[0].type":   with(50, 0, 0),
		"note 49 piece[0].module":  with(49, 10),
		"note 50 piece[0].type":    with(50, 0xe7, 3),
		"issue 64 piece[0].length": with(64, 5),
	}
}

func TestCheckHostile(t *testing.T) {
	for want, b := range hostile(t) {
		if want == "issue 4 flags" {
			b[4] = 2
			b = reseal(b)
		}
		if got := wiretest.Issues(Check(b)); !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
