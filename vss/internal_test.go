package vss

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
)

// A machine that stood still goes on without a burst, and a late tick does not shift the others.
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
		l, err := NewLive(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		l.due = time.Unix(1000, 0)
		now := l.due.Add(c.late)
		if wait, _, _ := l.next(now); wait > 0 {
			t.Fatalf("no tick at %v", c.late)
		}
		l.tick(now)
		if wait, _, _ := l.next(now); wait != c.wait {
			t.Errorf("at speed %g, %v late: the next tick is %v later, want %v", c.speed, c.late, wait, c.wait)
		}
	}
	cfg := DefaultConfig()
	cfg.Compat = CompatClock
	l, err := NewLive(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if p := l.period(); p != 17*time.Millisecond {
		t.Errorf("with clock a tick takes %v", p)
	}
}

// That vision does not get to somebody is said once, shown as long as it is so, and the others get it.
func TestNoWayOut(t *testing.T) {
	var log bytes.Buffer
	l, err := NewLive(DefaultConfig(), slog.New(slog.NewTextHandler(&log, nil)))
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
		l.sendVision()
	}
	if v := l.Show(); !strings.Contains(v.Trouble, "vision does not go to "+ear.LocalAddr().String()) || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("the page says %q, the log %q", v.Trouble, log.String())
	}
	if n := l.sent.Load(); n != 5 {
		t.Errorf("%d packets are sent to the other", n)
	}
	l.net.vision[0].sender = l.net.vision[1].sender
	l.sendVision()
	if v := l.Show(); v.Trouble != "" {
		t.Errorf("it is mended, and the page says %q", v.Trouble)
	}
	l.close()
}
