package matchlog_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"touchline/matchlog"
)

// TestStream reads a log in pieces of random lengths as Open reads it, and stops at the first byte that is broken.
func TestStream(t *testing.T) {
	path, w := create(t, 40)
	if err := errors.Join(w.WriteMeta(map[string]string{"a": "b"}), w.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := all(t, open(t, path), 0, 0)
	random := rand.New(rand.NewPCG(1, 2))
	read := func(data []byte) (s *matchlog.Stream, got []matchlog.Message) {
		s = matchlog.NewStream(func(m matchlog.Message) {
			m.Data = bytes.Clone(m.Data)
			got = append(got, m)
		})
		for len(data) > 0 {
			n := 1 + random.IntN(min(len(data), 300))
			s.Write(data[:n])
			data = data[n:]
		}
		return s, got
	}
	bySource := func(a, b matchlog.Message) int { return int(a.Source.Offset - b.Source.Offset) }
	slices.SortFunc(want, bySource)
	s, got := read(data)
	if len(got) != len(want) || s.Err() != nil || s.Messages() != uint64(len(want)) || s.Meta()["a"] != "b" {
		t.Fatalf("got %d messages, want %d; %v, metadata %v", len(got), len(want), s.Err(), s.Meta())
	}
	for i := range got {
		same(t, got[i], want[i])
		if got[i].Source != want[i].Source {
			t.Errorf("message %d: got %+v, want %+v", i, got[i].Source, want[i].Source)
		}
	}
	for range 200 {
		broken, k := bytes.Clone(data), random.IntN(len(want))
		broken[int(want[k].Source.Offset)+random.IntN(len(want[k].Data))] ^= 1 << random.IntN(8)
		s, got := read(broken)
		if len(got) != k || s.Err() == nil {
			t.Errorf("message %d of %d is broken: got %d messages, %v", k, len(want), len(got), s.Err())
		}
	}
	if s, _ := read([]byte("\x89MCAP0\r\n\x01\x05")); s.Err() != nil {
		t.Errorf("the beginning of a log: %v", s.Err())
	}
	for _, text := range []string{"PK", "\x89MCAP0\r\n\x01\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x89MCAP0\r\n\x01\xff\xff\xff\xff\xff\xff\xff\xff"} {
		if s, _ := read([]byte(text)); s.Err() == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
