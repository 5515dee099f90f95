package teamcomnet

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"touchline/teamcom"
	"touchline/wire/tcm"
)

// Loopback returns 127.0.0.1 with a port.
func Loopback(port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)
}

// reserved is how long FreeBases keeps its bases from other programs: until then the caller opens them.
const reserved = 10 * time.Second

// FreeBases returns base ports of 127.0.0.1 as FreeBasesAt does.
func FreeBases(n int) ([]uint16, error) { return FreeBasesAt(Loopback(0).Addr(), n) }

// FreeBasesAt returns base ports of an address of this machine with four available ports each, which no other call returns within ten seconds, also in
// another program: sessions that start together get different ones. They are below the range from which systems choose
// ports, so that they stay available for robots that start later, and between the known ports of others: FIRASim's
// 20011, those that touchline tcm uses without a TCM.ini, and the RefBox's 28097.
func FreeBasesAt(at netip.Addr, n int) ([]uint16, error) {
	const first, last = 24000, 28000
	var bases []uint16
	base := uint16(first + tcm.Sockets*rand.IntN((last-first)/tcm.Sockets))
	for range (last - first) / tcm.Sockets {
		if reserve(netip.AddrPortFrom(at, base)) {
			if bases = append(bases, base); len(bases) == n {
				return bases, nil
			}
		}
		if base += tcm.Sockets; base >= last {
			base = first
		}
	}
	return nil, fmt.Errorf("teamcomnet: %s has too few available UDP ports from 24000 to 28000 for the TCM; "+
		"end other programs, or run demo without it: --no-tcm", at)
}

// reserve reports whether the four ports of an entity are available, and keeps them from other calls: the TCP port with
// the number of the base, which nobody else needs, is the sign. It ends with the program, too.
func reserve(base netip.AddrPort) bool {
	sign, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(base))
	if err != nil {
		return false // of another call: the next base may be free
	}
	if !available(base) {
		sign.Close()
		return false
	}
	time.AfterFunc(reserved, func() { sign.Close() })
	return true
}

// available reports whether the four ports of an entity are available.
func available(base netip.AddrPort) bool {
	for i := range tcm.Socket(tcm.Sockets) {
		conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(teamcom.Port(base, i)))
		if err != nil {
			return false
		}
		conn.Close()
	}
	return true
}
