package vssnet

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"connectrpc.com/connect"

	"touchline/wire/firasim"
)

// Cancelled calls leave nothing behind: the next call that completes the tick gets its vision.
func TestCancelledCalls(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Lockstep, cfg.LockstepWait, cfg.Speed = [2]bool{true, true}, 0, 0
	live, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- live.loop(ctx) }()
	defer func() {
		stop()
		live.wakeLoop()
		<-ended
	}()
	blue := firasim.Packet{HasCommands: true, Commands: []firasim.Command{{ID: 0, Left: 1, Right: 1}}}
	for range maxCalls + 10 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := live.simulate(ctx, netip.AddrPort{}, &request{packet: blue}); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled call: got %v", err)
		}
	}
	patient, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	env, err := live.simulate(patient, netip.AddrPort{}, &request{})
	if err != nil || env.Step != 16 {
		t.Errorf("call that completes the tick: got step %v, %v; want 16", env, err)
	}
}

// The number of waiting calls is limited, except for the call that completes the tick.
func TestTooManyCalls(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Lockstep, cfg.LockstepWait, cfg.Speed = [2]bool{true, true}, 0, 0
	l, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	blue := firasim.Packet{HasCommands: true, Commands: []firasim.Command{{ID: 0}}}
	l.step.note(&blue, true, time.Now())
	l.step.calls = make([]*call, maxCalls)
	if _, err := l.simulate(t.Context(), netip.AddrPort{},
		&request{packet: blue}); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("another waiting call: got %v, want ResourceExhausted", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	yellow := firasim.Packet{HasCommands: true, Commands: []firasim.Command{{ID: 0, Yellow: true}}}
	if _, err := l.simulate(gone, netip.AddrPort{}, &request{packet: yellow}); !errors.Is(err, context.Canceled) ||
		l.step.waits(l.session) {
		t.Errorf("the call that completes the tick: got %v", err)
	}
	if _, err := l.simulate(t.Context(), netip.AddrPort{},
		&request{packet: yellow}); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("another call for the same tick, which a pause may delay: got %v, want ResourceExhausted", err)
	}
}

// In lockstep the previous vision replaces lost vision, so that no client waits for ever.
func TestLostVisionInLockstep(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Lockstep, cfg.Game.Loss, cfg.Game.Latency, cfg.Speed = [2]bool{true, false}, 0.5, 80*time.Millisecond, 0
	live, err := New(cfg, slog.New(slog.DiscardHandler))
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
		if live.visionLost {
			t.Fatal("got a tick without vision")
		}
		steps = append(steps, env.Step)
	}
	repeated := 0
	for i := 1; i < len(steps); i++ {
		if steps[i] < steps[i-1] {
			t.Fatalf("got step %d after %d", steps[i], steps[i-1])
		}
		if steps[i] == steps[i-1] {
			repeated++
		}
	}
	if repeated < 50 || repeated > 150 {
		t.Errorf("got %d repetitions in 200 ticks with half of the packets lost, want 50 to 150", repeated)
	}
}
