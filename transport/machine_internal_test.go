package transport

import (
	"net/netip"
	"testing"
	"time"
)

// An address of another machine is not this machine's, and looking it up is cheap.
func TestMachineHas(t *testing.T) {
	now := time.Unix(1000, 0)
	var m machine
	stranger := netip.MustParseAddr("192.0.2.77") // an address for documentation
	if !m.has(netip.MustParseAddr("127.0.0.1"), now) || !m.has(netip.IPv4Unspecified(), now) || m.has(stranger, now) {
		t.Error("loopback is not this machine's, or another machine's address is")
	}
	m.own = append(m.own, ownAddr{stranger, 1}) // an interface gets it
	if !m.has(stranger, now) {
		t.Error("an address of this machine is not recognised")
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
