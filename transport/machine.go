package transport

import (
	"net/netip"
	"slices"
	"time"

	"golang.org/x/net/ipv4"
)

// machine tells what programs of this machine sent to one group from all else that comes to a socket.
type machine struct {
	group netip.Addr
	way   ipv4.ControlMessage // of the newest packet: Dst says where it was sent to; nil where the system does not tell
	own   []netip.Addr        // this machine's addresses
	asked time.Time           // when the system named them
}

// sent reports whether the newest packet was sent to the group by from, and from is of this machine.
func (m *machine) sent(from netip.Addr, now time.Time) bool {
	if to, ok := netip.AddrFromSlice(m.way.Dst); ok && to.Unmap() != m.group {
		return false
	}
	return m.has(from.Unmap(), now)
}

// has reports whether a is an address of this machine; 0.0.0.0 is one, from which Linux sends where the route to a group
// leads to the loopback interface (facts libraries 7). For an address that is not known the system is asked again, at
// most once a second: they come and go with cables and Wi-Fi.
func (m *machine) has(a netip.Addr, now time.Time) bool {
	if a.IsLoopback() || a.IsUnspecified() || slices.Contains(m.own, a) {
		return true
	}
	if now.Sub(m.asked) < time.Second {
		return false
	}
	m.asked, m.own = now, m.own[:0]
	for _, p := range Prefixes() {
		m.own = append(m.own, p.Addr())
	}
	return slices.Contains(m.own, a)
}
