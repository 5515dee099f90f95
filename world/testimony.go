package world

import (
	"math"

	"touchline/soccer"
)

// testimony is what a robot's newest picture says, as far as others can contradict it.
type testimony struct {
	at       soccer.Time // of the picture; 0: none yet
	picture  uint32      // its number
	reporter uint8       // peer.reporter of the robot
	from     soccer.Vec  // where it reports to be
	heading  float64
	velocity soccer.Vec // as it reports

	jumped soccer.Time // when its pose last jumped farther than it can drive; 0: never, or the new pose proved to be true
	jump   soccer.Vec  // m

	saw        bool       // it sees a ball
	raw, place soccer.Vec // where, as it reports and corrected by the estimated error of its pose
	variance   float64    // m^2, of place
	distance   float64    // m, from the robot

	still view // the first of the pictures that are alike

	reach  float64 // m, greatest distance at which it saw a ball that two others confirmed
	misses float64 // share of its pictures without the ball that others see within its reach
}

// testify notes what a robot's picture says. Of several balls the one nearest to the believed ball counts.
func (m *Model) testify(o *observer, percepts *soccer.Percepts, scale float64) {
	const fade = 0.02 // m/s, of the reach
	t := &o.testimony
	believed := m.likeliestBall()
	dt := seconds(percepts.Time, t.at)
	if t.picture == 0 {
		t.misses = 0.5
	}
	if t.at != 0 {
		t.noticeJump(&percepts.Self, percepts.Time, dt)
		t.reach -= float64(fade * dt)
	}
	t.picture++
	t.at, t.from, t.velocity = percepts.Time, percepts.Self.Pose.XY(), soccer.Vec{}
	if percepts.Self.HasTwist {
		t.velocity = soccer.Vec{X: percepts.Self.Twist.X, Y: percepts.Self.Twist.Y}
	}
	t.heading = percepts.Self.Pose.Theta
	if v := newView(percepts); !percepts.Self.HasHeading {
		t.still = view{}
	} else if !v.repeats(&t.still) {
		t.still = v
	}
	t.saw = len(percepts.Balls) > 0
	least := math.Inf(1)
	for i := range percepts.Balls {
		b := &percepts.Balls[i]
		ray := b.Position.XY().Sub(t.from)
		place, r := o.Correct(b.Position.XY(), ray, m.noise(ray, b, scale))
		off := 0.0
		if believed != nil {
			off = place.Sub(soccer.Vec{X: believed.x, Y: believed.y}).Len()
		}
		if off < least {
			least = off
			t.raw, t.place, t.variance, t.distance = b.Position.XY(), place, r.XX+r.YY, ray.Len()
		}
	}
}

// noticeJump notes a pose that is farther from the one before than the robot can have driven.
func (t *testimony) noticeJump(self *soccer.Localisation, at soccer.Time, dt float64) {
	const (
		least  = 0.3 // m
		change = 2.0 // m/s, by which a velocity that is known may have changed
		speed  = 6.0 // m/s, of a robot whose velocity is unknown
	)
	most := least + float64(speed*dt)
	if self.HasTwist {
		most = least + float64(change*dt)
	}
	jump := self.Pose.XY().Sub(soccer.Vec{X: t.from.X + float64(t.velocity.X*dt), Y: t.from.Y + float64(t.velocity.Y*dt)})
	if !near(jump.X, jump.Y, most) {
		t.jumped, t.jump = at, jump
	}
}

// bias reports whether the pose jumped of late by an amount that sights of both poses can tell apart.
func (t *testimony) bias() bool {
	const most = 2.5 // m
	return t.suspicious() && near(t.jump.X, t.jump.Y, most)
}

// suspicious reports whether the pose jumped of late, and has not yet proved to be true.
func (t *testimony) suspicious() bool {
	const memory = 20 // s
	return t.jumped != 0 && seconds(t.at, t.jumped) < memory
}

// stillOff reports whether a place that the robot reports is off by the jump of its pose: nearer to where the others see
// it if the jump is taken back.
func (t *testimony) stillOff(reported, others soccer.Vec) bool {
	d, j := reported.Sub(others), t.jump
	return float64(d.X*j.X)+float64(d.Y*j.Y) > 0.5*(float64(j.X*j.X)+float64(j.Y*j.Y))
}

// opinion is what one robot says about a report of another.
type opinion int8

const (
	silent opinion = iota
	agrees
	conflicts
	misplaces // it agrees if the jump of the pose is taken back
)

// ball returns what robot u says about the ball that t sees. The ball moves at speed, in m/s: pictures are not taken at
// one time, and the delay of a network is not known exactly.
func (t *testimony) ball(u *testimony, speed float64) opinion {
	dt := math.Abs(seconds(t.at, u.at))
	sigma := math.Sqrt(t.variance + u.variance)
	if !u.saw {
		const view, attentive = 0.85, 0.2 // share of the reach, and of the misses
		if t.place.Sub(u.from).Len() < float64(view*u.reach) && u.misses < attentive {
			return conflicts
		}
		return silent
	}
	dx, dy := t.place.X-u.place.X, t.place.Y-u.place.Y
	switch {
	case !near(dx, dy, 0.5+float64(speed*(0.5+dt))+float64(3*sigma)):
		return conflicts
	case !near(dx, dy, 0.3+float64(speed*(0.3+dt))+float64(2*sigma)):
		return silent
	case t.bias() && t.stillOff(t.raw, u.place):
		return misplaces
	}
	return agrees
}

// learnSight learns from a ball on which two others agree how far the robot sees, and how often it does not.
func (t *testimony) learnSight(jury []juror, speed float64) {
	const memory, view = 0.99, 0.85
	for i := range jury {
		a := jury[i].testimony
		if !a.saw || jury[i].named {
			continue
		}
		for _, b := range jury[i+1:] {
			if !b.saw || b.named || a.ball(b.testimony, speed) != agrees {
				continue
			}
			if t.saw && t.ball(a, speed) == agrees {
				t.reach = max(t.reach, t.distance)
				t.misses *= memory
			} else if !t.saw && a.place.Sub(t.from).Len() < float64(view*t.reach) {
				t.misses = float64(memory*t.misses) + (1 - memory)
			}
			return
		}
	}
}
