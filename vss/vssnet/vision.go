package vssnet

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"touchline/transport"
	"touchline/wire/firasim"
)

// visionTarget is an address that vision is sent to.
type visionTarget struct {
	to      string
	address netip.AddrPort
	from    netip.AddrPort    // source address of vision to this target
	sender  *transport.Sender // nil: the socket could not be opened
	trouble error             // why vision cannot be sent; Server.mu guards it against the page
}

// openVision opens the socket that sends vision to an address.
func (s *Server) openVision(to string) error {
	name := to
	if port, ok := strings.CutPrefix(to, "localhost:"); ok {
		name = "127.0.0.1:" + port // the loopback address of clients without multicast
	}
	address, err := netip.ParseAddrPort(name)
	if err != nil || address.Port() == 0 {
		return fmt.Errorf("vss: vision to %q: want an address and a port: a group in 224.0.0.0-239.255.255.255, "+
			"for example %s, or one machine, for example 127.0.0.1:10002", to, firasim.Vision)
	}
	a := address.Addr().Unmap()
	if a.IsUnspecified() || broadcast(a) || a.Is6() && a.IsMulticast() || a.Is4() && a.As4()[0] >= 240 {
		return fmt.Errorf("vss: vision to %s: want a group in 224.0.0.0-239.255.255.255, or the address of one machine", to)
	}
	e := &visionTarget{to: to, address: netip.AddrPortFrom(a, address.Port())}
	s.net.vision = append(s.net.vision, e)
	if a.IsMulticast() {
		cfg := transport.DefaultConfig(e.address)
		cfg.Interface = s.Config.Interface
		e.sender, err = transport.Dial(cfg)
	} else {
		var conn *net.UDPConn
		local := &net.UDPAddr{}
		if a.IsLoopback() {
			local.IP = a.AsSlice()
		}
		if conn, err = net.ListenUDP("udp", local); err == nil {
			e.sender = transport.NewSender(conn, e.address)
		}
	}
	if err != nil && s.Config.Interface != "" {
		return err
	}
	if err != nil {
		s.setTrouble(e, err)
		return nil
	}
	e.from = sourceTo(e.address, e.sender.LocalAddr())
	return nil
}

// broadcast reports whether a is the broadcast address of a network of this machine.
func broadcast(a netip.Addr) bool {
	for _, p := range transport.Prefixes() {
		if !p.Addr().Is4() || p.Bits() > 30 || !p.Contains(a) {
			continue
		}
		b := a.As4()
		if hosts := uint32(1)<<(32-p.Bits()) - 1; binary.BigEndian.Uint32(b[:])&hosts == hosts {
			return true
		}
	}
	return false
}

// sourceTo returns the source address of packets that a socket bound to local sends to another address. For an
// unspecified local address the system chooses it; sourceTo sends nothing to find out.
func sourceTo(to, local netip.AddrPort) netip.AddrPort {
	if !local.Addr().IsUnspecified() {
		return local
	}
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return local // there is no route yet
	}
	defer conn.Close()
	return netip.AddrPortFrom(conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), local.Port())
}

// setTrouble sets or clears the problem of a target, and logs a new one once.
func (s *Server) setTrouble(e *visionTarget, err error) {
	if err != nil {
		err = fmt.Errorf("vision cannot be sent to %s: %w", e.to, err)
		s.Log.Warn(err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.trouble = err
}

// sendVision sends a vision packet to all targets. A packet that cannot be sent is lost.
func (s *Server) sendVision(vision []byte) {
	for _, e := range s.net.vision {
		if e.sender == nil {
			continue
		}
		err := e.sender.Send(vision)
		if err == nil {
			s.sent.Add(1)
			s.recordSent(e.from, e.address, vision)
		}
		if (err == nil) != (e.trouble == nil) {
			s.setTrouble(e, err)
		}
	}
}
