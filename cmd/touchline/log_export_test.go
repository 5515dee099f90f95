package main

import (
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"touchline/matchlog"
	"touchline/soccer"
)

// The number of messages of an export is that of the zip; a recording without a game gives none, and that is an error.
func TestLogExportCounts(t *testing.T) {
	for worldstates, want := range map[int]string{0: "no message of a team and no line of a referee box", 3: "game.zip: 3 messages, "} {
		dir := t.TempDir()
		path, out := filepath.Join(dir, "s.mcap"), filepath.Join(dir, "game.zip")
		w, err := matchlog.Create(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 + worldstates {
			m := matchlog.Message{Time: logBegan + soccer.Time(i)*5e7, Channel: matchlog.Packets, Data: []byte("packet")}
			if i < worldstates {
				m.Channel, m.Data = matchlog.Home, fmt.Appendf(nil, `{"type":"worldstate","teamName":"T","ageMs":%d}`, i)
			}
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"log", "export", path, "-o", out}, {"log", "cut", path, "-o", out}} {
			printed, errs, code := touchline(t, args...)
			_, err := os.Stat(out)
			if exists := err == nil; !strings.Contains(printed+errs, want) || exists != (worldstates > 0) || (code == 0) != exists {
				t.Errorf("%q of %d worldstates: exit code %d, a zip: %v, %s%s", args, worldstates, code, exists, printed, errs)
			}
			os.Remove(out)
		}
	}
}

// A copy that found no room is removed, and its error does not say that it can be read.
func TestLogCopyRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.mcap")
	if err := os.WriteFile(path, []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	full := fmt.Errorf("matchlog: %s cannot be finished, but can be read: %w", path, &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC})
	err := removed(path, full)
	if _, left := os.Stat(path); left == nil || strings.Contains(err.Error(), "can be read") || !strings.Contains(err.Error(), "nothing is kept") ||
		!strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		t.Errorf("the file is left: %v; %v", left == nil, err)
	}
}

// A log that is not finished may be the journal of a game that Ctrl-C interrupted.
func TestLogInfoUnfinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if out, errs, code := touchline(t, "log", "info", path); code != 0 || !strings.Contains(out, "a referee box may resume its game") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

// A cut of a gap is an error, and leaves no file.
func TestLogCutGap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gap.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []soccer.Time{0, 60e9} {
		if err := w.Write(matchlog.Message{Time: logBegan + at, Channel: matchlog.Home, Data: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	cut := path + ".cut.mcap"
	_, errs, code := touchline(t, "log", "cut", path, "--from", "10s", "--to", "50s", "-o", cut)
	if _, err := os.Stat(cut); code != 2 || !strings.Contains(errs, "no message in this time") || err == nil {
		t.Errorf("exit code %d, a file: %v; %s", code, err == nil, errs)
	}
}

// Replay from a time behind the end of the log sends nothing, which is an error.
func TestReplayFromBehindEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := soccer.Packet{Time: logBegan, Channel: "127.0.0.1:9", From: netip.MustParseAddrPort("127.0.0.1:4000"), Data: []byte("x")}
	if err := w.Write(matchlog.Message{Time: logBegan, Channel: matchlog.Packets, Data: matchlog.AppendPacket(nil, &p)}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out, errs, code := touchline(t, "replay", path, "--to", "127.0.0.1:9", "--from", "99s")
	if code != 2 || !strings.Contains(errs, "no message after --from 99s: it covers") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}
