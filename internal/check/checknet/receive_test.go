package checknet_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/check/checknet"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/wiretest"
)

// Receive passes the packets of all sockets on, one at a time, and ends with its context.
func TestReceive(t *testing.T) {
	port := wiretest.FreePorts(t, "udp", 2)
	own := netip.MustParseAddrPort(fmt.Sprintf("127.0.0.1:%d", port))
	group := netip.MustParseAddrPort(fmt.Sprintf("224.16.32.75:%d", port+1))
	cfg := checknet.Config{Groups: []netip.AddrPort{group}, Own: []netip.AddrPort{own}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []string
	listening := func() {
		sender, err := transport.Dial(transport.DefaultConfig(group))
		if err != nil {
			t.Error(err)
			return
		}
		defer sender.Close()
		conn, err := net.Dial("udp", own.String())
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for i := range 3 {
			if err := sender.Send([]byte{byte(i)}); err != nil {
				t.Error(err)
			}
			if _, err := conn.Write([]byte{byte(10 + i)}); err != nil {
				t.Error(err)
			}
		}
	}
	drops, err := checknet.Receive(ctx, cfg, time.Hour, listening, func(p *soccer.Packet) {
		if got = append(got, fmt.Sprint(p.Channel, " ", p.Data)); len(got) == 6 {
			cancel()
		}
	})
	if err != nil || drops != 0 {
		t.Fatalf("got %d drops, %v", drops, err)
	}
	var want []string
	for i := range 3 {
		want = append(want, fmt.Sprint(group, " ", []byte{byte(i)}), fmt.Sprint(own, " ", []byte{byte(10 + i)}))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A port of another program is an error that says so, and the sockets that are open already are closed.
func TestReceiveFromUsedPort(t *testing.T) {
	port := wiretest.FreePorts(t, "udp", 2)
	own := netip.MustParseAddrPort(fmt.Sprintf("127.0.0.1:%d", port))
	used := netip.MustParseAddrPort(fmt.Sprintf("127.0.0.1:%d", port+1))
	other, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(used))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	cfg := checknet.Config{Own: []netip.AddrPort{own, used}}
	fail := func() { t.Error("it listens") }
	if _, err := checknet.Receive(t.Context(), cfg, time.Hour, fail, nil); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("got %v, want that another program uses the port", err)
	}
	again, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(own))
	if err != nil {
		t.Fatalf("the first port is still open: %v", err)
	}
	again.Close()
}
