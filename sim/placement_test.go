package sim_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"touchline/sim"
	"touchline/soccer"
)

func TestPlace(t *testing.T) {
	e := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
	robot := func(id uint8, x, y float64) sim.PlacedRobot {
		return sim.PlacedRobot{ID: id, Pose: soccer.Pose{X: x, Y: y, Theta: 1}}
	}
	must(t, e.Place(sim.Placement{Robots: []sim.PlacedRobot{robot(0, 0.2, 0), robot(4, -0.2, 0)}}))
	must(t, e.Drive(0, both(30)))
	must(t, e.Drive(4, both(30)))
	e.Step(10 * sim.Tick)
	// Robot 4 is put where 0 is: 0 makes way, without speed.
	at := pose(t, e, 0)
	must(t, e.Place(sim.Placement{Robots: []sim.PlacedRobot{robot(4, at.X, at.Y)}}))
	if p := pose(t, e, 4); p.XY() != at.XY() || p.Theta != 1 {
		t.Errorf("got the robot at %v, want %v", p, at)
	}
	moved, twist, _ := e.Robot(0)
	if d := moved.XY().Sub(at.XY()).Len(); d < 2*half || d > 0.15 || twist != (soccer.Twist{}) {
		t.Errorf("got the robot that stood there %v m away with %v", d, twist)
	}
	for _, id := range []uint8{0, 4} {
		if w, _ := e.Wheels(id); w != (soccer.Wheels{}) {
			t.Errorf("robot %d: got command %v, want 0", id, w)
		}
	}
	// Earlier ones of the list keep their place; a ball that is placed on a robot makes it move.
	must(t, e.Place(sim.Placement{Robots: []sim.PlacedRobot{robot(1, -0.5, 0.3), robot(2, -0.5, 0.3)}, HasBall: true,
		Ball: moved.XY()}))
	if p := pose(t, e, 1); p.X != -0.5 || p.Y != 0.3 {
		t.Errorf("got the first robot at %v", p)
	}
	if d := depthInRobot(pose(t, e, 1), pose(t, e, 2)); d > 1e-9 {
		t.Errorf("got the second robot overlapping the first by %v m", d)
	}
	if b, v := e.Ball(); b.XY() != moved.XY() || math.Abs(b.Z-1.2*vssR) > 1e-9 || v != (soccer.Vec3{}) {
		t.Errorf("got the ball at %v with %v, want %v", b, v, moved)
	}
	if d := pose(t, e, 0).XY().Sub(moved.XY()).Len(); d < half+vssR {
		t.Errorf("got the robot %v m from the ball that was placed on it", d)
	}
	// A robot half in a wall is moved off it.
	must(t, e.Place(sim.Placement{Robots: []sim.PlacedRobot{robot(1, 0.74, 0.4)}}))
	if d := depthInWalls(soccer.VSS3v3(), pose(t, e, 1)); d > 1e-9 {
		t.Errorf("got the robot at %v, overlapping the wall by %v m", pose(t, e, 1), d)
	}
	// Velocity and command stay if they are to.
	must(t, e.Place(sim.Placement{Robots: []sim.PlacedRobot{robot(1, 0, 0.3)}}))
	must(t, e.Drive(1, both(30)))
	e.Step(10 * sim.Tick)
	_, before, _ := e.Robot(1)
	must(t, e.Place(sim.Placement{KeepVelocity: true, Robots: []sim.PlacedRobot{robot(1, 0.2, 0.3)}}))
	_, after, _ := e.Robot(1)
	if w, _ := e.Wheels(1); after != before || before == (soccer.Twist{}) || w != both(30) {
		t.Errorf("got velocity %[2]v and wheels %[3]v, want %[1]v and the command", before, after, w)
	}
}

func TestPlaceRefuses(t *testing.T) {
	a := newPlay(t, soccer.VSS3v3(), sim.FIRASim(), 1).warm(t)
	before := a.e.AppendState(nil)
	nan := math.NaN()
	at := func(x, y, theta float64) sim.Placement {
		return sim.Placement{Robots: []sim.PlacedRobot{{ID: 1}, {ID: 200, Pose: soccer.Pose{X: x, Y: y, Theta: theta}}}}
	}
	for _, p := range []sim.Placement{
		at(0.76, 0.3, 0), at(0.86, 0, 0), at(0, 0.66, 0), at(0.72, 0.62, 0), at(nan, 0, 0), at(0, 0, nan),
		at(math.Inf(1), 0, 0),
		{HasBall: true, Ball: soccer.Vec{X: 5}}, {HasBall: true, BallVelocity: soccer.Vec{X: 1e300}},
		{HasBall: true, Ball: soccer.Vec{X: nan}},
	} {
		if err := a.e.Place(p); !errors.Is(err, sim.ErrRange) {
			t.Errorf("%+v: got error %v", p, err)
		}
	}
	if !bytes.Equal(before, a.e.AppendState(nil)) {
		t.Error("a refused placement changed the state")
	}
	must(t, a.e.Place(at(0.8, 0.1, 0))) // in the goal
}
