package main

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"touchline/matchlog"
	"touchline/soccer"
)

// The number of messages of an export is that of the zip; a recording without a game gives none, and that is an error.
func TestLogExportCounts(t *testing.T) {
	for worldstates, want := range map[int]string{0: "no team messages and no referee box lines", 3: "game.zip: 3 messages, "} {
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
	if _, left := os.Stat(path); left == nil || strings.Contains(err.Error(), "can be read") || !strings.Contains(err.Error(), "nothing was kept") ||
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

// longWorldstate returns a worldstate that does not compress well.
func longWorldstate(i int) []byte {
	sum := sha512.Sum512([]byte{byte(i), byte(i >> 8)})
	return fmt.Appendf(nil, `{"type":"worldstate","teamName":"T","intention":"%d %x","ageMs":0}`, i, sum)
}

// writeWorldstates writes n worldstates of the home team with a Writer, and finishes the log.
func writeWorldstates(t *testing.T, w *matchlog.Writer, n int) {
	t.Helper()
	for i := range n {
		m := matchlog.Message{
			Time: logBegan + soccer.Time(i)*5e6, Channel: matchlog.Home,
			Data: longWorldstate(i),
		}
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Copies of damaged and torn logs hold what can be read, say what is missing, and fail without --partial.
func TestLogIncomplete(t *testing.T) {
	const all = 20_000
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	written := func(name string, create func(string, map[string]string) (*matchlog.Writer, error)) []byte {
		t.Helper()
		path := filepath.Join(dir, name)
		w, err := create(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		writeWorldstates(t, w, all)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	plain, packed := written("plain.mcap", matchlog.Create), written("packed.mcap", matchlog.CreatePacked)
	cut := plain[:len(plain)/2]
	plain[len(plain)/2] ^= 0x55
	packed[len(packed)/2] ^= 0x55
	foreign := chunkedByOthers(t, all)
	foreign[len(foreign)/2] ^= 0x55
	intact := twoTeams(t)
	for name, source := range map[string]string{
		"1 of 20000 messages are lost": write("damaged.mcap", plain), "a chunk is damaged at byte ": write("chunk.mcap", packed),
		"torn: an incomplete record at byte ": write("torn.mcap", cut), "the chunk at byte ": write("foreign.mcap", foreign),
	} {
		for _, args := range [][]string{{"cut", source}, {"merge", source, intact}, {"export", source}} {
			for _, partial := range []bool{false, true} {
				out := filepath.Join(dir, "out.mcap")
				if args[0] == "export" {
					out = filepath.Join(dir, "out.zip")
				}
				os.Remove(out)
				full := append([]string{"log"}, append(args, "-o", out)...)
				if partial {
					full = append(full, "--partial")
				}
				printed, errs, code := touchline(t, full...)
				if (code == 0) != partial || code > 1 || !strings.Contains(errs, source+": ") || !strings.Contains(errs, name) ||
					strings.Contains(errs, "--partial accepts") == partial {
					t.Errorf("%q: exit code %d, %s%s", full, code, printed, errs)
					continue
				}
				l, err := openLog(out)
				if err != nil {
					t.Fatal(err)
				}
				if n := messages(l); n < 1000 || len(l.Loss()) > 0 {
					t.Errorf("%q: the copy holds %d messages, and loses %q", full, n, l.Loss())
				}
				l.Close()
			}
		}
	}
	out := filepath.Join(dir, "whole.mcap")
	if printed, errs, code := touchline(t, "log", "cut", intact, "-o", out); code != 0 || errs != "" {
		t.Errorf("an intact log: exit code %d, %s%s", code, printed, errs)
	}
}

// chunkedByOthers returns a finished MCAP file of another program with n worldstates in chunks.
func chunkedByOthers(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, &mcap.WriterOptions{Chunked: true, ChunkSize: 1 << 20, IncludeCRC: true})
	if err == nil {
		err = w.WriteHeader(&mcap.Header{Profile: "other"})
	}
	if err == nil {
		err = w.WriteChannel(&mcap.Channel{ID: 1, Topic: matchlog.Home, MessageEncoding: "json"})
	}
	for i := 0; i < n && err == nil; i++ {
		err = w.WriteMessage(&mcap.Message{
			ChannelID: 1, LogTime: uint64(logBegan) + uint64(i)*5e6, PublishTime: uint64(logBegan) + uint64(i)*5e6,
			Data: longWorldstate(i),
		})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
