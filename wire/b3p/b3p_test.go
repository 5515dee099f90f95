package b3p_test

import (
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

	"touchline/wire"
	"touchline/wire/b3p"
	"touchline/wire/wiretest"
)

func vectors(t testing.TB, name string) []wiretest.Vector {
	t.Helper()
	return wiretest.Vectors(t, filepath.Join("..", "vectors", "b3p-"+name+".txt"))
}

// check returns Check for one type of message. It panics if the byte table does not cover every byte.
func check(dataType uint16) func([]byte) []wire.Issue {
	return func(b []byte) []wire.Issue {
		end := 0
		for _, f := range b3p.Fields(dataType, b) {
			if f.Offset != end || f.Len == 0 || f.Name == "" || f.Value == "" {
				panic("a field without a place")
			}
			end += f.Len
		}
		if len(b) > 0 && b[0] == b3p.Version && end != len(b) {
			panic("the byte table does not cover every byte")
		}
		return b3p.Check(dataType, b)
	}
}

func TestClaim(t *testing.T)   { testVectors[b3p.Claim](t, "claim", b3p.TypeClaim) }
func TestRelease(t *testing.T) { testVectors[b3p.Release](t, "release", b3p.TypeRelease) }
func TestBelief(t *testing.T)  { testVectors[b3p.Belief](t, "belief", b3p.TypeBelief) }

// testVectors checks that each vector decodes to its contents and has its faults, that the codec writes each vector
// without faults, and that it refuses to write the others.
func testVectors[T comparable, M wiretest.Message[T]](t *testing.T, name string, dataType uint16) {
	var good []wiretest.Case[T]
	for _, v := range vectors(t, name) {
		t.Run(v.Name, func(t *testing.T) {
			want, decoded := wiretest.Decodes[T, M](t, check(dataType), &v)
			if !decoded {
				return
			}
			switch b, err := M(&want).AppendBinary([]byte("x")); {
			case len(v.Issues) == 0:
				good = append(good, wiretest.Case[T]{Name: v.Name, Msg: want, Hex: hex.EncodeToString(v.Data)})
			case strings.HasPrefix(v.Issues[0], "issue") && v.Issues[0] != "issue 1 flags" && (err == nil || string(b) != "x"):
				t.Errorf("the codec writes the fault %s: % x", v.Issues[0], b)
			}
		})
	}
	if len(good) < 3 {
		t.Errorf("%d vectors without faults, want 3", len(good))
	}
	wiretest.Run[T, M](t, check(dataType), good)
}

func FuzzClaim(f *testing.F)   { fuzz[b3p.Claim](f, "claim", b3p.TypeClaim) }
func FuzzRelease(f *testing.F) { fuzz[b3p.Release](f, "release", b3p.TypeRelease) }
func FuzzBelief(f *testing.F)  { fuzz[b3p.Belief](f, "belief", b3p.TypeBelief) }

func fuzz[T any, M wiretest.Message[T]](f *testing.F, name string, dataType uint16) {
	var seeds [][]byte
	for _, v := range vectors(f, name) {
		seeds = append(seeds, v.Data)
	}
	wiretest.Fuzz[T, M](f, check(dataType), seeds...)
}

// Other types are not judged, and have no byte table.
func TestOtherTypes(t *testing.T) {
	for _, dataType := range []uint16{0, 1, 15, 19, 65535} {
		if issues := b3p.Check(dataType, []byte{1, 2}); len(issues) != 1 || !issues[0].Note {
			t.Errorf("type %d: issues %v, want a note", dataType, issues)
		}
		if fields := b3p.Fields(dataType, []byte{1, 2}); fields != nil {
			t.Errorf("type %d: fields %v", dataType, fields)
		}
	}
}

func TestReasons(t *testing.T) {
	for r, want := range map[b3p.Reason]string{
		b3p.Lost: "does not see the ball", b3p.Unfit: "unfit to play", b3p.Leaving: "program ends",
		b3p.LeftAside: "not its role", 9: "reason 9",
	} {
		if got := r.String(); got != want {
			t.Errorf("reason %d: got %q, want %q", uint8(r), got, want)
		}
	}
}

// BenchmarkBelief encodes and decodes a belief, which each robot sends 20 times a second.
func BenchmarkBelief(b *testing.B) {
	m := b3p.Belief{Booker: 3, Epoch: 41, Sequence: 1203, Claimed: 1500, Advertised: 1750, AgeMillis: 47, Own: 2500}
	var buf []byte
	var got b3p.Belief
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = m.AppendBinary(buf[:0]); err != nil {
			b.Fatal(err)
		}
		if err = got.UnmarshalBinary(buf); err != nil {
			b.Fatal(err)
		}
	}
	if got != m {
		b.Errorf("got %+v, want %+v", got, m)
	}
}
