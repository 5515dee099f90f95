package world_test

import (
	"slices"
	"testing"
	"time"

	"touchline/soccer"
)

// namedWithin plays until a robot is named, and fails unless it is robot 4 alone, in time.
func (s *squad) namedWithin(t *testing.T, limit time.Duration) soccer.Disagreement {
	t.Helper()
	began, found := s.now, soccer.Disagreement{}
	s.play(limit, func(now soccer.Time, w *soccer.World) {
		robots, d := named(w)
		if len(robots) > 0 && !slices.Equal(robots, []uint8{4}) {
			t.Fatalf("after %v robots %v are named, want robot 4", now.Sub(began), robots)
		}
		if len(robots) > 0 {
			found = d
		}
	})
	if found.Since == 0 {
		t.Fatalf("robot 4 is not named within %v", limit)
	}
	return found
}

// A pose that jumps is named before anybody looks where the robot claims to be: what it sees around it stayed the same. A
// robot that was carried away sees something else, and is not named.
func TestJumpOfThePoseIsNamedWithoutWitness(t *testing.T) {
	alone := func(carried bool) *squad {
		s := newSquad()
		s.play(5*time.Second, nobody(t))
		s.change = func(robot uint8, p *soccer.Percepts) {
			if robot != 4 {
				*p = soccer.Percepts{Time: p.Time, Self: p.Self} // nobody else sees anything
				return
			}
			p.Self.Pose.X -= 6
			for i := range p.Balls {
				p.Balls[i].Position.X -= 6
			}
			for i := range p.Obstacles {
				p.Obstacles[i].Position.X -= 6
				if carried {
					p.Obstacles[i].Position.Y += 5
				}
			}
			if carried {
				p.Balls = nil
			}
		}
		return s
	}
	began := soccer.Epoch.Add(6 * time.Second)
	d := alone(false).namedWithin(t, time.Second)
	if d.What != soccer.PoseSubject || d.By < 5.5 || d.By > 6.5 || absDuration(d.Since.Sub(began)) > 100*time.Millisecond {
		t.Errorf("got %+v, want a pose that is off by 6 m since %v", d, began)
	}
	alone(true).play(3*time.Second, nobody(t))
}

// A robot that takes metres for millimetres sees all inside its own body, and needs no witness.
func TestMillimetresAreNamed(t *testing.T) {
	s := newSquad()
	s.play(5*time.Second, nobody(t))
	s.change = func(robot uint8, p *soccer.Percepts) {
		if robot != 4 {
			return
		}
		p.Self.Pose.X, p.Self.Pose.Y = p.Self.Pose.X/1000, p.Self.Pose.Y/1000
		for _, seen := range [][]soccer.Observation{p.Balls, p.Obstacles} {
			for i := range seen {
				seen[i].Position.X, seen[i].Position.Y = seen[i].Position.X/1000, seen[i].Position.Y/1000
			}
		}
	}
	if d := s.namedWithin(t, time.Second); d.What != soccer.PoseSubject {
		t.Errorf("got %+v, want a wrong pose", d)
	}
}

// One witness suffices against a ball that jumped away if it has seen the true one without a gap since both agreed. Nobody
// is named when the ball was placed elsewhere, which all see.
func TestOneWitnessOfTheBall(t *testing.T) {
	s := newSquad()
	s.change = func(robot uint8, p *soccer.Percepts) {
		switch {
		case robot == 4 && s.now > soccer.Epoch.Add(6*time.Second):
			p.Balls = []soccer.Observation{seen(-s.ball.X, -s.ball.Y, 0.8)}
		case robot == 2 || robot == 4: // they see no false ball
			p.Balls = []soccer.Observation{seen(s.ball.X, s.ball.Y, 0.8)}
		default:
			p.Balls = nil
		}
	}
	s.play(5*time.Second, nobody(t))
	if d := s.namedWithin(t, 3*time.Second); d.What != soccer.BallSubject {
		t.Errorf("got %+v, want a wrong ball", d)
	}

	s = newSquad()
	s.change = func(robot uint8, p *soccer.Percepts) {
		if robot != 4 && robot != 2 {
			p.Balls = nil
		}
	}
	for range 5 {
		s.play(3*time.Second, nobody(t))
		s.ball = soccer.Vec{X: -s.ball.X, Y: -s.ball.Y}
	}
}

// One witness suffices against a ball that is farther away than any that others confirmed, unless it sees one as far away.
func TestOneWitnessOfABallOutOfRange(t *testing.T) {
	for _, witness := range []float64{1, -6.5} { // x of the ball that robot 2 sees
		s := newSquad()
		s.change = func(robot uint8, p *soccer.Percepts) {
			began := s.now > soccer.Epoch.Add(6*time.Second)
			switch {
			case began && robot == 2:
				p.Balls = []soccer.Observation{seen(witness, 0, 0.8)}
			case began && robot == 4:
				p.Balls = []soccer.Observation{seen(-3, -1, 0.8)} // 5 m away
			case began || robot == 4:
				p.Balls = nil
			default:
				p.Balls = []soccer.Observation{seen(s.ball.X, s.ball.Y, 0.8)}
			}
		}
		s.play(5*time.Second, nobody(t))
		if witness > 0 {
			s.namedWithin(t, 2*time.Second)
			continue
		}
		s.play(2*time.Second, func(now soccer.Time, w *soccer.World) {
			if robots, _ := named(w); slices.Contains(robots, 4) {
				t.Fatalf("at %v robots %v are named, but the ball of robot 2 is farther away than that of robot 4", now, robots)
			}
		})
	}
}

// Robots that see no ball where one reports it are witnesses after two seconds in which they saw each ball. They are none
// if they missed some of these, or if a robot stands between.
func TestRobotsThatSeeNothingAreWitnesses(t *testing.T) {
	claim := func(missed bool, robots ...soccer.Vec) *squad {
		s := newSquad()
		s.change = func(robot uint8, p *soccer.Percepts) {
			late := s.now.Sub(soccer.Epoch.Add(3 * time.Second))
			p.Obstacles = nil
			for _, at := range robots {
				p.Obstacles = append(p.Obstacles, seen(at.X, at.Y, 0.8))
			}
			switch {
			case late > 0 && robot == 4:
				p.Balls = []soccer.Observation{seen(2.5, 0, 0.8)}
			case late > 0, missed && robot != 4 && robot != 5 && s.now%soccer.Time(time.Second) < soccer.Time(400*time.Millisecond):
				p.Balls = nil
			default:
				p.Balls = []soccer.Observation{seen(4, 2, 0.8)}
			}
		}
		s.play(2*time.Second, nobody(t))
		return s
	}
	if d := claim(false).namedWithin(t, 2*time.Second); d.What != soccer.BallSubject {
		t.Errorf("got %+v, want a wrong ball", d)
	}
	claim(true).play(3*time.Second, nobody(t))
	claim(false, soccer.Vec{X: 1.9, Y: -0.1}, soccer.Vec{X: 2.6, Y: -0.6}).play(3*time.Second, nobody(t))
}
