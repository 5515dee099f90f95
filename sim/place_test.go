package sim_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"touchline/sim"
	"touchline/soccer"
)

func TestErrorsNameCauseAndRange(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(3, soccer.Pose{X: 2}))
	_, err := e.AddObstacle(soccer.Vec{X: -2})
	must(t, err)
	obstacle := func(p soccer.Vec) error { _, err := e.AddObstacle(p); return err }
	for _, c := range []struct {
		err  error
		is   error
		text string
	}{
		{e.PlaceBall(soccer.Vec3{X: 9.6}), sim.ErrRange,
			"ball at (9.6, 0) m is outside the boundary: want x = -9.59 to 9.59 and y = -6.59 to 6.59"},
		{e.PlaceBall(soccer.Vec3{Y: nan}), sim.ErrRange, "NaN"},
		{e.PlaceBall(soccer.Vec3{Z: nan}), sim.ErrRange, "want up to 10 m"},
		{e.PlaceBall(soccer.Vec3{Z: 11}), sim.ErrRange, "want up to 10 m"},
		{e.PlaceBall(soccer.Vec3{X: 2.1}), sim.ErrOverlap, "overlaps robot 3 by 0.270 m"},
		{e.PlaceBall(soccer.Vec3{X: 9.55}), sim.ErrOverlap, "overlaps the goal"},
		{e.KickBall(soccer.Vec3{X: 21}), sim.ErrRange, "kick of 21 m/s: want up to 20 m/s"},
		{e.KickBall(soccer.Vec3{X: nan}), sim.ErrRange, "NaN"},
		{e.KickBall(soccer.Vec3{X: 1e300}), sim.ErrRange, "Inf"},
		{e.AddRobot(3, soccer.Pose{X: 4}), sim.ErrOverlap, "robot 3 is on the field already"},
		{e.AddRobot(4, soccer.Pose{X: 2.4}), sim.ErrOverlap, "robot 4 at (2.40, 0.00) m overlaps robot 3 by 0.120 m"},
		{e.AddRobot(4, soccer.Pose{Theta: inf}), sim.ErrRange, "heading +Inf"},
		{e.AddRobot(4, soccer.Pose{Y: 6.5}), sim.ErrRange,
			"robot 4 at (0, 6.5) m is outside the boundary: want x = -9.44 to 9.44 and y = -6.44 to 6.44"},
		{e.AddRobot(4, soccer.Pose{X: 9.1, Y: 1}), sim.ErrOverlap, "overlaps the goal"},
		{e.MoveRobot(9, soccer.Pose{}), sim.ErrUnknown, "robot 9 is not on the field"},
		{e.MoveRobot(3, soccer.Pose{X: -2}), sim.ErrOverlap, "overlaps obstacle 0"},
		{obstacle(soccer.Vec{X: inf}), sim.ErrRange, "obstacle 1 at (+Inf, 0) m"},
		{obstacle(soccer.Vec{X: 2}), sim.ErrOverlap, "overlaps robot 3"},
		{e.MoveObstacle(1, soccer.Vec{}), sim.ErrUnknown, "obstacle 1: there are 1"},
		{e.MoveObstacle(-1, soccer.Vec{}), sim.ErrUnknown, "obstacle -1"},
		{e.MoveObstacle(0, soccer.Vec{X: 20}), sim.ErrRange, "obstacle 0 at (20, 0) m"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("got error %q, want %q with %q", c.err, c.is, c.text)
		}
	}
	if pose, there := e.RobotPose(3); !there || pose != (soccer.Pose{X: 2}) || len(e.Obstacles()) != 1 ||
		e.Obstacles()[0] != (soccer.Vec{X: -2}) {
		t.Error("a refused call changed the state")
	}
	e.RemoveRobot(3)
	e.RemoveRobot(3)
	if _, there := e.RobotPose(3); there {
		t.Error("RemoveRobot did not remove robot 3")
	}
}

func TestPushesTheBallAside(t *testing.T) {
	e := kicked(t, sim.DefaultConfig(), soccer.Vec3{X: 1, Y: -0.1}, soccer.Vec3{X: 1})
	must(t, e.AddRobot(1, soccer.Pose{X: 1}))
	p, v := e.Ball()
	near(t, "x", p.X, 1, 1e-6)
	near(t, "y", p.Y, -soccer.RobotRadius-ballR, 1e-6)
	if v != (soccer.Vec3{}) {
		t.Errorf("got ball velocity %v", v)
	}
	// In the corner there is room only beside the robot.
	must(t, e.PlaceBall(soccer.Vec3{X: 9.5, Y: 6.5}))
	must(t, e.MoveRobot(1, soccer.Pose{X: 9.44, Y: 6.44}))
	checkFree(t, e)
}

func TestNoRoomForTheBall(t *testing.T) {
	cfg := sim.DefaultConfig()
	cfg.Field = soccer.Field{Length: 0.86, Width: 0.53}
	corner, aside := soccer.Vec3{X: 0.32, Y: 0.15}, soccer.Vec{X: -0.165}
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, sim.ErrOverlap) || !strings.Contains(err.Error(), "no place nearby") {
			t.Errorf("error %v", err)
		}
	}
	robots, obstacles := sim.New(cfg), sim.New(cfg)
	must(t, robots.PlaceBall(corner))
	refused(robots.AddRobot(1, soccer.Pose{}))
	if _, there := robots.RobotPose(1); there {
		t.Error("AddRobot added a refused robot")
	}
	must(t, robots.AddRobot(1, soccer.Pose{X: aside.X}))
	refused(robots.MoveRobot(1, soccer.Pose{}))
	if pose, _ := robots.RobotPose(1); pose.XY() != aside {
		t.Errorf("MoveRobot moved a refused robot to %v", pose)
	}
	must(t, obstacles.PlaceBall(corner))
	_, err := obstacles.AddObstacle(soccer.Vec{})
	refused(err)
	_, err = obstacles.AddObstacle(aside)
	must(t, err)
	refused(obstacles.MoveObstacle(0, soccer.Vec{}))
	if o := obstacles.Obstacles(); len(o) != 1 || o[0] != aside {
		t.Errorf("got refused obstacles at %v", o)
	}
}

func TestScatter(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	ids := []uint8{5, 1, 2, 6, 4}
	seen := map[soccer.Pose]bool{}
	for range 50 {
		must(t, e.Scatter(ids, 4))
		var all []soccer.Vec
		for _, id := range ids {
			p, there := e.RobotPose(id)
			if !there || seen[p] {
				t.Fatalf("robot %d at %v, on the field: %v", id, p, there)
			}
			seen[p] = true
			all = append(all, p.XY())
		}
		all = append(all, e.Obstacles()...)
		if len(all) != 9 {
			t.Fatalf("%d obstacles", len(all)-5)
		}
		for i, a := range all {
			if math.Abs(a.X) > 9-0.26 || math.Abs(a.Y) > 6-0.26 || a.Len() < 0.26+ballR {
				t.Fatalf("got a body at %v, outside the lines", a)
			}
			for _, b := range all[:i] {
				if a.Sub(b).Len() < 2*soccer.RobotRadius+2*ballR {
					t.Fatalf("got no gap for a ball between %v and %v", a, b)
				}
			}
		}
	}
	before, _ := e.RobotPose(5)
	for _, err := range []error{e.Scatter(ids, 1_000_000), e.Scatter([]uint8{7, 7}, 0)} {
		if !errors.Is(err, sim.ErrOverlap) || !strings.Contains(err.Error(), "1000 tries") {
			t.Errorf("error %v", err)
		}
	}
	if after, _ := e.RobotPose(5); after != before || len(e.Obstacles()) != 4 {
		t.Error("a failed Scatter changed the field")
	}
}
