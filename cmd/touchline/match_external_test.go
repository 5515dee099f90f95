package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/transport"
)

// The team of docs/team.py, a program in Python, plays a whole match as away: it drives its robots, is told what the
// referee decides, and breaks off when the match is over.
func TestExternalTeam(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays in real time")
	}
	t.Run("on this machine", func(t *testing.T) { playExternal(t, "5s") })
	t.Run("signed, on an interface", func(t *testing.T) {
		list, err := transport.Interfaces()
		i := slices.IndexFunc(list, func(i transport.Interface) bool { return i.Loopback })
		if err != nil || i < 0 {
			t.Fatalf("no loopback interface: %v", err)
		}
		playExternal(t, "1s", "--interface", list[i].Name)
	})
}

// playExternal plays a match against docs/team.py.
func playExternal(t *testing.T, half string, flags ...string) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var out bytes.Buffer
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"match", "--half", half, "--away", "external", "--json"}, flags...), &out, w)
		w.Close()
	}()
	lines := bufio.NewScanner(r)
	if !lines.Scan() {
		t.Fatal("the match ends at once")
	}
	field := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(lines.Text())
	program := exec.CommandContext(ctx, "python3", "../../docs/team.py", field, "2")
	if key := regexp.MustCompile(`TOUCHLINE_KEY=\S+`).FindString(lines.Text()); key != "" {
		program.Env = append(os.Environ(), key)
	} else if len(flags) > 0 {
		t.Fatalf("no key in %s", lines.Text())
	}
	var said bytes.Buffer
	program.Stdout, program.Stderr = &said, &said
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = program.Process.Kill() // it may have ended already
		_ = program.Wait()
		if strings.Contains(said.String(), "Traceback") {
			t.Errorf("the program printed %s", said.String())
		}
	}()
	var progress strings.Builder
	for lines.Scan() {
		progress.WriteString(lines.Text() + "\n")
	}
	var result matchResult
	if err := json.Unmarshal(out.Bytes(), &result); err != nil || <-code != 0 {
		t.Fatalf("printed %s and %s: %v", out.String(), progress.String(), err)
	}
	if !result.Over || result.Away != "external" || result.Way.Away < 1 {
		t.Errorf("the result is %+v, want robots of away that drove", result)
	}
}

// Flags that make no sense with an external team are refused.
func TestExternalTeamIsRefused(t *testing.T) {
	for args, want := range map[string]string{
		"match --port 20000":                                 "external team",
		"match --interface lo":                               "external team",
		"demo --match --interface lo":                        "external team",
		"match --away external --speed max":                  "runs in real time",
		"match --away external --port 65535":                 "want 1 to 65532",
		"match --home external --away external --port 20000": "leave it out",
		"demo --match --home program:true":                   "touchline match --record",
		"match --port 20000 --home program:true":             "external team",
		"match --home program:":                              "want a program and its arguments",
	} {
		if _, errs, code := touchline(t, strings.Fields(args)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, printed %q, want %q", args, code, errs, want)
		}
	}
}

// The team of docs/team.py plays in lockstep, too: in virtual time, and the same match again, byte by byte.
func TestProgramTeam(t *testing.T) {
	single(t)
	args := []string{"match", "--half", "5s", "--away", "program:python3 ../../docs/team.py - {team} {robots}", "--json", "--record"}
	var records [2][]byte
	for i := range records {
		path := filepath.Join(t.TempDir(), "m.mcap")
		out, errs, code := touchline(t, append(args, path)...)
		var result matchResult
		if err := json.Unmarshal([]byte(out), &result); err != nil || code != 0 || !result.Over || result.Way.Away < 1 {
			t.Fatalf("exit %d, printed %s and %s: %v", code, out, errs, err)
		}
		var err error
		if records[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if len(records[0]) == 0 || !bytes.Equal(records[0], records[1]) {
		t.Error("two matches of one seed have different records")
	}
}
