package transport

import (
	"net/netip"
	"slices"
	"time"

	"golang.org/x/net/ipv4"
)

// machine recognises the datagrams that programs of this machine sent to one group.
type machine struct {
	group   netip.Addr
	control ipv4.ControlMessage // of the newest packet: Dst is its destination; nil on systems that do not report it
	own     []netip.Addr        // this machine's addresses
	asked   time.Time           // when the system reported own
}

// sent reports whether the newest packet was sent to the group, and from is an address of this machine.
func (m *machine) sent(from netip.Addr, now time.Time) bool {
	if to, ok := netip.AddrFromSlice(m.control.Dst); ok && to.Unmap() != m.group {
		return false
	}
	return m.has(from.Unmap(), now)
}

// has reports whether a is an address of this machine. 0.0.0.0 counts: Linux sends from it if the route to a group
// leads to the loopback interface. For an unknown address it asks the system again, at most once a second, since
// addresses come and go with cables and Wi-Fi.
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
