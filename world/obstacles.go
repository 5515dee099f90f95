package world

import "touchline/soccer"

// fuseObstacles gives the obstacles of one percept set to the tracks, nearest pair first, each track and each obstacle
// once; what is left over starts tracks of its own. Teammates are taken out by where they say they stand.
func (m *Model) fuseObstacles(percepts *soccer.Percepts) {
	at := percepts.Time
	for i := range m.obstacles {
		if dt := seconds(at, m.obstacles[i].time); dt > 0 {
			m.obstacles[i].predict(dt, m.cfg.ObstacleNoise, 0)
			m.obstacles[i].time = at
		}
	}
	seen := percepts.Obstacles[:min(len(percepts.Obstacles), maxSeen)]
	teammates := m.teammates(at)
	for i := range seen {
		m.noises[i] = m.noise(percepts.Self.Pose.XY(), &seen[i])
		m.taken[i] = m.isTeammate(seen[i].Position.XY(), m.noises[i], teammates)
	}
	pairs := m.candidates(seen, at)
	var used [maxObstacles]bool
	for len(pairs) > 0 {
		best := 0
		for i := range pairs {
			if pairs[i].distance < pairs[best].distance {
				best = i
			}
		}
		p := pairs[best]
		pairs[best] = pairs[len(pairs)-1]
		pairs = pairs[:len(pairs)-1]
		if m.taken[p.observation] || used[p.track] {
			continue
		}
		m.taken[p.observation], used[p.track] = true, true
		t := &m.obstacles[p.track]
		n := t.against(seen[p.observation].Position.XY(), m.noises[p.observation], max(0, seconds(t.time, at)))
		t.hit(at, &n, m.cfg.ObstacleHits)
	}
	for i := range seen {
		if !m.taken[i] && seen[i].Confidence > 0 && len(m.obstacles) < maxObstacles {
			m.obstacles = m.obstacles[:len(m.obstacles)+1]
			m.obstacles[len(m.obstacles)-1].start(at, &seen[i], m.noises[i], m.cfg.ObstacleSpeed)
		}
	}
}

// isTeammate reports whether what was seen at p with noise r may be one of the teammates.
func (m *Model) isTeammate(p soccer.Vec, r noise, teammates []soccer.Vec) bool {
	const gate = 9 // squared Mahalanobis distance: 99 %
	pose := float64(m.cfg.PoseSigma * m.cfg.PoseSigma)
	i := invert(noise{XX: r.XX + pose, XY: r.XY, YY: r.YY + pose})
	for _, t := range teammates {
		d := p.Sub(t)
		if d.X > far || d.X < -far || d.Y > far || d.Y < -far {
			continue
		}
		if float64(d.X*d.X*i.XX)+float64(2*d.X*d.Y*i.XY)+float64(d.Y*d.Y*i.YY) < gate {
			return true
		}
	}
	return m.near(p.X, p.Y, teammates)
}

// far is from where on two things, in m along an axis, are not worth a Mahalanobis distance.
const far = 2.0

// pair is an observation that may be a track's obstacle.
type pair struct {
	observation, track int
	distance           float64 // squared Mahalanobis distance
}

// candidates returns the pairs within the gate, 64 at most.
func (m *Model) candidates(seen []soccer.Observation, at soccer.Time) []pair {
	n := 0
	for i := range seen {
		if m.taken[i] {
			continue
		}
		p := seen[i].Position.XY()
		for j := range m.obstacles {
			t := &m.obstacles[j]
			dx, dy := p.X-t.x, p.Y-t.y
			if dx > far || dx < -far || dy > far || dy < -far || n == len(m.pairs) {
				continue
			}
			if d := t.against(p, m.noises[i], max(0, seconds(t.time, at))).distance; d < m.cfg.Gate {
				m.pairs[n] = pair{i, j, d}
				n++
			}
		}
	}
	return m.pairs[:n]
}
