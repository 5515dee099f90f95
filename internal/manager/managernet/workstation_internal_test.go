package managernet

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/soccer"
)

// clock is a computer of which only the time is known.
type clock struct {
	Computer
	now soccer.Time
}

func (c *clock) Now() soccer.Time { return c.now }

// Pages that ask for changes as fast as they can write a bounded log, which says how much it leaves out.
func TestLogOfChangesIsBounded(t *testing.T) {
	var text bytes.Buffer
	at := &clock{now: soccer.Epoch}
	w := &Workstation{cfg: WorkstationConfig{Log: slog.New(slog.NewTextHandler(&text, nil))}, node: at}
	for range 500 { // 100 a second
		w.changed(manager.Change{Robot: 3, Operator: strings.Repeat("x", 32), What: "exposure", Result: "refused"})
		at.now = at.now.Add(10 * time.Millisecond)
	}
	if lines := strings.Count(text.String(), "\n"); lines > 5*maxLogged+5 || text.Len() > 10_000 {
		t.Errorf("500 changes in 5 s wrote %d lines, %d bytes", lines, text.Len())
	}
	if n := strings.Count(text.String(), `"not logged"=95`); n != 4 {
		t.Errorf("%d lines say that 95 changes are left out, want 4:\n%.2000s", n, text.String())
	}
}
