package teamcom

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"touchline/wire/tcm"
)

// The bounds that docs/teamcom.md names are those of the code.
func TestBoundsAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../docs/teamcom.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "\n## Bounds of our node\n")
	section, _, _ = strings.Cut(section, "\n## ")
	cfg := DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: 1})
	mebi := func(bytes int) string { return fmt.Sprintf("%d MiB", bytes>>20) }
	queue := func(l Limits) string { return fmt.Sprintf("%d, %s", l.Messages, mebi(l.Bytes)) }
	millis := func(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
	for what, value := range map[string]string{
		"senders":                               fmt.Sprint(cfg.Senders),
		"incomplete messages of a sender":       fmt.Sprint(maxPartials),
		"memory of their pieces":                mebi(maxSenderBytes),
		"memory of the pieces of all senders":   mebi(maxPartialBytes),
		"a message with its parity":             fmt.Sprintf("%d pieces", maxPieces),
		"an incomplete message without a piece": millis(partialIdle),
		"streams of a sender":                   fmt.Sprint(maxStreams),
		"a number behind the newest":            fmt.Sprint(window),
		"messages that wait for a module":       queue(cfg.Modules),
		"outgoing bulk messages":                queue(cfg.Queues[tcm.Bulk]),
		"outgoing messages of another class":    queue(cfg.Queues[tcm.Command]),
		"budget of a class":                     fmt.Sprintf("%d MB/s", cfg.Budget[tcm.Bulk]/1e6),
		"buffers kept for reuse":                mebi(maxIdle),
	} {
		row := "| " + what + " | " + value + " |"
		if !strings.Contains(section, row) {
			t.Errorf("docs/teamcom.md, section \"Bounds of our node\", lacks a row that begins with %q", row)
		}
	}
}
