package doctornet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/net/ipv4"

	"touchline/internal/doctor"
)

// socket is a UDP socket of one interface.
type socket struct {
	*ipv4.PacketConn
	conn *net.UDPConn
	port uint16
}

// openGroup joins a group on an interface and receives on its port, which it shares. Port 0 chooses one.
func openGroup(ifi *net.Interface, group netip.AddrPort) (*socket, error) {
	s, err := open(ifi, group, true) // package net shares the port of a group and binds to 0.0.0.0
	if err != nil {
		return nil, err
	}
	if err := s.JoinGroup(ifi, net.UDPAddrFromAddrPort(netip.AddrPortFrom(group.Addr(), s.port))); err != nil {
		s.conn.Close()
		return nil, &joinError{err}
	}
	return s, nil
}

// joinError is an error of joining a group, not of opening the socket.
type joinError struct{ error }

func (e *joinError) Unwrap() error { return e.error }

// openUnicast opens a socket at an address of an interface, which also sends to groups through it.
func openUnicast(ifi *net.Interface, at netip.AddrPort, ttl int) (*socket, error) {
	s, err := open(ifi, at, false)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.SetMulticastInterface(ifi), s.SetMulticastTTL(ttl), s.SetMulticastLoopback(true)); err != nil {
		s.conn.Close()
		return nil, fmt.Errorf("doctor: cannot send multicast on %s: %w", ifi.Name, err)
	}
	return s, nil
}

func open(ifi *net.Interface, at netip.AddrPort, group bool) (*socket, error) {
	lc := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) { prepare(fd, ifi.Name, group) })
	}}
	pc, err := lc.ListenPacket(context.Background(), "udp4", at.String())
	if err != nil {
		return nil, fmt.Errorf("doctor: %w", err)
	}
	conn := pc.(*net.UDPConn)
	_ = conn.SetReadBuffer(1 << 20) // the system's default is enough on an idle machine
	s := &socket{PacketConn: ipv4.NewPacketConn(conn), conn: conn, port: conn.LocalAddr().(*net.UDPAddr).AddrPort().Port()}
	_ = s.SetControlMessage(ipv4.FlagTTL, true) // Windows does not report it
	return s, nil
}

// read waits for a datagram. ttl is 0 if the system does not report it.
func (s *socket) read(buf []byte) (n, ttl int, from netip.AddrPort, err error) {
	n, control, addr, err := s.ReadFrom(buf)
	if control != nil {
		ttl = control.TTL
	}
	if udp, ok := addr.(*net.UDPAddr); ok {
		from = udp.AddrPort()
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	}
	return n, ttl, from, err
}

// write sends a datagram.
func (s *socket) write(b []byte, to netip.AddrPort) error {
	_, err := s.conn.WriteToUDPAddrPort(b, to)
	return err
}

// Error numbers of Windows, to which package syscall gives no names of Unix.
const (
	wsaeAccess      = syscall.Errno(10013)
	wsaeMsgSize     = syscall.Errno(10040)
	wsaeAddrInUse   = syscall.Errno(10048)
	wsaeNetUnreach  = syscall.Errno(10051)
	wsaeNoBufs      = syscall.Errno(10055)
	wsaeHostUnreach = syscall.Errno(10065)
)

// outcome names an error of the system.
func outcome(err error) doctor.Outcome {
	number, _ := errors.AsType[syscall.Errno](err)
	switch number {
	case syscall.EPERM, syscall.EACCES, wsaeAccess:
		return doctor.Refused
	case syscall.ENETUNREACH, syscall.EHOSTUNREACH, wsaeNetUnreach, wsaeHostUnreach:
		return doctor.Unreachable
	case syscall.ENOBUFS, wsaeNoBufs:
		return doctor.NoBuffers
	case syscall.EADDRINUSE, wsaeAddrInUse:
		return doctor.InUse
	case syscall.EMSGSIZE, wsaeMsgSize:
		return doctor.TooLong
	}
	if err == nil {
		return doctor.OK
	}
	return doctor.Outcome(err.Error())
}
