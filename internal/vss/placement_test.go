package vss_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire/firasim"
)

func TestPlacement(t *testing.T) {
	s := session(t, nil)
	after(s, 50, drive(blue, 0, 0, 0), put(blue, 0, -0.5, 0.4, 0), drive(blue, 0, 30, 30))
	env := after(s, 1, put(blue, 0, 0.1, -0.3, 90))
	r := robot(t, env, blue, 0)
	near(t, "x", r.X, 0.1, 1e-3)
	near(t, "y", r.Y, -0.3, 1e-3)
	near(t, "the heading of 90 degrees", r.Orientation, math.Pi/2, 1e-3)
	near(t, "the speed after a placement", math.Hypot(r.VX, r.VY), 0, 1e-3)
	r = robot(t, after(s, 30), blue, 0)
	near(t, "y later: the command is forgotten", r.Y, -0.3, 1e-3)

	before := drive(blue, 0, 30, 30)
	r = robot(t, after(s, 30, before, put(blue, 0, 0, 0.3, 0)), blue, 0)
	near(t, "x after a command and then a placement", r.X, 0, 1e-3)
	both := put(blue, 0, 0, 0.3, 0)
	both.HasCommands, both.Commands = true, before.Commands
	if r = robot(t, after(s, 30, both), blue, 0); r.X < 0.05 {
		t.Errorf("a command in the packet of a placement: got x = %g, want it to take effect after the placement", r.X)
	}

	env = after(s, 1, &firasim.Packet{HasReplacement: true, Replacement: firasim.Replacement{HasBall: true}})
	near(t, "x of the ball of an empty replacement", env.Frame.Ball.X, 0, 1e-3)
	if env = after(s, 1, putBall(0.2, 0.3, 1, 0)); env.Frame.Ball.VX < 0.5 || env.Frame.Ball.X < 0.2 {
		t.Errorf("ball placed with 1 m/s: got %+v", env.Frame.Ball)
	}
	noID := &firasim.Packet{HasReplacement: true, Replacement: firasim.Replacement{Robots: []firasim.RobotReplacement{{TurnOn: true, Yellow: true}}}}
	r = robot(t, after(s, 1, noID), yellow, 0)
	near(t, "x of robot 0, which is meant without a position", r.X, 0, 1e-3)
}

// VSSReferee places one team at a time, sometimes on top of the other: overlapping placements are never refused.
func TestOverlappingPlacements(t *testing.T) {
	s := session(t, nil)
	for range 3 {
		for _, team := range []bool{blue, yellow} {
			for id := range uint32(3) {
				s.Receive(here, put(team, id, 0.1, 0.1, 0))
			}
			s.Receive(here, putBall(0.1, 0.1, 0, 0))
			s.Tick()
		}
	}
	env := after(s, 100)
	if len(s.Refused()) > 0 {
		t.Errorf("got refusals %+v, want none", s.Refused())
	}
	all := slices.Concat(env.Frame.Blue, env.Frame.Yellow)
	if len(all) != 6 {
		t.Fatalf("got %d robots, want 6", len(all))
	}
	for i, a := range all {
		near(t, "the speed of a robot that was moved aside", math.Hypot(a.VX, a.VY), 0, 0.05)
		for _, b := range all[:i] {
			if d := math.Hypot(a.X-b.X, a.Y-b.Y); d < 0.07 {
				t.Errorf("got two robots %g m apart, want no overlap", d)
			}
		}
	}
}

// Two placements of one tick swap two robots.
func TestPlacementsTogether(t *testing.T) {
	s := session(t, nil)
	for _, behind := range []*firasim.Packet{nil, put(blue, 2, 0.745, 0.645, 0)} { // one behind a corner's wall changes nothing for others
		packets := []*firasim.Packet{put(blue, 0, 0.5, 0, 0), put(blue, 1, 0.25, 0, 0)}
		if behind != nil {
			packets = []*firasim.Packet{put(blue, 0, 0.25, 0, 0), behind, put(blue, 1, 0.5, 0, 0)}
		}
		env := after(s, 1, packets...)
		near(t, "x of 0", robot(t, env, blue, 0).X, packets[0].Replacement.Robots[0].Position.X, 1e-3)
		near(t, "x of 1", robot(t, env, blue, 1).X, packets[len(packets)-1].Replacement.Robots[0].Position.X, 1e-3)
		near(t, "x of 2", robot(t, env, blue, 2).X, 0.7, 1e-3)
	}
	if n := refused(s, "placement outside the field"); n != 1 {
		t.Errorf("got %d refusals, want 1", n)
	}
	if err := s.PlaceRobot(blue, 0, soccer.Pose{X: 0.745, Y: 0.645}); err == nil ||
		!strings.Contains(err.Error(), "(0.745, 0.645)") {
		t.Errorf("robot placed behind a corner's wall: got %v", err)
	}
	if err := s.PlaceBall(soccer.Vec{X: -0.74, Y: 0.64}, soccer.Vec{}); err == nil {
		t.Error("ball placed behind a corner's wall: got no error")
	}
}

func TestOff(t *testing.T) {
	off := put(yellow, 1, -0.5, 0, 0)
	off.Replacement.Robots[0].TurnOn = false
	ram := func(s *vss.Session) float64 { // blue 0 drives through where yellow 1 stood
		env := after(s, 100, put(blue, 0, -0.3, 0, 180), put(yellow, 0, 0, 0.5, 0), put(yellow, 2, 0, -0.5, 0), off,
			putBall(0, 0.3, 0, 0), drive(blue, 0, 30, 30))
		for _, r := range env.Frame.Yellow {
			if r.ID == 1 {
				t.Error("a switched-off robot is in the frame")
			}
		}
		return robot(t, env, blue, 0).X
	}
	s := session(t, nil)
	if x := ram(s); x > -0.6 {
		t.Errorf("got x = %g, want blue 0 to pass through a switched-off robot", x)
	}
	after(s, 1, drive(yellow, 1, 9, 9))
	if n := refused(s, "command to a switched-off robot"); n != 1 {
		t.Errorf("got %d refusals, want 1", n)
	}
	if x := ram(session(t, compat("off-robots"))); x < -0.6 {
		t.Errorf("with off-robots: got x = %g, want the robot to stop blue 0", x)
	}
	env := after(s, 1, put(blue, 0, 0.5, 0.5, 0), put(yellow, 1, -0.5, 0.1, 0))
	near(t, "y, on again", robot(t, env, yellow, 1).Y, 0.1, 1e-3)
	if err := s.Switch(yellow, 1, false); err != nil {
		t.Fatal(err)
	}
	if env = after(s, 1); len(env.Frame.Yellow) != 2 {
		t.Error("Switch did not switch the robot off")
	}
	if err := s.Switch(yellow, 1, true); err != nil {
		t.Fatal(err)
	}
	near(t, "y, where it was", robot(t, after(s, 1), yellow, 1).Y, 0.1, 1e-3)
	for _, place := range []soccer.Vec{{X: -0.2, Y: 0.3}, {X: 5, Y: 5}} { // on the field, or anywhere
		parked := put(blue, 1, place.X, place.Y, 0)
		parked.Replacement.Robots[0].TurnOn = false
		was := robot(t, after(s, 20, put(blue, 1, 0.1, -0.4, 0), drive(blue, 1, 30, 30)), blue, 1)
		after(s, 1, parked)
		if err := s.Switch(blue, 1, true); err != nil {
			t.Fatal(err)
		}
		is := robot(t, after(s, 1), blue, 1)
		near(t, "x, where it drove to before it went off", is.X, was.X, 1e-3)
		near(t, "y", is.Y, was.Y, 1e-3)
	}
	solid := session(t, compat("off-robots"))
	after(solid, 20, put(blue, 1, -0.1, -0.4, 0), drive(blue, 1, 30, 30))
	was := robot(t, after(solid, 0), blue, 1).X
	sent := put(blue, 1, 5, 5, 0)
	sent.Replacement.Robots[0].TurnOn = false
	after(solid, 1, sent, drive(blue, 1, 0, 0))
	if err := solid.Switch(blue, 1, true); err != nil {
		t.Fatal(err)
	}
	near(t, "x with off-robots, sent outside", robot(t, after(solid, 1), blue, 1).X, was, 0.01)
	parked := put(blue, 2, 5, 5, 0)
	parked.Replacement.Robots[0].TurnOn = false
	if env = after(s, 1, parked); len(env.Frame.Blue) != 2 || refused(s, "placement outside the field") != 0 {
		t.Error("a robot could not be switched off with a place outside the field")
	}
}
