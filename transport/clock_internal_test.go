package transport

import (
	"net/netip"
	"testing"
	"time"

	"touchline/soccer"
)

// The time that a datagram waited is that between two readings of the machine's clock. Setting the clock between them
// moves it by a second at most, and never beyond the read.
func TestWaited(t *testing.T) {
	const read = soccer.Time(1_800_000_000e9)
	for _, c := range []struct {
		name   string
		kernel soccer.Time
		want   time.Duration
	}{
		{"at once", read, 0},
		{"after 30 ms", read - 30e6, 30 * time.Millisecond},
		{"without a kernel's time", 0, 0},
		{"the clock was set back by an hour", read + 3600e9, 0},
		{"the clock was set ahead by an hour", read - 3600e9, time.Second},
	} {
		if got := waited(c.kernel, read); got != c.want {
			t.Errorf("%s: waited %v, want %v", c.name, got, c.want)
		}
	}
}

// Packets keep their order in time when the machine's clock is set: their times come from the monotonic clock, which
// here is an hour behind the machine's, as after a step.
func TestTimesAfterStep(t *testing.T) {
	group := netip.MustParseAddrPort("224.16.32.75:0")
	r, err := Listen(DefaultConfig(group))
	if err != nil {
		t.Skip("no multicast here: ", err)
	}
	defer r.Close()
	r.clock.Start -= 3600e9
	to := netip.AddrPortFrom(group.Addr(), netip.MustParseAddrPort(r.Channel()).Port())
	s, err := Dial(DefaultConfig(to))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	buf := make([]byte, 100)
	last := soccer.Time(0)
	for range 20 {
		before := r.clock.At(time.Now())
		if err := s.Send([]byte("x")); err != nil {
			t.Fatal(err)
		}
		r.SetReadDeadline(time.Now().Add(20 * time.Second))
		p, err := r.ReadPacket(buf)
		if err != nil {
			t.Fatal(err)
		}
		const near = 10 * time.Minute // far from the hour
		if after := r.clock.At(time.Now()); p.Time.Add(near) < before || p.Time > after.Add(near) || p.Time < last {
			t.Fatalf("sent after %d, read before %d, received at %d, the one before at %d", before, after, p.Time, last)
		}
		last = p.Time
	}
}
