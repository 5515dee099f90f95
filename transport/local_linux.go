package transport

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// capturer sees the datagrams that programs of this machine send to a group, as they leave. It joins no group and sends
// nothing. The system allows it to root and to programs with CAP_NET_RAW.
type capturer struct{ fd int }

// openCapturer opens a capturer that sees nothing yet. Its error is a sentence for Degraded.
func openCapturer() (*capturer, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		program, _ := os.Executable()
		return nil, fmt.Errorf("programs of this machine that send through another interface than loopback are received only "+
			"where another program has joined the group (%w): send through 127.0.0.1, run as root, or run: "+
			"sudo setcap cap_net_raw+ep '%s'", err, cmp.Or(program, "touchline"))
	}
	return &capturer{fd}, nil
}

func (c *capturer) close() {
	if c != nil {
		unix.Close(c.fd)
	}
}

// localConn receives from conn, which is bound to the loopback interface, and from a tap: together all datagrams that
// programs of this machine send to a group.
type localConn struct {
	*net.UDPConn
	udp, captured syscall.RawConn
	capture       *os.File
	both          *os.File // an epoll instance of the two
	wait          syscall.RawConn
	closed        atomic.Bool

	here  machine
	turn  bool   // the capturer is read first
	frame []byte // an IP packet
}

// receiveWith returns conn together with the datagrams to group that leave through other interfaces than ifi. It owns
// the capturer, and conn if it succeeds.
func (c *capturer) receiveWith(conn *net.UDPConn, group netip.AddrPort, ifi *net.Interface) (net.PacketConn, error) {
	l := &localConn{UDPConn: conn, capture: os.NewFile(uintptr(c.fd), "capture"), frame: make([]byte, MaxDatagram+68)}
	l.here.group = group.Addr()
	if err := c.filter(group, ifi); err != nil {
		l.capture.Close()
		return nil, err
	}
	_ = unix.SetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) // an old kernel gives the time of the read instead
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		l.capture.Close()
		return nil, err
	}
	_ = unix.SetNonblock(poll, true) // os.NewFile then uses the runtime's poller
	l.both = os.NewFile(uintptr(poll), "epoll")
	if err := l.watch(poll, c.fd); err != nil {
		l.both.Close()
		l.capture.Close()
		return nil, err
	}
	return l, nil
}

// watch adds both sockets to the epoll instance.
func (l *localConn) watch(poll, capture int) (err error) {
	if l.udp, err = l.UDPConn.SyscallConn(); err != nil {
		return err
	}
	if l.captured, err = l.capture.SyscallConn(); err != nil {
		return err
	}
	if l.wait, err = l.both.SyscallConn(); err != nil {
		return err
	}
	add := func(fd int) error {
		return unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
	}
	var added error
	if err := l.udp.Control(func(fd uintptr) { added = add(int(fd)) }); err != nil || added != nil {
		return fmt.Errorf("transport: epoll: %w", cmp.Or(err, added))
	}
	return add(capture)
}

// filter lets the capturer see only unfragmented outgoing datagrams to the group that leave through other interfaces.
func (c *capturer) filter(group netip.AddrPort, ifi *net.Interface) error {
	to := group.Addr().As4()
	const drop = 255 // replaced below by the distance to the end
	program := []bpf.Instruction{
		bpf.LoadExtension{Num: bpf.ExtType},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.PACKET_OUTGOING, SkipFalse: drop},
		bpf.LoadExtension{Num: bpf.ExtInterfaceIndex},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(ifi.Index), SkipTrue: drop},
		bpf.LoadExtension{Num: bpf.ExtProto},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.ETH_P_IP, SkipFalse: drop},
		bpf.LoadAbsolute{Off: 9, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.IPPROTO_UDP, SkipFalse: drop},
		bpf.LoadAbsolute{Off: 16, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: binary.BigEndian.Uint32(to[:]), SkipFalse: drop},
		bpf.LoadAbsolute{Off: 6, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: 0x3fff, SkipTrue: drop}, // more fragments, or an offset
		bpf.LoadMemShift{Off: 0},
		bpf.LoadIndirect{Off: 2, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(group.Port()), SkipFalse: drop},
		bpf.RetConstant{Val: 1 << 18},
		bpf.RetConstant{Val: 0},
	}
	for i, in := range program {
		if jump, ok := in.(bpf.JumpIf); ok {
			end := uint8(len(program) - 2 - i)
			if jump.SkipTrue == drop {
				jump.SkipTrue = end
			} else {
				jump.SkipFalse = end
			}
			program[i] = jump
		}
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return fmt.Errorf("transport: %w", err)
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		filter[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	err = unix.SetsockoptSockFprog(c.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
		&unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
	if err != nil {
		return fmt.Errorf("transport: filter of captured packets: %w", err)
	}
	every := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
	return unix.Bind(c.fd, &unix.SockaddrLinklayer{Protocol: every})
}

// ReadMsgUDPAddrPort waits for a datagram from either socket.
func (l *localConn) ReadMsgUDPAddrPort(buf, oob []byte) (n, oobn, flags int, from netip.AddrPort, err error) {
	var events [2]unix.EpollEvent
	waited := l.wait.Read(func(poll uintptr) bool {
		_, _ = unix.EpollWait(int(poll), events[:], 0) // arms it again
		for range 2 {
			if l.turn = !l.turn; l.turn {
				n, oobn, flags, from, err = l.readCaptured(buf, oob)
			} else {
				n, oobn, flags, from, err = l.readUDP(buf, oob)
			}
			if err != unix.EAGAIN {
				return true
			}
		}
		return false
	})
	switch {
	case l.closed.Load():
		err = net.ErrClosed
	case waited != nil:
		err = waited
	}
	return n, oobn, flags, from, err
}

// receive receives from one socket without waiting.
func receive(conn syscall.RawConn, buf, oob []byte) (n, oobn, flags int, from unix.Sockaddr, err error) {
	lost := conn.Control(func(fd uintptr) {
		n, oobn, flags, from, err = unix.Recvmsg(int(fd), buf, oob, unix.MSG_DONTWAIT|unix.MSG_TRUNC)
	})
	return n, oobn, flags, from, cmp.Or(lost, err)
}

func (l *localConn) readUDP(buf, oob []byte) (n, oobn, flags int, from netip.AddrPort, err error) {
	n, oobn, flags, addr, err := receive(l.udp, buf, oob)
	if a, ok := addr.(*unix.SockaddrInet4); ok {
		from = netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
	}
	return min(n, len(buf)), oobn, flags, from, err
}

// readCaptured receives captured packets until one is a datagram that left through the interface of its source address.
// A bridge or a bond shows a packet again on the interfaces below it, which have other addresses.
func (l *localConn) readCaptured(buf, oob []byte) (n, oobn, flags int, from netip.AddrPort, err error) {
	for {
		size, oobn, flags, addr, err := receive(l.captured, l.frame, oob)
		if err != nil {
			return 0, 0, 0, from, err
		}
		link, ok := addr.(*unix.SockaddrLinklayer)
		from, data, valid := parseUDP(l.frame[:min(size, len(l.frame))])
		if !ok || !valid || !l.here.hasOn(from.Addr(), link.Ifindex, time.Now()) {
			continue
		}
		if flags &^= unix.MSG_TRUNC; len(data) > len(buf) {
			flags |= unix.MSG_TRUNC
		}
		return copy(buf, data), oobn, flags, from, nil
	}
}

// parseUDP returns sender and contents of the UDP datagram in an IPv4 packet.
func parseUDP(ip []byte) (from netip.AddrPort, data []byte, ok bool) {
	const udpHeader = 8
	if len(ip) < 20 || len(ip) < int(ip[0]&15)*4+udpHeader {
		return from, nil, false
	}
	udp := ip[int(ip[0]&15)*4:]
	size := int(binary.BigEndian.Uint16(udp[4:]))
	if size < udpHeader || size > len(udp) {
		return from, nil, false
	}
	addr := netip.AddrFrom4([4]byte(ip[12:16]))
	return netip.AddrPortFrom(addr, binary.BigEndian.Uint16(udp)), udp[udpHeader:size], true
}

// SetReadDeadline sets the deadline of ReadMsgUDPAddrPort.
func (l *localConn) SetReadDeadline(t time.Time) error { return l.both.SetReadDeadline(t) }

// Close closes both sockets and ends a waiting ReadMsgUDPAddrPort.
func (l *localConn) Close() error {
	if l.closed.Swap(true) {
		return net.ErrClosed
	}
	l.both.Close()
	l.capture.Close()
	return l.UDPConn.Close()
}
