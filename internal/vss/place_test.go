package vss_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// placed returns the placements of a team after the last call, with orientations in degrees.
func (p *pitch) placed(team firasim.Color) map[uint32]firasim.Robot {
	poses := map[uint32]firasim.Robot{}
	for _, r := range p.put.Replacement.Robots {
		if r.Yellow == (team == firasim.Yellow) {
			poses[r.Position.ID] = r.Position
		}
	}
	return poses
}

func wishOf(team firasim.Color, robots ...firasim.Robot) *firasim.Placement {
	return &firasim.Placement{HasWorld: true, Team: team, Robots: robots}
}

func TestWishes(t *testing.T) {
	p := newPitch(t, rules5v5())
	p.tick()
	p.ref.Place(wishOf(firasim.Blue,
		firasim.Robot{ID: 3, X: -0.1, Y: 0.05, Orientation: 30},   // kicks
		firasim.Robot{ID: 4, X: -1.05, Y: 0.1, Orientation: 450},  // keeps
		firasim.Robot{ID: 0, X: -0.5, Y: 0.5, Orientation: -90},   // fine
		firasim.Robot{ID: 1, X: 0.5, Y: 0.5},                      // in the other half
		firasim.Robot{ID: 2, X: -0.1, Y: -0.1},                    // in the circle, but does not kick
		firasim.Robot{ID: 5, X: -0.5}, firasim.Robot{ID: 1 << 31}, // nobody
		firasim.Robot{ID: 0, X: math.NaN()}, firasim.Robot{ID: 0, X: -0.5, Orientation: math.Inf(1)},
	))
	if c := p.run(time.Second); c.Foul != firasim.Kickoff {
		t.Fatalf("with the placement of one team: got %+v, want the kick-off to wait", c)
	}
	p.ref.Place(wishOf(firasim.NoTeam, firasim.Robot{}))
	p.ref.Place(&firasim.Placement{Team: firasim.Yellow})
	want(t, "no placement at all", p.tick(), firasim.Kickoff, firasim.Blue, 0)
	p.ref.Place(wishOf(firasim.Yellow, firasim.Robot{ID: 1, X: 0.4, Y: -0.3, Orientation: 200}))
	want(t, "both placed", p.tick(), firasim.Stop, firasim.NoTeam, 0)

	blue, yellow := p.placed(firasim.Blue), p.placed(firasim.Yellow)
	for id, pose := range map[uint32]firasim.Robot{
		3: {ID: 3, X: -0.1, Y: 0.05, Orientation: 30}, 4: {ID: 4, X: -1.05, Y: 0.1, Orientation: 90},
		0: {X: -0.5, Y: 0.5, Orientation: -90},
	} {
		if got := blue[id]; got.X != pose.X || got.Y != pose.Y || math.Abs(got.Orientation-pose.Orientation) > 1e-9 {
			t.Errorf("got blue %d at %+v, want %+v", id, got, pose)
		}
	}
	if blue[1].X > -robotEdge/2 || math.Hypot(blue[2].X, blue[2].Y) < soccer.VSS5v5().CircleRadius+robotEdge/2 {
		t.Errorf("got %+v and %+v, want places that the rules allow", blue[1], blue[2])
	}
	if got := yellow[1]; math.Abs(got.X-0.4) > 1e-12 || math.Abs(got.Y+0.3) > 1e-12 ||
		math.Abs(math.Mod(got.Orientation-200, 360)) > 1e-9 {
		t.Errorf("got yellow 1 at %+v", got)
	}
	if len(blue) != 5 || len(yellow) != 5 {
		t.Errorf("got %d and %d placed robots, want 5 each", len(blue), len(yellow))
	}
}

// Robots that are missing in vision are switched off and stay off.
func TestOffStaysOff(t *testing.T) {
	p := newPitch(t, rules3v3())
	p.env.Frame.Blue = p.env.Frame.Blue[1:2]
	p.env.Frame.Yellow = append(p.env.Frame.Yellow, firasim.Robot{ID: 3}, firasim.Robot{ID: math.MaxUint32})
	p.run(5 * time.Second)
	if blue, yellow := p.placed(firasim.Blue), p.placed(firasim.Yellow); len(blue) != 1 || len(yellow) != 3 {
		t.Errorf("got placements %v and %v", blue, yellow)
	}
}

// For any placements of teams the simulator accepts those of the referee, and without them no robots overlap.
func TestPlacesAreOnTheField(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for _, cfg := range []vss.RefereeConfig{rules3v3(), rules5v5()} {
		for _, order := range []string{
			"kickoff blue", "kickoff yellow", "penalty blue", "penalty yellow", "goal_kick blue", "goal_kick yellow",
			"free_ball 1", "free_ball 2", "free_ball 3", "free_ball 4",
		} {
			for try := range 200 {
				p := newPitch(t, cfg)
				p.tick()
				if err := p.ref.Do(order); err != nil {
					t.Fatal(err)
				}
				if try > 0 {
					for _, team := range []firasim.Color{firasim.Blue, firasim.Yellow} {
						var robots []firasim.Robot
						for id := range cfg.Robots {
							robots = append(robots,
								firasim.Robot{ID: uint32(id), X: random.NormFloat64(), Y: random.NormFloat64(),
									Orientation: 1000 * random.NormFloat64()})
						}
						p.ref.Place(wishOf(team, robots...))
					}
				}
				p.run(4100 * time.Millisecond)
				if n := len(p.put.Replacement.Robots); n != 2*cfg.Robots {
					t.Fatalf("%s: got %d placed robots", order, n)
				}
				checkPlaces(t, fmt.Sprint(order, " try ", try), cfg.Field, p.put.Replacement, try == 0)
			}
		}
	}
}

// checkPlaces fails for robots that are partly outside the field and, if apart is set, for robots that overlap each other
// or the ball.
func checkPlaces(t *testing.T, what string, f soccer.Field, r firasim.Replacement, apart bool) {
	t.Helper()
	for i, a := range r.Robots {
		sin, cos := math.Sincos(a.Position.Orientation * math.Pi / 180)
		reach := robotEdge / 2 * (math.Abs(sin) + math.Abs(cos))
		x, y := math.Abs(a.Position.X), math.Abs(a.Position.Y)
		if x+reach > f.Length/2+1e-9 || y+reach > f.Width/2+1e-9 ||
			x+y > f.Length/2+f.Width/2-f.CornerCut-robotEdge/2*math.Sqrt2 {
			t.Errorf("%s: got %+v, want it on the field", what, a)
		}
		if !apart {
			continue
		}
		if d := math.Hypot(a.Position.X-r.Ball.X, a.Position.Y-r.Ball.Y); d < robotEdge/2*math.Sqrt2+ballR {
			t.Errorf("%s: got %+v, which overlaps the ball at %+v", what, a, r.Ball)
		}
		for _, b := range r.Robots[:i] {
			if d := math.Hypot(a.Position.X-b.Position.X, a.Position.Y-b.Position.Y); d < robotEdge*math.Sqrt2 {
				t.Errorf("%s: got %+v and %+v, which overlap", what, a, b)
			}
		}
	}
}
