// Package traffic decides what happens to packets between a sender and a receiver: an Impairment loses, delays,
// duplicates and reorders them from a seed, and a Guard limits the rate of each source. Both are pure: the caller
// supplies the time.
package traffic

import (
	"net/netip"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
)

// Default limits of a source. A robot sends 10 to 30 packets a second (Mixed Team Package v2), and a base station may
// send for six robots.
const (
	GuardRate  = 200 // packets a second
	GuardBurst = 60  // packets at once: what a Wi-Fi stall of one or two seconds releases
)

// maxSources is the number of sources that a Guard remembers.
const maxSources = 256

// setBack is the step back in packet time from which a Guard assumes that the machine's clock was set back. Packets
// that overtake each other differ by less.
const setBack = 5 * time.Millisecond

// Guard limits the rate of each source, so that one that floods does not starve the others. A source is an address with
// its port; each has its own token bucket. A Guard remembers 256 sources: a new one replaces the one that has been idle
// longest. A sender that changes its port with every packet is therefore bounded in memory but not in rate. A Guard is
// not safe for concurrent use.
type Guard struct {
	interval time.Duration // time between packets at the rate
	burst    time.Duration // how far a source's bucket may run ahead of the time
	// sources have a bucket each: Used is when it is full again, which also tells how long the source has been idle.
	sources bounded.Table[source, struct{}, soccer.Time]
	last    soccer.Time // arrival of the previous packet
	refused uint64
}

// source is what a Guard limits: an address, or one of the robots behind it.
type source struct {
	addr  netip.AddrPort
	robot uint16
}

// NewGuard returns a Guard that allows each source rate packets a second and burst packets at once; both are at least
// 1.
func NewGuard(rate, burst int) *Guard {
	interval := time.Second / time.Duration(max(rate, 1))
	return &Guard{interval: interval, burst: time.Duration(max(burst, 1)) * interval}
}

// Allow reports whether a packet that arrived from a source at now may pass. It does not allocate.
func (g *Guard) Allow(from netip.AddrPort, now soccer.Time) bool { return g.AllowRobot(from, 0, now) }

// AllowRobot is Allow with a bucket for each robot of an address: a relay sends for several of them.
func (g *Guard) AllowRobot(addr netip.AddrPort, robot uint16, now soccer.Time) bool {
	from := source{addr, robot}
	if back := g.last.Sub(now); back > setBack {
		for i, all := 0, g.sources.All(); i < len(all); i++ { // each source keeps its tokens
			all[i].Used = all[i].Used.Add(-back)
		}
		g.last = now
	}
	g.last = max(g.last, now)
	s := g.sources.Find(from)
	if s == nil {
		s, _ = g.sources.Add(from, now, maxSources, 0)
	}
	ahead := s.Used.Sub(now)
	if ahead < 0 {
		s.Used, ahead = now, 0
	}
	if ahead+g.interval > g.burst {
		g.refused++
		return false
	}
	s.Used = s.Used.Add(g.interval)
	return true
}

// Refused returns the number of packets that did not pass.
func (g *Guard) Refused() uint64 { return g.refused }
