// Package transport sends and receives datagrams: over UDP multicast on one named interface, or over a network in
// memory that loses, delays, duplicates and reorders packets from a seed. A Receiver receives from both, a Sender sends
// to both.
//
// Without the name of an interface both use the loopback interface, and no packet leaves the machine; no interface is
// guessed. On Linux a Receiver receives from its interface only, its group and datagrams to its own port; it reports
// the kernel's receive times and drops. On other systems Degraded returns what is missing.
package transport

import (
	"fmt"
	"net/netip"
)

// MaxDatagram is the longest payload in bytes that UDP over IPv4 carries. A buffer of this length loses nothing.
const MaxDatagram = 65535 - 20 - 8

// Config describes a multicast group.
type Config struct {
	Group     netip.AddrPort // IPv4, 224.0.0.0-239.255.255.255; for port 0 Listen chooses a free port
	Interface string         // its name, for example "eth0". Default "", the loopback interface
	TTL       int            // routers that a packet may cross plus one, 0..255; 0 stays on this machine. Default 1
	// ReadBuffer is the size of the system's buffer for unread packets in bytes. The system may grant less (on Linux at
	// most net.core.rmem_max); 0 stands for its default. Default 1 MiB
	ReadBuffer int
	// ThisMachine makes Listen receive from programs of this machine only, through whichever interface they send, as most
	// programs leave that to the system's routes. Listen joins the group on Interface only. With Interface "" on Linux it
	// captures what leaves through other interfaces, which needs root or CAP_NET_RAW; without that right it receives these
	// packets only where another program has joined the group. Default false
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
		return fmt.Errorf("transport: TTL %d: want 0 to 255; 1 reaches the local network, 0 stays on this machine", c.TTL)
	}
	if c.ReadBuffer < 0 {
		return fmt.Errorf("transport: a read buffer of %d bytes: want 0 or more", c.ReadBuffer)
	}
	return nil
}

func validateGroup(group netip.AddrPort) error {
	if addr := group.Addr(); !addr.Is4() || !addr.IsMulticast() {
		return fmt.Errorf("transport: %s is not a multicast group: want an IPv4 address in 224.0.0.0-239.255.255.255, "+
			"for example 224.16.32.75", addr)
	}
	return nil
}
