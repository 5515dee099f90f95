package sim_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"touchline/sim"
	"touchline/soccer"
)

func TestSameBytes(t *testing.T) {
	ticks := 100_000
	if testing.Short() {
		ticks = 5_000
	}
	state := func(seed uint64) []byte {
		a := newPlay(t, soccer.VSS5v5(), sim.FIRASim(), seed)
		for range ticks {
			a.step(t)
		}
		return a.e.AppendState(nil)
	}
	if !bytes.Equal(state(3), state(3)) {
		t.Error("the same commands gave another state")
	}
	if bytes.Equal(state(3), state(4)) {
		t.Error("other commands gave the same state")
	}
}

// TestGolden checks the state after a match of 100,000 ticks, which is the same on every processor.
func TestGolden(t *testing.T) {
	const golden = "dc525f28bfa5db81"
	a := newPlay(t, soccer.VSS3v3(), sim.FIRASim(), 1)
	for range 100_000 {
		a.step(t)
	}
	sum := sha256.Sum256(a.e.AppendState(nil))
	if got := hex.EncodeToString(sum[:8]); got != golden {
		t.Errorf("got state %s, want %s: after an intended change of the physics replace the constant", got, golden)
	}
}

func TestRestoreContinuesAsBefore(t *testing.T) {
	for _, field := range []soccer.Field{soccer.VSS3v3(), soccer.VSS5v5()} {
		a := newPlay(t, field, sim.FIRASim(), 5).warm(t)
		kept := a.e.AppendState([]byte("before"))[len("before"):]
		b := sim.New(sim.VSS(field, sim.FIRASim()))
		must(t, b.Restore(kept))
		if !bytes.Equal(b.AppendState(nil), kept) {
			t.Fatal("a restored state has other bytes")
		}
		for k := range 3000 {
			a.e.Step(sim.Tick)
			b.Step(sim.Tick)
			if k%100 == 0 {
				w := soccer.Wheels{Left: float64(k%61) - 30, Right: float64(k%47) - 20}
				must(t, a.e.Drive(uint8(k/100%6), w))
				must(t, b.Drive(uint8(k/100%6), w))
			}
			if !bytes.Equal(a.e.AppendState(nil), b.AppendState(nil)) {
				t.Fatalf("tick %d differs", k)
			}
		}
	}
	// An MSL scene with cameras continues as before, too.
	cfg := sim.DefaultConfig()
	e := sim.New(cfg)
	must(t, e.Scatter([]uint8{1, 2, 3}, 2))
	must(t, e.KickBall(soccer.Vec3{X: 3, Y: 1, Z: 2}))
	look(t, e, 2, sim.DefaultCamera())
	e.Step(300 * ms)
	f := sim.New(cfg)
	must(t, f.Restore(e.AppendState(nil)))
	for range 10 {
		e.Step(100 * ms)
		f.Step(100 * ms)
		x, y := look(t, e, 2, sim.DefaultCamera()), look(t, f, 2, sim.DefaultCamera())
		if x.Self != y.Self || !slices.Equal(x.Balls, y.Balls) || !slices.Equal(x.Obstacles, y.Obstacles) {
			t.Fatal("a restored camera gave other observations")
		}
	}
	must(t, e.Scatter([]uint8{4}, 0))
	must(t, f.Scatter([]uint8{4}, 0))
	if p, q := pose(t, e, 4), pose(t, f, 4); p != q {
		t.Errorf("got robots scattered to %v and %v", p, q)
	}
}

func pose(t testing.TB, e *sim.Engine, id uint8) soccer.Pose {
	t.Helper()
	p, _, there := e.Robot(id)
	if !there {
		t.Fatalf("robot %d is not on the field", id)
	}
	return p
}

func TestRestoreRefuses(t *testing.T) {
	a := newPlay(t, soccer.VSS3v3(), sim.FIRASim(), 5).warm(t)
	good := a.e.AppendState(nil)
	other := newPlay(t, soccer.VSS5v5(), sim.FIRASim(), 5).e.AppendState(nil)
	nan := slices.Clone(good)
	for i := range 8 {
		nan[len("touchline sim 1\n")+3*8+8+4+i] = 0xff // the ball's x
	}
	fast := slices.Clone(good)
	binary.LittleEndian.PutUint64(fast[len("touchline sim 1\n")+3*8+8+4+3*8:], math.Float64bits(200)) // the ball's vx
	outside := slices.Clone(good)
	binary.LittleEndian.PutUint64(outside[len("touchline sim 1\n")+3*8+8+4:], math.Float64bits(9)) // the ball's x
	for _, c := range []struct {
		b    []byte
		text string
	}{
		{nil, "does not begin with"}, {[]byte("garbage"), "does not begin with"}, {good[:len(good)-1], "end too early"},
		{good[:100], "end too early"}, {other, "field of 2.2 x 1.8 m"}, {nan, "a number of the ball is out of range"},
		{fast, "a number of the ball is out of range"}, {outside, "the ball has values that this engine cannot reach"},
	} {
		if err := a.e.Restore(c.b); !errors.Is(err, sim.ErrState) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("got error %q, want one with %q", err, c.text)
		}
	}
	if !bytes.Equal(a.e.AppendState(nil), good) {
		t.Error("a refused state changed the engine")
	}
}

// FuzzRestore restores arbitrary bytes. An accepted state is encoded to the same bytes and can be simulated.
func FuzzRestore(f *testing.F) {
	f.Add(newPlay(f, soccer.VSS3v3(), sim.FIRASim(), 5).warm(f).e.AppendState(nil))
	f.Add(sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim())).AppendState(nil))
	s := newScrum(f, 5)
	for range 50 {
		s.step(f, 20*ms)
	}
	f.Add(s.e.AppendState(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		restore(t, sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim())), b)
		restore(t, sim.New(sim.DefaultConfig()), b)
	})
}

func restore(t *testing.T, e *sim.Engine, b []byte) {
	before := e.AppendState(nil)
	if err := e.Restore(b); err != nil {
		if !bytes.Equal(e.AppendState(nil), before) {
			t.Fatal("a refused state changed something")
		}
		return
	}
	if !bytes.Equal(e.AppendState(nil), b) {
		t.Fatal("an accepted state was encoded to other bytes")
	}
	e.Step(10 * sim.Tick)
	for id := range 256 {
		if p, w, there := e.Robot(uint8(id)); there && !(math.Abs(p.X)+math.Abs(p.Y)+math.Abs(w.Theta) < 1e9) {
			t.Fatalf("robot %d at %v with %v", id, p, w)
		}
	}
}
