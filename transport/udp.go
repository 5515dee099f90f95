package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/ipv4"

	"touchline/soccer"
)

// Receiver receives the packets of one channel. One goroutine at a time may call ReadPacket; the other methods may be
// called from any goroutine.
type Receiver struct {
	// Tap, if not nil, receives each packet before ReadPacket returns it. It must neither block nor keep the packet's
	// Data. Set it before the first ReadPacket.
	Tap func(*soccer.Packet)

	stamps

	conn      net.PacketConn
	channel   string
	here      *machine // nil: all senders are received
	degraded  []string
	oob       [128]byte // control messages of the newest packet
	oversized atomic.Uint64
}

// messageConn is a socket that returns the kernel's control messages with each datagram.
type messageConn interface {
	ReadMsgUDPAddrPort(b, oob []byte) (n, oobn, flags int, from netip.AddrPort, err error)
}

// Listen joins cfg.Group on cfg.Interface. Several programs may listen to one group. An error names the cause and the
// remedy.
func Listen(cfg Config) (*Receiver, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	ifi, err := lookup(cfg.Interface)
	if err != nil {
		return nil, err
	}
	device := ifi.Name
	var all *capturer // sees what local programs send through other interfaces
	var refused error
	if cfg.ThisMachine {
		if all, refused = openCapturer(); refused != nil {
			device = ""
		}
	}
	r, conn, err := listen(cfg, ifi, device)
	if err != nil {
		all.close()
		return nil, err
	}
	group := netip.MustParseAddrPort(r.channel)
	switch {
	case all != nil:
		if r.conn, err = all.receiveWith(conn, group, ifi); err != nil {
			conn.Close()
			return nil, explain("listen on", ifi, group, err)
		}
	case cfg.ThisMachine:
		r.here = &machine{group: group.Addr()}
		if ipv4.NewPacketConn(conn).SetControlMessage(ipv4.FlagDst, true) != nil {
			r.degraded = append(r.degraded, noOtherGroups)
		}
		if !errors.Is(refused, errors.ErrUnsupported) {
			r.degraded = append(r.degraded, refused.Error())
		}
	}
	return r, nil
}

// listen opens the socket of a group on an interface. Without a device it receives from all interfaces.
func listen(cfg Config, ifi *net.Interface, device string) (*Receiver, *net.UDPConn, error) {
	var degraded []string
	control := func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) { degraded = prepare(fd, device) })
	}
	// For a multicast address package net shares the port (SO_REUSEADDR, on the BSDs SO_REUSEPORT too) and binds to
	// 0.0.0.0.
	lc := net.ListenConfig{Control: control}
	pc, err := lc.ListenPacket(context.Background(), "udp4", cfg.Group.String())
	if err != nil {
		return nil, nil, explain("listen on", ifi, cfg.Group, err)
	}
	conn := pc.(*net.UDPConn)
	group := netip.AddrPortFrom(cfg.Group.Addr(), addrPort(conn.LocalAddr()).Port())
	p := ipv4.NewPacketConn(conn)
	err = errors.Join(
		p.JoinGroup(ifi, net.UDPAddrFromAddrPort(group)),
		p.SetMulticastLoopback(true), // on Windows this is an option of the receiver
	)
	if err != nil {
		conn.Close()
		return nil, nil, explain("join", ifi, group, err)
	}
	if cfg.ReadBuffer > 0 {
		if err := conn.SetReadBuffer(cfg.ReadBuffer); err != nil {
			degraded = append(degraded,
				fmt.Sprintf("the system refuses a read buffer of %d bytes: bursts of packets may be lost", cfg.ReadBuffer))
		}
	}
	r := NewReceiver(conn, group.String())
	r.degraded = degraded
	return r, conn, nil
}

// NewReceiver returns a Receiver of conn, usually one of a Memory. channel is the Channel of its packets.
func NewReceiver(conn net.PacketConn, channel string) *Receiver {
	return &Receiver{stamps: stamps{clock: soccer.NewClock(time.Now())}, conn: conn, channel: channel}
}

// ReadPacket waits for the next packet. Data is a part of buf. Time is when the packet arrived: the kernel's receive
// time on Linux, the time of delivery in a Memory, elsewhere the time after the read. It never runs backwards; setting the
// machine's clock has no effect on it. A datagram that is longer than
// buf is skipped and counted by Oversized, so that it does not end a reading loop; a buffer of MaxDatagram bytes holds
// every datagram. After Close the error is net.ErrClosed, after the deadline os.ErrDeadlineExceeded.
func (r *Receiver) ReadPacket(buf []byte) (soccer.Packet, error) {
	for {
		p, cut, err := r.read(buf)
		if err != nil {
			return soccer.Packet{}, fmt.Errorf("transport: %s: %w", r.channel, err)
		}
		if r.here != nil && !r.here.sent(p.From.Addr(), time.Now()) {
			continue
		}
		if !cut {
			if r.Tap != nil {
				tapped := p // a variable of its own: only a Receiver with a Tap allocates
				r.Tap(&tapped)
			}
			return p, nil
		}
		r.oversized.Add(1)
	}
}

func (r *Receiver) read(buf []byte) (p soccer.Packet, cut bool, err error) {
	n := 0
	switch conn := r.conn.(type) {
	case messageConn:
		var oobn, flags int
		n, oobn, flags, p.From, err = conn.ReadMsgUDPAddrPort(buf, r.oob[:])
		if is(err, wsaeMsgSize) {
			return p, true, nil
		}
		cut = flags&msgTrunc != 0
		if r.here != nil {
			_ = r.here.control.Parse(r.oob[:oobn]) // without a destination every sender of this machine passes
		}
		c := parse(r.oob[:oobn])
		p.Time = r.arrival(&c)
	case *MemoryConn:
		var d datagram
		n, d, err = conn.read(buf)
		cut, p.From = n < len(d.data), d.from
		p.Time = r.clock.At(d.due)
	default:
		var from net.Addr
		n, from, err = conn.ReadFrom(buf)
		p.From, p.Time = addrPort(from), r.clock.At(time.Now())
	}
	if err != nil {
		return p, false, err
	}
	p.Time = max(p.Time, r.last)
	r.last = p.Time
	p.Channel, p.Data = r.channel, buf[:n]
	return p, cut, nil
}

// SetClock makes a clock that several sockets share show the packets' times. Call it before the first ReadPacket.
func (r *Receiver) SetClock(clock soccer.Clock) { r.clock = clock }

// Channel returns the Channel of the packets: after Listen the group with its actual port.
func (r *Receiver) Channel() string { return r.channel }

// Drops returns the number of datagrams that were lost because they were not read in time. The kernel reports them with
// the next datagram that it delivers, on Linux only.
func (r *Receiver) Drops() uint64 {
	if m, ok := r.conn.(*MemoryConn); ok {
		return m.Drops()
	}
	return r.drops.Load()
}

// Oversized returns the number of datagrams that were skipped because they were longer than the buffer.
func (r *Receiver) Oversized() uint64 { return r.oversized.Load() }

// Degraded returns what this system does not support, a sentence each, for the log. On Linux the list is empty unless a
// sandbox forbids something.
func (r *Receiver) Degraded() []string { return slices.Clone(r.degraded) }

// SetReadDeadline ends a ReadPacket at t, also one that waits now; the zero time means never.
func (r *Receiver) SetReadDeadline(t time.Time) error { return r.conn.SetReadDeadline(t) }

// Close leaves the group and ends a waiting ReadPacket.
func (r *Receiver) Close() error { return r.conn.Close() }

// Sender sends to one group. Its methods may be called from several goroutines.
type Sender struct {
	conn  net.PacketConn
	to    *net.UDPAddr
	group netip.AddrPort
	ifi   *net.Interface // nil for a Memory

	single atomic.Bool // the system does not send bursts
}

// Dial returns a Sender to cfg.Group through cfg.Interface: from 127.0.0.1 on the loopback interface, else from the
// interface's first IPv4 address. Programs on this machine receive its packets too. An error names the cause and the
// remedy.
func Dial(cfg Config) (*Sender, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Group.Port() == 0 {
		return nil, fmt.Errorf("transport: %s has no port: want 1 to 65535", cfg.Group)
	}
	ifi, err := lookup(cfg.Interface)
	if err != nil {
		return nil, err
	}
	from, err := sourceOf(ifi)
	if err != nil {
		return nil, err
	}
	// A packet on loopback from a socket bound to 0.0.0.0 can carry the source 0.0.0.0.
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(from, 0)))
	if err != nil {
		return nil, explain("send to", ifi, cfg.Group, err)
	}
	p := ipv4.NewPacketConn(conn)
	err = errors.Join(p.SetMulticastInterface(ifi), p.SetMulticastTTL(cfg.TTL), p.SetMulticastLoopback(true))
	if err != nil {
		conn.Close()
		return nil, explain("send to", ifi, cfg.Group, err)
	}
	s := NewSender(conn, cfg.Group)
	s.ifi = ifi
	return s, nil
}

// NewSender returns a Sender that writes to group through conn, usually one of a Memory.
func NewSender(conn net.PacketConn, group netip.AddrPort) *Sender {
	return &Sender{conn: conn, to: net.UDPAddrFromAddrPort(group), group: group}
}

// Send sends b as one datagram. It refuses more than MaxDatagram bytes.
func (s *Sender) Send(b []byte) error {
	if len(b) > MaxDatagram {
		return fmt.Errorf("transport: a datagram of %d bytes: UDP carries at most %d", len(b), MaxDatagram)
	}
	if _, err := s.conn.WriteTo(b, s.to); err != nil {
		return explain("send to", s.ifi, s.group, err)
	}
	return nil
}

// SendBurst sends b as datagrams of size bytes each, as Socket.WriteBurst does; the last one may be shorter. b is within
// MaxBurst and MaxBurstDatagrams. A recorder that listens on the network device of this machine, such as Wireshark, may
// show a burst as one datagram.
func (s *Sender) SendBurst(b []byte, size int) error {
	if conn, ok := s.conn.(*net.UDPConn); ok && len(b) > size {
		if err := writeBurst(conn, &s.single, b, size, s.group); err != nil {
			return explain("send to", s.ifi, s.group, err)
		}
		return nil
	}
	for len(b) > size {
		if err := s.Send(b[:size]); err != nil {
			return err
		}
		b = b[size:]
	}
	return s.Send(b)
}

// LocalAddr returns the source address of the packets.
func (s *Sender) LocalAddr() netip.AddrPort { return addrPort(s.conn.LocalAddr()) }

// Close closes the Sender.
func (s *Sender) Close() error { return s.conn.Close() }

func addrPort(a net.Addr) netip.AddrPort {
	u, ok := a.(*net.UDPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := u.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}
