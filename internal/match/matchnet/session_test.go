package matchnet_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/monitor"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/wiretest"
)

// running is a session on real sockets with a page.
type running struct {
	session *matchnet.Session
	group   string
	page    *websocket.Conn
	done    chan error
	stop    context.CancelFunc
}

// quiet is a session without kick-ins and substitutions.
func quiet() match.Config {
	cfg := match.DefaultConfig()
	cfg.Kick, cfg.Substitute = [2]time.Duration{}, [2]time.Duration{}
	return cfg
}

// run starts a session with a page that watches its wall and its network.
func run(t *testing.T, cfg match.Config) *running {
	t.Helper()
	return runTapped(t, cfg, nil)
}

// runTapped is run, and passes the datagrams of the TCM to tap.
func runTapped(t *testing.T, cfg match.Config, tap func(*soccer.Packet)) *running {
	t.Helper()
	return runWith(t, matchnet.Config{Match: cfg, TapTCM: tap})
}

// runWith is run with more configuration. It chooses the network.
func runWith(t *testing.T, cfg matchnet.Config) *running {
	t.Helper()
	network := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:" + wiretest.FreePort(t, "udp")))
	cfg.Network = network
	s, err := matchnet.New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 7*time.Minute) // longer than any test
	pages := monitor.New(monitor.DefaultConfig())
	server := httptest.NewServer(pages)
	page, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(server.URL, "http")+"/api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	page.SetReadLimit(1 << 20)
	if err := page.Write(ctx, websocket.MessageText, []byte(`{"subscribe":["wall","network"]}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Open(ctx); err != nil {
		t.Fatal(err)
	}
	r := &running{s, network.Group.String(), page, make(chan error, 1), cancel}
	go func() { r.done <- s.Run(ctx) }()
	go pages.Every(ctx, "wall", watch.WallPeriod, s.Wall)
	go pages.Every(ctx, "network", watch.NetworkPeriod, s.Network)
	t.Cleanup(func() {
		cancel()
		page.CloseNow()
		pages.Close()
		server.Close()
	})
	return r
}

// next reads the page's topic until a value satisfies want.
func next[T any](t *testing.T, r *running, topic string, what string, want func(*T) bool) *T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		_, b, err := r.page.Read(ctx)
		if err != nil {
			t.Fatalf("no %s: %v", what, err)
		}
		var m struct {
			Topic string
			Value json.RawMessage
		}
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		if m.Topic != topic {
			continue
		}
		v := new(T)
		if err := json.Unmarshal(m.Value, v); err != nil {
			t.Fatal(err)
		}
		if want(v) {
			return v
		}
	}
}

func (r *running) command(t *testing.T, name, body string) {
	t.Helper()
	if _, err := r.session.Commands().Do(name, json.RawMessage(body)); err != nil {
		t.Fatalf("%s %s: %v", name, body, err)
	}
}

// The page can cut robots off, let one crash and start again, and have one sent off.
func TestTrouble(t *testing.T) {
	r := run(t, quiet())
	hears := func(robot, mate string) bool {
		for _, report := range r.session.Teamcom() {
			for _, l := range report.Links {
				if report.Entity == robot && l.Peer == mate && l.Up {
					return true
				}
			}
		}
		return false
	}
	robots := func(n int) func(w *watch.Wall) bool {
		return func(w *watch.Wall) bool { return len(w.Tiles[1].Belief.Robots) == n }
	}
	next(t, r, "wall", "robots that hear each other", robots(5))
	wiretest.Eventually(t, "robot 2 hears robots 1 and 3", func() bool {
		return hears("robot:2", "robot:1") && hears("robot:2", "robot:3")
	})
	r.command(t, "partition", `{"robots":[2,3]}`)
	next(t, r, "wall", "a robot that receives one other's packages", robots(2))
	wiretest.Eventually(t, "robot 2 hears robot 3 alone", func() bool {
		return !hears("robot:2", "robot:1") && !hears("robot:1", "robot:2") && hears("robot:2", "robot:3") &&
			hears("robot:1", "robot:4") && hears("robot:2", "computer:1")
	})
	r.command(t, "partition", `{"robots":[]}`)
	next(t, r, "wall", "a network that is whole again", robots(5))
	r.command(t, "penalise", `{"number":2,"on":true}`)
	next(t, r, "wall", "a penalised robot", func(w *watch.Wall) bool { return w.Tiles[1].Penalised && !w.Tiles[0].Penalised })
	r.command(t, "crash", `{"number":2}`)
	next(t, r, "wall", "a crashed robot", func(w *watch.Wall) bool { return w.Tiles[1].State == "off" })
	next(t, r, "wall", "a robot that started again", func(w *watch.Wall) bool { return w.Tiles[1].State == "live" })
}

func TestSession(t *testing.T) {
	r := run(t, quiet())
	allLive := func(w *watch.Wall) bool {
		n := 0
		for _, tile := range w.Tiles {
			if tile.State == "live" && tile.Belief.Ball != nil && len(tile.Belief.Robots) == 5 && tile.Rate > 5 {
				n++
			}
		}
		return n == 5
	}
	w := next(t, r, "wall", "wall with five live tiles", allLive)
	if !w.Link.Loopback || w.Link.Trouble != "" || !w.Controls {
		t.Errorf("link %+v, controls %t", w.Link, w.Controls)
	}
	r.command(t, "kick", `{"vx":3,"vy":1}`)
	next(t, r, "wall", "rolling ball", func(w *watch.Wall) bool { return w.Truth.Ball.VX > 1 })
	next(t, r, "wall", "robots that follow the ball", func(w *watch.Wall) bool {
		b := w.Tiles[1].Belief.Ball
		return b != nil && b.VX > 1
	})
	r.command(t, "move-robot", `{"number":2,"x":-1,"y":-4,"theta":1}`)
	next(t, r, "wall", "moved robot", func(w *watch.Wall) bool { return w.Truth.Robots[1].Pose.Y == -4 })
	r.command(t, "switch", `{"number":4,"on":false}`)
	next(t, r, "wall", "robot that is off", func(w *watch.Wall) bool { return w.Tiles[3].State == "off" })
	r.command(t, "substitute", `{"number":1}`)
	next(t, r, "wall", "substitute", func(w *watch.Wall) bool { return w.Tiles[0].Number == 6 })
	n := next(t, r, "network", "network panel", func(n *watch.Network) bool { return len(n.Senders) >= 5 && n.BitsPerS >= 1e4 })
	if n.Group != r.group {
		t.Errorf("the panel names %s, want %s", n.Group, r.group)
	}
	if n.OverBudget {
		t.Errorf("%.0f bit/s are over the budget", n.BitsPerS)
	}

	r.command(t, "pause", `{"paused":true}`)
	stood := next(t, r, "wall", "pause", func(w *watch.Wall) bool { return w.Paused })
	if again := next(t, r, "wall", "second wall during the pause",
		func(*watch.Wall) bool { return true }); again.Time != stood.Time {
		t.Errorf("the clock advanced from %v to %v during a pause", stood.Time, again.Time)
	}
	r.command(t, "pause", `{"paused":false}`)
	next(t, r, "wall", "resumed session", func(w *watch.Wall) bool { return !w.Paused && w.Time > stood.Time })

	for name, body := range map[string]string{
		"dance": `{}`, "kick": `{"vx":1e300,"vy":0}`, "place-ball": `{"x":"far"}`, "switch": `{"number":300}`, "move-robot": `{"number":2,"x":99,"y":0}`,
		"move-obstacle": `{"index":77,"x":0,"y":0}`, "substitute": `[]`, "pause": `{"stopped":true}`, "crash": `{"number":0}`, "penalise": `{"number":9,"on":true}`,
		"partition": `{"robots":[-255]}`,
	} {
		if _, err := r.session.Commands().Do(name, json.RawMessage(body)); err == nil {
			t.Errorf("%s %s was executed", name, body)
		}
	}
	if _, err := r.session.Commands().Do("kick", json.RawMessage(`{"vx":1}`)); err == nil {
		t.Error("a kick with vx alone was executed")
	}
	r.stop()
	if err := <-r.done; err != nil {
		t.Errorf("the session ended with %v", err)
	}
}

// Errors of commands name the key, what is accepted there, and no identifier of the program.
func TestCommandErrors(t *testing.T) {
	r := run(t, quiet())
	for _, c := range []struct{ name, body, want string }{
		{"kick", `{"vx":"fast","vy":1}`, `kick, key "vx": want a number`},
		{"kick", `{"vx":1}`, "want both vx and vy"},
		{"kick", `{"vx":20,"vy":0}`, "at most 12 m/s"},
		{"place-ball", `{"z":1}`, `place-ball: unknown key "z"`},
		{"switch", `{"number":300}`, `switch, key "number": want a whole number from 0 to 255`},
		{"switch", `{"number":9,"on":true}`, "robot 9 is not on the field"},
		{"substitute", `[1]`, "substitute is not a JSON object"},
		{"pause", `{"paused":1}`, `pause, key "paused": want true or false`},
		{"dance", `{}`, `unknown command "dance": want one of again, crash, figure, kick`},
	} {
		if _, err := r.session.Commands().Do(c.name, json.RawMessage(c.body)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got error %v, want %q", c.name, c.body, err, c.want)
		}
	}
}
