package transport

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestExplain(t *testing.T) {
	group := netip.MustParseAddrPort("224.16.32.75:2005")
	lo := &net.Interface{Name: "lo", Flags: net.FlagUp | net.FlagLoopback}
	eth := &net.Interface{Name: "eth7", Flags: net.FlagUp | net.FlagMulticast}
	for _, c := range []struct {
		doing  string
		ifi    *net.Interface
		cause  syscall.Errno
		plain  string
		remedy trouble
	}{
		{"send to", lo, syscall.ENETUNREACH, "no route leads to the group", noRoute},
		{"send to", eth, syscall.EHOSTUNREACH, "no route leads to the group", noRoute},
		{"send to", eth, wsaeNetUnreach, "no route leads to the group", noRoute},
		{"send to", lo, syscall.EPERM, "a firewall forbids it", firewall},
		{"join", eth, wsaeAccess, "a firewall forbids it", firewall},
		{"listen on", lo, wsaeAddrInUse, "another program uses port 2005 and does not share it", portTaken},
		{"send to", eth, syscall.EADDRNOTAVAIL, "the interface lost its address", noAddress},
		{"listen on", eth, syscall.EACCES, "port 2005 is reserved by the system: choose one from 1024", -1},
		{"send to", eth, syscall.ENODEV, "the interface is gone", -1},
		{"send to", eth, syscall.ENOBUFS, "cannot send to 224.16.32.75:2005 on eth7", -1},
	} {
		err := explain(c.doing, c.ifi, group, &net.OpError{Op: "test", Net: "udp4", Err: os.NewSyscallError("test", c.cause)})
		text := err.Error()
		if !errors.Is(err, c.cause) || !strings.Contains(text, c.plain) || !strings.Contains(text, c.ifi.Name) {
			t.Errorf("%v: %s", c.cause, text)
		}
		if c.remedy >= 0 && !strings.Contains(text, remedy(c.remedy, c.ifi, group.Port())) {
			t.Errorf("%v has no remedy: %s", c.cause, text)
		}
	}
	if err := explain("send to", nil, group, net.ErrClosed); !errors.Is(err, net.ErrClosed) {
		t.Errorf("without an interface: %v", err)
	}
}

func TestRemedies(t *testing.T) {
	eth := &net.Interface{Name: "eth7", Flags: net.FlagUp}
	for system, set := range commands {
		for what, command := range set {
			if command == "" && !(trouble(what) == noMulticast && system != "linux") {
				t.Errorf("%s has no command for trouble %d", system, what)
			}
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	for what, want := range map[trouble]string{
		down:        ": fix it with sudo ip link set eth7 up",
		noMulticast: ": fix it with sudo ip link set eth7 multicast on",
		noAddress:   ": add the one assigned to your team, for example sudo ip address add 172.16.100.10/16 dev eth7",
		portTaken:   ": stop it; this shows which one it is: sudo ss -lunp 'sport = :2005'",
		noRoute:     ": fix it with sudo ip route replace 224.0.0.0/4 dev eth7",
	} {
		if got := remedy(what, eth, 2005); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	lo := &net.Interface{Name: "lo", Flags: net.FlagLoopback}
	if got := remedy(noAddress, lo, 0); got != ": fix it with sudo ip address add 127.0.0.1/8 dev lo" {
		t.Errorf("loopback: %q", got)
	}
}

func TestInterfaceString(t *testing.T) {
	addrs := []netip.Addr{netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("fd00::2")}
	for want, i := range map[string]Interface{
		"eth0 (192.0.2.2)":              {Name: "eth0", Addrs: addrs, Up: true, Multicast: true},
		"wg0 (192.0.2.2, no multicast)": {Name: "wg0", Addrs: addrs, Up: true},
		"wlan0 (down)":                  {Name: "wlan0"},
		"eth1 (no IPv4 address)":        {Name: "eth1", Addrs: addrs[1:], Up: true, Multicast: true},
		"lo (192.0.2.2)":                {Name: "lo", Addrs: addrs, Up: true, Loopback: true},
		"eth2 (down, 192.0.2.2)":        {Name: "eth2", Addrs: addrs, Multicast: true},
	} {
		if got := i.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
