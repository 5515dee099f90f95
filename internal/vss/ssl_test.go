package vss_test

import (
	"math"
	"net/netip"
	"reflect"
	"testing"

	"touchline/internal/vss"
	"touchline/sim"
	"touchline/wire/firasim"
)

// grSim returns s after a packet of grSim's clients and a number of ticks.
func grSim(s *vss.Session, ticks int, p *firasim.GrSimPacket) *firasim.Environment {
	var packet firasim.Packet
	s.FromGrSim(netip.AddrPort{}, p, &packet)
	return after(s, ticks, &packet)
}

// A vision packet in SSL-Vision's format has the same objects in mm and rad.
func TestSSLVision(t *testing.T) {
	s := session(t, nil)
	env := after(s, 3, put(true, 1, -0.3, 0.25, 90), putBall(0, 0, 0, 0))
	var m firasim.SSLVision
	for range 2 { // the memory is reused
		vss.SSLVision(env, &m)
	}
	d := &m.Detection
	if d.Number != 3 || d.Captured != 0.048 || d.Sent != 0.048 || d.Camera != 0 || len(d.Balls) != 1 ||
		len(d.Yellow) != 3 || len(d.Blue) != 3 {
		t.Fatalf("got %+v", d)
	}
	if b := d.Balls[0]; b.Confidence != 1 || b.X != 0 || b.Y != 0 || b.PixelX != 1000 || b.PixelY != 900 {
		t.Errorf("got ball %+v", b)
	}
	r := d.Yellow[1]
	if !r.HasID || r.ID != 1 || !r.HasOrientation || r.PixelX != 700 || r.PixelY != 650 {
		t.Errorf("got %+v", r)
	}
	near(t, "x", float64(r.X), -300, 1e-3)
	near(t, "y", float64(r.Y), 250, 1e-3)
	near(t, "heading", float64(r.Orientation), math.Pi/2, 1e-6)
	if want := (firasim.SSLGeometry{Length: 1500, Width: 1300, GoalWidth: 400, GoalDepth: 100, PenaltyDepth: 150,
		PenaltyWidth: 700, CircleRadius: 200}); !reflect.DeepEqual(m.Geometry, want) || !m.HasGeometry {
		t.Errorf("got %+v", m.Geometry)
	}
	if _, err := m.AppendBinary(nil); err != nil {
		t.Error(err)
	}
}

// With the defect step-glitch a step is 1 ms short, and the frame number still counts ticks.
func TestSSLFrameNumber(t *testing.T) {
	var m firasim.SSLVision
	for step, want := range map[uint32]uint32{0: 0, 16: 1, 64111: 4007, 64128: 4008, math.MaxUint32: 1 << 28} {
		vss.SSLVision(&firasim.Environment{Step: step}, &m)
		if m.Detection.Number != want {
			t.Errorf("step %d: got frame %d, want %d", step, m.Detection.Number, want)
		}
	}
}

// A robot follows grSim's velocities, with the wheels of its physics; a part to the left has no effect.
func TestGrSimVelocities(t *testing.T) {
	for physics, radius := range map[string]float64{"firasim": 0.02, "rsim": 0.026} {
		s := session(t, func(c *vss.Config) { c.Physics = physics })
		after(s, 2, put(true, 1, 0.3, 0.45, 0), put(true, 2, 0.3, -0.45, 0))
		env := grSim(s, 40, &firasim.GrSimPacket{HasCommands: true, Yellow: true, Commands: []firasim.GrSimCommand{
			{ID: 1, Tangent: -0.4, Normal: 0.5, KickX: 3, Spinner: true},
			{ID: 2, Angular: 14},
		}})
		near(t, physics+": backwards", robot(t, env, true, 1).VX, -0.4, 0.01)
		near(t, physics+": to the left", robot(t, env, true, 1).VY, 0, 0.01)
		near(t, physics+": turn", robot(t, env, true, 2).VOrientation, 14, 1.4)
		if w := s.Show().Yellow[1].Wheels; math.Abs(w.Left+0.4/radius) > 1e-5 || w.Left != w.Right {
			t.Errorf("%s: got wheels %+v", physics, w)
		}
	}
}

// A placement of grSim is in m and degrees. Absent values of the ball stay, and an absent turnon switches on.
func TestGrSimPlacement(t *testing.T) {
	s := session(t, nil)
	after(s, 1, putBall(0.1, 0.2, 0, 0))
	ball := firasim.GrSimBall{Value: [4]float64{0, -0.25}, HasValue: [4]bool{false, true}}
	env := grSim(s, 1, &firasim.GrSimPacket{HasReplacement: true, HasBall: true, Ball: ball,
		Robots: []firasim.GrSimRobot{{X: -0.5, Y: 0.3, Dir: 90, ID: 1}, {ID: 2, Off: true}}})
	near(t, "x", env.Frame.Ball.X, 0.1, 1e-3)
	near(t, "y", env.Frame.Ball.Y, -0.25, 1e-3)
	near(t, "heading", robot(t, env, false, 1).Orientation, math.Pi/2, 1e-6)
	if n := len(env.Frame.Blue); n != 2 {
		t.Errorf("got %d robots, want 2", n)
	}
}

func TestGrSimRefused(t *testing.T) {
	s := session(t, nil)
	inf := float32(math.Inf(1))
	grSim(s, 2, &firasim.GrSimPacket{HasCommands: true, Commands: []firasim.GrSimCommand{
		{ID: 0, ByWheel: true, Wheel: [4]float32{1, 1, 1, 1}}, {ID: 1, Tangent: inf}, {ID: 2, Angular: inf, Tangent: inf},
		{ID: 9},
	}})
	for _, why := range []string{
		"grSim's speeds of four wheels; send veltangent and velangular", "infinite wheel speed",
		"wheel speed is not a number", "no such robot",
	} {
		if refused(s, why) != 1 {
			t.Errorf("%s: got %+v", why, s.Refused())
		}
	}
}

// FuzzGrSim checks that no packet moves anything out of the hall.
func FuzzGrSim(f *testing.F) {
	f.Add([]byte{0x12, 0x0b, 0x0a, 0x09, 0x19, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var p firasim.GrSimPacket
		if p.UnmarshalBinary(b) != nil {
			return
		}
		s := session(t, nil)
		env := grSim(s, 3, &p)
		if b := env.Frame.Ball; !(math.Abs(b.X) < 2 && math.Abs(b.Y) < 2 && math.Hypot(b.VX, b.VY) <= sim.MaxBallSpeed) {
			t.Errorf("got ball %+v", b)
		}
		for _, r := range append(env.Frame.Blue, env.Frame.Yellow...) {
			if !(math.Abs(r.X) < 2 && math.Abs(r.Y) < 2) {
				t.Errorf("got robot %+v", r)
			}
		}
	})
}
