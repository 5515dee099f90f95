package teamcomnet

import (
	"fmt"
	"net/netip"
	"slices"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport"
	"touchline/wire/tcm"
)

// place is where a directory puts an endpoint.
type place struct {
	own   netip.AddrPort // address and base port
	group netip.AddrPort // group of the broadcasts to its kind; zero: none
}

// placeIn returns the place of the endpoint in a directory.
func (c *Config) placeIn(d *teamcom.Directory) (place, error) {
	own, ok := d.Entry(c.Node.Self)
	switch {
	case !ok && c.Ini == "":
		return place{}, fmt.Errorf("teamcomnet: without a TCM.ini there are robot:1 to robot:%d and computer:1 to computer:%d, "+
			"but not %v", localRobots, localComputers, c.Node.Self)
	case !ok:
		return place{}, fmt.Errorf("teamcomnet: %s does not list %v: add a line, for example %d = 127.0.0.1:23000",
			c.Ini, c.Node.Self, c.Node.Self.ID)
	case own.Learn:
		own.Addr = c.Address
	}
	group, _ := d.Multicast(c.Node.Self.Kind)
	return place{own.Addr, group}, nil
}

// sockets are the sockets of an Endpoint.
type sockets struct {
	own    [tcm.Sockets]*transport.Socket
	groups []groupSocket
}

// groupSocket receives the broadcasts of one class.
type groupSocket struct {
	socket   tcm.Socket
	receiver *transport.Receiver
}

// openSockets opens the sockets of a place.
func (c *Config) openSockets(at place, clock soccer.Clock) (*sockets, error) {
	s, err := c.openOwn(at.own, clock)
	if err != nil {
		return nil, err
	}
	if err := s.join(c, at.group, clock); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

const (
	freeBases = 50                      // attempts to find four consecutive available ports
	highest   = 65535 - tcm.Sockets + 1 // base port
)

// openOwn opens the four sockets at base. For port 0 it finds four available ports.
func (c *Config) openOwn(base netip.AddrPort, clock soccer.Clock) (s *sockets, err error) {
	if base.Port() != 0 {
		return c.openAt(base, clock)
	}
	for range freeBases {
		first, err := transport.OpenSocket(transport.DefaultSocketConfig(base))
		if err != nil {
			return nil, fmt.Errorf("teamcomnet: %w", err)
		}
		at := first.LocalAddr()
		first.Close()
		if at.Port() > highest {
			continue
		}
		if s, err := c.openAt(at, clock); err == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("teamcomnet: no four consecutive ports of %s are available: give a base port, for example 23010",
		base.Addr())
}

// openAt opens the four sockets at base.
func (c *Config) openAt(base netip.AddrPort, clock soccer.Clock) (*sockets, error) {
	s := &sockets{}
	for i := range s.own {
		cfg := transport.DefaultSocketConfig(teamcom.Port(base, tcm.Socket(i)))
		cfg.Interface, cfg.ReadBuffer, cfg.Clock = c.Interface, c.ReadBuffer[i], clock
		socket, err := transport.OpenSocket(cfg)
		if err != nil {
			s.close()
			return nil, fmt.Errorf("teamcomnet: the %v socket of %v: %w", tcm.Socket(i), c.Node.Self, err)
		}
		s.own[i] = socket
	}
	return s, nil
}

// join opens the sockets of the broadcasts to a group, if there is one.
func (s *sockets) join(c *Config, group netip.AddrPort, clock soccer.Clock) error {
	if !group.IsValid() {
		return nil
	}
	iface, err := c.groupInterface(s.base().Addr())
	if err != nil {
		return err
	}
	var joined []groupSocket
	for i := range tcm.Socket(tcm.Sockets) {
		cfg := transport.DefaultConfig(teamcom.Port(group, i))
		cfg.Interface = iface
		r, err := transport.Listen(cfg)
		if err != nil {
			for _, g := range joined {
				g.receiver.Close()
			}
			return fmt.Errorf("teamcomnet: the team's group: %w", err)
		}
		r.SetClock(clock)
		joined = append(joined, groupSocket{i, r})
	}
	s.groups = joined
	return nil
}

// groupInterface returns the name of the interface on which to join the groups: "" for loopback.
func (c *Config) groupInterface(own netip.Addr) (string, error) {
	if c.Interface != "" || own.IsLoopback() {
		return c.Interface, nil
	}
	list, err := transport.Interfaces()
	if err != nil {
		return "", fmt.Errorf("teamcomnet: %w", err)
	}
	for _, ifi := range list {
		if slices.Contains(ifi.Addrs, own) {
			return ifi.Name, nil
		}
	}
	return "", fmt.Errorf("teamcomnet: no interface of this machine has the address %s", own)
}

// base returns the address of the first socket.
func (s *sockets) base() netip.AddrPort { return s.own[0].LocalAddr() }

// drops returns the number of datagrams that the kernel dropped because they were not read in time.
func (s *sockets) drops() (n uint64) {
	for _, socket := range s.own {
		n += socket.Drops()
	}
	for _, g := range s.groups {
		n += g.receiver.Drops()
	}
	return n
}

// close closes the sockets that are open.
func (s *sockets) close() {
	for _, socket := range s.own {
		if socket != nil {
			socket.Close()
		}
	}
	for _, g := range s.groups {
		g.receiver.Close()
	}
}
