package vssnet

import (
	"encoding/binary"
	"fmt"
	"iter"
	"net"
	"net/netip"
	"slices"
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
	ssl     *translator       // nil: it gets vision in FIRASim's format
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

// maxHeld is the largest number of vision packets that wait for each other: at a hundred thousand ticks a second, for
// 0.2 ms.
const maxHeld = 16

// heldVision is vision of the last ticks that has not been sent, packet after packet.
//
// At the highest speed most of a tick's time would go into sending, because each datagram passes through the whole
// network stack. Vision of some ticks therefore leaves together (transport.Sender.SendBurst), unless a client has sent a
// packet since: it gets vision at once.
type heldVision struct {
	bytes    []byte
	size     int    // of each packet, except that the last one may be shorter
	packets  int    // in bytes
	most     int    // packets
	received uint64 // packets of clients when vision was last sent
}

// all yields the packets.
func (h *heldVision) all() iter.Seq[[]byte] { return slices.Chunk(h.bytes, h.size) }

// holdVision adds the vision of a tick, and sends what is held when it cannot wait. now says that it must not wait.
func (s *Server) holdVision(vision []byte, now bool) {
	h := &s.held
	if len(vision) > 0 {
		if h.packets > 0 && (len(vision) > h.size || len(h.bytes) < h.packets*h.size) {
			s.sendVision()
		}
		if h.packets == 0 {
			h.size = len(vision)
		}
		h.bytes, h.packets = append(h.bytes, vision...), h.packets+1
	}
	if now || h.packets >= h.most || h.received != s.received.Load() {
		s.sendVision()
	}
}

// sendVision sends the held vision to all targets. A packet that cannot be sent is lost.
func (s *Server) sendVision() {
	h := &s.held
	h.received = s.received.Load()
	if h.packets == 0 {
		return
	}
	for _, e := range s.net.vision {
		if e.sender == nil {
			continue
		}
		var err error
		if e.ssl != nil {
			err = s.sendSSL(e)
		} else if err = e.send(h); err == nil {
			s.sent.Add(uint64(h.packets))
			for b := range h.all() {
				s.recordSent(e.from, e.address, b)
			}
		}
		if (err == nil) != (e.trouble == nil) {
			s.setTrouble(e, err)
		}
	}
	h.bytes, h.packets = h.bytes[:0], 0
}

// send sends vision. Other machines get each packet by itself, because captures of a network device do not divide
// bursts.
func (e *visionTarget) send(h *heldVision) error {
	if e.from.Addr().IsLoopback() {
		return e.sender.SendBurst(h.bytes, h.size)
	}
	for b := range h.all() {
		if err := e.sender.Send(b); err != nil {
			return err
		}
	}
	return nil
}
