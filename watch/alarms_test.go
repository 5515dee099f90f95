package watch_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/watch"
)

// told returns when, in half seconds, an alarm with this word was on.
func told(word string, robots ...robot) (on []int) {
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

func TestOneJerseyTwice(t *testing.T) {
	const sec = time.Second
	three := robot{"10.0.0.3:1", soccer.Cyan, 3, 20, 0, time.Hour, nil}
	v1 := func(i int, b []byte) []byte {
		b = append([]byte(nil), b[:96]...)
		copy(b, unhex("7b 03 d2043cf66e00f4014ef30000e5"+strings.Repeat(strings.Repeat("0080", 6)+"00", 2)+strings.Repeat("0080008000", 10)+"48f42be4e5"))
		return b
	}
	for _, c := range []struct {
		name  string
		other robot
		want  []int
	}{
		{"two laptops", robot{"10.0.0.9:1", soccer.Cyan, 3, 10, 2 * sec, 6 * sec, nil}, span(5, 17)},
		{"one that stutters does not flicker", robot{"10.0.0.9:1", soccer.Cyan, 3, 10, 2 * sec, 6 * sec, func(i int, b []byte) []byte {
			if i%20 >= 6 {
				return nil // 600 ms on, 1400 ms off
			}
			return b
		}}, span(5, 15)},
		{"the other team's 3", robot{"10.0.0.9:1", soccer.Magenta, 3, 10, 2 * sec, 6 * sec, nil}, nil},
		{"another number", robot{"10.0.0.9:1", soccer.Cyan, 4, 10, 2 * sec, 6 * sec, nil}, nil},
		{"a few last packets", robot{"10.0.0.9:1", soccer.Cyan, 3, 10, 2 * sec, 2300 * time.Millisecond, nil}, nil},
	} {
		if got := told("wear number 3", three, c.other); !slices.Equal(got, c.want) {
			t.Errorf("%s: alarm at %v, want %v (half seconds)", c.name, got, c.want)
		}
	}
	three.to = 4 * sec
	if got := told("wear", three, robot{"10.0.0.3:2", soccer.Cyan, 3, 20, 4*sec + 30*time.Millisecond, time.Hour, nil}); got != nil {
		t.Errorf("restarted on a new port: alarm at %v", got)
	}
	three.to, three.send = time.Hour, v1
	if got := told("wear number 3", three, robot{"10.0.0.9:1", 0, 0, 10, 2 * sec, 6 * sec, v1}); !slices.Equal(got, span(5, 17)) {
		t.Errorf("two v1 senders: alarm at %v", got)
	}
}

func TestClockJumpAlarm(t *testing.T) {
	jump := func(i int, b []byte) []byte {
		if i >= 30 { // 1.5 s
			copy(b[2:], []byte{0, 0, 1, 0}) // 65536 ms and more
			b[2], b[3] = byte(i*50), byte(i*50>>8)
		}
		return b
	}
	got := told("clock of robot 1 (cyan, 10.0.0.1:1) jumped by +65.5 s", robot{"10.0.0.1:1", soccer.Cyan, 1, 20, 0, time.Hour, jump})
	if want := span(3, 22); !slices.Equal(got, want) {
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
	if got := told("clock", robot{"10.0.0.1:1", soccer.Cyan, 1, 20, 0, time.Hour, part}); got != nil {
		t.Errorf("a new part: alarm at %v", got)
	}
}

func TestOwnClockSetBack(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	hear := func(now time.Duration, ms int) {
		w.Hear(&soccer.Packet{Time: at(now), From: addr("10.0.0.1:1"), Data: pack(soccer.Cyan, 1, uint32(ms))})
	}
	for i := range 200 {
		hear(time.Hour+time.Duration(i)*50*time.Millisecond, i*50)
	}
	for i := range 200 {
		hear(time.Duration(i)*50*time.Millisecond, 10000+i*50)
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
				w.Hear(&soccer.Packet{Time: at(now), From: addr("10.0.0.1:1"), Data: pack(soccer.Cyan, 1, ms)})
			}
		}
		n := w.Report(at(now), 0)
		if told := slices.ContainsFunc(n.Alarms, func(a string) bool { return strings.Contains(a, "Mbit/s on the air") }); n.OverBudget != c.want || told != c.want {
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
