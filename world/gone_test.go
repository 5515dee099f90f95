package world_test

import (
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// watchers holds where three robots stand that see a ball at (1, 1), nearer than the one that they saw before.
var watchers = [3]soccer.Vec{{X: -1, Y: 1}, {X: 1, Y: -2}, {X: 3, Y: 2}}

var theBall = []soccer.Observation{seen(1, 1, 0.8)}

// watched returns a model in which the watchers have seen the ball for four seconds, and opponents beside it.
func watched(opponents ...soccer.Vec) (*world.Model, soccer.Time) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 125 {
		if i < 25 {
			now = look(m, now, []soccer.Observation{seen(-3, -3, 0.8)}, opponents...)
		} else {
			now = look(m, now, theBall, opponents...)
		}
	}
	return m, now
}

// look passes m a picture of each watcher, and returns when the next one is taken.
func look(m *world.Model, now soccer.Time, balls []soccer.Observation, opponents ...soccer.Vec) soccer.Time {
	for i, self := range watchers {
		p := soccer.Percepts{Self: at(self.X, self.Y), Balls: balls}
		for _, o := range opponents {
			p.Obstacles = append(p.Obstacles, seen(o.X, o.Y, 0.8))
		}
		receive(m, sender(2+uint8(i)), now, 60*time.Millisecond, p)
	}
	return now + 40*ms
}

// A ball that three robots lose at once, with nothing between them and the ball, is unknown until one of them sees it
// again. Where opponents may hide it from two of them, it stays.
func TestBallThatIsGone(t *testing.T) {
	m, now := watched()
	now = look(m, now, nil)
	if b := belief(m, now).Ball; b.Known {
		t.Errorf("three robots see no ball any more: it is still believed at %+v", b.Position)
	}
	now = look(m, now, theBall)
	if b := belief(m, now).Ball; !b.Known || distance(b, 1, 1) > 0.1 {
		t.Errorf("they see it again: got %+v, want it at (1, 1)", b)
	}
	between := []soccer.Vec{{X: 0.3, Y: 1}, {X: 1, Y: 0.2}}
	m, now = watched(between...)
	now = look(m, now, nil, between...)
	if b := belief(m, now).Ball; !b.Known || distance(b, 1, 1) > 0.1 {
		t.Errorf("opponents may hide the ball from two of three robots: got %+v, want it at (1, 1)", b)
	}
}

// In a game in which the ball is hidden from all robots now and then, it is believed where it was.
func TestBallThatIsHiddenNowAndThen(t *testing.T) {
	m, now := watched()
	for n := range 4 {
		for i := range 15 {
			now = look(m, now, nil)
			if b := belief(m, now).Ball; n == 3 && (!b.Known || distance(b, 1, 1) > 0.3) {
				t.Fatalf("it came back three times, but is believed at %+v in picture %d without it, want (1, 1)", b, i)
			}
		}
		for range 100 {
			now = look(m, now, theBall)
		}
	}
}
