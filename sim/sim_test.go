package sim_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

const (
	gravity = 9.81
	ballR   = soccer.BallRadius
	ms      = time.Millisecond
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v within %v", what, got, want, tolerance)
	}
}

// kicked returns an engine with the ball at (x, y, z), kicked with v.
func kicked(t *testing.T, cfg sim.Config, position, v soccer.Vec3) *sim.Engine {
	t.Helper()
	e := sim.New(cfg)
	must(t, e.PlaceBall(position))
	must(t, e.KickBall(v))
	return e
}

func TestStartsAtRest(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	e.Step(10 * time.Second)
	e.Step(-time.Second)
	if e.Now() != soccer.Epoch.Add(10*time.Second) {
		t.Errorf("got now = %d", e.Now())
	}
	if p, v := e.Ball(); p != (soccer.Vec3{Z: ballR}) || v != (soccer.Vec3{}) {
		t.Errorf("got the ball at %v with %v", p, v)
	}
}

func TestRollsToAStop(t *testing.T) {
	for _, speed := range []float64{0.1, 1, 2.5} {
		for _, step := range []time.Duration{ms, 7 * ms, 16666667, time.Second} {
			cfg := sim.DefaultConfig()
			e := kicked(t, cfg, soccer.Vec3{X: -5, Y: -5}, soccer.Vec3{X: speed * 0.8, Y: speed * 0.6})
			for e.Now() < soccer.Epoch.Add(time.Duration(speed/cfg.Friction*1e9)-step) {
				e.Step(step)
			}
			if _, v := e.Ball(); v.X <= 0 {
				t.Errorf("%v m/s: the ball stopped before v/a", speed)
			}
			e.Step(2 * step)
			p, v := e.Ball()
			if v != (soccer.Vec3{}) {
				t.Errorf("%v m/s: got %v after v/a, want rest", speed, v)
			}
			near(t, "way", math.Hypot(p.X+5, p.Y+5), speed*speed/(2*cfg.Friction), 1e-9)
			near(t, "direction", math.Atan2(p.Y+5, p.X+5), math.Atan2(0.6, 0.8), 1e-9)
		}
	}
}

func TestReflectsAtTheBoundary(t *testing.T) {
	cfg := sim.DefaultConfig()
	cfg.Friction = 0
	e := kicked(t, cfg, soccer.Vec3{X: 0, Y: 6}, soccer.Vec3{X: 3, Y: 2})
	e.Step(time.Second)
	p, v := e.Ball()
	near(t, "vx", v.X, 3, 1e-12)
	near(t, "vy", v.Y, -2*cfg.Restitution, 1e-12)
	wall := cfg.Field.Width/2 + cfg.Field.Border - ballR
	contact := (wall - 6) / 2
	near(t, "x", p.X, 3, 1e-9)
	near(t, "y", p.Y, wall-(1-contact)*2*cfg.Restitution, 2*0.002*2)

	e = kicked(t, cfg, soccer.Vec3{X: -9, Y: 3}, soccer.Vec3{X: -4, Y: 1})
	e.Step(time.Second)
	_, v = e.Ball()
	near(t, "vx", v.X, 4*cfg.Restitution, 1e-12)
	near(t, "vy", v.Y, 1, 1e-12)
}

func TestBouncesOffBodies(t *testing.T) {
	cfg := sim.DefaultConfig()
	cfg.Friction = 0
	for _, add := range []func(e *sim.Engine) float64{
		func(e *sim.Engine) float64 { must(t, e.AddRobot(3, soccer.Pose{X: 2})); return soccer.RobotRadius },
		func(e *sim.Engine) float64 {
			_, err := e.AddObstacle(soccer.Vec{X: 2})
			must(t, err)
			return sim.ObstacleRadius
		},
	} {
		head := kicked(t, cfg, soccer.Vec3{}, soccer.Vec3{X: 2})
		radius := add(head)
		head.Step(2 * time.Second)
		_, v := head.Ball()
		near(t, "head-on vx", v.X, -2*cfg.Restitution, 1e-12)
		near(t, "head-on vy", v.Y, 0, 1e-12)

		// Off centre, the contact's normal leans by asin(offset / reach); the speed across it stays.
		offset := (radius + ballR) * 0.5
		glance := kicked(t, cfg, soccer.Vec3{Y: offset}, soccer.Vec3{X: 2})
		add(glance)
		glance.Step(2 * time.Second)
		_, v = glance.Ball()
		lean := math.Asin(0.5)
		into, across := -2*math.Cos(lean), 2*math.Sin(lean)
		nx, ny := -math.Cos(lean), math.Sin(lean)
		near(t, "glancing vx", v.X, -cfg.Restitution*into*nx+across*ny, 0.05)
		near(t, "glancing vy", v.Y, -cfg.Restitution*into*ny-across*nx, 0.05)
	}
}

func TestGoals(t *testing.T) {
	cfg := sim.DefaultConfig()
	for _, side := range []float64{1, -1} {
		back := cfg.Field.Length/2 + cfg.Field.GoalDepth - ballR
		e := kicked(t, cfg, soccer.Vec3{X: side * 7, Y: 0.5}, soccer.Vec3{X: side * 6, Y: -0.2})
		e.Step(3 * time.Second)
		p, v := e.Ball()
		near(t, "x in the goal", p.X, side*back, 1e-9)
		if v != (soccer.Vec3{}) {
			t.Errorf("got %v in the net, want rest", v)
		}

		e = kicked(t, cfg, soccer.Vec3{X: side * 7, Y: 1}, soccer.Vec3{X: side * 3})
		e.Step(time.Second)
		if p, v := e.Ball(); v.X*side >= 0 || p.X*side > 9 {
			t.Errorf("ball at the post: got %v with %v", p, v)
		}

		e = kicked(t, cfg, soccer.Vec3{X: side * 9.3, Y: -3}, soccer.Vec3{Y: 3})
		e.Step(3 * time.Second)
		p, _ = e.Ball()
		near(t, "y outside the side net", p.Y, -cfg.Field.GoalWidth/2-ballR, 1e-9)
	}
}

func TestFlies(t *testing.T) {
	e := kicked(t, sim.DefaultConfig(), soccer.Vec3{X: -5}, soccer.Vec3{X: 3, Z: 5})
	apex, landed := 0.0, soccer.Time(0)
	for landed == 0 {
		e.Step(2 * ms)
		p, v := e.Ball()
		apex = max(apex, p.Z)
		if v.Z > 0 && e.Now() > soccer.Epoch.Add(600*ms) {
			landed = e.Now()
			near(t, "way in the air", p.X+5, 3*2*5/gravity, 3*0.002)
			near(t, "speed after the bounce", v.Z, 5*0.6, 1e-9)
			near(t, "speed along the floor", v.X, 3, 1e-12)
		}
	}
	near(t, "apex", apex, ballR+25/(2*gravity), 1e-4)
	near(t, "time in the air", landed.Sub(soccer.Epoch).Seconds(), 2*5/gravity, 0.0021)
	hop := kicked(t, sim.DefaultConfig(), soccer.Vec3{}, soccer.Vec3{X: 1, Z: 0.1})
	hop.Step(24 * ms)
	if p, v := hop.Ball(); p.Z != ballR || v.Z != 0 {
		t.Errorf("after a hop of 20 ms: got the ball at %v with %v, want it rolling", p, v)
	}
	e.Step(time.Minute)
	if p, v := e.Ball(); p.Z != ballR || v != (soccer.Vec3{}) {
		t.Errorf("a minute later: got the ball at %v with %v", p, v)
	}
}

func TestPassesOverARobot(t *testing.T) {
	for _, c := range []struct {
		up   float64
		over bool
	}{{5, true}, {4.2, true}, {3.5, false}, {0, false}} {
		// The apex lies over the robot: 1.27, 0.90, 0.62 m above where the ball lay.
		e := kicked(t, sim.DefaultConfig(), soccer.Vec3{X: -2}, soccer.Vec3{X: max(2*gravity/max(c.up, 1), 2), Z: c.up})
		must(t, e.AddRobot(1, soccer.Pose{}))
		e.Step(1500 * ms)
		if p, _ := e.Ball(); (p.X > 0.3) != c.over {
			t.Errorf("kicked up with %v m/s: got the ball at %v", c.up, p)
		}
	}
}

func TestHeads(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(1, soccer.Pose{X: 1}))
	_, err := e.AddObstacle(soccer.Vec{X: -1})
	must(t, err)
	for _, x := range []float64{1, -1} {
		must(t, e.PlaceBall(soccer.Vec3{X: x, Z: sim.BodyHeight + ballR + 0.001}))
		if err := e.PlaceBall(soccer.Vec3{X: x, Z: sim.BodyHeight + ballR - 0.001}); !errors.Is(err, sim.ErrOverlap) {
			t.Errorf("ball overlapping a round head by 1 mm: got %v", err)
		}
		// No ball stays on one, wherever beside its middle it falls.
		must(t, e.PlaceBall(soccer.Vec3{X: x + 0.01, Z: 1.5}))
		e.Step(10 * time.Second)
		if p, _ := e.Ball(); p.Z != ballR {
			t.Errorf("got the ball at rest at %v", p)
		}
	}
}

// TestWedge shoots the ball between two robots with a gap that is too narrow. If less than a millimetre is missing, the
// ball may pass within one sub-step.
func TestWedge(t *testing.T) {
	for _, short := range []float64{1e-6, 1e-4, 1e-3, 0.01, 0.1} {
		for _, offset := range []float64{0, 0.003, 0.05} {
			e := kicked(t, sim.DefaultConfig(), soccer.Vec3{X: -2, Y: offset}, soccer.Vec3{X: 15})
			y := soccer.RobotRadius + ballR - short/2
			must(t, e.AddRobot(1, soccer.Pose{Y: y}))
			must(t, e.AddRobot(2, soccer.Pose{Y: -y}))
			before := energy(e)
			for range 500 {
				e.Step(2 * ms)
				checkFree(t, e)
				if p, _ := e.Ball(); p.X > 0 && short >= 1e-3 {
					t.Fatalf("gap %v m too narrow: got the ball behind it at %v", short, p)
				}
				if now := energy(e); now > before+1e-9 {
					t.Fatalf("energy increased from %v to %v", before, now)
				}
				before = energy(e)
			}
		}
	}
}

func TestOddConfigs(t *testing.T) {
	nan := math.NaN()
	for _, cfg := range []sim.Config{
		{},
		{Field: soccer.MSL18x12(), Physics: sim.Physics{Friction: nan, Restitution: nan, Bounce: nan}},
		{Field: soccer.MSL18x12(), Physics: sim.Physics{Friction: math.Inf(1), Restitution: 7, Bounce: -1}},
		{Field: soccer.Field{Length: nan, Width: -1, Border: math.Inf(1), GoalWidth: nan}},
	} {
		e := sim.New(cfg)
		_ = e.Scatter([]uint8{1}, 1)
		must(t, e.KickBall(soccer.Vec3{X: 3, Y: 1, Z: 4}))
		e.Step(3 * time.Second)
		p, v := e.Ball()
		for _, x := range []float64{p.X, p.Y, p.Z, v.X, v.Y, v.Z} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%+v: ball at %v with %v", cfg, p, v)
			}
		}
	}
}

// energy returns the energy of the ball per kg.
func energy(e *sim.Engine) float64 {
	p, v := e.Ball()
	return gravity*p.Z + (v.X*v.X+v.Y*v.Y+v.Z*v.Z)/2
}

// checkFree fails if the ball is outside the boundary or overlaps something.
func checkFree(t testing.TB, e *sim.Engine) {
	t.Helper()
	f := sim.DefaultConfig().Field
	p, v := e.Ball()
	if !(math.Abs(p.X) <= f.Length/2+f.Border-ballR+1e-9 && math.Abs(p.Y) <= f.Width/2+f.Border-ballR+1e-9 &&
		p.Z >= ballR && p.Z <= sim.Ceiling) {
		t.Fatalf("got the ball at %v with %v, outside the boundary", p, v)
	}
	body := func(what string, at soccer.Vec, radius float64) {
		if d := math.Hypot(p.X-at.X, p.Y-at.Y); p.Z < sim.BodyHeight-radius && d < radius+ballR-1e-9 {
			t.Fatalf("got the ball at %v overlapping by %v m the %s at %v", p, radius+ballR-d, what, at)
		}
	}
	for id := range 8 {
		if pose, there := e.RobotPose(uint8(id)); there {
			body("a robot", pose.XY(), soccer.RobotRadius)
		}
	}
	for _, o := range e.Obstacles() {
		body("an obstacle", o, sim.ObstacleRadius)
	}
	goal := f.Length / 2
	inGoal := math.Abs(p.Y) < f.GoalWidth/2 && math.Abs(p.X) > goal
	if inGoal && math.Abs(p.X) > goal+f.GoalDepth-ballR+1e-9 {
		t.Fatalf("got the ball at %v behind the back of the goal", p)
	}
	if math.Abs(p.X) > goal && math.Abs(math.Abs(p.Y)-f.GoalWidth/2) < ballR-1e-9 {
		t.Fatalf("got the ball at %v in the side net of a goal", p)
	}
}

func TestRandomWorlds(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for world := range 60 {
		cfg := sim.DefaultConfig()
		cfg.Seed = uint64(world)
		cfg.Restitution = r.Float64()
		cfg.Bounce = r.Float64()
		if world%3 == 0 {
			cfg.Friction, cfg.Restitution, cfg.Bounce = 0, 1, 1
		}
		e := sim.New(cfg)
		must(t, e.Scatter([]uint8{1, 2, 3, 4, 5, 6}, 4+world%30))
		for range 6 {
			direction, speed, up := r.Float64()*2*math.Pi, r.Float64()*18, r.Float64()*8
			if world%2 == 0 {
				up = 0
			}
			must(t, e.KickBall(soccer.Vec3{X: speed * math.Cos(direction), Y: speed * math.Sin(direction), Z: up}))
			before := energy(e)
			for range 300 {
				e.Step(10 * ms)
				after := energy(e)
				if after > before+1e-9 {
					p, v := e.Ball()
					t.Fatalf("world %d: energy increased from %v to %v at %v with %v", world, before, after, p, v)
				}
				before = after
				checkFree(t, e)
			}
		}
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	e := kicked(t, sim.DefaultConfig(), soccer.Vec3{}, soccer.Vec3{X: 9, Y: 4, Z: 3})
	if n := testing.AllocsPerRun(100, func() { e.Step(10 * ms) }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

// FuzzOperations applies arbitrary sequences of calls and checks that the ball stays on the field and outside of
// bodies.
func FuzzOperations(f *testing.F) {
	f.Add([]byte("0\x10\x20\x30 1\x40\x50\x60 2\x00\x00\x00 3\x80\x80\x80"))
	f.Add([]byte{0, 128, 128, 1, 1, 150, 128, 2, 2, 255, 128, 128, 5, 255, 255, 255, 3, 128, 130, 3, 6, 5, 5, 5})
	f.Fuzz(func(t *testing.T, ops []byte) {
		e := sim.New(sim.DefaultConfig())
		cam := sim.DefaultCamera()
		var sense soccer.Sense
		for n := 0; len(ops) >= 4 && n < 100; n++ {
			op, x, y, id := ops[0]%8, (float64(ops[1])-128)/12, (float64(ops[2])-128)/18, ops[3]%8
			ops = ops[4:]
			before := energy(e)
			switch op {
			case 0:
				_ = e.AddRobot(id, soccer.Pose{X: x, Y: y, Theta: x})
			case 1:
				_ = e.MoveRobot(id, soccer.Pose{X: x, Y: y, Theta: y})
			case 2:
				_ = e.KickBall(soccer.Vec3{X: 2 * x, Y: 2 * y, Z: float64(id)})
				before = energy(e)
			case 3:
				_, _ = e.AddObstacle(soccer.Vec{X: x, Y: y})
			case 4:
				_ = e.MoveObstacle(int(id), soccer.Vec{X: x, Y: y})
			case 5:
				_ = e.PlaceBall(soccer.Vec3{X: x, Y: y, Z: float64(id)})
				before = energy(e)
			case 6:
				e.Step(time.Duration(id) * 333 * ms / 10)
			case 7:
				_ = e.Look(id, &cam, &sense)
			}
			if after := energy(e); after > before+1e-9 {
				t.Fatalf("operation %d: energy increased from %v to %v", op, before, after)
			}
			checkFree(t, e)
		}
	})
}

func BenchmarkStep(b *testing.B) {
	e := sim.New(sim.DefaultConfig())
	must(b, e.Scatter([]uint8{1, 2, 3, 4, 5, 6}, 4))
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%100 == 0 {
			must(b, e.KickBall(soccer.Vec3{X: 5, Y: 3}))
		}
		e.Step(10 * ms)
	}
}
