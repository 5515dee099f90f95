package transport

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"touchline/soccer"
)

const msgTrunc = unix.MSG_TRUNC

// prepare sets options of Linux on a socket that is not bound yet. It returns what an old kernel or a sandbox refuses.
// An empty iface stands for all interfaces.
func prepare(fd uintptr, iface string) (missing []string) {
	s := int(fd)
	try := func(err error, what string) {
		if err != nil {
			missing = append(missing, what)
		}
	}
	if iface != "" {
		// Without this option the socket receives every group on its port that any program of the machine joined.
		try(unix.SetsockoptInt(s, unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0), noOtherGroups)
		// Without this option machines on other interfaces can send to the port.
		try(unix.BindToDevice(s, iface), noOtherInterfaces)
	}
	try(unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1), noKernelTime)
	try(unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 1), noDropCount)
	return missing
}

// parse decodes a packet's control messages.
func parse(oob []byte) (c control) {
	for len(oob) >= unix.SizeofCmsghdr {
		hdr, data, rest, err := unix.ParseOneSocketControlMessage(oob)
		if err != nil {
			break
		}
		switch {
		case hdr.Level == unix.IPPROTO_UDP && hdr.Type == unix.UDP_GRO && len(data) >= 4:
			c.segment = int(int32(binary.NativeEndian.Uint32(data)))
		case hdr.Level != unix.SOL_SOCKET:
		case hdr.Type == unix.SCM_TIMESTAMPNS && len(data) >= 16: // a timespec of a 64-bit processor
			s, ns := binary.NativeEndian.Uint64(data), binary.NativeEndian.Uint64(data[8:])
			c.kernel = soccer.Time(int64(s)*1e9 + int64(ns))
		case hdr.Type == unix.SCM_TIMESTAMPNS && len(data) >= 8: // of a 32-bit one
			s, ns := binary.NativeEndian.Uint32(data), binary.NativeEndian.Uint32(data[4:])
			c.kernel = soccer.Time(int64(int32(s))*1e9 + int64(ns))
		case hdr.Type == unix.SO_RXQ_OVFL && len(data) >= 4:
			c.drops, c.counted = binary.NativeEndian.Uint32(data), true
		}
		oob = rest
	}
	return c
}

// enableBursts makes a socket receive bursts, and reports whether the system sends them, too.
func enableBursts(fd uintptr) bool {
	_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_GRO, 1) // without it each datagram is a burst
	_, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_SEGMENT)
	return err == nil
}

// enlarge sets the read buffer of a socket beyond the system's limit, which needs CAP_NET_ADMIN.
func enlarge(fd uintptr, size int) bool {
	return size > 0 && unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, size) == nil
}

// segmentMessage returns the control message that cuts a burst into datagrams of size bytes.
func segmentMessage(size int) (oob [unix.SizeofCmsghdr + 8]byte) {
	const header = unix.SizeofCmsghdr
	if header == 16 { // its length has the size of a pointer
		binary.NativeEndian.PutUint64(oob[:], header+2)
	} else {
		binary.NativeEndian.PutUint32(oob[:], header+2)
	}
	binary.NativeEndian.PutUint32(oob[header-8:], unix.IPPROTO_UDP)
	binary.NativeEndian.PutUint32(oob[header-4:], unix.UDP_SEGMENT)
	binary.NativeEndian.PutUint16(oob[header:], uint16(size))
	return oob
}

// noBursts reports whether an error of a burst means that its datagrams must be sent one by one.
func noBursts(err error) bool {
	return is(err, unix.EIO, unix.EINVAL, unix.EMSGSIZE, unix.ENOPROTOOPT, unix.EOPNOTSUPP)
}
