package vss

import (
	"math"
	"net/netip"
	"strconv"
	"testing"

	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// A placement in a pause is in the next vision, without a tick.
func TestPlacedWhilePaused(t *testing.T) {
	cfg := DefaultConfig()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.Tick()
	s.Receive(netip.AddrPort{}, &firasim.Packet{HasReplacement: true, Replacement: firasim.Replacement{
		HasBall: true, Ball: firasim.BallReplacement{X: 0.2, Y: 0.1}}})
	s.ApplyPlacements()
	s.RefreshVision()
	if env, sent := s.Vision(); !sent || env.Step != 16 || env.Frame.Ball.X != 0.2 {
		t.Errorf("got ball %+v, sent %t; want x = 0.2 at step 16", env.Frame.Ball, sent)
	}
}

// The ball is at rest at the start. In FIRASim it falls, and is 0.133 m high in the first packet.
func TestBallAtTheStart(t *testing.T) {
	cfg := DefaultConfig()
	for _, c := range []struct {
		compat Compat
		z      float64
	}{{0, soccer.VSSBallRadius}, {CompatBallDrop, 0.133}} {
		cfg.Compat = c.compat
		s, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		s.Tick()
		var env firasim.Environment
		s.Environment(&env)
		if b := env.Frame.Ball; math.Abs(b.Z-c.z) > 0.002 || c.compat == 0 && b.VZ != 0 {
			t.Errorf("compat %b: got height %.4f m, %.3f m/s; want %.3f m", c.compat, b.Z, b.VZ, c.z)
		}
	}
}

// One packet cannot fill the queue.
func TestManyCommandsInFlight(t *testing.T) {
	cfg := DefaultConfig()
	cfg.CommandLatency = sim.Tick
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var p firasim.Packet
	p.HasCommands = true
	for i := range 10_000 {
		p.Commands = append(p.Commands, firasim.Command{ID: uint32(i % 3), Yellow: i%2 == 1, Left: float64(i),
			Right: float64(i)})
	}
	s.Receive(netip.AddrPort{}, &p)
	if len(s.queue) != 6 {
		t.Errorf("got %d commands in flight, want one a robot", len(s.queue))
	}
	s.Tick()
	s.Tick()
	if w, _ := s.engine.Wheels(0); w.Left != 9996 {
		t.Errorf("blue 0: got wheels %v, want the last command of the packet", w)
	}
}

// NewMarks returns each event once, and the last ones if there were more than are kept.
func TestNewMarks(t *testing.T) {
	s, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for round, n := range []int{0, 2, 0, maxMarks + 3, 1} {
		for i := range n {
			s.Mark("reset", strconv.Itoa(i))
		}
		got := s.NewMarks()
		if len(got) != min(n, maxMarks) || n > 0 && got[len(got)-1].Text != strconv.Itoa(n-1) {
			t.Errorf("round %d: got %d events, want the last ones of %d", round, len(got), n)
		}
	}
}
