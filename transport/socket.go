package transport

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/ipv4"

	"touchline/soccer"
)

// Limits of a burst. Every Linux with UDP_SEGMENT accepts a burst within them.
const (
	MaxBurst          = 62 << 10 // bytes
	MaxBurstDatagrams = 64
)

// SocketConfig describes a UDP socket at an address of this machine.
type SocketConfig struct {
	Address   netip.AddrPort // port 0 chooses an available one. Only sockets with an IPv4 address send to groups
	Interface string         // of multicast, for example "eth0". Default "", the interface that has the address
	TTL       int            // of multicast, 0..255. Default 1
	// ReadBuffer is the size of the system's buffer for unread datagrams in bytes. The system may grant less; programs
	// with CAP_NET_ADMIN get it all on Linux. 0 stands for the system's default. Default 16 MiB
	ReadBuffer int
	Clock      soccer.Clock // of arrival times. Default: one that starts now
}

// DefaultSocketConfig returns the SocketConfig of an address.
func DefaultSocketConfig(address netip.AddrPort) SocketConfig {
	return SocketConfig{Address: address, TTL: 1, ReadBuffer: 16 << 20, Clock: soccer.NewClock(time.Now())}
}

// Socket sends and receives bursts: datagrams of one size between two addresses, in one system call. Linux carries a
// burst through its network stack as a whole (UDP_SEGMENT and UDP_GRO), at a tenth of the cost; on the network its
// datagrams are the same as if each had been sent alone. Elsewhere a Socket sends a burst datagram by datagram.
//
// One goroutine may read while others write.
type Socket struct {
	stamps

	conn    *net.UDPConn
	channel string
	oob     [128]byte   // control messages of the newest burst
	single  atomic.Bool // the system does not send bursts
}

// OpenSocket opens a socket. An error names the cause and the remedy.
func OpenSocket(cfg SocketConfig) (*Socket, error) {
	addr := cfg.Address.Addr()
	if !addr.IsValid() || addr.IsMulticast() {
		return nil, fmt.Errorf("transport: cannot listen on %s: want an address of this machine, for example 127.0.0.1:7300",
			cfg.Address)
	}
	network := "udp6"
	if addr.Is4() {
		network = "udp4"
	}
	conn, err := net.ListenUDP(network, net.UDPAddrFromAddrPort(cfg.Address))
	if err != nil {
		return nil, explainAddress(cfg.Address, err)
	}
	s := &Socket{stamps: stamps{clock: cfg.Clock}, conn: conn, channel: addrPort(conn.LocalAddr()).String()}
	if err := errors.Join(s.prepare(cfg.ReadBuffer), s.prepareGroups(&cfg)); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

// prepareGroups sets the options of sending to multicast groups.
func (s *Socket) prepareGroups(cfg *SocketConfig) (err error) {
	if cfg.Address.Addr().Is6() {
		return nil // groups have IPv4 addresses
	}
	ifi := interfaceOf(cfg.Address.Addr())
	if cfg.Interface != "" {
		if ifi, err = lookup(cfg.Interface); err != nil {
			return err
		}
	}
	p := ipv4.NewPacketConn(s.conn)
	if ifi != nil {
		err = p.SetMulticastInterface(ifi)
	}
	if err = errors.Join(err, p.SetMulticastTTL(cfg.TTL), p.SetMulticastLoopback(true)); err != nil {
		return fmt.Errorf("transport: cannot send to groups from %s: %w", s.channel, err)
	}
	return nil
}

// prepare sets the options of the system.
func (s *Socket) prepare(readBuffer int) error {
	raw, err := s.conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("transport: %w", err)
	}
	enlarged := false
	err = raw.Control(func(fd uintptr) {
		prepare(fd, "") // without it arrival times are those of the read, and drops are not counted
		s.single.Store(!enableBursts(fd))
		enlarged = enlarge(fd, readBuffer)
	})
	if err == nil && !enlarged && readBuffer > 0 {
		err = s.conn.SetReadBuffer(readBuffer)
	}
	if err != nil {
		return fmt.Errorf("transport: cannot prepare the socket at %s: %w", s.channel, err)
	}
	return nil
}

// explainAddress adds cause and remedy to an error of a socket that cannot be bound.
func explainAddress(at netip.AddrPort, err error) error {
	why := ""
	switch {
	case is(err, syscall.EADDRINUSE, wsaeAddrInUse):
		why = fmt.Sprintf("another program uses port %d", at.Port()) + remedy(portTaken, &net.Interface{}, at.Port())
	case is(err, syscall.EADDRNOTAVAIL, wsaeAddrNotAvail):
		why = ForeignAddress(err)
	case is(err, syscall.EACCES, wsaeAccess):
		why = fmt.Sprintf("port %d is reserved by the system: choose one from 1024", at.Port())
	default:
		return fmt.Errorf("transport: cannot listen on %s: %w", at, err)
	}
	return fmt.Errorf("transport: cannot listen on %s: %s (%w)", at, why, err)
}

// ForeignAddress explains the error of a socket whose address does not belong to this machine, and lists the addresses that
// do. It returns "" for any other error.
func ForeignAddress(err error) string {
	if !is(err, syscall.EADDRNOTAVAIL, wsaeAddrNotAvail) {
		return ""
	}
	return "this machine does not have the address; its interfaces are " + interfaceNames()
}

// ReadBurst waits for the next burst. Data holds its datagrams one after another, each has size bytes, and the last one
// may be shorter. Data is a part of buf, which needs MaxDatagram bytes. Time is when the burst arrived, as ReadPacket
// defines it. After Close the error is net.ErrClosed.
func (s *Socket) ReadBurst(buf []byte) (p soccer.Packet, size int, err error) {
	n, oobn, _, from, err := s.conn.ReadMsgUDPAddrPort(buf, s.oob[:])
	if err != nil && !is(err, wsaeMsgSize) {
		return soccer.Packet{}, 0, fmt.Errorf("transport: %s: %w", s.channel, err)
	}
	c := parse(s.oob[:oobn])
	p = soccer.Packet{Time: s.arrival(&c), Channel: s.channel, From: from, Data: buf[:n]}
	if size = c.segment; size <= 0 {
		size = n
	}
	return p, size, nil
}

// WriteBurst sends b to an address as datagrams of size bytes each; the last one may be shorter. b is within MaxBurst
// and MaxBurstDatagrams.
func (s *Socket) WriteBurst(b []byte, size int, to netip.AddrPort) error {
	return s.explainSend(to, writeBurst(s.conn, &s.single, b, size, to))
}

// writeBurst is WriteBurst on conn. It sets single where the system does not send bursts.
func writeBurst(conn *net.UDPConn, single *atomic.Bool, b []byte, size int, to netip.AddrPort) error {
	if len(b) > size && !single.Load() {
		oob := segmentMessage(size)
		if _, _, err := conn.WriteMsgUDPAddrPort(b, oob[:], to); err == nil || !noBursts(err) {
			return err
		}
		single.Store(true) // for example a network device without checksums, or a path with a small MTU
	}
	for len(b) > size {
		if _, err := conn.WriteToUDPAddrPort(b[:size], to); err != nil {
			return err
		}
		b = b[size:]
	}
	_, err := conn.WriteToUDPAddrPort(b, to)
	return err
}

func (s *Socket) explainSend(to netip.AddrPort, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("transport: cannot send from %s to %s: %w", s.channel, to, err)
}

// LocalAddr returns the address of the socket.
func (s *Socket) LocalAddr() netip.AddrPort { return addrPort(s.conn.LocalAddr()) }

// Drops returns the number of datagrams that were lost because they were not read in time, as that of a Receiver.
func (s *Socket) Drops() uint64 { return s.drops.Load() }

// Close ends a waiting ReadBurst.
func (s *Socket) Close() error { return s.conn.Close() }
