package lab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/game"
)

// program builds touchline once for all tests.
var program = sync.OnceValues(func() (string, error) {
	var err error
	if folder, err = os.MkdirTemp("", "touchline-lab"); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "touchline")
	out, err := exec.Command("go", "build", "-o", path, "touchline/cmd/touchline").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

var folder string // of program; "" before it is built

func TestMain(m *testing.M) {
	code := m.Run()
	if folder != "" {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

// processes returns the path of touchline, or skips the test where it cannot run.
func processes(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("base stations need the addresses 127.0.39.1 and 127.0.63.1, which only Linux has by default")
	}
	if testing.Short() {
		t.Skip("it starts processes, which the race detector does not observe")
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Twenty kills of a game under load. The batch is touchline-lab refbox-kill.
func TestKill(t *testing.T) {
	cfg := DefaultKillConfig()
	cfg.Program, cfg.Kills, cfg.PerGame, cfg.Dir = processes(t), 20, 10, t.TempDir()
	calls := 0
	r, err := Kill(t.Context(), cfg, func(*KillReport) { calls++ })
	if err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	if r.Kills < 20 || r.Decisions < 20 || r.Commands == 0 || r.Worldstates == 0 || r.Failed > 0 || calls == 0 {
		t.Errorf("%+v", r)
	}
	t.Logf("%d kills, %d decisions, start %+v ms, decision %+v ms", r.Kills, r.Decisions, r.StartMillis, r.DecideMillis)
}

func TestContains(t *testing.T) {
	all := []string{"a", "b", "c", "b"}
	for _, c := range []struct {
		some string
		want bool
	}{{"", true}, {"a", true}, {"a b", true}, {"b c b", true}, {"a c", false}, {"c b a", false}, {"a b c b b", false}} {
		if got := contains(all, strings.Fields(c.some)); got != c.want {
			t.Errorf("%q: got %t, want %t", c.some, got, c.want)
		}
	}
}

func TestSpread(t *testing.T) {
	if s := spread(nil); s != (Spread{}) {
		t.Errorf("no values: %+v, want zeros", s)
	}
	var all []float64
	for i := range 101 {
		all = append(all, float64(100-i))
	}
	if s := spread(all); s != (Spread{50, 95, 99, 100}) || all[0] != 100 {
		t.Errorf("%+v", s)
	}
}

func TestSameDecision(t *testing.T) {
	sent := game.Decision{Command: game.Undo}
	recorded := game.Decision{Version: game.Version, Time: 5, Command: game.Undo, Ref: 3}
	if !sameDecision(sent, recorded) || sameDecision(sent, game.Decision{Command: game.Redo}) {
		t.Error("an UNDO differs from its record, or equals a REDO")
	}
	goal := func(side game.Side) game.Decision { return game.Decision{Command: game.Goal, Side: side} }
	if sameDecision(goal(game.Home), goal(game.Away)) {
		t.Error("goals of both teams are equal")
	}
}

// Five takeovers: the same game continues, and the base stations reconnect.
func TestTakeover(t *testing.T) {
	cfg := DefaultKillConfig()
	cfg.Program, cfg.Kills, cfg.Dir = processes(t), 5, t.TempDir()
	calls := 0
	r, err := Takeover(t.Context(), cfg, func(*TakeoverReport) { calls++ })
	if err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	if r.Takeovers != 5 || calls != 5 || r.Decisions < 5 {
		t.Errorf("%+v", r)
	}
	t.Logf("%d decisions, to the open port %+v ms, to both base stations %+v ms", r.Decisions, r.OpenMillis,
		r.BackMillis)
}

// Three seconds of a flood from both teams, 10,200 messages a second each: the log names every message, and neither the
// zip nor the restart needs more memory than the limit. The batch is touchline-lab refbox-flood.
func TestFlood(t *testing.T) {
	cfg := DefaultFloodConfig()
	cfg.Program, cfg.Duration = processes(t), 3*time.Second
	r, err := Flood(t.Context(), cfg)
	if err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	if r.Sent < 20_000 || r.Kept+r.Omitted != r.Sent || r.ZipBytes == 0 {
		t.Errorf("%+v", r)
	}
	t.Logf("%+v", r)
}
