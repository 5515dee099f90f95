package play

import (
	"math"
	"time"

	"touchline/soccer"
)

// Speeds of a robot that plays.
const (
	cruise    = 3.7  // m/s, on the way
	carry     = 2.2  // m/s, with the ball
	braking   = 3.0  // m/s^2
	gap       = 0.15 // m, to other robots on the way
	wheelTurn = 3.0  // rad/s, with the ball
)

// keep is a place to stay away from.
type keep struct {
	at     soccer.Vec
	radius float64 // m, of the robot's centre; 0: nowhere
}

// drive returns the action of going to a place, facing a direction in rad, with at most some m/s.
func (s *scene) drive(to soccer.Vec, face, most float64, away keep, intention string) Action {
	a := Action{Target: soccer.Pose{X: to.X, Y: to.Y, Theta: soccer.WrapAngle(face)}, HasTarget: true, Intention: intention}
	s.avoids = away
	d := to.Sub(s.me).Len()
	const arrived = 0.04 // m
	if d > arrived {
		speed := min(most, math.Sqrt(float64(2*braking*d)), 3*d)
		dir := s.way(to, away)
		s.move(&a.Motor, s.outOf(away, dir.Scale(speed)))
	}
	a.Motor.Twist.Theta = s.turn(face, maxTurn)
	return a
}

// outOf takes from a velocity what leads into a circle, where the way around other robots may lead. A robot inside leaves
// it.
func (s *scene) outOf(away keep, v soccer.Vec) soccer.Vec {
	const (
		rate   = 2.0 // 1/s, of the approach to the circle
		spare  = 0.3 // m, by which a robot may be inside
		escape = 1.5 // m/s
	)
	if away.radius <= 0 {
		return v
	}
	rel := s.me.Sub(away.at)
	out, outside := rel.Unit(), rel.Len()-away.radius
	if outside < -spare {
		out = s.alongLine(out)
	}
	most := float64(rate * max(0, outside))
	if outside < -spare {
		most = -escape
	}
	return v.Add(out.Scale(max(0, -v.Dot(out)-most)))
}

// alongLine returns the direction in which a robot leaves the ball of a set piece: away from it, but beyond a line of the
// field along that line, and not into a corner. The robot keeps its direction while it gets on.
func (s *scene) alongLine(away soccer.Vec) soccer.Vec {
	const (
		corner = 1.5 // m
		keeps  = time.Second
		tries  = 500 * time.Millisecond
		slow   = 0.2 // m/s
	)
	var dir soccer.Vec
	switch {
	case math.Abs(s.me.X) > s.end && s.me.X*away.X > 0:
		if dir.Y = sign(away.Y); math.Abs(s.me.Y) > s.touch-corner {
			dir.Y = -sign(s.me.Y)
		}
	case math.Abs(s.me.Y) > s.touch && s.me.Y*away.Y > 0:
		if dir.X = sign(away.X); math.Abs(s.me.X) > s.end-corner {
			dir.X = -sign(s.me.X)
		}
	default:
		return away
	}
	m := &s.memory.along
	if m.dir.Dot(dir) == 0 || s.Now.Sub(m.at) > keeps {
		*m = along{dir: dir, moved: s.Now}
	}
	switch {
	case s.velocity().Dot(m.dir) > slow:
		m.moved = s.Now
	case s.Now.Sub(m.moved) > tries:
		m.dir, m.moved = soccer.Vec{X: -m.dir.X, Y: -m.dir.Y}, s.Now
	}
	m.at = s.Now
	return m.dir
}

// along is how a robot follows a line of the field.
type along struct {
	dir   soccer.Vec
	at    soccer.Time // when it did last
	moved soccer.Time // when it got on last
}

// move sets the velocity of a command, given in the team frame.
func (s *scene) move(m *soccer.Motor, v soccer.Vec) {
	m.Twist.X = float64(s.cos*v.X) + float64(s.sin*v.Y)
	m.Twist.Y = float64(s.cos*v.Y) - float64(s.sin*v.X)
}

// turn returns the angular velocity that turns the robot to face a direction.
func (s *scene) turn(face, most float64) float64 {
	const still = 0.02 // rad
	e := soccer.WrapAngle(face - s.self.Theta)
	if math.Abs(e) < still {
		return 0
	}
	return math.Copysign(min(max(6*math.Abs(e), 0.3), math.Sqrt(16*math.Abs(e)), most), e)
}

// way returns the direction in which to drive to a place, around what is in the way: along the tangent of the nearest
// circle that the straight way cuts.
func (s *scene) way(to soccer.Vec, away keep) soccer.Vec {
	to = s.roundGoalArea(to)
	dir := to.Sub(s.me).Unit()
	for range 3 {
		rel, r, found := s.blocking(to, dir, away)
		if !found {
			break
		}
		side := s.passingSide(rel, dir, r)
		l := rel.Len()
		if l <= r {
			// Inside: along the circle and out of it.
			n := rel.Unit()
			return soccer.Vec{X: -n.X - float64(side*n.Y), Y: -n.Y + float64(side*n.X)}.Unit()
		}
		sin := r / l
		cos := math.Sqrt(max(0, 1-float64(sin*sin)))
		n := rel.Unit()
		sin *= side
		dir = n.Rotated(sin, cos)
	}
	return dir
}

// passingSide returns on which side to pass a circle: 1 on its left, -1 on its right, which is shorter for a circle to
// the left. Around a set piece the robot keeps its side while both are alike, and takes the one that is on the field.
func (s *scene) passingSide(rel, dir soccer.Vec, radius float64) float64 {
	const (
		large = 1.5 // m
		alike = 0.8 // m
		room  = 0.8 // m before the goal lines
		keeps = 500 * time.Millisecond
	)
	off := dir.Cross(rel)
	side := -sign(off)
	outside := func(side float64) bool {
		at := s.me.Add(rel).Add(dir.Left().Scale(radius * side))
		return math.Abs(at.X) > s.end-room || math.Abs(at.Y) > s.touch
	}
	m := s.memory
	if radius < large {
		// A robot at the edge of a set piece: around it outside.
		from := s.me.Add(rel).Sub(s.avoids.at)
		if s.avoids.radius < large || from.Len() > s.avoids.radius+radius {
			return side
		}
		if out := sign(dir.Cross(from)); !outside(out) {
			side = out
		}
		return side
	}
	if math.Abs(off) < alike && m.side != 0 && s.Now.Sub(m.sideAt) < keeps {
		side = m.side
	}
	if outside(side) && !outside(-side) {
		side = -side
	}
	m.side, m.sideAt = side, s.Now
	return side
}

// blocking returns the nearest circle that a way in a direction cuts: its centre from the robot, and the radius to pass
// it at.
func (s *scene) blocking(to, dir soccer.Vec, away keep) (at soccer.Vec, radius float64, found bool) {
	const ahead = 2.5 // m
	reach := min(to.Sub(s.me).Len(), ahead)
	best := math.Inf(1)
	check := func(centre soccer.Vec, r float64) {
		rel := centre.Sub(s.me)
		along := rel.Dot(dir)
		if along <= 0 || along-r > reach || math.Abs(dir.Cross(rel)) >= r || along >= best {
			return
		}
		if end := centre.Sub(to).Len(); end < r {
			// The target is beside the circle: as near as it must be.
			if r = max(end-0.02, 0); rel.Len() > along+0.3 || math.Abs(dir.Cross(rel)) >= r {
				return
			}
		}
		best, at, radius, found = along, rel, r, true
	}
	for i := range s.circles {
		c := &s.circles[i]
		const lead = 0.25 // s
		check(c.at.Add(c.velocity.Scale(lead)), bodies+gap)
	}
	if away.radius > 0 {
		check(away.at, away.radius)
	}
	return at, radius, found
}

// pushedOut returns a place moved out of a circle, to where it is on the field.
func (s *scene) pushedOut(to soccer.Vec, away keep) soccer.Vec {
	d := to.Sub(away.at)
	if d.Len() >= away.radius {
		return to
	}
	angle := d.Angle()
	if d.Len() < 0.05 {
		angle = math.Pi // towards the own goal
	}
	for i := range 18 {
		turn := float64((i+1)/2) * (math.Pi / 9)
		if i%2 == 1 {
			turn = -turn
		}
		p := away.at.Add(turned(angle + turn).Scale(away.radius))
		if math.Abs(p.X) < s.end && math.Abs(p.Y) < s.touch && (s.isKeeper || !s.inGoalArea(p, areaMargin)) {
			return p
		}
	}
	return away.at.Add(turned(angle).Scale(away.radius))
}

// allowed returns a place moved onto the field and, for all but the goalkeeper, out of both goal areas, where no other
// robot may be (MSL Rules 2026).
func (s *scene) allowed(to soccer.Vec) soccer.Vec {
	const margin = soccer.RobotRadius + 0.1
	to.X, to.Y = clamp(to.X, s.end+0.2), clamp(to.Y, s.touch+0.2)
	if length, _ := s.field.GoalArea(); s.cfg.Number != soccer.Goalkeeper && s.inGoalArea(to, margin) {
		to.X = math.Copysign(s.end-length-margin, to.X)
	}
	return to
}
