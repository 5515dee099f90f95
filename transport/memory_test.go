package transport_test

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
)

var (
	group      = netip.MustParseAddrPort("224.16.32.75:2005")
	otherGroup = netip.MustParseAddrPort("224.16.32.39:2005")
)

var _ net.PacketConn = (*transport.MemoryConn)(nil)

func memory(t testing.TB, link traffic.Link, seed uint64) *transport.Memory {
	t.Helper()
	n, err := transport.NewMemory(link, seed)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func open(t testing.TB, n *transport.Memory, group netip.AddrPort) (*transport.Receiver, *transport.Sender,
	*transport.MemoryConn) {
	t.Helper()
	c, err := n.Listen(group)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if group == (netip.AddrPort{}) {
		return nil, nil, c
	}
	return transport.NewReceiver(c, group.String()), transport.NewSender(c, group), c
}

// near checks that got lies within five standard deviations of want.
func near(t *testing.T, what string, got, want, deviation float64) {
	t.Helper()
	if math.Abs(got-want) > 5*deviation {
		t.Errorf("%s is %.4f, want %.4f +- %.4f", what, got, want, 5*deviation)
	}
}

// A Memory refuses a link that Validate refuses.
func TestMemoryRefusesLink(t *testing.T) {
	if _, err := transport.NewMemory(traffic.Link{Loss: 2}, 1); err == nil || !strings.Contains(err.Error(), "loss 2") {
		t.Errorf("NewMemory of a loss of 2: %v, want an error that names the loss", err)
	}
}

// drain returns the packets that arrive within a minute.
func drain(t testing.TB, r *transport.Receiver) (all []soccer.Packet) {
	t.Helper()
	r.SetReadDeadline(time.Now().Add(time.Minute))
	for {
		p, err := r.ReadPacket(make([]byte, 2048))
		if errors.Is(err, os.ErrDeadlineExceeded) {
			r.SetReadDeadline(time.Time{})
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func texts(all []soccer.Packet) (list []string) {
	for _, p := range all {
		list = append(list, string(p.Data))
	}
	return list
}

func TestMemoryIsMulticast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := memory(t, traffic.Link{}, 1)
		first, sender, conn := open(t, n, group)
		second, _, _ := open(t, n, group)
		other, otherSender, _ := open(t, n, otherGroup)
		_, _, outside := open(t, n, netip.AddrPort{})

		send(t, sender, "to all")
		send(t, otherSender, "to the others")
		transport.NewSender(outside, group).Send([]byte("from outside"))
		transport.NewSender(outside, sender.LocalAddr()).Send([]byte("to one"))
		out := outside.LocalAddr().(*net.UDPAddr).AddrPort()
		wantPacket(t, first, "to all", sender.LocalAddr())
		wantPacket(t, first, "from outside", out)
		wantPacket(t, first, "to one", out)
		wantPacket(t, second, "to all", sender.LocalAddr())
		wantPacket(t, second, "from outside", out)
		wantPacket(t, other, "to the others", otherSender.LocalAddr())
		for _, r := range []*transport.Receiver{first, second, other} {
			if rest := drain(t, r); len(rest) > 0 {
				t.Errorf("%s also receives %q", r.Channel(), texts(rest))
			}
		}
		if a := sender.LocalAddr(); a.Addr() != loopback || a == otherSender.LocalAddr() || a == out ||
			conn.LocalAddr().Network() != "udp" {
			t.Errorf("addresses: %v, %v, %v", a, otherSender.LocalAddr(), out)
		}
	})
}

func TestMemoryDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 20 * time.Millisecond
		n := memory(t, traffic.Link{Delay: delay}, 1)
		_, s, _ := open(t, n, group)
		r, _, _ := open(t, n, group)
		start := time.Now()
		var want []string
		for i := range 100 { // all at the same time
			want = append(want, fmt.Sprint(i))
			send(t, s, want[i])
		}
		p, err := r.ReadPacket(make([]byte, 10))
		if err != nil || time.Since(start) != delay || p.Time != soccer.Time(start.Add(delay).UnixNano()) {
			t.Errorf("read %v after sending, time %v: %v", time.Since(start), p.Time, err)
		}
		if got := texts(append([]soccer.Packet{p}, drain(t, r)...)); !slices.Equal(got, want) {
			t.Errorf("order: %q", got)
		}
		// A packet's time is its arrival, not the time of the read.
		send(t, s, "late reader")
		sent := time.Now()
		time.Sleep(time.Second) // virtual
		if p, err := r.ReadPacket(make([]byte, 20)); err != nil || p.Time != soccer.Time(sent.Add(delay).UnixNano()) {
			t.Errorf("time %v, want %v: %v", p.Time, sent.Add(delay), err)
		}
	})
}

func TestMemoryImpairs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const packets, period = 3000, 33 * time.Millisecond
		link := traffic.Link{Loss: 0.3, Burst: 2, Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond, Duplicate: 0.1,
			Reorder: 0.1}
		run := func(seed uint64) (ways [3][]string) {
			n := memory(t, link, seed)
			own, s, _ := open(t, n, group)
			a, _, _ := open(t, n, group)
			b, _, _ := open(t, n, group)
			var wg sync.WaitGroup
			for i, r := range []*transport.Receiver{own, a, b} {
				wg.Go(func() {
					got := drain(t, r)
					ways[i] = texts(got)
					if !slices.IsSortedFunc(got, func(p, q soccer.Packet) int { return int(p.Time - q.Time) }) {
						t.Error("packets are not read in the order of their times")
					}
				})
			}
			for i := range packets / 2 { // drain lasts a minute
				send(t, s, fmt.Sprintf("%05d", i))
				time.Sleep(period) // virtual
			}
			wg.Wait()
			return ways
		}
		ways := run(1)
		if len(ways[0]) != packets/2 || !slices.IsSorted(ways[0]) {
			t.Errorf("a conn's link to itself is impaired: %d packets", len(ways[0]))
		}
		for _, got := range ways[1:] {
			kinds := slices.Compact(slices.Sorted(slices.Values(got)))
			near(t, "the loss", 1-float64(len(kinds))/(packets/2), link.Loss, math.Sqrt(0.21*2/(packets/2)))
			near(t, "the share of duplicates", float64(len(got))/float64(len(kinds))-1, link.Duplicate,
				math.Sqrt(0.09/float64(len(kinds))))
			if slices.IsSorted(got) {
				t.Error("no packet is out of order")
			}
		}
		if slices.Equal(ways[1], ways[2]) {
			t.Error("two receivers lose the same packets")
		}
		again, other := run(1), run(2)
		for i := range ways {
			if !slices.Equal(ways[i], again[i]) {
				t.Errorf("the same seed gives receiver %d different packets", i)
			}
		}
		if slices.Equal(ways[1], other[1]) {
			t.Error("another seed gives the same packets")
		}
	})
}

func TestMemoryDeadlinesAndClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := memory(t, traffic.Link{}, 1)
		r, s, c := open(t, n, group)
		start := time.Now()
		read := func() error { _, err := r.ReadPacket(make([]byte, 10)); return err }
		c.SetDeadline(start.Add(time.Second))
		var timeout net.Error
		if err := read(); !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() ||
			time.Since(start) != time.Second {
			t.Errorf("read after %v: %v", time.Since(start), err)
		}
		if err := s.Send(nil); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("write after the deadline: %v", err)
		}
		c.SetDeadline(time.Time{})

		ended := make(chan error)
		wait := func() {
			go func() { ended <- read() }()
			synctest.Wait()
		}
		wait()
		c.SetReadDeadline(time.Now()) // ends a read that waits already
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("waiting read: %v", err)
		}
		c.SetReadDeadline(time.Now().Add(time.Hour))
		wait()
		c.SetReadDeadline(time.Time{})
		time.Sleep(2 * time.Hour) // virtual
		send(t, s, "alive")
		if err := <-ended; err != nil {
			t.Errorf("a cleared deadline: %v", err)
		}
		wait()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{"read": <-ended, "read later": read(), "write": s.Send(nil),
			"close": c.Close(), "deadline": c.SetDeadline(start)} {
			if !errors.Is(err, net.ErrClosed) {
				t.Errorf("%s after Close: %v", what, err)
			}
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := memory(t, traffic.Link{Delay: time.Second}, 1)
		_, s, _ := open(t, n, group)
		r, _, _ := open(t, n, group)
		const sent, length = 5000, 169
		for range sent {
			send(t, s, strings.Repeat("x", length))
		}
		got := len(drain(t, r))
		if want := (1 << 20) / (length + 512); got != want || r.Drops() != uint64(sent-got) {
			t.Errorf("%d read, want %d, %d drops", got, want, r.Drops())
		}
		send(t, s, strings.Repeat("x", 11))
		send(t, s, "short")
		r.SetReadDeadline(time.Time{})
		if p, err := r.ReadPacket(make([]byte, 10)); err != nil || string(p.Data) != "short" || r.Oversized() != 1 {
			t.Errorf("after an oversized datagram: %q, %v, %d oversized", p.Data, err, r.Oversized())
		}
	})
}

func TestMemoryRefuses(t *testing.T) {
	n := memory(t, traffic.Link{}, 1)
	if _, err := n.Listen(netip.MustParseAddrPort("192.0.2.1:2005")); err == nil ||
		!strings.Contains(err.Error(), "224.0.0.0-239.255.255.255") {
		t.Errorf("not a multicast group: %v", err)
	}
	_, _, c := open(t, n, group)
	if _, err := c.WriteTo(make([]byte, transport.MaxDatagram+1), net.UDPAddrFromAddrPort(group)); err == nil ||
		!strings.Contains(err.Error(), "65507") {
		t.Errorf("a datagram that is too long: %v", err)
	}
	if _, err := c.WriteTo(nil, &net.IPAddr{}); err == nil {
		t.Error("an address without a port is accepted")
	}
	used := map[string]bool{c.LocalAddr().String(): true}
	for range 4095 {
		_, _, c := open(t, n, netip.AddrPort{})
		used[c.LocalAddr().String()] = true
	}
	if len(used) != 4096 {
		t.Errorf("%d addresses for 4096 conns", len(used))
	}
	if _, err := n.Listen(group); err == nil || !strings.Contains(err.Error(), "close some") {
		t.Errorf("too many conns: %v", err)
	}
	n = memory(t, traffic.Link{}, 1)
	_, _, c = open(t, n, group)
	for range 20_000 { // the ports wrap around
		o, err := n.Listen(group)
		if err != nil || o.LocalAddr().String() == c.LocalAddr().String() {
			t.Fatalf("%v has two conns: %v", c.LocalAddr(), err)
		}
		o.Close()
	}
}

// Several robots send and receive concurrently, for the race detector.
func TestMemoryConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const robots, packets = 6, 50
		n := memory(t, traffic.Link{Delay: time.Millisecond, Jitter: time.Millisecond}, 1)
		var wg sync.WaitGroup
		for i := range robots {
			r, s, _ := open(t, n, group)
			wg.Go(func() {
				if got := len(drain(t, r)); got != robots*packets {
					t.Errorf("robot %d receives %d packets, want %d", i, got, robots*packets)
				}
			})
			wg.Go(func() {
				time.Sleep(time.Millisecond) // virtual: until all robots listen
				for range packets {
					send(t, s, "hello")
					time.Sleep(33 * time.Millisecond) // virtual
				}
			})
		}
		wg.Wait()
	})
}

func BenchmarkMemory(b *testing.B) {
	n := memory(b, traffic.Link{}, 1)
	r, _, _ := open(b, n, group)
	_, _, c := open(b, n, netip.AddrPort{})
	s := transport.NewSender(c, group)
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
