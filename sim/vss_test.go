package sim_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

const (
	half = 0.0375 // of a robot's edges (FIRASim)
	vssR = 0.0215 // ball
)

// depthInWalls returns the overlap of a robot with the walls and posts.
func depthInWalls(f soccer.Field, p soccer.Pose) float64 {
	s, c := math.Sincos(p.Theta)
	end, side, post := f.Length/2, f.Width/2, f.GoalWidth/2
	deepest := 0.0
	for k := range 4 {
		a, b := half*float64(1-2*(k&1)), half*float64(1-(k&2))
		x, y := math.Abs(p.X+c*a-s*b), math.Abs(p.Y+s*a+c*b)
		field := max(x-end, y-side, (x+y-(end+side-f.CornerCut))/math.Sqrt2)
		goal := max(x-end-f.GoalDepth, y-post)
		deepest = max(deepest, min(field, goal))
		dx, dy := end*float64(1-2*(k&1))-p.X, post*float64(1-(k&2))-p.Y
		deepest = max(deepest, half-max(math.Abs(dx*c+dy*s), math.Abs(dy*c-dx*s)))
	}
	return deepest
}

// depthInRobot returns the overlap of two robots: the smallest one along the four normals of their edges.
func depthInRobot(a, b soccer.Pose) float64 {
	depth := math.Inf(1)
	turn := math.Abs(math.Mod(a.Theta-b.Theta, math.Pi/2))
	reach := half * (1 + math.Abs(math.Cos(turn)) + math.Abs(math.Sin(turn)))
	for _, theta := range []float64{a.Theta, a.Theta + math.Pi/2, b.Theta, b.Theta + math.Pi/2} {
		s, c := math.Sincos(theta)
		depth = min(depth, reach-math.Abs((a.X-b.X)*c+(a.Y-b.Y)*s))
	}
	return depth
}

// checkWorld fails for numbers that are not finite, bodies outside the walls, and overlaps above 5 mm.
func (a *play) checkWorld(t testing.TB, f soccer.Field) {
	t.Helper()
	p, v := a.e.Ball()
	for _, x := range []float64{p.X, p.Y, p.Z, v.X, v.Y, v.Z} {
		if !(math.Abs(x) < 50) {
			t.Fatalf("tick %d: got the ball at %v with %v", a.tick, p, v)
		}
	}
	if x, y := math.Abs(p.X), math.Abs(p.Y); x > f.Length/2+f.GoalDepth || y > f.Width/2 || x > f.Length/2 &&
		y > f.GoalWidth/2 {
		t.Fatalf("tick %d: got the ball at %v", a.tick, p)
	}
	var poses []soccer.Pose
	for id := range a.robots {
		pose, twist, there := a.e.Robot(uint8(id))
		if !there || !(math.Abs(twist.X)+math.Abs(twist.Y)+math.Abs(twist.Theta) < 200) ||
			!(math.Abs(pose.Theta) <= math.Pi) {
			t.Fatalf("tick %d: robot %d at %v with %v, on the field: %v", a.tick, id, pose, twist, there)
		}
		if d := depthInWalls(f, pose); !(d < 0.005) {
			t.Fatalf("tick %d: got robot %d at %v overlapping a wall by %.1f mm", a.tick, id, pose, d*1000)
		}
		for k, o := range poses {
			if d := depthInRobot(pose, o); d >= 0.005 {
				t.Fatalf("tick %d: got robots %d at %v and %d at %v overlapping by %.1f mm", a.tick, id, pose, k, o,
					d*1000)
			}
		}
		poses = append(poses, pose)
	}
}

func TestRandomPlayKeepsApart(t *testing.T) {
	ticks := 1_000_000
	if testing.Short() {
		ticks = 40_000
	}
	worlds := []struct {
		field soccer.Field
		p     sim.Physics
		share int
	}{{soccer.VSS3v3(), sim.FIRASim(), 2}, {soccer.VSS5v5(), sim.FIRASim(), 4}, {soccer.VSS3v3(), sim.RSim(), 4}}
	for i, w := range worlds {
		a := newPlay(t, w.field, w.p, uint64(i+7))
		for range ticks / w.share {
			a.step(t)
			a.checkWorld(t, w.field)
		}
	}
}

// TestNothingGainsEnergy stops the wheels in random matches: the energy only falls, and everything comes to rest.
func TestNothingGainsEnergy(t *testing.T) {
	for seed := range uint64(60) {
		a := newPlay(t, soccer.VSS3v3(), sim.FIRASim(), seed).warm(t)
		must(t, a.e.Place(sim.Placement{HasBall: true, BallVelocity: soccer.Vec{X: 2, Y: float64(seed) / 10}}))
		for id := range a.robots {
			must(t, a.e.Drive(uint8(id), soccer.Wheels{}))
		}
		before := math.Inf(1)
		for range 3000 {
			now := 0.0
			p, v := a.e.Ball()
			now += 0.043 * (9.81*p.Z + (v.X*v.X+v.Y*v.Y+v.Z*v.Z)/2)
			for id := range a.robots {
				_, w, _ := a.e.Robot(uint8(id))
				now += 2.402*(w.X*w.X+w.Y*w.Y)/2 + 0.00266*w.Theta*w.Theta/2
			}
			// The ball's spin is not in the sum: 0.0086 J of a ball that rolls with 1 m/s, some of which comes out in
			// bounces.
			if now > before+0.0086 {
				t.Fatalf("seed %d: the energy increased to %v J from %v J", seed, now, before)
			}
			before = now
			a.e.Step(sim.Tick)
		}
		p, v := a.e.Ball()
		if v != (soccer.Vec3{}) {
			t.Errorf("seed %d: got the ball at %v with %v after 48 s", seed, p, v)
		}
		for id := range a.robots {
			if pose, w, _ := a.e.Robot(uint8(id)); math.Abs(w.X)+math.Abs(w.Y)+math.Abs(w.Theta) > 1e-3 {
				t.Errorf("seed %d: got robot %d at %v with %v, want rest", seed, id, pose, w)
			}
		}
	}
}

// TestNoBallStaysOnARobot drops balls on robots; they roll off.
func TestNoBallStaysOnARobot(t *testing.T) {
	for k := range 40 {
		e := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
		must(t, e.AddRobot(1, soccer.Pose{X: 0.3, Theta: float64(k)}))
		must(t, e.PlaceBall(soccer.Vec3{X: 0.3 + float64(k%5)*0.01, Y: float64(k%7) * 0.005, Z: 0.1}))
		for range 300 {
			e.Step(sim.Tick)
		}
		if p, _ := e.Ball(); math.Abs(p.Z-vssR) > 1e-4 {
			t.Errorf("%d: the ball is at %v", k, p)
		}
	}
}

// TestFastBall shoots balls at the highest speed: they stay within the walls, and their states can be restored.
func TestFastBall(t *testing.T) {
	e := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
	for k := range 2000 {
		s, c := math.Sincos(float64(k))
		must(t, e.Place(sim.Placement{HasBall: true, Ball: soccer.Vec{X: 0.7 * c, Y: 0.5 * s},
			BallVelocity: soccer.Vec{X: 19.9 * s, Y: -19.9 * c}}))
		for range 20 {
			e.Step(3200 * time.Microsecond)
			if err := e.Restore(e.AppendState(nil)); err != nil {
				p, v := e.Ball()
				t.Fatalf("%d: %v; ball at %v with %v", k, err, p, v)
			}
		}
	}
}

func TestDivisionOfSpans(t *testing.T) {
	a, b := newPlay(t, soccer.VSS3v3(), sim.FIRASim(), 9), newPlay(t, soccer.VSS3v3(), sim.FIRASim(), 9)
	c := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
	for range 500 {
		a.step(t)
		b.step(t)
	}
	for range 100 {
		must(t, c.Restore(a.e.AppendState(nil)))
		a.e.Step(5 * sim.Tick)
		for range 5 {
			b.e.Step(sim.Tick)
		}
		for range 25 {
			c.Step(sim.Tick / 5)
		}
		for id := range a.robots {
			p := pose(t, a.e, uint8(id))
			if q := pose(t, b.e, uint8(id)); p != q {
				t.Fatalf("robot %d is at %v and %v", id, p, q)
			}
			// A steady robot moves by ticks where the span has whole ones.
			r := pose(t, c, uint8(id))
			near(t, "x in sub-steps", r.X, p.X, 1e-4)
			near(t, "y in sub-steps", r.Y, p.Y, 1e-4)
		}
	}
}

// TestSteadyCircle drives a robot on a circle for 2 s, by whole ticks and by sub-steps, which no robot skips.
func TestSteadyCircle(t *testing.T) {
	var at [2]soccer.Pose
	for i, spans := range [2]int{1, 5} {
		e := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
		must(t, e.AddRobot(1, soccer.Pose{}))
		must(t, e.PlaceBall(soccer.Vec3{X: 0.6, Y: 0.5}))
		must(t, e.Drive(1, soccer.Wheels{Left: 20, Right: 30}))
		for range 125 * spans {
			e.Step(sim.Tick / time.Duration(spans))
		}
		at[i] = pose(t, e, 1)
	}
	near(t, "x", at[0].X, at[1].X, 3e-4)
	near(t, "y", at[0].Y, at[1].Y, 3e-4)
	near(t, "heading", at[0].Theta, at[1].Theta, 1e-3)
}

// FuzzVSS applies arbitrary calls and checks that states can be restored and overlaps stay small.
func FuzzVSS(f *testing.F) {
	f.Add([]byte{0, 1, 100, 50, 0, 2, 90, 60, 1, 1, 255, 255, 4, 9, 0, 0, 3, 2, 10, 200, 2, 3, 128, 128, 4, 50, 0, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		a := &play{e: sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))}
		for n := 0; len(ops) >= 4 && n < 60; n++ {
			op, id, x, y := ops[0]%6, ops[1]%8, (float64(ops[2])-128)/150, (float64(ops[3])-128)/190
			ops = ops[4:]
			at := soccer.Pose{X: x, Y: y, Theta: x * 9}
			switch op {
			case 0:
				_ = a.e.AddRobot(id, at)
			case 1:
				_ = a.e.Drive(id, soccer.Wheels{Left: x * 100, Right: y * 100})
			case 2:
				_ = a.e.Place(sim.Placement{KeepVelocity: x > 0,
					Robots: []sim.PlacedRobot{{ID: id, Pose: at}, {ID: id / 2, Pose: at}}, HasBall: y > 0,
					Ball: at.XY()})
			case 3:
				_ = a.e.Place(sim.Placement{HasBall: true, Ball: soccer.Vec{X: y, Y: x / 2},
					BallVelocity: soccer.Vec{X: x * 20, Y: y * 20}})
			case 4:
				a.e.Step(time.Duration(ops0(ops)) * 3 * ms)
			case 5:
				a.e.RemoveRobot(id)
			}
			if err := a.e.Restore(a.e.AppendState(nil)); err != nil {
				t.Fatalf("operation %d: %v", op, err)
			}
			var all []soccer.Pose
			for id := range 8 {
				if p, _, there := a.e.Robot(uint8(id)); there {
					all = append(all, p)
				}
			}
			for i, p := range all {
				if d := depthInWalls(soccer.VSS3v3(), p); d > 0.005 {
					t.Fatalf("operation %d: got %v overlapping a wall by %v m", op, p, d)
				}
				for _, q := range all[:i] {
					if d := depthInRobot(p, q); d > 0.005 {
						t.Fatalf("operation %d: got %v overlapping by %v m the robot at %v", op, p, d, q)
					}
				}
			}
		}
	})
}

// ops0 returns the first byte, or 1.
func ops0(b []byte) byte {
	if len(b) == 0 {
		return 1
	}
	return b[0]
}

func TestDriveRefuses(t *testing.T) {
	e := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
	must(t, e.AddRobot(1, soccer.Pose{X: 0.3}))
	for _, w := range []soccer.Wheels{{Left: math.NaN()}, {Right: math.Inf(-1)}} {
		if err := e.Drive(1, w); !errors.Is(err, sim.ErrRange) {
			t.Errorf("%v: got error %v", w, err)
		}
	}
	if err := e.Drive(2, soccer.Wheels{}); !errors.Is(err, sim.ErrUnknown) {
		t.Errorf("got error %v", err)
	}
	// The largest and smallest numbers do no harm.
	for _, w := range []soccer.Wheels{both(math.MaxFloat64), spin(math.MaxFloat64), both(math.SmallestNonzeroFloat64)} {
		must(t, e.Drive(1, w))
		e.Step(100 * sim.Tick)
		if d := depthInWalls(soccer.VSS3v3(), pose(t, e, 1)); !(d < 0.005) {
			t.Errorf("wheels %v: got an overlap with a wall of %v m", w, d)
		}
	}
}

// TestAccelerates holds figures measured on FIRASim and rSim.
func TestAccelerates(t *testing.T) {
	for _, c := range []struct {
		p           sim.Physics
		accelerate  float64 // m/s^2
		fast, spins float64 // m/s at wheels of 500 rad/s, rad/s at -20, 20
	}{{sim.FIRASim(), 1.258, 0, 9.413}, {sim.RSim(), 7.4, 1.199, 13.86}} {
		e := sim.New(sim.VSS(soccer.VSS3v3(), c.p))
		must(t, e.Place(sim.Placement{Robots: []sim.PlacedRobot{{ID: 1, Pose: soccer.Pose{X: -0.6}}},
			Ball: soccer.Vec{Y: 0.4}, HasBall: true}))
		must(t, e.Drive(1, both(500)))
		e.Step(5 * sim.Tick)
		_, v, _ := e.Robot(1)
		near(t, "acceleration", v.X/0.08, c.accelerate, 0.02*c.accelerate)
		e.Step(30 * sim.Tick)
		if _, v, _ = e.Robot(1); c.fast > 0 {
			near(t, "top speed", v.X, c.fast, 0.002)
		}
		must(t, e.Place(sim.Placement{Robots: []sim.PlacedRobot{{ID: 1}}}))
		must(t, e.Drive(1, spin(20)))
		e.Step(time.Second)
		_, v, _ = e.Robot(1)
		near(t, "spin", v.Theta, c.spins, 0.01*c.spins)
	}
}

// TestWorldsDoNotShare simulates matches concurrently, with the results of each alone.
func TestWorldsDoNotShare(t *testing.T) {
	state := func(seed uint64) []byte {
		return newPlay(t, soccer.VSS3v3(), sim.FIRASim(), seed).warm(t).e.AppendState(nil)
	}
	type result struct {
		seed  uint64
		state []byte
	}
	done := make(chan result)
	for seed := range uint64(4) {
		go func() { done <- result{seed, state(seed)} }()
	}
	for range 4 {
		if r := <-done; !bytes.Equal(r.state, state(r.seed)) {
			t.Errorf("match %d gave another result beside others", r.seed)
		}
	}
}

func TestStepVSSAllocatesNothing(t *testing.T) {
	a := newPlay(t, soccer.VSS3v3(), sim.FIRASim(), 2).warm(t)
	r := rand.New(rand.NewPCG(1, 2))
	if n := testing.AllocsPerRun(2000, func() {
		must(t, a.e.Drive(uint8(r.IntN(6)), soccer.Wheels{Left: r.Float64() * 50, Right: r.Float64() * 50}))
		a.e.Step(sim.Tick)
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

// A span with a tiny last sub-step does not throw overlapping bodies apart.
func TestOddSpans(t *testing.T) {
	for _, span := range []time.Duration{sim.Tick + 1, 16001 * time.Microsecond, sim.Tick/5 + 1, time.Second / 62,
		7 * time.Nanosecond} {
		a := newPlay(t, soccer.VSS3v3(), sim.FIRASim(), 3).warm(t)
		for range 5000 {
			a.step(t)
			a.e.Step(span)
			for i := range a.robots {
				pose, twist, _ := a.e.Robot(uint8(i))
				if v := math.Hypot(twist.X, twist.Y); !(v < 5) || !(math.Abs(pose.X) < 1) ||
					!(math.Abs(pose.Y) < 0.66) {
					t.Fatalf("spans of %v: got robot %d at (%g, %g) m with %g m/s", span, i, pose.X, pose.Y, v)
				}
			}
			if _, v := a.e.Ball(); !(math.Hypot(v.X, v.Y) < 10) || !(math.Abs(v.Z) < 10) {
				t.Fatalf("spans of %v: got ball velocity %v", span, v)
			}
		}
	}
}
