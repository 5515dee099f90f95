package play

import (
	"math"
	"time"

	"touchline/soccer"
)

// areaMargin is how far robots stay from a goal area that they may not enter, in m: three standard deviations of the error
// of their poses.
const areaMargin = 0.25

// inGoalArea reports whether a place is in a goal area, or so near to one that a robot there would be.
func (s *scene) inGoalArea(at soccer.Vec, margin float64) bool {
	front, half := s.goalArea(margin)
	return math.Abs(at.X) > front && math.Abs(at.Y) < half
}

// goalArea returns the distance of the fronts of the goal areas from the middle line, and half their width, in m, with a
// margin.
func (s *scene) goalArea(margin float64) (front, half float64) {
	length, width := s.field.GoalArea()
	return s.end - length - margin, float64(width/2) + margin
}

// roundGoalArea returns where to drive first on the way to a place: a corner of a goal area that lies between.
func (s *scene) roundGoalArea(to soccer.Vec) soccer.Vec {
	const clear = 0.1 // m, of the way around the margin
	front, half := s.goalArea(areaMargin)
	side := sign(to.X)
	if math.Abs(to.X) < math.Abs(s.me.X) {
		side = sign(s.me.X)
	}
	a, b := soccer.Vec{X: float64(side * s.me.X), Y: s.me.Y}, soccer.Vec{X: float64(side * to.X), Y: to.Y}
	if s.cfg.Number == soccer.Goalkeeper || max(a.X, b.X) <= front || s.inGoalArea(s.me, areaMargin) {
		return to
	}
	// The part of the way that is beyond the front.
	from, until := a.Y, b.Y
	if cut := a.Y + float64((b.Y-a.Y)*((front-a.X)/(b.X-a.X))); a.X < front {
		from = cut
	} else if b.X < front {
		until = cut
	}
	if min(from, until) >= half || max(from, until) <= -half {
		return to
	}
	beside := a.Y
	if a.X <= front {
		if beside = b.Y; math.Abs(beside) < half {
			return to // it is in the area
		}
	}
	return soccer.Vec{X: float64(side * (front - clear)), Y: float64(sign(beside) * (half + clear))}
}

// waitBeside returns where to drive on the way to a place at a set piece: that place, or, where the ball leaves no room to
// pass a goal area, one beside the area that is far enough from the ball.
func (s *scene) waitBeside(to soccer.Vec, away keep) soccer.Vec {
	const (
		spare  = 0.2 // m, that the robot may be nearer
		behind = 0.2 // m, the goal line
		clear  = 0.2 // m, of the area
	)
	front, half := s.goalArea(areaMargin)
	x, y := sign(s.me.X), sign(s.me.Y)
	corner := soccer.Vec{X: float64(x * front), Y: float64(y * half)}
	far := func(at soccer.Vec) float64 { return at.Sub(away.at).Len() }
	if s.cfg.Number == soccer.Goalkeeper || math.Abs(s.me.X) < front || far(corner) > away.radius-spare {
		return to
	}
	if far(s.me) > away.radius-spare {
		return s.me
	}
	near := soccer.Vec{X: float64(x * (s.end + behind)), Y: float64(y * (half + clear))}
	line := soccer.Vec{X: near.X, Y: float64(y * s.touch)}
	if far(near) < away.radius-spare && far(line) > far(near) {
		return line
	}
	return near
}

// avoidGoalArea keeps a robot that is not the goalkeeper out of the goal areas, whatever it does: it brakes before one,
// and leaves one.
func (s *scene) avoidGoalArea(a *Action) {
	if s.cfg.Number == soccer.Goalkeeper || !s.located || math.Abs(s.me.X) > s.end+s.field.Border {
		return
	}
	const (
		slowly = 2.5  // m/s^2: less than the robot can, since it also turns aside
		lag    = 0.06 // s, until it obeys
		fast   = 0.3  // m/s, too fast: then the robot does nothing but brake
	)
	front, half := s.goalArea(areaMargin)
	dx, dy := front-math.Abs(s.me.X), math.Abs(s.me.Y)-half
	if max(dx, dy) < 0 {
		s.leaveGoalArea(a)
		return
	}
	// The way from the area to the robot.
	out := soccer.Vec{X: float64(-sign(s.me.X) * max(dx, 0)), Y: float64(sign(s.me.Y) * max(dy, 0))}
	far := out.Len()
	if out = out.Unit(); far < 1e-6 {
		out = soccer.Vec{X: -sign(s.me.X)}
	}
	v, is := s.commanded(&a.Motor), s.velocity()
	comes := -is.Dot(out)
	most := math.Sqrt(float64(2 * slowly * max(0, far-float64(lag*max(0, comes)))))
	if comes > most+fast {
		v = is.Add(out.Scale(v.Dot(out) - is.Dot(out)))
		s.move(&a.Motor, v)
	}
	if least := max(0, comes-most) - most; v.Dot(out) < least {
		s.move(&a.Motor, v.Add(out.Scale(least-v.Dot(out))))
	}
}

// commanded returns the velocity of a command in the team frame.
func (s *scene) commanded(m *soccer.Motor) soccer.Vec {
	return soccer.Vec{X: m.Twist.X, Y: m.Twist.Y}.Rotated(s.sin, s.cos)
}

// velocity returns the robot's own velocity.
func (s *scene) velocity() soccer.Vec { return velocityOf(&s.Self) }

// velocityOf returns the velocity of a robot, zero where it is unknown or makes no sense.
func velocityOf(l *soccer.Localisation) soccer.Vec {
	if t := &l.Twist; l.HasTwist && finite(10, t.X, t.Y) {
		return soccer.Vec{X: t.X, Y: t.Y}
	}
	return soccer.Vec{}
}

// leaveGoalArea drives out of a goal area.
func (s *scene) leaveGoalArea(a *Action) {
	const (
		most = 3.0 // m/s
		last = 0.3 // m/s, at the edge
	)
	dir, far := s.wayOut()
	pace := min(most, last+math.Sqrt(float64(2*braking*far)))
	s.move(&a.Motor, dir.Scale(pace))
}

// exit is the way on which a robot leaves a goal area.
type exit struct {
	dir   soccer.Vec
	at    soccer.Time // when it took it last
	moved soccer.Time // when it got on there last
	shut  soccer.Vec  // a direction in which it did not get on
	until soccer.Time // when it may try that one again
}

// wayOut returns the best of 16 straight ways out of a goal area: its direction and its length in m. It is short, goes on
// in the direction in which the robot moves, and leads neither into another robot nor to the ball of a set piece. A robot
// that does not get on takes another one.
func (s *scene) wayOut() (dir soccer.Vec, far float64) {
	const (
		ways   = 16
		clear  = 0.1 // m, beyond the area
		spare  = 0.5 // m, of the distance that robots keep
		steady = 0.3 // m, by which another way must be shorter
		ahead  = 0.3 // s, of the robot's motion
		near   = 0.8 // m, of robots in the way
		slow   = 0.3 // m/s
		keeps  = 500 * time.Millisecond
		tries  = 250 * time.Millisecond
	)
	m, is := &s.memory.exit, s.velocity()
	if s.Now.Sub(m.at) > keeps {
		*m = exit{moved: s.Now}
	}
	if is.Dot(m.dir) > slow {
		m.moved = s.Now
	}
	if s.Now.Sub(m.moved) > tries {
		m.shut, m.until, m.moved = m.dir, s.Now.Add(2*keeps), s.Now
	}
	front, half := s.goalArea(areaMargin)
	least := math.Inf(1)
	for i := range ways {
		u := turned(float64(i) * (2 * math.Pi / ways))
		way := math.Inf(1)
		if u.X*s.me.X < 0 {
			way = (math.Abs(s.me.X) - front) / math.Abs(u.X)
		}
		if math.Abs(u.Y) > 1e-6 {
			way = min(way, (half-float64(s.me.Y*sign(u.Y)))/math.Abs(u.Y))
		}
		cost := way - float64(ahead*is.Dot(u))
		if s.memory.piece.active && s.me.Add(u.Scale(way+clear)).Sub(s.avoids.at).Len() < s.avoids.radius-spare {
			cost += s.avoids.radius
		}
		for k := range s.circles {
			rel := s.circles[k].at.Sub(s.me)
			if along := rel.Dot(u); along > 0 && along < min(near, way+bodies) {
				cost += max(0, 1-math.Abs(u.Cross(rel))/bodies)
			}
		}
		if u.Dot(m.dir) > 0.99 {
			cost -= steady
		}
		if s.Now < m.until && u.Dot(m.shut) > 0.8 {
			cost++
		}
		if cost < least {
			dir, far, least = u, max(way, 0), cost
		}
	}
	if dir.Dot(m.dir) < 0.99 {
		m.moved = s.Now
	}
	m.at, m.dir = s.Now, dir
	return dir, far
}
