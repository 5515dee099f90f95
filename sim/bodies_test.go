package sim_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

const players = 10

// scrum is ten driven robots that mostly drive at the ball, with random turns, dribblers and kicks.
type scrum struct {
	e *sim.Engine
	r *rand.Rand
	n uint32
}

func newScrum(t testing.TB, seed uint64) *scrum {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.Seed = seed
	s := &scrum{e: sim.New(cfg), r: rand.New(rand.NewPCG(seed, 2))}
	ids := make([]uint8, players)
	for i := range ids {
		ids[i] = uint8(i + 1)
	}
	must(t, s.e.Scatter(ids, 3))
	return s
}

// command gives a robot a new command.
func (s *scrum) command(t testing.TB, id uint8) {
	s.n++
	m := soccer.Motor{Dribbler: float64(s.n / 3 % 2), KickSpeed: 14 * s.r.Float64(), KickElevation: s.r.Float64()}
	if s.r.IntN(20) == 0 {
		m.Kick = s.n
	}
	if s.r.IntN(3) == 0 {
		m.Twist = soccer.Twist{X: s.r.Float64()*10 - 5, Y: s.r.Float64()*10 - 5, Theta: s.r.Float64()*16 - 8}
	} else {
		p := pose(t, s.e, id)
		ball, _ := s.e.Ball()
		x, y := ball.X-p.X, ball.Y-p.Y
		sin, cos := math.Sincos(p.Theta)
		m.Twist = soccer.Twist{X: 3 * (cos*x + sin*y), Y: 3 * (cos*y - sin*x), Theta: 4 * math.Atan2(cos*y-sin*x, cos*x+sin*y)}
	}
	must(t, s.e.Command(id, &m))
}

// step gives about every fifth robot a new command, and simulates dt.
func (s *scrum) step(t testing.TB, dt time.Duration) {
	for id := uint8(1); id <= players; id++ {
		if s.r.IntN(5) == 0 {
			s.command(t, id)
		}
	}
	s.e.Step(dt)
}

// checkScene fails for bodies that overlap or lie outside, and for speeds that nothing on the field can have.
func checkScene(t testing.TB, e *sim.Engine) {
	t.Helper()
	const overlap = 2e-4 // m
	f := soccer.MSL18x12()
	x, y := f.Length/2+f.Border, f.Width/2+f.Border
	ball, v := e.Ball()
	speed := math.Sqrt(v.X*v.X + v.Y*v.Y + v.Z*v.Z)
	if !(math.Abs(ball.X) <= x && math.Abs(ball.Y) <= y && ball.Z >= soccer.BallRadius-1e-9 && speed <= 25) {
		t.Fatalf("ball at %+v with %+v", ball, v)
	}
	obstacles := e.Obstacles()
	for id := uint8(1); id <= players; id++ {
		p, v, _ := e.Robot(id)
		if !(math.Abs(p.X) <= x-soccer.RobotRadius+overlap && math.Abs(p.Y) <= y-soccer.RobotRadius+overlap &&
			math.Abs(p.Theta) <= math.Pi && math.Hypot(v.X, v.Y) <= 6 && math.Abs(v.Theta) <= 6+1e-9) {
			t.Fatalf("robot %d at %+v with %+v", id, p, v)
		}
		for other := id + 1; other <= players; other++ {
			if d := p.XY().Sub(pose(t, e, other).XY()).Len(); d < 2*soccer.RobotRadius-overlap {
				t.Fatalf("robots %d and %d overlap by %g m", id, other, 2*soccer.RobotRadius-d)
			}
		}
		for i, o := range obstacles {
			if d := p.XY().Sub(o).Len(); d < soccer.RobotRadius+sim.ObstacleRadius-overlap {
				t.Fatalf("robot %d overlaps obstacle %d by %g m", id, i, soccer.RobotRadius+sim.ObstacleRadius-d)
			}
		}
		for _, post := range [...]float64{-1, 1} {
			at := soccer.Vec{X: math.Copysign(f.Length/2, p.X), Y: post * f.GoalWidth / 2}
			if d := p.XY().Sub(at).Len(); d < soccer.RobotRadius-overlap {
				t.Fatalf("robot %d overlaps a post by %g m", id, soccer.RobotRadius-d)
			}
		}
		d := ball.XY().Sub(p.XY()).Len()
		if reach := soccer.RobotRadius + soccer.BallRadius; ball.Z < sim.BodyHeight-soccer.RobotRadius && d < reach-1e-6 {
			t.Fatalf("the ball overlaps robot %d by %g m", id, reach-d)
		}
	}
}

func TestScrum(t *testing.T) {
	steps := 3000
	if testing.Short() {
		steps = 300
	}
	for seed := range uint64(6) {
		s := newScrum(t, seed)
		for i := range steps {
			s.step(t, []time.Duration{20 * ms, 10 * ms, 3 * ms, 7*ms + 123}[i%4])
			checkScene(t, s.e)
		}
	}
}

// A restored scrum goes on as the original, and equal calls give equal bytes.
func TestRestoredScrum(t *testing.T) {
	a := newScrum(t, 7)
	for range 500 {
		a.step(t, 20*ms)
	}
	kept := a.e.AppendState(nil)
	b := newScrum(t, 7)
	for range 500 {
		b.step(t, 20*ms)
	}
	if !bytes.Equal(b.e.AppendState(nil), kept) {
		t.Fatal("the same calls gave two states")
	}
	must(t, b.e.Restore(kept))
	if !bytes.Equal(b.e.AppendState(nil), kept) {
		t.Fatal("a restored state has other bytes")
	}
	for i := range 500 {
		a.step(t, 20*ms)
		b.step(t, 20*ms)
		if !bytes.Equal(a.e.AppendState(nil), b.e.AppendState(nil)) {
			t.Fatalf("step %d after the restart differs", i)
		}
	}
}

// BenchmarkMatch simulates a second of a game: two robots fight for the ball with dribblers and kicks, eight drive to
// places on the field that change every second, and each gets 50 commands.
func BenchmarkMatch(b *testing.B) {
	s := newScrum(b, 1)
	var to [players + 1]soccer.Vec
	n := 0
	second := func() {
		if ball, _ := s.e.Ball(); math.Abs(ball.X) > 9 || math.Abs(ball.Y) > 6 {
			_ = s.e.PlaceBall(soccer.Vec3{}) // the referee; a robot may stand there
		}
		for i := range 50 {
			for id := uint8(1); id <= players; id++ {
				if i == 0 {
					to[id] = soccer.Vec{X: s.r.Float64()*16 - 8, Y: s.r.Float64()*10 - 5}
				}
				at := to[id]
				if id <= 2 {
					ball, _ := s.e.Ball()
					at = ball.XY()
				}
				p := pose(b, s.e, id)
				x, y := at.X-p.X, at.Y-p.Y
				sin, cos := math.Sincos(p.Theta)
				x, y = cos*x+sin*y, cos*y-sin*x
				m := soccer.Motor{Twist: soccer.Twist{X: 3 * x, Y: 3 * y, Theta: 4 * y}, Dribbler: 1, KickSpeed: 8}
				if n++; i%10 == 9 {
					m.Kick = uint32(n)
				}
				must(b, s.e.Command(id, &m))
			}
			s.e.Step(20 * ms)
		}
	}
	for range 20 {
		second()
	}
	b.ReportAllocs()
	for b.Loop() {
		second()
	}
}

// Robots in their first second of contact lose energy and gain none.
func TestCollisionsGiveNoEnergy(t *testing.T) {
	for _, offset := range []float64{0, 0.1, 0.3, 0.5} {
		e := alone(t)
		must(t, e.AddRobot(2, soccer.Pose{X: 0, Y: offset, Theta: math.Pi}))
		energy := func() float64 {
			sum := 0.0
			for id := uint8(1); id <= 2; id++ {
				_, v, _ := e.Robot(id)
				sum += v.X*v.X + v.Y*v.Y
			}
			return sum
		}
		for range 45 {
			must(t, e.Command(1, &soccer.Motor{Twist: soccer.Twist{X: 2}}))
			must(t, e.Command(2, &soccer.Motor{Twist: soccer.Twist{X: 2}}))
			e.Step(20 * ms)
		}
		most := energy()
		must(t, e.Command(1, &soccer.Motor{}))
		must(t, e.Command(2, &soccer.Motor{}))
		for range 200 { // both brake, and meet meanwhile
			e.Step(3 * ms)
			if now := energy(); now > most+1e-12 {
				t.Fatalf("offset %g m: the energy rises from %g to %g", offset, most, now)
			} else {
				most = now
			}
		}
	}
}

// A robot shoves one that stands, and cannot push it slowly; a robot that is not driven is a post.
func TestShove(t *testing.T) {
	run := func(speed float64, driven bool) (way float64) {
		e := alone(t)
		must(t, e.AddRobot(2, soccer.Pose{X: -2}))
		if driven {
			must(t, e.Command(2, &soccer.Motor{}))
		}
		steer(t, e, 1, ahead(speed), 300*ms)
		for pose(t, e, 2).X-pose(t, e, 1).X > 0.53 {
			steer(t, e, 1, ahead(speed), 20*ms)
		}
		steer(t, e, 1, ahead(speed), 2*time.Second)
		return pose(t, e, 2).X + 2
	}
	if way := run(2, false); way != 0 {
		t.Errorf("a robot that is not driven was shoved by %g m", way)
	}
	if way := run(0.09, true); way != 0 {
		t.Errorf("a slow push moved a standing robot by %g m", way)
	}
	// Both have 1 m/s after the shock. One brakes with 4 m/s^2, the other pushes with as much: they go on with 1 m/s until
	// their wheels' forces differ.
	if way := run(2, true); way < 0.1 {
		t.Errorf("a robot with 2 m/s shoved one that stands by %g m", way)
	}
}

// However a span is divided, a robot in the open gets to the same place: at whole multiples of 10 ms the same bits, else
// within millimetres, because the desired velocity turns with the robot.
func TestDivisionOfStep(t *testing.T) {
	run := func(parts ...time.Duration) soccer.Pose {
		e := alone(t)
		m := soccer.Motor{Twist: soccer.Twist{X: 2, Y: 0.5, Theta: 1.5}}
		for range 20 {
			must(t, e.Command(1, &m))
			for _, part := range parts {
				e.Step(part)
			}
		}
		return pose(t, e, 1)
	}
	want := run(100 * ms)
	if got := run(10*ms, 20*ms, 70*ms); got != want {
		t.Errorf("in steps of 10, 20 and 70 ms it gets to %+v, in steps of 100 ms to %+v", got, want)
	}
	if got := run(1*ms, 33*ms, 7*ms, 59*ms); got.XY().Sub(want.XY()).Len() > 5e-3 || math.Abs(got.Theta-want.Theta) > 1e-9 {
		t.Errorf("in uneven steps it gets to %+v, in steps of 100 ms to %+v", got, want)
	}
}

// No ball flies through a robot, whichever way and how fast both move.
func TestNoTunnelling(t *testing.T) {
	for _, speed := range []float64{1, 4, 11, 20} {
		for _, drive := range []float64{-4, 0, 4} {
			for _, y := range []float64{0, 0.1, -0.25} {
				e := sim.New(exactKicks())
				must(t, e.PlaceBall(soccer.Vec3{X: 5, Y: y}))
				must(t, e.AddRobot(1, soccer.Pose{}))
				steer(t, e, 1, ahead(drive), 200*ms)
				must(t, e.KickBall(soccer.Vec3{X: -speed}))
				for before := true; e.Now().Sub(soccer.Epoch) < 2*time.Second && before; {
					must(t, e.Command(1, &soccer.Motor{Twist: soccer.Twist{X: drive}}))
					e.Step(ms)
					ball, _ := e.Ball()
					p := pose(t, e, 1)
					before = ball.X >= p.X
					if past := math.Abs(ball.Y - p.Y); !before && past < soccer.RobotRadius+soccer.BallRadius-0.01 {
						t.Fatalf("a ball with %g m/s passes a robot with %g m/s at %g m", speed, drive, past)
					}
				}
			}
		}
	}
}

// A robot that presses the ball against the boundary, a post or another robot stops at the ball; the ball stays on the
// field, and is free when the robot leaves.
func TestPressedBall(t *testing.T) {
	for _, c := range []struct {
		name  string
		robot soccer.Pose
		ball  soccer.Vec3
	}{
		{"boundary", soccer.Pose{X: 3, Y: 5, Theta: math.Pi / 2}, soccer.Vec3{X: 3, Y: 6}},
		{"corner", soccer.Pose{X: 8, Y: 5, Theta: math.Pi / 4}, soccer.Vec3{X: 9, Y: 6}},
		{"goal", soccer.Pose{X: 8, Theta: 0}, soccer.Vec3{X: 8.7}},
		{"post", soccer.Pose{X: 8, Y: soccer.MSL18x12().GoalWidth / 2}, soccer.Vec3{X: 8.5, Y: soccer.MSL18x12().GoalWidth / 2}},
	} {
		e := sim.New(exactKicks())
		must(t, e.PlaceBall(c.ball))
		must(t, e.AddRobot(1, c.robot))
		for range 150 {
			steer(t, e, 1, ahead(3), 20*ms)
			ball, _ := e.Ball()
			if d := ball.XY().Sub(pose(t, e, 1).XY()).Len(); !e.Inside(ball.XY()) || d < soccer.RobotRadius+soccer.BallRadius-1e-6 {
				t.Fatalf("%s: ball at %+v, %g m from the robot", c.name, ball, d)
			}
		}
		steer(t, e, 1, ahead(-2), time.Second)
		must(t, e.KickBall(soccer.Vec3{X: -1, Y: -1}))
		was, _ := e.Ball()
		e.Step(200 * ms)
		if ball, _ := e.Ball(); ball.XY().Sub(was.XY()).Len() < 0.1 {
			t.Errorf("%s: the ball is not free: %+v", c.name, ball)
		}
	}
}

// Robots that drive off the field stop at the boundary, and in the goal at its net.
func TestRobotsStayInside(t *testing.T) {
	f := soccer.MSL18x12()
	for _, want := range []struct{ from, to soccer.Pose }{
		{soccer.Pose{X: 5, Y: 5, Theta: math.Pi / 2}, soccer.Pose{X: 5, Y: f.Width/2 + f.Border - soccer.RobotRadius}},
		{soccer.Pose{X: -8, Y: 4, Theta: math.Pi}, soccer.Pose{X: -f.Length/2 - f.Border + soccer.RobotRadius, Y: 4}},
		{soccer.Pose{X: 8}, soccer.Pose{X: f.Length/2 + f.GoalDepth - soccer.RobotRadius}},
	} {
		e := sim.New(exactKicks())
		must(t, e.PlaceBall(soccer.Vec3{}))
		must(t, e.AddRobot(1, want.from))
		steer(t, e, 1, ahead(4), 3*time.Second)
		if p := pose(t, e, 1); p.XY().Sub(want.to.XY()).Len() > 1e-4 {
			t.Errorf("from %+v it gets to %+v, want %+v", want.from, p, want.to)
		}
	}
}

// FuzzMotors drives robots with arbitrary commands, steps and places; whatever happens, the scene stays possible.
func FuzzMotors(f *testing.F) {
	f.Add([]byte("drive and kick, push and turn, place and step"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newScrum(t, 3)
		value := func(scale float64) float64 {
			if len(b) == 0 {
				return 0
			}
			x := float64(int8(b[0])) / 127 * scale
			b = b[1:]
			return x
		}
		for len(b) > 0 {
			id := uint8(value(127))%players + 1
			switch int(value(127)) & 7 {
			case 0:
				_ = s.e.MoveRobot(id, soccer.Pose{X: value(11), Y: value(8), Theta: value(4)})
			case 1:
				_ = s.e.PlaceBall(soccer.Vec3{X: value(11), Y: value(8), Z: value(2)})
			case 2:
				_ = s.e.KickBall(soccer.Vec3{X: value(13), Y: value(13), Z: value(8)})
			case 3:
				s.e.Release(id)
			default:
				_ = s.e.Command(id, &soccer.Motor{
					Twist:    soccer.Twist{X: value(6), Y: value(6), Theta: value(9)},
					Dribbler: value(1), Kick: uint32(value(9)), KickSpeed: value(15), KickElevation: value(1.5),
				})
			}
			for id := uint8(1); id <= players && len(b)%3 == 0; id++ {
				s.command(t, id)
			}
			s.e.Step(time.Duration(value(127)) * ms)
			checkScene(t, s.e)
		}
	})
}

func TestDrivenStepDoesNotAllocate(t *testing.T) {
	s := newScrum(t, 2)
	for range 2000 { // until the scratch slices have grown
		s.step(t, 20*ms)
	}
	if n := testing.AllocsPerRun(500, func() { s.step(t, 20*ms) }); n > 0 {
		t.Errorf("a step of driven robots makes %g allocations", n)
	}
}
