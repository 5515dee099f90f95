package matchlog

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"touchline/soccer"
)

// TestIndex compares indexes with sorted slices: entries in order, a little late, and in any order.
func TestIndex(t *testing.T) {
	for name, late := range map[string]int64{"in order": 1, "a little late": 100, "in any order": 1 << 40} {
		for _, n := range []int{0, 1, 4096, 10_000, 300_000} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			var x index
			var want []entry
			for i := range n {
				e := entry{time: soccer.Time(int64(i) - rng.Int64N(late)), offset: int64(i), length: rng.Uint32(),
					channel: uint16(rng.IntN(3) * 70)}
				x.insert(e)
				want = append(want, e)
			}
			slices.SortFunc(want, compare)
			if x.sort(); x.length != n {
				t.Fatalf("%s: %d of %d entries", name, x.length, n)
			}
			for i := range want {
				if got := x.at(i); got != want[i] {
					t.Fatalf("%s: entry %d of %d is %+v, want %+v", name, i, n, got, want[i])
				}
			}
			for range 1000 {
				e := entry{time: soccer.Time(rng.IntN(n + 2)), offset: int64(rng.IntN(n + 2))}
				at, _ := slices.BinarySearchFunc(want, e, compare)
				if got := x.search(e.time, e.offset); got != at {
					t.Fatalf("%s: %+v of %d is searched at %d, want %d", name, e, n, got, at)
				}
				channel, oldest := uint16(rng.IntN(4)*70), e.time-soccer.Time(rng.IntN(20))
				before := at - 1
				for before >= 0 && want[before].time >= oldest && want[before].channel != channel {
					before--
				}
				if before >= 0 && want[before].time < oldest {
					before = -1
				}
				if got := x.before(at, channel, oldest); got != before {
					t.Fatalf("%s: channel %d before %d is at %d, want %d", name, channel, at, got, before)
				}
			}
		}
	}
}

// An index takes 22 bytes a message: it is most of the memory of a merge.
func TestIndexSize(t *testing.T) {
	if n := unsafe.Sizeof(page{}); n > 22*pageEntries {
		t.Errorf("a page of %d entries takes %d bytes, want %d", pageEntries, n, 22*pageEntries)
	}
}
