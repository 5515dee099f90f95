package vss

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/netip"
	"testing"
	"time"

	"connectrpc.com/connect"

	"touchline/sim"
	"touchline/wire/firasim"
)

// A client that gives up its call leaves no trace: the next one that completes the tick gets it, however many gave up.
func TestCancelledCalls(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Lockstep, cfg.LockstepWait, cfg.Speed = [2]bool{true, true}, 0, 0
	live, err := NewLive(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- live.loop(ctx) }()
	defer func() {
		stop()
		live.poke()
		<-ended
	}()
	blue := firasim.Packet{HasCommands: true, Commands: []firasim.Command{{ID: 0, Left: 1, Right: 1}}}
	for range maxCalls + 10 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := live.simulate(ctx, netip.AddrPort{}, &blue); !errors.Is(err, context.Canceled) {
			t.Fatalf("a call that nobody waits for: %v", err)
		}
	}
	patient, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	env, err := live.simulate(patient, netip.AddrPort{}, &firasim.Packet{})
	if err != nil || env.Step != 16 {
		t.Errorf("the call that completes the tick: step %v, %v", env, err)
	}
}

// Many calls may wait, but not too many; the one that all wait for always comes in.
func TestTooManyCalls(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Lockstep, cfg.LockstepWait, cfg.Speed = [2]bool{true, true}, 0, 0
	l, err := NewLive(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	blue := firasim.Packet{HasCommands: true, Commands: []firasim.Command{{ID: 0}}}
	l.step.hear(&blue, true, time.Now())
	l.step.calls = make([]*call, maxCalls)
	if _, err := l.simulate(t.Context(), netip.AddrPort{}, &blue); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("one more that waits: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	yellow := firasim.Packet{HasCommands: true, Commands: []firasim.Command{{ID: 0, Yellow: true}}}
	if _, err := l.simulate(gone, netip.AddrPort{}, &yellow); !errors.Is(err, context.Canceled) || l.step.waits(l.session) {
		t.Errorf("the one that they wait for: %v", err)
	}
	if _, err := l.simulate(t.Context(), netip.AddrPort{}, &yellow); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("one more for the same tick, which a pause may hold up for long: %v", err)
	}
}

// Vision that is lost or late holds up nobody in lockstep: the last one comes again.
func TestLostVisionInLockstep(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Lockstep, cfg.Loss, cfg.Latency, cfg.Speed = [2]bool{true, false}, 0.5, 80*time.Millisecond, 0
	live, err := NewLive(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var steps []uint32
	for range 200 {
		live.tick(time.Now())
		var env firasim.Environment
		if err := env.UnmarshalBinary(live.vision); err != nil {
			t.Fatal(err)
		}
		if live.mute {
			t.Fatal("a tick without vision")
		}
		steps = append(steps, env.Step)
	}
	repeated := 0
	for i := 1; i < len(steps); i++ {
		if steps[i] < steps[i-1] {
			t.Fatalf("step %d after %d", steps[i], steps[i-1])
		}
		if steps[i] == steps[i-1] {
			repeated++
		}
	}
	if repeated < 50 || repeated > 150 {
		t.Errorf("%d of 200 were the last one again, with half of them lost", repeated)
	}
}

// What is placed while time stands still is in the next vision, which comes without a tick.
func TestPlacedWhilePaused(t *testing.T) {
	cfg := DefaultConfig()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.Tick()
	s.Hear(netip.AddrPort{}, &firasim.Packet{HasReplacement: true, Replacement: firasim.Replacement{
		HasBall: true, Ball: firasim.BallReplacement{X: 0.2, Y: 0.1}}})
	s.Settle()
	s.Renew()
	if env, sent := s.Vision(); !sent || env.Step != 16 || env.Frame.Ball.X != 0.2 {
		t.Errorf("vision %+v, sent %t", env.Frame.Ball, sent)
	}
}

// The ball lies still at the start; FIRASim's falls (facts firasim 1: 0.133 m in the first packet).
func TestBallAtTheStart(t *testing.T) {
	cfg := DefaultConfig()
	for _, c := range []struct {
		compat Compat
		z      float64
	}{{0, ballRadius}, {CompatBallDrop, 0.133}} {
		cfg.Compat = c.compat
		s, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		s.Tick()
		var env firasim.Environment
		s.Environment(&env)
		if b := env.Frame.Ball; math.Abs(b.Z-c.z) > 0.002 || c.compat == 0 && b.VZ != 0 {
			t.Errorf("compat %q: height %.4f m, %.3f m/s; want %.3f", c.compat, b.Z, b.VZ, c.z)
		}
	}
}

// One packet cannot fill the way of the others.
func TestManyCommandsUnderWay(t *testing.T) {
	cfg := DefaultConfig()
	cfg.CommandLatency = sim.Tick
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var p firasim.Packet
	p.HasCommands = true
	for i := range 10_000 {
		p.Commands = append(p.Commands, firasim.Command{ID: uint32(i % 3), Yellow: i%2 == 1, Left: float64(i), Right: float64(i)})
	}
	s.Hear(netip.AddrPort{}, &p)
	if len(s.late) != 6 {
		t.Errorf("%d commands are under way, want one a robot", len(s.late))
	}
	s.Tick()
	s.Tick()
	if w, _ := s.engine.Wheels(0); w.Left != 9996 {
		t.Errorf("blue 0 obeys %v, want the packet's last word", w)
	}
}
