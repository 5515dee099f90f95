package world

import "touchline/soccer"

// fuseObstacles gives the obstacles of one percept set to the tracks, nearest pair first, each track and each obstacle
// once; what is left over starts tracks of its own. Teammates are taken out by where they say they stand.
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
		m.obstacles[p.track].hit(at, &m.fits[p.fit], m.cfg.ObstacleHits)
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
	reach := float64(gate * (r.XX + r.YY + float64(2*pose)))
	for _, t := range teammates {
		d := p.Sub(t)
		if float64(d.X*d.X)+float64(d.Y*d.Y) > reach {
			continue // no eigenvalue is greater than the trace
		}
		if float64(d.X*d.X*i.XX)+float64(2*d.X*d.Y*i.XY)+float64(d.Y*d.Y*i.YY) < gate {
			return true
		}
	}
	return m.near(p.X, p.Y, teammates)
}

// pair is an observation that may be a track's obstacle.
type pair struct {
	observation, track int
	fit                int     // index of its innovation in Model.fits
	distance           float64 // squared Mahalanobis distance
}

// candidates returns the pairs within the gate, 64 at most.
func (m *Model) candidates(seen []soccer.Observation, at soccer.Time) []pair {
	spots := m.spots[:len(m.obstacles)]
	for j := range spots {
		spots[j] = m.obstacles[j].placeAt(at)
	}
	n := 0
	for i := range seen {
		if m.taken[i] {
			continue
		}
		p, r := seen[i].Position.XY(), &m.noises[i]
		for j := range spots {
			s := &spots[j]
			dx, dy := p.X-s.x, p.Y-s.y
			if float64(dx*dx)+float64(dy*dy) > float64(m.cfg.Gate*(s.trace+r.XX+r.YY)) || n == len(m.pairs) {
				continue
			}
			m.obstacles[j].against(p, r, s.late, &m.fits[n])
			if d := m.fits[n].distance; d < m.cfg.Gate {
				m.pairs[n] = pair{i, j, n, d}
				n++
			}
		}
	}
	return m.pairs[:n]
}
