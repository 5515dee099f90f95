package match

import (
	"testing"
	"time"

	"touchline/soccer"
)

// bookers returns the robots that are on, and the booker that all of them agree on, 0 if they do not.
func bookers(s *Session) (robots []uint8, agreed uint8) {
	same := true
	for _, p := range Participants() {
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
	s, err := Virtual(DefaultConfig(), nil)
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
	s, err := Virtual(cfg, nil)
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

// believe returns the booker that a robot of the session believes in.
func believe(t *testing.T, s *Session, number uint8) uint8 {
	t.Helper()
	var w soccer.World
	if !s.World(number, &w) {
		t.Fatalf("robot %d does not run", number)
	}
	return w.Booking.Booker
}

// In a partition each side has a booker of its own, and neither packages nor messages pass; healed, all agree again.
func TestPartition(t *testing.T) {
	s, err := Virtual(quiet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	advance(s, 2*time.Second)
	if err := s.SetFault(Fault{What: Partition, Robots: 1<<2 | 1<<4}, true); err != nil {
		t.Fatal(err)
	}
	advance(s, 2*time.Second)
	side := func(number uint8) bool { return number == 2 || number == 4 }
	for number := uint8(1); number <= 5; number++ {
		if b := believe(t, s, number); b != 0 && side(b) != side(number) {
			t.Errorf("robot %d believes in robot %d on the other side", number, b)
		}
		var w soccer.World
		s.World(number, &w)
		for _, p := range w.Peers {
			if side(p.Sender.Robot) != side(number) && w.Time.Sub(p.LastReceived) < 1900*time.Millisecond {
				t.Errorf("robot %d heard robot %d on the other side %v ago", number, p.Sender.Robot, w.Time.Sub(p.LastReceived))
			}
		}
	}
	if w := s.Wall(); len(w.Apart) != 2 || w.Marks[len(w.Marks)-1].Kind != "partition" {
		t.Errorf("the wall shows %v and marks %v", w.Apart, w.Marks)
	}
	if err := s.SetFault(Fault{What: Partition}, true); err != nil {
		t.Fatal(err)
	}
	advance(s, time.Second)
	if _, agreed := bookers(s); agreed == 0 {
		t.Error("a second after the network healed the robots do not agree on a booker")
	}
	if w := s.Wall(); len(w.Apart) != 0 || w.Marks[len(w.Marks)-1].Kind != "heal" {
		t.Errorf("healed, the wall shows %v and marks %v", w.Apart, w.Marks)
	}
	if err := s.SetFault(Fault{What: Partition, Robots: 1<<2 | 1<<9}, true); err == nil {
		t.Error("a robot that does not exist is accepted")
	}
}

// A penalised robot gives up the ball and books it no more, also after a crash, until it may play again.
func TestPenalise(t *testing.T) {
	s, err := Virtual(quiet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	advance(s, 2*time.Second)
	_, booker := bookers(s)
	if booker == 0 {
		t.Fatal("no booker")
	}
	if err := s.SetFault(Fault{What: Penalise, Robot: booker}, true); err != nil {
		t.Fatal(err)
	}
	advance(s, 500*time.Millisecond)
	if _, next := bookers(s); next == 0 || next == booker {
		t.Fatalf("booker %d half a second after robot %d was penalised", next, booker)
	}
	if err := s.SetFault(Fault{What: Crash, Robot: booker}, true); err != nil {
		t.Fatal(err)
	}
	if robots, _ := bookers(s); len(robots) != 4 {
		t.Fatalf("robots %v run after a crash", robots)
	}
	if err := s.SetFault(Fault{What: Crash, Robot: booker}, true); err == nil {
		t.Error("a robot crashes twice")
	}
	for range 200 { // it starts again after 3 s
		advance(s, 20*time.Millisecond)
		if _, next := bookers(s); next == booker {
			t.Fatalf("robot %d has the ball booked while it is penalised", booker)
		}
	}
	if robots, _ := bookers(s); len(robots) != 5 {
		t.Fatalf("robots %v run 4 s after the crash", robots)
	}
	if err := s.SetFault(Fault{What: Penalise, Robot: booker}, false); err != nil {
		t.Fatal(err)
	}
	advance(s, 2*time.Second)
	if _, next := bookers(s); next != booker {
		t.Errorf("booker %d, want robot %d again, which is nearest", next, booker)
	}
	if s.SetFault(Fault{What: Penalise, Robot: 6}, true) == nil || s.SetFault(Fault{What: Crash, Robot: 6}, true) == nil {
		t.Error("a robot that is not on the field is penalised, or crashes")
	}
}

// A robot that is switched off or replaced before its restart stays off.
func TestCrashEndsWithTheSwitch(t *testing.T) {
	s, err := Virtual(quiet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range []func() error{
		func() error { return s.SetFault(Fault{What: Crash, Robot: 2}, true) }, func() error { return s.Switch(2, false) }, func() error { return s.SetFault(Fault{What: Crash, Robot: 3}, true) },
		func() error { return s.Substitute(3) }, func() error { return s.SetFault(Fault{What: Crash, Robot: 6}, true) }, func() error { return s.Switch(6, true) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		advance(s, 100*time.Millisecond)
	}
	advance(s, 5*time.Second)
	if robots, _ := bookers(s); len(robots) != 4 || s.Truth() == nil {
		t.Errorf("robots %v run, want 1, 4, 5 and 6", robots)
	}
	on := 0
	for _, m := range s.Wall().Marks {
		if m.Kind == "on" {
			on++
		}
	}
	if on != 1 {
		t.Errorf("%d robots were switched on, want robot 6 once", on)
	}
}
