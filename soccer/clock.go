package soccer

import "time"

// Clock converts readings of the machine's clock to a Time that never runs backwards: it shows Start at Began and
// advances with the machine's monotonic clock from there. Setting the machine's clock during a match has no effect on
// it.
type Clock struct {
	Start Time      // the Time at Began
	Began time.Time // a reading of time.Now, with its monotonic part
}

// NewClock returns a clock that shows the wall time of now at now.
func NewClock(now time.Time) Clock { return Clock{Start: Time(now.UnixNano()), Began: now} }

// At returns the clock's Time at now, a reading of time.Now.
func (c Clock) At(now time.Time) Time { return c.Start.Add(now.Sub(c.Began)) }
