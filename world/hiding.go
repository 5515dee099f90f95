package world

import "touchline/soccer"

// Hidings counts how often all robots lose sight of a ball that stays where it was: something hides it from all of them.
type Hidings struct {
	newest  soccer.Time // sight
	watched float64     // s
	n       float64
	lost    soccer.Time // when they lost sight of it; 0: they did not
}

// See notes a sight: whether all robots have probably lost sight of the ball, else whether it is the ball that is believed,
// which was placed at a time.
func (h *Hidings) See(at soccer.Time, lost, seen bool, placed soccer.Time) {
	const least = 0.2 // s; it may be that the robots' pictures arrive in an unlucky order
	h.watched += min(0.1, max(0, at.Sub(h.newest).Seconds()))
	h.newest = max(h.newest, at)
	switch {
	case lost && h.lost == 0:
		h.lost = at
	case !lost && seen && h.lost != 0:
		if placed < h.lost && at.Sub(h.lost).Seconds() > least {
			h.n++
		}
		h.lost = 0
	}
}

// Rate returns how often that happens, a second. It is rare until the game shows it.
func (h *Hidings) Rate() float64 {
	const (
		rare  = 0.01 // a second
		prior = 10.0 // s
		each  = 1.5  // hidings for each that was noticed
	)
	return (float64(rare*prior) + float64(each*h.n)) / (prior + h.watched)
}
