package lab

import (
	"context"
	"errors"
	"net/http"
	"os/exec"
	"testing"
)

// A batch that is interrupted while its box still stops does not wait for the box.
func TestInterruptedWhileBoxStops(t *testing.T) {
	b := &boxProcess{
		command: exec.Command("sh", "-c", "trap '' INT; echo ready; read line"), ended: make(chan struct{}), client: &http.Client{},
	}
	stdin, err := b.command.StdinPipe() // keeps the process waiting
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := b.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = b.command.Wait()
		close(b.ended)
	}()
	defer b.kill()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.interrupt(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the interruption", err)
	}
}
