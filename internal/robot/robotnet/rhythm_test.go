package robotnet

import (
	"testing"
	"time"
)

// The deviation that one of a hundred periods exceeds is the 99th percentile; the greatest one is kept.
func TestRhythm(t *testing.T) {
	const period = 20 * time.Millisecond
	r := newRhythm(period)
	if got := r.timing(); got != (Timing{Period: 20}) {
		t.Errorf("before the first period: %+v", got)
	}
	now := time.Now()
	r.mark(now)
	for i := range 200 {
		off := 250 * time.Microsecond
		switch {
		case i == 100:
			off = 70 * time.Millisecond
		case i%2 == 1:
			off = -off
		}
		now = now.Add(period + off)
		r.mark(now)
	}
	if got := r.timing(); got != (Timing{Period: 20, Periods: 200, P99: 0.3, Worst: 70}) {
		t.Errorf("one of 200 periods is late: %+v", got)
	}
	for range 9 {
		now = now.Add(period - 3*time.Millisecond)
		r.mark(now)
	}
	if got := r.timing(); got.P99 != 3.1 || got.Worst != 70 {
		t.Errorf("9 of 209 periods are 3 ms short: %+v", got)
	}
}
