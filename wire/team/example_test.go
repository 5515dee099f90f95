package team_test

import (
	"fmt"

	"touchline/soccer"
	"touchline/wire/team"
)

// A robot shares one picture of its camera. A teammate converts it back.
func ExampleMeasurements() {
	picture := soccer.Sense{
		Self: soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: -2, Y: 1}, Confidence: 0.5,
			Cov: soccer.PoseCov{0: 0.01, 3: 0.01, 5: 0.0004}},
		Balls: []soccer.Observation{{Position: soccer.Vec3{X: 3, Y: 4}, Confidence: 0.75}},
	}
	var msg team.Measurements
	msg.SetSense(&picture)
	b, err := msg.AppendBinary(nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	var received team.Measurements
	if err := received.UnmarshalBinary(b); err != nil {
		fmt.Println(err)
		return
	}
	ball := &received.Balls[0]
	fmt.Printf("type %d, %d bytes: a ball %.1f m away at %.2f rad\n", received.DataType(), len(b), ball.Range, ball.Bearing)
	// Output:
	// type 2, 99 bytes: a ball 5.0 m away at 0.93 rad
}

// Fields and Check describe a message for people.
func ExampleCheck() {
	b, err := (&team.Motor{Sequence: 1, VX: 1.5}).AppendBinary(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	b[9] = 0xff // vx becomes NaN
	for _, issue := range team.Check(team.TypeMotor, b) {
		fmt.Println(issue)
	}
	for _, field := range team.Fields(team.TypeMotor, b)[:4] {
		fmt.Printf("%d %s = %s [%s]\n", field.Offset, field.Name, field.Value, field.Unit)
	}
	// Output:
	// byte 6, vx: NaN: want -100 to 100 m/s (TCM payloads)
	// 0 version = 1 []
	// 1 flags = none []
	// 2 sequence = 1 []
	// 6 vx = NaN [m/s]
}
