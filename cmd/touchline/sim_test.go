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
	"regexp"
	"strings"
	"testing"
	"time"
)

// quiet keeps a simulator away from the default addresses: another one may run on this machine.
func quiet(args ...string) []string {
	return append([]string{"sim", "vss", "--commands", "127.0.0.1:0", "--vision", "127.0.0.1:1", "--referee-group", "224.5.23.2:20103",
		"--placement-group", "224.5.23.2:20104"}, args...)
}

// The built-in teams play at the highest speed, and the same seed gives the same match.
func TestSimVSSAlone(t *testing.T) {
	play := func(seed string) simSummary {
		out, errs, code := touchline(t, quiet("-H", "--5v5", "--blue", "builtin", "--yellow", "builtin", "--referee", "--speed", "max",
			"--duration", "60s", "--json", "--seed", seed)...)
		if code != 0 {
			t.Fatalf("exit %d: %s", code, errs)
		}
		var s simSummary
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		return s
	}
	s, again := play("3"), play("3")
	if s.Seconds != 60 || s.Ticks != 3750 || s.Seed != "3" {
		t.Errorf("%+v", s)
	}
	if s.GoalsBlue != again.GoalsBlue || s.GoalsYellow != again.GoalsYellow {
		t.Errorf("got %d:%d and then %d:%d, want the same result", s.GoalsBlue, s.GoalsYellow, again.GoalsBlue, again.GoalsYellow)
	}
}

// A weaker rung of the built-in team plays like the same team with slower wheels: robots that stand never win a ball, and
// against the weak ones the whole team scores more than they do.
func TestSimVSSRungs(t *testing.T) {
	goals := map[string][2]uint32{}
	for _, rung := range []string{"still", "weak", "medium"} {
		out, errs, code := touchline(t, quiet("-H", "--blue", "builtin", "--yellow", rung, "--referee", "--speed", "max",
			"--duration", "240s", "--json")...)
		var s simSummary
		if err := json.Unmarshal([]byte(out), &s); err != nil || code != 0 {
			t.Fatalf("%s: exit %d, %v: %s%s", rung, code, err, out, errs)
		}
		goals[rung] = [2]uint32{s.GoalsBlue, s.GoalsYellow}
	}
	t.Log(goals)
	if goals["still"] == goals["weak"] || goals["weak"] == goals["medium"] || goals["still"][0] <= goals["still"][1] ||
		goals["weak"][0] <= goals["weak"][1] {
		t.Errorf("goals of the built-in team and of a weaker one: %v", goals)
	}
}

// With --json the summary alone is on stdout, and the page's address on stderr.
func TestSimVSSJSONWithPage(t *testing.T) {
	out, errs, code := touchline(t, quiet("--http", "127.0.0.1:0", "--duration", "160ms", "--json")...)
	if code != 0 || !json.Valid([]byte(out)) || !strings.Contains(errs, ": http://127.0.0.1:") {
		t.Errorf("exit %d, printed %s, then %s", code, out, errs)
	}
}

// The page accepts commands like those of curl, and Ctrl-C ends the program cleanly.
func TestSimVSSPage(t *testing.T) {
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	defer interrupt()
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, quiet("--http", "127.0.0.1:0"), w, io.Discard)
		w.Close()
	}()
	lines := bufio.NewReader(r)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
	for body, want := range map[string]int{`{"x":0.2,"y":0.1}`: http.StatusNoContent, `{"x":9,"y":0}`: http.StatusBadRequest} {
		answer, err := http.Post(url+"api/command/ball", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != want || strings.Contains(string(text), "vss:") {
			t.Errorf("%s: %d %s", body, answer.StatusCode, text)
		}
	}
	interrupt()
	if rest, err := io.ReadAll(lines); err != nil || !strings.Contains(string(rest), "s simulated in") {
		t.Errorf("got last output %q, %v", rest, err)
	}
	if c := <-code; c != 0 {
		t.Errorf("got exit code %d after an interrupt, want 0", c)
	}
}

func TestSimVSSMisused(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "start.json")
	if err := os.WriteFile(wrong, []byte("{\n\"green\": []}"), 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte("{\"blue\": [\n{\"id\": 1, \"x\": 9}]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"leave the flag out":                          {"sim", "vss", "-H", "--vision", ""},
		outside + ": start positions, line 2: blue 1": {"sim", "vss", "-H", "--placement", outside},
		"127.255.255.255:10002":                       {"sim", "vss", "-H", "--commands", "127.0.0.1:0", "--vision", "127.255.255.255:10002"},
		"touchline sim vss":                           {"sim"},
		"neither a command":                           {"sim", "msl"},
		"above 0":                                     {"sim", "vss", "--speed", "0"},
		"real time, or max":                           {"sim", "vss", "--speed", "fast"},
		"blue, yellow or both":                        {"sim", "vss", "--lockstep=red"},
		"want firasim or ssl":                         {"sim", "vss", "--vision-format=grsim"},
		"want one of still, weak, medium, builtin":    {"sim", "vss", "--blue", "me"},
		"ball-drop":                                   {"sim", "vss", "--compat", "everything"},
		"line 2":                                      {"sim", "vss", "--placement", wrong},
		"no such file":                                {"sim", "vss", "--placement", wrong + "x"},
		"want firasim or rsim":                        {"sim", "vss", "--physics", "ode"},
		"224.0.0.0-239.255.255.255":                   {"sim", "vss", "-H", "--commands", "127.0.0.1:0", "--vision", "255.255.255.255:10002"},
		"is in use":                                   {"sim", "vss", "-H", "--commands", held.LocalAddr().String()},
	} {
		if out, errs, code := touchline(t, args...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %q, %q", args, code, out, errs)
		}
	}
	if out, _, code := touchline(t, "sim", "vss", "--compat", "list"); code != 0 || strings.Count(out, "\n") != 9 {
		t.Errorf("--compat list: exit %d, %q", code, out)
	}
}

// A record with gaps is an error after the summary.
func TestSimVSSRecordFails(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Logf("no /dev/full here: %v", err)
		return
	}
	out, errs, code := touchline(t, quiet("-H", "--record", "/dev/full", "--duration", "160ms", "--json")...)
	var s simSummary
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	if code != 1 || !strings.Contains(s.RecordError, "no space") || !strings.Contains(errs, "--record /dev/full") {
		t.Errorf("exit %d, summary %+v, %s", code, s, errs)
	}
}

// --vision accepts localhost, and the first line names the port that the system chose.
func TestSimVSSNamesItsPort(t *testing.T) {
	out, errs, code := touchline(t, quiet("-H", "--vision", "localhost:1", "--speed", "max", "--duration", "16ms")...)
	if named := regexp.MustCompile(`commands at 127\.0\.0\.1:[1-9]\d*,`); code != 0 || !named.MatchString(out) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// The flags of FIRASim are accepted; the log names the ignored ones once.
func TestSimVSSAcceptsFlagsOfFIRASim(t *testing.T) {
	_, errs, code := touchline(t, quiet("-H", "--headless", "--5v5", "--xlr8", "--atkfault", "--speed", "max", "--duration", "160ms")...)
	if code != 0 || strings.Count(errs, "xlr8") != 1 || strings.Count(errs, "atkfault") != 1 {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestSimVSSPlacement(t *testing.T) {
	name := filepath.Join(t.TempDir(), "start.json")
	if err := os.WriteFile(name, []byte(`{"ball": {"x": 0.6, "vx": 2}, "blue": [{"id":0,"y":0.4},{"id":1,"y":0.5},{"id":2,"y":0.3}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := touchline(t, quiet("-H", "--speed", "max", "--duration", "2s", "--json", "--placement", name)...)
	if code != 0 || !strings.Contains(out, `"goalsBlue": 1`) {
		t.Errorf("exit %d: %s %s", code, out, errs)
	}
}

// Simulated time passes no faster than --speed.
func TestSimVSSSpeed(t *testing.T) {
	began := time.Now()
	out, errs, code := touchline(t, quiet("-H", "--speed", "4", "--duration", "2s", "--json")...)
	if code != 0 {
		t.Fatal(errs)
	}
	var s simSummary
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	if s.Seconds != 2 || s.Real < 0.45 || time.Since(began) < 450*time.Millisecond {
		t.Errorf("got %g s simulated in %g s", s.Seconds, s.Real)
	}
}
