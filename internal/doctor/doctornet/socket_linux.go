package doctornet

import "golang.org/x/sys/unix"

// prepare keeps a socket to one interface. An old kernel allows that to root only: then the address alone chooses.
func prepare(fd uintptr, iface string, group bool) {
	_ = unix.BindToDevice(int(fd), iface)
	if group {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0)
	}
}

// setWhole forbids or allows the fragmentation of what a socket sends, and reports whether the system can.
func (s *socket) setWhole(whole bool) bool {
	raw, err := s.conn.SyscallConn()
	if err != nil {
		return false
	}
	mode := unix.IP_PMTUDISC_DONT
	if whole {
		mode = unix.IP_PMTUDISC_PROBE
	}
	var set error
	err = raw.Control(func(fd uintptr) { set = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, mode) })
	return err == nil && set == nil
}
