package doctornet

import (
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"touchline/internal/doctor"
)

const (
	claimTime = 300 * time.Millisecond // for answers
	arpSize   = 28                     // bytes of a request or an answer for Ethernet and IPv4
)

// claims asks on the interface who has this machine's address, the peer's, and those of the senders that were heard:
// RFC 5227 calls these requests probes. Only root may send them; others get no claims.
func claims(f *doctor.Facts, ifi *net.Interface, peer netip.Addr) (all []doctor.Claim) {
	if len(ifi.HardwareAddr) != 6 || f.Interface.PointToPoint {
		return nil
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	arp := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ARP))
	to := &unix.SockaddrLinklayer{Protocol: arp, Ifindex: ifi.Index, Halen: 6, Addr: [8]byte{255, 255, 255, 255, 255, 255}}
	if unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: arp, Ifindex: ifi.Index}) != nil {
		return nil
	}
	own := f.Interface.IPv4().Addr()
	asked := append([]netip.Addr{own}, f.Heard.Senders...)
	if peer.IsValid() {
		asked = append(asked, peer)
	}
	for _, a := range asked {
		if f.Interface.IPv4().Contains(a) && !slices.ContainsFunc(all, func(c doctor.Claim) bool { return c.Addr == a }) {
			all = append(all, doctor.Claim{Addr: a})
			_ = unix.Sendto(fd, arpProbe(ifi.HardwareAddr, a), 0, to) // a request that is not sent gets no answer
		}
	}
	all[0].Cards = []string{ifi.HardwareAddr.String()} // of this machine, which does not hear itself
	collect(fd, all, localCards(ifi))
	return all
}

// localCards returns the other cards of this machine: on one network, Linux answers on each for the addresses of all.
func localCards(but *net.Interface) (cards []string) {
	all, _ := net.Interfaces()
	for _, i := range all {
		if i.Index != but.Index {
			cards = append(cards, i.HardwareAddr.String())
		}
	}
	return cards
}

// arpProbe returns the question who has an address.
func arpProbe(from net.HardwareAddr, to netip.Addr) []byte {
	b := []byte{0, 1, 8, 0, 6, 4, 0, 1} // Ethernet, IPv4, sizes of their addresses, request
	b = append(b, from...)
	b = append(b, make([]byte, 4+6)...) // nobody asks, so that no machine notes an address
	return append(b, to.AsSlice()...)
}

// collect adds the cards of the answers that arrive within a time.
func collect(fd int, all []doctor.Claim, local []string) {
	buf := make([]byte, 128)
	for end := time.Now().Add(claimTime); ; {
		left := time.Until(end)
		if left < time.Millisecond {
			return
		}
		wait := unix.NsecToTimeval(left.Nanoseconds())
		if unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait) != nil {
			return
		}
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err != nil && err != unix.EINTR {
			return
		}
		if err != nil || n < arpSize || buf[7] != 2 { // not an answer
			continue
		}
		card, addr := net.HardwareAddr(buf[8:14]).String(), netip.AddrFrom4([4]byte(buf[14:18]))
		for i := range all {
			if all[i].Addr == addr && len(all[i].Cards) < 4 && !slices.Contains(all[i].Cards, card) && !slices.Contains(local,
				card) {
				all[i].Cards = append(all[i].Cards, card)
			}
		}
	}
}
