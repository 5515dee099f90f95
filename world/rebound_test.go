package world

import (
	"math"
	"testing"

	"touchline/soccer"
)

// after returns the place and velocity of a ball after a bounce that gives back a share of its speed.
func after(w *surface, at, v soccer.Vec, share float64) (soccer.Vec, soccer.Vec) {
	r := w.reflection(share)
	x, y := r.of(v.X-w.velocity.X, v.Y-w.velocity.Y)
	over := (1 + share) * max(0, w.over)
	return soccer.Vec{X: at.X + w.normal.X*over, Y: at.Y + w.normal.Y*over},
		soccer.Vec{X: w.velocity.X + x, Y: w.velocity.Y + y}
}

// A ball bounces off a robot in the direction that follows from where it hits it, and from how the robot drives.
func TestRound(t *testing.T) {
	const radius, share = 0.25, 0.6
	rim := radius + soccer.BallRadius
	side := rim / math.Sqrt2
	for _, c := range []struct {
		name                   string
		at, v, body            soccer.Vec // relative to the robot's place, and its velocity
		dt                     float64
		hits                   bool
		wantPlace, wantVelocty soccer.Vec
	}{
		{name: "straight", at: soccer.Vec{X: -rim + 0.1}, v: soccer.Vec{X: 2}, dt: 0.1, hits: true,
			wantPlace: soccer.Vec{X: -rim - 0.06}, wantVelocty: soccer.Vec{X: -1.2}},
		{name: "at 45 degrees", at: soccer.Vec{X: -side, Y: side}, v: soccer.Vec{X: 2}, dt: 0.1, hits: true,
			wantPlace: soccer.Vec{X: -side, Y: side}, wantVelocty: soccer.Vec{X: 0.4, Y: 1.6}},
		{name: "off a robot that comes", at: soccer.Vec{X: -rim}, v: soccer.Vec{X: 1}, body: soccer.Vec{X: -1}, dt: 0.1,
			hits: true, wantPlace: soccer.Vec{X: -rim}, wantVelocty: soccer.Vec{X: -2.2}},
		{name: "not yet there", at: soccer.Vec{X: -2}, v: soccer.Vec{X: 2}, dt: 0.1},
		{name: "long past", at: soccer.Vec{X: 2}, v: soccer.Vec{X: 2}, dt: 0.1},
		{name: "beside it", at: soccer.Vec{Y: rim + 0.05}, v: soccer.Vec{X: 2}, dt: 0.1},
		{name: "away from it", at: soccer.Vec{X: -rim}, v: soccer.Vec{X: -2}, dt: 0.1},
		{name: "slowly: the robot holds it", at: soccer.Vec{X: -rim}, v: soccer.Vec{X: 0.9}, dt: 0.1},
	} {
		robot := soccer.Vec{X: 3, Y: -1}
		at := soccer.Vec{X: robot.X + c.at.X, Y: robot.Y + c.at.Y}
		walls := appendRound(nil, robot, c.body, radius, 0.2, at, c.v, c.dt, 0.001)
		if len(walls) != 0 != c.hits {
			t.Errorf("%s: %+v", c.name, walls)
			continue
		}
		if !c.hits {
			continue
		}
		place, v := after(&walls[0], c.at, c.v, share)
		if place.Sub(c.wantPlace).Len() > 1e-9 || v.Sub(c.wantVelocty).Len() > 1e-9 {
			t.Errorf("%s: at %+v with %+v, want %+v with %+v", c.name, place, v, c.wantPlace, c.wantVelocty)
		}
	}
}

// A ball bounces off the post of a goal, and not where the field has no goals.
func TestPosts(t *testing.T) {
	f := soccer.MSL18x12()
	at, v := soccer.Vec{X: -f.Length/2 + 0.05, Y: f.GoalWidth / 2}, soccer.Vec{X: -4}
	walls := appendPosts(nil, &f, at, v, 0.1, 0.001)
	if len(walls) != 1 || math.Abs(walls[0].normal.X-1) > 1e-9 || math.Abs(walls[0].over-(soccer.BallRadius-0.05)) > 1e-9 {
		t.Fatalf("at the post: %+v", walls)
	}
	if walls := appendPosts(nil, &f, soccer.Vec{X: at.X}, v, 0.1, 0.001); len(walls) != 0 {
		t.Errorf("in the middle of the goal: %+v", walls)
	}
	if walls := appendPosts(nil, &soccer.Field{}, soccer.Vec{X: -0.05}, v, 0.1, 0.001); len(walls) != 0 {
		t.Errorf("without a field: %+v", walls)
	}
}

// A covariance is reflected with the vector: the spread along the wall stays, across it shrinks.
func TestReflection(t *testing.T) {
	w := surface{normal: soccer.Vec{X: math.Sqrt2 / 2, Y: math.Sqrt2 / 2}}
	r := w.reflection(0.5)
	// 4 m^2 along the normal and 1 m^2 across it become 1 and 1.
	got := r.cov(soccer.Cov{XX: 2.5, XY: 1.5, YY: 2.5})
	if math.Abs(got.XX-1) > 1e-9 || math.Abs(got.XY) > 1e-9 || math.Abs(got.YY-1) > 1e-9 {
		t.Errorf("got %+v, want the unit matrix", got)
	}
	if x, y := r.of(1, -1); math.Abs(x-1) > 1e-9 || math.Abs(y+1) > 1e-9 {
		t.Errorf("along the wall: %v %v, want 1 -1", x, y)
	}
}
