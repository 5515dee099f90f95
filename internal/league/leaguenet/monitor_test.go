package leaguenet_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/hslgame"
	"touchline/internal/hslgame/hslgamenet"
	"touchline/internal/league/leaguenet"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire/hsl"
	"touchline/wire/wiretest"
)

// shift returns what to add to the league's ports, which other programs of this machine may use.
func shift(t *testing.T) uint16 {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	by := conn.LocalAddr().(*net.UDPAddr).Port - hsl.ControlPort
	if by > 50_000 { // the highest port of the league is 10000 + a team
		by -= 20_000
	}
	return uint16(by)
}

// tape counts what a log would get.
type tape struct {
	t       *testing.T
	mu      sync.Mutex
	packets map[hsl.Kind]int
	states  int
}

func (r *tape) packet(p *soccer.Packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to := netip.MustParseAddrPort(p.Channel)
	kind, _ := hsl.Identify(to.Port(), p.Data)
	r.packets[kind]++
}

func (r *tape) state(_ soccer.Time, data []byte) {
	var st game.State
	if err := json.Unmarshal(data, &st); err != nil {
		r.t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states++
}

// check finds messages of each kind, and states.
func (r *tape) check() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, kind := range []hsl.Kind{hsl.KindControl, hsl.KindTrueState, hsl.KindForward, hsl.KindTeam} {
		if r.packets[kind] == 0 {
			r.t.Errorf("no %v in the log", kind)
		}
	}
	if r.states == 0 {
		r.t.Error("no state in the log")
	}
}

// TestMonitor plays a game of a GameController for tests on real sockets: the monitor asks for the true state, shows the
// robots and the score, counts the teams' messages, and passes packets and states to a log.
func TestMonitor(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	quiet := slog.New(slog.DiscardHandler)
	server := hslgamenet.Config{Game: hslgame.DefaultConfig(), Shift: shift(t)}
	server.Game.Robots, server.Game.Players, server.Game.Half = true, 3, time.Minute
	s, err := hslgamenet.Open(server, quiet)
	if err != nil {
		t.Fatal(err)
	}
	log := &tape{t: t, packets: map[hsl.Kind]int{}}
	m, err := leaguenet.OpenHSL(leaguenet.Config{Shift: server.Shift, Tap: log.packet, State: log.state}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	go func() { done <- s.Run(ctx) }()
	go func() { done <- m.Run(ctx) }()

	var w *watch.Wall
	wiretest.Eventually(t, "the wall shows six robots and the score", func() bool {
		w = m.Wall("wall").(*watch.Wall)
		g := w.Game
		return len(w.Tiles) == 6 && g.Part != "" && g.Home.Heard > 0 && g.Away.Heard > 0 && *g.Home.Left < hsl.Budget
	})
	if w.Silence != nil || !w.Link.Loopback || w.Game.Home.Number != 5 {
		t.Errorf("wall %+v", w)
	}
	n := m.Network("network").(watch.Network)
	if len(n.Senders) != 10 || n.Drops > 0 { // robots, two kinds of states, two teams
		t.Errorf("network %+v", n)
	}
	if v, ok := m.Packets("packets/" + w.Tiles[0].Sender).(watch.PacketView); !ok || len(v.Packets) == 0 {
		t.Errorf("packets of %s: %+v", w.Tiles[0].Sender, v)
	}
	if v := m.Packets("packets/nobody"); v != nil {
		t.Errorf("packets of an unknown sender: %+v", v)
	}
	r := s.Report()
	if len(r.Monitors) != 1 {
		t.Errorf("monitors %q", r.Monitors)
	}
	log.check()
	// Once the monitor's own address sends a return message, it gets
	// the true state no more.
	to := net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(hsl.ReturnPort + server.Shift)}
	for _, own := range r.Monitors {
		robot, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.ParseIP(own)}, &to)
		if err != nil {
			t.Fatal(err)
		}
		defer robot.Close()
		if _, err := robot.Write([]byte("RGrt\x04\x01\x05")); err != nil {
			t.Fatal(err)
		}
	}
	wiretest.Eventually(t, "the monitor is told why nothing comes", func() bool {
		for _, note := range m.Wall("wall").(*watch.Wall).Game.Notes {
			if note.Short == "no answer" {
				return true
			}
		}
		return false
	})
	if r := s.Report(); r.OK || len(r.Monitors) > 0 || !strings.Contains(r.Others[0].Text, "127.0.0.") {
		t.Errorf("report %+v", r)
	}
	cancel()
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestPortTaken names the program that is in the way.
func TestPortTaken(t *testing.T) {
	cfg := hslgamenet.Config{Game: hslgame.DefaultConfig(), Shift: shift(t)}
	s, err := hslgamenet.Open(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = hslgamenet.Open(cfg, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "--shift-ports") {
		t.Errorf("error %v", err)
	}
	// Monitors share their ports.
	for range 2 {
		m, err := leaguenet.OpenHSL(leaguenet.Config{Shift: cfg.Shift}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
	}
	if _, err := leaguenet.OpenHSL(leaguenet.Config{Interface: "nowhere0"}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("an unknown interface is accepted")
	}
}
