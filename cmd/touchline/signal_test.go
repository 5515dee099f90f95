//go:build unix

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// A terminal that closes ends the program as Ctrl-C does, unless nohup started it.
func TestHangUp(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP) // programs that the test starts ignore no signal that it catches
	defer signal.Stop(caught)
	for name, script := range map[string]string{"a terminal": `exec "$0" "$@"`, "nohup": `trap '' HUP; exec "$0" "$@"`} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // kills a program that goes on
			defer cancel()
			p := exec.CommandContext(ctx, "/bin/sh", "-c", script, self, "refbox", "--dir", t.TempDir(), "--json", "--score-clients", "",
				"--listen", "127.0.0.1:0", "--http", "127.0.0.1:0")
			p.Env = append(os.Environ(), asProgram+"=1")
			out, err := p.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			var at struct{ Teams string }
			if err := json.NewDecoder(out).Decode(&at); err != nil {
				t.Fatal(err)
			}
			send := func(s os.Signal) {
				if err := p.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			send(syscall.SIGHUP)
			if name == "nohup" {
				for range 100 {
					answer, err := http.Get(at.Teams)
					if err != nil {
						t.Fatal(err)
					}
					answer.Body.Close()
				}
				send(syscall.SIGTERM)
			}
			if err := p.Wait(); err != nil {
				t.Errorf("the program ends with %v", err)
			}
		})
	}
}
