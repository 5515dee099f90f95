package world

import (
	"touchline/soccer"
	"touchline/world/pose"
)

// spot is an obstacle of the picture that is fused, corrected by the observer's error.
type spot struct {
	at    soccer.Vec
	r     noise
	seen  pose.Sight // without the correction
	pairs []pair     // what it may be
	best  *pair      // the nearest one that no other spot has; nil: none
	taken bool
}

// pair is a track or a teammate that a spot may be.
type pair struct {
	distance float64 // squared Mahalanobis distance; less for teammates
	kind     uint8   // tracks or mates
	index    uint8
}

// taken holds which tracks and which teammates have a spot, each kind as a set of indices.
type taken [2]uint64

const (
	tracks = iota
	mates
)

func (t *taken) has(kind, index uint8) bool { return t[kind]>>index&1 == 1 }

// mate is where a teammate is, as it reports itself.
type mate struct {
	at       soccer.Vec
	variance float64 // m^2
}

// assign corrects the nearest track of each spot, and returns the tracks and the teammates that have one.
func (m *Model) assign(o *observer, at soccer.Time, spots []spot, teammates []mate) (used taken) {
	m.findPairs(spots, at, teammates)
	for {
		var s *spot
		for i := range spots {
			if q := spots[i].best; q != nil && (s == nil || q.distance < s.best.distance) {
				s = &spots[i]
			}
		}
		if s == nil {
			return used
		}
		q := s.best
		if used.has(q.kind, q.index) {
			s.choose(&used)
			continue
		}
		used[q.kind] |= 1 << q.index
		s.taken, s.best = true, nil
		if q.kind == tracks {
			m.see(o, &m.obstacles[q.index], at, s)
		}
	}
}

// choose finds the nearest of the pairs that no other spot has.
func (s *spot) choose(used *taken) {
	s.best = nil
	for i := range s.pairs {
		q := &s.pairs[i]
		if (s.best == nil || q.distance < s.best.distance) && !used.has(q.kind, q.index) {
			s.best = q
		}
	}
}

// see corrects a track with its spot, and notes it for the error of the observer's pose.
func (m *Model) see(o *observer, t *obstacle, at soccer.Time, s *spot) {
	var fit innovation
	t.compare(s.at, &s.r, t.behind(at), &fit)
	if t.by != o {
		t.by, t.shared = o, at
	}
	o.agree(seconds(at, t.shared) < 0.5)
	if t.confirmed {
		m.poses.Note(m.member, s.seen, &t.past, soccer.Vec{X: t.vx, Y: t.vy}, 1)
	}
	t.update(at, &fit, m.cfg.ObstacleHits)
	t.odds = min(oddsMost, t.odds+oddsSeen)
	t.late = o.lateness()
}

const (
	mateGate  = 9   // squared Mahalanobis distance within which an obstacle may be a teammate: 99 %
	mateFirst = 6.0 // squared Mahalanobis distance by which a teammate is preferred to a track: that may be its own
)

// target is a track or a teammate at the capture time of a picture.
type target struct {
	x, y, reach float64 // m and m^2: reach is the gate times the trace of cov, which bounds each eigenvalue
	cov         soccer.Cov
	gate, first float64 // squared Mahalanobis distances: the greatest one, and by how much it is preferred
	kind, index uint8
}

// findPairs finds what each spot may be: the tracks and teammates within their gates.
func (m *Model) findPairs(spots []spot, at soccer.Time, teammates []mate) {
	targets := m.targets[:0]
	gate := max(m.cfg.Gate, mateGate)
	for j := range m.obstacles {
		x, y, cov := m.obstacles[j].placeAt(at)
		targets = append(targets, target{x, y, float64(gate * (cov.XX + cov.YY)), cov, m.cfg.Gate, 0, tracks, uint8(j)})
	}
	for j := range teammates {
		t := &teammates[j]
		cov := noise{XX: t.variance, YY: t.variance}
		targets = append(targets, target{t.at.X, t.at.Y, float64(2 * gate * t.variance), cov, mateGate, mateFirst, mates, uint8(j)})
	}
	pairs := m.pairs[:0]
	for i := range spots {
		s := &spots[i]
		first := len(pairs)
		x, y, reach := s.at.X, s.at.Y, float64(gate*(s.r.XX+s.r.YY))
		for j := range targets {
			q := &targets[j]
			dx := x - q.x
			if float64(dx*dx) > q.reach+reach {
				continue
			}
			dy := y - q.y
			if float64(dx*dx)+float64(dy*dy) > q.reach+reach {
				continue
			}
			inverse := noise{XX: q.cov.XX + s.r.XX, XY: q.cov.XY + s.r.XY, YY: q.cov.YY + s.r.YY}.Inverse()
			if d := squared(dx, dy, &inverse); d < q.gate {
				pairs = append(pairs, pair{d - q.first, q.kind, q.index})
			}
		}
		s.pairs = pairs[first:]
		s.choose(&taken{})
	}
}
