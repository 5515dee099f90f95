package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// tcmEvent is a line of JSON that tcm send or tcm recv prints.
type tcmEvent struct {
	Event, From, Path, SHA256 string
	Bytes                     uint64
	Messages, Lost            uint32
	Answered                  bool
	Missing                   []teamcomnet.Range
}

// tcmIni writes a TCM.ini with robots 1 and 2 and computer 1 on available ports.
func tcmIni(t *testing.T, team string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "TCM.ini")
	base := func() int { return wiretest.FreePorts(t, "udp", tcm.Sockets) }
	text := fmt.Sprintf("[team]\n%s\n[robots]\n1 = 127.0.0.1:%d\n2 = 127.0.0.1:%d\n[computers]\n1 = 127.0.0.1:%d\n", team, base(), base(),
		base())
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tcmCommandRun is a running tcm recv.
type tcmCommandRun struct {
	t    *testing.T
	out  *bufio.Reader // after the line that says that it waits
	errs bytes.Buffer
	code chan int
	stop context.CancelFunc
}

// startReceiver starts tcm recv and waits until it is ready.
func startReceiver(t *testing.T, args ...string) *tcmCommandRun {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	r, w := io.Pipe()
	c := &tcmCommandRun{t: t, out: bufio.NewReader(r), code: make(chan int, 1), stop: cancel}
	go func() {
		c.code <- run(ctx, append([]string{"tcm", "recv"}, args...), w, &c.errs)
		w.Close()
	}()
	if line, err := c.out.ReadString('\n'); err != nil || !strings.Contains(line, "wait") {
		t.Fatalf("got %q, %v, exit %d, want that it waits: %s", line, err, <-c.code, c.errs.String())
	}
	return c
}

// end returns the rest of the output and the exit code.
func (c *tcmCommandRun) end() (string, int) {
	c.t.Helper()
	defer c.stop()
	out, err := io.ReadAll(c.out)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(out), <-c.code
}

// A file of several messages moves to a robot, to all robots, and to a computer, and arrives whole.
func TestTCMMovesFile(t *testing.T) {
	content := bytes.Repeat([]byte("touchline "), 30_000)
	source := filepath.Join(t.TempDir(), "configuration.bin")
	if err := os.WriteFile(source, content, 0o644); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "team.key")
	if err := os.WriteFile(key, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ team, receiver, sender, to string }{
		"to a robot":         {"", "robot:2", "computer:1", "robot:2"},
		"to all, in a group": {fmt.Sprintf("group = 239.255.71.1:%d", wiretest.FreePorts(t, "udp", 4)), "robot:2", "robot:1", "robots"},
		"signed":             {"key = " + key, "computer:1", "robot:1", "computer:1"},
	} {
		t.Run(name, func(t *testing.T) {
			ini, dir := tcmIni(t, c.team), filepath.Join(t.TempDir(), "received") // recv creates it
			receiver := startReceiver(t, "--as", c.receiver, "--ini", ini, "--dir", dir, "--json")
			out, errs, code := touchline(t, "tcm", "send", source, "--to", c.to, "--as", c.sender, "--ini", ini, "--json")
			var sent tcmEvent
			if err := json.Unmarshal([]byte(out), &sent); err != nil || code != 0 || !sent.Answered || sent.Messages != 10 {
				t.Errorf("send: exit %d, %q, %v\n%s", code, out, err, errs)
			}
			out, code = receiver.end()
			var received tcmEvent
			if err := json.Unmarshal([]byte(out), &received); err != nil || code != 0 || received.SHA256 != sent.SHA256 ||
				received.Event != "received" || received.From != c.sender || received.Bytes != uint64(len(content)) {
				t.Errorf("recv: exit %d, %q, %v\n%s", code, out, err, receiver.errs.String())
			}
			if got, err := os.ReadFile(received.Path); err != nil || !bytes.Equal(got, content) {
				t.Errorf("the stored file has %d bytes, %v, want %d", len(got), err, len(content))
			}
		})
	}
}

// sendChunks sends some chunks of a file from computer 1 to robot 2.
func sendChunks(t *testing.T, ini, path string, send func(index uint32) bool) {
	t.Helper()
	cfg := teamcomnet.DefaultConfig(tcm.Entity{Kind: tcm.Computer, ID: 1})
	cfg.Ini = ini
	e, err := teamcomnet.Open(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	file, err := teamcomnet.OpenFile(path, 77)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- e.Run(ctx) }()
	for {
		chunk, err := file.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !send(chunk.Index) {
			continue
		}
		if err := e.Module(tcm.TCM).Client().Send(e.Now(), tcm.Entity{Kind: tcm.Robot, ID: 2}, chunk); err != nil {
			t.Fatal(err)
		}
	}
	wiretest.Eventually(t, "the queue is empty", func() bool { n, _ := e.Waiting(tcm.Bulk); return n == 0 })
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// Recv reports what is missing of an incomplete file, stores nothing, and exits with 1: when the last chunk came, and
// when it is interrupted before.
func TestTCMIncompleteFile(t *testing.T) {
	source := filepath.Join(t.TempDir(), "log.bin")
	if err := os.WriteFile(source, make([]byte, 5*teamcomnet.ChunkSize-10), 0o644); err != nil {
		t.Fatal(err)
	}
	const size = teamcomnet.ChunkSize
	for name, c := range map[string]struct {
		send func(uint32) bool
		lost uint32
		want []teamcomnet.Range
	}{
		"two chunks lost": {func(i uint32) bool { return i != 1 && i != 3 }, 2, []teamcomnet.Range{{Start: size, End: 2 * size}, {Start: 3 * size, End: 4 * size}}},
		"interrupted":     {func(i uint32) bool { return i < 2 }, 3, []teamcomnet.Range{{Start: 2 * size, End: 5*size - 10}}},
	} {
		t.Run(name, func(t *testing.T) {
			ini, dir := tcmIni(t, ""), t.TempDir()
			receiver := startReceiver(t, "--as", "robot:2", "--ini", ini, "--dir", dir, "--json")
			sendChunks(t, ini, source, c.send)
			if name == "interrupted" {
				wiretest.Eventually(t, "two chunks are stored", func() bool {
					found, _ := filepath.Glob(filepath.Join(dir, "*.part"))
					if len(found) != 1 {
						return false
					}
					info, err := os.Stat(found[0])
					return err == nil && info.Size() == 2*size
				})
				receiver.stop()
			}
			out, code := receiver.end()
			last := out[strings.LastIndex(strings.TrimRight(out, "\n"), "\n")+1:] // lines of progress precede it
			var received tcmEvent
			if err := json.Unmarshal([]byte(last), &received); err != nil || code != 1 || received.Event != "incomplete" ||
				received.Lost != c.lost || !reflect.DeepEqual(received.Missing, c.want) {
				t.Errorf("exit %d, %q, %v, want %d lost messages and %v", code, out, err, c.lost, c.want)
			}
			if found, err := os.ReadDir(dir); err != nil || len(found) > 0 {
				t.Errorf("the folder has %v, %v, want nothing", found, err)
			}
		})
	}
}

// The texts for people name the file, the missing bytes and the remedy.
func TestTCMTexts(t *testing.T) {
	ini, dir := tcmIni(t, ""), t.TempDir()
	source := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(source, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	send := func() string {
		out, errs, code := touchline(t, "tcm", "send", source, "--to", "robot:2", "--ini", ini)
		if code != 0 {
			t.Errorf("send: exit %d: %s", code, errs)
		}
		return out
	}
	for _, c := range []struct {
		want string
		code int
	}{
		{"a.txt from computer:1: 5 bytes in ", 0},
		{"a.txt from computer:1 is not stored: a file of this name exists; --force replaces it\n", 1},
	} {
		receiver := startReceiver(t, "--as", "robot:2", "--ini", ini, "--dir", dir)
		if out := send(); !strings.HasPrefix(out, "a.txt sent to robot:2: 5 bytes in ") {
			t.Errorf("send prints %q", out)
		}
		if out, code := receiver.end(); !strings.HasPrefix(out, c.want) || code != c.code {
			t.Errorf("recv: exit %d, %q, want %d, %q", code, out, c.code, c.want)
		}
	}
}

func TestTCMMisuse(t *testing.T) {
	ini := tcmIni(t, "")
	bad := filepath.Join(t.TempDir(), "TCM.ini")
	if err := os.WriteFile(bad, []byte("[robots]\n1 = nowhere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"tcm", "touchline tcm send FILE --to robot:3", 2},
		{"tcm send --to robot:1", "send takes one file, but 0 are given", 2},
		{"tcm send " + ini, "--to is missing", 2},
		{"tcm send " + ini + " --to robot:0", "--to robot:0: want robot:1 to robot:255", 2},
		{"tcm send " + ini + " --to robot:1 --rate 0", "--rate 0: want MB a second from 0.001 to 10000", 2},
		{"tcm send " + ini + " --to robot:1 --rate NaN", "--rate NaN: want MB", 2},
		{"tcm send " + ini + " --to robot:1 --parity 256", "--parity 256: want 0 (none) to 255", 2},
		{"tcm send /nowhere --to robot:1", "open /nowhere: no such file", 2},
		{"tcm send " + filepath.Dir(ini) + " --to robot:1", "is not a regular file", 2},
		{"tcm send " + ini + " --to robot:3 --ini " + ini, "no address for robot:3", 1},
		{"tcm recv --as robots", "--as robots: want one robot or computer", 2},
		{"tcm recv --as robot:9", "without a TCM.ini there are robot:1 to robot:6", 2},
		{"tcm recv --as robot:9 --ini " + ini, "does not list robot:9", 2},
		{"tcm recv --ini " + bad, "line 2", 2},
		{"tcm recv --ini /nowhere", "open /nowhere", 2},
		{"tcm recv --ini " + ini + " --key " + bad + "x", "the team's key: open", 2},
		{"tcm recv --ini " + ini + " --dir " + ini + "/in", "--dir: mkdir " + ini, 2},
		{"tcm recv --ini " + ini + " --count -1", "--count -1: want 0", 2},
		{"tcm recv --ini " + ini + " --duration 10ms", "no file came", 1},
		{"tcm recv extra", "recv takes no argument", 2},
		{"tcm sned", "did you mean send?", 2},
	} {
		_, errs, code := touchline(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Contains(errs, "teamcomnet:") {
			t.Errorf("%s: exit %d, %q, want %d, %q", c.args, code, errs, c.code, c.want)
		}
	}
}

// The JSON of a file of which much is missing has a bounded length, and says how much more is missing.
func TestMissingRangesAreBounded(t *testing.T) {
	var out bytes.Buffer
	r := receiver{flags: &receiveFlags{}, printer: printer{out: &out, json: true}}
	result := &teamcomnet.FileResult{Err: teamcomnet.ErrIncomplete, Chunks: 60_000}
	for i := range uint64(30_000) {
		result.Missing = append(result.Missing, teamcomnet.Range{Start: 2 * i << 15, End: (2*i + 1) << 15})
	}
	r.done(result)
	var v struct {
		Missing     []teamcomnet.Range
		MoreMissing int
	}
	if err := json.Unmarshal(out.Bytes(), &v); err != nil || out.Len() > 10_000 || len(v.Missing) != 100 || v.MoreMissing != 29_900 {
		t.Errorf("got %d bytes with %d ranges and %d more, %v: want 100 and 29,900", out.Len(), len(v.Missing), v.MoreMissing, err)
	}
}
