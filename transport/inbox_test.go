package transport_test

import (
	"context"
	"net/netip"
	"testing"

	"touchline/transport"
	"touchline/transport/traffic"
)

// A source that floods does not keep the datagrams of the others out of the inbox.
func TestInboxLimitsFlood(t *testing.T) {
	memory, err := transport.NewMemory(traffic.Link{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	group := netip.MustParseAddrPort("224.16.32.75:2005")
	listen := func() *transport.MemoryConn {
		c, err := memory.Listen(group)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	own, flooder, robot := listen(), listen(), listen()
	ctx, cancel := context.WithCancel(t.Context())
	inbox, done := transport.NewInbox(), make(chan error, 1)
	guard := traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
	go func() { done <- inbox.Receive(ctx, 3, transport.NewReceiver(own, "memory"), guard) }()
	flood, one := transport.NewSender(flooder, group), transport.NewSender(robot, group)
	for range 1000 {
		if err := flood.Send(make([]byte, 5000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.Send([]byte("robot")); err != nil {
		t.Fatal(err)
	}
	floods := 0
	for a := range inbox.C {
		if a.To != 3 {
			t.Fatalf("a datagram to %d, want 3", a.To)
		}
		if string(a.Packet.Data) == "robot" {
			inbox.Release(a)
			break
		}
		if a.Packet.FullSize() != 5000 || len(a.Packet.Data) != 2048 {
			t.Fatalf("the inbox holds %d bytes of %d, want 2048 of 5000", len(a.Packet.Data), a.Packet.FullSize())
		}
		floods++
		inbox.Release(a)
	}
	if floods > 2*traffic.GuardBurst {
		t.Errorf("%d of 1000 packets of a flood passed, want a burst of %d", floods, traffic.GuardBurst)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Receive: %v", err)
	}
}
