package learn

import (
	"flag"
	"testing"

	"touchline/internal/stat"
)

var rungEpisodes = flag.Int("rungs", 40, "episodes of each pair that TestEachRungBeatsTheOneBelow plays")

// TestEachRungBeatsTheOneBelow plays episodes of whole teams, of which half have the stronger team in blue:
// go test ./internal/vss/learn -run Rung -v -rungs 200 prints the table of docs/learning.md.
func TestEachRungBeatsTheOneBelow(t *testing.T) {
	rungs := []Player{Still, Weak, Medium, Builtin}
	for i, strong := range rungs[1:] {
		for k, weak := range rungs[:i+1] {
			if k < i && !testing.Verbose() {
				continue // only the table has the pairs that are further apart
			}
			scored, against, steps := meet(t, strong, weak)
			t.Logf("%s against %s: %d goals, %d against, of %d episodes; %.1f s each", strong, weak, scored, against,
				*rungEpisodes, float64(steps)*0.016/float64(*rungEpisodes))
			if share := stat.Proportion(scored, scored+against); k == i && share.From <= 0.5 {
				t.Errorf("%s against %s: %d goals and %d against", strong, weak, scored, against)
			}
		}
	}
}

// meet plays episodes between two teams, and returns the goals of the first one, of the second one, and the steps.
func meet(t *testing.T, strong, weak Player) (scored, against, steps int) {
	for seed := range *rungEpisodes {
		cfg := DefaultConfig()
		cfg.Agents = 0 // no action drives a robot
		cfg.Mates, cfg.Opponents = strong, weak
		if seed%2 == 1 {
			cfg.Mates, cfg.Opponents = weak, strong
		}
		g := New(&cfg)
		if err := g.Reset(uint64(seed/2), nil); err != nil {
			t.Fatal(err)
		}
		for !g.Done() {
			g.Step(nil)
			steps++
		}
		switch goal := g.Result().Terms[seed%2][Goal]; {
		case goal > 0:
			scored++
		case goal < 0:
			against++
		}
	}
	return scored, against, steps
}
