package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"touchline/transport"
)

var loopback = netip.MustParseAddr("127.0.0.1")

// listen joins the group, on a free port if it has none, and returns the Config of a sender to it.
func listen(t testing.TB, group string) (*transport.Receiver, transport.Config) {
	t.Helper()
	cfg := transport.DefaultConfig(netip.MustParseAddrPort(group))
	r, err := transport.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	// A lost packet fails this test, not the whole run.
	if err := r.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	cfg.Group = netip.MustParseAddrPort(r.Channel())
	return r, cfg
}

func dial(t testing.TB, cfg transport.Config) *transport.Sender {
	t.Helper()
	s, err := transport.Dial(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func send(t testing.TB, s *transport.Sender, text string) {
	t.Helper()
	if err := s.Send([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func wantPacket(t testing.TB, r *transport.Receiver, text string, from netip.AddrPort) {
	t.Helper()
	p, err := r.ReadPacket(make([]byte, 2048))
	if err != nil {
		t.Fatal(err)
	}
	if string(p.Data) != text || p.From != from || p.Channel != r.Channel() {
		t.Fatalf("read %q from %v on %s, want %q from %v on %s", p.Data, p.From, p.Channel, text, from, r.Channel())
	}
}

func TestProbe(t *testing.T) {
	if err := transport.Probe(t.Context(), ""); err != nil {
		t.Fatalf("these tests need multicast on loopback: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := transport.Probe(ctx, ""); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled probe: %v", err)
	}
	err := transport.Probe(t.Context(), "nosuch0")
	if err == nil || !strings.Contains(err.Error(), `"nosuch0"`) || !strings.Contains(err.Error(), loopback.String()) {
		t.Errorf("the probe of an unknown interface: %v", err)
	}
}

func TestTwoReceiversReceiveEverything(t *testing.T) {
	first, cfg := listen(t, "239.255.32.1:0")
	second, _ := listen(t, cfg.Group.String())
	a, b := dial(t, cfg), dial(t, cfg)
	if a.LocalAddr().Addr() != loopback || a.LocalAddr() == b.LocalAddr() {
		t.Fatalf("the senders are %v and %v", a.LocalAddr(), b.LocalAddr())
	}
	for i := range 50 {
		text := fmt.Sprint("packet ", i)
		send(t, a, text)
		send(t, b, text)
		for _, r := range []*transport.Receiver{first, second} {
			wantPacket(t, r, text, a.LocalAddr())
			wantPacket(t, r, text, b.LocalAddr())
		}
	}
	if first.Drops() != 0 || first.Oversized() != 0 {
		t.Errorf("%d drops, %d oversized", first.Drops(), first.Oversized())
	}
}

func TestLengths(t *testing.T) {
	r, cfg := listen(t, "239.255.32.2:0")
	s := dial(t, cfg)
	send(t, s, "")
	wantPacket(t, r, "", s.LocalAddr())

	longest := bytes.Repeat([]byte{7}, transport.MaxDatagram)
	if err := s.Send(longest); err != nil {
		t.Fatal(err)
	}
	if p, err := r.ReadPacket(make([]byte, transport.MaxDatagram)); err != nil || !bytes.Equal(p.Data, longest) {
		t.Errorf("the longest datagram arrives with %d bytes, %v", len(p.Data), err)
	}
	if err := s.Send(make([]byte, transport.MaxDatagram+1)); err == nil || !strings.Contains(err.Error(), "65507") {
		t.Errorf("a datagram that is too long: %v, want an error that names 65507", err)
	}
	send(t, s, strings.Repeat("x", 11))
	send(t, s, strings.Repeat("y", 10))
	buf := make([]byte, 10)
	p, err := r.ReadPacket(buf)
	if err != nil || string(p.Data) != "yyyyyyyyyy" || &p.Data[0] != &buf[0] || r.Oversized() != 1 {
		t.Errorf("after an oversized datagram: %q, %v, %d oversized", p.Data, err, r.Oversized())
	}
}

func TestDeadlineAndClose(t *testing.T) {
	r, _ := listen(t, "239.255.32.3:0")
	r.SetReadDeadline(time.Now())
	if _, err := r.ReadPacket(make([]byte, 10)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
	r.SetReadDeadline(time.Time{})
	ended := make(chan error)
	go func() {
		_, err := r.ReadPacket(make([]byte, 10))
		ended <- err
	}()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestErrorsNameCauseAndRemedy(t *testing.T) {
	group := netip.MustParseAddrPort("239.255.32.4:20050")
	for _, c := range []struct {
		name   string
		change func(*transport.Config)
		dial   bool // Dial returns the same error
		want   []string
	}{
		{"unicast", func(c *transport.Config) { c.Group = netip.MustParseAddrPort("192.0.2.1:2005") }, true,
			[]string{"192.0.2.1", "224.0.0.0-239.255.255.255"}},
		{"no group", func(c *transport.Config) { c.Group = netip.AddrPort{} }, true, []string{"224.0.0.0-239.255.255.255"}},
		{"IPv6", func(c *transport.Config) { c.Group = netip.MustParseAddrPort("[ff02::1]:2005") }, true,
			[]string{"ff02::1", "IPv4"}},
		{"TTL", func(c *transport.Config) { c.TTL = 256 }, true, []string{"TTL 256", "0 to 255"}},
		{"buffer", func(c *transport.Config) { c.ReadBuffer = -1 }, true, []string{"-1 bytes"}},
		{"interface", func(c *transport.Config) { c.Interface = "nosuch0" }, true,
			[]string{`"nosuch0"`, "choose one of", "(127.0.0.1)"}},
	} {
		cfg := transport.DefaultConfig(group)
		c.change(&cfg)
		_, err := transport.Listen(cfg)
		_, dialErr := transport.Dial(cfg)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got error %v, want %q", c.name, err, want)
			}
		}
		if fmt.Sprint(dialErr) != fmt.Sprint(err) {
			t.Errorf("%s: Dial returns %v, Listen %v", c.name, dialErr, err)
		}
	}
	if _, err := transport.Dial(transport.DefaultConfig(netip.AddrPortFrom(group.Addr(), 0))); err == nil ||
		!strings.Contains(err.Error(), "1 to 65535") {
		t.Errorf("Dial to port 0: %v", err)
	}
}

func TestPortInUse(t *testing.T) {
	other, err := net.ListenUDP("udp4", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	port := other.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	_, err = transport.Listen(transport.DefaultConfig(netip.AddrPortFrom(netip.MustParseAddr("239.255.32.5"), port)))
	want := fmt.Sprintf("another program uses port %d and does not share it: stop it", port)
	if !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), want) {
		t.Errorf("a port in use: %v", err)
	}
}

func TestInterfaces(t *testing.T) {
	all, err := transport.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if i.Loopback && i.Up && len(i.Addrs) > 0 && i.Addrs[0] == loopback {
			if want := i.Name + " (127.0.0.1)"; i.String() != want {
				t.Errorf("%q, want %q", i, want)
			}
			return
		}
	}
	t.Errorf("no loopback interface in %v", all)
}

// plainConn hides that it is a *net.UDPConn.
type plainConn struct{ net.PacketConn }

func TestReceiverOfAnyConn(t *testing.T) {
	open := func() net.PacketConn {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return plainConn{conn}
	}
	in, out := open(), open()
	r := transport.NewReceiver(in, "somewhere")
	s := transport.NewSender(out, in.LocalAddr().(*net.UDPAddr).AddrPort())
	before := time.Now().UnixNano()
	send(t, s, "hello")
	p, err := r.ReadPacket(make([]byte, 100))
	if err != nil || string(p.Data) != "hello" || p.From != s.LocalAddr() || p.Channel != "somewhere" ||
		int64(p.Time) < before {
		t.Errorf("%+v, %v", p, err)
	}
	s.Close()
	if err := s.Send(nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Send after Close: %v", err)
	}
}

func BenchmarkReadPacket(b *testing.B) {
	r, cfg := listen(b, "239.255.32.6:0")
	s := dial(b, cfg)
	r.SetReadDeadline(time.Time{})
	out, in := make([]byte, 169), make([]byte, 2048)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Send(out); err != nil {
			b.Fatal(err)
		}
		if _, err := r.ReadPacket(in); err != nil {
			b.Fatal(err)
		}
	}
}
