package world

import (
	"math"
	"math/bits"

	"touchline/soccer"
)

// spot is an obstacle of the picture that is fused, corrected by the observer's error.
type spot struct {
	at    soccer.Vec
	r     noise
	reach float64   // m^2: the gate times the variance of r
	seen  poseSight // without the correction
	pairs []pair    // what it may be
	best  *pair     // the nearest one that no other spot has
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
	var memory [maxSeen]*spot
	open := memory[:0] // spots that may get one
	for i := range spots {
		if spots[i].choose(&used) {
			open = append(open, &spots[i])
		}
	}
	for len(open) > 0 {
		next := 0
		for i := range open {
			if open[i].best.distance < open[next].best.distance {
				next = i
			}
		}
		s := open[next]
		if q := s.best; !used.has(q.kind, q.index) {
			used[q.kind] |= 1 << q.index
			s.taken = true
			if q.kind == tracks {
				m.see(o, &m.obstacles[q.index], at, s)
			}
		} else if s.choose(&used) {
			continue
		}
		last := len(open) - 1
		open[next] = open[last]
		open = open[:last]
	}
	return used
}

// choose finds the nearest of the pairs that no other spot has, and reports whether there is one.
func (s *spot) choose(used *taken) bool {
	s.best = nil
	for i := range s.pairs {
		if q := &s.pairs[i]; (s.best == nil || q.distance < s.best.distance) && !used.has(q.kind, q.index) {
			s.best = q
		}
	}
	return s.best != nil
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
		m.poses.note(m.member, &s.seen, &t.past, soccer.Vec{X: t.vx, Y: t.vy}, 1)
	}
	t.update(at, &fit, m.cfg.ObstacleHits)
	t.odds = min(oddsMost, t.odds+oddsSeen)
	t.late = o.lateness()
}

const (
	mateGate  = 9   // squared Mahalanobis distance within which an obstacle may be a teammate: 99 %
	mateFirst = 6.0 // squared Mahalanobis distance by which a teammate is preferred to a track: that may be its own
)

const nBands = 16

// bands holds which spots may be near a place: those by the 2 m of its x that are by those of its y, too.
type bands struct{ x, y [nBands]uint16 }

// at returns the spots that may be near a place.
func (b *bands) at(place soccer.Vec) uint16 { return b.x[band(place.X)] & b.y[band(place.Y)] }

// add adds spots that may be at a coordinate up to d away.
func add(bands *[nBands]uint16, x, d float64, spots uint16) {
	for k := band(x - d); k <= band(x+d); k++ {
		bands[k] |= spots
	}
}

// band returns the index of a coordinate. The outermost bands have no end.
func band(x float64) int {
	switch x = float64(0.5*x) + nBands/2; {
	case x >= nBands:
		return nBands - 1
	case x > 0:
		return int(x)
	}
	return 0
}

// findPairs finds what each spot may be: the tracks and teammates within their gates.
func (m *Model) findPairs(spots []spot, at soccer.Time, teammates []mate) {
	// The gate times the variance, that of all directions together, bounds the square of a distance within it.
	gate := max(m.cfg.Gate, mateGate)
	most := 0.0
	for j := range m.obstacles {
		q := &m.targets[j]
		q.at.X, q.at.Y, q.cov = m.obstacles[j].placeAt(at)
		q.reach = float64(gate * (q.cov.XX + q.cov.YY))
		most = max(most, q.reach)
	}
	for j := range teammates {
		most = max(most, float64(gate*teammates[j].variance))
	}
	m.bands = bands{}
	for i := range spots {
		s := &spots[i]
		s.pairs = m.pairs[i][:0]
		s.reach = float64(gate * (s.r.XX + s.r.YY))
		d := math.Sqrt(s.reach + most)
		add(&m.bands.x, s.at.X, d, 1<<i)
		add(&m.bands.y, s.at.Y, d, 1<<i)
	}
	for j := range m.obstacles {
		m.targets[j].pair(spots, m.bands.at(m.targets[j].at), pair{kind: tracks, index: uint8(j)}, m.cfg.Gate)
	}
	for j := range teammates {
		set := m.bands.at(teammates[j].at)
		if set == 0 {
			continue
		}
		v := teammates[j].variance
		q := target{teammates[j].at, float64(gate * v), noise{XX: v, YY: v}}
		q.pair(spots, set, pair{-mateFirst, mates, uint8(j)}, mateGate)
	}
}

// target is a track or a teammate at the capture time of a picture.
type target struct {
	at    soccer.Vec
	reach float64 // m^2: the gate times the variance of cov
	cov   soccer.Cov
}

// pair adds the target to the pairs of those spots of a set that are within the gate.
func (q *target) pair(spots []spot, set uint16, p pair, gate float64) {
	preferred := p.distance
	for ; set != 0; set &= set - 1 {
		s := &spots[bits.TrailingZeros16(set)]
		dx, dy := s.at.X-q.at.X, s.at.Y-q.at.Y
		if float64(dx*dx)+float64(dy*dy) > q.reach+s.reach {
			continue
		}
		inverse := noise{XX: q.cov.XX + s.r.XX, XY: q.cov.XY + s.r.XY, YY: q.cov.YY + s.r.YY}.Inverse()
		if d := squared(dx, dy, &inverse); d < gate {
			p.distance = d + preferred
			s.pairs = append(s.pairs, p)
		}
	}
}
