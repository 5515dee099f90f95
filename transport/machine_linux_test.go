package transport_test

import (
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

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
	if missing := ear.Degraded(); len(missing) > 0 {
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

// A program that sends through the interface that the system chooses, as most do, is received. The test needs a network
// namespace and the interface that its route to groups leads to; ./check creates some, and checks that the test ran.
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
	// The referee listens to teams in the same group, on another port.
	referee, err := net.ListenMulticastUDP("udp4", through, &net.UDPAddr{IP: net.IPv4(224, 5, 23, 2), Port: 10004})
	if err != nil {
		t.Fatal(err)
	}
	defer referee.Close()
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
	if from := p.From.Addr(); string(p.Data) != "kick-off" || from.IsLoopback() { // then it took another route
		t.Errorf("received %q from %s", p.Data, from)
	}
}
