package teamcomnet_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// logBuffer keeps a log for a test.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logBuffer) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), text)
}

// A robot that TCM.ini moves to other ports and another group is reached there, without a restart.
func TestReloadMovesRobot(t *testing.T) {
	t.Parallel()
	at := bases(t, 5)
	path := ini(t, "", at[0], at[1], at[2])
	a, b := open(t, path, robot1, nil), open(t, path, robot2, nil)
	own, beliefs := listen(b, tcm.GM, ownType), listen(b, tcm.GM, tcm.Belief)
	run(t, a, b)
	send(t, a, robot2, ownType, "before")
	receive(t, own)
	if b.Address().String() != at[1] {
		t.Fatalf("robot 2 is at %s, want %s", b.Address(), at[1])
	}
	writeIni(t, path, "group = 239.255.72.1:"+portOf(t), at[0], at[3], at[2])
	wiretest.Eventually(t, "robot 2 moves", func() bool { return b.Address().String() == at[3] })
	// Robot 1 reads the file at a time of its own. Its earlier messages are lost.
	wiretest.Eventually(t, "a message arrives at the new address", func() bool {
		send(t, a, robot2, ownType, "after")
		send(t, a, robots, tcm.Belief, "to the group")
		time.Sleep(10 * time.Millisecond)
		return len(own) > 0 && len(beliefs) > 0
	})
	old := openAt(t, at[1]) // fails if robot 2 still has it
	old.Close()
}

// openAt opens an endpoint at a base address, as robot 1 of a team of its own.
func openAt(t *testing.T, at string) *teamcomnet.Endpoint {
	t.Helper()
	others := bases(t, 2)
	return open(t, ini(t, "number = 9", at, others[0], others[1]), robot1, nil)
}

// A TCM.ini that cannot be used is reported once, and the one before stays in use.
func TestReloadKeepsOldDirectory(t *testing.T) {
	t.Parallel()
	path := localIni(t, "")
	valid, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	log := &logBuffer{}
	a := openLogged(t, path, robot1, slog.New(slog.NewTextHandler(log, nil)), nil)
	unchanged := filepath.Join(t.TempDir(), "TCM.ini")
	if err := os.WriteFile(unchanged, valid, 0o644); err != nil {
		t.Fatal(err)
	}
	b := open(t, unchanged, robot2, nil)
	arrived := listen(b, tcm.GM, ownType)
	run(t, a, b)
	reported := 0
	for _, c := range []struct{ text, want string }{
		{"[robots]\n1 = nowhere\n", "line 2"},
		{"[robots]\n2 = 127.0.0.1:23000\n", "does not list robot:1"},
		{string(valid) + "[team]\nkey = " + keyFile(t, "0123456789abcdef") + "\n", "the team's key is another one"},
	} {
		if err := os.WriteFile(path+".new", []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		reported++
		wiretest.Eventually(t, "a report of "+c.want, func() bool { return log.count(c.want) > 0 })
		send(t, a, robot2, ownType, c.want)
		if got := receive(t, arrived); got.data != c.want {
			t.Errorf("got %q, want %q", got.data, c.want)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	reported++
	wiretest.Eventually(t, "a report of the missing file", func() bool { return log.count("no such file") > 0 })
	if err := os.WriteFile(path, valid, 0o644); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "the valid file is in use", func() bool { return log.count("is in use") > 0 })
	if got := log.count("level=ERROR"); got != reported {
		t.Errorf("%d reports, want %d", got, reported)
	}
}
