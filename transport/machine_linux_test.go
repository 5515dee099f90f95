package transport_test

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport"
)

// Of the packets to the port through any interface, only those to the group are received.
func TestThisMachineReceivesOneGroup(t *testing.T) {
	cfg := transport.DefaultConfig(netip.MustParseAddrPort("239.255.34.1:0"))
	cfg.ThisMachine = true
	ear, err := transport.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	if missing := ear.Degraded(); len(missing) > 0 && !strings.Contains(missing[0], "cap_net_raw") {
		t.Errorf("missing: %q", missing)
	}
	if err := ear.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	cfg.Group = netip.MustParseAddrPort(ear.Channel())
	other := cfg
	other.Group = netip.AddrPortFrom(netip.MustParseAddr("239.255.34.2"), cfg.Group.Port())
	listen(t, other.Group.String()) // another program joined it
	send(t, dial(t, other), "to others")
	direct, err := net.Dial("udp4", netip.AddrPortFrom(loopback, cfg.Group.Port()).String())
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	if _, err := direct.Write([]byte("to the port")); err != nil {
		t.Fatal(err)
	}
	s := dial(t, cfg)
	send(t, s, "to the group")
	wantPacket(t, ear, "to the group", s.LocalAddr())
}

// A program that sends through the interface that the system chooses, as most do, is received, although nobody joined the
// group there. Without the right to capture, another program must have joined. The test needs a network namespace and
// the interface that its route to groups leads to; ./check creates some, and checks that the test ran.
func TestThisMachine(t *testing.T) {
	name := os.Getenv("TOUCHLINE_ROUTE")
	if name == "" {
		t.Log("not here: stage \"through the system's route\" of ./check runs it")
		return
	}
	group := netip.MustParseAddrPort("224.5.23.2:10003")
	cfg := transport.DefaultConfig(group)
	cfg.ThisMachine = true
	ear, err := transport.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	through, err := net.InterfaceByName(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(ear.Degraded()) > 0 {
		t.Logf("without the right to capture: %q", ear.Degraded())
		// The referee listens to teams in the same group, on another port.
		referee, err := net.ListenMulticastUDP("udp4", through, &net.UDPAddr{IP: net.IPv4(224, 5, 23, 2), Port: 10004})
		if err != nil {
			t.Fatal(err)
		}
		defer referee.Close()
	} else if joined, err := through.MulticastAddrs(); err != nil || through.Flags&net.FlagLoopback == 0 &&
		slices.ContainsFunc(joined, func(a net.Addr) bool { return a.String() == "224.5.23.2" }) {
		t.Errorf("%s has joined %v, %v: nothing may join beyond this machine", name, joined, err)
	}
	conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(group))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("kick-off")); err != nil {
		t.Fatal(err)
	}
	if err := ear.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	p, err := ear.ReadPacket(make([]byte, 100))
	if err != nil {
		t.Fatalf("a local program that sends through %s is not received: %v", name, err)
	}
	if from := p.From; string(p.Data) != "kick-off" || from.Addr().IsLoopback() { // then it took another route
		t.Errorf("received %q from %s", p.Data, from)
	}
}

// Captured packets are those of the socket in contents, sender, time and order, and end with the deadline and Close.
func TestCapturedPackets(t *testing.T) {
	name := os.Getenv("TOUCHLINE_ROUTE")
	if name == "" {
		t.Log("not here: stage \"through the system's route\" of ./check runs it")
		return
	}
	cfg := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:2005"))
	cfg.ThisMachine = true
	ear, err := transport.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	if len(ear.Degraded()) > 0 {
		return // TestThisMachine covers this
	}
	loopback := dial(t, cfg)
	plain, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(cfg.Group))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	buf := make([]byte, 100)
	for i := range 50 {
		before := soccer.Time(time.Now().UnixNano())
		text := "loopback"
		if i%2 == 0 {
			text = "plain"
			if _, err := plain.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		} else {
			send(t, loopback, text)
		}
		if err := ear.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		p, err := ear.ReadPacket(buf)
		if err != nil {
			t.Fatal(err)
		}
		from := loopback.LocalAddr()
		if text == "plain" {
			from = plain.LocalAddr().(*net.UDPAddr).AddrPort()
		}
		if now := soccer.Time(time.Now().UnixNano()); string(p.Data) != text || p.From.Port() != from.Port() ||
			p.Time < before-soccer.Time(time.Millisecond) || p.Time > now {
			t.Fatalf("packet %d: got %q from %s at %v, want %q from %s after %v", i, p.Data, p.From, p.Time, text, from, before)
		}
	}
	if _, err := plain.Write(make([]byte, 200)); err != nil { // it does not fit into buf
		t.Fatal(err)
	}
	if err := ear.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := ear.ReadPacket(buf); !errors.Is(err, os.ErrDeadlineExceeded) || ear.Oversized() != 1 {
		t.Errorf("got %v and %d oversized, want the deadline and 1", err, ear.Oversized())
	}
	if err := ear.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := ear.ReadPacket(buf)
		ended <- err
	}()
	ear.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("after Close: got %v", err)
	}
}
