package vss_test

import (
	"strings"
	"testing"

	"touchline/internal/vss"
)

func TestCompat(t *testing.T) {
	near(t, "the speed one tick after a command, with lag",
		robot(t, after(session(t, compat("lag")), 1, drive(blue, 0, 30, 30)), blue, 0).VX, 0, 1e-9)
	s := session(t, compat("lag"))
	if v := robot(t, after(s, 2, drive(blue, 0, 30, 30)), blue, 0).VX; v <= 0 {
		t.Errorf("with lag: got %g m/s two ticks after a command, want it in effect", v)
	}

	s = session(t, compat("infinite"))
	if v := robot(t, after(s, 20, drive(blue, 0, inf, inf)), blue, 0).VX; v <= 0.1 {
		t.Errorf("with infinite: got %g m/s, want the motor's limit", v)
	}

	s = session(t, compat("keep-velocity"))
	after(s, 40, put(blue, 0, -0.6, 0.4, 0), drive(blue, 0, 30, 30))
	if r := robot(t, after(s, 10, put(blue, 0, -0.5, -0.4, 0)), blue, 0); r.VX < 0.4 || r.X < -0.45 {
		t.Errorf("with keep-velocity: got %+v, want the velocity of before the placement", r)
	}

	s = session(t, compat("ball-drop"))
	if z := after(s, 1).Frame.Ball.Z; z < 0.05 || z > 0.25 { // FIRASim: 0.133
		t.Errorf("with ball-drop: got z = %g m in the first packet, want about 0.133", z)
	}
	if z := after(s, 80).Frame.Ball.Z; z > 0.03 {
		t.Errorf("with ball-drop: got z = %g m after 80 ticks, want the floor", z)
	}

	for names, flat := range map[string]bool{"ball-drop": false, "ball-drop,flat-ball": true} {
		s = session(t, compat(names))
		moves := false
		for range 20 {
			moves = moves || after(s, 1).Frame.Ball.VZ != 0
		}
		if moves == flat {
			t.Errorf("with %s: got vz other than 0: %t", names, moves)
		}
	}

	// 95 of the first 20000 values are 1 ms short, the first is 64111 (FIRASim).
	s = session(t, compat("step-glitch"))
	short := []uint32{}
	for k := range uint32(20000) {
		s.Tick()
		if env, _ := s.Vision(); env.Step != 16*(k+1) {
			short = append(short, env.Step)
		}
	}
	if len(short) != 95 || short[0] != 64111 {
		t.Errorf("with step-glitch: got %d short steps, the first %d; want 95, 64111", len(short), short[0])
	}

	if _, err := vss.ParseCompat("lag,nonsense"); err == nil || !strings.Contains(err.Error(), "nonsense") ||
		!strings.Contains(err.Error(), "ball-drop") {
		t.Errorf("unknown name: got %v", err)
	}
	if c, err := vss.ParseCompat(" lag, clock "); err != nil || c != vss.CompatLag|vss.CompatClock {
		t.Errorf("got %v, %v; want lag,clock", c, err)
	}
}
