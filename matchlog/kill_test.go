package matchlog_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"touchline/matchlog"
)

// TestKilled kills a program that writes a log and continues the log: every written message is there.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "killed.mcap")
	least := 0
	for round := range 4 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
		child.Env = append(os.Environ(), "TOUCHLINE_KILLED="+path)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() && least < 400*(round+1) {
			if n, err := strconv.Atoi(strings.TrimPrefix(lines.Text(), "wrote ")); err == nil {
				least = n
			}
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it had said before
			if n, err := strconv.Atoi(strings.TrimPrefix(lines.Text(), "wrote ")); err == nil {
				least = n
			}
		}
		child.Wait() // it was killed
		l := open(t, path)
		got := all(t, l, 0, 0)
		l.Close()
		if len(got) < least {
			t.Fatalf("round %d: %d messages, want at least the %d written ones", round, len(got), least)
		}
		for i := range got {
			same(t, got[i], sample(i))
		}
	}
}

func TestKilledChild(t *testing.T) {
	path := os.Getenv("TOUCHLINE_KILLED")
	if path == "" {
		t.Skip("TestKilled runs it")
	}
	w, err := matchlog.Create(path, nil)
	n := 0
	if err != nil {
		if w, err = matchlog.Append(path); err != nil {
			t.Fatal(err)
		}
		l, err := matchlog.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Wait(); err != nil {
			t.Fatal(err)
		}
		for _, c := range l.Info().Channels {
			n += int(c.Count)
		}
	}
	for ; n < 1e6; n++ {
		if err := w.Write(sample(n)); err != nil {
			t.Fatal(err)
		}
		if n%100 == 0 {
			if err := w.Sync(); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Println("wrote", n+1)
	}
}
