package play

import (
	"math"

	"touchline/soccer"
)

// aim is where to kick the ball.
type aim struct {
	at        soccer.Vec
	mate      uint8   // mate that receives it; 0: none
	speed     float64 // m/s
	elevation float64 // rad
	margin    float64 // rad, to the nearer goalpost
	open      float64 // m, between the ball's way and the nearest robot that can reach it
	worth     float64 // worth, to compare aims
	exists    bool
}

const (
	shotSpeed = 11.0 // m/s
	farShot   = 7.5  // m
	passPace  = 2.8  // m/s, of a pass when it arrives
	friction  = 0.5  // m/s^2, of a rolling ball (Fusion baselines)
	longPass  = 10.0
	shortPass = 1.5
)

// improve replaces an aim by one that is worth more, and reports whether it did.
func (a *aim) improve(by aim) bool {
	if a.exists && !(by.worth > a.worth) {
		return false
	}
	*a, a.exists = by, true
	return true
}

// passSpeed returns the speed, in m/s, of a pass over a distance in m.
func passSpeed(distance float64) float64 {
	return math.Sqrt(float64(passPace*passPace) + float64(2*friction*distance))
}

// open returns how far, in m, the nearest robot stays from a ball that rolls from one place to another. A teammate at its
// end does not count.
func (s *scene) open(from, to soccer.Vec, speed float64, receiver uint8) float64 {
	return s.openTo(from, &aim{at: to, speed: speed, mate: receiver})
}

// openTo returns how far, in m, the nearest robot stays from a ball that is kicked: the opponents run towards its way
// meanwhile. The robot that is to get it does not count, nor do those that a ball in the air passes over.
func (s *scene) openTo(from soccer.Vec, a *aim) float64 {
	const (
		start  = 3.5  // m/s^2, with which an opponent runs to the ball's way
		fast   = 3.0  // m/s
		late   = 0.15 // s, before it reacts
		most   = 2.0  // m
		sprint = fast / start
		// m, after the kick and before the goal, where a ball in the air is lower than a robot.
		rising, falling = 1.1, 0.4
	)
	d := a.at.Sub(from)
	length, dir := d.Len(), d.Unit()
	free := most
	for i := range s.circles {
		c := &s.circles[i]
		if c.number != 0 && c.number == a.mate {
			continue
		}
		rel := c.at.Sub(from)
		along := rel.Dot(dir)
		if along < 0 || along > length+soccer.RobotRadius || a.elevation > 0 && along > rising && along < length-falling {
			continue
		}
		off := math.Abs(dir.Cross(rel)) - soccer.RobotRadius - soccer.BallRadius
		if i >= s.mates {
			t := max(0, along/a.speed-late)
			off -= float64(0.5*start*min(t, sprint)*min(t, sprint)) + float64(fast*max(0, t-sprint))
		}
		free = min(free, off)
	}
	return free
}

// mayReceive reports whether a teammate at a place can take a pass: it is well inside the field, and has not just taken
// a set piece.
func (s *scene) mayReceive(number uint8, at soccer.Vec) bool {
	const inside = 0.6 // m, from the lines
	m := s.memory
	if math.Abs(at.X) > s.end-inside || math.Abs(at.Y) > s.touch-inside {
		return false
	}
	return m.lastTaker != number || s.Now.Sub(m.takenAt) > takerRests
}

// aimShot returns the best of five places in the goal: flat, or over robots that are neither near the ball nor near the
// goal.
func (s *scene) aimShot() aim {
	const (
		inside = 0.25  // m, from the posts
		spread = 0.035 // rad, to each side of where a kick goes
		blur   = 0.08  // m, of the robot's place
		steady = 0.15  // worth by which another place must be better
	)
	half := s.post
	best, chosen := aim{}, 0
	left := bearing(s.ball, soccer.Vec{X: s.end, Y: half - soccer.BallRadius})
	right := bearing(s.ball, soccer.Vec{X: s.end, Y: soccer.BallRadius - half})
	for i := -4; i <= 5; i++ {
		to := soccer.Vec{X: s.end, Y: float64((half - inside) * float64(i>>1) / 2)}
		a := aim{at: to, speed: shotSpeed}
		d := to.Sub(s.ball).Len()
		if i&1 == 1 && !lob(&a, d) {
			continue
		}
		a.open = s.openTo(s.ball, &a)
		way := bearing(s.ball, to)
		a.margin = min(soccer.WrapAngle(left-way), soccer.WrapAngle(way-right))
		turn := math.Abs(soccer.WrapAngle(way - s.self.Theta))
		a.worth = min(a.open, 1) - float64(8*max(0, spread+blur/max(d, 1)-a.margin)) - float64(0.05*turn)
		if a.elevation > 0 {
			a.worth -= float64(0.1 * max(0, d-4)) // less exact
		}
		if s.memory.aimed == i {
			a.worth += steady
		}
		if best.improve(a) {
			chosen = i
		}
	}
	s.memory.aimed = chosen
	return best
}

// lob sets the speed and elevation of a kick that comes down in a goal at a distance. It reports false for a goal that
// is too near or too far.
func lob(a *aim, d float64) bool {
	const (
		near, far = 3.0, 7.5 // m
		height    = 0.45     // m, of the ball's centre in the goal: it comes down behind the goalkeeper
		rise      = 0.75     // rad
		tan, cos  = 0.9315964599, 0.7316888689
	)
	if d < near || d > far {
		return false
	}
	a.elevation = rise
	a.speed = math.Sqrt(float64(soccer.Gravity*d*d) / (2 * cos * cos * (float64(d*tan) + soccer.BallRadius - height)))
	return a.speed <= maxKick
}

// aimPass returns the pass that is worth most: open, not too long, and towards the opponents' goal.
func (s *scene) aimPass() aim {
	const steady = 0.15 // worth by which another pass must be better
	best := aim{}
	goal := soccer.Vec{X: s.end}
	for i := range s.circles[:s.mates] {
		c := &s.circles[i]
		to := c.at.Add(c.velocity.Scale(0.4))
		d := to.Sub(s.ball).Len()
		if c.number == s.keeper || d < shortPass || d > longPass || !s.mayReceive(c.number, to) {
			continue
		}
		a := aim{at: to, mate: c.number, speed: passSpeed(d)}
		a.open = s.openTo(s.ball, &a)
		gain := s.ball.Sub(goal).Len() - to.Sub(goal).Len()
		turn := math.Abs(soccer.WrapAngle(bearing(s.ball, to) - s.self.Theta))
		a.worth = min(a.open, 1) + float64(0.15*gain) - float64(0.04*d) - float64(0.1*turn)
		if s.memory.aimedTo == c.number {
			a.worth += steady
		}
		best.improve(a)
	}
	s.memory.aimedTo = best.mate
	return best
}

// aimSpace returns the kick by which a teammate, or this robot itself, gets the ball with the greatest lead before the
// opponents: in directions that need little turning, on the floor or chipped over an opponent.
func (s *scene) aimSpace() aim {
	const fan, step = 3, 0.35 // directions to each side, rad between them
	best := aim{}
	for i := -fan; i <= fan; i++ {
		turn := float64(step * float64(i))
		dir := turned(s.self.Theta + turn)
		for k := range kicks {
			kick := &kicks[k]
			if kick.flies == 0 && s.blocked(dir) {
				continue
			}
			at, lead := s.race(kick, dir)
			if lead <= 0 {
				continue
			}
			a := aim{at: s.ball.Add(dir.Scale(3)), speed: kick.speed, elevation: kick.elevation, open: lead}
			a.worth = lead + float64(0.1*(s.toGoal(s.ball)-s.toGoal(at))) - float64(0.3*math.Abs(turn))
			best.improve(a)
		}
	}
	return best
}

// race returns where the team gets a ball that is kicked in a direction, and by how many seconds it is there before the
// opponents; at most 1, and 0 if they are first or the ball leaves the field.
func (s *scene) race(k *kick, dir soccer.Vec) (at soccer.Vec, lead float64) {
	const (
		step    = 0.1 // s
		longest = 3.0 // s
		late    = 0.8 // s, before this robot follows its own kick
		inside  = 0.7 // m from the lines
	)
	from, flight := s.ball.Add(dir.Scale(k.flies)), k.flies/k.rolls
	ours := -1.0
	for t := 0.0; t < longest; t += step {
		rolled := min(t, k.rolls/friction)
		ball := from.Add(dir.Scale(float64(k.rolls*rolled) - float64(0.5*friction*rolled*rolled)))
		if ours < 0 && (math.Abs(ball.X) > s.end-inside || math.Abs(ball.Y) > s.touch-inside) {
			return ball, 0
		}
		if reach := float64(within(t+flight-late, longest)*pace) + arm; ours < 0 && ball.Sub(s.me).Len() <= reach {
			at, ours = ball, t
		}
		reach := float64(max(0, t+flight-start)*pace) + arm
		for i := range s.circles {
			d := s.circles[i].at.Sub(ball)
			if d.Dot(d) > float64(reach*reach) {
				continue
			}
			switch {
			case i >= s.mates && ours < 0:
				return ball, 0
			case i >= s.mates:
				return at, t - ours
			case ours < 0:
				at, ours = ball, t
			}
		}
		if ours >= 0 && t >= ours+1 {
			return at, 1
		}
	}
	if ours < 0 {
		return at, 0
	}
	return at, 1
}

// kick is a kick into space. The ball flies over robots at first, and rolls with a speed then.
type kick struct{ speed, elevation, rolls, flies float64 } // m/s, rad, m/s, m

// kicks are the kicks into space: two on the floor, and a chip that passes over a robot 1 m away.
var kicks = [...]kick{
	{speed: 3, rolls: 3},
	{speed: 4.5, rolls: 4.5},
	{speed: 5.5, elevation: 1, rolls: 2.97, flies: 2.8},
}

// blocked reports whether another robot stands before the ball in a direction.
func (s *scene) blocked(dir soccer.Vec) bool {
	const near = 1.0 // m
	for i := range s.circles {
		rel := s.circles[i].at.Sub(s.ball)
		if along := rel.Dot(dir); along > 0 && along < near && math.Abs(dir.Cross(rel)) < reachBall {
			return true
		}
	}
	return false
}

// toGoal returns how far a place is from the opponents' goal, in m.
func (s *scene) toGoal(at soccer.Vec) float64 { return soccer.Vec{X: s.end}.Sub(at).Len() }

// spaceIsOn reports whether an opponent threatens the ball and a kick into space keeps it in the team.
func (s *scene) spaceIsOn() bool {
	return s.has && s.space.exists && s.space.open > 0 && (s.threatened() || s.mustRelease())
}

// threatened reports whether an opponent can reach the ball in a moment.
func (s *scene) threatened() bool {
	const (
		near = 0.85 // m
		in   = 0.3  // s
	)
	for _, c := range s.others() {
		if c.at.Add(c.velocity.Scale(in)).Sub(s.ball).Len() < near || c.at.Sub(s.ball).Len() < near {
			return true
		}
	}
	return false
}

// shotIsOn reports whether a shot can be a goal.
func (s *scene) shotIsOn() bool {
	d := s.shot.at.Sub(s.ball).Len()
	return s.has && s.shot.exists && (d < farShot && s.shot.open > 0 || d < 3.5 && s.shot.open > -0.2)
}

// passIsOn reports whether a pass gains something, or any open one does when the robot must let go of the ball.
func (s *scene) passIsOn() bool {
	if !s.has || !s.pass.exists {
		return false
	}
	switch {
	case s.mustRelease():
		return s.pass.open > 0
	case s.pressed():
		return s.pass.open > 0.15 && s.pass.worth > 0
	}
	const forward = 1.0 // m
	return s.pass.open > 0.3 && s.pass.worth > 0.7 && s.toGoal(s.ball)-s.toGoal(s.pass.at) > forward
}

// mustRelease reports whether the robot has taken the ball far or long enough: it may take it for 3 m (MSL Rules 2026).
func (s *scene) mustRelease() bool {
	const (
		far  = 1.7 // m
		long = 4.0 // s
	)
	return s.has && (s.carried() > far || s.Now.Sub(s.memory.got).Seconds() > long)
}

// pressed reports whether an opponent is near the robot with the ball.
func (s *scene) pressed() bool {
	const near = 1.3 // m
	return s.contested(s.ball, near)
}
