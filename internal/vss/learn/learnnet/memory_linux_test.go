package learnnet

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Blocks of earlier versions that no process holds are removed; those that are mapped, open or new stay, and so do other files.
func TestOldBlocksAreRemoved(t *testing.T) {
	dir := t.TempDir()
	block := func(name string, age time.Duration) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, 4096), 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		return path
	}
	dead, fresh, other := block("touchline-learn-1", time.Hour), block("touchline-learn-2", 0), block("touchline-1", time.Hour)
	mapped, open := block("touchline-learn-3", time.Hour), block("touchline-learn-4", time.Hour)
	f, err := os.OpenFile(mapped, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(data)
	f.Close()
	held, err := os.Open(open)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	sweepOldBlocks(dir, time.Now().Add(-time.Minute))
	for path, want := range map[string]bool{dead: false, fresh: true, other: true, mapped: true, open: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want it to stay: %t", filepath.Base(path), err, want)
		}
	}
}
