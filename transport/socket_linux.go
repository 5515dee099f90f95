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

// parse decodes the kernel's receive time, 0 for none, and its drop counter from a packet's control messages.
func parse(oob []byte) (at soccer.Time, drops uint32, counted bool) {
	for len(oob) >= unix.SizeofCmsghdr {
		hdr, data, rest, err := unix.ParseOneSocketControlMessage(oob)
		if err != nil {
			break
		}
		switch {
		case hdr.Level != unix.SOL_SOCKET:
		case hdr.Type == unix.SCM_TIMESTAMPNS && len(data) >= 16: // a timespec of a 64-bit processor
			s, ns := binary.NativeEndian.Uint64(data), binary.NativeEndian.Uint64(data[8:])
			at = soccer.Time(int64(s)*1e9 + int64(ns))
		case hdr.Type == unix.SCM_TIMESTAMPNS && len(data) >= 8: // of a 32-bit one
			s, ns := binary.NativeEndian.Uint32(data), binary.NativeEndian.Uint32(data[4:])
			at = soccer.Time(int64(int32(s))*1e9 + int64(ns))
		case hdr.Type == unix.SO_RXQ_OVFL && len(data) >= 4:
			drops, counted = binary.NativeEndian.Uint32(data), true
		}
		oob = rest
	}
	return at, drops, counted
}
