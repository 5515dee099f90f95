package soccer_test

import (
	"testing"
	"time"

	"touchline/soccer"
)

// The clock advances with the time that passes, from the wall time at which it began.
func TestClock(t *testing.T) {
	began := time.Now()
	c := soccer.NewClock(began)
	if got := c.At(began); got != soccer.Time(began.UnixNano()) {
		t.Errorf("at its start the clock shows %d, want %d", got, began.UnixNano())
	}
	c.Start = soccer.Epoch
	if got := c.At(began.Add(3 * time.Second)); got != soccer.Epoch.Add(3*time.Second) {
		t.Errorf("3 s later the clock shows %d ns after its start", got-soccer.Epoch)
	}
}
