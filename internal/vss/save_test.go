package vss_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"touchline/internal/vss"
)

// After Restore 500 ticks give the same bytes as after Save, whatever is in flight and however the match continued.
func TestRestore(t *testing.T) {
	s := session(t, func(c *vss.Config) {
		c.NoisePosition, c.NoiseHeading, c.Vanish, c.Loss, c.CommandLoss = 0.01, 0.05, 0.1, 0.1, 0.1
		c.Latency, c.CommandLatency, c.CommandTimeout = 80*time.Millisecond, 48*time.Millisecond, time.Second
	})
	continued := func() (all []byte) {
		for k := range 500 {
			if k%20 == 0 {
				s.Receive(here, drive(k%40 == 0, uint32(k/20%3), float64(k%50), 20))
			}
			s.Tick()
			if env, sent := s.Vision(); sent {
				b, err := env.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, b...)
			}
		}
		return all
	}
	continued()
	s.Receive(here, put(yellow, 1, 0.2, 0.3, 40)) // on its way
	s.Receive(here, putBall(0.7, 0.05, 1, 0))
	kept := s.Save()
	first := continued()
	if err := s.Switch(blue, 0, false); err != nil {
		t.Fatal(err)
	}
	continued()
	for range 2 {
		if err := s.Restore(kept); err != nil {
			t.Fatal(err)
		}
		if again := continued(); !bytes.Equal(first, again) {
			t.Fatal("500 ticks after Restore differ from those after Save")
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	for want, with := range map[string]func(*vss.Config){
		"got 5 robots a team and physics firasim, want 3": func(c *vss.Config) { c.Robots = 5 },
		"physics rsim":                        func(c *vss.Config) { c.Physics = "rsim" },
		"vision of 3 ticks in flight, want 0": func(c *vss.Config) { c.Latency = 40 * time.Millisecond },
	} {
		s := session(t, nil)
		before := after(s, 10, drive(blue, 0, 9, 9))
		if err := s.Restore(session(t, with).Save()); !errors.Is(err, vss.ErrState) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if env := after(s, 0); env.Step != before.Step || env.Frame.Blue[0] != before.Frame.Blue[0] {
			t.Errorf("%s: the refused state changed something", want)
		}
	}
}
