package tcm_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"touchline/wire"
	. "touchline/wire/tcm"
	"touchline/wire/wiretest"
)

var vectorFiles = []string{"tcm-plain.txt", "tcm-fragments.txt", "tcm-signed.txt", "tcm-faults.txt"}

// vectors returns the vectors of all files.
func vectors(t testing.TB) (all []wiretest.Vector) {
	t.Helper()
	for _, file := range vectorFiles {
		all = append(all, wiretest.Vectors(t, filepath.Join("..", "vectors", file))...)
	}
	return all
}

// contents returns what a vector expects, in the form of its JSON.
func contents(d *Datagram) map[string]any {
	pieces := []any{}
	for _, p := range d.Pieces {
		m := map[string]any{"module": p.Module, "type": p.Type, "number": p.Number, "captured": p.Captured}
		if len(p.Data) > 64 {
			m["length"], m["crc"] = len(p.Data), Sum(p.Data)
		} else {
			m["data"] = hex.EncodeToString(p.Data)
		}
		if p.Fragment {
			m["fragment"] = map[string]any{"index": p.Index, "count": p.Count, "total": p.Total, "sum": p.Sum,
				"every": p.Every, "parity": p.Parity}
		}
		pieces = append(pieces, m)
	}
	m := map[string]any{"team": d.Team, "from": d.From.String(), "to": d.To.String(), "socket": d.Socket.String(),
		"boot": d.Boot, "sequence": d.Sequence, "sent": d.Sent, "echo": nil, "signed": d.Signed, "pieces": pieces}
	if e := d.Echo; e != (Echo{}) {
		m["echo"] = map[string]any{"from": e.From.String(), "held": e.Held, "sent": e.Sent}
	}
	if d.Signed {
		m["tag"] = hex.EncodeToString(d.Tag[:])
	}
	return m
}

// category returns the name that vectors have for an error of UnmarshalBinary.
func category(err error) string {
	for name, e := range map[string]error{"foreign": ErrForeign, "short": wire.ErrShort, "version": ErrVersion,
		"long": ErrLong, "checksum": ErrSum, "piece": ErrPiece} {
		if errors.Is(err, e) {
			return name
		}
	}
	return "unknown error"
}

// parsed returns JSON as values in which every number keeps its digits.
func parsed(t *testing.T, text []byte) (v any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			var d Datagram
			got := map[string]any{}
			err := d.UnmarshalBinary(v.Data)
			if err != nil {
				got["error"] = category(err)
			} else {
				got = contents(&d)
			}
			text, jsonErr := json.Marshal(got)
			if jsonErr != nil {
				t.Fatal(jsonErr)
			}
			if want := parsed(t, []byte(v.Expect)); !reflect.DeepEqual(parsed(t, text), want) {
				t.Errorf("got\n%s\nwant\n%s", text, v.Expect)
			}
			if got := wiretest.Issues(Check(v.Data)); !slices.Equal(got, v.Issues) {
				t.Errorf("got issues\n%q, want\n%q", got, v.Issues)
			}
			covered(t, v.Data)
			fault := slices.ContainsFunc(v.Issues, func(line string) bool { return strings.HasPrefix(line, "issue") })
			if fault {
				return
			}
			again, err := d.AppendBinary(nil)
			if err != nil || !bytes.Equal(again, v.Data) {
				t.Errorf("encoded again: %v\ngot  % x\nwant % x", err, again, v.Data)
			}
		})
	}
}

// TestStrict encodes the contents of every vector that decodes in spite of a violation.
func TestStrict(t *testing.T) {
	reserved := []string{"reserved-piece-bits", "zero-of-a-fragment"} // decoding drops what is wrong
	for _, v := range vectors(t) {
		var d Datagram
		if err := d.UnmarshalBinary(v.Data); err != nil || slices.Contains(reserved, v.Name) {
			continue
		}
		fault := slices.ContainsFunc(v.Issues, func(line string) bool { return strings.HasPrefix(line, "issue") })
		if b, err := d.AppendBinary([]byte("before")); (err != nil) != fault || err != nil && string(b) != "before" {
			t.Errorf("%s: got %d bytes, %v", v.Name, len(b), err)
		}
	}
}

// covered checks that the byte table of b has every byte, in order, and the field of every issue.
func covered(t *testing.T, b []byte) {
	t.Helper()
	at, fields := 0, map[string]wire.Field{}
	for _, f := range Fields(b) {
		if f.Offset != at || f.Len <= 0 {
			t.Fatalf("got field %+v at byte %d", f, at)
		}
		at += f.Len
		fields[f.Name] = f
	}
	if at != len(b) {
		t.Fatalf("the fields cover %d of %d bytes", at, len(b))
	}
	if _, cut := fields["unreadable"]; cut {
		return
	}
	for _, i := range Check(b) {
		if f, ok := fields[i.Field]; i.Field != "" && (!ok || i.Offset < f.Offset || i.Offset >= f.Offset+f.Len) {
			t.Errorf("issue %v is in field %+v", i, f)
		}
	}
}

// TestVectorSignatures verifies the tags of the signed vectors with the key that the file names.
func TestVectorSignatures(t *testing.T) {
	k := key(t)
	signed := 0
	for _, v := range wiretest.Vectors(t, filepath.Join("..", "vectors", "tcm-signed.txt")) {
		if v.Name == "signed-without-tag" {
			continue
		}
		if got, want := k.Valid(v.Data), v.Name != "signed-by-another-key"; got != want {
			t.Errorf("%s: valid %t, want %t", v.Name, got, want)
		}
		var d Datagram
		if err := d.UnmarshalBinary(v.Data); err != nil {
			t.Fatal(err)
		}
		if b, err := d.AppendSigned(nil, k); err != nil || bytes.Equal(b, v.Data) != k.Valid(v.Data) {
			t.Errorf("%s: signed again as\n% x\n%v", v.Name, b, err)
		}
		signed++
	}
	if signed < 4 {
		t.Errorf("got %d signed vectors, want at least 4", signed)
	}
}

// TestVectorParity restores each data piece of the image in the vectors from the other pieces of its group.
func TestVectorParity(t *testing.T) {
	image := make([]byte, 2600)
	for i := range image {
		image[i] = byte(7*i + i/256)
	}
	var data, parity []Piece
	for _, v := range wiretest.Vectors(t, filepath.Join("..", "vectors", "tcm-fragments.txt")) {
		var d Datagram
		if !strings.HasPrefix(v.Name, "image-") {
			continue
		}
		if err := d.UnmarshalBinary(v.Data); err != nil {
			t.Fatal(err)
		}
		if p := d.Pieces[0]; p.Parity {
			parity = append(parity, p)
		} else {
			data = append(data, p)
		}
	}
	if len(data) != 3 || len(parity) != 2 || data[0].Groups() != 2 || data[0].Sum != Sum(image) {
		t.Fatalf("got %d data pieces, %d parity pieces, %d groups, checksum 0x%08x, want 3, 2, 2, 0x%08x",
			len(data), len(parity), data[0].Groups(), data[0].Sum, Sum(image))
	}
	for lost := range data {
		restored := bytes.Clone(parity[lost%2].Data)
		for i, p := range data {
			if i == lost || i%2 != lost%2 {
				continue
			}
			for j, v := range p.Data {
				restored[j] ^= v
			}
		}
		want := append(bytes.Clone(image[lost*PieceSize:min(len(image), (lost+1)*PieceSize)]), make([]byte, PieceSize)...)
		if !bytes.Equal(restored, want[:PieceSize]) {
			t.Errorf("piece %d: restored other bytes", lost)
		}
	}
}
