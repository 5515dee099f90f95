package match_test

import (
	"testing"
	"time"

	"touchline/match"
	"touchline/soccer"
)

// bookers returns the robots that are on, and the booker that all of them agree on, 0 if they do not.
func bookers(s *match.Session) (robots []uint8, agreed uint8) {
	same := true
	for _, p := range match.Participants() {
		var w soccer.World
		if !s.World(p.Number, &w) {
			continue
		}
		if robots = append(robots, p.Number); len(robots) > 1 && w.Booking.Booker != agreed {
			same = false
		}
		agreed = w.Booking.Booker
	}
	if !same {
		agreed = 0
	}
	return robots, agreed
}

// The robots of the session agree on one that has the ball booked, nearly always and without interruption as kick-ins
// and substitutions go on; it is about the nearest one.
func TestSessionBooksTheBall(t *testing.T) {
	s, err := match.Virtual(match.DefaultConfig(), nil)
	if err != nil {
		t.Fatal(err)
	}
	advance(s, time.Second)
	samples, agreed, nearest, changes, last := 0, 0, 0, 0, uint8(0)
	for range 6000 {
		advance(s, 20*time.Millisecond)
		samples++
		_, booker := bookers(s)
		if booker == 0 {
			continue
		}
		agreed++
		if last != booker {
			changes, last = changes+1, booker
		}
		truth := s.Truth()
		own, least := 1e3, 1e3
		for _, r := range truth.Robots {
			d := soccer.Vec{X: r.Pose.X - truth.Ball.X, Y: r.Pose.Y - truth.Ball.Y}.Len()
			if least = min(least, d); r.Number == booker {
				own = d
			}
		}
		if own < least+1 {
			nearest++
		}
	}
	t.Logf("agreed %d of %d samples, within 1 m of the nearest %d, %d changes", agreed, samples, nearest, changes)
	if agreed < samples*95/100 || nearest < agreed*90/100 || changes < 10 {
		t.Errorf("agreed %d of %d samples, within 1 m of the nearest %d, %d changes", agreed, samples, nearest, changes)
	}
}

// When the booker is switched off, another robot has the ball booked 400 ms later; switched on again, it does not take the
// ball from the nearer one.
func TestSessionOutlivesItsBooker(t *testing.T) {
	cfg := quiet()
	s, err := match.Virtual(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := s.Truth().Robots[0].Pose
	if err := s.PlaceBall(soccer.Vec{X: at.X + 1, Y: at.Y}); err != nil {
		t.Fatal(err)
	}
	advance(s, 3*time.Second)
	robots, first := bookers(s)
	if len(robots) != 5 || first == 0 {
		t.Fatalf("robots %v, booker %d, want five that agree", robots, first)
	}
	if err := s.Switch(first, false); err != nil {
		t.Fatal(err)
	}
	advance(s, 400*time.Millisecond)
	robots, second := bookers(s)
	if len(robots) != 4 || second == 0 || second == first {
		t.Fatalf("robots %v, booker %d after robot %d was switched off", robots, second, first)
	}
	var pose soccer.Pose
	for _, r := range s.Truth().Robots {
		if r.Number == second {
			pose = r.Pose
		}
	}
	if err := s.PlaceBall(soccer.Vec{X: pose.X + 1, Y: pose.Y}); err != nil {
		t.Fatal(err)
	}
	if err := s.Switch(first, true); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		advance(s, 20*time.Millisecond)
		var w soccer.World
		if s.World(first, &w); w.Booking.Booker == first {
			t.Fatalf("robot %d took the ball from robot %d, which is nearer, after its restart", first, second)
		}
	}
	if _, booker := bookers(s); booker != second {
		t.Errorf("booker %d, want %d", booker, second)
	}
}
