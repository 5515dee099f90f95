package match

import (
	"slices"
	"testing"
	"time"

	"touchline/soccer"
)

// Robots report what happens to them, and the one nearest to the ball reports a kick. Each event is returned once.
func TestEvents(t *testing.T) {
	s := virtual(t, quiet(), time.Second)
	if got := s.Events(); len(got) > 0 {
		t.Errorf("a session in which nothing happens has the events %v", got)
	}
	robot := s.Wall().Truth.Robots[2]
	if err := s.PlaceBall(soccer.Vec{X: robot.Pose.X + 0.5, Y: robot.Pose.Y}); err != nil {
		t.Fatal(err)
	}
	for _, do := range []func() error{
		func() error { return s.Kick(soccer.Vec3{X: 1}) },
		func() error { return s.Switch(4, false) },
		func() error { return s.Switch(4, true) },
		func() error { return s.Substitute(1) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	s.Note("referee", 0, "stop")
	want := []RobotEvent{{3, "kick"}, {4, "switched on"}, {1, "substitute, 6 replaces 1"}}
	if got := s.Events(); !slices.Equal(got, want) {
		t.Errorf("got the events %v, want %v", got, want)
	}
	if got := s.Events(); len(got) > 0 {
		t.Errorf("got the events %v again", got)
	}
	var marks []string
	for _, m := range s.Wall().Marks {
		marks = append(marks, m.Kind)
	}
	if want := []string{"kick", "off", "on", "substitute", "referee"}; !slices.Equal(marks, want) {
		t.Errorf("got the marks %v, want %v", marks, want)
	}
}

// Events that no one fetches are bounded.
func TestEventsAreBounded(t *testing.T) {
	s := virtual(t, quiet(), time.Second)
	for i := range 500 {
		if err := s.Switch(2, i%2 == 1); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(s.Events()); got != 100 {
		t.Errorf("got %d events, want the newest 100", got)
	}
}
