package refboxnet

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"touchline/internal/refbox"
)

// The scan never panics, and finds the same in pieces of any size.
func FuzzJournalScan(f *testing.F) {
	all := journalOf(f, 5, 1)
	f.Add(all, uint64(1))
	f.Add(all[:len(all)/2], uint64(3))
	f.Add([]byte("\x89MCAP0\r\n\x05\xff\xff\xff\xff\xff\xff\xff\xff"), uint64(2))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		once, pieces := newJournalScan(), newJournalScan()
		once.Write(b)
		random := rand.New(rand.NewPCG(seed, 1))
		for rest := b; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			pieces.Write(rest[:n])
			rest = rest[n:]
		}
		if once.Messages() != pieces.Messages() || len(once.decisions) != len(pieces.decisions) ||
			(once.Err() == nil) != (pieces.Err() == nil) {
			t.Errorf("at once %+v, in pieces %+v", once, pieces)
		}
		_, _ = once.box(refbox.DefaultConfig(), 0)
	})
}

// Any request is answered only with journals of the folder, and only with existing bytes.
func FuzzChooseJournal(f *testing.F) {
	dir := f.TempDir()
	const old, running = "20260703_155014.mcap", "20260703_170000.mcap"
	for name, size := range map[string]int{old: 100, running: 500, "token": 50, "lock": 0} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "20250101_000000.mcap"), 0o700); err != nil {
		f.Fatal(err)
	}
	tail := newTail()
	tail.set(filepath.Join(dir, running), 300) // zeros follow in the file
	for _, name := range []string{old, running, "", "token", "lock", ".." + old, "20250101_000000.mcap",
		"20250101_000000.mcap/x.mcap"} {
		f.Add(name, int64(0))
		f.Add(name, int64(301))
	}
	f.Fuzz(func(t *testing.T, name string, from int64) {
		path, at, status := chooseJournal(dir, name, max(0, from), tail)
		switch {
		case status == http.StatusRequestedRangeNotSatisfiable:
		case path == filepath.Join(dir, old) && at < 100:
		case path == filepath.Join(dir, running) && at <= 300:
		default:
			t.Errorf("%q from %d: %q from %d, %d", name, from, path, at, status)
		}
	})
}
