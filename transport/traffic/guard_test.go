package traffic_test

import (
	"net/netip"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
)

func port(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(n))
}

// A sender that floods with 10,000 packets a second costs the other senders no packet.
func TestGuardKeepsRateOfOthers(t *testing.T) {
	g := traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
	const seconds, flood, senders, rate = 10, 10_000, 5, 30
	passed := map[netip.AddrPort]int{}
	for tick := range seconds * flood {
		now := soccer.Epoch.Add(time.Duration(tick) * time.Second / flood)
		if g.Allow(port(1), now) {
			passed[port(1)]++
		}
		if tick%(flood/rate) == 0 {
			for s := range senders {
				if !g.Allow(port(100+s), now) {
					t.Fatalf("a packet of sender %d is refused at %v", s, now.Sub(soccer.Epoch))
				}
			}
		}
	}
	const most = seconds*traffic.GuardRate + traffic.GuardBurst
	if n := passed[port(1)]; n < most-1 || n > most {
		t.Errorf("%d packets of the flood pass, want %d", n, most)
	}
	if want := uint64(seconds*flood - passed[port(1)]); g.Refused() != want {
		t.Errorf("%d refused, want %d", g.Refused(), want)
	}
}

func burst(g *traffic.Guard, from netip.AddrPort, now soccer.Time) (n int) {
	for n < 1000 && g.Allow(from, now) {
		n++
	}
	return n
}

func TestGuardBurst(t *testing.T) {
	g := traffic.NewGuard(200, 50)
	now := soccer.Epoch
	if n := burst(g, port(1), now); n != 50 {
		t.Errorf("%d at once, want 50", n)
	}
	if n := burst(g, port(1), now.Add(100*time.Millisecond)); n != 20 { // 200 a second
		t.Errorf("%d after 100 ms, want 20", n)
	}
	if n := burst(g, port(1), now.Add(time.Hour)); n != 50 {
		t.Errorf("%d after an hour, want 50", n)
	}
	if n := burst(traffic.NewGuard(0, -1), port(1), now); n != 1 {
		t.Errorf("the smallest Guard passes %d packets at once, want 1", n)
	}
}

// Setting the machine's clock back neither adds tokens to a bucket nor removes any.
func TestGuardClockSetBack(t *testing.T) {
	for _, back := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 900 * time.Millisecond, 5 * time.Second,
		time.Hour} {
		g := traffic.NewGuard(60, 60)
		now, passed := soccer.Epoch, 0
		for i := range 200 { // two normal senders and a flood
			if i == 100 {
				now = now.Add(-back)
			}
			for p := range 2 {
				if !g.Allow(port(1+p), now) {
					t.Errorf("back by %v: packet %d of sender %d is refused", back, i, p)
				}
			}
			passed += burst(g, port(9), now)
			now = now.Add(time.Second / 30)
		}
		const most = 60 + 200*60/30
		if passed > most || passed < most-5 {
			t.Errorf("back by %v: %d packets of the flood pass, want %d", back, passed, most)
		}
	}
}

// A 30 Hz sender whose packets arrive in bursts after Wi-Fi stalls loses none.
func TestGuardPassesBurstsAfterStalls(t *testing.T) {
	g := traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
	for second := 0; second < 60; second += 2 {
		for range 60 {
			if !g.Allow(port(1), soccer.Epoch.Add(time.Duration(second)*time.Second)) {
				t.Fatalf("a packet is refused at %d s", second)
			}
		}
	}
}

func TestGuardReplacesLongestIdleSource(t *testing.T) {
	g := traffic.NewGuard(200, 50)
	now := soccer.Epoch
	for i := range 256 {
		burst(g, port(1+i), now.Add(time.Duration(i)*time.Microsecond))
	}
	now = now.Add(time.Millisecond)
	if g.Allow(port(1), now) {
		t.Fatal("the first source was replaced although there was room")
	}
	g.Allow(port(1000), now) // replaces the first source
	if g.Allow(port(2), now) {
		t.Error("the second source was replaced instead of the first")
	}
	if n := burst(g, port(1), now); n != 50 { // replaces the new source, whose bucket is nearly full
		t.Errorf("the first source, replaced, may send %d at once, want 50", n)
	}
	if g.Allow(port(2), now) {
		t.Error("the second source was replaced instead of the idle one")
	}
}

func TestGuardDoesNotAllocate(t *testing.T) {
	g := traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
	n := 0
	if allocs := testing.AllocsPerRun(2000, func() {
		n++
		g.Allow(port(n%1000), soccer.Epoch)
	}); allocs != 0 {
		t.Errorf("%v allocations a packet", allocs)
	}
}

func BenchmarkGuard(b *testing.B) {
	for name, sources := range map[string]int{"6 senders": 6, "new sender each time": 10_000} {
		b.Run(name, func(b *testing.B) {
			g := traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				g.Allow(port(n%sources), soccer.Epoch.Add(time.Duration(n)*time.Millisecond))
			}
		})
	}
}
