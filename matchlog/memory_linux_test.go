package matchlog_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"touchline/matchlog"
	"touchline/soccer"
)

// maxMemory is the limit of the memory of a program that exports a log, in kB.
const maxMemory = 64 << 10

// TestMemory exports the log of a flood in a process of its own: 10,200 messages a second from each team. Its memory
// stays below the limit: the indexes take 44 bytes a message, and nothing else grows with the log. TOUCHLINE_FLOOD is the
// length of the flood in seconds.
func TestMemory(t *testing.T) {
	if path := os.Getenv("TOUCHLINE_EXPORT"); path != "" {
		exportInAChild(t, path)
		return
	}
	if testing.Short() {
		t.Skip("the race detector needs memory of its own")
	}
	seconds := 20
	fmt.Sscan(os.Getenv("TOUCHLINE_FLOOD"), &seconds)
	path := filepath.Join(t.TempDir(), "flood.mcap")
	flooded(t, path, seconds)
	c := exec.Command(os.Args[0], "-test.run=^TestMemory$", "-test.v")
	c.Env = append(os.Environ(), "TOUCHLINE_EXPORT="+path)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, text, ok := strings.Cut(string(out), "peak ")
	var peak int
	if _, err := fmt.Sscan(text, &peak); !ok || err != nil {
		t.Fatalf("no peak in %s", out)
	}
	t.Logf("%d s of flood, peak of the exporting program: %d kB", seconds, peak)
	if peak > maxMemory {
		t.Errorf("the export needs %d kB, want at most %d", peak, maxMemory)
	}
}

// exportInAChild exports a log with and without a grid and prints the peak of the process's memory.
func exportInAChild(t *testing.T, path string) {
	for _, grid := range []bool{false, true} {
		l, err := matchlog.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := matchlog.Write(io.Discard, l, matchlog.Options{Grid: grid}); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Summary("flood"); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		t.Fatalf("no VmHWM in %s", status)
	}
	peak, _, _ = strings.Cut(peak, " kB")
	fmt.Println("peak", strings.TrimSpace(peak))
}

// flooded writes the log of a flood, of which each hundredth message arrives out of order.
func flooded(t *testing.T, path string, seconds int) {
	t.Helper()
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	const perSecond = 10_200
	var all []matchlog.Message
	for i := range seconds * perSecond {
		at := releaseBegan + soccer.Time(int64(i)*1e9/perSecond)
		home := matchlog.Message{Time: at, Published: at, Channel: matchlog.Home, Data: []byte("{}")}
		if i%100 == 0 {
			home.Published = at - 30e9
		}
		all = append(all, home, matchlog.Message{Time: at, Published: at, Channel: matchlog.Away, Data: []byte(`{"a":1}`)})
		if i%perSecond == perSecond-1 {
			if _, err := w.WriteAll(all); err != nil {
				t.Fatal(err)
			}
			all = all[:0]
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
