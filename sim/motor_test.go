package sim_test

import (
	"errors"
	"math"
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
