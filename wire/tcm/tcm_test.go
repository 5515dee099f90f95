package tcm_test

import (
	"bytes"
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

	. "touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// detached is a Datagram whose pieces have memory of their own, as the shared tests of codecs require.
type detached struct{ Datagram }

func (d *detached) UnmarshalBinary(b []byte) error {
	var memory [MaxDatagram / PieceHeader][]byte
	for i, p := range d.Pieces {
		memory[i] = p.Data
	}
	if err := d.Datagram.UnmarshalBinary(b); err != nil {
		d.Pieces = nil
		return err
	}
	for i := range d.Pieces {
		d.Pieces[i].Data = append(memory[i][:0], d.Pieces[i].Data...)
	}
	return nil
}

// header returns the header of most vectors: robot 3 of team 74 to all robots, with an echo of robot 1.
func header() Header {
	return Header{
		Team: 74, From: Entity{Robot, 3}, To: Entity{Kind: Robot}, Socket: Robots, Boot: 1700000000, Sequence: 7,
		Sent: 1_000_000_000, Echo: Echo{From: Entity{Robot, 1}, Held: 1500, Sent: 998_000_000},
	}
}

func belief() Piece {
	return Piece{Module: GM, Type: Belief, Number: 41, Captured: 990_000_000, Data: []byte("ball at 1.5 2.0")}
}

// largest returns the largest datagram that touchline sends, apart from the signature.
func largest() Datagram {
	h := header()
	h.To, h.Socket = Entity{Computer, 1}, Bulk
	return Datagram{Header: h, Pieces: []Piece{{Fragment: true, Module: Manager, Type: Image, Number: 9,
		Captured: 990_000_000, Count: 3, Total: 2600, Sum: 1, Every: 2, Data: make([]byte, PieceSize)}}}
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

// TestCodec holds the shared properties of codecs, among them that no truncation decodes, for messages whose bytes are
// in the vectors.
func TestCodec(t *testing.T) {
	byName := map[string]string{}
	for _, v := range vectors(t) {
		byName[v.Name] = hex.EncodeToString(v.Data)
	}
	beacon, signed := Datagram{Header: header()}, Datagram{Header: header(), Pieces: []Piece{belief()}}
	signed.Signed = true
	copy(signed.Tag[:], unhex(t, byName["signed-message"][2*(HeaderSize+PieceHeader+15):][:2*TagSize]))
	last := Datagram{Header: header(), Pieces: []Piece{
		{Fragment: true, Module: Manager, Type: File, Number: 2, Captured: 990_000_000, Index: 1, Count: 2, Total: 1203,
			Sum: 0x12345678, Data: []byte("end")},
		{Module: GM, Type: Status, Number: 41, Captured: 990_000_000, Data: []byte("ok")},
	}}
	last.To, last.Socket, last.Sequence = Entity{Computer, 1}, Bulk, 6
	wiretest.Run[detached](t, Check, []wiretest.Case[detached]{
		{Name: "beacon", Msg: detached{beacon}, Hex: byName["beacon"]},
		{Name: "signed", Msg: detached{signed}, Hex: byName["signed-message"]},
		{Name: "fragment and message", Msg: detached{last}, Hex: byName["last-fragment-with-a-message"]},
	})
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := wiretest.Bytes(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSignature(t *testing.T) {
	d, k := largest(), key(t)
	before := []byte("before")
	b, err := d.AppendSigned(before, k)
	if err != nil {
		t.Fatal(err)
	}
	data := b[len(before):]
	if len(data) != OwnDatagram || !k.Valid(data) || len(Check(data)) > 0 {
		t.Fatalf("got %d bytes, valid %t, issues %v", len(data), k.Valid(data), Check(data))
	}
	for i := range data[:len(data)-SumSize] {
		altered := bytes.Clone(data)
		altered[i] ^= 0x10
		if k.Valid(altered) {
			t.Errorf("valid although byte %d was altered", i)
		}
	}
	for n := range data {
		if k.Valid(data[:n]) {
			t.Errorf("the first %d bytes are valid", n)
		}
	}
	if k.Valid(encode(t, &d)) {
		t.Error("an unsigned datagram is valid")
	}
}

func TestNewKey(t *testing.T) {
	for _, secret := range []string{"", "\n", "fifteen bytes..", "fifteen bytes..\r\n"} {
		if _, err := NewKey([]byte(secret)); err == nil || !strings.Contains(err.Error(), "openssl rand") {
			t.Errorf("%q: got %v, want an error that shows how to make a key", secret, err)
		}
	}
}

// TestStepByStep compares a datagram that is written with Append and Seal with one from AppendBinary.
func TestStepByStep(t *testing.T) {
	d, k := largest(), key(t)
	b := d.Header.Append(nil)
	for i := range d.Pieces {
		b = d.Pieces[i].Append(b)
	}
	if got, want := Seal(bytes.Clone(b), nil), encode(t, &d); !bytes.Equal(got, want) {
		t.Errorf("unsigned: got\n% x\nwant\n% x", got, want)
	}
	want, err := d.AppendSigned(nil, k)
	if got := Seal(b, k); err != nil || !bytes.Equal(got, want) {
		t.Errorf("signed: got\n% x\nwant\n% x", got, want)
	}
}

func TestNoAllocations(t *testing.T) {
	d, k := largest(), key(t)
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
		b[len(b)-1]++
		if got.UnmarshalBinary(b) == nil || got.UnmarshalBinary(b[:20]) == nil {
			t.Fatal("decoded with a wrong checksum, or 20 bytes")
		}
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

// TestRefusedPieces encodes pieces that no datagram can hold.
func TestRefusedPieces(t *testing.T) {
	for want, d := range map[string]Datagram{
		"more than 1,200 bytes": {Header: header(), Pieces: []Piece{{Module: GM, Type: Belief, Data: make([]byte, 70000)}}},
		"leave them 0":          {Header: header(), Pieces: []Piece{{Module: GM, Type: Belief, Count: 2}}},
		"1474 bytes":            {Header: header(), Pieces: make([]Piece, 79)},
	} {
		for i := range d.Pieces {
			d.Pieces[i].Module, d.Pieces[i].Type = GM, Belief
		}
		if b, err := d.AppendBinary(nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %d bytes, %v, want an error with %q", len(b), err, want)
		}
	}
}

func TestEntities(t *testing.T) {
	for _, text := range []string{"robot:1", "robot:255", "computer:7", "robots", "computers"} {
		if e, err := ParseEntity(text); err != nil || e.String() != text {
			t.Errorf("%s: got %v, %v", text, e, err)
		}
	}
	for _, text := range []string{"", "robot", "robot:", "robot:0", "robot:256", "robot:+1", "robot:01", "robots:1",
		"Robot:1", "dog:1", "robot:1 "} {
		if e, err := ParseEntity(text); err == nil || !strings.Contains(err.Error(), "robot:1 to robot:255") {
			t.Errorf("%q: got %v, %v, want an error with what is accepted", text, e, err)
		}
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		HFSM.String(): "HFSM", Field.String(): "Field", Module(0).String(): "module 0", FirstOwnModule.String(): "module 64",
		Belief.String(): "belief", LocomotionCheck.String(): "locomotion check", Answer.String(): "answer", Type(9).String(): "type 9",
		FirstOwnType.String(): "type 1000", Command.String(): "command", Socket(4).String(): "socket 4",
		Entity{}.String(): "kind 0s", Computer.String(): "computer",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestIssuesNameTheFix compares the whole text of the issues that senders meet first.
func TestIssuesNameTheFix(t *testing.T) {
	texts := map[string]string{}
	for _, v := range wiretest.Vectors(t, filepath.Join("..", "vectors", "tcm-faults.txt")) {
		for _, i := range Check(v.Data) {
			texts[v.Name] += i.Text + "\n"
		}
	}
	for name, want := range map[string]string{
		"no-magic":            `no TCM datagram: begin with "TCM"`,
		"unknown-version":     "2 is unknown, and receivers drop the datagram: write 1",
		"byte-short":          "4, but 3 bytes are left, 1 too few: the datagram is truncated, or the length is wrong",
		"wrong-crc":           "0xdeadbeef, want 0x",
		"total-too-small":     "2400 bytes do not fill 3 pieces of 1200: write 2401 to 3600, or 2 as the count",
		"total-too-large":     "3601 bytes do not fill 3 pieces of 1200: write 2401 to 3600, or 4 as the count",
		"short-middle":        "1199 in a piece before the last: write 1200",
		"zero-length":         "0 in a piece before the last: write 1200",
		"long-last":           "201 in the last piece of 2600 bytes: write 200",
		"count-1":             "1 in a fragment: a message of up to 1200 bytes is one piece, not a fragment",
		"index-beyond":        "3 in a message of 3 pieces: count from 0",
		"parity-every-0":      "0 in a parity piece: write the number of data pieces per parity piece",
		"parity-group-beyond": "2, but 3 pieces with one parity piece per 2 have 2 groups: write 0 to 1",
		"plain-too-large":     "1201 bytes in one piece: cut messages above 1200 bytes into fragments",
	} {
		if !strings.Contains(texts[name], want) {
			t.Errorf("%s: got\n%swant\n%s", name, texts[name], want)
		}
	}
}
