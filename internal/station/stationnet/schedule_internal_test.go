package stationnet

import (
	"testing"
	"time"
)

// Worldstates keep their period; after a stall two do not follow at once.
func TestSchedule(t *testing.T) {
	const period = 50 * time.Millisecond
	start := time.Unix(0, 0)
	for _, c := range []struct {
		late, next time.Duration // since it was due
		missed     int
	}{
		{0, period, 0},
		{2 * time.Millisecond, period, 0},
		{24 * time.Millisecond, period, 0},
		{45 * time.Millisecond, 2 * period, 0},
		{90 * time.Millisecond, 3 * period, 1},
		{110 * time.Millisecond, 3 * period, 2},
		{3 * time.Second, 61 * period, 60},
	} {
		next, missed := schedule(start, start.Add(c.late), period)
		if next.Sub(start) != c.next || missed != c.missed {
			t.Errorf("sent %v late: got the next due after %v, %d missed; want %v, %d", c.late, next.Sub(start), missed, c.next,
				c.missed)
		}
	}
}
