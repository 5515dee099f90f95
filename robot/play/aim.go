package play

import (
	"math"

	"touchline/soccer"
)

// aim is where to kick the ball.
type aim struct {
	at     soccer.Vec
	mate   uint8   // that receives it; 0: none
	speed  float64 // m/s
	open   float64 // m, between the ball's way and the nearest robot that can reach it
	worth  float64 // to compare aims
	exists bool
}

const (
	shotSpeed = 9.0 // m/s
	farShot   = 7.5 // m
	passPace  = 2.2 // m/s, of a pass when it arrives
	friction  = 0.5 // m/s^2, of a rolling ball (Fusion baselines)
	longPass  = 10.0
	shortPass = 1.5
)

// open returns how far, in m, the nearest robot stays from a ball that is kicked from one place to another: the opponents
// run towards its way meanwhile. A teammate at its end does not count.
func (s *scene) open(from, to soccer.Vec, speed float64, receiver uint8) float64 {
	const (
		chase = 1.2 // m/s, that an opponent gains towards the ball's way
		most  = 2.0 // m
		late  = 0.3 // s, before it reacts
	)
	d := to.Sub(from)
	length := d.Len()
	dir := unit(d)
	free := most
	for i := range s.circles {
		c := &s.circles[i]
		if c.number != 0 && c.number == receiver {
			continue
		}
		rel := c.at.Sub(from)
		along := dot(rel, dir)
		if along < 0 || along > length+soccer.RobotRadius {
			continue
		}
		off := math.Abs(cross(dir, rel)) - soccer.RobotRadius - soccer.BallRadius
		if i >= s.mates {
			off -= chase * max(0, along/speed-late)
		}
		free = min(free, off)
	}
	return free
}

// aimShot returns the best of five places in the goal.
func (s *scene) aimShot() aim {
	f := s.field
	const inside = 0.3 // m, from the posts
	half := f.GoalWidth/2 - inside
	best := aim{}
	for i := -2; i <= 2; i++ {
		to := soccer.Vec{X: f.Length / 2, Y: half * float64(i) / 2}
		d := to.Sub(s.ball)
		a := aim{at: to, speed: shotSpeed, open: s.open(s.ball, to, shotSpeed, 0), exists: true}
		turn := math.Abs(soccer.WrapAngle(angleOf(d) - s.self.Theta))
		a.worth = a.open - float64(0.02*d.Len()) - float64(0.05*turn)
		if !best.exists || a.worth > best.worth {
			best = a
		}
	}
	return best
}

// aimPass returns the pass that is worth most: open, not too long, and towards the opponents' goal.
func (s *scene) aimPass() aim {
	best := aim{}
	goal := soccer.Vec{X: s.field.Length / 2}
	for i := range s.circles[:s.mates] {
		c := &s.circles[i]
		to := add(c.at, 0.4, c.velocity)
		d := to.Sub(s.ball).Len()
		if c.number == s.keeper || d < shortPass || d > longPass {
			continue
		}
		speed := math.Sqrt(float64(passPace*passPace) + float64(2*friction*d))
		a := aim{at: to, mate: c.number, speed: speed, open: s.open(s.ball, to, speed, c.number), exists: true}
		gain := s.ball.Sub(goal).Len() - to.Sub(goal).Len()
		turn := math.Abs(soccer.WrapAngle(bearing(s.ball, to) - s.self.Theta))
		a.worth = min(a.open, 1) + float64(0.15*gain) - float64(0.04*d) - float64(0.1*turn)
		if !best.exists || a.worth > best.worth {
			best = a
		}
	}
	return best
}

// shotIsOn reports whether a shot can be a goal.
func (s *scene) shotIsOn() bool {
	d := s.shot.at.Sub(s.ball).Len()
	return s.has && s.shot.exists && (d < farShot && s.shot.open > 0.05 || d < 3 && s.shot.open > -0.15)
}

// passIsOn reports whether a pass gains something, or any open one does when the robot must let go of the ball.
func (s *scene) passIsOn() bool {
	if !s.has || !s.pass.exists {
		return false
	}
	if s.mustRelease() {
		return s.pass.open > 0
	}
	return s.pass.open > 0.3 && s.pass.worth > 0.75
}

// mustRelease reports whether the robot has taken the ball far or long enough: it may take it for 3 m (MSL Rules 2026).
func (s *scene) mustRelease() bool {
	const (
		far  = 2.0 // m
		long = 4.0 // s
	)
	return s.has && (s.carried() > far || s.Now.Sub(s.memory.got).Seconds() > long)
}
