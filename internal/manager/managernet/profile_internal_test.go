package managernet

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"touchline/internal/manager"
)

// A folder that is listed each second decodes a file once for each change of it.
func TestProfilesAreCached(t *testing.T) {
	s := profileFolder{Dir: t.TempDir(), cache: new(profileCache)}
	path := filepath.Join(s.Dir, "a.toml")
	at := time.Unix(1000, 0)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	load := func() *profile {
		t.Helper()
		if rows := s.rows(&manager.View{}, nil); len(rows) != 1 {
			t.Fatalf("got rows %+v", rows)
		}
		p, _ := s.load("a")
		return p
	}
	write("version = 1\nrobot = 3\n")
	first := load()
	if first == nil || first.Robot != 3 || load() != first {
		t.Errorf("the file was decoded again although it did not change, or wrong: %+v", first)
	}
	at = at.Add(time.Second)
	write("version = 1\nrobot = 4\n")
	if p := load(); p == nil || p.Robot != 4 {
		t.Errorf("after a change: got %+v", p)
	}
	write("version = 9\n")
	if p := load(); p != nil {
		t.Errorf("a fault: got %+v", p)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.load("a"); err == nil {
		t.Error("a file that is gone is still there")
	}
}
