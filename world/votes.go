package world

import "touchline/soccer"

// votes bounds the sights of the ball that count for one address, however many robots it sends for: 30 a second, as many
// as pictures of a fast camera. Those of all addresses are bounded, too: a late one has those after it processed again.
type votes struct {
	time soccer.Time
	left float64
}

// take reports whether another sight at a time counts, of an address among those of so many peers.
func (v *votes) take(at soccer.Time, peers int) bool {
	const each, all, most = 30.0, 300.0, 2.0 // a second, but for most
	rate := min(each, all/float64(peers))
	if v.time == 0 {
		v.left = most
	}
	if at > v.time {
		v.left, v.time = min(most, v.left+float64(rate*at.Sub(v.time).Seconds())), at
	}
	if v.left < 1 {
		return false
	}
	v.left--
	return true
}
