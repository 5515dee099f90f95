package transport

import (
	"net/netip"
	"time"

	"touchline/soccer"
)

// What a Guard allows one source by default: a sender needs 10 to 30 packets a second (seed 000), and a base station may
// send for six robots.
const (
	GuardRate  = 200 // packets a second
	GuardBurst = 60  // packets at once: a Wi-Fi stall of a second or two releases up to that many
)

// maxSources is how many sources a Guard remembers.
const maxSources = 256

// setBack is how far a packet's time may lie before the last one's until this machine's clock counts as set back: packets
// overtake each other by less.
const setBack = 5 * time.Millisecond

// Guard keeps one sender's flood from starving the others: each source, an address with its port, has a token bucket of its
// own. It remembers 256 sources; a new one takes the place of the one that has been idle longest. A sender that changes its
// port with every packet is therefore not held back, only bounded in memory. A Guard is for one reading loop: it is not safe
// for concurrent use.
type Guard struct {
	interval time.Duration // between packets at the rate
	burst    time.Duration // how far ahead of now a source's next turn may lie
	sources  []source
	last     soccer.Time // of the packet before
	refused  uint64
}

// source keeps its bucket as the time when it is full again: one number, which also says how long it has been idle.
type source struct {
	addr netip.AddrPort
	full soccer.Time
}

// NewGuard returns a Guard that lets rate packets a second pass from each source, and burst at once; both are at least 1.
func NewGuard(rate, burst int) *Guard {
	interval := time.Second / time.Duration(max(rate, 1))
	return &Guard{
		interval: interval, burst: time.Duration(max(burst, 1)) * interval,
		sources: make([]source, 0, maxSources),
	}
}

// Allow reports whether the packet that came from this source at now may pass. It allocates nothing.
func (g *Guard) Allow(from netip.AddrPort, now soccer.Time) bool {
	if back := g.last.Sub(now); back > setBack {
		for i := range g.sources { // what each has left stays
			g.sources[i].full = g.sources[i].full.Add(-back)
		}
		g.last = now
	}
	g.last = max(g.last, now)
	s := g.source(from)
	ahead := s.full.Sub(now)
	if ahead < 0 {
		s.full, ahead = now, 0
	}
	if ahead+g.interval > g.burst {
		g.refused++
		return false
	}
	s.full = s.full.Add(g.interval)
	return true
}

// Refused returns how many packets did not pass.
func (g *Guard) Refused() uint64 { return g.refused }

// source returns what is known of addr, in the place of the oldest idle source if it is new.
func (g *Guard) source(addr netip.AddrPort) *source {
	oldest := 0
	for i := range g.sources {
		if g.sources[i].addr == addr {
			return &g.sources[i]
		}
		if g.sources[i].full < g.sources[oldest].full {
			oldest = i
		}
	}
	if len(g.sources) < maxSources {
		g.sources = append(g.sources, source{})
		oldest = len(g.sources) - 1
	}
	g.sources[oldest] = source{addr: addr}
	return &g.sources[oldest]
}
