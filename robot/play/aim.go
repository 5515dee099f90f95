package play

import (
	"math"

	"touchline/soccer"
)

// aim is where to kick the ball.
type aim struct {
	at        soccer.Vec
	mate      uint8   // that receives it; 0: none
	speed     float64 // m/s
	elevation float64 // rad
	margin    float64 // rad, to the nearer goalpost
	open      float64 // m, between the ball's way and the nearest robot that can reach it
	worth     float64 // to compare aims
	exists    bool
}

const (
	shotSpeed = 11.0 // m/s
	farShot   = 9.0  // m
	passPace  = 2.2  // m/s, of a pass when it arrives
	friction  = 0.5  // m/s^2, of a rolling ball (Fusion baselines)
	longPass  = 10.0
	shortPass = 1.5
)

// open returns how far, in m, the nearest robot stays from a ball that rolls from one place to another. A teammate at its
// end does not count.
func (s *scene) open(from, to soccer.Vec, speed float64, receiver uint8) float64 {
	return s.openTo(from, &aim{at: to, speed: speed, mate: receiver})
}

// openTo returns how far, in m, the nearest robot stays from a ball that is kicked: the opponents run towards its way
// meanwhile. The robot that is to get it does not count, nor do those that a ball in the air passes over.
func (s *scene) openTo(from soccer.Vec, a *aim) float64 {
	const (
		start  = 3.0  // m/s^2, with which an opponent runs to the ball's way
		fast   = 2.0  // m/s
		late   = 0.15 // s, before it reacts
		most   = 2.0  // m
		sprint = fast / start
		// m, after the kick and before the goal, where a ball in the air is lower than a robot.
		rising, falling = 1.9, 1.5
	)
	d := a.at.Sub(from)
	length, dir := d.Len(), unit(d)
	free := most
	for i := range s.circles {
		c := &s.circles[i]
		if c.number != 0 && c.number == a.mate {
			continue
		}
		rel := c.at.Sub(from)
		along := dot(rel, dir)
		if along < 0 || along > length+soccer.RobotRadius || a.elevation > 0 && along > rising && along < length-falling {
			continue
		}
		off := math.Abs(cross(dir, rel)) - soccer.RobotRadius - soccer.BallRadius
		if i >= s.mates {
			t := max(0, along/a.speed-late)
			off -= float64(0.5*start*min(t, sprint)*min(t, sprint)) + float64(fast*max(0, t-sprint))
		}
		free = min(free, off)
	}
	return free
}

// aimShot returns the best of five places in the goal: flat, or over robots that are neither near the ball nor near the
// goal.
func (s *scene) aimShot() aim {
	const (
		inside = 0.25  // m, from the posts
		spread = 0.035 // rad, to each side of where a kick goes
		blur   = 0.08  // m, of the robot's place
		steady = 0.15  // of worth by which another place must be better
	)
	half := s.post
	best, chosen := aim{}, 0
	left := bearing(s.ball, soccer.Vec{X: s.end, Y: half - soccer.BallRadius})
	right := bearing(s.ball, soccer.Vec{X: s.end, Y: soccer.BallRadius - half})
	for i := -4; i <= 5; i++ {
		to := soccer.Vec{X: s.end, Y: float64((half - inside) * float64(i>>1) / 2)}
		a := aim{at: to, speed: shotSpeed, exists: true}
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
			a.worth -= 0.2 // less exact
		}
		if s.memory.aimed == i {
			a.worth += steady
		}
		if !best.exists || a.worth > best.worth {
			best, chosen = a, i
		}
	}
	s.memory.aimed = chosen
	return best
}

// lob sets the speed and elevation of a kick that comes down in a goal at a distance. It reports false for a goal that
// is too near or too far.
func lob(a *aim, d float64) bool {
	const (
		near, far = 4.5, 9.0 // m
		height    = 0.45     // m, of the ball's centre in the goal
		rise      = 0.55     // rad
		tan, cos  = 0.6131052132, 0.8525245220
	)
	if d < near || d > far {
		return false
	}
	a.elevation = rise
	a.speed = math.Sqrt(float64(soccer.Gravity*d*d) / (2 * cos * cos * (float64(d*tan) + soccer.BallRadius - height)))
	return a.speed <= MaxKick
}

// aimPass returns the pass that is worth most: open, not too long, and towards the opponents' goal.
func (s *scene) aimPass() aim {
	const steady = 0.15 // of worth by which another pass must be better
	best := aim{}
	goal := soccer.Vec{X: s.end}
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
		if s.memory.aimedTo == c.number {
			a.worth += steady
		}
		if !best.exists || a.worth > best.worth {
			best = a
		}
	}
	s.memory.aimedTo = best.mate
	return best
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
	return s.pass.open > 0.3 && s.pass.worth > 0.7
}

// mustRelease reports whether the robot has taken the ball far or long enough: it may take it for 3 m (MSL Rules 2026).
func (s *scene) mustRelease() bool {
	const (
		far  = 2.0 // m
		long = 4.0 // s
	)
	return s.has && (s.carried() > far || s.Now.Sub(s.memory.got).Seconds() > long)
}

// pressed reports whether an opponent is near the robot with the ball.
func (s *scene) pressed() bool {
	const near = 1.3 // m
	for i := range s.circles[s.mates:] {
		if s.circles[s.mates+i].at.Sub(s.ball).Len() < near {
			return true
		}
	}
	return false
}
