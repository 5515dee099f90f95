package transport_test

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport"
)

func openSocket(t testing.TB) *transport.Socket {
	t.Helper()
	s, err := transport.OpenSocket(transport.DefaultSocketConfig(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A burst arrives as the datagrams that were sent, in one or several reads.
func TestBurst(t *testing.T) {
	from, to := openSocket(t), openSocket(t)
	for _, n := range []int{1, 2, 1300, 1301, 3*1300 + 7, transport.MaxBurstDatagrams * 900} {
		sent := make([]byte, n)
		for i := range sent {
			sent[i] = byte(i / 13)
		}
		size := min(1300, max(1, n/transport.MaxBurstDatagrams))
		if n < 10_000 {
			size = 1300
		}
		before := soccer.Time(time.Now().UnixNano())
		if err := from.WriteBurst(sent, size, to.LocalAddr()); err != nil {
			t.Fatal(err)
		}
		var received []byte
		buf := make([]byte, transport.MaxDatagram)
		for len(received) < n {
			p, each, err := to.ReadBurst(buf)
			if err != nil {
				t.Fatal(err)
			}
			if each != min(size, len(sent)-len(received)) || p.From != from.LocalAddr() {
				t.Fatalf("%d bytes: datagrams of %d bytes from %s, want %d from %s", n, each, p.From, size, from.LocalAddr())
			}
			const near = soccer.Time(time.Minute)
			if p.Time < before-near || p.Time > soccer.Time(time.Now().UnixNano())+near || p.Channel != to.LocalAddr().String() {
				t.Fatalf("%d bytes: arrived at %d on %s, sent at %d", n, p.Time, p.Channel, before)
			}
			received = append(received, p.Data...)
		}
		if !bytes.Equal(received, sent) {
			t.Fatalf("%d bytes: other bytes arrived than were sent", n)
		}
	}
}

// A program without bursts receives the datagrams one by one, and its own arrive one by one.
func TestBurstToOtherProgram(t *testing.T) {
	s := openSocket(t)
	other, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := s.WriteBurst(bytes.Repeat([]byte("0123456789"), 3), 10, other.LocalAddr().(*net.UDPAddr).AddrPort()); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, transport.MaxDatagram)
	for range 3 {
		n, err := other.Read(buf)
		if err != nil || string(buf[:n]) != "0123456789" {
			t.Fatalf("got %q, %v", buf[:n], err)
		}
	}
	for _, sent := range []string{"a", "", "bcd"} {
		if _, err := other.WriteTo([]byte(sent), net.UDPAddrFromAddrPort(s.LocalAddr())); err != nil {
			t.Fatal(err)
		}
		if p, _, err := s.ReadBurst(buf); err != nil || string(p.Data) != sent {
			t.Errorf("got %q, %v, want %q", p.Data, err, sent)
		}
	}
}

// A socket sends to groups through the interface that has its address: from 127.0.0.1 no packet leaves this machine.
func TestSocketSendsToGroup(t *testing.T) {
	r, cfg := listen(t, "239.255.33.9:0")
	s := openSocket(t)
	if err := s.WriteBurst([]byte("to the group"), 1300, cfg.Group); err != nil {
		t.Fatal(err)
	}
	wantPacket(t, r, "to the group", s.LocalAddr())
}

func TestOpenSocketErrors(t *testing.T) {
	taken := openSocket(t)
	open := func(at string) error {
		s, err := transport.OpenSocket(transport.DefaultSocketConfig(netip.MustParseAddrPort(at)))
		if err == nil {
			s.Close()
		}
		return err
	}
	for at, want := range map[string]string{
		taken.LocalAddr().String(): "another program uses port",
		"192.0.2.77:7300":          "this machine does not have the address; its interfaces are lo",
		"224.0.0.1:7300":           "want an address of this machine",
	} {
		if err := open(at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", at, err, want)
		}
	}
}

func TestSocketIPv6(t *testing.T) {
	s, err := transport.OpenSocket(transport.DefaultSocketConfig(netip.MustParseAddrPort("[::1]:0")))
	if err != nil {
		t.Skip("no IPv6 here: ", err)
	}
	defer s.Close()
	if err := s.WriteBurst([]byte("abc"), 1, s.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, transport.MaxDatagram)
	for got := ""; got != "abc"; {
		p, _, err := s.ReadBurst(buf)
		if err != nil || p.From != s.LocalAddr() {
			t.Fatalf("got %q from %s, %v", p.Data, p.From, err)
		}
		got += string(p.Data)
	}
}

func TestSocketClose(t *testing.T) {
	s := openSocket(t)
	ended := make(chan error, 1)
	go func() {
		_, _, err := s.ReadBurst(make([]byte, transport.MaxDatagram))
		ended <- err
	}()
	s.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want net.ErrClosed", err)
	}
	if err := s.WriteBurst([]byte("x"), 1, netip.MustParseAddrPort("127.0.0.1:9")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want net.ErrClosed", err)
	}
}

func TestBurstAllocates(t *testing.T) {
	from, to := openSocket(t), openSocket(t)
	burst, buf := make([]byte, 40*1300), make([]byte, transport.MaxDatagram)
	at := to.LocalAddr()
	allocs := testing.AllocsPerRun(100, func() {
		if err := from.WriteBurst(burst, 1300, at); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(burst); {
			p, _, err := to.ReadBurst(buf)
			if err != nil {
				t.Fatal(err)
			}
			n += len(p.Data)
		}
	})
	if allocs > 0 {
		t.Errorf("a burst allocates %v times, want 0", allocs)
	}
}

// BenchmarkBurst measures a burst from socket to socket; one op is 40 datagrams of 1,300 bytes.
func BenchmarkBurst(b *testing.B) {
	from, to := openSocket(b), openSocket(b)
	burst, buf := make([]byte, 40*1300), make([]byte, transport.MaxDatagram)
	at := to.LocalAddr()
	b.SetBytes(int64(len(burst)))
	b.ReportAllocs()
	for b.Loop() {
		if err := from.WriteBurst(burst, 1300, at); err != nil {
			b.Fatal(err)
		}
		for n := 0; n < len(burst); {
			p, _, err := to.ReadBurst(buf)
			if err != nil {
				b.Fatal(err)
			}
			n += len(p.Data)
		}
	}
}
