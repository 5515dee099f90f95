package teamcomnet_test

import (
	"slices"
	"sync"
	"testing"

	"touchline/teamcom/teamcomnet"
)

// Sessions that start together get different base ports, although none of them has opened its own yet.
func TestFreeBasesDiffer(t *testing.T) {
	var mu sync.Mutex
	var all []uint16
	var calls sync.WaitGroup
	for range 30 {
		calls.Go(func() {
			bases, err := teamcomnet.FreeBases(10)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			all = append(all, bases...)
		})
	}
	calls.Wait()
	slices.Sort(all)
	if got := len(slices.Compact(all)); got != 300 {
		t.Errorf("%d different bases, want 300", got)
	}
}
