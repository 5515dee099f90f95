package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// asProgram is the variable that makes the test binary run as touchline.
const asProgram = "TOUCHLINE_AS_PROGRAM"

// TestMain runs touchline where a test asks for that or a session starts a robot, and a parent of robots where a test asks
// for one.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" || len(os.Args) > 1 && slices.Contains([]string{"robot", "version"}, os.Args[1]) {
		main()
		return
	}
	if group := os.Getenv("TOUCHLINE_TEST_PARENT"); group != "" {
		parent(group)
	}
	os.Exit(m.Run())
}

func TestVersion(t *testing.T) {
	out, _, code := touchline(t, "version", "--json")
	var v Version
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != 0 || v.Version == "" || v.Compiler != runtime.Version() ||
		v.OS != runtime.GOOS || v.Arch != runtime.GOARCH {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if out, _, code := touchline(t, args...); code != 0 || out != v.String()+"\n" {
			t.Errorf("%q: exit %d, printed %q, want %q", args, code, out, v.String())
		}
	}
	program, err := programOf(t.Context())
	if own, _ := thisProgram(); err != nil || program != own || own.Behaviour == "" {
		t.Errorf("%v, %v, want %v", program, err, own)
	}
}

// Bash completes commands, flags, and the values of flags.
func TestBashCompletion(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n" + asProgram + "=1 exec '" + program + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "touchline"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	const complete = `
source <(touchline completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$* COMPREPLY=()
COMP_POINT=${#COMP_LINE}
__start_touchline
echo "${COMPREPLY[*]}"`
	for line, want := range map[string]string{
		"re":                       "record refbox replay report",
		"sim v":                    "vss",
		"demo --pack":              "--package",
		"demo --package ":          "falcons v1 v2",
		"station --color m":        "magenta",
		"sim vss --physics r":      "rsim",
		"refbox --hom":             "--home",
		"completion ":              "bash zsh fish powershell",
		"check --kind mi":          "mixed-team",
		"monitor --field 2":        "22x14",
		"match --home touchline-n": "touchline-nobooking touchline-nearest",
		"demo --booking l":         "lease literal",
		"--vision ":                "sensor pixels",
		"refbox --home t":          "",
		"match --seed ":            "",
		"sim vss --yellow ":        "still weak medium builtin",
	} {
		args := append([]string{"-c", complete, "bash", "touchline"}, strings.Split(line, " ")...)
		c := exec.Command("bash", args...)
		c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := c.Output() // compopt complains outside an interactive completion
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("touchline %s: completed by %q, %v; want %q", line, out, err, want)
		}
	}
	for _, shell := range []string{"zsh", "fish", "powershell"} {
		if out, errs, code := touchline(t, "completion", shell); code != 0 || !strings.Contains(out, "__complete") {
			t.Errorf("%s: exit %d: %s", shell, code, errs)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"completion", "bash", "zsh"}} {
		if out, errs, code := touchline(t, args...); code != 2 || out != "" || !strings.Contains(errs, "want bash, zsh, fish or powershell") {
			t.Errorf("%q: exit %d: %s%s", args, code, out, errs)
		}
	}
}
