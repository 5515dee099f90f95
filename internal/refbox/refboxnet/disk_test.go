//go:build linux

package refboxnet_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"touchline/internal/refbox"
	"touchline/internal/refbox/refboxnet"
	"touchline/matchlog"
	"touchline/wire/wiretest"
)

// boxIn is the environment variable that turns this program into a referee box in that folder.
const boxIn = "REFBOX_TEST_BOX"

// fullIn is the environment variable that makes the disk of such a program full from the start.
const fullIn = "REFBOX_TEST_FULL"

// boxAt holds the addresses of such a program.
type boxAt struct{ URL, Token, Teams string }

// TestBoxProcess is that program. An input line "full" makes its disk refuse every byte, "room" ends that, and the end of
// the input stops it.
func TestBoxProcess(t *testing.T) {
	dir := os.Getenv(boxIn)
	if dir == "" {
		t.Skip("part of other tests")
	}
	signal.Ignore(syscall.SIGXFSZ)
	if os.Getenv(fullIn) != "" {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1, Max: unix.RLIM_INFINITY}); err != nil {
			t.Fatal(err)
		}
	}
	live, err := refboxnet.New(liveConfig(dir), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := live.Open(ctx); err != nil {
		t.Fatal(err)
	}
	handler, publish := pageOf(live)
	go publish(ctx)
	page := httptest.NewServer(handler)
	b, err := json.Marshal(boxAt{page.URL, live.Token(), live.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s\n", b)
	go func() {
		defer cancel()
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			limit := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
			if in.Text() == "full" {
				limit.Cur = 1 // the file is longer than that already
			}
			if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
				t.Error(err)
			}
			fmt.Println("done")
		}
	}()
	if err := live.Run(ctx); err != nil {
		t.Error(err)
	}
}

// boxProcess is a referee box that can be killed.
type boxProcess struct {
	boxAt
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	dead bool
}

func startBox(t *testing.T, dir string) *boxProcess {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestBoxProcess$")
	c.Env = append(os.Environ(), boxIn+"="+dir)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p := &boxProcess{t: t, cmd: c, in: in, out: bufio.NewReader(out)}
	t.Cleanup(p.kill)
	line, err := p.out.ReadString('\n')
	if err != nil || json.Unmarshal([]byte(line), &p.boxAt) != nil {
		t.Fatalf("output %q: %v", line, err)
	}
	return p
}

func (p *boxProcess) kill() {
	if !p.dead {
		p.dead = true
		_ = p.cmd.Process.Kill() // it may have ended
		_ = p.cmd.Wait()         // killed
	}
}

// end stops it like Ctrl-C, and returns its error output.
func (p *boxProcess) end() string {
	p.t.Helper()
	p.dead = true
	if err := p.in.Close(); err != nil {
		p.t.Error(err)
	}
	said, err := io.ReadAll(p.out)
	if err != nil {
		p.t.Error(err)
	}
	if err := p.cmd.Wait(); err == nil {
		return ""
	}
	return string(said)
}

// disk makes the disk "full" or gives it "room".
func (p *boxProcess) disk(state string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, state+"\n"); err != nil {
		p.t.Fatal(err)
	}
	if line, err := p.out.ReadString('\n'); line != "done\n" {
		p.t.Fatalf("output %q: %v", line, err)
	}
}

func (p *boxProcess) decide(body string) refbox.Decided {
	p.t.Helper()
	d, trouble := post(p.t, p.URL, "decide", body, p.Token)
	if trouble != "" {
		p.t.Fatalf("%s: %s", body, trouble)
	}
	return d
}

func (p *boxProcess) dial(from string) *station {
	p.t.Helper()
	return dial(p.t, netip.MustParseAddrPort(p.Teams), from)
}

// A killed box resumes the game at the next start: nothing acknowledged is lost.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	p := startBox(t, dir)
	home := p.dial("127.0.39.1")
	home.receives(command("WELCOME", cambada))
	p.decide(`{"command":"KICKOFF","side":"home"}`)
	p.decide(`{"command":"START"}`)
	p.decide(`{"command":"STOP"}`)
	p.decide(`{"command":"RED_CARD","side":"home","robot":3}`)
	home.receives(command("KICKOFF", cambada), command("FIRST_HALF", ""), command("START", ""), command("STOP", ""))
	p.kill()
	home.ends()

	p = startBox(t, dir)
	home = p.dial("127.0.39.1")
	home.receives(command("WELCOME", cambada))
	var desk refbox.RefereeShow
	topic(t, p.URL, "referee", p.Token, &desk, func() bool { return len(desk.Entries) == 4 })
	if len(desk.Pending) != 1 || !strings.Contains(desk.Pending[0], "red card") {
		t.Errorf("waiting for START: %q", desk.Pending)
	}
	p.decide(`{"command":"FREEKICK","side":"home"}`)
	p.decide(`{"command":"START"}`)
	home.receives(command("FREEKICK", cambada), command("RED_CARD", cambada), command("START", ""))
}

// A full disk shows a warning at once and the game continues. With room again the waiting messages are written, earlier
// ones are complete, and the journal has a note.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	p := startBox(t, dir)
	home := p.dial("127.0.39.1")
	home.receives(command("WELCOME", cambada))
	p.decide(`{"command":"KICKOFF","side":"home"}`)
	home.sends(worldstate("CAMBADA", 0))
	log := journals(t, dir, ".mcap")[0]
	wiretest.Eventually(t, "the first worldstate", func() bool { return len(read(t, log, matchlog.Home)) == 1 })

	p.disk("full")
	home.sends(worldstate("CAMBADA", 1))
	if d := p.decide(`{"command":"START"}`); d.Kept || d.Millis == nil {
		t.Errorf("sent with a full disk: %+v", d)
	}
	home.receives(command("KICKOFF", cambada), command("FIRST_HALF", ""), command("START", ""))
	var show refbox.Show
	topic(t, p.URL, "refbox", "", &show, func() bool { return len(show.Trouble) > 0 })
	if !strings.Contains(show.Trouble[0], "the journal cannot be written") || strings.Contains(show.Trouble[0],
		"make room") || !show.Running {
		t.Errorf("%+v", show)
	}
	if n := len(read(t, log, matchlog.Decisions)); n != 1 {
		t.Errorf("%d decisions in the journal", n)
	}

	p.disk("room")
	topic(t, p.URL, "refbox", "", &show, func() bool { return len(show.Trouble) == 0 })
	if d := p.decide(`{"command":"STOP"}`); !d.Kept {
		t.Errorf("with room again: %+v", d)
	}
	p.kill()
	if n := len(read(t, log, matchlog.Decisions)); n != 3 {
		t.Errorf("%d decisions in the journal", n)
	}
	if got := read(t, log, matchlog.Home); len(got) != 2 || got[1] != worldstate("CAMBADA", 1) {
		t.Errorf("worldstates in the journal: %q", got)
	}
	if notes := strings.Join(read(t, log, matchlog.Notes), "\n"); !strings.Contains(notes, "the disk failed") {
		t.Errorf("the journal notes\n%s", notes)
	}
}

// If there is no room for the zip, the referee sees a warning, and no incomplete zip is left.
func TestZipOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	p := startBox(t, dir)
	p.decide(`{"command":"KICKOFF","side":"home"}`)
	p.disk("full")
	p.decide(`{"command":"RESET","force":true}`)
	var show refbox.Show
	topic(t, p.URL, "refbox", "", &show, func() bool {
		return strings.Contains(strings.Join(show.Trouble, "\n"),
			"the zip of game")
	})
	p.disk("room")
	p.decide(`{"command":"KICKOFF","side":"home"}`) // another game begins, so this one is closed
	topic(t, p.URL, "refbox", "", &show, func() bool { return len(show.Trouble) == 0 })
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	zips := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".zip") {
			zips++
		} else if strings.HasPrefix(e.Name(), ".zip") {
			t.Errorf("%s was left", e.Name())
		}
	}
	if zips != 1 {
		t.Errorf("%d zips", zips)
	}
}

// Messages that waited for a full disk are written even if another game began before.
func TestFullAcrossGames(t *testing.T) {
	dir := t.TempDir()
	p := startBox(t, dir)
	p.decide(`{"command":"KICKOFF","side":"home"}`)
	log := journals(t, dir, ".mcap")[0]
	p.disk("full")
	p.decide(`{"command":"START"}`)
	p.decide(`{"command":"RESET","force":true}`)
	p.decide(`{"command":"KICKOFF","side":"away"}`)
	p.disk("room")
	var show refbox.Show
	topic(t, p.URL, "refbox", "", &show, func() bool { return len(show.Trouble) == 0 })
	if n := len(read(t, log, matchlog.Decisions)); n != 3 {
		t.Errorf("%d decisions of the first game", n)
	}
	if said := p.end(); said != "" {
		t.Error(said)
	}
	all := journals(t, dir, ".mcap")
	if len(all) != 2 || !matchlog.Finished(log) || len(journals(t, dir, ".zip")) != 1 {
		t.Fatalf("%q, the first finished: %t", journals(t, dir, ""), matchlog.Finished(log))
	}
	if n := len(read(t, all[1], matchlog.Decisions)); n != 1 {
		t.Errorf("%d decisions of the second game", n)
	}
}

// A referee box starts on a full disk, reports that, and writes its journal as soon as there is room.
func TestStartOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(fullIn, "1")
	p := startBox(t, dir)
	var show refbox.Show
	topic(t, p.URL, "refbox", "", &show, func() bool { return true })
	if text := strings.Join(show.Trouble, "; "); !strings.Contains(text, "the referee's token is not stored") {
		t.Errorf("trouble: %s", text)
	}
	if d := p.decide(`{"command":"KICKOFF","side":"home"}`); d.Kept || d.Missed {
		t.Errorf("got %+v, want a decision that is not kept", d)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "token")); err == nil {
		t.Errorf("half of a token is stored: %q", b)
	}
	p.disk("room")
	wiretest.Eventually(t, "the decision is kept as soon as there is room", func() bool {
		logs := journals(t, dir, ".mcap")
		return len(logs) == 1 && len(read(t, logs[0], matchlog.Decisions)) == 1
	})
	if said := p.end(); said != "" {
		t.Error(said)
	}
}

// A referee box that starts and ends on a full disk, without a decision, ends without an error: there is no file to remove.
func TestNothingOnFullDisk(t *testing.T) {
	t.Setenv(fullIn, "1")
	if said := startBox(t, t.TempDir()).end(); said != "" {
		t.Error(said)
	}
}

// Stopping the program loses nothing for which there is room, and reports what is lost.
func TestEndOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	p := startBox(t, dir)
	p.decide(`{"command":"KICKOFF","side":"home"}`)
	log := journals(t, dir, ".mcap")[0]
	p.disk("full")
	p.decide(`{"command":"START"}`)
	p.disk("room")
	if said := p.end(); said != "" {
		t.Error(said)
	}
	if n := len(read(t, log, matchlog.Decisions)); n != 2 {
		t.Errorf("%d decisions", n)
	}
	p = startBox(t, dir)
	p.disk("full")
	p.decide(`{"command":"STOP"}`)
	p.decide(`{"command":"RESET","force":true}`)
	p.decide(`{"command":"KICKOFF","side":"away"}`)
	if said := p.end(); !strings.Contains(said, "3 decisions are lost") {
		t.Errorf("output %q", said)
	}
	if n := len(read(t, log, matchlog.Decisions)); n != 2 || matchlog.Finished(log) {
		t.Errorf("%d decisions, finished: %t", n, matchlog.Finished(log))
	}
}

// An end of the program while it wrote a zip is named at the next start, which does not try again by itself: of the game
// that it resumes, and of one before it. The page /log and another end of the game write the zip.
func TestInterruptedZip(t *testing.T) {
	for name, next := range map[string][]string{
		"of the resumed game":   nil,
		"of the game before it": {`{"command":"RESET"}`, `{"command":"KICKOFF","side":"away"}`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p := startBox(t, dir)
			p.decide(`{"command":"KICKOFF","side":"home"}`)
			p.decide(`{"command":"SET_PART","part":"end"}`)
			wiretest.Eventually(t, "the zip", func() bool { return len(journals(t, dir, ".zip")) == 1 })
			for _, d := range next {
				p.decide(d)
			}
			p.kill()
			log, zip := journals(t, dir, ".mcap")[0], journals(t, dir, ".zip")[0]
			if err := os.Remove(zip); err != nil {
				t.Fatal(err)
			}
			marker := strings.TrimSuffix(log, ".mcap") + ".exporting"
			if err := os.WriteFile(marker, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			f := open(t, liveConfig(dir))
			var show refbox.Show
			f.topic("refbox", &show, func() bool {
				return strings.Contains(strings.Join(show.Trouble, "\n"), "touchline log export "+log)
			})
			answer, err := http.Get(f.page.URL + "/api/logs/" + filepath.Base(log) + "/zip")
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if b, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK || !bytes.HasPrefix(b, []byte("PK")) {
				t.Errorf("the page's zip: %s, %d bytes, %v", answer.Status, len(b), err)
			}
			if next == nil {
				f.decide(`{"command":"SET_PART","part":"second half"}`, `{"command":"SET_PART","part":"end"}`)
				wiretest.Eventually(t, "the zip after another end", func() bool { return len(journals(t, dir, ".zip")) == 1 })
				f.topic("refbox", &show, func() bool { return len(show.Trouble) == 0 })
				return
			}
			f.stop()
			if len(journals(t, dir, ".zip")) != 0 || !matchlog.Finished(log) {
				t.Errorf("%d zips, finished: %t; want none, and a finished log", len(journals(t, dir, ".zip")),
					matchlog.Finished(log))
			}
		})
	}
}

// A crash while the zip is written leaves the complete zip after the next start, and no incomplete one.
func TestKilledWithoutZip(t *testing.T) {
	dir := t.TempDir()
	p := startBox(t, dir)
	p.decide(`{"command":"KICKOFF","side":"home"}`)
	p.decide(`{"command":"SET_PART","part":"end"}`)
	zipped := func() bool { return len(journals(t, dir, ".zip")) == 1 }
	wiretest.Eventually(t, "the zip", zipped)
	p.kill()
	zip := journals(t, dir, ".zip")[0]
	if err := os.Rename(zip, filepath.Join(dir, ".zip-123")); err != nil {
		t.Fatal(err)
	}
	p = startBox(t, dir)
	wiretest.Eventually(t, "the zip", zipped)
	if _, err := os.Stat(filepath.Join(dir, ".zip-123")); err == nil {
		t.Error("an incomplete zip is left")
	}
	// The same if the next game had begun already.
	p.decide(`{"command":"RESET"}`)
	p.decide(`{"command":"KICKOFF","side":"away"}`)
	p.kill()
	if err := os.Remove(zip); err != nil {
		t.Fatal(err)
	}
	for _, started := range journals(t, dir, ".exporting") { // RESET writes the zip again; here it had not begun to
		if err := os.Remove(started); err != nil {
			t.Fatal(err)
		}
	}
	startBox(t, dir)
	wiretest.Eventually(t, "the zip", zipped)
}
