package world

import (
	"math"
	"testing"
	"time"

	"touchline/soccer"
)

// The rate approaches that of the game. A ball that is placed elsewhere meanwhile, and a moment without sights, are not
// counted.
func TestHidings(t *testing.T) {
	for _, test := range []struct {
		name   string
		lost   int  // pictures of 50 ms in 100
		placed bool // the ball that comes back is another one
		want   float64
	}{{"hidden", 10, false, 0.28}, {"placed", 10, true, 0.0006}, {"moment", 3, false, 0.0006}} {
		var h hidings
		now, placed := soccer.Epoch.Add(time.Second), soccer.Epoch
		for i := range 3000 {
			lost := i%100 < test.lost
			if lost && test.placed {
				placed = now
			}
			h.see(now, lost, !lost, placed)
			now = now.Add(50 * time.Millisecond)
		}
		if got := h.rate(hiddenRate); math.Abs(got-test.want) > 0.1*test.want+0.001 {
			t.Errorf("%s: %.4f a second, want %.4f", test.name, got, test.want)
		}
	}
}
