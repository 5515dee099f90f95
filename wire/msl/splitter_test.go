package msl_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	. "touchline/wire/msl"
)

// split feeds a stream to a Splitter in pieces of the given sizes, in turns.
func split(s *Splitter, stream []byte, sizes ...int) (all []string) {
	for i := 0; len(stream) > 0; i++ {
		n := min(max(sizes[i%len(sizes)], 1), len(stream))
		piece := bytes.Clone(stream[:n])
		s.Split(piece, func(m []byte) { all = append(all, string(m)) })
		clear(piece) // the Splitter must not keep it
		stream = stream[n:]
	}
	return all
}

// TestSplitter wants the messages between the NULs, whatever the pieces.
func TestSplitter(t *testing.T) {
	stream := []byte("{1}\x00{22}\x00\x00\x00{333}\x00{4")
	want := []string{"{1}", "{22}", "{333}"}
	for size := 1; size <= len(stream); size++ {
		var s Splitter
		if got := split(&s, stream, size); !slices.Equal(got, want) || s.Pending() != 2 || s.Lost != 0 {
			t.Errorf("pieces of %d: got %q, %d pending, %d lost", size, got, s.Pending(), s.Lost)
		}
		if got := split(&s, []byte("}\x00"), 1); !slices.Equal(got, []string{"{4}"}) || s.Pending() != 0 {
			t.Errorf("the rest: got %q, %d pending", got, s.Pending())
		}
	}
}

// TestSplitterBound drops and counts a message of more than MaxMessage bytes, and returns the next one.
func TestSplitterBound(t *testing.T) {
	for _, piece := range []int{1000, 4096, 1 << 20, 3 << 20} {
		var s Splitter
		most := bytes.Repeat([]byte("x"), MaxMessage)
		stream := slices.Concat(most, []byte{0}, most, []byte("x\x00"), most, most, []byte("\x00{}\x00"), most, most)
		got := split(&s, stream, piece)
		if len(got) != 2 || len(got[0]) != MaxMessage || got[1] != "{}" {
			t.Errorf("pieces of %d: got %d messages", piece, len(got))
		}
		if want := int64(5*MaxMessage + 1); s.Lost != want || s.Pending() != 2*MaxMessage {
			t.Errorf("pieces of %d: got %d lost, want %d; %d pending", piece, s.Lost, want, s.Pending())
		}
	}
}

// TestSplitterMemory wants no more memory than for one message for a gigabyte without a NUL.
func TestSplitterMemory(t *testing.T) {
	var s Splitter
	piece := bytes.Repeat([]byte("x"), 64<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1 << 30 / len(piece) {
		s.Split(piece, func([]byte) { t.Error("a message without a NUL") })
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*MaxMessage {
		t.Errorf("got %d bytes of memory for a gigabyte", taken)
	}
	if s.Pending() != 1<<30 || s.Lost != 1<<30 {
		t.Errorf("got %d pending, %d lost", s.Pending(), s.Lost)
	}
}

// TestSplitterAllocates wants no copy of messages that arrive in one piece.
func TestSplitterAllocates(t *testing.T) {
	var s Splitter
	stream := []byte("{1}\x00{22}\x00")
	n := 0
	if allocs := testing.AllocsPerRun(100, func() { s.Split(stream, func([]byte) { n++ }) }); allocs != 0 || n != 202 {
		t.Errorf("got %v allocations, %d messages", allocs, n)
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add([]byte("{1}\x00{22}\x00\x00{"), uint64(1))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		var want []string
		for m := range bytes.SplitSeq(stream, []byte{0}) {
			want = append(want, string(m))
		}
		rest := want[len(want)-1]
		want = slices.DeleteFunc(want[:len(want)-1], func(m string) bool { return m == "" })
		var s Splitter
		random := rand.New(rand.NewPCG(seed, 1))
		got := split(&s, stream, random.IntN(40), random.IntN(5), random.IntN(300))
		if !slices.Equal(got, want) || s.Pending() != len(rest) {
			t.Fatalf("%q, %d pending; want %q, %d", got, s.Pending(), want, len(rest))
		}
	})
}
