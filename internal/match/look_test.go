package match

import (
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
)

// A match is the same whether or not somebody looks at what its robots believe, and whether or not they report it.
func TestLookingChangesNothing(t *testing.T) {
	end := func(looks, debug bool) (v View) {
		cfg := short()
		cfg.Mixed, cfg.Debug, cfg.Link = true, debug, traffic.Link{Loss: 0.1, Jitter: 20 * time.Millisecond}
		m := open(t, cfg, Tap{})
		var w soccer.World
		for m.Now() < soccer.Epoch.Add(15*time.Second) {
			matchAdvance(m, 50*time.Millisecond)
			m.View(&v)
			for _, r := range v.Robots {
				if looks {
					m.World(r.Side, r.Number, &w)
				}
			}
		}
		return v
	}
	alone, seen, reported := end(false, false), end(true, false), end(false, true)
	for i := range alone.Robots {
		if alone.Robots[i] != seen.Robots[i] || alone.Robots[i] != reported.Robots[i] {
			t.Fatalf("alone %+v, seen %+v, reported %+v", alone.Robots[i], seen.Robots[i], reported.Robots[i])
		}
	}
}
