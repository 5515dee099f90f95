package world

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"touchline/soccer"
)

// obstacle is the track of one obstacle.
type obstacle struct {
	track
	id            uint32
	late          time.Duration // delay of its newest observer's pictures beyond the usual one
	odds          float64       // logarithm of the odds that it exists
	believed      bool
	by            *observer // observer of the newest sight
	past          poseSights
	shared        soccer.Time // when another observer saw it before
	apart         soccer.Time // when one picture last showed it and another obstacle beside it
	apartFromMate soccer.Time // when one picture last showed it and a teammate beside it
}

// Logarithms of odds: how sights change the belief that an obstacle exists.
const (
	oddsNew    = -2.0 // odds of an obstacle that was seen once
	oddsSeen   = 1.2  // more with each sight
	oddsMissed = -0.7 // more with each picture that should show it and does not
	oddsMost   = 5.0
	oddsLeast  = -4.0 // below which a track is dropped
	oddsBelief = 1.0  // odds from which it is believed
	oddsDoubt  = -1.0 // below which it is believed no longer
)

// fuseObstacles assigns the obstacles of one percept set to tracks and teammates, nearest pair first, each once: beside a
// teammate there is room for an opponent. An observation of neither starts a track. A track that the observer should see
// and does not is believed less.
func (m *Model) fuseObstacles(p *peer, percepts *soccer.Percepts, scale float64) {
	at := percepts.Time
	o := &m.observers[p.slot]
	if o.dispute.misplaced && !o.own || o.doubt > distrusted && o.agrees < 0.25 {
		return // nobody else sees what it sees: its pose or camera is wrong
	}
	for i := range m.obstacles {
		if dt := seconds(at, m.obstacles[i].time); dt > 0 {
			m.obstacles[i].predict(dt, m.cfg.ObstacleNoise, 0)
			m.obstacles[i].time = at
		}
	}
	seen := percepts.Obstacles
	spots := m.spots[:len(seen)]
	for i := range seen {
		ray := seen[i].Position.XY().Sub(percepts.Self.Pose.XY())
		camera := m.noise(ray, &seen[i], scale)
		place, r := o.correct(seen[i].Position.XY(), ray, camera)
		s := &spots[i]
		s.at, s.r, s.taken, s.best = place, r, false, nil
		s.seen = poseSight{at: at, place: seen[i].Position.XY(), ray: ray, r: camera}
		o.reach = max(o.reach, ray.Len())
	}
	var teammates []mate
	if m.matesSeen >= fewMates/2 { // else robots recognise them
		teammates = m.teammates(p, at)
	}
	used := m.assign(o, at, spots, teammates)
	m.poses.learn() // before tracks move
	m.noticeMates(o, percepts.Self.Pose.XY(), at, spots, teammates, &used)
	m.missed(o, percepts.Self.Pose.XY(), at, spots, used[tracks])
	for i := range seen {
		if !spots[i].taken {
			o.agree(false)
		}
		if !spots[i].taken && seen[i].Confidence > 0 && len(m.obstacles) < maxObstacles {
			m.newest++
			m.obstacles = append(m.obstacles, obstacle{id: m.newest, odds: oddsNew, late: o.lateness()})
			t := &m.obstacles[len(m.obstacles)-1]
			t.start(at, &seen[i], spots[i].r, m.cfg.ObstacleSpeed)
			t.x, t.y = spots[i].at.X, spots[i].at.Y
		}
	}
	m.mergeObstacles(at)
	for i := range m.obstacles {
		t := &m.obstacles[i]
		t.believed = t.confirmed && (t.odds > oddsBelief || t.believed && t.odds > oddsDoubt)
	}
	m.dropObstacles(func(t *obstacle) bool { return t.odds < oddsLeast })
}

// dropObstacles drops the tracks for which drop is true. slices.DeleteFunc would copy each of them to ask.
func (m *Model) dropObstacles(drop func(*obstacle) bool) {
	kept := 0
	for i := range m.obstacles {
		if drop(&m.obstacles[i]) {
			continue
		}
		if kept != i {
			m.obstacles[kept] = m.obstacles[i]
		}
		kept++
	}
	m.obstacles = m.obstacles[:kept]
}

// noticeMates learns whether robots see their teammates as obstacles: some recognise them. Of many teammates some take
// turns. It notes which tracks one picture showed beside a teammate.
func (m *Model) noticeMates(o *observer, self soccer.Vec, at soccer.Time, spots []spot, teammates []mate, used *taken) {
	const memory, view, most = 0.99, 0.7, 6
	for set := used[mates]; set != 0; set &= set - 1 {
		mate := &teammates[bits.TrailingZeros64(set)]
		for shown := used[tracks]; shown != 0; shown &= shown - 1 {
			if t := &m.obstacles[bits.TrailingZeros64(shown)]; near(t.x-mate.at.X, t.y-mate.at.Y, besideMate) {
				t.apartFromMate = at
			}
		}
	}
	for k := range min(most, len(teammates)) {
		j := k
		if len(teammates) > most {
			j = (m.turn + k) % len(teammates)
		}
		ray := teammates[j].at.Sub(self)
		if used.has(mates, uint8(j)) {
			m.matesSeen = float64(memory*m.matesSeen) + (1 - memory)
		} else if ray.Len() < float64(view*o.reach) && !hidden(ray, spots) {
			m.matesSeen *= memory
		}
	}
}

// near reports whether a difference is shorter than d.
func near(dx, dy, d float64) bool { return float64(dx*dx)+float64(dy*dy) < float64(d*d) }

const (
	besideMate = 0.8 // m, within which an obstacle may be a teammate that is seen with errors
	fewMates   = 0.2 // share of teammates in view that robots see as obstacles, below which they recognise them
)

// missed lowers the belief in the tracks that the picture should show and does not.
func (m *Model) missed(o *observer, self soccer.Vec, at soccer.Time, spots []spot, used uint64) {
	const view = 0.85 // part of the observer's reach in which it should see an obstacle
	for j := range m.obstacles {
		t := &m.obstacles[j]
		if used>>j&1 == 1 || t.time > at {
			continue
		}
		ray := soccer.Vec{X: t.x, Y: t.y}.Sub(self)
		d := ray.Len()
		if d > float64(view*o.reach) || d < bodyRadius {
			continue
		}
		if !hidden(ray, spots) {
			t.odds += float64(oddsMissed * (1 - o.doubt))
		}
	}
}

const bodyRadius = 0.35 // m, within which a robot hides what is behind it

// hidden reports whether an obstacle that the observer sees hides what is at the end of a ray.
func hidden(ray soccer.Vec, spots []spot) bool {
	d := ray.Len()
	for i := range spots {
		s := &spots[i].seen.ray
		along := s.Dot(ray)
		if along > 0 && along < float64(d*d) && math.Abs(s.Cross(ray)) < float64(bodyRadius*d) {
			return true
		}
	}
	return false
}

// mergeObstacles merges tracks of one obstacle: they are at one place, and no recent picture showed both.
func (m *Model) mergeObstacles(at soccer.Time) {
	const (
		merged = 0.4 // m
		apart  = 0.5 // s
	)
	list := m.obstacles
	for i := 0; i < len(list); i++ {
		a := &list[i]
		for j := i + 1; j < len(list); j++ {
			b := &list[j]
			if dx := a.x - b.x; float64(dx*dx) > merged*merged || !near(dx, a.y-b.y, merged) {
				continue
			}
			if a.lastSeen == at && b.lastSeen == at {
				a.apart, b.apart = at, at
			}
			if seconds(at, a.apart) < apart && seconds(at, b.apart) < apart {
				continue
			}
			if b.hits > a.hits { // the older one stays
				*a, *b = *b, *a
			}
			a.odds = max(a.odds, b.odds)
			a.lastSeen = max(a.lastSeen, b.lastSeen)
			list = slices.Delete(list, j, j+1)
			j--
		}
	}
	m.obstacles = list
}

// believedObstacles writes the obstacles at time now to w.
func (m *Model) believedObstacles(now soccer.Time, w *soccer.World) {
	w.Obstacles = w.Obstacles[:0]
	var teammates []mate
	if m.matesSeen >= fewMates { // robots see their teammates as obstacles
		teammates = m.teammates(nil, now)
	}
	for i := range m.obstacles {
		t := &m.obstacles[i]
		if !t.believed || now.Sub(t.lastSeen) > m.cfg.ObstacleTimeout+t.late || t.isAny(teammates, now) {
			continue
		}
		at := t.track
		at.predict(max(0, seconds(now, t.time)), m.cfg.ObstacleNoise, 0)
		w.Obstacles = append(w.Obstacles, soccer.Obstacle{
			ID: t.id, Position: soccer.Vec{X: at.x, Y: at.y}, Velocity: soccer.Vec{X: at.vx, Y: at.vy}, Cov: at.pp,
			LastSeen: at.lastSeen,
		})
	}
}

// isAny reports whether a track may be one of the teammates: it is near one, and no recent picture showed both.
func (t *obstacle) isAny(teammates []mate, now soccer.Time) bool {
	const apart = 0.6 // s
	return seconds(now, t.apartFromMate) >= apart &&
		slices.ContainsFunc(teammates, func(o mate) bool { return near(t.x-o.at.X, t.y-o.at.Y, besideMate) })
}
