package sim_test

import (
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

// Two engines that were equal see other things after one of them was reseeded, and the same after both were.
func TestReseed(t *testing.T) {
	look := func(seeds ...uint64) (s soccer.Sense) {
		e := sim.New(sim.DefaultConfig())
		if err := e.AddRobot(1, soccer.Pose{X: 2}); err != nil {
			t.Fatal(err)
		}
		camera := sim.DefaultCamera()
		for _, seed := range seeds {
			e.Step(time.Second)
			e.Reseed(seed)
			if err := e.Look(1, &camera, &s); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	first, same, other := look(1, 7), look(2, 7), look(1, 8)
	if first.Balls[0] != same.Balls[0] {
		t.Errorf("seed 7 gave a ball at %v, then at %v", first.Balls[0].Position, same.Balls[0].Position)
	}
	if first.Balls[0] == other.Balls[0] || first.Self == other.Self {
		t.Error("seed 8 gave the picture of seed 7")
	}
}
