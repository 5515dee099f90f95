package vssnet

import (
	"bytes"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/internal/vss"
	"touchline/wire/firasim"
)

// After a stall the schedule continues without a burst, and a late tick does not delay the next ones.
func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		speed float64
		late  time.Duration
		wait  time.Duration // after the late tick
	}{
		{1, 0, 16 * time.Millisecond},
		{1, 5 * time.Millisecond, 11 * time.Millisecond},
		{1, 15 * time.Millisecond, time.Millisecond},
		{1, time.Minute, 16 * time.Millisecond},
		{2, 3 * time.Millisecond, 5 * time.Millisecond},
		{0.5, time.Hour, 32 * time.Millisecond},
		{100, time.Hour, 160 * time.Microsecond},
	} {
		cfg := DefaultConfig()
		cfg.Speed = c.speed
		l, err := New(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		l.due = time.Unix(1000, 0)
		now := l.due.Add(c.late)
		if wait, _, _ := l.nextTick(now); wait > 0 {
			t.Fatalf("%v late: got no tick", c.late)
		}
		l.tick(now)
		if wait, _, _ := l.nextTick(now); wait != c.wait {
			t.Errorf("at speed %g, %v late: got the next tick after %v, want %v", c.speed, c.late, wait, c.wait)
		}
	}
	cfg := DefaultConfig()
	cfg.Game.Compat = vss.CompatClock
	l, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if p := l.period(); p != 17*time.Millisecond {
		t.Errorf("with the defect clock: got %v a tick, want 17 ms", p)
	}
}

// A target that vision cannot be sent to is logged once and shown while that lasts. Others get their vision.
func TestVisionTargetFails(t *testing.T) {
	var log bytes.Buffer
	l, err := New(DefaultConfig(), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ear, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	for range 2 {
		if err := l.openVision(ear.LocalAddr().String()); err != nil {
			t.Fatal(err)
		}
	}
	l.net.vision[0].sender.Close()
	for range 5 {
		l.holdVision(l.vision, true)
	}
	if v := l.Show(); !strings.Contains(v.Trouble, "vision cannot be sent to "+ear.LocalAddr().String()) ||
		strings.Count(log.String(), "\n") != 1 {
		t.Errorf("got %q on the page and %q in the log", v.Trouble, log.String())
	}
	if n := l.sent.Load(); n != 5 {
		t.Errorf("got %d packets to the other target, want 5", n)
	}
	l.net.vision[0].sender = l.net.vision[1].sender
	l.holdVision(l.vision, true)
	if v := l.Show(); v.Trouble != "" {
		t.Errorf("got %q on the page after sending works again, want nothing", v.Trouble)
	}
	l.Close()
}

// A team that places a few times, or also sends commands, is not taken for a referee. A reset forgets its commands.
func TestTakenForReferee(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Referee = true
	from := netip.MustParseAddrPort("127.0.0.1:4000")
	place := &firasim.Packet{HasReplacement: true}
	drive := &firasim.Packet{HasCommands: true, Commands: []firasim.Command{{}}}
	for _, c := range []struct {
		name          string
		every         time.Duration
		drives, reset bool
		want          bool
	}{
		{name: "60 a second", every: time.Second / 60, want: true},
		{name: "4 a second", every: time.Second / 4},
		{name: "60 a second and commands", every: time.Second / 60, drives: true},
		{name: "60 a second, commands before the reset", every: time.Second / 60, drives: true, reset: true,
			want: true},
	} {
		l, err := New(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(1000, 0)
		if c.drives {
			l.noteClient(from, drive, nil, now)
		}
		if c.reset {
			if err := l.reset(); err != nil {
				t.Fatal(err)
			}
		}
		for k := range 30 {
			if k < otherAfter && l.referee.other.IsValid() {
				t.Fatalf("%s: taken for a referee after only %d placements", c.name, k)
			}
			now = now.Add(c.every)
			l.noteClient(from, place, nil, now)
		}
		if got := l.referee.other == from; got != c.want {
			t.Errorf("%s: got taken for a referee: %t", c.name, got)
		}
		if c.want { // the operator takes the match back, and the other referee continues
			l.referee.other = netip.AddrPort{}
			for range otherAfter {
				l.noteClient(from, place, nil, now)
			}
			if l.referee.other != from {
				t.Errorf("%s: not taken for a referee again", c.name)
			}
		}
	}
}

// sourceTo finds the source address of vision, also where the system chooses it.
func TestSourceTo(t *testing.T) {
	to := netip.MustParseAddrPort("127.0.0.1:10002")
	if from := sourceTo(to, netip.MustParseAddrPort("[::]:4000")); from.String() != "127.0.0.1:4000" {
		t.Errorf("got source %v", from)
	}
	if from := sourceTo(to, netip.MustParseAddrPort("127.0.0.2:4000")); from.String() != "127.0.0.2:4000" {
		t.Errorf("got source %v", from)
	}
}
