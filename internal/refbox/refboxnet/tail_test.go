package refboxnet

import (
	"testing"
)

// The answer to the referee waits for standbys that are close, and for no other.
func TestTailWaits(t *testing.T) {
	tail := newTail()
	tail.set("a", 5<<20)
	r := &follower{path: "a"}
	for _, c := range []struct {
		at     int64
		path   string
		leaves bool
		want   bool
	}{
		{5<<20 - 1, "a", false, true}, {5 << 20, "a", false, false}, {1 << 20, "a", false, false},
		{5<<20 - 1, "b", false, false}, {5<<20 - 1, "a", true, false},
	} {
		r.path = c.path
		tail.move(r, c.at, c.leaves)
		if got := !tail.wait(); got != c.want {
			t.Errorf("at %d of %s, gone %t: wait: %t", c.at, c.path, c.leaves, got)
		}
	}
	r.path = "a"
	tail.move(r, 5<<20-1, false)
	done := make(chan struct{})
	go func() { tail.wait(); close(done) }()
	tail.move(r, 5<<20, false)
	<-done
}
