package matchlog_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"touchline/matchlog"
	"touchline/wire/wiretest"
)

// TestDiskFull limits the size of a file, as a full disk does: the log stays whole, and writing continues once there is
// room. The limit applies to a process, so the test runs in another one.
func TestDiskFull(t *testing.T) {
	for _, how := range []string{"", "syncs", "packed"} {
		path := filepath.Join(t.TempDir(), "full.mcap")
		child := exec.Command(os.Args[0], "-test.run=^TestFullChild$", "-test.v")
		child.Env = append(os.Environ(), "TOUCHLINE_FULL="+path, "TOUCHLINE_HOW="+how)
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, rest, _ := strings.Cut(string(out), "took ")
		took, err := strconv.Atoi(strings.Fields(rest + " x")[0])
		if err != nil || took < 100 {
			t.Fatalf("%s", out)
		}
		messages, info, _ := library(t, path)
		if len(messages) != took || info.Statistics.MessageCount != uint64(took) || len(info.ChunkIndexes) != int(info.Statistics.ChunkCount) {
			t.Errorf("%s: got %d messages, want the %d written ones; %+v, %d chunks", how, len(messages), took, info.Statistics, len(info.ChunkIndexes))
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
	how, create := os.Getenv("TOUCHLINE_HOW"), matchlog.Create
	if how == "packed" {
		create = matchlog.CreatePacked
	}
	w, err := create(path, nil)
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
			if how == "syncs" && n%50 == 0 {
				if err := w.Sync(); err != nil {
					t.Fatal(err)
				}
			}
			batch := []matchlog.Message{sample(n)}
			for i := 1; how == "packed" && i < 1+n%300; i++ {
				batch = append(batch, sample(n+i))
			}
			written, err := w.WriteAll(batch)
			n += written
			if err == nil {
				continue
			}
			failed++
			l, err := matchlog.Open(path)
			if err != nil || l.Wait() != nil || l.Info().Torn != "" || counted(l) != n {
				t.Fatalf("after %d messages: %v, %+v", n, err, l.Info())
			}
			l.Close()
			break
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

// TestRecorderDiskFull records on a disk that is full for a while: the record has all messages but those that the Recorder
// counts as missing, and a note where they are.
func TestRecorderDiskFull(t *testing.T) {
	path := os.Getenv("TOUCHLINE_RECORD")
	if path == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestRecorderDiskFull$")
		child.Env = append(os.Environ(), "TOUCHLINE_RECORD="+filepath.Join(t.TempDir(), "full.mcap"))
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	w, err := matchlog.CreatePacked(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := matchlog.NewRecorder(w, nil)
	var old unix.Rlimit
	err = unix.Getrlimit(unix.RLIMIT_FSIZE, &old)
	if err := errors.Join(err, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 50e3, Max: old.Max})); err != nil {
		t.Fatal(err)
	}
	total := 0
	record := func() {
		m := sample(total)
		m.Channel, m.Data = matchlog.Home, append(m.Data, strconv.FormatUint(rand.Uint64(), 36)...)
		r.Record(m)
		total++
	}
	wiretest.Eventually(t, "messages are missing", func() bool {
		for range 100 {
			record()
		}
		return r.Health().Dropped > 0
	})
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	before := r.Health().Messages
	wiretest.Eventually(t, "messages are written again", func() bool {
		record()
		return r.Health().Messages > before
	})
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "are not recorded") || !strings.Contains(err.Error(), "full.mcap") {
		t.Errorf("Close: %v", err)
	}
	l := open(t, path)
	h, notes := r.Health(), all(t, l, 0, 0, matchlog.Notes)
	if n := len(all(t, l, 0, 0, matchlog.Home)); uint64(n) != h.Messages || h.Messages+h.Dropped != uint64(total) || !l.Info().Finished {
		t.Errorf("%d of %d messages are in the file: %+v", n, total, h)
	}
	if len(notes) == 0 || !strings.Contains(string(notes[0].Data), "messages before this are not recorded") {
		t.Errorf("notes %+v", notes)
	}
}

// TestAnnotateDiskFull annotates a log without room for its copy: the log stays as it is, and can be annotated once there is
// room.
func TestAnnotateDiskFull(t *testing.T) {
	path := os.Getenv("TOUCHLINE_NOTED")
	if path == "" {
		path, messages := finished(t, "one by one")
		child := exec.Command(os.Args[0], "-test.run=^TestAnnotateDiskFull$")
		child.Env = append(os.Environ(), "TOUCHLINE_NOTED="+path)
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		equal(t, messagesOf(t, path, 0, 0), messages)
		return
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 1000, len(whole) / 2, len(whole) - 1, len(whole) + 100} {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(room), Max: old.Max}); err != nil {
			t.Fatal(err)
		}
		_, err := matchlog.Annotate(path, moment("no room"))
		if err == nil || !strings.Contains(err.Error(), "the log is as it was") {
			t.Errorf("with %d of %d bytes: %v", room, len(whole), err)
		}
		left, _ := os.ReadDir(filepath.Dir(path))
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, whole) || len(left) != 1 {
			t.Errorf("with %d of %d bytes: %v, or the log changed; %v", room, len(whole), err, left)
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	annotate(t, path, moment("room"))
}
