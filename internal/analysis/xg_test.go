package analysis

import (
	"math"
	"testing"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// Expected goals lie between 0 and 1, fall with the distance in each direction from the goal, do not tell left from right,
// and are 0 where nothing is known.
func TestXG(t *testing.T) {
	for _, field := range []soccer.Field{soccer.MSL18x12(), soccer.MSL22x14()} {
		goal := field.Length / 2
		for inWay := -1; inWay <= 5; inWay++ {
			for bearing := 0.0; bearing <= math.Pi/2; bearing += 0.05 {
				last := 1.0
				for d := 0.05; d < 25; d += 0.05 {
					x, y := goal-d*math.Cos(bearing), d*math.Sin(bearing)
					got := XG(&field, soccer.Vec{X: x, Y: y}, inWay)
					if !(got >= 0 && got <= last+1e-9) {
						t.Fatalf("%s, %d in the way, %.2f m at %.2f rad: xG %v, nearer %v", field.Name, inWay, d, bearing, got, last)
					}
					if other := XG(&field, soccer.Vec{X: x, Y: -y}, inWay); other != got {
						t.Fatalf("%.2f m at %.2f rad: xG %v on the left, %v on the right", d, bearing, got, other)
					}
					last = got
				}
			}
		}
		if near := XG(&field, soccer.Vec{X: goal - 2}, 0); near < 0.1 {
			t.Errorf("%s: xG from 2 m is %v", field.Name, near)
		}
		for _, p := range []soccer.Vec{{X: math.NaN()}, {Y: math.NaN()}, {X: math.Inf(1)}, {X: -1e300, Y: 1e300}} {
			if got := XG(&field, p, 0); got != 0 {
				t.Errorf("xG at %v is %v", p, got)
			}
		}
	}
	small := soccer.VSS3v3()
	if got := XG(&small, soccer.Vec{X: 0.5}, 0); got != 0 || xgFits(&small) {
		t.Errorf("xG on a Very Small Size field is %v", got)
	}
}

// A robot is in the way when it reaches into the triangle between the ball and the posts.
func TestInWay(t *testing.T) {
	field := soccer.MSL18x12() // posts at (9, 1) and (9, -1)
	ball := soccer.Vec{X: 5}
	for _, c := range []struct {
		robot soccer.Vec
		want  bool
	}{
		{soccer.Vec{X: 7}, true},
		{soccer.Vec{X: 7, Y: 0.5}, true}, // on the edge
		{soccer.Vec{X: 7, Y: 0.7}, true}, // reaches into it
		{soccer.Vec{X: 7, Y: -0.7}, true},
		{soccer.Vec{X: 7, Y: 0.8}, false},
		{soccer.Vec{X: 4.8}, true},  // its front is there
		{soccer.Vec{X: 4.7}, false}, // behind the ball
		{soccer.Vec{X: 9.2}, false}, // in the goal
		{soccer.Vec{X: math.NaN()}, false},
	} {
		if got := InWay(&field, ball, c.robot); got != c.want {
			t.Errorf("robot at %v: %v", c.robot, got)
		}
	}
}

// A shot counts the opponents in the way, on both sides and in both halves, but neither goalkeepers nor teammates.
func TestWorth(t *testing.T) {
	field := soccer.MSL18x12()
	for _, part := range []game.Part{game.FirstHalf, game.SecondHalf} {
		for _, side := range game.Sides {
			f := Frame{State: game.State{Part: part}}
			place := func(s game.Side, number uint8, x, y float64) {
				at := soccer.Vec{X: x, Y: y}.Scale(part.Attack(side))
				f.Scene.Robots = append(f.Scene.Robots, autoref.Robot{
					Player: autoref.Player{Side: s, Number: number}, There: true, Pose: soccer.Pose{X: at.X, Y: at.Y},
				})
			}
			place(side.Opponent(), 1, 8.5, 0.4)
			place(side.Opponent(), 3, 7, 1.2)
			place(side.Opponent(), 4, 3, 0)
			place(side, 5, 7.5, 1)
			e := Event{Kind: Shot, By: autoref.Player{Side: side, Number: 2}, From: soccer.Vec{X: 5.5, Y: 2}}
			if side == game.Away {
				e.From = e.From.Turned()
			}
			a := NewAnalyst(field)
			if got, want := a.worth(&f, &e), XG(&field, soccer.Vec{X: 5.5, Y: 2}, 1); got != want || want == 0 {
				t.Errorf("%s, %s: xG %v, want %v", part, side, got, want)
			}
		}
	}
}
