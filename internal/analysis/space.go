package analysis

import (
	"math"
	"slices"

	"touchline/game/autoref"
	"touchline/soccer"
)

const (
	spacePeriod = 0.5 // s in play between two samples of space
	ahead       = 0.3 // s that a robot goes on before it turns
	reachSpeed  = 2.5 // m/s, at which robots of the league drive to a far place
)

// space samples which team reaches each square of the field first, and how far the teams spread.
type space struct {
	wait    float64
	samples int
	first   [2]float64 // share of the squares, summed up
	hulls   [2]float64 // m^2, summed up
	hulled  [2]int
	ring    []soccer.Vec // scratch
}

// step takes a sample when it is time: which team reaches each of the squares with these middles first.
func (s *space) step(f *Frame, dt float64, middles []soccer.Vec, velocity func(autoref.Player) soccer.Vec) {
	if s.wait -= dt; s.wait > 0 || len(middles) == 0 {
		return
	}
	type mover struct {
		at   soccer.Vec
		team int
	}
	var movers [MostRobots]mover
	n := 0
	for i := range f.Scene.Robots {
		r := &f.Scene.Robots[i]
		k := index(r.Side)
		if k == 2 || !r.On || n == len(movers) {
			continue
		}
		at := r.Pose.XY()
		if v := velocity(r.Player); v.Len() < 2*reachSpeed {
			at = at.Add(v.Scale(ahead))
		}
		movers[n] = mover{at, k}
		n++
	}
	if n == 0 {
		return
	}
	s.wait = max(s.wait+spacePeriod, 0)
	s.samples++
	count := [2]int{}
	for i := range middles {
		best, team := math.Inf(1), 0
		for k := range movers[:n] {
			off := movers[k].at.Sub(middles[i])
			if d := off.Dot(off); d < best {
				best, team = d, movers[k].team
			}
		}
		count[team]++
	}
	for k := range count {
		s.first[k] += float64(count[k]) / float64(len(middles))
	}
	for k := range 2 {
		s.ring = s.ring[:0]
		for i := range f.Scene.Robots {
			if r := &f.Scene.Robots[i]; index(r.Side) == k && r.On && r.Number != soccer.Goalkeeper {
				s.ring = append(s.ring, r.Pose.XY())
			}
		}
		if len(s.ring) >= 3 {
			s.hulls[k] += hull(s.ring)
			s.hulled[k]++
		}
	}
}

func (s *space) control(k int) float64 { return share(s.first[k], float64(s.samples)) }
func (s *space) hull(k int) float64    { return share(s.hulls[k], float64(s.hulled[k])) }

// hull returns the area of the convex hull of points in m^2. It sorts them.
func hull(points []soccer.Vec) float64 {
	slices.SortFunc(points, func(a, b soccer.Vec) int {
		switch {
		case a.X < b.X || a.X == b.X && a.Y < b.Y:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	ring := make([]soccer.Vec, 0, 2*len(points))
	add := func(p soccer.Vec, least int) {
		for len(ring) >= least+2 && cross(ring[len(ring)-2], ring[len(ring)-1], p) <= 0 {
			ring = ring[:len(ring)-1]
		}
		ring = append(ring, p)
	}
	for _, p := range points {
		add(p, 0)
	}
	upper := len(ring) - 1
	for i := len(points) - 2; i >= 0; i-- {
		add(points[i], upper)
	}
	area := 0.0
	for i := range len(ring) - 1 {
		area += float64(ring[i].X*ring[i+1].Y) - float64(ring[i+1].X*ring[i].Y)
	}
	return math.Abs(area) / 2
}

func cross(o, a, b soccer.Vec) float64 {
	return float64((a.X-o.X)*(b.Y-o.Y)) - float64((a.Y-o.Y)*(b.X-o.X))
}
