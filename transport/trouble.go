package transport

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Sentences of Degraded.
const (
	noOtherGroups     = "packets of other groups on the same port are received too"
	noOtherInterfaces = "packets to the port through other interfaces are received too"
	noOtherSenders    = "packets of programs that send through another interface of this machine may not be received"
	noKernelTime      = "no receive times from the kernel: packets are timestamped after the read"
	noDropCount       = "packets that the system drops are not counted"
)

// trouble is a problem that the user can fix with a command.
type trouble int

const (
	down trouble = iota
	noMulticast
	noAddress
	portTaken
	noRoute
	firewall
)

// commands fix each trouble by system. {if} is the interface, {addr} an address for it with the length of its network,
// {port} the group's port, {exe} this program. The BSDs use those of macOS.
var commands = map[string][6]string{
	"linux": {
		down:        "sudo ip link set {if} up",
		noMulticast: "sudo ip link set {if} multicast on",
		noAddress:   "sudo ip address add {addr} dev {if}",
		portTaken:   "sudo ss -lunp 'sport = :{port}'",
		noRoute:     "sudo ip route replace 224.0.0.0/4 dev {if}",
		firewall: "sudo iptables -I OUTPUT -o {if} -d 224.0.0.0/4 -j ACCEPT && " +
			"sudo iptables -I INPUT -i {if} -d 224.0.0.0/4 -j ACCEPT",
	},
	"darwin": {
		down:      "sudo ifconfig {if} up",
		noAddress: "sudo ifconfig {if} inet {addr} alias",
		portTaken: "sudo lsof -nP -iUDP:{port}",
		noRoute:   "sudo route -n add -net 224.0.0.0/4 -interface {if}",
		firewall: "sudo /usr/libexec/ApplicationFirewall/socketfilterfw --add '{exe}' && " +
			"sudo /usr/libexec/ApplicationFirewall/socketfilterfw --unblockapp '{exe}'",
	},
	"windows": {
		down:      `netsh interface set interface name="{if}" admin=enabled`,
		noAddress: `netsh interface ipv4 add address name="{if}" address={addr}`,
		portTaken: `netstat -ano -p UDP | findstr :{port}`,
		noRoute:   `netsh interface ipv4 add route prefix=224.0.0.0/4 interface="{if}"`,
		firewall:  `netsh advfirewall firewall add rule name="touchline" dir=in action=allow protocol=UDP program="{exe}"`,
	},
}

// remedy returns the end of a sentence: how to fix t.
func remedy(t trouble, ifi *net.Interface, port uint16) string {
	set, ok := commands[runtime.GOOS]
	if !ok {
		set = commands["darwin"]
	}
	exe, err := os.Executable()
	if err != nil {
		exe = "touchline"
	}
	addr, verb := "172.16.100.10/16", ": fix it with "
	switch {
	case ifi.Flags&net.FlagLoopback != 0:
		addr = "127.0.0.1/8"
	case t == noAddress:
		verb = ": add the one assigned to your team, for example "
	}
	if t == portTaken {
		verb = ": stop it; this shows which one it is: "
	}
	if set[t] == "" {
		return ": choose another interface"
	}
	replace := strings.NewReplacer("{if}", ifi.Name, "{addr}", addr, "{port}", strconv.Itoa(int(port)), "{exe}", exe)
	return verb + replace.Replace(set[t])
}

// Error numbers of Windows that package syscall does not map to the names of Unix.
const (
	wsaeAccess       = syscall.Errno(10013)
	wsaeMsgSize      = syscall.Errno(10040)
	wsaeAddrInUse    = syscall.Errno(10048)
	wsaeAddrNotAvail = syscall.Errno(10049)
	wsaeNetUnreach   = syscall.Errno(10051)
	wsaeHostUnreach  = syscall.Errno(10065)
)

func is(err error, causes ...syscall.Errno) bool {
	e, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains(causes, e)
}

// explain adds cause and remedy to err. ifi is nil without a real interface.
func explain(doing string, ifi *net.Interface, group netip.AddrPort, err error) error {
	if ifi == nil {
		return fmt.Errorf("transport: cannot %s %s: %w", doing, group, err)
	}
	why := ""
	switch {
	case is(err, syscall.EADDRINUSE, wsaeAddrInUse):
		port := group.Port()
		why = fmt.Sprintf("another program uses port %d and does not share it", port) + remedy(portTaken, ifi, port)
	case is(err, syscall.EADDRNOTAVAIL, wsaeAddrNotAvail):
		why = "the interface lost its address" + remedy(noAddress, ifi, 0)
	case is(err, syscall.ENODEV, syscall.ENXIO):
		why = "the interface is gone: reconnect it, or choose another"
	case is(err, syscall.ENETUNREACH, syscall.EHOSTUNREACH, wsaeNetUnreach, wsaeHostUnreach):
		why = "no route leads to the group" + remedy(noRoute, ifi, 0)
	case doing == "listen on" && is(err, syscall.EACCES, wsaeAccess):
		why = fmt.Sprintf("port %d is reserved by the system: choose one from 1024", group.Port())
	case is(err, syscall.EPERM, syscall.EACCES, wsaeAccess):
		why = "a firewall forbids it" + remedy(firewall, ifi, 0)
	default:
		return fmt.Errorf("transport: cannot %s %s on %s: %w", doing, group, ifi.Name, err)
	}
	return fmt.Errorf("transport: cannot %s %s on %s: %s (%w)", doing, group, ifi.Name, why, err)
}
