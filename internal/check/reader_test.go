package check_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/wire/msl"
)

// reader is a receiver that reads a team at its own times.
type reader struct {
	name   string
	hz     float64
	jitter time.Duration // of each reading
	stall  time.Duration // once, in the middle
}

// readers are RefBox 2016 (7.6 readings a second), a box at 10 Hz, RefBox 2.1 (12.5 Hz), and these under load.
var readers = []reader{
	{"7.6 Hz", 7.6, 0, 0}, {"10 Hz", 10, 0, 0}, {"12.5 Hz", 12.5, 0, 0},
	{"7.6 Hz, jitter", 7.6, 15 * time.Millisecond, 0}, {"10 Hz, jitter", 10, 20 * time.Millisecond, 0},
	{"12.5 Hz, jitter", 12.5, 20 * time.Millisecond, 0},
	{"7.6 Hz, stalled", 7.6, 0, time.Second}, {"10 Hz, stalled", 10, 20 * time.Millisecond, time.Second},
	{"12.5 Hz, stalled", 12.5, 0, time.Second}, {"at once", 0, 0, 0},
}

// read moves the times of receipt to the readings.
func (r reader) read(all []sent, seed uint64) []sent {
	if r.hz == 0 {
		return all
	}
	rng := rand.New(rand.NewPCG(seed, 99))
	period := time.Duration(float64(time.Second) / r.hz)
	start, middle := all[0].received, all[len(all)/2].received
	grid := start.Add(time.Duration(rng.Float64() * float64(period)))
	at, stalled := grid, r.stall == 0
	for i := range all {
		for at < all[i].received {
			if grid = grid.Add(period); !stalled && grid > middle {
				grid, stalled = grid.Add(r.stall), true
			}
			at = max(at, grid.Add(time.Duration((rng.Float64()*2-1)*float64(r.jitter))))
		}
		all[i].received = at
	}
	return all
}

// TestCleanTeamsThroughReaders wants no finding for clean teams of several rates, however a receiver reads them.
func TestCleanTeamsThroughReaders(t *testing.T) {
	for _, hz := range []int{10, 20, 25, 50} {
		for k, r := range readers {
			t.Run(fmt.Sprintf("%d Hz read %s", hz, r.name), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(2) {
					for _, f := range card(r.read(cleanAt(100+2*uint64(k)+seed, 50, hz), seed)).Findings() {
						t.Errorf("seed %d: %s (note: %t), %d times at %.2f s: %s", seed, f.Rule, f.Note, f.Count, f.Time, f.Text)
					}
				}
			})
		}
	}
}

// A receiver that stood still empties its queue in several readings, a few milliseconds apart on a busy machine, and the
// team, which stood still on the same machine, sends its old state first.
func TestStalledReaderExplainsStepsBack(t *testing.T) {
	all := cleanAt(7, 20, 20)
	middle := len(all) / 2
	stalled := all[middle].received
	const stall = 870 * time.Millisecond
	for i := middle; i < middle+4; i++ { // sent before the stall, read after it
		all[i].received = stalled.Add(stall + time.Duration(i-middle)*5*time.Millisecond)
	}
	for i := middle + 4; i < len(all); i++ {
		if all[i].received < stalled.Add(stall) {
			all[i].received = stalled.Add(stall + 60*time.Millisecond)
			all[i].world.AgeMillis = msl.Num(float64((stall + 80*time.Millisecond).Milliseconds()))
		}
	}
	for _, f := range card(all).Findings() {
		if f.Rule == check.RuleBackwards {
			t.Errorf("%s (note: %t): %s", f.Rule, f.Note, f.Text)
		}
	}
}
