package vss_test

import (
	"math"
	"testing"
	"time"

	"touchline/internal/vss"
	"touchline/wire/firasim"
)

// seen runs ticks and passes the vision of each to look; nil where none arrives.
func seen(s *vss.Session, ticks int, look func(tick int, env *firasim.Environment)) {
	for k := range ticks {
		s.Tick()
		if env, sent := s.Vision(); sent {
			look(k+1, env)
		} else {
			look(k+1, nil)
		}
	}
}

// Noise has the configured sigma in m and rad, and does not change the ground truth.
func TestNoise(t *testing.T) {
	s := session(t, func(c *vss.Config) { c.NoisePosition, c.NoiseHeading = 0.01, 0.05 })
	var x2, h2 float64
	const ticks = 20_000
	seen(s, ticks, func(_ int, env *firasim.Environment) {
		r := env.Frame.Blue[1]
		x2 += (r.X - 0.5) * (r.X - 0.5)
		h2 += r.Orientation * r.Orientation
		if math.Abs(r.Orientation) > math.Pi {
			t.Fatalf("got heading %g rad, want (-pi, pi]", r.Orientation)
		}
	})
	near(t, "sigma of x", math.Sqrt(x2/ticks), 0.01, 0.0003)
	near(t, "sigma of the heading", math.Sqrt(h2/ticks), 0.05, 0.0015)
	near(t, "the ground truth of x", robot(t, after(s, 0), blue, 1).X, 0.5, 1e-3)
}

func TestVanishAndLoss(t *testing.T) {
	s := session(t, func(c *vss.Config) { c.Vanish, c.Loss = 0.1, 0.3 })
	const ticks = 20_000
	balls, robots, sent := 0, 0, 0
	seen(s, ticks, func(_ int, env *firasim.Environment) {
		if env == nil {
			return
		}
		sent++
		robots += len(env.Frame.Blue) + len(env.Frame.Yellow)
		if env.Frame.HasBall {
			balls++
		}
	})
	near(t, "the share of packets that are sent", float64(sent)/ticks, 0.7, 0.02)
	near(t, "the share of balls", float64(balls)/float64(sent), 0.9, 0.015)
	near(t, "the share of robots", float64(robots)/float64(6*sent), 0.9, 0.01)
	if env := after(s, 0); !env.Frame.HasBall || len(env.Frame.Blue) != 3 {
		t.Error("the ground truth lost a robot or the ball")
	}
}

func TestLatency(t *testing.T) {
	s := session(t, func(c *vss.Config) { c.Latency = 40 * time.Millisecond }) // 3 ticks
	seen(s, 50, func(tick int, env *firasim.Environment) {
		switch {
		case tick <= 3:
			if env != nil {
				t.Errorf("got vision at tick %d, want none before the latency has passed", tick)
			}
		case env == nil || env.Step != uint32(16*(tick-3)):
			t.Fatalf("tick %d: got %+v, want vision of 3 ticks before", tick, env)
		}
	})
	s = session(t, func(c *vss.Config) { c.CommandLatency = 32 * time.Millisecond })
	near(t, "the speed while the command is in flight",
		robot(t, after(s, 2, put(blue, 0, 0, 0.4, 0), drive(blue, 0, 30, 30)), blue, 0).VX, 0, 1e-9)
	r := robot(t, after(s, 1), blue, 0)
	if r.VX <= 0 || math.Abs(r.Y-0.4) > 1e-3 {
		t.Errorf("after two ticks: got %+v, want the command and the placement in effect", r)
	}
	s = session(t, func(c *vss.Config) { c.CommandLoss = 1 })
	near(t, "the speed by a lost command", robot(t, after(s, 9, drive(blue, 0, 30, 30)), blue, 0).VX, 0, 1e-9)
}

// Each disturbance has its own stream of random numbers: another one does not change it.
func TestStreamsAreApart(t *testing.T) {
	lost := func(with func(*vss.Config)) (ticks []int) {
		s := session(t, func(c *vss.Config) { c.Loss = 0.5; with(c) })
		seen(s, 200, func(tick int, env *firasim.Environment) {
			if env == nil {
				ticks = append(ticks, tick)
			}
		})
		return ticks
	}
	a, b := lost(func(*vss.Config) {}), lost(func(c *vss.Config) { c.Vanish, c.NoisePosition = 0.5, 0.01 })
	if len(a) == 0 || len(a) != len(b) {
		t.Fatalf("got %d and %d lost packets, want equal numbers", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("other disturbances changed which packets are lost")
		}
	}
}

// FuzzPacket checks that no packet leads to a state that cannot be encoded in 1,024 bytes.
func FuzzPacket(f *testing.F) {
	for _, p := range []*firasim.Packet{drive(blue, 0, 30, -30), put(yellow, 1, -0.5, 0.1, 90), putBall(0.6, 0, 1, 0)} {
		b, err := p.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint16(0))
		f.Add(b, uint16(0xffff))
	}
	f.Fuzz(func(t *testing.T, b []byte, c uint16) {
		var p firasim.Packet
		if p.UnmarshalBinary(b) != nil {
			return
		}
		s := session(t, func(cfg *vss.Config) { cfg.Compat = vss.Compat(c) & 0x1ff })
		var out []byte
		for range 3 {
			env := after(s, 10, &p)
			var err error
			if out, err = env.AppendBinary(out[:0]); err != nil || len(out) > firasim.MaxVision {
				t.Fatalf("got vision of %d bytes, %v", len(out), err)
			}
		}
	})
}
