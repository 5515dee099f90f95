package world_test

import (
	"fmt"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// A robot sees the ball in three pictures, which confirms it.
func Example() {
	model := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch
	for range 3 {
		model.Observe(&soccer.Percepts{
			Time:  now,
			Self:  soccer.Localisation{Known: true, HasHeading: true, Confidence: 0.9},
			Balls: []soccer.Observation{{Position: soccer.Vec3{X: 2, Y: 1}, Confidence: 0.8}},
		})
		now = now.Add(40 * time.Millisecond)
	}
	var w soccer.World
	model.World(now, &w)
	fmt.Printf("ball known: %t, at (%.1f, %.1f) m\n", w.Ball.Known, w.Ball.Position.X, w.Ball.Position.Y)
	// Output:
	// ball known: true, at (2.0, 1.0) m
}
