package manager_test

import (
	"fmt"

	"touchline/internal/manager"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// A robot declares a parameter and a kick, and lets managers see and drive it. managernet.Manage does the same beside a
// node that has sockets; here a loop would call Step every 10 ms and give Motor to the motors every 20 ms.
func Example() {
	robot, err := manager.NewRobot(manager.RobotConfig{
		Seed:       42, // random in each run: managernet.Seed()
		Parameters: []team.Parameter{{Name: "exposure", Unit: "ms", Value: 8, Default: 8, Min: 0.1, Max: 20}},
		Kicks:      []team.Kick{{Name: "flat", Speed: 6}},
		MaxAhead:   1.5, MaxSide: 1, MaxTurn: 2,
		Set: func(name string, value float32) (float32, error) { return value, nil }, // sets the camera
	})
	if err != nil {
		panic(err)
	}
	node, err := teamcom.New(teamcom.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: 3}))
	if err != nil {
		panic(err)
	}
	module := node.Module(tcm.Manager)
	robot.Handle(module) // what managers send

	now := soccer.Epoch
	robot.Receive(tcm.Entity{Kind: tcm.Computer, ID: 1}, now, &team.Attend{}, nil) // arrives over the network
	robot.Step(now, func(to tcm.Entity, data teamcom.Data) {
		if err := module.Client().Send(now, to, data); err != nil {
			panic(err)
		}
		fmt.Println(tcm.Type(data.DataType()), "to", to)
	})
	motor, driven := robot.Motor(now)
	fmt.Println(driven, motor.Twist)
	// Output:
	// management to computer:1
	// camera parameter to computer:1
	// false {0 0 0}
}
