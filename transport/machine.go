package transport

import (
	"net"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/net/ipv4"
)

// machine recognises the datagrams that programs of this machine sent to one group.
type machine struct {
	group   netip.Addr
	control ipv4.ControlMessage // control message of the newest packet: Dst is its destination; nil on systems that do not report it
	own     []ownAddr           // this machine's addresses
	asked   time.Time           // when the system reported own
}

// ownAddr is an address of this machine with the index of its interface.
type ownAddr struct {
	addr  netip.Addr
	index int
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
	own := func(o ownAddr) bool { return o.addr == a }
	return a.IsLoopback() || a.IsUnspecified() || slices.ContainsFunc(m.own, own) ||
		m.askAgain(now) && slices.ContainsFunc(m.own, own)
}

// hasOn reports whether a is an address of the interface with an index.
func (m *machine) hasOn(a netip.Addr, index int, now time.Time) bool {
	return slices.Contains(m.own, ownAddr{a, index}) || m.askAgain(now) && slices.Contains(m.own, ownAddr{a, index})
}

// askAgain asks the system for the addresses, unless it did so within a second.
func (m *machine) askAgain(now time.Time) bool {
	if now.Sub(m.asked) < time.Second {
		return false
	}
	m.asked, m.own = now, m.own[:0]
	all, _ := net.Interfaces() // none are known if the system cannot list them
	for i := range all {
		for _, p := range prefixes(&all[i]) {
			m.own = append(m.own, ownAddr{p.Addr(), all[i].Index})
		}
	}
	return true
}
