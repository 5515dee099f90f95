package matchlog_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"touchline/matchlog"
)

// TestDiskFull limits the size of a file, as a full disk does: the log stays whole, and writing continues once there is
// room. The limit applies to a process, so the test runs in another one.
func TestDiskFull(t *testing.T) {
	for _, syncs := range []string{"", "syncs"} {
		path := filepath.Join(t.TempDir(), "full.mcap")
		child := exec.Command(os.Args[0], "-test.run=^TestFullChild$", "-test.v")
		child.Env = append(os.Environ(), "TOUCHLINE_FULL="+path, "TOUCHLINE_SYNCS="+syncs)
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, rest, _ := strings.Cut(string(out), "took ")
		took, err := strconv.Atoi(strings.Fields(rest + " x")[0])
		if err != nil || took < 100 {
			t.Fatalf("%s", out)
		}
		messages, _, _ := library(t, path)
		if len(messages) != took {
			t.Errorf("got %d messages, want the %d written ones", len(messages), took)
		}
		for i := range messages {
			same(t, messages[i], sample(i))
		}
	}
}

func TestFullChild(t *testing.T) {
	path := os.Getenv("TOUCHLINE_FULL")
	if path == "" {
		t.Skip("TestDiskFull runs it")
	}
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	n, failed := 0, 0
	for limit := uint64(20e3); limit < 200e3; limit += 7777 {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
		for {
			if os.Getenv("TOUCHLINE_SYNCS") != "" && n%50 == 0 {
				if err := w.Sync(); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Write(sample(n)); err != nil {
				failed++
				if l, err := matchlog.Open(path); err != nil || l.Wait() != nil || l.Info().Torn != "" {
					t.Fatalf("after %d messages: %v", n, err)
				} else {
					l.Close()
				}
				break
			}
			n++
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if failed == 0 {
		t.Fatal("the file never reached its limit")
	}
	t.Log("took", n)
}
