package matchlog_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"touchline/matchlog"
)

// TestKilledPacked kills a program that writes a packed log in batches, at random times: every batch that is written is
// there.
func TestKilledPacked(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 4))
	for round := range 20 {
		path := filepath.Join(t.TempDir(), "killed.mcap")
		least := killed(t, path, "packed", 1+random.IntN(3000))
		got := messagesOf(t, path, 0, 0)
		if len(got) < least {
			t.Fatalf("round %d: %d messages, want at least the %d written ones", round, len(got), least)
		}
		for i := range got {
			same(t, got[i], sample(i))
		}
	}
}

// TestKilled kills a program that writes a log and continues the log: every written message is there.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "killed.mcap")
	for round := range 4 {
		least := killed(t, path, "", 400*(round+1))
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

// killed kills TestKilledChild once it has written a number of messages, and returns how many it has written then.
func killed(t *testing.T, path, packed string, messages int) (least int) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
	child.Env = append(os.Environ(), "TOUCHLINE_KILLED="+path, "TOUCHLINE_PACKED="+packed)
	least, err := killedAfter(child, messages)
	if err != nil {
		t.Fatal(err)
	}
	return least
}

// killedAfter starts a program, kills it once it has said that it wrote a number of things, and returns how many it wrote.
func killedAfter(child *exec.Cmd, wanted int) (least int, err error) {
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(out)
	read := func() {
		if n, err := strconv.Atoi(strings.TrimPrefix(lines.Text(), "wrote ")); err == nil {
			least = n
		}
	}
	for least < wanted && lines.Scan() {
		read()
	}
	if err := child.Process.Kill(); err != nil {
		return 0, err
	}
	for lines.Scan() { // what it had said before
		read()
	}
	child.Wait() // it was killed
	if least < wanted {
		err = fmt.Errorf("the program ended after %d", least)
	}
	return least, err
}

func TestKilledChild(t *testing.T) {
	path := os.Getenv("TOUCHLINE_KILLED")
	if path == "" {
		t.Skip("TestKilled runs it")
	}
	if os.Getenv("TOUCHLINE_PACKED") != "" {
		writeBatches(t, path)
		return
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

// writeBatches writes a packed log in batches of up to 100 messages until it is killed.
func writeBatches(t *testing.T, path string) {
	w, err := matchlog.CreatePacked(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < 1e6; {
		var batch []matchlog.Message
		for i := range 1 + n*7919%100 {
			batch = append(batch, sample(n+i))
		}
		if _, err := w.WriteAll(batch); err != nil {
			t.Fatal(err)
		}
		n += len(batch)
		fmt.Println("wrote", n)
	}
}
