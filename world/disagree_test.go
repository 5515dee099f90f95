package world_test

import (
	"math"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/world"
)

// squad plays robots 1 to 5 around a ball: robot 1 carries the model. Noise is seeded.
type squad struct {
	m    *world.Model
	now  soccer.Time
	rng  *rand.Rand
	ball soccer.Vec
	last uint8 // number of the last robot; 0: 5
	// change alters what a robot reports, if it is set.
	change func(robot uint8, p *soccer.Percepts)
}

func newSquad() *squad {
	return &squad{
		m: world.New(world.DefaultConfig(1, soccer.Cyan)), now: soccer.Epoch.Add(time.Second),
		rng: rand.New(rand.NewPCG(1, 2)), ball: soccer.Vec{X: 2, Y: 1}, last: 5,
	}
}

// play lets every robot take a picture, 25 times a second, and passes the belief after each round to check.
func (s *squad) play(length time.Duration, check func(now soccer.Time, w *soccer.World)) {
	var w soccer.World
	for end := s.now.Add(length); s.now < end; s.now += 40 * ms {
		for robot := uint8(1); robot <= s.last; robot++ {
			p := s.picture(robot)
			if s.change != nil {
				s.change(robot, &p)
			}
			if robot == 1 {
				s.m.Observe(&p)
			} else {
				receive(s.m, sender(robot), s.now, 60*time.Millisecond, p)
			}
		}
		s.m.World(s.now+60*ms, &w)
		check(s.now, &w)
	}
}

// picture returns what a healthy robot sees: the ball, and obstacles at two places.
func (s *squad) picture(robot uint8) soccer.Percepts {
	noise := func(sigma float64) float64 { return float64(sigma * exact.Normal(s.rng)) }
	self := at(float64(robot)-2+noise(0.02), 1.5-0.7*float64(robot)+noise(0.02))
	p := soccer.Percepts{Time: s.now, Self: self}
	if exact.Uniform(s.rng) > 0.2 {
		p.Balls = append(p.Balls, seen(s.ball.X+noise(0.1), s.ball.Y+noise(0.1), 0.8))
	} else if exact.Uniform(s.rng) < 0.1 {
		p.Balls = append(p.Balls, seen(s.ball.X+noise(3), s.ball.Y+noise(3), 0.8))
	}
	for _, o := range []soccer.Vec{{X: 3, Y: -1}, {X: 0, Y: 2.5}} {
		p.Obstacles = append(p.Obstacles, seen(o.X+noise(0.1), o.Y+noise(0.1), 0.8))
	}
	return p
}

// mirror turns all that a robot reports around the centre of the field.
func mirror(p *soccer.Percepts) {
	p.Self = p.Self.Turned()
	for i := range p.Balls {
		p.Balls[i].Position = p.Balls[i].Position.Turned()
	}
	for i := range p.Obstacles {
		p.Obstacles[i].Position = p.Obstacles[i].Position.Turned()
	}
}

// named returns who disagrees, and the first disagreement.
func named(w *soccer.World) (robots []uint8, first soccer.Disagreement) {
	if w.SelfDisagrees.Since != 0 {
		robots, first = append(robots, 1), w.SelfDisagrees
	}
	for i := range w.Peers {
		if d := w.Peers[i].Disagrees; d.Since != 0 {
			robots = append(robots, w.Peers[i].Sender.Robot)
			if first.Since == 0 {
				first = d
			}
		}
	}
	return robots, first
}

func nobody(t *testing.T) func(soccer.Time, *soccer.World) {
	t.Helper()
	return func(now soccer.Time, w *soccer.World) {
		if robots, d := named(w); len(robots) > 0 {
			t.Fatalf("after %v robots %v disagree: %+v", now.Sub(soccer.Epoch), robots, d)
		}
	}
}

// A robot that takes its pose for the mirrored one is named within 3 s, and taken back within 4 s of its recovery.
func TestMirroredRobotIsNamed(t *testing.T) {
	for _, faulty := range []uint8{1, 4} {
		s := newSquad()
		s.play(5*time.Second, nobody(t))
		began, found := s.now, soccer.Time(0)
		s.change = func(robot uint8, p *soccer.Percepts) {
			if robot == faulty {
				mirror(p)
			}
		}
		s.play(6*time.Second, func(now soccer.Time, w *soccer.World) {
			robots, d := named(w)
			switch {
			case len(robots) == 0 && now.Sub(began) > 3*time.Second:
				t.Fatalf("robot %d is not named after 3 s", faulty)
			case len(robots) == 0:
				return
			case len(robots) != 1 || robots[0] != faulty:
				t.Fatalf("robots %v are named, want robot %d", robots, faulty)
			case d.What != soccer.PoseSubject || absDuration(d.Since.Sub(began)) > 200*time.Millisecond:
				t.Fatalf("robot %d: %+v, want a wrong pose since %v", faulty, d, began)
			}
			found = now
			if want := 2 * s.ball.Len(); now.Sub(began) > 4*time.Second && math.Abs(d.By-want) > 1 {
				t.Fatalf("robot %d is off by %.1f m, want %.1f m", faulty, d.By, want)
			}
		})
		if found == 0 {
			t.Fatalf("robot %d was never named", faulty)
		}
		s.change = nil
		s.play(4*time.Second, func(_ soccer.Time, w *soccer.World) {
			if robots, _ := named(w); len(robots) > 1 {
				t.Fatalf("robots %v are named after the recovery", robots)
			}
		})
		s.play(20*time.Second, nobody(t))
	}
}

func absDuration(d time.Duration) time.Duration { return max(d, -d) }

// A pose that jumps by less than a metre is named, too, although the ball is nearly where the others see it.
func TestPoseOffByAMetreIsNamed(t *testing.T) {
	s := newSquad()
	s.play(5*time.Second, nobody(t))
	s.change = func(robot uint8, p *soccer.Percepts) {
		if robot != 3 {
			return
		}
		p.Self.Pose.X += 0.9
		for i := range p.Balls {
			p.Balls[i].Position.X += 0.9
		}
		for i := range p.Obstacles {
			p.Obstacles[i].Position.X += 0.9
		}
	}
	began := s.now
	s.play(10*time.Second, func(now soccer.Time, w *soccer.World) {
		robots, d := named(w)
		if len(robots) > 1 || len(robots) == 1 && robots[0] != 3 {
			t.Fatalf("robots %v are named, want robot 3", robots)
		}
		if now.Sub(began) > 3*time.Second && (len(robots) == 0 || d.What != soccer.PoseSubject || math.Abs(d.By-0.9) > 0.3) {
			t.Fatalf("robots %v: %+v, want robot 3 with a pose that is 0.9 m off", robots, d)
		}
	})
	s.change = nil
	s.play(4*time.Second, func(soccer.Time, *soccer.World) {})
	s.play(10*time.Second, nobody(t))
}

// A camera that repeats its picture while the robot drives is named before it is far off. One that works is not, and the
// frozen one is taken back.
func TestFrozenCameraIsNamed(t *testing.T) {
	s := newSquad()
	began := s.now.Add(5 * time.Second)
	var frozen soccer.Percepts
	s.change = func(robot uint8, p *soccer.Percepts) {
		late := s.now.Sub(began)
		if robot < 3 || late < 0 || late > 5*time.Second {
			return
		}
		if late == 0 && robot == 4 {
			frozen = *p
		}
		p.Self.Pose.X += late.Seconds() // 1 m/s
		if robot == 4 {
			then := frozen.Self.Pose.XY()
			p.Balls, p.Obstacles = nil, nil
			for _, o := range frozen.Obstacles {
				p.Obstacles = append(p.Obstacles, seen(o.Position.X-then.X+p.Self.Pose.X, o.Position.Y-then.Y+p.Self.Pose.Y, 0.8))
			}
		}
	}
	s.play(5*time.Second, nobody(t))
	s.play(5*time.Second, func(now soccer.Time, w *soccer.World) {
		robots, d := named(w)
		late := now.Sub(began).Seconds()
		if len(robots) > 1 || len(robots) == 1 && robots[0] != 4 {
			t.Fatalf("robots %v are named, want robot 4", robots)
		}
		if late > 1 && (len(robots) == 0 || d.Since != began || math.Abs(d.By-late) > 0.15) {
			t.Fatalf("after %.2f s robots %v are named: %+v", late, robots, d)
		}
	})
	s.play(4*time.Second, func(soccer.Time, *soccer.World) {})
	s.play(10*time.Second, nobody(t))
}

// Two robots that see the same false ball are named when the three others see the true one, and none of these is.
func TestTwoAgreeingLiarsAreNamed(t *testing.T) {
	s := newSquad()
	s.play(5*time.Second, nobody(t))
	s.change = func(robot uint8, p *soccer.Percepts) {
		if robot >= 4 {
			p.Balls = []soccer.Observation{seen(-s.ball.X, -s.ball.Y, 0.8)}
		}
	}
	began := s.now
	s.play(20*time.Second, func(now soccer.Time, w *soccer.World) {
		robots, d := named(w)
		for _, n := range robots {
			if n < 4 {
				t.Fatalf("after %v robots %v are named, want 4 and 5", now.Sub(began), robots)
			}
		}
		if now.Sub(began) > 3*time.Second && (len(robots) != 2 || d.What != soccer.BallSubject) {
			t.Fatalf("after %v robots %v are named: %+v, want the ball of 4 and 5", now.Sub(began), robots, d)
		}
	})
}

// Healthy robots are never named: neither false sights, nor kicks, a placed ball or a stalled process contradict anyone.
func TestHealthyRobotsAreNotNamed(t *testing.T) {
	s := newSquad()
	for i := range 20 {
		s.ball = soccer.Vec{X: 8 * (exact.Uniform(s.rng) - 0.5), Y: 6 * (exact.Uniform(s.rng) - 0.5)} // placed
		for range 50 {
			s.ball.X += float64(i%5) * 0.04 // up to 4 m/s
			s.play(40*time.Millisecond, nobody(t))
		}
		s.now = s.now.Add(time.Duration(i%4) * 500 * time.Millisecond) // a stall
	}
}

// Of two robots nobody can say which one is wrong, and robots of one address are one witness.
func TestNoMajorityNamesNobody(t *testing.T) {
	s := newSquad()
	s.last = 2
	s.change = func(robot uint8, p *soccer.Percepts) {
		if robot == 2 {
			mirror(p)
		}
	}
	s.play(20*time.Second, nobody(t))

	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for range 500 {
		receive(m, sender(2), now, 60*time.Millisecond, oneBall(at(0, 0), 2, 1))
		for robot := range uint8(6) {
			from := soccer.Sender{Addr: netip.MustParseAddrPort("10.0.0.9:2005"), Robot: 10 + robot}
			receive(m, from, now, 60*time.Millisecond, oneBall(at(0, 0), -5, 3))
		}
		now += 40 * ms
		w := belief(m, now)
		nobody(t)(now, &w)
	}
}
