//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// A terminal that closes ends the program as Ctrl-C does, unless nohup started it.
func TestHangUp(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{"a terminal": `exec "$0" "$@"`, "nohup": `trap '' HUP; exec "$0" "$@"`} {
		t.Run(name, func(t *testing.T) {
			p := exec.Command("/bin/sh", "-c", script, self, "refbox", "--dir", t.TempDir(), "--json", "--score-clients", "",
				"--listen", "127.0.0.1:0", "--http", "127.0.0.1:0")
			p.Env = append(os.Environ(), asProgram+"=1")
			out, err := p.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = p.Process.Kill() }()
			var at struct{ Teams string }
			if err := json.NewDecoder(out).Decode(&at); err != nil {
				t.Fatal(err)
			}
			signal := func(s os.Signal) {
				if err := p.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			signal(syscall.SIGHUP)
			if name == "nohup" {
				for range 100 {
					answer, err := http.Get(at.Teams)
					if err != nil {
						t.Fatal(err)
					}
					answer.Body.Close()
				}
				signal(syscall.SIGTERM)
			}
			if err := p.Wait(); err != nil {
				t.Errorf("the program ends with %v", err)
			}
		})
	}
}
