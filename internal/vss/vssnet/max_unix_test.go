//go:build unix

package vssnet

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net"
	"syscall"
	"testing"
	"time"

	"touchline/sim"
	"touchline/wire/firasim"
	"touchline/wire/wiretest"
)

// openMax opens a simulator at the highest speed that ends after some ticks, with two groups of its own.
func openMax(tb testing.TB, ticks int, vision ...string) *Server {
	tb.Helper()
	cfg := DefaultConfig()
	cfg.Speed, cfg.Duration, cfg.Commands, cfg.Vision = 0, time.Duration(ticks)*sim.Tick, "127.0.0.1:0", vision
	cfg.RefereeGroup, cfg.PlacementGroup = "224.5.23.2:"+wiretest.FreePort(tb, "udp"), "224.5.23.2:"+wiretest.FreePort(tb, "udp")
	s, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Open(); err != nil {
		tb.Fatal(err)
	}
	return s
}

// At the highest speed each tick is a packet of its own, in order, and none is held back at the end.
func TestEveryTickAtTheHighestSpeed(t *testing.T) {
	const ticks = 3*maxHeld + 5
	ear, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	s := openMax(t, ticks, ear.LocalAddr().String())
	for id := range uint32(3) {
		s.session.Receive(s.net.at, &firasim.Packet{HasCommands: true, Commands: []firasim.Command{{ID: id, Left: 30, Right: 9}}})
	}
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, firasim.MaxVision+1)
	var env firasim.Environment
	for tick := range uint32(ticks) {
		if err := ear.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		n, err := ear.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		if err := env.UnmarshalBinary(buf[:n]); err != nil || env.Step != 16*(tick+1) || n > firasim.MaxVision {
			t.Fatalf("tick %d: step %d in %d bytes, %v", tick, env.Step, n, err)
		}
	}
	if n := s.Summary().Out; n != ticks {
		t.Errorf("%d packets sent, want %d", n, ticks)
	}
}

// A client that answers gets vision at once, not together with that of later ticks.
func TestClientsThatAnswerGetVisionAtOnce(t *testing.T) {
	s := openMax(t, 1, "127.0.0.1:"+wiretest.FreePort(t, "udp"))
	defer s.Close()
	for i, c := range []struct {
		received uint64
		sent     uint64
	}{{0, 0}, {0, 0}, {1, 3}, {1, 3}, {1, 3}, {2, 6}} {
		s.received.Store(c.received)
		s.holdVision(s.vision, false)
		if n := s.sent.Load(); n != c.sent {
			t.Errorf("tick %d: %d packets sent, want %d", i, n, c.sent)
		}
	}
	for _, size := range []int{1, 1, -1, 1, 0} { // of a burst, only the last one may be shorter
		b := append([]byte{}, s.vision[:len(s.vision)-1]...)
		s.holdVision(append(b, make([]byte, 1+size)...), false)
	}
	if n := s.sent.Load(); n != 6+3 {
		t.Errorf("%d packets sent, want 9: the last two may leave together", n)
	}
}

// BenchmarkMax reports the ticks a second of processor time at the highest speed, with vision to two groups and a
// client that drives all robots 1,000 times a second with random wheels: with vision of each tick sent at once, and held.
func BenchmarkMax(b *testing.B) {
	for _, c := range []struct {
		name string
		most int
	}{{"at-once", 1}, {"held", maxHeld}} {
		b.Run(c.name, func(b *testing.B) {
			const ticks = 50_000
			used := 0.0
			for b.Loop() {
				s := openMax(b, ticks, "224.0.0.1:"+wiretest.FreePort(b, "udp"), "224.0.0.1:"+wiretest.FreePort(b, "udp"))
				s.held.most = c.most
				ctx, cancel := context.WithCancel(context.Background())
				go driveAll(ctx, b, s.net.at.String())
				before := processorTime(b)
				if err := s.Run(ctx); err != nil {
					b.Error(err)
				}
				used += processorTime(b) - before
				cancel()
			}
			b.ReportMetric(ticks*float64(b.N)/used, "ticks/cpu-s")
		})
	}
}

// driveAll sends random wheel speeds for all robots until ctx ends.
func driveAll(ctx context.Context, b *testing.B, to string) {
	conn, err := net.Dial("udp", to)
	if err != nil {
		b.Error(err)
		return
	}
	defer conn.Close()
	random := rand.New(rand.NewPCG(1, 1))
	every := time.NewTicker(time.Millisecond)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		p := firasim.Packet{HasCommands: true}
		for i := range uint32(6) {
			p.Commands = append(p.Commands, firasim.Command{
				ID: i % 3, Yellow: i >= 3, Left: random.Float64()*120 - 60, Right: random.Float64()*120 - 60,
			})
		}
		data, err := p.AppendBinary(nil)
		if err != nil {
			b.Error(err)
			return
		}
		_, _ = conn.Write(data) // the simulator has ended
	}
}

// processorTime returns the seconds of processor time that this program has used.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
