package doctor_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/doctor"
)

// healthy returns the facts of a machine with a cable, on which nothing is wrong.
func healthy() *doctor.Facts {
	return &doctor.Facts{
		System: "linux", Group: netip.MustParseAddrPort("224.16.32.75:2005"),
		Interface: doctor.Interface{Name: "eth0", Up: true, Running: true, MTU: 1500,
			Prefixes: []netip.Prefix{netip.MustParsePrefix("172.16.1.2/16")}},
		Others: []doctor.Interface{
			{Name: "lo", Up: true, Loopback: true, MTU: 65536, Prefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/8")}},
			{Name: "tun0", Up: true, PointToPoint: true, MTU: 1420,
				Prefixes: []netip.Prefix{netip.MustParsePrefix("10.8.0.2/24")}},
		},
		Route: doctor.OK, RouteSource: netip.MustParseAddr("172.16.1.2"), Gateway: netip.MustParseAddr("172.16.0.1"),
		Join: doctor.OK, SelfGroup: doctor.OK, SelfOther: doctor.OK, Full: doctor.OK, Bind: doctor.OK,
		MaxMemberships: 20, RPFilter: 2, FragmentBytes: 4 << 20, Kernel: true,
	}
}

// paired returns them together with a peer whose streams all arrive.
func paired() *doctor.Facts {
	f := healthy()
	f.Peer = &doctor.Peer{Host: "172.16.1.3", Addr: netip.MustParseAddrPort("172.16.1.3:28111"), Answered: true,
		RTT: time.Millisecond}
	for _, s := range doctor.Streams {
		f.Peer.Streams = append(f.Peer.Streams, doctor.StreamResult{Kind: s.Kind, Size: s.Size, Sent: 50, PeerGot: 50,
			Got: 50,
			TTL: 64, PeerTTL: 64})
	}
	return f
}

// set changes the streams of a kind.
func set(f *doctor.Facts, kind doctor.Kind, change func(*doctor.StreamResult)) {
	for i := range f.Peer.Streams {
		if s := &f.Peer.Streams[i]; s.Kind == kind {
			change(s)
		}
	}
}

func TestHealthy(t *testing.T) {
	for _, f := range []*doctor.Facts{healthy(), paired()} {
		if found := doctor.Diagnose(f); found == nil || len(found) > 0 {
			t.Errorf("%+v", found)
		}
	}
}

// Faults that the namespaces of doctortest cannot build, or only with root.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		cause, fix string
		change     func(*doctor.Facts)
	}{
		{"interface-down", "sudo ip link set dev eth0 up", func(f *doctor.Facts) { f.Interface.Up = false }},
		{"no-route", "sudo ip route replace 224.0.0.0/4 dev eth0", func(f *doctor.Facts) { f.Route = doctor.Unreachable }},
		{"vpn-route", "sudo ip route replace 224.0.0.0/4 dev eth0", func(f *doctor.Facts) {
			f.RouteSource = netip.MustParseAddr("10.8.0.2")
		}},
		{"wsl-nat", "wsl --shutdown", func(f *doctor.Facts) { f.WSL = true }},
		{"firewall-in", "sudo ufw allow in on eth0 proto udp to any port 2005", func(f *doctor.Facts) {
			f.SelfGroup, f.Firewall = doctor.Lost, "ufw"
		}},
		{"firewall-in", "sudo firewall-cmd --add-port=2005/udp", func(f *doctor.Facts) {
			f.SelfGroup, f.Firewall = doctor.Lost, "firewalld"
		}},
		{"firewall-in", "sudo iptables -I INPUT -i eth0 -p udp --dport 2005 -j ACCEPT", func(f *doctor.Facts) {
			f.SelfGroup = doctor.Lost
		}},
		{"firewall-in", "netsh advfirewall firewall add rule", func(f *doctor.Facts) {
			f.SelfGroup, f.System = doctor.Lost,
				"windows"
		}},
		{"port-taken", "sudo ss -lunp 'sport = :2005'", func(f *doctor.Facts) {
			f.Bind, f.Join, f.SelfGroup = doctor.InUse, "", ""
			f.Sockets = []doctor.PortSocket{{Local: netip.MustParseAddrPort("0.0.0.0:2005")}}
		}},
		{"port-shared", "kill 8", func(f *doctor.Facts) {
			at := netip.MustParseAddrPort("0.0.0.0:2005")
			f.Bind = doctor.InUse
			f.Sockets = []doctor.PortSocket{{Local: at, PID: 8, Started: 2}, {Local: at, PID: 9, Started: 1}}
		}},
		{"container-nat", "docker run --network host", func(f *doctor.Facts) {
			f.Container, f.Gateway = "Docker", netip.MustParseAddr("172.17.0.1")
			f.Interface.Prefixes[0] = netip.MustParsePrefix("172.17.0.2/16")
			f.RouteSource = netip.MustParseAddr("172.17.0.2")
		}},
		{"no-carrier", "", func(f *doctor.Facts) { f.Interface.Running = false }},
		{"duplicate-address", "", func(f *doctor.Facts) {
			f.Claims = []doctor.Claim{{netip.MustParseAddr("172.16.1.3"), []string{"02:00:00:00:00:01", "02:00:00:00:00:02"}}}
		}},
		{"duplicate-robot", "", func(f *doctor.Facts) {
			f.Heard.Robots = []doctor.Robot{{39, 2, netip.MustParseAddr("172.16.1.5")}, {39, 2,
				netip.MustParseAddr("172.16.1.6")}}
		}},
	} {
		f := healthy()
		c.change(f)
		found := doctor.Diagnose(f)
		if len(found) != 1 || found[0].Cause != c.cause || !strings.Contains(found[0].Fix, c.fix) {
			t.Errorf("want %s with %q, got %+v", c.cause, c.fix, found)
		}
	}
}

func TestCausesOfPairs(t *testing.T) {
	for _, c := range []struct {
		cause  string
		change func(*doctor.Facts)
	}{
		{"clock-offset", func(f *doctor.Facts) { f.Peer.Offset = -time.Second }},
		{"duplicates", func(f *doctor.Facts) { set(f, doctor.Unicast, func(s *doctor.StreamResult) { s.PeerTwice = 50 }) }},
		{"loss", func(f *doctor.Facts) {
			set(f, doctor.MulticastTo, func(s *doctor.StreamResult) { s.PeerGot, s.Got = 30, 30 })
		}},
		{"multicast-blocked", func(f *doctor.Facts) {
			set(f, doctor.MulticastTo, func(s *doctor.StreamResult) { s.PeerGot, s.Got = 0, 0 })
		}},
		{"multicast-blocked", func(f *doctor.Facts) {
			set(f, doctor.MulticastFrom,
				func(s *doctor.StreamResult) { s.Got = 0 })
		}},
		{"snooping", func(f *doctor.Facts) {
			f.Peer.Snooping = doctor.Snooping{Ran: 3 * time.Minute, LastMulticast: 2 * time.Minute, LastUnicast: 3 * time.Minute,
				Multicast: 600, Unicast: 900}
		}},
		{"fragments-dropped", func(f *doctor.Facts) {
			for i := range f.Peer.Streams {
				if s := &f.Peer.Streams[i]; s.Size == 3717 {
					s.PeerGot, s.Got = 0, 0
				}
			}
		}},
	} {
		f := paired()
		c.change(f)
		if found := doctor.Diagnose(f); len(found) != 1 || found[0].Cause != c.cause {
			t.Errorf("want %s, got %+v", c.cause, found)
		}
	}
}

const routeTable = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n" +
	"eth0\t00000000\t010010AC\t0003\t0\t0\t100\t00000000\t0\t0\t0\n" +
	"tun0\t00000080\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0\n" +
	"eth0\tzz\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0\n"

const socketTable = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n" +
	" 1234: 00000000:07D5 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4711 2 0000000000000000 17\n" +
	" 1235: 0100007F:07D6 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4712 2 0000000000000000 0\n"

const neighborTable = "IP address       HW type     Flags       HW address            Mask     Device\n" +
	"172.16.0.1       0x1         0x2         02:00:00:00:00:01     *        eth0\n" +
	"172.16.1.3       0x1         0x0         00:00:00:00:00:00     *        eth0\n"

func TestTables(t *testing.T) {
	routes := doctor.ParseRoutes(routeTable)
	want := []doctor.Route{
		{"eth0", netip.MustParsePrefix("0.0.0.0/0"), netip.MustParseAddr("172.16.0.1"), 100},
		{"tun0", netip.MustParsePrefix("128.0.0.0/1"), netip.MustParseAddr("0.0.0.0"), 0},
	}
	if !slices.Equal(routes, want) {
		t.Errorf("routes %v, want %v", routes, want)
	}
	if s := doctor.ParseUDP(socketTable, 2005); len(s) != 1 || s[0].Inode != 4711 || s[0].Drops != 17 ||
		s[0].Local.String() != "0.0.0.0:2005" {
		t.Errorf("sockets %+v", s)
	}
	for addr, want := range map[string]doctor.Neighbor{"172.16.0.1": doctor.Resolved, "172.16.1.3": doctor.Unresolved,
		"172.16.1.4": ""} {
		if got := doctor.ParseNeighbor(neighborTable, netip.MustParseAddr(addr), "eth0"); got != want {
			t.Errorf("%s is %q, want %q", addr, got, want)
		}
	}
	counters := "TcpExt: SyncookiesSent IPReversePathFilter\nTcpExt: 1 20\nIpExt: InNoRoutes\nIpExt: 3\n"
	if n := doctor.ParseCounter(counters, "TcpExt", "IPReversePathFilter"); n != 20 {
		t.Errorf("counter %d", n)
	}
	rules := `{"nftables":[{"metainfo":{}},{"chain":{"family":"ip","table":"t","name":"in","hook":"input","policy":"accept"}},
		{"rule":{"family":"ip","table":"t","chain":"in","expr":[{"match":{}},{"drop":null}]}},
		{"chain":{"family":"ip","table":"t","name":"out","hook":"output","policy":"drop"}},
		{"chain":{"family":"ip","table":"t","name":"nat","hook":"postrouting","policy":"accept"}}]}`
	chains := doctor.ParseChains([]byte(rules))
	if !slices.Equal(chains, []doctor.Chain{{"ip", "t", "in", "input"}, {"ip", "t", "out", "output"}}) {
		t.Errorf("chains %v", chains)
	}
}

func FuzzTables(f *testing.F) {
	f.Add(routeTable)
	f.Add(socketTable)
	f.Add(neighborTable)
	f.Fuzz(func(_ *testing.T, text string) {
		doctor.ParseRoutes(text)
		doctor.ParseUDP(text, 2005)
		doctor.ParseNeighbor(text, netip.MustParseAddr("172.16.0.1"), "eth0")
		doctor.ParseCounter(text, "Udp", "RcvbufErrors")
		doctor.HasWireless(text, "wlan0")
		doctor.ParseChains([]byte(text))
	})
}
