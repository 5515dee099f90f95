package match_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"touchline/match"
	"touchline/monitor"
	"touchline/transport"
	"touchline/watch"
)

// running is a live session on real sockets with a page that is looked at.
type running struct {
	live *match.Live
	page *websocket.Conn
	done chan error
	stop context.CancelFunc
}

func run(t *testing.T, cfg match.Config) *running {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0") // a port that nobody uses now
	if err != nil {
		t.Fatal(err)
	}
	port := c.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	c.Close()
	network := transport.DefaultConfig(netip.AddrPortFrom(netip.MustParseAddr("224.16.32.75"), port))
	live, err := match.NewLive(cfg, network, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	live.Page = monitor.New(monitor.DefaultConfig())
	server := httptest.NewServer(live.Page)
	page, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(server.URL, "http")+"/api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	page.SetReadLimit(1 << 20)
	if err := page.Write(ctx, websocket.MessageText, []byte(`{"subscribe":["wall","network"]}`)); err != nil {
		t.Fatal(err)
	}
	if err := live.Open(ctx); err != nil {
		t.Fatal(err)
	}
	r := &running{live, page, make(chan error, 1), cancel}
	go func() { r.done <- live.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		page.CloseNow()
		live.Page.Close()
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
	if err := r.live.Command(t.Context(), name, json.RawMessage(body)); err != nil {
		t.Fatalf("%s %s: %v", name, body, err)
	}
}

func TestLiveSession(t *testing.T) {
	r := run(t, quiet())
	live := func(w *watch.Wall) bool {
		n := 0
		for _, tile := range w.Tiles {
			if tile.State == "live" && tile.Belief.Ball != nil && len(tile.Belief.Robots) == 5 && tile.Rate > 5 {
				n++
			}
		}
		return n == 5
	}
	w := next(t, r, "wall", "wall with five live monitors", live)
	if !w.Link.Loopback || w.Link.Trouble != "" || !w.Controls {
		t.Errorf("link %+v, controls %t", w.Link, w.Controls)
	}
	r.command(t, "kick", `{"vx":3,"vy":1}`)
	next(t, r, "wall", "rolling ball", func(w *watch.Wall) bool { return w.Truth.Ball.VX > 1 })
	next(t, r, "wall", "monitors that follow the ball", func(w *watch.Wall) bool {
		b := w.Tiles[1].Belief.Ball
		return b != nil && b.VX > 1
	})
	r.command(t, "move-robot", `{"number":2,"x":-1,"y":-4,"theta":1}`)
	next(t, r, "wall", "moved robot", func(w *watch.Wall) bool { return w.Truth.Robots[1].Pose.Y == -4 })
	r.command(t, "switch", `{"number":4,"on":false}`)
	next(t, r, "wall", "monitor that is off", func(w *watch.Wall) bool { return w.Tiles[3].State == "off" })
	r.command(t, "substitute", `{"number":1}`)
	next(t, r, "wall", "substitute", func(w *watch.Wall) bool { return w.Tiles[0].Number == 6 })
	n := next(t, r, "network", "network panel", func(n *watch.Network) bool { return len(n.Senders) >= 5 })
	if n.Group != r.live.Network.Group.String() {
		t.Errorf("the panel names %s, the packets travel on %v", n.Group, r.live.Network.Group)
	}
	if n.BitsPerS < 1e4 || n.OverBudget {
		t.Errorf("%.0f bit/s, over budget: %t", n.BitsPerS, n.OverBudget)
	}

	r.command(t, "pause", `{"paused":true}`)
	stood := next(t, r, "wall", "pause", func(w *watch.Wall) bool { return w.Paused })
	if again := next(t, r, "wall", "second instant of the pause", func(*watch.Wall) bool { return true }); again.Time != stood.Time {
		t.Errorf("the clock went from %v to %v during a pause", stood.Time, again.Time)
	}
	r.command(t, "pause", `{"paused":false}`)
	next(t, r, "wall", "going on", func(w *watch.Wall) bool { return !w.Paused && w.Time > stood.Time })

	for name, body := range map[string]string{
		"dance": `{}`, "kick": `{"vx":1e300,"vy":0}`, "place-ball": `{"x":"far"}`, "switch": `{"number":300}`, "move-robot": `{"number":2,"x":99,"y":0}`,
		"move-obstacle": `{"index":77,"x":0,"y":0}`, "substitute": `[]`,
	} {
		if err := r.live.Command(t.Context(), name, json.RawMessage(body)); err == nil {
			t.Errorf("%s %s was carried out", name, body)
		}
	}
	if err := r.live.Command(t.Context(), "kick", json.RawMessage(`{"vx":1}`)); err == nil {
		t.Error("half a kick was carried out")
	}
	r.stop()
	if err := <-r.done; err != nil {
		t.Errorf("the session ended with %v", err)
	}
}
