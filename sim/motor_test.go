package sim_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

// exactKicks is the practical session's field with kicks without errors.
func exactKicks() sim.Config {
	cfg := sim.DefaultConfig()
	cfg.Kicker = sim.Kicker{}
	return cfg
}

// alone is a field with robot 1 at the left, facing +x, and the ball far away.
func alone(t testing.TB) *sim.Engine {
	t.Helper()
	e := sim.New(exactKicks())
	must(t, e.PlaceBall(soccer.Vec3{X: 8, Y: 5}))
	must(t, e.AddRobot(1, soccer.Pose{X: -4}))
	return e
}

// steer repeats a command every 20 ms.
func steer(t testing.TB, e *sim.Engine, id uint8, m soccer.Motor, d time.Duration) {
	t.Helper()
	for range d / (20 * ms) {
		must(t, e.Command(id, &m))
		e.Step(20 * ms)
	}
}

func ahead(speed float64) soccer.Motor { return soccer.Motor{Twist: soccer.Twist{X: speed}} }

func TestCommandedRobotMoves(t *testing.T) {
	e := alone(t)
	steer(t, e, 1, ahead(1), 2*time.Second)
	// It accelerates with 4 m/s^2 to 1 m/s: 0.125 m less than 2 m.
	p, v, _ := e.Robot(1)
	if math.Abs(p.X+2.125) > 0.003 || p.Y != 0 || p.Theta != 0 || v != (soccer.Twist{X: 1}) {
		t.Errorf("after 2 s at 1 m/s from -4 m it is at %+v with %+v, want x = -2.125 m", p, v)
	}
	if travel, ok := e.Travel(1); !ok || math.Abs(travel.X-1.875) > 0.003 || travel.Y != 0 {
		t.Errorf("its wheels measured %+v, want 1.875 m", travel)
	}
	// 300 ms after the last command it brakes, and stands 0.125 m later.
	e.Step(2 * time.Second)
	if q, v, _ := e.Robot(1); math.Abs(q.X-p.X-0.425) > 0.02 || v != (soccer.Twist{}) {
		t.Errorf("without commands it goes on to %+v with %+v, want 0.425 m", q, v)
	}
}

func TestRobotsDoNotOverlap(t *testing.T) {
	e := alone(t)
	must(t, e.AddRobot(2, soccer.Pose{X: -2}))
	steer(t, e, 1, ahead(3), 3*time.Second)
	if p := pose(t, e, 1); math.Abs(p.X+2.52) > 1e-6 || pose(t, e, 2) != (soccer.Pose{X: -2}) {
		t.Errorf("it is at %+v, want beside the robot at (-2, 0), which is not driven", p)
	}
}

func TestCommandRefuses(t *testing.T) {
	e := alone(t)
	must(t, e.Command(1, &soccer.Motor{}))
	state := string(e.AppendState(nil))
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		id   uint8
		m    soccer.Motor
		want error
		text string
	}{
		{1, ahead(nan), sim.ErrRange, "motor command of robot 1: velocity ahead NaN m/s: want -100 to 100 m/s"},
		{1, soccer.Motor{Twist: soccer.Twist{Y: -inf}}, sim.ErrRange, "velocity to the left -Inf"},
		{1, soccer.Motor{Twist: soccer.Twist{Theta: 101}}, sim.ErrRange, "angular velocity 101 rad/s"},
		{1, soccer.Motor{Dribbler: 1.5}, sim.ErrRange, "dribbler 1.5: want 0 to 1"},
		{1, soccer.Motor{KickSpeed: -1}, sim.ErrRange, "kick speed -1 m/s: want 0 to 100 m/s"},
		{1, soccer.Motor{KickElevation: 2}, sim.ErrRange, "kick elevation 2 rad"},
		{2, ahead(1), sim.ErrUnknown, "robot 2 is not on the field"},
	} {
		if err := e.Command(c.id, &c.m); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%+v: got %v, want %q", c.m, err, c.text)
		}
	}
	if string(e.AppendState(nil)) != state {
		t.Error("a refused command changed something")
	}
	v := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
	must(t, v.AddRobot(1, soccer.Pose{}))
	if m := ahead(1); !errors.Is(v.Command(1, &m), sim.ErrRange) {
		t.Error("a robot on two wheels takes a motor command")
	}
}

func TestKick(t *testing.T) {
	e := alone(t)
	must(t, e.PlaceBall(soccer.Vec3{X: -4 + 0.42}))
	if !e.HoldsBall(1) {
		t.Fatal("the ball is 5 cm in front of it, and it does not hold it")
	}
	must(t, e.Command(1, &soccer.Motor{Kick: 7, KickSpeed: 8, KickElevation: 0.5}))
	e.Step(20 * ms)
	kicks := e.Kicks()
	_, v := e.Ball()
	if len(kicks) != 1 || kicks[0].Robot != 1 || kicks[0].Number != 7 || math.Abs(v.X-8*math.Cos(0.5)) > 1e-9 ||
		math.Abs(v.Z-8*math.Sin(0.5)) > 0.2 || v.Y != 0 {
		t.Fatalf("got kicks %+v and a ball with %+v m/s", kicks, v)
	}
	if id, at, ok := e.LastTouch(); !ok || id != 1 || at != kicks[0].At {
		t.Errorf("the last touch is of robot %d at %d, %t", id, at, ok)
	}
	// The same number is the same kick, and a kick without a ball is none.
	must(t, e.PlaceBall(soccer.Vec3{X: -4 + 0.42}))
	steer(t, e, 1, soccer.Motor{Kick: 7, KickSpeed: 8}, 100*ms)
	if _, v := e.Ball(); len(e.Kicks()) > 0 || v != (soccer.Vec3{}) {
		t.Errorf("a repeated command kicked again: %+v", v)
	}
	if _, _, ok := e.LastTouch(); ok {
		t.Error("a ball that was placed has a last touch")
	}
}

// withBall is a field with robot 1 in the centre, facing +x, that dribbles the ball.
func withBall(t testing.TB) *sim.Engine {
	t.Helper()
	e := sim.New(exactKicks())
	must(t, e.PlaceBall(soccer.Vec3{X: 0.4}))
	must(t, e.AddRobot(1, soccer.Pose{}))
	steer(t, e, 1, soccer.Motor{Dribbler: 1}, 300*ms)
	return e
}

func TestDribblerKeepsAndLosesTheBall(t *testing.T) {
	for _, c := range []struct {
		name string
		m    soccer.Motor
		keep bool
	}{
		{"straight ahead", ahead(3), true},
		{"backwards", ahead(-2), true},
		{"an arc", soccer.Motor{Twist: soccer.Twist{X: 1.5, Theta: 1.5}}, true},
		{"a turn on the spot", soccer.Motor{Twist: soccer.Twist{Theta: 3}}, true},
		{"a fast turn", soccer.Motor{Twist: soccer.Twist{Theta: 5.5}}, false},
		{"a slalom that is too sharp", soccer.Motor{Twist: soccer.Twist{X: -4, Theta: 4}}, false},
	} {
		e := withBall(t)
		c.m.Dribbler = 1
		steer(t, e, 1, c.m, time.Second)
		if e.HoldsBall(1) != c.keep {
			ball, v := e.Ball()
			t.Errorf("%s: holds the ball: %t, want %t; it is at %+v, the ball at %+v with %+v", c.name, !c.keep, c.keep,
				pose(t, e, 1), ball, v)
		}
	}
	e := withBall(t)
	steer(t, e, 1, ahead(2), 600*ms)
	steer(t, e, 1, soccer.Motor{}, time.Second)
	if e.HoldsBall(1) {
		t.Error("without a dribbler the ball stays at a robot that brakes")
	}
}

// The ball at the dribbler stays out of the body, and its speed is that of the robot.
func TestDribbledBallMovesWithTheRobot(t *testing.T) {
	e := withBall(t)
	steer(t, e, 1, soccer.Motor{Twist: soccer.Twist{X: 2}, Dribbler: 1}, time.Second)
	ball, v := e.Ball()
	p := pose(t, e, 1)
	const want = soccer.RobotRadius + soccer.BallRadius + 0.01
	if gap := ball.X - p.X - want; math.Abs(gap) > 0.02 || math.Abs(v.X-2) > 0.05 || ball.Y != 0 {
		t.Errorf("the robot is at %+v, the ball at %+v with %+v", p, ball, v)
	}
	if id, at, ok := e.LastTouch(); !ok || id != 1 || e.Now().Sub(at) > 10*ms {
		t.Errorf("the last touch is of robot %d, %v ago", id, e.Now().Sub(at))
	}
}

// A robot that drives into a dribbled ball from the side takes it away.
func TestContactWinsTheBall(t *testing.T) {
	e := withBall(t)
	must(t, e.AddRobot(2, soccer.Pose{X: 0.5, Y: -2, Theta: math.Pi / 2}))
	for range 60 {
		must(t, e.Command(1, &soccer.Motor{Dribbler: 1}))
		must(t, e.Command(2, &soccer.Motor{Twist: soccer.Twist{X: 2.5}, Dribbler: 1}))
		e.Step(20 * ms)
	}
	if ball, v := e.Ball(); e.HoldsBall(1) || !e.HoldsBall(2) {
		t.Errorf("the ball stays: it is at %+v with %+v, the robots at %+v and %+v", ball, v, pose(t, e, 1), pose(t, e, 2))
	}
	if id, _, _ := e.LastTouch(); id != 2 {
		t.Errorf("robot %d touched it last, want 2", id)
	}
}

// Two robots that press the ball from both sides do not hold it there for ever: it pops out to the side.
func TestPressedBallPopsOut(t *testing.T) {
	for _, y := range []float64{0, 1e-6, 0.01} {
		e := sim.New(exactKicks())
		must(t, e.PlaceBall(soccer.Vec3{Y: y}))
		must(t, e.AddRobot(1, soccer.Pose{X: -1}))
		must(t, e.AddRobot(2, soccer.Pose{X: 1, Theta: math.Pi}))
		for range 100 {
			for id := uint8(1); id <= 2; id++ {
				must(t, e.Command(id, &soccer.Motor{Twist: soccer.Twist{X: 2}, Dribbler: 1}))
			}
			e.Step(20 * ms)
		}
		if ball, _ := e.Ball(); math.Abs(ball.Y) < soccer.RobotRadius {
			t.Errorf("the ball, %g m beside the middle, is at %+v after 2 s between two robots", y, ball)
		}
	}
}

// A ball that rolls into a gap between robots moves none of them, also where others were removed.
func TestBallMovesNoRobot(t *testing.T) {
	e := sim.New(exactKicks())
	for id := uint8(1); id <= 4; id++ {
		must(t, e.AddRobot(id, soccer.Pose{X: float64(id), Y: -1}))
		steer(t, e, id, ahead(0.5), 200*ms)
	}
	e.Step(time.Second)
	e.RemoveRobot(2)
	must(t, e.AddRobot(5, soccer.Pose{X: 0, Y: 3}))
	must(t, e.MoveRobot(3, soccer.Pose{X: 1, Y: 0.31}))
	must(t, e.MoveRobot(4, soccer.Pose{X: 1, Y: -0.31}))
	must(t, e.PlaceBall(soccer.Vec3{}))
	must(t, e.KickBall(soccer.Vec3{X: 5}))
	before := [...]soccer.Pose{pose(t, e, 1), pose(t, e, 3), pose(t, e, 4), pose(t, e, 5)}
	e.Step(3 * time.Second)
	if after := [...]soccer.Pose{pose(t, e, 1), pose(t, e, 3), pose(t, e, 4), pose(t, e, 5)}; after != before {
		t.Errorf("the ball moved robots from %+v to %+v", before, after)
	}
}

// A dribbler catches a pass, and a shot bounces off.
func TestDribblerCatches(t *testing.T) {
	for speed, caught := range map[float64]bool{1: true, 2.5: true, 9: false} {
		e := alone(t)
		must(t, e.PlaceBall(soccer.Vec3{X: -3.2}))
		must(t, e.KickBall(soccer.Vec3{X: -speed}))
		steer(t, e, 1, soccer.Motor{Dribbler: 1}, 3*time.Second)
		if e.HoldsBall(1) != caught {
			ball, v := e.Ball()
			t.Errorf("a ball of %g m/s was caught: %t; it is at %+v with %+v", speed, !caught, ball, v)
		}
	}
}

func TestKicksErr(t *testing.T) {
	const n = 400
	cfg := sim.DefaultConfig()
	run := func(seed uint64) (speeds, turns []float64) {
		cfg.Seed = seed
		e := sim.New(cfg)
		must(t, e.AddRobot(1, soccer.Pose{}))
		for i := range n {
			must(t, e.PlaceBall(soccer.Vec3{X: 0.4}))
			must(t, e.Command(1, &soccer.Motor{Kick: uint32(i + 1), KickSpeed: 8}))
			e.Step(2 * ms)
			v := e.Kicks()[0].Velocity
			speeds, turns = append(speeds, v.XY().Len()/8-1), append(turns, math.Atan2(v.Y, v.X))
		}
		return speeds, turns
	}
	sigma := func(errs []float64) float64 {
		sum := 0.0
		for _, x := range errs {
			sum += x * x
		}
		return math.Sqrt(sum / n)
	}
	speeds, turns := run(1)
	if s, a := sigma(speeds), sigma(turns)*180/math.Pi; math.Abs(s-0.03) > 0.003 || math.Abs(a-1.5) > 0.15 {
		t.Errorf("kicks err by %.4f of their speed and %.2f degrees, want 0.03 and 1.5", s, a)
	}
	if again, _ := run(1); !slices.Equal(again, speeds) {
		t.Error("the same seed gave other kicks")
	}
	if other, _ := run(2); slices.Equal(other, speeds) {
		t.Error("two seeds gave the same kicks")
	}
}

// A kick counts once also if the robot waits for the ball, and not longer than its command holds.
func TestKickWaitsForTheBall(t *testing.T) {
	for _, wait := range []time.Duration{100 * ms, 600 * ms} {
		e := alone(t)
		must(t, e.PlaceBall(soccer.Vec3{X: -3}))
		must(t, e.Command(1, &soccer.Motor{Kick: 1, KickSpeed: 5}))
		e.Step(wait)
		must(t, e.PlaceBall(soccer.Vec3{X: -3.6}))
		e.Step(50 * ms)
		if kicked := len(e.Kicks()) == 1; kicked != (wait < 300*ms) {
			t.Errorf("a ball that comes after %v was kicked: %t", wait, kicked)
		}
	}
}

// A robot that is released is a post again, and a new drive begins with new kicks and a new way.
func TestRelease(t *testing.T) {
	e := alone(t)
	steer(t, e, 1, soccer.Motor{Twist: soccer.Twist{X: 2}, Kick: 3}, time.Second)
	e.Release(1)
	p := pose(t, e, 1)
	if _, ok := e.Travel(1); ok {
		t.Error("a released robot has a way")
	}
	must(t, e.PlaceBall(soccer.Vec3{X: p.X + 0.4}))
	e.Step(time.Second)
	if pose(t, e, 1) != p {
		t.Error("a released robot moves")
	}
	steer(t, e, 1, soccer.Motor{Kick: 3, KickSpeed: 5}, 20*ms)
	if travel, ok := e.Travel(1); len(e.Kicks()) != 1 || !ok || travel != (soccer.Pose{}) {
		t.Errorf("driven again: kicks %+v, way %+v", e.Kicks(), travel)
	}
}

// A robot that somebody carries stands, and its wheels measure nothing.
func TestCarriedRobot(t *testing.T) {
	e := alone(t)
	steer(t, e, 1, ahead(1), time.Second)
	before, _ := e.Travel(1)
	must(t, e.MoveRobot(1, soccer.Pose{X: 3, Y: 2, Theta: math.Pi / 2}))
	travel, ok := e.Travel(1)
	if _, v, _ := e.Robot(1); !ok || travel.XY().Sub(before.XY()).Len() > 1e-12 || v != (soccer.Twist{}) {
		t.Errorf("carried, its wheels measured %+v after %+v, and it moves with %+v", travel, before, v)
	}
	steer(t, e, 1, ahead(1), time.Second)
	if after, _ := e.Travel(1); math.Abs(after.X-before.X-0.875) > 0.01 || math.Abs(after.Y) > 1e-9 {
		t.Errorf("then it drove 0.875 m ahead, and its wheels measured %+v after %+v", after, before)
	}
}
