package watchnet_test

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

	"touchline/internal/monitor"
	"touchline/internal/watch"
	"touchline/internal/watch/watchnet"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/mixedteam"
	"touchline/wire/wiretest"
)

// TestMonitor sends packages of two robots and garbage to a real group and reads the wall of the page.
func TestMonitor(t *testing.T) {
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
	m := watchnet.New(watchnet.Config{Network: network, Field: soccer.MSL22x14()}, r, slog.New(slog.DiscardHandler))
	go func() { done <- m.Run(ctx) }()
	go server.Every(ctx, "wall", watch.WallPeriod, m.Wall)

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
		if err := robots[99].Send([]byte("garbage")); err != nil {
			t.Fatal(err)
		}
	}
	for millis := uint32(1000); ; millis += 33 { // one round of packages for each wall received
		send(millis)
		_, b, err := page.Read(ctx)
		if err != nil {
			t.Fatalf("the page did not receive two robots and their ball: %v", err)
		}
		var topic struct{ Value watch.Wall }
		if err := json.Unmarshal(b, &topic); err != nil {
			t.Fatal(err)
		}
		w := topic.Value
		if len(w.Tiles) == 2 && w.Fused != nil && w.Fused.Ball != nil && len(w.Fused.Robots) == 2 {
			if w.Truth != nil || w.Controls || w.Silence != nil || w.Session != "monitor" || w.Field.Length != 22 {
				t.Errorf("wall %+v", w)
			}
			if tile := w.Tiles[0]; !tile.Real || tile.Number != 2 || tile.Team != "Tech United Eindhoven" ||
				tile.Belief.Ball == nil {
				t.Errorf("tile %+v", tile)
			}
			break
		}
	}
	var n watch.Network
	wiretest.Eventually(t, "the network panel has three senders", func() bool {
		n = m.Network("network").(watch.Network)
		return len(n.Senders) == 3
	})
	if n.Group != network.Group.String() {
		t.Errorf("the network panel is of %s, want %s", n.Group, network.Group)
	}
	if v, ok := m.Packets("packets/" + n.Senders[0].Key).(watch.PacketView); !ok || len(v.Packets) == 0 {
		t.Errorf("packets of %s: %+v", n.Senders[0].Key, v)
	}
	if v := m.Packets("packets/nobody"); v != nil {
		t.Errorf("packets of an unknown sender: %+v, want nil", v)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}

// After 5 s of silence the page offers the command for another interface.
func TestSilence(t *testing.T) {
	if s := watchnet.SilenceOf(4*time.Second, "lo", ""); s != nil {
		t.Errorf("after 4 s: got %+v, want nil", s)
	}
	s := watchnet.SilenceOf(5*time.Second, "lo", " --field 22x14")
	if s == nil || s.Seconds != 5 {
		t.Fatalf("after 5 s: got %+v, want 5 s", s)
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
		t.Errorf("got the command %q, want %q", s.Command, wanted)
	}
	if slices.ContainsFunc(s.Interfaces, func(i watch.Interface) bool { return i.Name == "lo" }) {
		t.Error("the interface in use is among the other ones")
	}
}
