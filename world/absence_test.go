package world_test

import (
	"math"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// nearBall returns a model in which robots 2 and 3 see a ball at (1, 1), far nearer than the one that they saw before.
func nearBall() (*world.Model, soccer.Time) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 50 {
		x := 3.0
		if i >= 25 {
			x = 1
		}
		team(m, 3, now, x, 1)
		now += 40 * ms
	}
	return m, now
}

// One picture shows that the ball was placed elsewhere if the robots that saw it no longer do. When they see it again where
// it was, the picture was wrong.
func TestBallThatIsNoLongerSeen(t *testing.T) {
	m, now := nearBall()
	receive(m, sender(2), now, 60*time.Millisecond, oneBall(at(0, 0), -1, -2))
	receive(m, sender(3), now, 60*time.Millisecond, soccer.Percepts{Self: at(0, 0)})
	if b := belief(m, now).Ball; distance(b, -1, -2) > 0.3 {
		t.Errorf("robot 2 sees the ball at (-1, -2) and robot 3 nowhere: it is believed at %+v", b.Position)
	}
	now += 40 * ms
	team(m, 3, now, 1, 1)
	if b := belief(m, now).Ball; distance(b, 1, 1) > 0.3 {
		t.Errorf("both see the ball at (1, 1) again: it is believed at %+v", b.Position)
	}
}

// The same picture moves no ball that others still see, nor one that nobody was looking at.
func TestBallThatIsStillSeen(t *testing.T) {
	m, now := nearBall()
	receive(m, sender(3), now, 60*time.Millisecond, oneBall(at(0, 0), 1, 1))
	receive(m, sender(2), now+ms, 60*time.Millisecond, oneBall(at(0, 0), -1, -2))
	receive(m, sender(3), now+40*ms, 60*time.Millisecond, oneBall(at(0, 0), 1, 1))
	if b := belief(m, now+40*ms).Ball; distance(b, 1, 1) > 0.3 {
		t.Errorf("robot 3 still sees the ball at (1, 1): it is believed at %+v", b.Position)
	}
	m, now = nearBall()
	receive(m, sender(4), now, 60*time.Millisecond, oneBall(at(0, 0), -1, -2))
	if b := belief(m, now).Ball; distance(b, 1, 1) > 0.3 {
		t.Errorf("only robot 4, which saw no ball before, sees one at (-1, -2): it is believed at %+v", b.Position)
	}
}

// A ball that is placed elsewhere after false sights is found with the first two pictures of two robots, however many
// kicks would explain the false ones.
func TestPlacedBallAfterFalseSights(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 25 {
		team(m, 3, now, 1.5*0.04*float64(i), 1)
		now += 40 * ms
	}
	for i := range 12 {
		angle := 0.2 * float64(i-6)
		receive(m, sender(4+uint8(i%2)), now, 60*time.Millisecond, oneBall(at(0, 0), 6*math.Cos(angle), 5*math.Sin(angle)))
		now += 40 * ms
	}
	for range 2 {
		team(m, 3, now, -4, 2)
		now += 40 * ms
	}
	if b := belief(m, now).Ball; distance(b, -4, 2) > 0.3 {
		t.Errorf("the placed ball is believed at %+v, want (-4, 2)", b.Position)
	}
}

// All packages of the team are late by the same time, which looks like an offset of their clocks. The robot's own camera
// shows when the ball really changes its velocity, and how late they are.
func TestDelayOfPackages(t *testing.T) {
	for _, late := range []time.Duration{0, 200 * time.Millisecond} {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		type sight struct {
			at soccer.Time
			x  float64
		}
		var past []sight
		x, v, sum, n, missing := 0.0, 2.0, 0.0, 0, 0
		now := soccer.Epoch.Add(time.Second)
		for i := range 1000 {
			if x += v * 0.04; math.Abs(x) > 1.5 {
				v = -v
			}
			past = append(past, sight{now, x})
			if len(past) > 3 { // its own picture is ready after 80 ms
				if own := past[len(past)-3]; i < 900 {
					p := oneBall(at(0, -2), own.x, 0)
					p.Time = own.at
					m.Observe(&p)
				}
			}
			if behind := 2 + int(late/(40*time.Millisecond)); len(past) > behind {
				s := past[len(past)-1-behind]
				for robot := uint8(2); robot <= 4; robot++ {
					p := oneBall(at(0, 2), s.x, 0)
					p.Obstacles = []soccer.Observation{{Position: soccer.Vec3{X: 1, Y: 4}, Confidence: 1}}
					m.Receive(&world.Message{From: sender(robot), Arrival: now, HasStamp: true,
						Stamp: uint32(s.at.Sub(soccer.Epoch)/time.Millisecond) + 5000*uint32(robot), Percepts: &p})
				}
			}
			if i > 900 && math.Abs(x) < 0.7 { // not just after it turned
				b := belief(m, now).Ball
				sum += math.Abs(b.Position.X - x)
				n++
				if len(belief(m, now+60*ms).Obstacles) == 0 {
					missing++
				}
			}
			now += 40 * ms
		}
		if missing > 0 {
			t.Errorf("packages %v late: 60 ms after each the obstacle that it shows is missing %d times of %d", late, missing, n)
		}
		if off := sum / float64(n); off > 0.12 {
			t.Errorf("packages %v late: without own sights the ball at 2 m/s is %.2f m off", late, off)
		}
	}
}
