package world

import (
	"math"
	"testing"
	"time"

	"touchline/soccer"
)

// A ball is in a goal if all of it is behind the line, between the posts and under the bar.
func TestInGoal(t *testing.T) {
	f := soccer.MSL18x12()
	const sigma = 0.03
	variance := soccer.Vec3{X: sigma * sigma, Y: sigma * sigma, Z: sigma * sigma}
	line, post, bar := f.Length/2, f.GoalWidth/2, f.GoalHeight
	for _, c := range []struct {
		name        string
		at          soccer.Vec3
		least, most float64
	}{
		{"in the net", soccer.Vec3{X: line + f.GoalDepth - soccer.BallRadius}, 0.99, 1},
		{"in the other goal", soccer.Vec3{X: -line - 0.3, Y: -0.5}, 0.99, 1},
		{"half across the line", soccer.Vec3{X: line}, 0, 0.01},
		{"just behind the line", soccer.Vec3{X: line + soccer.BallRadius}, 0.45, 0.55},
		{"beside a post", soccer.Vec3{X: line + 0.3, Y: post + soccer.BallRadius}, 0, 0.01},
		{"over the bar", soccer.Vec3{X: line + 0.3, Z: bar + soccer.BallRadius}, 0, 0.01},
		{"high in the goal", soccer.Vec3{X: line + 0.3, Z: bar - 3*soccer.BallRadius}, 0.99, 1},
		{"behind the goal", soccer.Vec3{X: line + f.GoalDepth + 3*soccer.BallRadius}, 0, 0.01},
		{"on the field", soccer.Vec3{X: 3}, 0, 0},
	} {
		if p := inGoal(&f, c.at, variance); !(p >= c.least && p <= c.most) {
			t.Errorf("%s: %v, want %v to %v", c.name, p, c.least, c.most)
		}
	}
	if p := inGoal(&soccer.Field{}, soccer.Vec3{X: 9.3}, variance); p != 0 {
		t.Errorf("without a field: %v", p)
	}
	vague := soccer.Vec3{X: 1, Y: 1}
	if p := inGoal(&f, soccer.Vec3{X: line + 0.3}, vague); !(p > 0 && p < 0.5) {
		t.Errorf("of a vague place: %v", p)
	}
	if p := inGoal(&f, soccer.Vec3{X: math.Inf(1)}, vague); p != 0 {
		t.Errorf("at an infinite place: %v", p)
	}
}

// A goal counts once, when the ball lay there for a while; another one after the ball was elsewhere for a second.
func TestGoals(t *testing.T) {
	const step = 40 * time.Millisecond
	var g goalWatch
	now := soccer.Epoch
	see := func(in, x float64, pictures int) {
		for range pictures {
			now = now.Add(step)
			g.see(now, x, in)
		}
	}
	see(0, 0, 20)
	see(0.95, 9.3, 1)
	see(0, 8.5, 1)
	if g.newest.At != 0 {
		t.Fatalf("one false sight: %+v", g.newest)
	}
	began := now.Add(step)
	see(0.6, 9.2, 1)
	see(0.95, 9.3, 3)
	see(0.99, 9.3, 5)
	see(0.9, 9.3, 5)
	first := soccer.Goal{At: began, Probability: 0.99}
	if g.newest != first {
		t.Fatalf("%+v, want %+v", g.newest, first)
	}
	see(0, 0, 5) // a false sight elsewhere hides it for a moment
	see(0.99, 9.3, 10)
	if g.newest != first {
		t.Fatalf("the same ball: %+v, want %+v", g.newest, first)
	}
	see(0, 0, 30)
	began = now.Add(step)
	see(0.97, -9.3, 10)
	if want := (soccer.Goal{At: began, Conceded: true, Probability: 0.97}); g.newest != want {
		t.Fatalf("another one: %+v, want %+v", g.newest, want)
	}
	g.see(began, 9.3, 0.99) // an older sight
	see(0.4, 9.3, 20)
	if !g.newest.Conceded {
		t.Errorf("an unlikely one: %+v", g.newest)
	}
}
