package station_test

import (
	"math"
	"testing"
	"time"

	"touchline/internal/station"
	"touchline/soccer"
	"touchline/wire/msl"
	"touchline/wire/team"
)

// seen is a debug record with a ball at x and one obstacle.
func seen(x, variance float32) *team.Debug {
	return &team.Debug{
		Ball:      team.Ball{Known: true, HasVelocity: true, HasCov: true, X: x, Y: -2, VX: 1, Cov: [10]float32{0: variance, 4: variance}},
		Obstacles: []team.Obstacle{{X: 3, Y: 4}},
	}
}

// sent returns the worldstate of now.
func sent(t *testing.T, s *station.Station, now soccer.Time) (w msl.Worldstate) {
	t.Helper()
	b, err := s.AppendWorldstate(nil, now)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.UnmarshalBinary(b[:len(b)-1]); err != nil {
		t.Fatal(err)
	}
	return w
}

// Robots that send no packages have a ball and obstacles in worldstates: those of the robot that knows the ball best.
func TestWorldstateOfDebugRecords(t *testing.T) {
	s, now := commanded(t)
	if w := sent(t, s, now); len(w.Balls) != 0 || len(w.Obstacles) != 0 {
		t.Errorf("before any record: %+v", w)
	}
	s.ReceiveDebug(2, now, seen(5, 0.04))
	s.ReceiveDebug(3, now, seen(6, 0.01))
	s.ReceiveDebug(4, now, seen(7, 0.09))
	s.ReceiveDebug(5, now, &team.Debug{})
	w := sent(t, s, now)
	if len(w.Balls) != 1 || len(w.Obstacles) != 1 {
		t.Fatalf("%d balls and %d obstacles, want 1 and 1", len(w.Balls), len(w.Obstacles))
	}
	// The y axis of worldstates points to the opponents' goal, the x axis to the right.
	if b := w.Balls[0]; b.Position.At[0].Value != 2 || b.Position.At[1].Value != 6 || b.Velocity.At[1].Value != 1 {
		t.Errorf("ball %+v, want that of robot 3", b)
	}
	if o := w.Obstacles[0]; o.Position.At[0].Value != -4 || o.Position.At[1].Value != 3 {
		t.Errorf("obstacle %+v", o)
	}

	s.ReceiveDebug(3, now, &team.Debug{}) // it lost the ball
	s.ReceiveDebug(4, now, seen(7, 0.09))
	if w := sent(t, s, now); len(w.Balls) != 1 || w.Balls[0].Position.At[1].Value != 7 {
		t.Errorf("balls %+v, want that of robot 4", w.Balls)
	}
	if w := sent(t, s, now.Add(time.Second)); len(w.Balls) != 0 || len(w.Obstacles) != 0 {
		t.Errorf("a second later: %+v", w)
	}
}

// Values that are on no field, and numbers of no robot, reach no worldstate.
func TestDebugRecordsWithNonsense(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, x := range []float32{nan, inf, -inf, 1e30, 101} {
		s, now := commanded(t)
		m := seen(x, 0.01)
		m.Obstacles[0].Y = x
		s.ReceiveDebug(2, now, m)
		if w := sent(t, s, now); len(w.Balls) != 0 || len(w.Obstacles) != 0 {
			t.Errorf("at %v: %+v", x, w)
		}
		s.ReceiveDebug(3, now, seen(5, nan))
		if w := sent(t, s, now); len(w.Balls) != 0 {
			t.Errorf("with a variance of NaN: %+v", w.Balls)
		}
		s.ReceiveDebug(0, now, seen(5, 0.01))
		s.ReceiveDebug(200, now, seen(5, 0.01))
		if w := sent(t, s, now); len(w.Balls) != 0 {
			t.Errorf("of no robot: %+v", w.Balls)
		}
	}
}
