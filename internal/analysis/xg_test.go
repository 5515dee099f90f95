package analysis

import (
	"math"
	"testing"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// Expected goals lie between 0 and 1, are worth more with a wider opening from where robots shoot, do not tell left from
// right, and are 0 where nothing is known.
func TestXG(t *testing.T) {
	for _, field := range []soccer.Field{soccer.MSL18x12(), soccer.MSL22x14()} {
		goal := field.Length / 2
		for bearing := 0.0; bearing <= math.Pi/2; bearing += 0.05 {
			for d := 0.05; d < 25; d += 0.05 {
				x, y := goal-d*math.Cos(bearing), d*math.Sin(bearing)
				last := 0.0
				for _, opening := range []float64{-1, 0, 0.1, 0.2, 0.3, 0.4, 0.8, 1.5} {
					if opening > 0 && opening > XGOpening(&field, soccer.Vec{X: x, Y: y}, nil) {
						continue // wider than the goal
					}
					got := XG(&field, soccer.Vec{X: x, Y: y}, opening)
					if !(got >= 0 && got <= 1) || d < 7 && got < last-0.04 {
						t.Fatalf("%s, %.2f m at %.2f rad, opening %v: xG %v, less open %v", field.Name, d, bearing, opening, got, last)
					}
					if other := XG(&field, soccer.Vec{X: x, Y: -y}, opening); other != got {
						t.Fatalf("%.2f m at %.2f rad: xG %v on the left, %v on the right", d, bearing, got, other)
					}
					last = got
				}
			}
		}
		empty := XG(&field, soccer.Vec{X: goal - 1}, XGOpening(&field, soccer.Vec{X: goal - 1}, nil))
		blocked := XG(&field, soccer.Vec{X: goal - 6}, XGOpening(&field, soccer.Vec{X: goal - 6}, []soccer.Vec{
			GuardPlace(&field, soccer.Vec{X: goal - 6}), {X: goal - 4, Y: 0.3}, {X: goal - 3, Y: -0.3},
		}))
		if empty < 0.9 || blocked > 0.2 {
			t.Errorf("%s: xG from 1 m at an empty goal %v, from 6 m with two robots in the way %v", field.Name, empty, blocked)
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

// The opening is the widest angle between the posts that no robot covers.
func TestXGOpening(t *testing.T) {
	field := soccer.MSL18x12() // posts at (9, 1) and (9, -1)
	ball := soccer.Vec{X: 5}
	const touching = soccer.RobotRadius + soccer.BallRadius
	post := math.Atan(1.0 / 4)
	half := math.Asin(touching / 2) // of a robot 2 m away
	edge := soccer.Vec{X: 2, Y: 0.4}
	for _, c := range []struct {
		robots []soccer.Vec
		want   float64
	}{
		{nil, 2 * post},
		{[]soccer.Vec{{X: 7}}, post - half},
		{[]soccer.Vec{{X: 7}, {X: 7, Y: 0.01}, {X: 6.9}}, post - math.Asin(touching/1.9)},
		{[]soccer.Vec{ball.Add(edge)}, post + edge.Angle() - math.Asin(touching/edge.Len())}, // all on the left is covered
		{[]soccer.Vec{{X: 7, Y: -1}, {X: 7, Y: 1}}, 2 * post},                                // beside the goal
		{[]soccer.Vec{{X: 5.3}}, 0},          // at the ball
		{[]soccer.Vec{{X: 5, Y: 0.3}}, post}, // at its side
		{[]soccer.Vec{{X: 4.5}, {X: 9.2}, {X: math.NaN()}, {X: 7, Y: math.NaN()}}, 2 * post}, // behind it, in the goal, nowhere
	} {
		if got := XGOpening(&field, ball, c.robots); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("robots at %v: opening %v, want %v", c.robots, got, c.want)
		}
	}
}

// A shot counts the places of all opponents, on both sides and in both halves, but not those of teammates. A goalkeeper
// that the log does not show counts as in its place, but not if a simulator tells that there is none.
func TestWorth(t *testing.T) {
	field := soccer.MSL18x12()
	from := soccer.Vec{X: 5.5, Y: 2}
	keeper, defenders := soccer.Vec{X: 8.5, Y: 0.4}, []soccer.Vec{{X: 7, Y: 1.2}, {X: 3}}
	for _, part := range []game.Part{game.FirstHalf, game.SecondHalf} {
		for _, side := range game.Sides {
			for _, c := range []struct {
				told, keeper bool
				robots       []soccer.Vec
			}{
				{false, true, append(defenders, keeper)}, {true, true, append(defenders, keeper)},
				{false, false, append(defenders, GuardPlace(&field, from))}, {true, false, defenders},
			} {
				f := Frame{State: game.State{Part: part}, Told: c.told}
				place := func(s game.Side, number uint8, at soccer.Vec) {
					at = at.Scale(part.Attack(side))
					f.Scene.Robots = append(f.Scene.Robots, autoref.Robot{
						Player: autoref.Player{Side: s, Number: number}, There: true, Pose: soccer.Pose{X: at.X, Y: at.Y},
					})
				}
				if c.keeper {
					place(side.Opponent(), 1, keeper)
				}
				place(side.Opponent(), 3, defenders[0])
				place(side.Opponent(), 4, defenders[1])
				place(side, 5, soccer.Vec{X: 7.5, Y: 1})
				e := Event{Kind: Shot, By: autoref.Player{Side: side, Number: 2}, From: from}
				if side == game.Away {
					e.From = e.From.Turned()
				}
				got, want := NewAnalyst(field).worth(&f, &e), XG(&field, from, XGOpening(&field, from, c.robots))
				if math.Abs(got-want) > 1e-12 || want == 0 {
					t.Errorf("%s, %s, told %v, goalkeeper %v: xG %v, want %v", part, side, c.told, c.keeper, got, want)
				}
			}
		}
	}
}
