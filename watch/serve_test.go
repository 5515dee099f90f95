package watch_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"touchline/monitor"
	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/watch"
	"touchline/wire/mixedteam"
)

// TestServe sends packages of two robots and garbage on a real group, and reads what the page is told.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	network := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:0"))
	r, err := transport.Listen(network)
	if err != nil {
		t.Fatal(err)
	}
	network.Group = netip.MustParseAddrPort(r.Channel())
	server := monitor.New(monitor.DefaultConfig())
	web := httptest.NewServer(server)
	defer web.Close()
	defer server.Close()
	page, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(web.URL, "http")+"/api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer page.CloseNow()
	page.SetReadLimit(1 << 20)
	if err := page.Write(ctx, websocket.MessageText, []byte(`{"subscribe":["wall"]}`)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- watch.Serve(ctx, r, network, soccer.MSL22x14(), server, "", slog.New(slog.DiscardHandler))
	}()

	robots := map[uint8]*transport.Sender{}
	for _, n := range []uint8{2, 3, 99} {
		if robots[n], err = transport.Dial(network); err != nil {
			t.Fatal(err)
		}
		defer robots[n].Close()
	}
	send := func(millis uint32) {
		for _, n := range []uint8{2, 3} {
			b, err := mixedteam.Append(nil, &mixedteam.Header{
				Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: millis, TeamID: 63, Robot: n,
			}, &soccer.Percepts{
				Self:  soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: float64(n)}, Confidence: 1},
				Balls: []soccer.Observation{{Position: soccer.Vec3{X: -2, Y: 1}, Confidence: 0.9}},
			})
			if err == nil {
				err = robots[n].Send(b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := robots[99].Send([]byte("not for us")); err != nil {
			t.Fatal(err)
		}
	}
	for millis := uint32(1000); ; millis += 33 { // one round of packages for each wall that comes
		send(millis)
		_, b, err := page.Read(ctx)
		if err != nil {
			t.Fatalf("the page was not told of two robots and their ball: %v", err)
		}
		var m struct{ Value watch.Wall }
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		w := m.Value
		if len(w.Tiles) == 2 && w.Fused != nil && w.Fused.Ball != nil && len(w.Fused.Robots) == 2 {
			if w.Truth != nil || w.Controls || w.Silence != nil || w.Session != "monitor" || w.Field.Length != 22 {
				t.Errorf("wall %+v", w)
			}
			if tile := w.Tiles[0]; !tile.Real || tile.Number != 2 || tile.Team != "Tech United Eindhoven" || tile.Belief.Ball == nil {
				t.Errorf("tile %+v", tile)
			}
			break
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestSilenceHelps(t *testing.T) {
	if s := watch.SilenceOf(4*time.Second, "lo", ""); s != nil {
		t.Errorf("after 4 s the page says %+v", s)
	}
	s := watch.SilenceOf(5*time.Second, "lo", " --field 22x14")
	if s == nil || s.Seconds != 5 {
		t.Fatalf("after 5 s the page says %+v", s)
	}
	wanted := ""
	all, err := transport.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		has4 := slices.ContainsFunc(i.Addrs, netip.Addr.Is4)
		if wanted == "" && i.Name != "lo" && i.Up && i.Multicast && has4 {
			wanted = "touchline monitor --interface " + i.Name + " --field 22x14"
		}
	}
	if s.Command != wanted {
		t.Errorf("the page offers %q, want %q", s.Command, wanted)
	}
	if slices.ContainsFunc(s.Interfaces, func(i watch.Interface) bool { return i.Name == "lo" }) {
		t.Error("the interface in use is offered as another one")
	}
}

// A source that floods is held back, so that the others are heard.
func TestEarHoldsAFloodBack(t *testing.T) {
	memory, err := transport.NewMemory(traffic.Link{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	group := netip.MustParseAddrPort("224.16.32.75:2005")
	listen := func() *transport.MemoryConn {
		c, err := memory.Listen(group)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	own, flooder, robot := listen(), listen(), listen()
	ctx, cancel := context.WithCancel(t.Context())
	ear, done := watch.NewEar(), make(chan error, 1)
	guard := traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
	go func() { done <- ear.Listen(ctx, 3, transport.NewReceiver(own, "memory"), guard) }()
	flood, one := transport.NewSender(flooder, group), transport.NewSender(robot, group)
	for range 1000 {
		if err := flood.Send(make([]byte, 5000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.Send([]byte("robot")); err != nil {
		t.Fatal(err)
	}
	floods := 0
	for h := range ear.C {
		if h.To != 3 {
			t.Fatalf("read for %d, want 3", h.To)
		}
		if string(h.Packet.Data) == "robot" {
			ear.Done(h)
			break
		}
		if h.Packet.FullSize() != 5000 || len(h.Packet.Data) != 2048 {
			t.Fatalf("%d bytes of %d are kept, want 2048 of 5000", len(h.Packet.Data), h.Packet.FullSize())
		}
		floods++
		ear.Done(h)
	}
	if floods > 2*traffic.GuardBurst {
		t.Errorf("%d of 1000 packets of a flood came through, want a burst of %d", floods, traffic.GuardBurst)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("it ended with %v", err)
	}
}
