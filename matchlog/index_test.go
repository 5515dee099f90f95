package matchlog_test

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"touchline/matchlog"
	"touchline/soccer"
)

func compare(a, b matchlog.Entry) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Offset, b.Offset))
}

// TestList compares lists with slices, in memory and beyond it: entries in order, a little late, and in any order.
func TestList(t *testing.T) {
	for name, late := range map[string]int64{"in order": 1, "a little late": 100, "in any order": 1 << 40} {
		for _, n := range []int{0, 1, 4096, 10_000, 300_000} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			dir := t.TempDir()
			l := matchlog.New(dir)
			var want []matchlog.Entry
			for i := range n {
				e := matchlog.Entry{Time: soccer.Time(int64(i) - rng.Int64N(late)), Offset: int64(i), Length: rng.Uint32(),
					Channel: uint16(rng.IntN(3) * 70)}
				l.Insert(e)
				want = append(want, e)
			}
			slices.SortFunc(want, compare)
			if err := l.Sort(); err != nil || l.Len() != n {
				t.Fatalf("%s: %d of %d entries, %v", name, l.Len(), n, err)
			}
			for i := range want {
				if got := l.At(i); got != want[i] {
					t.Fatalf("%s: entry %d of %d is %+v, want %+v", name, i, n, got, want[i])
				}
			}
			for range 1000 {
				e := matchlog.Entry{Time: soccer.Time(rng.IntN(n + 2)), Offset: int64(rng.IntN(n + 2))}
				at, _ := slices.BinarySearchFunc(want, e, compare)
				if got := l.Search(e); got != at {
					t.Fatalf("%s: %+v of %d is searched at %d, want %d", name, e, n, got, at)
				}
				channel, oldest := uint16(rng.IntN(4)*70), e.Time-soccer.Time(rng.IntN(20))
				before := at - 1
				for before >= 0 && want[before].Time >= oldest && want[before].Channel != channel {
					before--
				}
				if before >= 0 && want[before].Time < oldest {
					before = -1
				}
				if got := l.Before(at, channel, oldest); got != before {
					t.Fatalf("%s: channel %d before %d is at %d, want %d", name, channel, at, got, before)
				}
			}
			l.Close()
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("%s: %v are left, %v", name, left, err)
			}
		}
	}
}

// TestNoRoom reports entries that cannot be kept.
func TestNoRoom(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "missing")
	t.Setenv("TMPDIR", nowhere)
	l := matchlog.New(nowhere)
	for i := range 300_000 {
		l.Insert(matchlog.Entry{Time: soccer.Time(i)})
	}
	if l.Err() == nil || l.Sort() == nil {
		t.Error("no error without a folder for temporary files")
	}
	l.Close()
}
