package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

func TestCheckRefusesTeams(t *testing.T) {
	for _, n := range []string{"2", "5"} {
		c := bookingCommand()
		c.SetArgs([]string{"--check", "-n", n})
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		if err := c.Execute(); err == nil || !strings.Contains(err.Error(), "want 3 or 4 robots") {
			t.Errorf("-n %s: error %v", n, err)
		}
	}
}

// An interrupt ends the check.
func TestCheckEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := check(ctx, 3, true, io.Discard, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "interrupted: 0 of ") {
		t.Errorf("error %v, want that of the interrupt", err)
	}
}
