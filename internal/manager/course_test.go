package manager_test

import (
	"math"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// course is a robot that drives along x with 1 m/s of the field's time, which runs at half speed, and a desk that knows it.
// Nothing is known from 4 to 5 s.
func course() (*manager.Course, *manager.Desk) {
	c := new(manager.Course)
	for i := range 1000 {
		at, field := soccer.Time(i)*10e6, soccer.Time(i)*5e6
		if i < 400 || i > 500 {
			x := float64(field) / 1e9
			c.Note(at, field, soccer.Vec3{X: x + 1}, []manager.Place{{Robot: 3, Pose: soccer.Pose{X: x, Theta: math.Pi - 0.1 + x}}})
		}
	}
	return c, manager.NewDesk(manager.DeskConfig{Computer: 1, Course: c})
}

func from(at time.Duration) teamcom.From {
	return teamcom.From{Entity: tcm.Entity{Kind: tcm.Robot, ID: 3}, Captured: soccer.Time(at), Received: soccer.Time(at)}
}

// The truth of a point is where the robot was at its time of the field, whatever the time of the report: its place between
// two moments, with a heading across pi, and nothing where no moment is near.
func TestTruthOfPoints(t *testing.T) {
	_, d := course()
	d.Receive(from(8*time.Second), &team.LocomotionCheck{
		Run: 1, Ago: 7, Total: 4, Path: []team.PathPoint{{}, {Time: 0.1042}, {Time: 1.7}, {Time: 2.5}},
	}, nil)
	path := d.CheckView(3).Walk.Path
	for i, want := range []float32{0.5, 0.6042, -1, 3} { // at 1, 1.2, 4.4 and 6 s, in m
		truth := path[i].Truth
		if want < 0 {
			if truth != nil {
				t.Errorf("point %d: truth %v of a time that nobody knows", i, *truth)
			}
			continue
		}
		heading := soccer.WrapAngle(math.Pi - 0.1 + float64(want))
		if truth == nil || math.Abs(float64(truth[0]-want)) > 1e-4 || math.Abs(float64(truth[2])-heading) > 1e-4 {
			t.Errorf("point %d: truth %v, want x %v, heading %.4f", i, truth, want, heading)
		}
	}
	d.Receive(from(time.Hour), &team.LocomotionCheck{Run: 2, Ago: 1, Total: 1, Path: []team.PathPoint{{}}}, nil)
	if p := d.CheckView(3).Walk.Path; p[0].Truth != nil {
		t.Errorf("an hour later: truth %v", *p[0].Truth)
	}
}

// A check runs until it ends or its reports stop, and says where the ball is to be put.
func TestRunningChecks(t *testing.T) {
	_, d := course()
	at := time.Second
	d.Receive(from(at), &team.KickCheck{Run: 1, State: team.AwaitingBall, PlaceX: 1, PlaceY: -2}, nil)
	d.Receive(from(at), &team.LocomotionCheck{Run: 1, State: team.Finished}, nil)
	want := manager.Running{Robot: 3, Waits: true, Place: soccer.Vec{X: 1, Y: -2}, Said: soccer.Time(at)}
	if list := d.Checks(soccer.Time(at)); len(list) != 1 || list[0] != want {
		t.Errorf("%+v, want %+v", list, want)
	}
	if list := d.Checks(soccer.Time(at + 3*time.Second)); len(list) != 0 {
		t.Errorf("after 3 s of silence: %+v", list)
	}
	d.Receive(from(at), &team.KickCheck{Run: 1, State: team.Aborted}, nil)
	if list := d.Checks(soccer.Time(at)); len(list) != 0 {
		t.Errorf("ended: %+v", list)
	}
}
