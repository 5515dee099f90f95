package transport_test

import (
	"net/netip"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport"
)

func port(n int) netip.AddrPort { return netip.AddrPortFrom(loopback, uint16(n)) }

// One sender's 10,000 packets a second do not cost the others one of theirs.
func TestGuardKeepsTheOthersRate(t *testing.T) {
	g := transport.NewGuard(transport.GuardRate, transport.GuardBurst)
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
					t.Fatalf("sender %d is refused at %v", s, now.Sub(soccer.Epoch))
				}
			}
		}
	}
	const most = seconds*transport.GuardRate + transport.GuardBurst
	if n := passed[port(1)]; n < most-1 || n > most {
		t.Errorf("%d packets of the flood pass, want %d", n, most)
	}
	if want := uint64(seconds*flood - passed[port(1)]); g.Refused() != want {
		t.Errorf("%d refused, want %d", g.Refused(), want)
	}
}

func burst(g *transport.Guard, from netip.AddrPort, now soccer.Time) (n int) {
	for n < 1000 && g.Allow(from, now) {
		n++
	}
	return n
}

func TestGuardBurst(t *testing.T) {
	g := transport.NewGuard(200, 50)
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
	if n := burst(transport.NewGuard(0, -1), port(1), now); n != 1 {
		t.Errorf("the least Guard passes %d", n)
	}
}

// This machine's clock is set back: a bucket neither loses nor gains by it.
func TestGuardClockSetBack(t *testing.T) {
	for _, back := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 900 * time.Millisecond, 5 * time.Second, time.Hour} {
		g := transport.NewGuard(60, 60)
		now, passed := soccer.Epoch, 0
		for i := range 200 { // two lawful senders and a flood
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

// A 30 Hz sender whose packets a Wi-Fi stall holds up loses none when they come at once, again and again.
func TestGuardLetsAStallPass(t *testing.T) {
	g := transport.NewGuard(transport.GuardRate, transport.GuardBurst)
	for second := 0; second < 60; second += 2 {
		for range 60 {
			if !g.Allow(port(1), soccer.Epoch.Add(time.Duration(second)*time.Second)) {
				t.Fatalf("a packet is refused at %d s", second)
			}
		}
	}
}

func TestGuardForgetsTheOldestIdleSource(t *testing.T) {
	g := transport.NewGuard(200, 50)
	now := soccer.Epoch
	for i := range 256 {
		burst(g, port(1+i), now.Add(time.Duration(i)*time.Microsecond))
	}
	now = now.Add(time.Millisecond)
	if g.Allow(port(1), now) {
		t.Fatal("the first source is forgotten though there was room")
	}
	g.Allow(port(1000), now) // takes the place of the first
	if g.Allow(port(2), now) {
		t.Error("the second source is forgotten instead of the first")
	}
	if n := burst(g, port(1), now); n != 50 { // and the first that of the new one, whose bucket is nearly full
		t.Errorf("the first source, forgotten, may send %d, want 50", n)
	}
	if g.Allow(port(2), now) {
		t.Error("the second source is forgotten instead of the idle one")
	}
}

func TestGuardAllocatesNothing(t *testing.T) {
	g := transport.NewGuard(transport.GuardRate, transport.GuardBurst)
	n := 0
	if allocs := testing.AllocsPerRun(2000, func() {
		n++
		g.Allow(port(n%1000), soccer.Epoch)
	}); allocs != 0 {
		t.Errorf("%v allocations a packet", allocs)
	}
}

func BenchmarkGuard(b *testing.B) {
	for name, sources := range map[string]int{"6 senders": 6, "always a new sender": 10_000} {
		b.Run(name, func(b *testing.B) {
			g := transport.NewGuard(transport.GuardRate, transport.GuardBurst)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				g.Allow(port(n%sources), soccer.Epoch.Add(time.Duration(n)*time.Millisecond))
			}
		})
	}
}
