package refboxnet_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"touchline/game"
	"touchline/internal/control"
	"touchline/internal/monitor"
	"touchline/internal/refbox"
	"touchline/internal/refbox/refboxnet"
	"touchline/matchlog"
	"touchline/wire/wiretest"
)

// gate is the network between the page of a referee box and its standby.
type gate struct {
	*httptest.Server
	closed atomic.Bool
}

// close cuts the network.
func (g *gate) close() {
	g.closed.Store(true)
	g.CloseClientConnections()
}

// gate returns a network to the page of a referee box.
func (f *field) gate() *gate {
	g := &gate{}
	page := f.page.Config.Handler
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.closed.Load() {
			panic(http.ErrAbortHandler)
		}
		page.ServeHTTP(w, r)
	}))
	f.t.Cleanup(g.Close)
	return g
}

// second runs a standby of a referee box behind a gate, with its page, and waits until it has copied the kick-off.
func (f *field) second(g *gate, dir string) (*refboxnet.Standby, *httptest.Server) {
	f.t.Helper()
	cfg := liveConfig(dir)
	cfg.Token = f.live.Token()
	standby, err := refboxnet.NewStandby(cfg, strings.TrimPrefix(g.URL, "http://"), slog.New(slog.DiscardHandler))
	if err != nil {
		f.t.Fatal(err)
	}
	page := monitor.DefaultConfig()
	page.Handlers = standby.Handlers(monitor.NewGuard(cfg.Token, nil).Authorised)
	server := httptest.NewServer(monitor.New(page))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- standby.Run(ctx) }()
	f.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			f.t.Errorf("the standby: %v", err)
		}
		server.Close()
	})
	wiretest.Eventually(f.t, "the game is copied", func() bool {
		v, ok := standby.Snapshot("refbox").(refbox.Show)
		return ok && v.SetPiece.Command == game.KickOff
	})
	return standby, server
}

// notes returns the notes in the newest log of a folder.
func notes(t testing.TB, dir string) string {
	t.Helper()
	paths := journals(t, dir, ".mcap")
	return strings.Join(read(t, paths[len(paths)-1], matchlog.Notes), "\n")
}

// decided makes a decision with a standby that took over, or with the referee box.
func decided(t testing.TB, box interface{ Commands() control.Table }, body string) {
	t.Helper()
	if _, err := box.Commands().Do("decide", []byte(body)); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
}

// After a takeover the first referee box shows it on its page, decides nothing any more, and closes the connections of
// its base stations.
func TestFirstBoxStops(t *testing.T) {
	f, dir := open(t, liveConfig(t.TempDir())), t.TempDir()
	station := f.dial("127.0.39.1")
	station.receives(command("WELCOME", cambada))
	decided(t, f.live, `{"command":"KICKOFF","side":"home"}`)
	standby, _ := f.second(f.gate(), dir)
	if _, err := standby.Commands().Do("promote", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "the first one has the report", func() bool {
		v, ok := f.live.Snapshot("refbox").(refbox.Show)
		return ok && v.Successor == "127.0.0.1" && v.TakenOver > 0
	})
	for _, k := range f.live.Snapshot("referee").(refbox.RefereeShow).Keys {
		if k.Why == "" {
			t.Errorf("%s is still possible at the first one", k.Command)
		}
	}
	_, err := f.live.Commands().Do("decide", []byte(`{"command":"STOP"}`))
	if err == nil || !strings.Contains(err.Error(), "another referee box, 127.0.0.1, took over at ") {
		t.Errorf("a decision of the first one: %v", err)
	}
	station.receives(command("KICKOFF", cambada))
	station.ends()
	if conn, err := net.Dial("tcp", f.live.Addr().String()); err == nil {
		conn.Close()
		t.Error("it accepts another base station")
	}
	decided(t, standby, `{"command":"STOP"}`)
	if v := standby.Snapshot("refbox").(refbox.Show); len(v.Trouble) != 0 {
		t.Errorf("the second one warns: %q", v.Trouble)
	}
	f.stop()
	if got := notes(t, f.live.Config.Dir); !strings.Contains(got, "took over at") {
		t.Errorf("the first one's log has %s", got)
	}
}

// Decisions that the first referee box made after the last copy are in the log of the one that took over.
func TestLostDecisionsAreListed(t *testing.T) {
	f, dir := open(t, liveConfig(t.TempDir())), t.TempDir()
	decided(t, f.live, `{"command":"KICKOFF","side":"home"}`)
	network := f.gate()
	standby, _ := f.second(network, dir)
	network.close()
	decided(t, f.live, `{"command":"START"}`)
	decided(t, f.live, `{"command":"STOP"}`)
	decided(t, f.live, `{"command":"GOAL","side":"away"}`)
	if _, err := standby.Commands().Do("promote", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	network.closed.Store(false)
	const lost = "decided after its last copy, and this game does not have it: START, STOP, goal Away"
	wiretest.Eventually(t, "the referee sees the lost decisions", func() bool {
		v, ok := standby.Snapshot("refbox").(refbox.Show)
		return ok && strings.Contains(strings.Join(v.Trouble, "\n"), lost)
	})
	decided(t, standby, `{"command":"STOP"}`)
	got := notes(t, dir)
	for _, want := range []string{"not in this game: START, decided at", "not in this game: goal Away, decided at"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("the log has %q, want once %q", got, want)
		}
	}
}

// The first laptop follows the second one: the decisions of its own copy, which diverged, are in the second one's log.
func TestDivergedCopyIsListed(t *testing.T) {
	dir := t.TempDir()
	first := open(t, liveConfig(dir))
	decided(t, first.live, `{"command":"KICKOFF","side":"home"}`)
	name := first.live.Snapshot("refbox").(refbox.Show).Game + ".mcap"
	copied := t.TempDir()
	network := first.gate()
	standby, page := first.second(network, copied)
	network.close()
	decided(t, first.live, `{"command":"START"}`)
	if _, err := standby.Commands().Do("promote", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	decided(t, standby, `{"command":"STOP"}`)
	first.stop()
	cfg := liveConfig(dir)
	cfg.Token = first.live.Token()
	again, err := refboxnet.NewStandby(cfg, strings.TrimPrefix(page.URL, "http://"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- again.Run(ctx) }()
	wiretest.Eventually(t, "the second one's log lists START", func() bool {
		return strings.Contains(notes(t, copied), "not in this game: START, decided at")
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if aside, err := filepath.Glob(filepath.Join(dir, name+".other-*")); err != nil || len(aside) != 1 {
		t.Errorf("set aside: %v, %v", aside, err)
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		t.Error(err)
	}
}
