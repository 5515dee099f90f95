package world

import (
	"math/bits"
	"time"

	"touchline/exact"
	"touchline/soccer"
)

// ballTrack is one hypothesis of where the ball is.
type ballTrack struct {
	track
	z, vz  float64
	by     seers // by jersey number: who sees it
	voices seers // by peer.voice: how many tell of it
}

// seers is when each of a set of robots last saw something.
type seers struct {
	who  soccer.RobotSet
	when [64]soccer.Time
}

func (s *seers) add(robot uint8, at soccer.Time) {
	if robot < 64 {
		s.who = s.who.With(robot)
		s.when[robot] = max(s.when[robot], at)
	}
}

// byMemory is how long a robot counts as one that sees the ball.
const byMemory = 500 * time.Millisecond

// fuseBalls gives each ball candidate of one percept set to the hypothesis that it fits best, or starts a new one.
func (m *Model) fuseBalls(p *peer, percepts *soccer.Percepts, scale float64) {
	at := percepts.Time
	for i := range m.balls {
		if late := seconds(at, m.balls[i].time); late > 0 {
			m.balls[i].predict(late, m.cfg.BallNoise, m.cfg.BallDeceleration)
			m.balls[i].time = at
		}
	}
	var used [maxBalls]bool // a percept set holds the ball once: one hit a hypothesis
	for i := range percepts.Balls {
		o := &percepts.Balls[i]
		r := m.noise(percepts.Self.Pose.XY(), o, scale)
		best, fit := -1, innovation{distance: m.cfg.Gate}
		for j := range m.balls {
			if used[j] {
				continue
			}
			var n innovation
			if m.balls[j].against(o.Position.XY(), &r, max(0, seconds(m.balls[j].time, at)), &n); n.distance < fit.distance {
				best, fit = j, n
			}
		}
		if best < 0 {
			if o.Confidence > 0 {
				best = m.startBall(at, o, r)
			}
		} else {
			m.balls[best].hit(at, &fit, m.cfg.BallHits)
			m.balls[best].lift(o)
		}
		if best >= 0 {
			used[best] = true
			m.balls[best].by.add(p.sender.Robot, at)
			m.balls[best].voices.add(p.voice, at)
		}
	}
	m.choose()
}

// lift takes the height of an observation in: it is seen directly, so the newest counts most.
func (t *ballTrack) lift(o *soccer.Observation) {
	t.z += float64(0.5 * (o.Position.Z - t.z))
	t.vz = 0
	if o.HasVelocity {
		t.vz = o.Velocity.Z
	}
}

// weight returns how many voices tell of the ball here now: each counts 1 at the moment that it does, less since, and no
// more for telling it more often.
func (t *ballTrack) weight(now soccer.Time, memory time.Duration) (w float64) {
	for rest := uint64(t.voices.who); rest != 0; rest &= rest - 1 {
		w += exact.Exp(-float64(now-t.voices.when[bits.TrailingZeros64(rest)]) / float64(memory))
	}
	return w
}

// startBall begins a hypothesis, in the place of the weakest when there are too many, and returns its index.
func (m *Model) startBall(at soccer.Time, o *soccer.Observation, r noise) int {
	i := len(m.balls)
	if i == maxBalls {
		i = -1
		for j := range m.balls {
			if j != m.best && (i < 0 || m.balls[j].seen < m.balls[i].seen) {
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

// choose believes in the confirmed hypothesis that most voices tell of; a challenger must beat the present one clearly.
func (m *Model) choose() {
	const clearly = 1.2
	if len(m.balls) == 0 || len(m.balls) == 1 && m.best == 0 {
		return
	}
	var now soccer.Time
	for i := range m.balls {
		now = max(now, m.balls[i].seen)
	}
	present := 0.0
	if m.best >= 0 {
		present = m.balls[m.best].weight(now, m.cfg.BallMemory)
	}
	for i := range m.balls {
		if !m.balls[i].confirmed || i == m.best {
			continue
		}
		if w := m.balls[i].weight(now, m.cfg.BallMemory); m.best < 0 || w > float64(clearly*present) {
			m.best, present = i, w
		}
	}
}

// ball returns the believed ball at now.
func (m *Model) ball(now soccer.Time) soccer.Ball {
	if m.best < 0 {
		return soccer.Ball{}
	}
	t := m.balls[m.best]
	dt := max(0, seconds(now, t.time))
	t.predict(dt, m.cfg.BallNoise, m.cfg.BallDeceleration)
	b := soccer.Ball{
		Known: true, LastSeen: t.seen, Cov: t.pp,
		Position: soccer.Vec3{X: t.x, Y: t.y, Z: t.z},
		Velocity: soccer.Vec3{X: t.vx, Y: t.vy, Z: t.vz},
	}
	for robot := range uint8(64) {
		if t.by.who.Has(robot) && now.Sub(t.by.when[robot]) <= byMemory {
			b.SeenBy = b.SeenBy.With(robot)
		}
	}
	return b
}

// forgetBalls drops hypotheses that were unseen for too long.
func (m *Model) forgetBalls(now soccer.Time) {
	kept, best := m.balls[:0], -1
	for i := range m.balls {
		if now.Sub(m.balls[i].seen) > m.patience(&m.balls[i].track, m.cfg.BallTimeout) {
			continue
		}
		if i == m.best {
			best = len(kept)
		}
		kept = append(kept, m.balls[i])
	}
	m.balls, m.best = kept, best
	m.choose()
}
