package sim_test

import (
	"fmt"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

// A robot pushes the ball into the goal at +x. Engines are independent of each other.
func Example() {
	engine := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
	err := engine.Place(sim.Placement{
		HasBall: true, Ball: soccer.Vec{X: 0.3},
		Robots: []sim.PlacedRobot{{ID: 0, Pose: soccer.Pose{X: -0.2}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := engine.Drive(0, soccer.Wheels{Left: 40, Right: 40}); err != nil {
		fmt.Println(err)
		return
	}
	start := engine.Now()
	for ball, _ := engine.Ball(); ball.X <= 0.75+0.0215; ball, _ = engine.Ball() {
		engine.Step(sim.Tick)
	}
	ball, velocity := engine.Ball()
	pose, _, _ := engine.Robot(0)
	fmt.Printf("after %v\n", engine.Now().Sub(start).Round(100*time.Millisecond))
	fmt.Printf("ball at (%.1f, %.1f) with %.1f m/s, robot at (%.1f, %.1f)\n", ball.X, ball.Y, velocity.X, pose.X,
		pose.Y)
	// Output:
	// after 1.5s
	// ball at (0.8, 0.0) with 0.8 m/s, robot at (0.7, 0.0)
}
