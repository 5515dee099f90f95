package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// static is the folder of the pages' files.
const static = "../../internal/monitor/static/"

// Patterns of the pages' JavaScript.
var (
	moduleImport = regexp.MustCompile(`(?m)^(?:[^/\n].*)?(?:from |import )'(\.[^']+\.js)'`) // without those of types in comments
	pageScript   = regexp.MustCompile(`<script type="module" src="([^"]+)"`)
	// commandCall is a call that sends a command by its name: command, request, or a function of a page around them.
	commandCall = regexp.MustCompile(`\b(command|request|send|ask|perform|startChord)\((?:wall, )?'([a-z-]*[a-z])'`)
	// commandByVariable is a call whose name the pattern above does not see.
	commandByVariable = regexp.MustCompile(`(?m)^.*\b(?:command|await request)\([a-z].*$`)
)

// senders are the functions of pages around command and request; commandCall knows their callers.
var senders = []string{"shared/stream.js", "booking/chaos.js", "wall/tile.js", "wall/keys.js", "vss/connect.js"}

// commandsOf returns the names of the commands that a page can send: those of all modules that it loads.
func commandsOf(t *testing.T, page string) (names []string) {
	t.Helper()
	html, err := os.ReadFile(static + page + ".html")
	if err != nil {
		t.Fatal(err)
	}
	script := pageScript.FindSubmatch(html)
	if script == nil {
		t.Fatalf("%s has no script", page)
	}
	// The log draws what happened with modules of a page that has the buttons.
	shownOnly := map[string]string{"log": "vss/"}[page]
	found, seen := map[string]bool{}, map[string]bool{}
	var read func(module string)
	read = func(module string) {
		if seen[module] || strings.HasPrefix(module, "htm/") || shownOnly != "" && strings.HasPrefix(module, shownOnly) {
			return
		}
		seen[module] = true
		text, err := os.ReadFile(static + module)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range commandCall.FindAllStringSubmatch(string(text), -1) {
			name := m[2]
			if m[1] == "ask" {
				name = "robot-" + name
			}
			found[name] = true
		}
		if line := commandByVariable.FindString(string(text)); line != "" && !slices.Contains(senders, module) {
			t.Errorf("%s sends a command whose name this test does not see: %s", module, line)
		}
		for _, m := range moduleImport.FindAllStringSubmatch(string(text), -1) {
			read(filepath.ToSlash(filepath.Join(filepath.Dir(module), m[1])))
		}
	}
	read(string(script[1]))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// The pages' commands are found in their files.
func TestCommandsOfPages(t *testing.T) {
	for page, want := range map[string][]string{
		"wall":    {"crash", "kick", "link", "next", "partition", "pause", "place-ball", "record", "step", "substitute", "switch"},
		"robot":   {"robot-attend", "robot-check-machine", "robot-drive", "robot-set", "robot-solve", "robot-take"},
		"referee": {"admit", "check-reader", "decide", "preview", "promote", "refuse", "release", "tell-reader"},
		"batch":   {"batch-again"},
		"vss":     {"ball", "pause", "referee", "reset", "robot", "speed", "step", "switch"},
	} {
		got := commandsOf(t, page)
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("the page %s sends %v, want %s among them", page, got, name)
			}
		}
	}
}

// Every program knows every command that one of its pages can send. It may refuse it, and then says why.
func TestProgramsKnowTheirPagesCommands(t *testing.T) {
	ini := teamIni(t)
	for _, args := range []string{
		"demo", "demo --no-tcm", "demo --match", "demo --match --virtual", "demo --match --away external", "monitor",
		"monitor --tcm " + ini, "refbox --listen 127.0.0.1:0", "sim vss", "robot --alone", "batch status",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			ctx, end := context.WithTimeout(t.Context(), time.Minute)
			defer end()
			own := append(strings.Fields(args), "--http", "127.0.0.1:0")
			switch own[0] {
			case "demo", "monitor", "robot":
				if !slices.Contains(own, "--match") {
					own = append(own, "--group", freeGroup(t))
				}
			case "batch":
				own = append(own, playedBatch(t))
			case "refbox":
				own = append(own, "--dir", t.TempDir())
			case "sim":
				own = quiet("--http", "127.0.0.1:0")
			}
			r, w := io.Pipe()
			done := make(chan int, 1)
			go func() {
				done <- run(ctx, own, w, io.Discard)
				w.Close()
			}()
			printed := make([]byte, 4096)
			n, _ := r.Read(printed)
			go func() { _, _ = io.Copy(io.Discard, r) }()
			url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(string(printed[:n]))
			if url == "" {
				t.Fatalf("printed %q, want an address", printed[:n])
			}
			token := ""
			if m := regexp.MustCompile(`token=(\S+)`).FindStringSubmatch(string(printed[:n])); m != nil {
				token = m[1]
			}
			for _, page := range pagesAt(t, url) {
				for _, name := range commandsOf(t, page) {
					if answer := postCommand(ctx, t, url, name, token); strings.Contains(answer, "unknown command") {
						t.Errorf("page %s: %s: %s", page, name, answer)
					}
				}
			}
			end()
			<-done
		})
	}
}

// pagesAt returns the files of the pages that a program serves.
func pagesAt(t *testing.T, url string) (files []string) {
	t.Helper()
	answer, err := http.Get(url + "api/pages")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var all struct {
		Pages []string `json:"pages"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&all); err != nil || len(all.Pages) == 0 {
		t.Fatalf("%+v: %v", all, err)
	}
	for _, page := range all.Pages {
		if _, err := os.Stat(static + page + ".html"); err != nil {
			page = "wall" // one of its views
		}
		if !slices.Contains(files, page) {
			files = append(files, page)
		}
	}
	return files
}

// postCommand sends a command without a body and returns the answer.
func postCommand(ctx context.Context, t *testing.T, url, name, token string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, "POST", url+"api/command/"+name, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}
