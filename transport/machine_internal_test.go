package transport

import (
	"net/netip"
	"testing"
	"time"
)

// Another machine is not this one, and asking about it is not dear.
func TestMachineHas(t *testing.T) {
	now := time.Unix(1000, 0)
	var m machine
	stranger := netip.MustParseAddr("192.0.2.77") // an address that documents use and nobody has
	if !m.has(netip.MustParseAddr("127.0.0.1"), now) || !m.has(netip.IPv4Unspecified(), now) || m.has(stranger, now) {
		t.Error("loopback is not this machine, or a stranger is")
	}
	m.own = append(m.own, stranger) // it comes to an interface
	if !m.has(stranger, now) {
		t.Error("an address of this machine is not known")
	}
	m.own = m.own[:0]
	other := netip.MustParseAddr("192.0.2.78")
	if m.has(other, now.Add(999*time.Millisecond)) || !m.asked.Equal(now) {
		t.Error("the system is asked twice in a second")
	}
	if m.has(other, now.Add(time.Second)) || !m.asked.Equal(now.Add(time.Second)) {
		t.Error("the system is not asked again after a second")
	}
}
