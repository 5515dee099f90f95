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
		s.move(&a.Motor, s.outOf(away, soccer.Vec{X: dir.X * speed, Y: dir.Y * speed}))
	}
	a.Motor.Twist.Theta = s.turn(face, MaxTurn)
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
	out, outside := unit(rel), rel.Len()-away.radius
	if outside < -spare && math.Abs(s.me.Y) > s.touch && s.me.Y*out.Y > 0 {
		out = soccer.Vec{X: s.alongLine(out.X)}
	}
	most := float64(rate * max(0, outside))
	if outside < -spare {
		most = -escape
	}
	return add(v, max(0, -dot(v, out)-most), out)
}

// alongLine returns the direction along x in which a robot beyond a touch line leaves the ball of a set piece: away from
// it, but not into a corner. The robot keeps its direction.
func (s *scene) alongLine(away float64) float64 {
	const (
		corner = 1.5 // m, from the goal line
		keeps  = time.Second
	)
	m := s.memory
	if m.along == 0 || s.Now.Sub(m.alongAt) > keeps {
		if m.along = sign(away); math.Abs(s.me.X) > s.end-corner && s.me.X*m.along > 0 {
			m.along = -m.along
		}
	}
	m.alongAt = s.Now
	return m.along
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
	dir := unit(to.Sub(s.me))
	for range 3 {
		rel, r, found := s.blocking(to, dir, away)
		if !found {
			break
		}
		side := s.passingSide(rel, dir, r)
		l := rel.Len()
		if l <= r {
			// Inside: along the circle and out of it.
			n := unit(rel)
			return unit(soccer.Vec{X: -n.X - float64(side*n.Y), Y: -n.Y + float64(side*n.X)})
		}
		sin := r / l
		cos := math.Sqrt(max(0, 1-float64(sin*sin)))
		n := unit(rel)
		sin *= side
		dir = soccer.Vec{X: float64(cos*n.X) - float64(sin*n.Y), Y: float64(sin*n.X) + float64(cos*n.Y)}
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
	off := cross(dir, rel)
	side := -sign(off)
	if radius < large {
		return side
	}
	m := s.memory
	if math.Abs(off) < alike && m.side != 0 && s.Now.Sub(m.sideAt) < keeps {
		side = m.side
	}
	outside := func(side float64) bool {
		at := add(add(s.me, 1, rel), radius*side, soccer.Vec{X: -dir.Y, Y: dir.X})
		return math.Abs(at.X) > s.end-room || math.Abs(at.Y) > s.touch
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
		along := dot(rel, dir)
		if along <= 0 || along-r > reach || math.Abs(cross(dir, rel)) >= r || along >= best {
			return
		}
		if end := centre.Sub(to).Len(); end < r {
			// The target is beside the circle: as near as it must be.
			if r = max(end-0.02, 0); rel.Len() > along+0.3 || math.Abs(cross(dir, rel)) >= r {
				return
			}
		}
		best, at, radius, found = along, rel, r, true
	}
	for i := range s.circles {
		c := &s.circles[i]
		const lead = 0.25 // s
		check(add(c.at, lead, c.velocity), bodies+gap)
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
	angle := angleOf(d)
	if d.Len() < 0.05 {
		angle = math.Pi // towards the own goal
	}
	for i := range 18 {
		turn := float64((i+1)/2) * (math.Pi / 9)
		if i%2 == 1 {
			turn = -turn
		}
		p := add(away.at, away.radius, turned(angle+turn))
		if math.Abs(p.X) < s.end && math.Abs(p.Y) < s.touch {
			return p
		}
	}
	return add(away.at, away.radius, turned(angle))
}

// inGoalArea reports whether a place is in a goal area, or so near to one that a robot there would be.
func (s *scene) inGoalArea(at soccer.Vec, margin float64) bool {
	length, width := s.field.GoalArea()
	return s.end-math.Abs(at.X) < length+margin && math.Abs(at.Y) < float64(width/2)+margin
}

// avoidGoalArea keeps a robot that is not the goalkeeper out of the goal areas, whatever it does: it brakes before one,
// and leaves one.
func (s *scene) avoidGoalArea(a *Action) {
	const (
		leave  = 3.0  // m/s
		margin = 0.15 // m, that its pose errs
	)
	if s.cfg.Number == soccer.Goalkeeper || !s.located || math.Abs(s.me.X) > s.end {
		return
	}
	length, width := s.field.GoalArea()
	length, width = length+margin, width+2*margin
	if s.inGoalArea(s.me, margin) {
		dir, far := s.wayOut(length, float64(width/2))
		pace := leave
		if s.memory.piece.active { // it stops beside the area
			pace = min(leave, 0.3+math.Sqrt(float64(2*braking*max(0, far))))
		}
		s.move(&a.Motor, soccer.Vec{X: dir.X * pace, Y: dir.Y * pace})
		return
	}
	t := &a.Motor.Twist
	v := soccer.Vec{X: float64(s.cos*t.X) - float64(s.sin*t.Y), Y: float64(s.sin*t.X) + float64(s.cos*t.Y)}
	dx, dy := s.end-length-math.Abs(s.me.X), math.Abs(s.me.Y)-float64(width/2)
	most := math.Sqrt(float64(2 * braking * max(0, dx, dy)))
	switch {
	case dx > dy && v.X*s.me.X > 0 && math.Abs(v.X) > most && dy < 0:
		v.X = math.Copysign(most, v.X)
	case dy >= dx && v.Y*s.me.Y < 0 && math.Abs(v.Y) > most && dx < 0:
		v.Y = math.Copysign(most, v.Y)
	default:
		return
	}
	s.move(&a.Motor, v)
}

// standsBefore reports whether another robot is close to this one in a direction.
func (s *scene) standsBefore(dir soccer.Vec) bool {
	for i := range s.circles {
		rel := s.circles[i].at.Sub(s.me)
		if along := dot(rel, dir); along > 0 && along < bodies+gap && math.Abs(cross(dir, rel)) < bodies {
			return true
		}
	}
	return false
}

// wayOut returns the shortest way out of a goal area that does not lead to the ball of a set piece: its direction and its
// length in m.
func (s *scene) wayOut(length, half float64) (dir soccer.Vec, far float64) {
	const (
		clear  = 0.1 // m, beyond the area
		spare  = 0.5 // m, of the distance that robots keep
		steady = 0.4 // m, by which another way must be shorter
		keeps  = 500 * time.Millisecond
	)
	ahead := -math.Copysign(1, s.me.X)
	least := math.Inf(1)
	for _, way := range [...]struct {
		dir soccer.Vec
		far float64
	}{
		{soccer.Vec{X: ahead}, length - (s.end - math.Abs(s.me.X))}, {soccer.Vec{Y: 1}, half - s.me.Y}, {soccer.Vec{Y: -1}, half + s.me.Y},
	} {
		cost := way.far
		if s.memory.piece.active && add(s.me, cost+clear, way.dir).Sub(s.avoids.at).Len() < s.avoids.radius-spare {
			cost += s.avoids.radius
		}
		if s.standsBefore(way.dir) {
			cost += bodies
		}
		if m := s.memory; m.exit == way.dir && s.Now.Sub(m.exitAt) < keeps {
			cost -= steady
		}
		if cost < least {
			dir, far, least = way.dir, way.far, cost
		}
	}
	s.memory.exit, s.memory.exitAt = dir, s.Now
	return dir, far
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
