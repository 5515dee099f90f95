package match

import (
	"testing"
	"time"

	"touchline/game"

	"touchline/soccer"
	"touchline/transport/traffic"
)

// up returns how many peers of the other place than the base station a report of a robot hears.
func up(m *Match, side game.Side, entity string) (robots int) {
	for _, r := range m.reports(side) {
		if r.Entity != entity {
			continue
		}
		for _, l := range r.Links {
			if l.Up && l.Peer != "computer:1" {
				robots++
			}
		}
	}
	return robots
}

// A user makes trouble during a match: a robot that is cut off hears nobody, a crashed one is gone and comes back, and a
// link that loses everything ends the conversation of both teams.
func TestLiveTrouble(t *testing.T) {
	m, err := NewMatch(DefaultMatchConfig(), Tap{})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := soccer.Epoch
	step := func(d time.Duration) {
		at = at.Add(d)
		m.Advance(at)
		if err := m.Err(); err != nil {
			t.Fatal(err)
		}
	}
	step(2 * time.Second)
	if n := up(m, game.Home, "robot:2"); n != 4 {
		t.Fatalf("robot 2 hears %d robots, want 4", n)
	}
	must(m.SetFault(Fault{What: Partition, Side: game.Home, Robots: 1 << 2}, true))
	step(3 * time.Second)
	if n, other, away := up(m, game.Home, "robot:2"), up(m, game.Home, "robot:3"), up(m, game.Away, "robot:2"); n != 0 ||
		other != 3 || away != 4 {
		t.Errorf("cut off: robot 2 hears %d robots, robot 3 %d, away's robot 2 %d; want 0, 3, 4", n, other, away)
	}
	must(m.SetFault(Fault{What: Partition, Side: game.Home}, false))
	crash := Fault{To: 9 * time.Second, What: Crash, Side: game.Away, Robot: 3}
	if err := m.SetFault(crash, true); err != nil {
		t.Fatal(err)
	}
	step(3 * time.Second)
	if n, other := up(m, game.Home, "robot:2"), up(m, game.Away, "robot:1"); n != 4 || other != 3 {
		t.Errorf("crash: robot 2 hears %d robots, away's robot 1 %d; want 4, 3", n, other)
	}
	step(3 * time.Second)
	if n := up(m, game.Away, "robot:1"); n != 4 {
		t.Errorf("after the crash: away's robot 1 hears %d robots, want 4", n)
	}
	if err := m.SetLink(traffic.Link{Loss: 1}); err != nil {
		t.Fatal(err)
	}
	step(3 * time.Second)
	if n, away := up(m, game.Home, "robot:1"), up(m, game.Away, "robot:1"); n != 0 || away != 0 {
		t.Errorf("total loss: %d and %d robots are heard", n, away)
	}
	if m.SetLink(traffic.Link{Loss: 2}) == nil || m.SetFault(crash, true) == nil {
		t.Error("a loss of 2, or a fault that is over, is accepted")
	}
}
