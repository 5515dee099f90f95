//go:build linux

package refboxnet_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"touchline/internal/refbox"
	"touchline/internal/refbox/refboxnet"
	"touchline/matchlog"
)

// Moving the folder away shows a warning, and decisions no longer count as stored; moving it back repairs both.
func TestFolderMoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "games")
	f := open(t, liveConfig(dir))
	f.decide(`{"command":"KICKOFF","side":"home"}`)
	if err := os.Rename(dir, dir+".moved"); err != nil {
		t.Fatal(err)
	}
	var show refbox.Show
	f.topic("refbox", &show, func() bool {
		return len(show.Trouble) == 1 && strings.Contains(show.Trouble[0], "missing from its folder")
	})
	if d, why := f.post("decide", `{"command":"START"}`, f.live.Token()); d.Kept || why != "" {
		t.Errorf("%+v, %s", d, why)
	}
	if err := os.Rename(dir+".moved", dir); err != nil {
		t.Fatal(err)
	}
	f.topic("refbox", &show, func() bool { return len(show.Trouble) == 0 })
	if d := f.decide(`{"command":"STOP"}`); !d.Kept {
		t.Errorf("%+v", d)
	}
	if n := len(read(t, journals(t, dir, ".mcap")[0], matchlog.Decisions)); n != 3 {
		t.Errorf("%d decisions", n)
	}
}

// An unwritable folder and a folder in use by another program are different errors.
func TestFolderRefused(t *testing.T) {
	dir := t.TempDir()
	refused := func() string {
		t.Helper()
		live, err := refboxnet.New(liveConfig(dir), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if err = live.Open(t.Context()); err == nil {
			live.Close()
			t.Fatal("a second box opened the folder")
		}
		return err.Error()
	}
	lock := filepath.Join(dir, "lock")
	if err := os.Mkdir(lock, 0o755); err != nil {
		t.Fatal(err)
	}
	if why := refused(); !strings.Contains(why, "is not writable") || strings.Contains(why, "another referee box") {
		t.Error(why)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	open(t, liveConfig(dir))
	if why := refused(); !strings.Contains(why, "another referee box uses") {
		t.Error(why)
	}
}

// Without a file for its token a referee box starts with another token, and the page reports it.
func TestTokenFileRefused(t *testing.T) {
	cfg := liveConfig(t.TempDir())
	if err := os.Mkdir(filepath.Join(cfg.Dir, "token"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := open(t, cfg)
	f.decide(`{"command":"KICKOFF","side":"home"}`)
	show := f.live.Snapshot("refbox").(refbox.Show)
	if text := strings.Join(show.Trouble, "; "); !strings.Contains(text, "token is not stored") ||
		!strings.Contains(text, "the next start has another one") || len(f.live.Token()) < 20 {
		t.Errorf("trouble: %s, token %q", text, f.live.Token())
	}
}
