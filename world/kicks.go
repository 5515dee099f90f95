package world

import "touchline/soccer"

// Kicks learns how fast kicks are.
type Kicks struct {
	newest soccer.Time // kick that was measured
	fast   float64     // m/s, which about one kick in ten exceeds
}

// See notes the velocity of the ball, known to a variance in m^2/s^2, after a kick at a time, 0 for a ball that was not
// kicked.
func (k *Kicks) See(kicked soccer.Time, velocity soccer.Vec, variance float64) {
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

// Sigma returns the sigma of each coordinate of a kick's velocity, in m/s: the configured one, or more after fast kicks.
func (k *Kicks) Sigma(configured float64) float64 {
	const share = 0.7
	return max(configured, float64(share*k.fast))
}
