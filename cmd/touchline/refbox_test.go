package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/internal/refbox"
)

// refereed is a running touchline refbox.
type refereed struct {
	out       *bufio.Reader
	interrupt func()
	code      chan int
}

func referee(t *testing.T, dir string, args ...string) *refereed {
	t.Helper()
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(interrupt)
	r, w := io.Pipe()
	f := &refereed{bufio.NewReader(r), interrupt, make(chan int, 1)}
	args = append([]string{"refbox", "--dir", dir, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
		"--score-clients", ""}, args...)
	go func() {
		f.code <- run(ctx, args, w, io.Discard)
		w.Close()
	}()
	return f
}

func (f *refereed) line(t *testing.T) string {
	t.Helper()
	line, err := f.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return strings.TrimSpace(line)
}

// The referee box from its command line: the addresses, a base station, a decision as curl sends it, a clean end by
// Ctrl-C, and the next start resumes the game.
func TestRefbox(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "games")
	f := referee(t, dir, "--json", "--home", "39", "--away", "63", "--name", "Field A")
	var at struct{ Referee, Scoreboard, Teams, Logs, BaseStations, Dir, Token, Resumed string }
	if err := json.Unmarshal([]byte(f.line(t)), &at); err != nil {
		t.Fatal(err)
	}
	page, token, ok := strings.Cut(at.Referee, "#token=")
	if !ok || token != at.Token || at.Resumed != "" || at.Dir != dir {
		t.Fatalf("%+v", at)
	}
	for _, url := range []string{page, at.Scoreboard, at.Teams, at.Logs} {
		answer, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != http.StatusOK {
			t.Errorf("%s answers %s", url, answer.Status)
		}
	}
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 39, 1)}}
	station, err := d.Dial("tcp", at.BaseStations)
	if err != nil {
		t.Fatal(err)
	}
	defer station.Close()
	lines := bufio.NewReader(station)
	if welcome, err := lines.ReadString(0); !strings.Contains(welcome, "WELCOME") {
		t.Fatalf("received %q: %v", welcome, err)
	}
	r, err := http.NewRequest(http.MethodPost, strings.TrimSuffix(page, "referee")+"api/command/decide", strings.NewReader(`{"command":"KICKOFF","side":"home"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	var decided refbox.Decided
	if err := json.NewDecoder(answer.Body).Decode(&decided); err != nil || decided.Number != 1 || !decided.Kept {
		t.Errorf("%+v: %v", decided, err)
	}
	answer.Body.Close()
	if kickoff, err := lines.ReadString(0); !strings.Contains(kickoff, "224.16.32.39") {
		t.Errorf("received %q: %v", kickoff, err)
	}
	f.interrupt()
	if code := <-f.code; code != 0 {
		t.Fatalf("exit %d", code)
	}

	f = referee(t, dir)
	if line := f.line(t); !strings.HasPrefix(line, "resuming game ") || !strings.Contains(line,
		": CAMBADA 0 : 0 Away, pre-game 00:0") {
		t.Errorf("output %q", line)
	}
	for _, want := range []string{"referee: ", "scoreboard: ", "teams: ", "logs: ", "base stations: ",
		"(this machine only"} {
		if line := f.line(t); !strings.HasPrefix(line, want) {
			t.Errorf("output %q, want %s", line, want)
		}
	}
	f.interrupt()
	if line := f.line(t); !strings.Contains(line, "the next start resumes it") {
		t.Errorf("output %q", line)
	}
	if code := <-f.code; code != 0 {
		t.Fatalf("exit %d", code)
	}
}

func TestRefboxMisused(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"halfSeconds":-1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for want, args := range map[string][]string{
		"another referee box may run there": {"--listen", taken.Addr().String()},
		"cannot serve the page":             {"--http", taken.Addr().String()},
		"does not have the address; its in": {"--listen", "192.0.2.77:0"},
		"have the address; its interfaces":  {"--http", "192.0.2.77:0"},
		"team 250 is not in the team table": {"--home", "250"},
		"--teams":                           {"--teams", bad},
		"--rules":                           {"--rules", bad},
		"no such file":                      {"--teams", filepath.Join(dir, "none")},
		"want an address and a port":        {"--listen", "nowhere"},
		"--score-clients x":                 {"--score-clients", "x"},
		"the folder for journals":           {"--dir", filepath.Join(bad, "x")},
		"neither a command nor a flag":      {"now"},
		"--duration":                        {"--duration", "-1s"},
		"--field 1x1":                       {"--field", "1x1"},
	} {
		_, errs, code := touchline(t, append([]string{"refbox", "--dir", filepath.Join(dir, "games"), "--listen",
			"127.0.0.1:0", "--http", "127.0.0.1:0", "--score-clients", ""}, args...)...)
		if code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%q: exit %d: %s", args, code, errs)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "games", "*.mcap")); err != nil || len(left) > 0 {
		t.Errorf("journals without a game: %v, %v", left, err)
	}
	for _, flag := range []string{"--print-teams", "--print-rules"} {
		out, errs, code := touchline(t, "refbox", flag)
		if code != 0 || !json.Valid([]byte(out)) {
			t.Errorf("%s: exit %d: %s%s", flag, code, out, errs)
		}
	}
	// The printed table is accepted.
	teams, _, _ := touchline(t, "refbox", "--print-teams")
	file := filepath.Join(dir, "teams.json")
	if err := os.WriteFile(file, []byte(teams), 0o644); err != nil {
		t.Fatal(err)
	}
	if again, errs, code := touchline(t, "refbox", "--teams", file, "--print-teams"); code != 0 || again != teams {
		t.Errorf("exit %d, %s; %d bytes instead of %d", code, errs, len(again), len(teams))
	}
}

// A token that others can guess is refused where other machines reach the page, and accepted on this machine.
func TestShortToken(t *testing.T) {
	for _, args := range [][]string{{}, {"--follow", "127.0.0.1:8014"}} {
		args = append([]string{"refbox", "--dir", t.TempDir(), "--listen", "127.0.0.1:0", "--http", "0.0.0.0:0", "--token",
			"12345678901"}, args...)
		var out, errs strings.Builder
		if code := run(t.Context(), args, &out, &errs); code != 2 ||
			!strings.Contains(errs.String(), "--token has 11 characters") {
			t.Errorf("%v: exit %d, %s", args, code, errs.String())
		}
	}
	f := referee(t, t.TempDir(), "--token", "short")
	for line := f.line(t); !strings.HasPrefix(line, "base stations"); line = f.line(t) {
	}
	f.interrupt()
	if code := <-f.code; code != 0 {
		t.Errorf("exit %d", code)
	}
}
