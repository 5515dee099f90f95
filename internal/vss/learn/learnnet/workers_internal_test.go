package learnnet

import (
	"sync/atomic"
	"testing"
)

// Each game gets each command once, whichever worker takes it, and do returns when all have it.
func TestWorkersPlayEachGameOnce(t *testing.T) {
	for _, games := range []int{1, 3, 8, 37, 64} {
		plays := make([]atomic.Int32, games)
		w := hire(games, func(command byte, game int) {
			if command != 's' {
				t.Errorf("game %d got command %q", game, command)
			}
			plays[game].Add(1)
		})
		for n := int32(1); n <= 300; n++ {
			w.do('s')
			for i := range plays {
				if got := plays[i].Load(); got != n {
					t.Fatalf("game %d of %d: %d plays after %d commands", i, games, got, n)
				}
			}
		}
		w.close()
	}
}
