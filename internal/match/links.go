package match

import (
	"net/netip"
	"time"

	"touchline/transport/traffic"
)

// air is the time that a datagram is under way in virtual time.
const air = 300 * time.Microsecond

// link is the link from one address to one receiver.
type link struct {
	from netip.AddrPort
	to   uint8
}

// links are the impaired links of a session or match. Each has a stream of random numbers of its own, so that a further
// sender changes nothing for the others.
type links struct {
	cfg    traffic.Link
	seed   func(link) (seed, stream uint64)
	all    map[link]*traffic.Impairment // those that were used
	delays []time.Duration              // scratch
}

// set impairs all links from now on.
func (l *links) set(cfg traffic.Link) { l.cfg, l.all = cfg, map[link]*traffic.Impairment{} }

// next returns the delays of the copies of the next datagram on a link, none if it is lost; they are valid until the next
// call. Links beyond the bound share one impairment for each receiver.
func (l *links) next(of link) []time.Duration {
	const most = 512
	impairment := l.all[of]
	if impairment == nil && len(l.all) >= most {
		of = link{to: of.to}
		impairment = l.all[of]
	}
	if impairment == nil {
		seed, stream := l.seed(of)
		impairment = traffic.NewImpairment(l.cfg, seed, stream)
		l.all[of] = impairment
	}
	l.delays = impairment.Next(l.delays[:0])
	return l.delays
}
