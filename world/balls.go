package world

import (
	"math/bits"
	"time"

	"touchline/exact"
	"touchline/soccer"
)

// ballTrack is one hypothesis about the ball.
type ballTrack struct {
	track
	z, vz     float64
	by        sightings // by jersey number
	reporters sightings // by peer.reporter: robots of one address have one vote
}

// sightings holds when each robot of a set last saw an object.
type sightings struct {
	robots soccer.RobotSet
	times  [64]soccer.Time
}

func (s *sightings) record(robot uint8, at soccer.Time) {
	if robot < 64 {
		s.robots = s.robots.With(robot)
		s.times[robot] = max(s.times[robot], at)
	}
}

// seenByWindow is how long after a sighting a robot counts as seeing the ball.
const seenByWindow = 500 * time.Millisecond

// fuseBalls updates with each ball candidate of one percept set the hypothesis that fits it best, or starts a new one.
func (m *Model) fuseBalls(p *peer, percepts *soccer.Percepts, scale float64) {
	at := percepts.Time
	for i := range m.balls {
		if late := seconds(at, m.balls[i].time); late > 0 {
			m.balls[i].predict(late, m.cfg.BallNoise, m.cfg.BallDeceleration)
			m.balls[i].time = at
		}
	}
	var used [maxBalls]bool // one percept set holds the ball once: at most one hit per hypothesis
	for i := range percepts.Balls {
		o := &percepts.Balls[i]
		r := m.noise(percepts.Self.Pose.XY(), o, scale)
		best, fit := -1, innovation{distance: m.cfg.Gate}
		for j := range m.balls {
			if used[j] {
				continue
			}
			var n innovation
			if m.balls[j].compare(o.Position.XY(), &r, max(0, seconds(m.balls[j].time, at)), &n); n.distance < fit.distance {
				best, fit = j, n
			}
		}
		if best < 0 {
			if o.Confidence > 0 {
				best = m.startBall(at, o, r)
			}
		} else {
			m.balls[best].update(at, &fit, m.cfg.BallHits)
			m.balls[best].updateHeight(o)
		}
		if best >= 0 {
			used[best] = true
			m.balls[best].by.record(p.sender.Robot, at)
			m.balls[best].reporters.record(p.reporter, at)
		}
	}
	m.selectBall()
}

// updateHeight follows the observed height. It is measured directly, so the newest value counts most.
func (t *ballTrack) updateHeight(o *soccer.Observation) {
	t.z += float64(0.5 * (o.Position.Z - t.z))
	t.vz = 0
	if o.HasVelocity {
		t.vz = o.Velocity.Z
	}
}

// weight returns how many reporters see the ball here. Each counts 1 at the time of its newest sighting and less as
// that ages; reporting the ball more often adds no weight.
func (t *ballTrack) weight(now soccer.Time, memory time.Duration) (w float64) {
	for rest := uint64(t.reporters.robots); rest != 0; rest &= rest - 1 {
		w += exact.Exp(-float64(now-t.reporters.times[bits.TrailingZeros64(rest)]) / float64(memory))
	}
	return w
}

// startBall starts a hypothesis and returns its index. When there are too many it replaces the one unseen for longest.
func (m *Model) startBall(at soccer.Time, o *soccer.Observation, r noise) int {
	i := len(m.balls)
	if i == maxBalls {
		i = -1
		for j := range m.balls {
			if j != m.best && (i < 0 || m.balls[j].lastSeen < m.balls[i].lastSeen) {
				i = j
			}
		}
	} else {
		m.balls = m.balls[:i+1]
	}
	m.balls[i] = ballTrack{z: max(0, o.Position.Z)}
	m.balls[i].start(at, o, r, m.cfg.BallSpeed)
	return i
}

// selectBall makes the confirmed hypothesis with the most weight the believed ball. A challenger must exceed the
// current one by a margin.
func (m *Model) selectBall() {
	const margin = 1.2
	if len(m.balls) == 0 || len(m.balls) == 1 && m.best == 0 {
		return
	}
	var now soccer.Time
	for i := range m.balls {
		now = max(now, m.balls[i].lastSeen)
	}
	current := 0.0
	if m.best >= 0 {
		current = m.balls[m.best].weight(now, m.cfg.BallMemory)
	}
	for i := range m.balls {
		if !m.balls[i].confirmed || i == m.best {
			continue
		}
		if w := m.balls[i].weight(now, m.cfg.BallMemory); m.best < 0 || w > float64(margin*current) {
			m.best, current = i, w
		}
	}
}

// ball returns the believed ball at time now.
func (m *Model) ball(now soccer.Time) soccer.Ball {
	if m.best < 0 {
		return soccer.Ball{}
	}
	t := m.balls[m.best]
	dt := max(0, seconds(now, t.time))
	t.predict(dt, m.cfg.BallNoise, m.cfg.BallDeceleration)
	b := soccer.Ball{
		Known: true, LastSeen: t.lastSeen, Cov: t.pp, VelocityCov: t.vv, CrossCov: t.pv,
		Position: soccer.Vec3{X: t.x, Y: t.y, Z: t.z},
		Velocity: soccer.Vec3{X: t.vx, Y: t.vy, Z: t.vz},
	}
	for robot := range uint8(64) {
		if t.by.robots.Has(robot) && now.Sub(t.by.times[robot]) <= seenByWindow {
			b.SeenBy = b.SeenBy.With(robot)
		}
	}
	return b
}

// expireBalls drops hypotheses whose timeout has passed.
func (m *Model) expireBalls(now soccer.Time) {
	kept, best := m.balls[:0], -1
	for i := range m.balls {
		if now.Sub(m.balls[i].lastSeen) > m.timeout(&m.balls[i].track, m.cfg.BallTimeout) {
			continue
		}
		if i == m.best {
			best = len(kept)
		}
		kept = append(kept, m.balls[i])
	}
	m.balls, m.best = kept, best
	m.selectBall()
}
