package transport_test

import (
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"touchline/transport"
)

// TestThisMachine hears a program that sends through the system's default interface, as most do. It wants a network of its
// own with an interface eth0 that the default route leads to, which ./check gives it.
func TestThisMachine(t *testing.T) {
	if os.Getenv("TOUCHLINE_ETH0") == "" {
		t.Skip("./check runs this in a network of its own")
	}
	group := netip.MustParseAddrPort("224.5.23.2:10003")
	cfg := transport.DefaultConfig(group)
	cfg.ThisMachine = true
	ear, err := transport.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	eth0, err := net.InterfaceByName("eth0")
	if err != nil {
		t.Fatal(err)
	}
	// The referee listens to teams in the same group, on another port.
	referee, err := net.ListenMulticastUDP("udp4", eth0, &net.UDPAddr{IP: net.IPv4(224, 5, 23, 2), Port: 10004})
	if err != nil {
		t.Fatal(err)
	}
	defer referee.Close()
	conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(group))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if conn.LocalAddr().(*net.UDPAddr).IP.IsLoopback() {
		t.Fatal("the default route does not lead to eth0")
	}
	if _, err := conn.Write([]byte("kick-off")); err != nil {
		t.Fatal(err)
	}
	if err := ear.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	p, err := ear.ReadPacket(make([]byte, 100))
	if err != nil {
		t.Fatalf("what a local program sends through eth0 is not heard: %v", err)
	}
	if string(p.Data) != "kick-off" || p.From.Addr().IsLoopback() {
		t.Errorf("heard %q from %s", p.Data, p.From)
	}
}
