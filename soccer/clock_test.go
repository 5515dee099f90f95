package soccer_test

import (
	"testing"
	"time"

	"touchline/soccer"
)

// The clock starts at the wall time and advances with the monotonic clock.
func TestClock(t *testing.T) {
	began := time.Now()
	c := soccer.NewClock(began)
	if got := c.At(began); got != soccer.Time(began.UnixNano()) {
		t.Errorf("the clock starts at %d, want %d", got, began.UnixNano())
	}
	c.Start = soccer.Epoch
	if got := c.At(began.Add(3 * time.Second)); got != soccer.Epoch.Add(3*time.Second) {
		t.Errorf("3 s later the clock has advanced by %d ns, want 3 s", got-soccer.Epoch)
	}
}
