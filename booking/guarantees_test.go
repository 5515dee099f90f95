package booking_test

import (
	"fmt"
	"testing"
	"time"

	"touchline/booking"
	"touchline/wire/b3p"
)

// The guarantees of docs/booking.md, each with its bound. T, R, slot and Lost are those of the defaults.
const (
	lease   = 300 * time.Millisecond // T
	renewal = 55 * time.Millisecond  // R with its jitter
	slot    = 30 * time.Millisecond
	lost    = 500 * time.Millisecond
)

// seeds runs a test with several seeds.
func seeds(t *testing.T, n uint64, run func(t *testing.T, seed uint64)) {
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { run(t, seed) })
	}
}

// G1: after a crash of the booker another robot books the ball within T + C + L; losses do not lengthen it.
func TestG1CrashedBookerIsReplaced(t *testing.T) {
	for _, loss := range []float64{0, 0.3, 0.6} {
		seeds(t, 20, func(t *testing.T, seed uint64) {
			w := newTeam(seed, 1, 2, 3)
			w.run(time.Second)
			w.expect(t, 1)
			w.run(time.Duration(seed) * 7 * time.Millisecond)
			w.lost = w.independent(loss)
			w.robot(1).dead = true
			var none spans
			w.run(time.Second, func() { none.count(len(w.bookers()) == 0) })
			if most := lease + control + latency; none.longest > most {
				t.Errorf("loss %v: no booker for %v, want at most %v", loss, none.longest, most)
			}
		})
	}
}

// G2: after a release another robot books the ball within L + C, if a release or its repeats arrive.
func TestG2ReleaseIsFast(t *testing.T) {
	for name, view := range map[string]booking.View{
		"penalised": {Known: true, Distance: 1, Reason: b3p.Unfit}, "unseen": {Fit: true},
	} {
		seeds(t, 20, func(t *testing.T, seed uint64) {
			w := newTeam(seed, 1, 2, 3)
			w.run(time.Second)
			w.expect(t, 1)
			w.lost = w.atMost(2, 0.5)
			w.see(1, view)
			var none spans
			w.run(lost+time.Second, func() { none.count(len(w.bookers()) == 0) })
			if most := latency + control + 2*control + slot; none.longest > most {
				t.Errorf("%s: no booker for %v, want at most %v", name, none.longest, most)
			}
			if w.robot(1).state.Booker == 1 {
				t.Errorf("%s: robot 1 kept the ball", name)
			}
		})
	}
}

// G3: at a hand-over two robots are bookers for at most L + C, and 20 ms for each of up to two losses in a row.
func TestG3DoubleBookingIsShort(t *testing.T) {
	for k := range 3 {
		seeds(t, 20, func(t *testing.T, seed uint64) {
			w := newTeam(seed, 1, 2, 3)
			w.run(time.Second)
			w.lost = w.atMost(k, 0.9)
			var several spans
			observe := func() { several.count(len(w.bookers()) > 1) }
			for i := range 20 {
				w.place(1+uint8(i+1)%3, 0.9-0.04*float64(i)*10/20)
				w.place(1+uint8(i)%3, 2.5)
				w.run(600*time.Millisecond, observe)
			}
			if most := latency + control + time.Duration(k)*control; several.longest > most {
				t.Errorf("losses %d in a row: two bookers for %v, want at most %v", k, several.longest, most)
			}
			if several.total == 0 {
				t.Error("the ball changed hands without a message on its way: the test does not test")
			}
		})
	}
}

// G4: with fewer losses in a row than renewals in a lease, nobody takes a live booker's ball.
func TestG4LiveBookerIsKept(t *testing.T) {
	seeds(t, 10, func(t *testing.T, seed uint64) {
		w := newTeam(seed, 1, 2, 3)
		w.run(time.Second)
		w.lost = w.atMost(2, 0.8)
		w.run(30*time.Second, func() {
			if b := w.bookers(); len(b) != 1 || b[0] != 1 {
				t.Fatalf("bookers %v", b)
			}
		})
	})
}

// G5: gossip keeps the share of time with two bookers small under heavy independent losses; the figures are those of
// touchline-lab booking, this test holds the order of magnitude.
func TestG5DoubleBookingIsRare(t *testing.T) {
	var several spans
	for seed := range uint64(10) {
		w := newTeam(seed, 1, 2, 3, 4)
		w.lost = w.independent(0.5)
		w.run(time.Second)
		w.run(time.Minute, func() { several.count(len(w.bookers()) > 1) })
	}
	if share := several.total.Seconds() / 600; share > 0.01 {
		t.Errorf("two bookers for %.2f %% of the time with half of all messages lost", 100*share)
	}
}

// G6: without another event the booker never changes while all distances are within the hysteresis.
func TestG6NoFlipFlop(t *testing.T) {
	seeds(t, 10, func(t *testing.T, seed uint64) {
		w := newTeam(seed, 2, 2, 2, 2)
		w.run(time.Second)
		booker := w.bookers()
		w.run(30*time.Second, func() {
			w.place(1+uint8(w.rng.IntN(4)), 2+0.24*w.rng.Float64())
			if b := w.bookers(); len(b) != 1 || b[0] != booker[0] {
				t.Fatalf("bookers %v after %v", b, booker)
			}
		})
	})
}

// G7: a robot that is nearer by more than the hysteresis books the ball within the dwell time, C and the time of its
// filter; with losses it needs the booker's newest distance, which an old one may hide for K renewals.
func TestG7NearerRobotTakesOver(t *testing.T) {
	const filter = 10 * control // the filtered distance has 90 % of a step
	seeds(t, 20, func(t *testing.T, seed uint64) {
		w := newTeam(seed, 3, 4, 5)
		w.run(time.Second)
		w.lost = w.atMost(2, 0.5)
		w.place(2, 2)
		w.run(filter + 2*control + latency)
		if w.robot(2).state.Booker != 2 {
			t.Errorf("robot 2 does not book the ball, although it is nearer by 1 m")
		}
		w.run(100 * time.Millisecond)
		w.expect(t, 2)
	})
}

// G8: after a partition the robots agree on one booker within T + R + 2L + C. While it lasts each side has one booker.
func TestG8PartitionHeals(t *testing.T) {
	seeds(t, 20, func(t *testing.T, seed uint64) {
		w := newTeam(seed, 1, 2, 3, 4)
		w.run(time.Second)
		w.lost = func(from, to uint8) bool { return (from <= 2) != (to <= 2) }
		w.run(lease + control + latency + 2*slot)
		var several spans // hand-overs within a side
		w.run(5*time.Second, func() {
			b := w.bookers()
			if several.count(len(b) > 2); len(b) < 2 || b[0] > 2 || b[len(b)-1] < 3 {
				t.Fatalf("bookers %v of the sides {1, 2} and {3, 4}", b)
			}
			if w.rng.IntN(200) == 0 { // hand-overs move the epochs of the sides apart
				w.place(3+uint8(w.rng.IntN(2)), 0.5+3*w.rng.Float64())
			}
		})
		if several.longest > latency+control {
			t.Errorf("a side had two bookers for %v", several.longest)
		}
		w.lost = nil
		w.run(lease + renewal + 2*latency + control)
		if b := w.bookers(); len(b) != 1 || !w.agrees(b[0]) {
			t.Errorf("bookers %v after the partition", b)
		}
	})
}

// Robots that start together have one booker within three renewals.
func TestLockStepStart(t *testing.T) {
	seeds(t, 20, func(t *testing.T, seed uint64) {
		w := newTeam(seed, 2, 2, 2, 2)
		for i := range w.robots {
			w.robots[i].phase = 0
		}
		w.run(150 * time.Millisecond)
		if b := w.bookers(); len(b) != 1 || !w.agrees(b[0]) {
			t.Errorf("bookers %v", b)
		}
	})
}
