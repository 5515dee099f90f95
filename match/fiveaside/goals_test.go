package fiveaside_test

import (
	"math"
	"testing"
	"time"

	"touchline/game"
	"touchline/match/fiveaside"
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
	told  [2][fiveaside.MostRobots][]goal
	wide  int // balls that crossed a goal line elsewhere
	was   float64
}

// look notes the ball, and what the robots say.
func (g *goalWatch) look(m *fiveaside.Match, v *fiveaside.View) {
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

// Each robot tells each goal once, and no other one, though balls roll past the posts and fly over the bar.
func TestRobotsTellGoals(t *testing.T) {
	for _, seed := range []uint64{1, 15} {
		cfg := fiveaside.DefaultConfig()
		cfg.Seed, cfg.Half, cfg.Link = seed, time.Minute, traffic.Link{Loss: 0.1}
		m := open(t, cfg, fiveaside.Tap{})
		g := goalWatch{field: cfg.Field}
		var v fiveaside.View
		for !m.Over() {
			m.Advance(m.Now().Add(20 * time.Millisecond))
			g.look(m, &v)
		}
		if len(g.true) < 3 || g.wide < 3 {
			t.Fatalf("seed %d: %d goals, and %d balls over a goal line elsewhere: want 3 of each", seed, len(g.true), g.wide)
		}
		for _, side := range game.Sides {
			for i, told := range g.told[side.Index()] {
				if len(told) != len(g.true) {
					t.Errorf("seed %d: robot %d of %v tells %d goals of %d", seed, i+1, side, len(told), len(g.true))
					continue
				}
				for k, want := range g.true {
					if late := told[k].at.Sub(want.at); told[k].end != want.end || late < -time.Second/4 || late > time.Second {
						t.Errorf("seed %d: robot %d of %v tells goal %d at the end %v, %v after it, want %v",
							seed, i+1, side, k, told[k].end, late, want.end)
					}
				}
			}
		}
	}
}
