package world

import "touchline/soccer"

// Placements counts how often the ball is somewhere else at once: a referee places it, or another ball comes into play.
type Placements struct {
	newest  soccer.Time // sight of the ball
	watched float64     // s, for which the ball was seen
	n       float64
	placed  soccer.Time // when the ball that is believed was placed
}

// See notes a sight. The ball that is believed was placed at a time, gap seconds after the sight before, and seen that
// many times since.
func (p *Placements) See(at, placed soccer.Time, gap, sights float64) {
	const (
		surely = 8   // sights
		atOnce = 0.5 // s without sights, in which it may have rolled there
	)
	p.watched += min(0.1, max(0, at.Sub(p.newest).Seconds()))
	p.newest = max(p.newest, at)
	if sights <= surely || placed == p.placed {
		return
	}
	if p.placed != 0 && gap < atOnce {
		p.n++
	}
	p.placed = placed
}

// Rate returns how often that happens, a second. The configured rate counts until the game shows it.
func (p *Placements) Rate(configured float64) float64 {
	const (
		prior = 10.0 // s
		each  = 1.5  // placements for each that was noticed
	)
	return (float64(configured*prior) + float64(each*p.n)) / (prior + p.watched)
}
