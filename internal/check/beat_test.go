package check_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/internal/check"
)

// run sends n packets, loses a share of them and delays the others by up to jitter. It returns the Beat, and the
// estimated and the real share of lost packets.
func run(n int, period, jitter time.Duration, loss float64, hasClock bool) (beat check.Beat, missing, real float64) {
	rnd := rand.New(rand.NewPCG(3, uint64(period)))
	lost := 0
	var sent time.Duration
	for i := range n {
		sent = time.Duration(i) * period
		if i > 0 && i < n-1 && rnd.Float64() < loss {
			lost++
			continue
		}
		beat.Add(at(sent+time.Duration(rnd.Float64()*float64(jitter))), hasClock, uint32(sent/time.Millisecond)+1)
	}
	missing, _ = beat.Missing()
	return beat, missing, float64(lost) / float64(n)
}

func TestMissing(t *testing.T) {
	for _, c := range []struct {
		hz, jitter, loss float64 // jitter in ms
	}{{10, 0, 0}, {30, 0, 0}, {25, 15, 0}, {30, 10, 0.1}, {12.9, 20, 0.1}, {20, 5, 0.3}, {30, 0, 0.02}} {
		for _, clock := range []bool{true, false} {
			_, got, want := run(400, time.Duration(1e9/c.hz), time.Duration(c.jitter*1e6), c.loss, clock)
			if math.Abs(got-want) > 0.015 {
				t.Errorf("%+v, clock %v: got %.3f missing, want %.3f", c, clock, got, want)
			}
		}
	}
}

func TestJitter(t *testing.T) {
	// Two delays, each uniform over 30 ms, differ by 10 ms on average.
	beat, _, _ := run(5000, 50*time.Millisecond, 30*time.Millisecond, 0, true)
	if got, ok := beat.Jitter(); !ok || math.Abs(got-10) > 0.5 {
		t.Errorf("got jitter %v ms, want 10", got)
	}
	// The clock of an irregular sender shows that the network adds no jitter.
	beat = check.Beat{}
	for i := range 100 {
		sent := time.Duration(i*50+i%7*5) * time.Millisecond
		beat.Add(at(sent), true, uint32(sent/time.Millisecond)+1)
	}
	if got, _ := beat.Jitter(); got != 0 {
		t.Errorf("got jitter %v ms, want 0", got)
	}
}

func TestForget(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	var slides, fresh check.Beat
	var pulses []check.Pulse
	now, clock := at(0), uint32(0)
	for i := range 300 {
		gap := time.Duration(rnd.Int64N(int64(2 * time.Second)))
		now, clock = now.Add(gap), clock+uint32(gap/time.Millisecond)+uint32(rnd.IntN(20))
		pulses = append(pulses, slides.Add(now, i%3 > 0, clock))
		if i >= 200 {
			slides.Forget(pulses[i-200])
		}
		if i >= 100-1 {
			fresh.Add(now, i%3 > 0, clock)
		}
	}
	for _, q := range []float64{0, 0.5, 0.99, 1} {
		a, _ := slides.Gap(q)
		if b, _ := fresh.Gap(q); math.Abs(a-b) > 8 {
			t.Errorf("gap %v: got %v, want %v as of the remaining packets alone", q, a, b)
		}
	}
	for _, p := range pulses[100:] {
		slides.Forget(p)
	}
	if _, ok := slides.Gap(0.5); ok {
		t.Error("gaps are left after all packets were forgotten")
	}
	if j, ok := slides.Jitter(); ok {
		t.Errorf("jitter %v is left after all packets were forgotten", j)
	}
}

func TestRepeats(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	var r check.Repeats
	for i, c := range []struct {
		at    int
		clock uint32
		data  string
		want  bool
	}{
		{0, 10, "a", false}, {30, 40, "b", false}, {31, 40, "b", true}, {60, 10, "a", true}, {900, 40, "b", true},
		{1200, 40, "b", false}, // more than a second after the first
		{3000, 0, "still", false}, {3050, 0, "still", false}, {3100, 0, "still",
			false}, // no clock: a robot at rest sends the same bytes
		{3105, 0, "still", true}, {3106, 0, "moved", false},
	} {
		if got := r.Again(at(ms(c.at)), c.clock, []byte(c.data)); got != c.want {
			t.Errorf("packet %d, %+v: got %v", i, c, got)
		}
	}
}

// Setting this machine's clock back does not make duplicates of the packets of a robot at rest.
func TestRepeatsClockSetBack(t *testing.T) {
	var r check.Repeats
	for i := range 100 {
		now := time.Duration(i) * 50 * time.Millisecond
		if i >= 50 {
			now -= time.Hour
		}
		if r.Again(at(now), 0, []byte("still")) {
			t.Fatalf("packet %d is a repeat", i)
		}
	}
}
