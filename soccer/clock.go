package soccer

import "time"

// Clock turns moments of the machine's clock into a Time that only moves forward: it starts at Start and advances with
// the machine's monotonic clock, so that setting the machine's clock during a match moves nothing.
type Clock struct {
	Start Time      // the time at Began
	Began time.Time // a reading of time.Now, with its monotonic part
}

// NewClock returns a clock that shows now's wall time at now.
func NewClock(now time.Time) Clock { return Clock{Start: Time(now.UnixNano()), Began: now} }

// At returns the clock's time at a reading of time.Now.
func (c Clock) At(now time.Time) Time { return c.Start.Add(now.Sub(c.Began)) }
