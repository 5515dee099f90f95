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

// A robot of the Middle Size League drives at the ball, takes it with the dribbler and kicks it.
func ExampleEngine_Command() {
	cfg := sim.DefaultConfig()
	cfg.Kicker = sim.Kicker{} // kicks without errors
	engine := sim.New(cfg)
	if err := engine.AddRobot(3, soccer.Pose{X: -2}); err != nil {
		fmt.Println(err)
		return
	}
	command := soccer.Motor{Twist: soccer.Twist{X: 1.5}, Dribbler: 1}
	for !engine.HoldsBall(3) {
		if err := engine.Command(3, &command); err != nil {
			fmt.Println(err)
			return
		}
		engine.Step(20 * time.Millisecond) // a command holds for 300 ms
	}
	command.Kick, command.KickSpeed = 1, 8
	if err := engine.Command(3, &command); err != nil {
		fmt.Println(err)
		return
	}
	engine.Step(20 * time.Millisecond)
	for _, kick := range engine.Kicks() {
		fmt.Printf("robot %d kicks with %.1f m/s\n", kick.Robot, kick.Velocity.X)
	}
	// Output: robot 3 kicks with 8.0 m/s
}
