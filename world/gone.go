package world

import (
	"touchline/soccer"
)

// A ball that the robots which saw it no longer see is elsewhere, or hidden from each of them. ballMixture.gone is the
// probability of the former, and ballMixture.hidden that of the latter if it is where it is believed.

// supposeGone supposes that the ball was placed elsewhere, or is hidden from all robots, since the sight before. It returns
// the probability that a robot which saw it in the picture before does not see it in the next one.
func (f *ballMixture) supposeGone(s *ballSight, interval float64) (missed float64) {
	dt := min(1, interval)
	if f.n == 0 {
		f.gone, f.hidden = 0, 0
	} else {
		w := min(0.5, float64(s.placing*dt))
		for i := range f.all[:f.n] {
			f.all[i].weight -= float64(w * f.all[i].weight)
		}
		f.gone += float64(w * (1 - f.gone))
	}
	f.hidden += float64(s.hiding * dt * (1 - f.hidden))
	return f.hidden + float64((1-f.hidden)*s.miss)
}

// learnGone draws conclusions from a sight, of which belonging, watched and the weights of the hypotheses are known.
func (f *ballMixture) learnGone(s *ballSight, missed float64) {
	if s.n > 0 {
		f.gone = float64(f.gone * s.doubt * s.lie()) // what is seen is false
	}
	if f.watched > 0 {
		f.hidden += float64(f.watched * (1 - f.belonging) * (f.hidden/missed - f.hidden))
	}
	f.hidden -= float64(f.belonging * f.hidden)
}

// lost reports whether all robots have probably lost sight of the ball.
func (f *ballMixture) lost() bool { return max(f.gone, f.hidden) > 0.5 }

// lie returns the density of false sights, 1/m^2.
func (s *ballSight) lie() float64 {
	lie := 1.0 / fieldArea
	for i := range s.places[:s.n] {
		lie = max(lie, s.places[i].lie)
	}
	return lie
}

// blocked is the least probability that a robot does not see the ball behind another robot.
const blocked = 0.7

// blocks reports whether the robot of a sight, which does not show the ball where it is believed, may not see it there
// because another robot hides it.
func (m *Model) blocks(p *peer, s *ballSight) bool {
	const here = 1.0 // m
	ball := m.likeliestBall()
	if ball == nil {
		return false
	}
	dt := seconds(s.at, ball.time)
	at := soccer.Vec{X: ball.x + float64(dt*ball.vx), Y: ball.y + float64(dt*ball.vy)}
	for i := range s.places[:s.n] {
		if d := s.places[i].at.Sub(at); near(d.X, d.Y, here) {
			return false
		}
	}
	ray := at.Sub(s.from)
	return m.between(p.slot, s.from, ray, s.at)
}

// between reports whether a robot may hide what is at the end of a ray from the robot in a slot.
func (m *Model) between(slot uint8, from, ray soccer.Vec, at soccer.Time) bool {
	robot := func(q *peer) bool {
		return q.slot != slot && q.self.Known && hides(q.placeAt(at).Sub(from), ray, bodyRadius)
	}
	if robot(&m.own) {
		return true
	}
	for i := range m.peers {
		if robot(&m.peers[i]) {
			return true
		}
	}
	for i := range m.obstacles {
		o := &m.obstacles[i]
		dt := seconds(at, o.time)
		if o.believed && hides(soccer.Vec{X: o.x + float64(dt*o.vx), Y: o.y + float64(dt*o.vy)}.Sub(from), ray, bodyRadius) {
			return true
		}
	}
	return false
}
