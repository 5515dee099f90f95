package match

import (
	"math"
	"slices"
	"testing"
	"time"

	"touchline/game"

	"touchline/soccer"
	"touchline/transport/traffic"
)

// goal is a ball in the goal at an end of the field.
type goal struct {
	at  soccer.Time
	end float64 // sign of x in the field frame
}

// goalWatch compares the goals that all robots of a match believe with the true ones.
type goalWatch struct {
	field soccer.Field
	left  soccer.Time // when the ball was last in a goal
	true  []goal
	told  [2][MostRobots][]goal
	wide  int // balls that crossed a goal line elsewhere
	was   float64
}

// look notes the ball, and what the robots say.
func (g *goalWatch) look(m *Match, v *View) {
	m.View(v)
	f, b := &g.field, v.Ball
	behind := math.Abs(b.X) - f.Length/2 - soccer.BallRadius
	if in := behind > 0 && behind < f.GoalDepth && math.Abs(b.Y) < f.GoalWidth/2 && b.Z < f.GoalHeight; in {
		if v.Time.Sub(g.left) > time.Second {
			g.true = append(g.true, goal{v.Time, math.Copysign(1, b.X)})
		}
		g.left = v.Time
	} else if behind > 0 && g.was <= 0 {
		g.wide++
	}
	g.was = behind
	var w soccer.World
	for _, side := range game.Sides {
		for i := range g.told[side.Index()] {
			told := &g.told[side.Index()][i]
			if !m.World(side, uint8(i+1), &w) || w.Goal.At == 0 || len(*told) > 0 && (*told)[len(*told)-1].at == w.Goal.At {
				continue
			}
			end := 1.0
			if w.Goal.Conceded != ((side == game.Away) != v.Turned) {
				end = -1
			}
			*told = append(*told, goal{w.Goal.At, end})
		}
	}
}

// compare counts the goals that robots told, and reports those that were none, or that a robot told twice.
func (g *goalWatch) compare(t *testing.T, seed uint64) (told int) {
	for side := range g.told {
		for i, all := range g.told[side] {
			known := make([]bool, len(g.true))
			for _, said := range all {
				k := slices.IndexFunc(g.true, func(is goal) bool {
					late := said.at.Sub(is.at)
					return said.end == is.end && late > -time.Second/4 && late < 3*time.Second/2
				})
				switch {
				case k < 0:
					t.Errorf("seed %d: robot %d of side %d tells a goal that was none: %+v", seed, i+1, side, said)
				case known[k]:
					t.Errorf("seed %d: robot %d of side %d tells a goal twice: %+v", seed, i+1, side, said)
				default:
					known[k] = true
					told++
				}
			}
		}
	}
	return told
}

// Robots tell most goals, each once, and no other ones, though balls roll past the posts and fly over the bar.
func TestRobotsTellGoals(t *testing.T) {
	told, goals, wide := 0, 0, 0
	for seed := uint64(1); seed <= 4; seed++ {
		cfg := DefaultMatchConfig()
		cfg.Seed, cfg.Half, cfg.Link = seed, time.Minute, traffic.Link{Loss: 0.1}
		m := open(t, cfg, Tap{})
		g := goalWatch{field: cfg.Field}
		var v View
		for !m.Over() {
			m.Advance(m.Now().Add(20 * time.Millisecond))
			g.look(m, &v)
		}
		told += g.compare(t, seed)
		goals, wide = goals+len(g.true), wide+g.wide
	}
	if goals < 3 || wide < 3 {
		t.Fatalf("%d goals, and %d balls over a goal line elsewhere: want 3 of each", goals, wide)
	}
	if robots := 2 * MostRobots; 10*told < 6*goals*robots {
		t.Errorf("%d robots tell %d times one of %d goals, want 60 %% of them", robots, told, goals)
	} else {
		t.Logf("told %d of %d; %d balls went wide", told, goals*robots, wide)
	}
}
