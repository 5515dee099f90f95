package transport_test

import (
	"net/netip"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport"
)

// A socket is bound to a port, not to a group: without IP_MULTICAST_ALL=0 it receives each group that any program
// joined on its interface.
func TestNoCrosstalkBetweenGroupsOnOnePort(t *testing.T) {
	first, cfg := listen(t, "239.255.33.1:0")
	other := cfg
	other.Group = netip.AddrPortFrom(netip.MustParseAddr("239.255.33.2"), cfg.Group.Port())
	second, _ := listen(t, other.Group.String())
	toFirst, toSecond := dial(t, cfg), dial(t, other)
	for range 5 {
		send(t, toFirst, "first")
		send(t, toSecond, "second")
	}
	for range 5 {
		wantPacket(t, first, "first", toFirst.LocalAddr())
		wantPacket(t, second, "second", toSecond.LocalAddr())
	}
}

func TestKernelTime(t *testing.T) {
	r, cfg := listen(t, "239.255.33.3:0")
	if missing := r.Degraded(); len(missing) > 0 {
		t.Errorf("missing: %q", missing)
	}
	s := dial(t, cfg)
	buf := make([]byte, 100)
	// The kernel starts to report receive times shortly after a socket asks for them.
	for range 10_000 {
		before := soccer.Time(time.Now().UnixNano())
		send(t, s, "when?")
		sent := soccer.Time(time.Now().UnixNano())
		p, err := r.ReadPacket(buf)
		if err != nil {
			t.Fatal(err)
		}
		if read := soccer.Time(time.Now().UnixNano()); p.Time < before || p.Time > read {
			t.Fatalf("sent after %d, read before %d, received at %d", before, read, p.Time)
		}
		if p.Time <= sent {
			return // it arrived before the read started: the time is the kernel's
		}
	}
	t.Error("no packet has a time before the read")
}

func TestDropsAreCounted(t *testing.T) {
	cfg := transport.DefaultConfig(netip.MustParseAddrPort("239.255.33.4:0"))
	cfg.ReadBuffer = 1 // the kernel grants its minimum, about 2 kB
	r, err := transport.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.SetReadDeadline(time.Now().Add(20 * time.Second))
	cfg.Group = netip.MustParseAddrPort(r.Channel())
	s := dial(t, cfg)

	const flood = 200
	for range flood {
		send(t, s, "flood")
	}
	buf := make([]byte, 100)
	got := uint64(0)
	for last := false; !last; got++ {
		p, err := r.ReadPacket(buf)
		if err != nil {
			t.Fatal(err)
		}
		if last = string(p.Data) == "last"; !last {
			if got == 0 { // there is room for one more
				send(t, s, "last")
			}
		}
	}
	if r.Drops() == 0 || got+r.Drops() != flood+1 {
		t.Errorf("%d sent, %d read, %d drops", flood+1, got, r.Drops())
	}
}

func TestReadPacketDoesNotAllocate(t *testing.T) {
	r, cfg := listen(t, "239.255.33.5:0")
	s := dial(t, cfg)
	out, in := make([]byte, 169), make([]byte, 2048)
	allocs := testing.AllocsPerRun(200, func() {
		if err := s.Send(out); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadPacket(in); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a packet", allocs)
	}
}
