package match

import (
	"net/netip"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
)

// airTime is the time that a datagram is under way in virtual time.
const airTime = 300 * time.Microsecond

// link is the link from one address to one receiver.
type link struct {
	from netip.AddrPort
	to   uint8
}

// computer is the place of computers beside the robots, whose places are their jersey numbers.
const computer = 0

// links are the impaired links of a session or match, and the partitions of its teams. Each link has a stream of random
// numbers of its own, so that a further sender changes nothing for the others.
type links struct {
	cfg    traffic.Link
	seed   func(link) (seed, stream uint64)
	all    map[link]*traffic.Impairment // those that were used
	delays []time.Duration              // scratch
	apart  [2]soccer.RobotSet           // by team: robots on one side of a partition; 0: there is none
	joined bool                         // a partition lets computers and robots reach each other
}

// set impairs all links from now on.
func (l *links) set(cfg traffic.Link) { l.cfg, l.all = cfg, map[link]*traffic.Impairment{} }

// part puts robots of a team on one side of a partition, or heals it. It reports whether that changes something.
func (l *links) part(team int, robots soccer.RobotSet, begins bool) bool {
	if !begins {
		robots = 0
	}
	was := l.apart[team]
	l.apart[team] = robots
	return was != robots
}

// parted reports whether a partition lies between two places of a team.
func (l *links) parted(team int, a, b uint8) bool {
	if l.joined && (a == computer || b == computer) {
		return false
	}
	return l.apart[team].Has(a) != l.apart[team].Has(b)
}

// next returns the delays of the copies of the next datagram from one place of a team to another, none if it is lost or a
// partition lies between them; they are valid until the next call. Links beyond the bound share one impairment for each
// receiver.
func (l *links) next(team int, a, b uint8, of link) []time.Duration {
	const most = 512
	if l.parted(team, a, b) {
		return nil
	}
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
