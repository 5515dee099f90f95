package world

import (
	"math"
	"testing"
	"time"

	"touchline/soccer"
)

// The rate approaches that of the game. Balls that come back after a while, and false ones, are not counted.
func TestPlacements(t *testing.T) {
	for every, want := range map[int]float64{100: 0.284, math.MaxInt: 0.003} { // pictures of 50 ms
		var p placements
		now, placed, sights := soccer.Epoch.Add(time.Second), soccer.Epoch, 0.0
		for i := range 3000 {
			if i%every == every-1 {
				placed, sights = now, 0
			}
			sights++
			p.see(now, placed, 0.05, sights)
			if i%500 == 250 {
				p.see(now, now, 0.05, 1) // false
				p.see(now, now, 2, 20)   // after two seconds without any
				p.see(now, placed, 2, 20)
			}
			now = now.Add(50 * time.Millisecond)
		}
		if got := p.rate(0.05); math.Abs(got-want) > 0.15*want+0.002 {
			t.Errorf("placed every %d pictures: %.3f a second, want %.3f", every, got, want)
		}
	}
}
