package world

import "touchline/soccer"

// fuseObstacles assigns the obstacles of one percept set to tracks, nearest pair first, each track and each obstacle
// once. An observation without a track starts one. Observations of teammates, known by their reported positions, are
// ignored.
func (m *Model) fuseObstacles(percepts *soccer.Percepts, scale float64) {
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
		m.noises[i] = m.noise(percepts.Self.Pose.XY(), &seen[i], scale)
		m.assigned[i] = m.isTeammate(seen[i].Position.XY(), m.noises[i], teammates)
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
		if m.assigned[p.observation] || used[p.track] {
			continue
		}
		m.assigned[p.observation], used[p.track] = true, true
		m.obstacles[p.track].update(at, &m.fits[p.fit], m.cfg.ObstacleHits)
	}
	for i := range seen {
		if !m.assigned[i] && seen[i].Confidence > 0 && len(m.obstacles) < maxObstacles {
			m.obstacles = m.obstacles[:len(m.obstacles)+1]
			m.obstacles[len(m.obstacles)-1].start(at, &seen[i], m.noises[i], m.cfg.ObstacleSpeed)
		}
	}
}

// isTeammate reports whether an object seen at p with noise r may be one of the teammates.
func (m *Model) isTeammate(p soccer.Vec, r noise, teammates []soccer.Vec) bool {
	const gate = 9 // squared Mahalanobis distance: 99 %
	pose := float64(m.cfg.PoseSigma * m.cfg.PoseSigma)
	i := invert(noise{XX: r.XX + pose, XY: r.XY, YY: r.YY + pose})
	reach := float64(gate * (r.XX + r.YY + float64(2*pose)))
	for _, t := range teammates {
		d := p.Sub(t)
		if float64(d.X*d.X)+float64(d.Y*d.Y) > reach {
			continue // the trace bounds each eigenvalue
		}
		if float64(d.X*d.X*i.XX)+float64(2*d.X*d.Y*i.XY)+float64(d.Y*d.Y*i.YY) < gate {
			return true
		}
	}
	return m.nearAny(p.X, p.Y, teammates)
}

// pair is an observation that may belong to a track.
type pair struct {
	observation, track int
	fit                int     // index of its innovation in Model.fits
	distance           float64 // squared Mahalanobis distance
}

// candidates returns the pairs within the gate, at most 64.
func (m *Model) candidates(seen []soccer.Observation, at soccer.Time) []pair {
	positions := m.positions[:len(m.obstacles)]
	for j := range positions {
		positions[j] = m.obstacles[j].positionAt(at)
	}
	n := 0
	for i := range seen {
		if m.assigned[i] {
			continue
		}
		p, r := seen[i].Position.XY(), &m.noises[i]
		for j := range positions {
			s := &positions[j]
			dx, dy := p.X-s.x, p.Y-s.y
			if float64(dx*dx)+float64(dy*dy) > float64(m.cfg.Gate*(s.trace+r.XX+r.YY)) || n == len(m.pairs) {
				continue
			}
			m.obstacles[j].compare(p, r, s.late, &m.fits[n])
			if d := m.fits[n].distance; d < m.cfg.Gate {
				m.pairs[n] = pair{i, j, n, d}
				n++
			}
		}
	}
	return m.pairs[:n]
}
