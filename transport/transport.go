// Package transport moves datagrams: over UDP multicast on one named interface, or over a net in memory that loses,
// delays, duplicates and reorders packets from a seed. Both are read through a Receiver and written through a Sender.
//
// Nothing here guesses an interface: without a name it is the loopback interface, and no packet leaves the machine.
// On Linux a Receiver hears its interface only, there its group and what is sent to its port directly; it knows the
// kernel's receive times and counts what the kernel dropped. Elsewhere Degraded says in plain words what is missing.
package transport

import (
	"fmt"
	"net/netip"
)

// MaxDatagram is the longest payload in bytes that UDP over IPv4 carries. A buffer of this length loses nothing.
const MaxDatagram = 65535 - 20 - 8

// Config says which multicast group to use, and where.
type Config struct {
	Group      netip.AddrPort // IPv4, 224.0.0.0-239.255.255.255; Listen takes any free port for port 0
	Interface  string         // by its name, for example "eth0". Default "", the loopback interface
	TTL        int            // routers that a sent packet may cross, plus one: 0..255, 0 stays in this machine. Default 1
	ReadBuffer int            // bytes wanted for unread packets, the system may grant less (Linux: net.core.rmem_max). Default 1 MiB; 0: the system's own
	// ThisMachine has Listen hear programs of this machine alone, and also those that send through another interface, as
	// programs do that know nothing of interfaces. Linux delivers what they send where some program has joined the group
	// on that interface; Listen itself joins on Interface only. Default false.
	ThisMachine bool
}

// DefaultConfig returns the Config of group on the loopback interface.
func DefaultConfig(group netip.AddrPort) Config {
	return Config{Group: group, TTL: 1, ReadBuffer: 1 << 20}
}

func (c Config) validate() error {
	if err := validateGroup(c.Group); err != nil {
		return err
	}
	if c.TTL < 0 || c.TTL > 255 {
		return fmt.Errorf("transport: TTL %d is out of range: 0 to 255; 1 reaches the local network, 0 stays in this machine", c.TTL)
	}
	if c.ReadBuffer < 0 {
		return fmt.Errorf("transport: a read buffer of %d bytes: give 0 or more", c.ReadBuffer)
	}
	return nil
}

func validateGroup(group netip.AddrPort) error {
	if addr := group.Addr(); !addr.Is4() || !addr.IsMulticast() {
		return fmt.Errorf("transport: %s is no multicast group: choose an IPv4 address in 224.0.0.0-239.255.255.255, for example 224.16.32.75", addr)
	}
	return nil
}
