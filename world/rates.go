package world

import "touchline/soccer"

// eventRate counts how often something happens to a ball that is watched.
type eventRate struct {
	newest  soccer.Time // sight
	watched float64     // s
	n       float64
}

// watch notes a sight.
func (r *eventRate) watch(at soccer.Time) {
	r.watched += min(0.1, max(0, at.Sub(r.newest).Seconds()))
	r.newest = max(r.newest, at)
}

// rate returns how often it happens, a second. The usual rate counts until the game shows it.
func (r *eventRate) rate(usual float64) float64 {
	const (
		prior = 10.0 // s
		each  = 1.5  // events for each that was noticed
	)
	return (float64(usual*prior) + float64(each*r.n)) / (prior + r.watched)
}

// hidings counts how often all robots lose sight of a ball that stays where it was: something hides it from all of them.
type hidings struct {
	eventRate
	lost soccer.Time // when they lost sight of it; 0: they did not
}

// hiddenRate is how often that happens, a second, until the game shows it: it is rare.
const hiddenRate = 0.01

// see notes a sight: whether all robots have probably lost sight of the ball, else whether it is the ball that is believed,
// which was placed at a time.
func (h *hidings) see(at soccer.Time, lost, seen bool, placed soccer.Time) {
	const least = 0.2 // s; it may be that the robots' pictures arrive in an unlucky order
	h.watch(at)
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

// placements counts how often the ball is somewhere else at once: a referee places it, or another ball comes into play.
type placements struct {
	eventRate
	placed soccer.Time // when the ball that is believed was placed
}

// see notes a sight. The ball that is believed was placed at a time, gap seconds after the sight before, and seen that
// many times since.
func (p *placements) see(at, placed soccer.Time, gap, sights float64) {
	const (
		surely = 8   // sights
		atOnce = 0.5 // s without sights, in which it may have rolled there
	)
	p.watch(at)
	if sights <= surely || placed == p.placed {
		return
	}
	if p.placed != 0 && gap < atOnce {
		p.n++
	}
	p.placed = placed
}

// kickSpeeds learns how fast kicks are.
type kickSpeeds struct {
	newest soccer.Time // kick that was measured
	fast   float64     // m/s, which about one kick in ten exceeds
}

// see notes the velocity of the ball, known to a variance in m^2/s^2, after a kick at a time, 0 for a ball that was not
// kicked.
func (k *kickSpeeds) see(kicked soccer.Time, velocity soccer.Vec, variance float64) {
	const (
		known    = 0.5 // m^2/s^2
		up, down = 0.5, 0.03
	)
	if kicked <= k.newest || variance > known {
		return
	}
	k.newest = kicked
	if speed := velocity.Len(); speed > k.fast {
		k.fast += float64(up * (speed - k.fast))
	} else {
		k.fast += float64(down * (speed - k.fast))
	}
}

// sigma returns the sigma of each coordinate of a kick's velocity, in m/s: the configured one, or more after fast kicks.
func (k *kickSpeeds) sigma(configured float64) float64 {
	const share = 0.7
	return max(configured, float64(share*k.fast))
}
