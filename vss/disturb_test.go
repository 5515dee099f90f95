package vss_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/vss"
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
	near(t, "the speed while the command is under way", robot(t, after(s, 2, put(blue, 0, 0, 0.4, 0), drive(blue, 0, 30, 30)), blue, 0).VX, 0, 1e-9)
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

func TestLineup(t *testing.T) {
	l, err := vss.ParseLineup([]byte(`{
		"ball": {"x": 0.1, "y": -0.2, "vy": 0.5},
		"blue": [{"id": 2, "x": -0.6, "y": 0.1, "theta": 1.5}, {"id": 0, "on": false}]
	}`), 3)
	if err != nil {
		t.Fatal(err)
	}
	env := after(session(t, func(c *vss.Config) { c.Lineup = l }), 1)
	if len(env.Frame.Blue) != 2 {
		t.Errorf("got blue %+v, want two robots", env.Frame.Blue)
	}
	r := robot(t, env, blue, 2)
	near(t, "x", r.X, -0.6, 1e-3)
	near(t, "the heading in rad", r.Orientation, 1.5, 1e-3)
	near(t, "yellow 1's x, FIRASim's", robot(t, env, yellow, 1).X, -0.5, 1e-3)
	if env.Frame.Ball.VY < 0.3 {
		t.Errorf("got ball %+v, want it rolling", env.Frame.Ball)
	}
	if l, err = vss.ParseLineup([]byte(`{"blue": [{"y": 0.2, "id": 1}, {"theta": 1, "id": 2}]}`), 3); err != nil {
		t.Fatal(err)
	}
	if l.Blue[1].Pose != (soccer.Pose{X: 0.5, Y: 0.2}) || l.Blue[2].Pose != (soccer.Pose{X: 0.7, Theta: 1}) {
		t.Errorf("got %+v, want missing numbers from FIRASim's start positions", l.Blue)
	}
	for text, want := range map[string]string{
		"{\"blue\": [\n{\"id\": 1},\n{\"id\": 1, \"x\": 0.3}]}":     `line 3: blue 1 is listed twice`,
		"{\"yellow\": [\n{\"id\": 1, \"x\": 9}]}":                   `line 2: yellow 1: (9, 0) m is outside the field`,
		"{\"yellow\": [\n{\"id\": 0, \"x\": 0.745, \"y\": 0.645}]}": `line 2: yellow 0: (0.745, 0.645) m is outside the field`,
		"{\n\"ball\": {\"x\": 9}}":                                  `line 2: sim: out of range: the ball at (9, 0) m`,
		"{\n\"ball\": {\"vx\": 3e4, \"vy\": 4e4}}":                  `50000 m/s`,
		"{\"ball\": {\"x\": 1e400}}":                                `1e400 is too large`,
		"{\n\"ball\": {\"x\": 1,\n\"z\": 2}}":                       `line 3: unknown key "z"`,
		"{\n\n\"red\": []}":                                         `line 3: unknown key "red"`,
		"{\"blue\": [\n{\"id\": 3}]}":                               `line 2: a robot's id: want 0 to 2`,
		"{\"blue\": [\n{\"x\": 1}]}":                                `line 2: a robot's id`,
		"{\"blue\": [\n{\"id\": 1, \"x\": \"1\"}]":                  `line 2: x: want a number`,
		"{\"yellow\": {}}":                                          `line 1: want a list`,
		"{\"ball\":\n":                                              `the file ends too early`,
		"{}\n{}":                                                    `line 2: the file continues after`,
		"[1]":                                                       `line 1: want an object`,
		"{\"ball\": nonsense}":                                      `line 1: invalid character`,
	} {
		if _, err := vss.ParseLineup([]byte(text), 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if l, err = vss.ParseLineup([]byte("{}"), 5); err != nil || l.Yellow[4].Pose != (soccer.Pose{X: -1.1}) {
		t.Errorf("got %+v, %v; want FIRASim's start positions", l, err)
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
