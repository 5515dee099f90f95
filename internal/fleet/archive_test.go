package fleet_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"touchline/internal/batch/queue"
	"touchline/internal/fleet"
)

// newArchive starts a node with an archive of a size.
func newArchive(t *testing.T, size int64) (*fleet.Archive, jetstream.JetStream) {
	t.Helper()
	node := start(t, fleet.Config{})
	conn, err := queue.Dial(queue.Address{URL: node.URL()}, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	a, err := fleet.NewArchive(conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Prepare(t.Context(), time.Hour, size, 1); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return a, js
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// pull fetches all files of a field, and returns how many bytes came and are gone.
func pull(t *testing.T, a *fleet.Archive, dir string) (came, gone int64) {
	t.Helper()
	kept, err := a.List(t.Context(), "3")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kept {
		c, g, err := a.Fetch(t.Context(), k, dir, new(uint64))
		if err != nil {
			t.Fatal(err)
		}
		came, gone = came+c, gone+g
	}
	return came, gone
}

// Files that grow arrive as they are, whichever program was started again meanwhile. Bytes that never arrive are counted.
func TestArchive(t *testing.T) {
	a, js := newArchive(t, 100<<20)
	field, office := t.TempDir(), t.TempDir()
	game := bytes.Repeat([]byte("0123456789abcdef"), 100_000) // 1.6 MB: four parts
	var sent []fleet.Sent
	for _, n := range []int{100, 700_000, len(game)} {
		write(t, filepath.Join(field, "day 1", "game.mcap"), game[:n])
		write(t, filepath.Join(field, ".game.part"), game[:n]) // hidden
		var err error
		if sent, err = a.Mirror(t.Context(), "3", field, sent); err != nil {
			t.Fatal(err)
		}
		if n == 700_000 {
			sent = nil // another program
			if came, _ := pull(t, a, office); came != int64(n) {
				t.Errorf("%d bytes came, want %d", came, n)
			}
		}
	}
	if came, gone := pull(t, a, office); came != int64(len(game)-700_000) || gone != 0 {
		t.Errorf("%d bytes came and %d are gone", came, gone)
	}
	if got, err := os.ReadFile(filepath.Join(office, "day 1", "game.mcap")); err != nil || !bytes.Equal(got, game) {
		t.Errorf("the file differs: %d bytes, %v", len(got), err)
	}
	if err := os.Remove(filepath.Join(field, "day 1", "game.mcap")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(field, "other.mcap"), game[:1000])
	if sent, _ = a.Mirror(t.Context(), "3", field, sent); len(sent) != 2 || sent[0].Lost != 0 || sent[1].Have != 1000 {
		t.Errorf("after the removal of what was sent: %+v", sent)
	}
	write(t, filepath.Join(field, "other.mcap"), game[1:2000]) // another file under its name
	if sent, _ = a.Mirror(t.Context(), "3", field, sent); !strings.Contains(sent[1].Why, "give it another name") {
		t.Errorf("a replaced file: %+v", sent)
	}
	for _, subject := range []string{"touchline.archive.3.0011223344556677", "touchline.archive.3.x"} { // of another program
		if _, err := js.Publish(t.Context(), subject, []byte("hello")); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := a.List(t.Context(), ""); err != nil || len(kept) != 2 {
		t.Errorf("the list has %+v, %v", kept, err)
	}
}

// A file that vanishes while the servers are away is lost, and its bytes are counted.
func TestArchiveLost(t *testing.T) {
	a, _ := newArchive(t, 100<<20)
	field := t.TempDir()
	write(t, filepath.Join(field, "a.mcap"), make([]byte, 1000))
	sent, err := a.Mirror(t.Context(), "3", field, nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(field, "a.mcap"), make([]byte, 5000))
	gone, cancel := context.WithCancel(t.Context())
	cancel() // the line is broken
	if sent, err = a.Mirror(gone, "3", field, sent); err == nil {
		t.Fatal("it sends without a line")
	}
	if err := os.Remove(filepath.Join(field, "a.mcap")); err != nil {
		t.Fatal(err)
	}
	if sent, err = a.Mirror(t.Context(), "3", field, sent); err != nil || sent[0].Lost != 4000 {
		t.Errorf("%+v, %v: want 4000 lost bytes", sent, err)
	}
}

// Bytes that the limits of the archive took are counted, and nothing is written behind the gap.
func TestArchiveBounded(t *testing.T) {
	a, _ := newArchive(t, 2<<20)
	field, office := t.TempDir(), t.TempDir()
	game := make([]byte, 4<<20)
	write(t, filepath.Join(field, "game.mcap"), game)
	if _, err := a.Mirror(t.Context(), "3", field, nil); err != nil {
		t.Fatal(err)
	}
	came, gone := pull(t, a, office)
	if came != 0 || gone < 2<<20 || gone%(512<<10) != 0 {
		t.Errorf("%d bytes came, %d are gone", came, gone)
	}
	for _, name := range []string{"", "a b", "../x", "a.b", strings.Repeat("x", 65), "a*"} {
		if fleet.CheckField(name) == nil {
			t.Errorf("a field named %q is accepted", name)
		}
	}
}
