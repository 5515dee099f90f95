package mixedteam_test

import (
	"fmt"

	"touchline/soccer"
	"touchline/wire/mixedteam"
)

func ExampleAppend() {
	percepts := soccer.Percepts{ // team frame: m, x to the opponents' goal, y to its left
		Self:  soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: -3, Y: 1}, Confidence: 0.9},
		Balls: []soccer.Observation{{Position: soccer.Vec3{X: 2, Y: 0.5, Z: 0.11}, Confidence: 0.8}},
	}
	header := mixedteam.Header{
		Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: 61234, Color: soccer.Cyan, TeamID: 63, Robot: 2,
	}
	datagram, err := mixedteam.Append(nil, &header, &percepts)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d bytes: % x ...\n", len(datagram), datagram[:9])
	// Output:
	// 169 bytes: 7b 02 32 ef 00 00 00 3f 02 ...
}

func ExampleDecode() {
	datagram, err := mixedteam.Append(nil, &mixedteam.Header{Variant: mixedteam.V1, Robot: 4}, &soccer.Percepts{
		Balls: []soccer.Observation{{Position: soccer.Vec3{X: 1.5, Y: -2}, Confidence: 1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var header mixedteam.Header
	var percepts soccer.Percepts
	identity, err := mixedteam.Decode(datagram, &header, &percepts)
	if err != nil {
		fmt.Println(err)
		return
	}
	ball := percepts.Balls[0].Position
	fmt.Printf("%s, robot %d, ball at (%.1f, %.1f) m\n", identity.Variant, header.Robot, ball.X, ball.Y)
	// Output:
	// v1, robot 4, ball at (1.5, -2.0) m
}

func ExampleCheck() {
	header := mixedteam.Header{Variant: mixedteam.V2, TeamID: 63, Robot: 2}
	datagram, err := mixedteam.Append(nil, &header, &soccer.Percepts{})
	if err != nil {
		fmt.Println(err)
		return
	}
	datagram[8] = 9 // mixed_team_robot_id
	for _, issue := range mixedteam.Check(datagram) {
		fmt.Printf("byte %d, %s: %s\n", issue.Offset, issue.Field, issue.Text)
		fmt.Println("source:", issue.Source)
	}
	// Output:
	// byte 8, mixed_team_robot_id: 9 is no jersey number of a mixed team: write 1 to 6
	// source: Mixed Team Package v2, Specification
}
