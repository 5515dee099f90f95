package doctor

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Limits between chance and fault.
const (
	manyLost    = 0.1                   // of a stream of 30 datagrams
	manyTwice   = 0.1                   // of a stream
	offsetLimit = 50 * time.Millisecond // between two clocks: half the period of a robot that sends at 10 Hz
	fewPackets  = 3                     // of a counter that must stand still
	leastBuffer = 256 << 10             // bytes for fragments
	ethernet    = 1500                  // bytes, the MTU of Ethernet
	silence     = 5                     // as a part of the test of snooping: 1/5 of its time without multicast is a fault
)

// rule looks for one fault.
type rule func(*Facts) *Finding

// rules stand in the order of causes: the fault of a row explains those below it.
var rules = []rule{
	down, noCarrier, noAddress, memberships, portTaken, twoCards, firewallOut, firewallIn, wrongRoute, noRoute, subsystem,
	container, reversePath,
	isolated, peerSilent, reuse, fragments, smallMTU, snooping, hops, oneWayMulticast, loss, duplicates, buffers, twins,
	clocks,
}

// Diagnose returns the faults that facts show. The first is the first cause.
func Diagnose(f *Facts) []Finding {
	found := []Finding{}
	for _, r := range rules {
		finding := r(f)
		if finding == nil {
			continue
		}
		found = append(found, *finding)
		if cause := finding.Cause; cause == "interface-down" || cause == "no-carrier" || cause == "no-address" {
			break // everything else follows from it
		}
	}
	return found
}

// command returns a command line of this machine that changes the system.
func (f *Facts) command(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if f.Root {
		return text
	}
	return "sudo " + strings.ReplaceAll(text, " && ", " && sudo ")
}

// commands returns commands that run one after another.
func (f *Facts) commands(all []string) string { return f.command("%s", strings.Join(all, " && ")) }

// here is where to run a command of this machine.
const here = "on this machine"

func down(f *Facts) *Finding {
	if f.Interface.Up {
		return nil
	}
	return &Finding{
		Cause: "interface-down", Seen: fmt.Sprintf("interface %s is down", f.Interface.Name),
		Means: "it can neither send nor receive", Where: here,
		Fix: f.bySystem("ip link set dev {if} up", "ifconfig {if} up",
			`netsh interface set interface name="{if}" admin=enabled`),
	}
}

// bySystem returns the command of this system. {if} is the interface.
func (f *Facts) bySystem(linux, mac, windows string) string {
	text := map[string]string{"linux": linux, "windows": windows}[f.System]
	if text == "" {
		text = mac
	}
	text = strings.ReplaceAll(text, "{if}", f.Interface.Name)
	if f.System == "windows" {
		return text
	}
	return f.command("%s", text)
}

func noCarrier(f *Facts) *Finding {
	if f.Interface.Running || f.Interface.tunnel() {
		return nil
	}
	return &Finding{
		Cause: "no-carrier", Seen: fmt.Sprintf("interface %s is up but has no link", f.Interface.Name),
		Means: "the cable is unplugged or broken, the switch is off, or Wi-Fi is not connected",
		Where: "plug the cable in, or join the Wi-Fi network",
	}
}

// twoCards finds an address that two network cards answer for.
func twoCards(f *Facts) *Finding {
	for _, c := range f.Claims {
		if len(c.Cards) < 2 {
			continue
		}
		return &Finding{
			Cause: "duplicate-address", Seen: fmt.Sprintf("%s answer ARP for %v", strings.Join(c.Cards, " and "), c.Addr),
			Means: "two machines have the same address: packets to it reach one or the other, and their packets look like those of one robot",
			Where: "find both network cards, and give one machine another address",
		}
	}
	return nil
}

func noAddress(f *Facts) *Finding {
	if f.Interface.IPv4().IsValid() {
		return nil
	}
	return &Finding{
		Cause: "no-address", Seen: fmt.Sprintf("interface %s has no IPv4 address", f.Interface.Name),
		Means: fmt.Sprintf("the group %v is an IPv4 group: without an IPv4 address this machine can neither send to it nor receive from it",
			f.Group.Addr()),
		Fix: f.bySystem("ip address add 172.16.100.10/16 dev {if}", "ifconfig {if} inet 172.16.100.10/16 alias",
			`netsh interface ipv4 add address name="{if}" address=172.16.100.10/16`),
		Where: here + "; use the address assigned to your team",
	}
}

func memberships(f *Facts) *Finding {
	if f.Join != NoBuffers {
		return nil
	}
	return &Finding{
		Cause: "memberships",
		Seen:  fmt.Sprintf("joining %v fails: net.ipv4.igmp_max_memberships is %d", f.Group.Addr(), f.MaxMemberships),
		Means: "programs cannot join the group, so they receive no multicast",
		Fix:   f.command("sysctl -w net.ipv4.igmp_max_memberships=20"), Where: here,
	}
}

// owners lists programs with their numbers.
func owners(sockets []PortSocket) string {
	var names []string
	for _, s := range sockets {
		if s.PID != 0 {
			names = append(names, fmt.Sprintf("%s (process %d)", s.Program, s.PID))
		}
	}
	if len(names) == 0 {
		return "a program that belongs to another user"
	}
	return strings.Join(names, " and ")
}

// stop returns the command that ends the owner of a socket, or shows it.
func (f *Facts) stop(s PortSocket) (fix, where string) {
	if s.PID != 0 {
		return fmt.Sprintf("kill %d", s.PID), here +
			", if you do not need that program; otherwise let it share the port (SO_REUSEADDR)"
	}
	return f.bySystem(fmt.Sprintf("ss -lunp 'sport = :%d'", f.Group.Port()), fmt.Sprintf("lsof -nP -iUDP:%d",
		f.Group.Port()),
		fmt.Sprintf("netstat -ano -p UDP | findstr :%d", f.Group.Port())), here + "; it shows which program to stop"
}

func portTaken(f *Facts) *Finding {
	if f.Bind != InUse || f.spread() {
		return nil
	}
	var owner PortSocket
	if len(f.Sockets) > 0 {
		owner = f.Sockets[0]
	}
	fix, where := f.stop(owner)
	return &Finding{
		Cause: "port-taken",
		Seen:  fmt.Sprintf("UDP port %d is in use by %s, which does not share it", f.Group.Port(), owners(f.Sockets)),
		Means: "no other program on this machine can receive on this port", Fix: fix, Where: where,
	}
}

// allow returns the command that lets datagrams of the group's port through the firewall.
func (f *Facts) allow(hook string) (fix, where string) {
	name, port := f.Interface.Name, f.Group.Port()
	direction, flag := "in", "iifname"
	if hook == "output" {
		direction, flag = "out", "oifname"
	}
	switch {
	case f.System == "windows":
		return fmt.Sprintf(`netsh advfirewall firewall add rule name="touchline" dir=%s action=allow protocol=UDP localport=%d`,
			direction, port), here + ", as administrator"
	case f.System != "linux":
		return f.command("pfctl -d"), here + ", only as a test: it turns the packet filter off"
	case f.Firewall == "ufw":
		return f.command("ufw allow %s on %s proto udp to any port %d", direction, name, port), here
	case f.Firewall == "firewalld" && hook == "input":
		return f.command("firewall-cmd --add-port=%d/udp", port), here
	}
	var commands []string
	for _, c := range f.Chains {
		if (c.Hook == "output") == (hook == "output") {
			commands = append(commands, fmt.Sprintf("nft insert rule %s %s %s %s %s udp dport %d accept", c.Family, c.Table,
				c.Name,
				flag, name, port))
		}
	}
	if commands != nil {
		return f.commands(commands), here
	}
	chain, option := "INPUT", "-i"
	if hook == "output" {
		chain, option = "OUTPUT", "-o"
	}
	where = here
	if !f.Root {
		where += "; as root, doctor can read the rules and name the chain"
	}
	return f.command("iptables -I %s %s %s -p udp --dport %d -j ACCEPT", chain, option, name, port), where
}

func firewallOut(f *Facts) *Finding {
	if f.SelfGroup != Refused {
		return nil
	}
	fix, where := f.allow("output")
	return &Finding{
		Cause: "firewall-out", Seen: fmt.Sprintf("the system refuses to send to %v (EPERM)", f.Group),
		Means: "a firewall on this machine drops packets that its programs send to the group", Fix: fix, Where: where,
	}
}

func firewallIn(f *Facts) *Finding {
	if f.SelfGroup != Lost {
		return nil
	}
	seen := fmt.Sprintf("a datagram from this machine to %v on %s did not come back, but one to another port of the group did",
		f.Group, f.Interface.Name)
	if f.SelfOther != OK {
		seen = fmt.Sprintf("datagrams from this machine to %v on %s did not come back on any port", f.Group.Addr(),
			f.Interface.Name)
	}
	fix, where := f.allow("input")
	return &Finding{
		Cause: "firewall-in", Seen: seen,
		Means: "a firewall on this machine drops incoming packets to the group, including those from other machines", Fix: fix,
		Where: where,
	}
}

// groupRoute is the command that sends the groups through the interface.
func (f *Facts) groupRoute() string {
	return f.bySystem("ip route replace 224.0.0.0/4 dev {if}", "route -n add -net 224.0.0.0/4 -interface {if}",
		`netsh interface ipv4 add route prefix=224.0.0.0/4 interface="{if}"`)
}

// halves reports whether two routes to halves of the Internet lead through an interface, as VPNs set them.
func (f *Facts) halves(name string) bool {
	for _, r := range f.Routes {
		if r.Interface == name && r.To == netip.MustParsePrefix("128.0.0.0/1") {
			return true
		}
	}
	return false
}

func wrongRoute(f *Facts) *Finding {
	if f.Interface.Loopback || f.Route != OK || f.Interface.has(f.RouteSource) {
		return nil
	}
	other := f.interfaceWith(f.RouteSource)
	if other == nil {
		return nil
	}
	x := Finding{
		Cause: "wrong-interface",
		Seen: fmt.Sprintf("the system's route to %v leads through %s (%v), not through %s (%v)", f.Group.Addr(), other.Name,
			f.RouteSource, f.Interface.Name, f.Interface.IPv4().Addr()),
		Means: "programs that do not name an interface send on " + other.Name +
			", where no robot listens; name the right interface in each program " +
			"(touchline: --interface " + f.Interface.Name + ", others: IP_MULTICAST_IF), or change the route",
		Fix: f.groupRoute(), Where: here,
	}
	if other.tunnel() {
		x.Cause = "vpn-route"
		what := "a VPN has taken the default route"
		if f.halves(other.Name) {
			what = "a VPN has taken the routes to all addresses (0.0.0.0/1 and 128.0.0.0/1)"
		}
		x.Means = what + ": " + x.Means + ", or turn on split tunnelling in the VPN"
	}
	return &x
}

func noRoute(f *Facts) *Finding {
	if f.Interface.Loopback || f.Route == OK || f.Route == Untried {
		return nil
	}
	return &Finding{
		Cause: "no-route", Seen: fmt.Sprintf("the system has no route to %v (%s)", f.Group.Addr(), f.Route),
		Means: "programs that do not name an interface cannot send to the group (\"network is unreachable\")", Fix: f.groupRoute(),
		Where: here,
	}
}

func subsystem(f *Facts) *Finding {
	const private = "172.16.0.0/12" // of WSL's network address translation
	if !f.WSL || f.Interface.Loopback || !netip.MustParsePrefix(private).Contains(f.Interface.IPv4().Addr()) ||
		f.Heard.Packets > 0 {
		return nil
	}
	return &Finding{
		Cause: "wsl-nat",
		Seen: fmt.Sprintf("this is WSL (Linux on Windows) behind NAT, with address %v on %s", f.Interface.IPv4().Addr(),
			f.Interface.Name),
		Means: "multicast from other machines stops at Windows and never arrives here",
		Fix:   `Add-Content "$env:USERPROFILE\.wslconfig" "[wsl2]` + "`n" + `networkingMode=mirrored"; wsl --shutdown`,
		Where: "in PowerShell on Windows 11 22H2 or newer",
	}
}

// translated are the networks that Docker and Podman give to containers.
var translated = []netip.Prefix{netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("10.88.0.0/16")}

func container(f *Facts) *Finding {
	p := f.Interface.IPv4()
	inside := slices.ContainsFunc(translated, func(t netip.Prefix) bool { return t.Contains(p.Addr()) })
	if f.Container == "" || !inside || f.Interface.Loopback || f.Heard.Packets > 0 ||
		!f.Gateway.IsValid() || f.Gateway != p.Masked().Addr().Next() {
		return nil
	}
	return &Finding{
		Cause: "container-nat",
		Seen: fmt.Sprintf("this program runs in a container (%s) behind NAT, with address %v and gateway %v", f.Container,
			p.Addr(),
			f.Gateway),
		Means: "multicast does not cross NAT: the container receives nothing from the robots, and they receive nothing from it",
		Fix:   "docker run --network host", Where: "where you start the container: add this option to the command",
	}
}

func reversePath(f *Facts) *Finding {
	if f.Risen.ReversePath < fewPackets || f.RPFilter == 0 {
		return nil
	}
	fix := f.command("sysctl -w net.ipv4.conf.%s.rp_filter=2", f.Interface.Name)
	if f.RPFilter == 2 || !slices.ContainsFunc(f.Routes, func(r Route) bool { return r.To.Bits() == 0 }) {
		fix = f.command("sysctl -w net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.%s.rp_filter=0", f.Interface.Name)
	}
	return &Finding{
		Cause: "rp-filter",
		Seen: fmt.Sprintf("the kernel dropped %d packets because the route back to their sender uses another interface (IPReversePathFilter; "+
			"rp_filter is %d)", f.Risen.ReversePath, f.RPFilter),
		Means: "packets from senders that this machine does not reach through " + f.Interface.Name +
			" are dropped without an error",
		Fix: fix, Where: here,
	}
}

// spread reports whether two sockets have the same address. If the port cannot be shared as ports of groups are, they
// share it with SO_REUSEPORT.
func (f *Facts) spread() bool {
	for i, a := range f.Sockets {
		if slices.ContainsFunc(f.Sockets[:i], func(b PortSocket) bool { return a.Local == b.Local }) {
			return true
		}
	}
	return false
}

func reuse(f *Facts) *Finding {
	if f.Bind != InUse || !f.spread() {
		return nil
	}
	last := slices.MaxFunc(f.Sockets, func(a, b PortSocket) int { return int(int64(a.Started) - int64(b.Started)) })
	fix, where := f.stop(last)
	return &Finding{
		Cause: "port-shared",
		Seen: fmt.Sprintf("%d sockets share UDP port %d with SO_REUSEPORT: %s", len(f.Sockets), f.Group.Port(),
			owners(f.Sockets)),
		Means: "the system delivers each unicast sender to only one of them: the other programs miss its packets", Fix: fix, Where: where,
	}
}

func smallMTU(f *Facts) *Finding {
	if f.full() || f.Interface.tunnel() {
		return nil
	}
	return &Finding{
		Cause: "small-mtu",
		Seen: fmt.Sprintf("a datagram of 1,472 bytes does not fit in one packet on %s: its MTU is %d bytes", f.Interface.Name,
			f.Interface.MTU),
		Means: "datagrams are split into fragments; if one fragment is lost, the datagram is lost",
		Fix: f.bySystem("ip link set dev {if} mtu 1500", "ifconfig {if} mtu 1500",
			`netsh interface ipv4 set subinterface "{if}" mtu=1500`),
		Where: here,
	}
}

// full reports whether a full Ethernet frame fits the interface.
func (f *Facts) full() bool {
	return f.Full != TooLong && (f.Interface.MTU == 0 || f.Interface.MTU >= ethernet)
}

func buffers(f *Facts) *Finding {
	if f.Risen.Buffer < fewPackets {
		return nil
	}
	var losers []PortSocket
	for _, s := range f.Sockets {
		if s.Drops > 0 {
			losers = append(losers, s)
		}
	}
	return &Finding{
		Cause: "buffer",
		Seen: fmt.Sprintf("%d datagrams were dropped at a full receive buffer while doctor listened; on port %d by %s",
			f.Risen.Buffer, f.Group.Port(), owners(losers)),
		Means: "the program reads too slowly, or its buffer is too small for a burst",
		Fix:   f.command("sysctl -w net.core.rmem_max=8388608 net.core.rmem_default=8388608"),
		Where: here + "; then restart the program",
	}
}

func twins(f *Facts) *Finding {
	for i, a := range f.Heard.Robots {
		for _, b := range f.Heard.Robots[:i] {
			if a.Team != b.Team || a.ID != b.ID || a.From == b.From {
				continue
			}
			return &Finding{
				Cause: "duplicate-robot",
				Seen:  fmt.Sprintf("two machines, %v and %v, send as robot %d of team %d", b.From, a.From, a.ID, a.Team),
				Means: "teammates see one robot that jumps between two positions",
				Where: fmt.Sprintf("on %v or %v: give its robot another number", b.From, a.From),
			}
		}
	}
	return nil
}

// Notes returns what facts show besides faults.
func Notes(f *Facts) []string {
	notes := []string{}
	if f.Interface.Loopback {
		for _, i := range f.Others {
			if i.Up && i.IPv4().IsValid() {
				notes = append(notes,
					fmt.Sprintf("only loopback was tested; to test the network, run: touchline doctor --interface %s", i.Name))
				break
			}
		}
	}
	if f.Join == OK && f.Heard.Packets == 0 && !f.Interface.Loopback {
		notes = append(notes, fmt.Sprintf("no other machine sent to %v while doctor listened", f.Group))
	}
	if n := f.Heard.Packets; n > 0 {
		notes = append(notes, fmt.Sprintf("%d packets from other machines arrived while doctor listened", n))
	}
	return notes
}
