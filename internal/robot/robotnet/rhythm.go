package robotnet

import (
	"sync"
	"time"
)

// rhythm measures how well a loop keeps its period. Its methods may be called from any goroutine.
type rhythm struct {
	period time.Duration

	mu      sync.Mutex
	last    time.Time
	periods uint64
	counts  [rhythmSteps]uint64 // deviations by size; the last one counts all greater ones
	worst   time.Duration
}

// Resolution and range of the deviations that a rhythm tells apart.
const (
	rhythmStep  = 100 * time.Microsecond
	rhythmSteps = 500 // up to 50 ms
)

// Timing is what a robot measured since the start of its loop. Its JSON is stable.
type Timing struct {
	Period  float64 `json:"period"`  // ms, that the loop should have
	Periods uint64  `json:"periods"` // that were measured
	P99     float64 `json:"p99"`     // ms: 99 of 100 periods deviate from Period by no more, rounded up to 0.1 ms
	Worst   float64 `json:"worst"`   // ms, the greatest deviation
}

// newRhythm returns a rhythm of a loop with this period.
func newRhythm(period time.Duration) *rhythm { return &rhythm{period: period} }

// mark notes that a period begins at now.
func (r *rhythm) mark(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() {
		off := (now.Sub(r.last) - r.period).Abs()
		r.counts[min(int(off/rhythmStep), rhythmSteps-1)]++
		r.worst = max(r.worst, off)
		r.periods++
	}
	r.last = now
}

// timing returns what was measured so far.
func (r *rhythm) timing() Timing {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := Timing{Period: millis(r.period), Periods: r.periods, Worst: millis(r.worst)}
	below := uint64(0)
	for i, n := range r.counts {
		if below += n; n > 0 && 100*below >= 99*r.periods {
			if t.P99 = millis(time.Duration(i+1) * rhythmStep); i == rhythmSteps-1 {
				t.P99 = t.Worst
			}
			break
		}
	}
	return t
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
