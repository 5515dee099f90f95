package watch_test

import (
	"testing"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
)

// The page gets what a robot has learnt of its teammates in the field frame, and nothing where its belief says nothing.
func TestBeliefTellsTrust(t *testing.T) {
	known := soccer.Localisation{Known: true, Pose: soccer.Pose{X: 1}}
	w := soccer.World{
		Time: at(20 * time.Second), Self: known,
		Peers: []soccer.Peer{
			{Sender: soccer.Sender{Robot: 2}, Self: known, PoseError: soccer.Pose{X: 0.3, Y: -0.1, Theta: 0.2}, Doubt: 0.7,
				Disagrees: soccer.Disagreement{Since: at(8 * time.Second), What: soccer.PoseSubject, By: 0.9}},
			{Sender: soccer.Sender{Robot: 3}, Self: known, Doubt: 0.03},
			{Sender: soccer.Sender{Robot: 4}, Self: known},
		},
		SelfDisagrees: soccer.Disagreement{Since: at(19 * time.Second), What: soccer.BallSubject, By: 2},
	}
	for _, c := range []struct {
		color soccer.Color
		error soccer.Pose
	}{{soccer.Cyan, soccer.Pose{X: 0.3, Y: -0.1, Theta: 0.2}}, {soccer.Magenta, soccer.Pose{X: -0.3, Y: 0.1, Theta: 0.2}}} {
		b := watch.BeliefOf(&w, c.color, 1, 0)
		if len(b.Robots) != 4 {
			t.Fatalf("%d robots, want 4", len(b.Robots))
		}
		self, faulty, healthy, unknown := b.Robots[0].Trust, b.Robots[1].Trust, b.Robots[2].Trust, b.Robots[3].Trust
		if self != nil || unknown != nil {
			t.Errorf("trust in itself %+v, without doubt %+v: want none", self, unknown)
		}
		if faulty == nil || faulty.PoseError != c.error || faulty.Doubt != 0.7 || faulty.Disagrees == nil ||
			*faulty.Disagrees != (watch.Disagreement{Seconds: 12, What: "pose", By: 0.9}) {
			t.Errorf("%v: trust in robot 2 is %+v", c.color, faulty)
		}
		if healthy == nil || healthy.Doubt != 0.03 || healthy.Disagrees != nil {
			t.Errorf("%v: trust in robot 3 is %+v", c.color, healthy)
		}
		if b.Disagrees == nil || *b.Disagrees != (watch.Disagreement{Seconds: 1, What: "ball", By: 2}) {
			t.Errorf("%v: it disagrees itself: %+v", c.color, b.Disagrees)
		}
	}
	w.SelfDisagrees = soccer.Disagreement{}
	if b := watch.BeliefOf(&w, soccer.Cyan, 1, 0); b.Disagrees != nil {
		t.Errorf("it agrees, but has %+v", b.Disagrees)
	}
}

// The page gets the newest goal in the field frame, for a minute.
func TestBeliefTellsGoal(t *testing.T) {
	w := soccer.World{Time: at(100 * time.Second)}
	for _, c := range []struct {
		color    soccer.Color
		since    time.Duration
		conceded bool
		end      float64
	}{
		{soccer.Cyan, 2 * time.Second, false, 1},
		{soccer.Cyan, 2 * time.Second, true, -1},
		{soccer.Magenta, 60 * time.Second, false, -1},
		{soccer.Magenta, 2 * time.Second, true, 1},
		{soccer.Cyan, 61 * time.Second, false, 0},
	} {
		w.Goal = soccer.Goal{At: w.Time.Add(-c.since), Conceded: c.conceded, Probability: 0.97}
		got := watch.BeliefOf(&w, c.color, 1, 0).Goal
		if c.end == 0 {
			if got != nil {
				t.Errorf("%+v: a goal of more than a minute ago: %+v", c, got)
			}
			continue
		}
		want := watch.Goal{Conceded: c.conceded, End: c.end, Seconds: c.since.Seconds(), Probability: 0.97}
		if got == nil || *got != want {
			t.Errorf("%+v: got %+v, want %+v", c, got, want)
		}
	}
	w.Goal = soccer.Goal{}
	if got := watch.BeliefOf(&w, soccer.Cyan, 1, 0).Goal; got != nil {
		t.Errorf("without a goal: %+v", got)
	}
}
