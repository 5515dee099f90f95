//go:build !linux

package doctornet

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"

	"touchline/internal/doctor"
)

// system does nothing: only Linux shows its tables to every program.
func system(*doctor.Facts) (notes []string) {
	return []string{fmt.Sprintf("on %s the doctor reads neither routes, owners of ports, counters nor settings of the kernel: "+
		"it tests with sockets only", runtime.GOOS)}
}

func counters() (c doctor.Counters) { return c }

func drops(*doctor.Facts) {}

func claims(*doctor.Facts, *net.Interface, netip.Addr) []doctor.Claim { return nil }

func neighbor(netip.Addr, string) doctor.Neighbor { return doctor.UnknownNeighbor }
