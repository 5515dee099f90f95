package world_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// restingBall returns a model after a second in which robots 2 and 3 saw the ball at (1, 1), and the time.
func restingBall() (*world.Model, soccer.Time) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for range 25 {
		team(m, 3, now, 1, 1)
		now += 40 * ms
	}
	return m, now
}

func distance(b soccer.Ball, x, y float64) float64 { return math.Hypot(b.Position.X-x, b.Position.Y-y) }

// A kicked ball leaves the place where it was expected: its new velocity is known after three pictures.
func TestKickedBall(t *testing.T) {
	m, now := restingBall()
	x := 1.0
	for range 3 {
		x += 4 * 0.04
		team(m, 3, now, x, 1)
		now += 40 * ms
	}
	if b := belief(m, now).Ball; !b.Known || b.Velocity.X < 2.5 || distance(b, x, 1) > 0.4 {
		t.Errorf("after three pictures of a ball at 4 m/s: %+v", b)
	}
}

// The covariance of a ball that is not seen for 0.1 s grows less where sights are exact and in time: kicks are supposed
// more often than they happen.
func TestUnseenKicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	grows := func(sigma float64, late time.Duration) float64 {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		now := soccer.Epoch.Add(time.Second)
		for i := range 100 {
			for robot := range 3 {
				x := 0.04*float64(i) - 2 // a ball that rolls
				p := oneBall(at(0, float64(robot)), x+sigma*rng.NormFloat64(), 1+sigma*rng.NormFloat64())
				p.Time = now
				m.Measure(sender(uint8(2+robot)), now.Add(late), &p)
			}
			now += 40 * ms
		}
		seen, later := belief(m, now-40*ms).Ball.Cov, belief(m, now+60*ms).Ball.Cov
		return later.XX + later.YY - seen.XX - seen.YY
	}
	exact, misled, late := grows(0.02, 60*time.Millisecond), grows(0.25, 60*time.Millisecond), grows(0.02, 300*time.Millisecond)
	if exact <= 0 || 1.5*exact > misled || 1.5*exact > late {
		t.Errorf("grows by %.4f m^2, %.4f with wrong sights, %.4f with late ones: want the first well below the others", exact, misled, late)
	}
}

// A ball that the referee placed elsewhere is found with three pictures of two robots, and two false sights do not move it.
func TestPlacedBall(t *testing.T) {
	m, now := restingBall()
	receive(m, sender(4), now, 60*time.Millisecond, oneBall(at(0, 0), -5, 3))
	receive(m, sender(5), now, 60*time.Millisecond, oneBall(at(0, 0), 6, -4))
	if b := belief(m, now).Ball; distance(b, 1, 1) > 0.1 {
		t.Errorf("two false sights moved the ball to %+v", b.Position)
	}
	for range 3 {
		now += 40 * ms
		team(m, 3, now, -4, 2)
	}
	if b := belief(m, now).Ball; distance(b, -4, 2) > 0.1 {
		t.Errorf("the placed ball is believed at %+v, want (-4, 2)", b.Position)
	}
}

// A robot whose sights are always false does not take over when the others lose the ball.
func TestLyingRobot(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 200 {
		if i < 150 {
			team(m, 3, now, 1, 1)
		}
		receive(m, sender(4), now, 60*time.Millisecond, oneBall(at(0, 0), -5, 3))
		w := belief(m, now)
		if b := w.Ball; b.Known && distance(b, 1, 1) > 0.5 {
			t.Fatalf("picture %d: the lying robot moved the ball to %+v", i, b.Position)
		}
		for _, p := range w.Peers {
			if i == 149 && (p.Doubt > 0.5) != (p.Sender.Robot == 4) {
				t.Errorf("the next sight of robot %d is false with %.2f", p.Sender.Robot, p.Doubt)
			}
		}
		now += 40 * ms
	}
}

// Two robots whose poses are off by 30 cm in opposite directions agree on the ball between them, and each of them alone
// still puts it there.
func TestErrorsOfPosesAreLearnt(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	see := func(robot uint8, off float64) {
		receive(m, sender(robot), now, 60*time.Millisecond, oneBall(at(off, 0), 2+off, 1))
	}
	for range 50 {
		see(2, 0.1)
		see(3, -0.1)
		now += 40 * ms
	}
	for range 10 {
		see(2, 0.1)
		now += 40 * ms
	}
	w := belief(m, now)
	if distance(w.Ball, 2, 1) > 0.06 {
		t.Errorf("the ball is at %+v, want (2, 1): robot 2 is known to be 10 cm off", w.Ball.Position)
	}
	if e := w.Peers[0].PoseError; math.Abs(e.X-0.1) > 0.06 || math.Abs(e.Y) > 0.06 {
		t.Errorf("the pose of robot 2 is off by %+v, want 0.1 m along x", e)
	}
}

// A clock that is set back by 400 ms is noticed within a second.
func TestClockSetBack(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(100 * time.Second)
	stamp := uint32(50_000)
	send := func(n int) {
		for i := range n {
			m.Receive(&world.Message{From: sender(2), Arrival: now.Add(time.Duration(i%3) * 10 * time.Millisecond),
				HasStamp: true, Stamp: stamp, Percepts: new(oneBall(at(-3, 0), 2, 1))})
			now += 50 * ms
			stamp += 50
		}
	}
	send(40)
	stamp -= 400
	send(20)
	if got := m.Counts().ClockJumps; got != 1 {
		t.Errorf("%d clock jumps, want 1", got)
	}
	if b := belief(m, now).Ball; now.Sub(b.LastSeen) > 150*time.Millisecond {
		t.Errorf("the ball was last seen %v ago, want at most 150 ms", now.Sub(b.LastSeen))
	}
}

// An opponent beside a teammate stays when robots see both, and keeps its identity while nobody sees it for a second.
func TestOpponentBesideTeammate(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	both := soccer.Percepts{Self: at(0, 0), Obstacles: []soccer.Observation{seen(2, 0, 0.9), seen(2, 0.6, 0.9)}}
	var id uint32
	for i := range 100 {
		receive(m, sender(2), now, 60*time.Millisecond, both)
		receive(m, sender(3), now, 60*time.Millisecond, soccer.Percepts{Self: at(2, 0)})
		now += 40 * ms
		w := belief(m, now)
		if i == 50 && len(w.Obstacles) == 1 {
			id = w.Obstacles[0].ID
		}
		if i > 50 && (len(w.Obstacles) != 1 || w.Obstacles[0].ID != id || math.Abs(w.Obstacles[0].Position.Y-0.6) > 0.15) {
			t.Fatalf("picture %d: %+v, want the opponent at (2, 0.6) as obstacle %d", i, w.Obstacles, id)
		}
	}
	now = now.Add(time.Second)
	if w := belief(m, now); len(w.Obstacles) > 0 {
		t.Errorf("after a second without a sight: %+v", w.Obstacles)
	}
	for range 3 {
		receive(m, sender(3), now, 60*time.Millisecond, soccer.Percepts{Self: at(2, 0)})
		receive(m, sender(2), now, 60*time.Millisecond, both)
		now += 40 * ms
	}
	if w := belief(m, now); len(w.Obstacles) != 1 || w.Obstacles[0].ID != id {
		t.Errorf("seen again: %+v, want obstacle %d", w.Obstacles, id)
	}
}

// A sight that is no number, or far beyond the field, is counted and left out.
func TestAbsurdPercepts(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for range 10 {
		team(m, 3, now, 1, 1)
		receive(m, sender(4), now, 60*time.Millisecond, oneBall(at(0, 0), math.NaN(), 1))
		receive(m, sender(5), now, 60*time.Millisecond, oneBall(at(0, 0), 1, math.Inf(1)))
		receive(m, sender(6), now, 60*time.Millisecond, oneBall(at(math.NaN(), 0), 1, 1))
		now += 40 * ms
	}
	w := belief(m, now)
	if distance(w.Ball, 1, 1) > 0.05 || m.Counts().Absurd != 30 {
		t.Errorf("got ball %+v and %d absurd, want (1, 1) and 30", w.Ball, m.Counts().Absurd)
	}
	for _, p := range w.Peers {
		if p.Sender.Robot == 6 && p.Self.Known {
			t.Errorf("the pose of robot 6 is %+v, want unknown", p.Self)
		}
	}
}
