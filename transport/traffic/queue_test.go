package traffic_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"touchline/soccer"
	"touchline/transport/traffic"
)

// Entries leave in the order of their times, and those of one time in the order in which they came, also when others
// leave in between.
func TestQueue(t *testing.T) {
	type entry struct {
		at   soccer.Time
		what int32
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var q traffic.Queue[int32]
	for round := range 50 {
		var waiting []entry
		for i := range int32(200) {
			e := entry{soccer.Time(rng.IntN(20)), i}
			q.Push(e.at, e.what)
			waiting = append(waiting, e)
			if rng.IntN(3) > 0 {
				continue
			}
			slices.SortStableFunc(waiting, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
			if at, what, ok := q.First(); !ok || waiting[0] != (entry{at, what}) {
				t.Fatalf("round %d: the first is %d at %d, %t; want %+v", round, what, at, ok, waiting[0])
			}
			q.Pop()
			waiting = waiting[1:]
		}
		q.Clear()
		if _, _, ok := q.First(); ok {
			t.Fatalf("round %d: Clear left an entry", round)
		}
	}
	if n := testing.AllocsPerRun(100, func() { q.Push(1, 1); q.Pop() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
