package watch_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
)

// alarmed returns the half seconds in which an alarm with this word was on.
func alarmed(word string, robots ...robot) (on []int) {
	w := watch.New(watch.DefaultConfig())
	play(w, 12*time.Second, func(now soccer.Time, n watch.Network) {
		if slices.ContainsFunc(n.Alarms, func(a string) bool { return strings.Contains(a, word) }) {
			on = append(on, int(now.Sub(at(0))/(500*time.Millisecond)))
		}
	}, robots...)
	return on
}

// span returns the half seconds from a to b.
func span(a, b int) (s []int) {
	for ; a <= b; a++ {
		s = append(s, a)
	}
	return s
}

func TestNumberClash(t *testing.T) {
	const sec = time.Second
	three := robot{"10.0.0.3:1", soccer.Cyan, 3, 20, 0, time.Hour, nil}
	v1 := func(i int, b []byte) []byte {
		b = append([]byte(nil), b[:96]...)
		copy(b, unhex("7b 03 d2043cf66e00f4014ef30000e5"+strings.Repeat(strings.Repeat("0080", 6)+"00",
			2)+strings.Repeat("0080008000", 10)+"48f42be4e5"))
		return b
	}
	for _, c := range []struct {
		name  string
		other robot
		want  []int
	}{
		{"two laptops", robot{"10.0.0.9:1", soccer.Cyan, 3, 10, 2 * sec, 6 * sec, nil}, span(5, 17)},
		{"one that stutters does not flicker", robot{"10.0.0.9:1", soccer.Cyan, 3, 10, 2 * sec, 6 * sec,
			func(i int, b []byte) []byte {
				if i%20 >= 6 {
					return nil // 600 ms on, 1400 ms off
				}
				return b
			}}, span(5, 15)},
		{"the other team's 3", robot{"10.0.0.9:1", soccer.Magenta, 3, 10, 2 * sec, 6 * sec, nil}, nil},
		{"another number", robot{"10.0.0.9:1", soccer.Cyan, 4, 10, 2 * sec, 6 * sec, nil}, nil},
		{"a few last packets", robot{"10.0.0.9:1", soccer.Cyan, 3, 10, 2 * sec, 2300 * time.Millisecond, nil}, nil},
	} {
		if got := alarmed("use number 3", three, c.other); !slices.Equal(got, c.want) {
			t.Errorf("%s: alarm at %v, want %v (half seconds)", c.name, got, c.want)
		}
	}
	three.to = 4 * sec
	if got := alarmed("use number", three, robot{"10.0.0.3:2", soccer.Cyan, 3, 20, 4*sec + 30*time.Millisecond, time.Hour,
		nil}); got != nil {
		t.Errorf("restarted on a new port: alarm at %v, want none", got)
	}
	three.to, three.send = time.Hour, v1
	if got := alarmed("use number 3", three, robot{"10.0.0.9:1", 0, 0, 10, 2 * sec, 6 * sec, v1}); !slices.Equal(got,
		span(5, 17)) {
		t.Errorf("two v1 senders: alarm at %v", got)
	}
}

func TestClockJumpAlarm(t *testing.T) {
	jump := func(i int, b []byte) []byte {
		if i >= 30 { // 1.5 s, reported a second later
			copy(b[2:], []byte{0, 0, 1, 0}) // 65536 ms and more
			b[2], b[3] = byte(i*50), byte(i*50>>8)
		}
		return b
	}
	got := alarmed("clock of robot 1 (cyan, 10.0.0.1:1) jumped by +65.5 s",
		robot{"10.0.0.1:1", soccer.Cyan, 1, 20, 0, time.Hour, jump})
	if want := span(5, 22); !slices.Equal(got, want) {
		t.Errorf("alarm at %v, want %v", got, want)
	}
	// Half-time: back to 0.
	part := func(i int, b []byte) []byte {
		ms := 800000 + i*50
		if i >= 30 {
			ms = (i - 30) * 50
		}
		b[2], b[3], b[4], b[5] = byte(ms), byte(ms>>8), byte(ms>>16), 0
		return b
	}
	if got := alarmed("clock", robot{"10.0.0.1:1", soccer.Cyan, 1, 20, 0, time.Hour, part}); got != nil {
		t.Errorf("a new part: alarm at %v, want none", got)
	}
}

func TestOwnClockSetBack(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	receive := func(now time.Duration, ms int) {
		w.Receive(&soccer.Packet{Time: at(now), From: addr("10.0.0.1:1"), Data: pack(soccer.Cyan, 1, uint32(ms))})
	}
	for i := range 200 {
		receive(time.Hour+time.Duration(i)*50*time.Millisecond, i*50)
	}
	for i := range 200 {
		receive(time.Duration(i)*50*time.Millisecond, 10000+i*50)
	}
	if r := row(t, w.Report(at(10*time.Second), 0), "10.0.0.1:1/cyan/1"); r.Rate < 18 || r.Rate > 22 || r.Packets != 400 {
		t.Errorf("got %+v", r)
	}
}

func TestBudgetHysteresis(t *testing.T) {
	cfg := watch.DefaultConfig()
	cfg.Budget = 100 * (169 + 42) * 8 // 100 packets a second
	w := watch.New(cfg)
	now, ms := time.Duration(0), uint32(0)
	for _, c := range []struct {
		rate int // packets a second, for three seconds
		want bool
	}{{90, false}, {99, false}, {110, true}, {95, true}, {92, true}, {85, false}, {95, false}, {120, true}, {0, false}} {
		for end := now + 3*time.Second; now < end; now += 5 * time.Millisecond {
			if step := int(now / (5 * time.Millisecond)); step*c.rate/200 != (step+1)*c.rate/200 {
				ms++
				w.Receive(&soccer.Packet{Time: at(now), From: addr("10.0.0.1:1"), Data: pack(soccer.Cyan, 1, ms)})
			}
		}
		n := w.Report(at(now), 0)
		if alarm := slices.ContainsFunc(n.Alarms, func(a string) bool {
			return strings.Contains(a,
				"Mbit/s on the air")
		}); n.OverBudget != c.want || alarm != c.want {
			t.Errorf("at %d packets a second: over %v, alarms %q, want %v", c.rate, n.OverBudget, n.Alarms, c.want)
		}
	}
}

func TestDropsAlarm(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	for _, c := range []struct {
		at    time.Duration
		drops uint64
		want  int
	}{{0, 0, 0}, {time.Second, 12, 1}, {5 * time.Second, 12, 1}, {12 * time.Second, 12, 0}, {13 * time.Second, 13, 1}} {
		if n := w.Report(at(c.at), c.drops); len(n.Alarms) != c.want || n.Drops != c.drops {
			t.Errorf("at %v with %d drops: %q", c.at, c.drops, n.Alarms)
		}
	}
}

// sendThree sends packages of three robots at 20 Hz, each with its own phase, whose clocks start at start.
func sendThree(w *watch.Watcher, step, start time.Duration, i int) {
	for k := range 3 {
		phase := time.Duration(k) * 13 * time.Millisecond
		sent := time.Duration(i)*50*time.Millisecond + phase
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(k + 1)}), 1)
		w.Receive(&soccer.Packet{Time: at(sent + step), From: from,
			Data: pack(soccer.Cyan, uint8(k+1), uint32((start + sent).Milliseconds()))})
	}
}

// Setting this machine's clock raises no alarm about other senders.
func TestOwnClockSet(t *testing.T) {
	for _, by := range []time.Duration{-time.Hour, -5 * time.Second, -1500 * time.Millisecond, -900 * time.Millisecond,
		900 * time.Millisecond, 1500 * time.Millisecond, 5 * time.Second, time.Hour} {
		t.Run(by.String(), func(t *testing.T) { setClock(t, by) })
	}
}

// setClock sends packages of three robots for a minute and sets this machine's clock after a quarter of it.
func setClock(t *testing.T, by time.Duration) {
	w := watch.New(watch.DefaultConfig())
	reports, step := 0, time.Duration(0)
	for i := range 1200 {
		if i == 300 {
			step = by
		}
		sendThree(w, step, time.Minute, i)
		if i%10 > 0 {
			continue
		}
		n := w.Report(at(time.Duration(i)*50*time.Millisecond+40*time.Millisecond+step), uint64(min(i/200, 1)))
		for _, a := range n.Alarms {
			dropped := strings.Contains(a, "packets were lost") && i >= 200 && i < 400
			if strings.Contains(a, "this machine's clock jumped by +1.5 s") {
				reports++
			} else if !dropped {
				t.Fatalf("after %d ms: %q", i*50, a)
			}
		}
		for _, r := range n.Senders {
			if i > 320 && r.ClockJumps > 0 || r.Age < 0 || r.Age > 200 || r.Duplicates > 0 {
				t.Fatalf("after %d ms: %+v", i*50, r)
			}
			if i >= 600 && (r.Rate < 19 || r.Rate > 21 || *r.Missing > 0) {
				t.Fatalf("after %d ms: %v Hz, missing %v", i*50, r.Rate, *r.Missing)
			}
		}
	}
	// A step of less than a second is not a jump, and after more than two seconds senders start again.
	if (reports > 0) != (by == 1500*time.Millisecond) {
		t.Errorf("its own clock is reported %d times", reports)
	}
}

// A sender that fell silent before the clock was set back keeps its age.
func TestSilentSenderClockSetBack(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	for i := range 100 {
		w.Receive(&soccer.Packet{Time: at(time.Duration(i) * 50 * time.Millisecond), From: addr("10.0.0.1:1"),
			Data: pack(soccer.Cyan, 3, uint32(i*50+1))})
	}
	// It returns with another port.
	for i := 100; i < 200; i++ {
		now := at(time.Duration(i)*50*time.Millisecond - time.Hour)
		w.Receive(&soccer.Packet{Time: now, From: addr("10.0.0.1:2"), Data: pack(soccer.Cyan, 3, uint32(i*50+1))})
		if n := w.Report(now, 0); len(n.Alarms) > 0 {
			t.Fatalf("after %d ms: %q", i*50, n.Alarms)
		}
	}
	if r := row(t, w.Report(at(10*time.Second-time.Hour), 0), "10.0.0.1:1/cyan/3"); r.Age < 4900 || r.Age > 5200 {
		t.Errorf("silent for 5 s, got an age of %v ms", r.Age)
	}
}

// If one clock of three jumps, the alarm names its sender.
func TestOneClockOfThreeJumps(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	for i := range 200 {
		sendThree(w, 0, time.Minute, i)
		ms := uint32(i * 50)
		if i >= 100 {
			ms += 30000
		}
		w.Receive(&soccer.Packet{Time: at(time.Duration(i) * 50 * time.Millisecond), From: addr("10.0.0.9:1"),
			Data: pack(soccer.Cyan, 5, ms)})
	}
	n := w.Report(at(10*time.Second), 0)
	if len(n.Alarms) != 1 || !strings.Contains(n.Alarms[0], "clock of robot 5") ||
		row(t, n, "10.0.0.9:1/cyan/5").ClockJumps != 1 {
		t.Errorf("alarms %q", n.Alarms)
	}
}

// All senders' clocks gain on a machine that slept: the alarm names this machine's clock, once.
func TestMachineSlept(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	for i := range 160 {
		start := time.Minute
		if i >= 100 {
			start += 30 * time.Second
		}
		sendThree(w, 0, start, i)
		n := w.Report(at(time.Duration(i)*50*time.Millisecond+40*time.Millisecond), 0)
		if i < 100 && len(n.Alarms) > 0 || i >= 100 && (len(n.Alarms) != 1 ||
			!strings.Contains(n.Alarms[0], "this machine's clock jumped by -30.0 s")) {
			t.Fatalf("after %d ms: %q", i*50, n.Alarms)
		}
		if r := row(t, n, "10.0.0.2:1/cyan/2"); r.ClockJumps > 0 {
			t.Fatalf("after %d ms: %d jumps", i*50, r.ClockJumps)
		}
	}
}

// The session and its time stand still for 20 s; packets during the pause are dropped.
func TestPause(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	sent := time.Second
	reports := [200]int{100: 40} // twice a second of the pause
	for i := 10; i < 200; i += 10 {
		reports[i]++
	}
	for i := range 200 {
		now := at(time.Duration(i) * 50 * time.Millisecond)
		w.Receive(&soccer.Packet{Time: now, From: addr("10.0.0.9:1"),
			Data: pack(soccer.Cyan, 3, uint32(sent.Milliseconds()))})
		sent += 50 * time.Millisecond
		for range reports[i] {
			n := w.Report(now, 0)
			if len(n.Alarms) > 0 || n.Senders[0].ClockJumps > 0 {
				t.Fatalf("packet %d: %q, %+v", i, n.Alarms, n.Senders[0])
			}
		}
		if i == 100 {
			sent += 20 * time.Second
		}
	}
}

// The program stands still for half a minute; then all queued packets arrive at once.
func TestStandstill(t *testing.T) {
	for _, leaps := range []bool{true, false} { // false: the caller's time stood still too
		w := watch.New(watch.DefaultConfig())
		receive := func(from string, now, sent time.Duration) {
			w.Receive(&soccer.Packet{Time: at(now), From: addr(from), Data: pack(soccer.Cyan, 3, uint32(sent.Milliseconds())+1)})
		}
		skip := 30 * time.Second
		for i := range 1000 {
			real := time.Duration(i) * 50 * time.Millisecond
			from := "10.0.0.3:1"
			if i >= 300 { // it was restarted in between
				from = "10.0.0.3:2"
			}
			now := real
			switch {
			case i < 100:
			case i < 700: // at least a second ago
				if now = 34 * time.Second; !leaps {
					now -= skip
				}
				now += real / 100000
			case !leaps:
				now -= skip
			}
			receive(from, now, real)
			if i < 100 && i%10 == 0 || i >= 700 && i%10 == 0 {
				if n := w.Report(at(now), 0); len(n.Alarms) > 0 {
					t.Errorf("leaps %v, after %v: %q", leaps, real, n.Alarms)
				}
			}
		}
	}
}
