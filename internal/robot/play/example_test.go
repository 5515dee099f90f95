package play

import (
	"encoding/json"
	"fmt"
	"slices"

	"touchline/internal/robot/hfsm"

	"touchline/soccer"
	"touchline/wire/team"
)

// A machine that never dribbles: it is data, and any program that reads JSON can change it.
func Example() {
	m := Default()
	m.Name = "kick and rush"
	for i := range m.States {
		if m.States[i].Behaviour == "dribble" {
			m.States[i].Behaviour = "clear"
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	m, err = hfsm.Parse(text)
	if err != nil {
		panic(err)
	}

	p, err := New(Config{Number: 3, Field: soccer.MSL18x12(), Books: true, Machine: m})
	if err != nil {
		panic(err)
	}
	view := &View{
		Now: soccer.Epoch, Heard: true, Referee: team.Referee{State: team.Running}, Booker: 3,
		Self:  soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: -6}},
		World: &soccer.World{Ball: soccer.Ball{Known: true, Position: soccer.Vec3{X: -4, Z: soccer.BallRadius}}},
	}
	for range 4 { // control periods
		a := p.Decide(view)
		fmt.Printf("%q: %s\n", p.States(), a.Intention)
		view.Now += 20e6
		view.HasBall = slices.Contains(p.States(), "approach")
	}
	// Output:
	// ["off" "stopped"]: stand
	// ["active" "play" "search"]: search the ball
	// ["active" "play" "attack" "approach"]: take the ball
	// ["active" "play" "attack" "dribble"]: clear the ball
}
