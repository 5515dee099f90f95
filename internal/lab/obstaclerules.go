package lab

import (
	"touchline/soccer"
)

// mates removes from observations those of teammates, by the positions that these report.
type mates struct {
	at   [robots]soccer.Vec
	time [robots]soccer.Time
}

func (m *mates) report(robot int, at soccer.Time, p *soccer.Percepts) {
	m.at[robot], m.time[robot] = p.Self.Pose.XY(), at
}

// near reports whether a place is within half a metre of a teammate.
func (m *mates) near(z soccer.Vec, now soccer.Time) bool {
	for i := range m.at {
		if float64(now-m.time[i])/1e9 < 1 && m.at[i].Sub(z).Len() < 0.5 {
			return true
		}
	}
	return false
}

// newestWins replaces each known obstacle within half a metre by the newest observation, and forgets it after half a
// second (Fusion baselines).
type newestWins struct {
	mates
	known []soccer.Obstacle
	next  uint32
}

func (n *newestWins) Receive(m *Package) {
	at, p := m.Claimed, m.Percepts
	n.report(m.From, at, p)
	for i := range p.Obstacles {
		z := p.Obstacles[i].Position.XY()
		if n.near(z, at) {
			continue
		}
		best, least := -1, 0.5
		for j := range n.known {
			if d := n.known[j].Position.Sub(z).Len(); d < least {
				best, least = j, d
			}
		}
		if best < 0 {
			n.next++
			n.known = append(n.known, soccer.Obstacle{ID: n.next})
			best = len(n.known) - 1
		}
		if o := &n.known[best]; at >= o.LastSeen {
			o.Position, o.LastSeen = z, at
		}
	}
}

func (n *newestWins) World(now soccer.Time, w *soccer.World) {
	kept := n.known[:0]
	for _, o := range n.known {
		if float64(now-o.LastSeen)/1e9 <= 0.5 {
			kept = append(kept, o)
		}
	}
	n.known = kept
	*w = soccer.World{Time: now, Obstacles: append(w.Obstacles[:0], n.known...)}
}

// nearest tracks obstacles with a Kalman filter each, assigns observations to tracks by least distance, and believes a
// track after six hits (Fusion baselines). With pose it knows how well the robots know their poses.
type nearest struct {
	mates
	camera *TrialsCamera
	pose   bool
	tracks []obstacleTrack
	next   uint32
}

type obstacleTrack struct {
	filter
	id uint32
}

const (
	obstacleNoise = 0.8 // m^2/s^3
	obstacleSpeed = 1.0 // m/s
	obstacleHits  = 6
	obstacleSeen  = 0.5 // s
	obstacleGate  = 1.0 // m
)

func (n *nearest) Receive(m *Package) {
	at, p := m.Claimed, m.Percepts
	n.report(m.From, at, p)
	for j := range n.tracks {
		n.tracks[j].predict(max(at, n.tracks[j].time), obstacleNoise, 0)
	}
	var seen []seenObstacle
	for i := range p.Obstacles {
		if z := p.Obstacles[i].Position.XY(); !n.near(z, at) {
			seen = append(seen, seenObstacle{at: z, cov: noiseOf(n.camera, p.Self.Pose.XY(), z, n.pose)})
		}
	}
	n.assign(seen)
	for i := range seen {
		if o := &seen[i]; !o.assigned && len(n.tracks) < 64 {
			n.next++
			n.tracks = append(n.tracks, obstacleTrack{startFilter(at, o.at, o.cov, obstacleSpeed), n.next})
		}
	}
}

// seenObstacle is an obstacle of a picture.
type seenObstacle struct {
	at       soccer.Vec
	cov      soccer.Cov
	assigned bool
}

// assign updates tracks with what is seen within the gate, nearest pair first, each once.
func (n *nearest) assign(seen []seenObstacle) {
	distances := make([][]float64, len(seen)) // of the tracks before any of them is updated
	for i := range seen {
		for j := range n.tracks {
			distances[i] = append(distances[i], n.tracks[j].position().Sub(seen[i].at).Len())
		}
	}
	used := make([]bool, len(n.tracks))
	for {
		observation, track, least := -1, -1, obstacleGate
		for i := range seen {
			for j, d := range distances[i] {
				if !seen[i].assigned && !used[j] && d < least {
					observation, track, least = i, j, d
				}
			}
		}
		if track < 0 {
			return
		}
		o := &seen[observation]
		o.assigned, used[track] = true, true
		n.tracks[track].update(o.at, o.cov)
	}
}

func (n *nearest) World(now soccer.Time, w *soccer.World) {
	*w = soccer.World{Time: now, Obstacles: w.Obstacles[:0]}
	kept := n.tracks[:0]
	for _, t := range n.tracks {
		if float64(now-t.lastSeen)/1e9 > obstacleSeen {
			continue
		}
		kept = append(kept, t)
		if t.hits < obstacleHits {
			continue
		}
		t.predict(now, obstacleNoise, 0)
		w.Obstacles = append(w.Obstacles, soccer.Obstacle{ID: t.id, Position: t.position(), LastSeen: t.lastSeen})
	}
	n.tracks = kept
}
