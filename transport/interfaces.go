package transport

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strings"
)

// Interface is a network interface of this machine.
type Interface struct {
	Name      string
	Addrs     []netip.Addr // IPv4 and IPv6, in the system's order
	Up        bool
	Multicast bool // can send to groups; the loopback interface can even if this is false
	Loopback  bool
}

// String returns for example "eth0 (192.0.2.2)" or "wlan0 (down)".
func (i Interface) String() string {
	var notes []string
	if !i.Up {
		notes = append(notes, "down")
	}
	for _, a := range i.Addrs {
		if a.Is4() {
			notes = append(notes, a.String())
		}
	}
	if i.Up && !i.Multicast && !i.Loopback {
		notes = append(notes, "no multicast")
	}
	if len(notes) == 0 {
		return i.Name + " (no IPv4 address)"
	}
	return i.Name + " (" + strings.Join(notes, ", ") + ")"
}

// Interfaces returns this machine's network interfaces.
func Interfaces() ([]Interface, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("transport: the system cannot list its interfaces: %w", err)
	}
	list := make([]Interface, 0, len(all))
	for _, ifi := range all {
		i := Interface{
			Name: ifi.Name, Up: ifi.Flags&net.FlagUp != 0,
			Multicast: ifi.Flags&net.FlagMulticast != 0, Loopback: ifi.Flags&net.FlagLoopback != 0,
		}
		for _, p := range prefixes(&ifi) {
			i.Addrs = append(i.Addrs, p.Addr())
		}
		list = append(list, i)
	}
	return list, nil
}

// Prefixes returns all addresses of this machine with their networks, none if the system cannot list them.
func Prefixes() []netip.Prefix {
	addrs, _ := net.InterfaceAddrs()
	return parsed(addrs)
}

// prefixes returns the addresses of ifi with their networks. An interface that has vanished has none.
func prefixes(ifi *net.Interface) []netip.Prefix {
	addrs, _ := ifi.Addrs()
	return parsed(addrs)
}

func parsed(addrs []net.Addr) (list []netip.Prefix) {
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			list = append(list, p)
		}
	}
	return list
}

// lookup returns the interface of a name, the loopback interface for "", if multicast can work on it.
func lookup(name string) (*net.Interface, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("transport: the system cannot list its interfaces: %w", err)
	}
	for _, ifi := range all {
		loopback := ifi.Flags&net.FlagLoopback != 0
		switch {
		case name == "" && !loopback, name != "" && ifi.Name != name:
			continue
		case ifi.Flags&net.FlagUp == 0:
			return nil, fmt.Errorf("transport: interface %s is down%s", ifi.Name, remedy(down, &ifi, 0))
		case ifi.Flags&net.FlagMulticast == 0 && !loopback && runtime.GOOS != "linux": // Linux ignores the flag
			return nil, fmt.Errorf("transport: interface %s does not carry multicast%s", ifi.Name, remedy(noMulticast, &ifi, 0))
		}
		return &ifi, nil
	}
	return nil, unknownInterface(name)
}

func unknownInterface(name string) error {
	what := fmt.Sprintf("interface %q", name)
	if name == "" {
		what = "loopback interface"
	}
	return fmt.Errorf("transport: there is no %s; choose one of this machine's: %s", what, interfaceNames())
}

// interfaceNames lists this machine's interfaces with their addresses.
func interfaceNames() string {
	list, err := Interfaces()
	if err != nil {
		return err.Error()
	}
	if len(list) == 0 {
		return "none"
	}
	names := make([]string, len(list))
	for i, ifi := range list {
		names[i] = ifi.String()
	}
	return strings.Join(names, ", ")
}

// interfaceOf returns the interface that has an address of this machine, nil if there is none.
func interfaceOf(addr netip.Addr) *net.Interface {
	all, _ := net.Interfaces()
	for _, ifi := range all {
		for _, p := range prefixes(&ifi) {
			if p.Addr() == addr || ifi.Flags&net.FlagLoopback != 0 && p.Contains(addr) {
				return &ifi
			}
		}
	}
	return nil
}

// Address returns the IPv4 address of an interface of this machine by its name, 127.0.0.1 for "".
func Address(name string) (netip.Addr, error) {
	ifi, err := lookup(name)
	if err != nil {
		return netip.Addr{}, err
	}
	return sourceOf(ifi)
}

// AddressTo returns the address of this machine from which its datagrams to another address leave.
func AddressTo(to netip.AddrPort) (netip.Addr, error) {
	conn, err := net.Dial("udp", to.String()) // it sends nothing
	if err != nil {
		return netip.Addr{}, fmt.Errorf("transport: no way to %v: %w", to.Addr(), err)
	}
	defer conn.Close()
	return addrPort(conn.LocalAddr()).Addr(), nil
}

// sourceOf returns the address to send from: 127.0.0.1 on a loopback interface, otherwise the first IPv4 address.
func sourceOf(ifi *net.Interface) (netip.Addr, error) {
	local := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	for _, p := range prefixes(ifi) {
		switch {
		case ifi.Flags&net.FlagLoopback == 0 && p.Addr().Is4():
			return p.Addr(), nil
		case ifi.Flags&net.FlagLoopback != 0 && p.Contains(local):
			return local, nil
		}
	}
	if ifi.Flags&net.FlagLoopback != 0 {
		return netip.Addr{}, fmt.Errorf("transport: interface %s does not have the address 127.0.0.1%s", ifi.Name,
			remedy(noAddress, ifi, 0))
	}
	return netip.Addr{}, fmt.Errorf("transport: interface %s has no IPv4 address%s", ifi.Name, remedy(noAddress, ifi, 0))
}
