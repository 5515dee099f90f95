package world

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// usualErrors is the covariance of a pose with 8 cm and 0.02 rad.
var usualErrors = [3][3]float64{{0.0064, 0, 0}, {0, 0.0064, 0}, {0, 0, 0.0004}}

// seeTogether lets robots with these pose errors see four objects for a time, 20 times a second, and returns the group.
func seeTogether(errors []Error, span time.Duration) *Group {
	rng := rand.New(rand.NewPCG(1, 2))
	objects := []soccer.Vec{{X: 1, Y: 2}, {X: -3, Y: 1}, {X: 2, Y: -3}, {X: 0, Y: 4}}
	var past [4]PoseSights
	g := new(Group)
	for n := range int(span / (50 * time.Millisecond)) {
		for i, e := range errors {
			at := soccer.Epoch.Add(time.Duration(n)*50*time.Millisecond + time.Duration(i)*7*time.Millisecond)
			member := g.Join(uint8(i), at, &usualErrors)
			g.Advance(at, 4)
			self := soccer.Vec{X: float64(i) - 2, Y: 0.5 * float64(i)}
			for k, object := range objects {
				ray := object.Sub(self)
				seen := soccer.Vec{
					X: object.X + e.X - e.Theta*ray.Y + 0.05*exact.Normal(rng),
					Y: object.Y + e.Y + e.Theta*ray.X + 0.05*exact.Normal(rng),
				}
				g.Note(member, &PoseSight{at, seen, ray, soccer.Cov{XX: 0.0025, YY: 0.0025}}, &past[k], soccer.Vec{}, 1)
			}
			g.Learn()
		}
	}
	return g
}

func TestPoseErrorsAreFoundTogether(t *testing.T) {
	errors := []Error{{X: 0.1, Theta: 0.02}, {X: -0.1, Y: 0.1}, {Y: -0.1, Theta: -0.02}, {X: 0.05}, {X: -0.05}}
	g := seeTogether(errors, 4*time.Second)
	for i, want := range errors {
		got := g.Of(i, &usualErrors)
		if math.Abs(got.X-want.X) > 0.05 || math.Abs(got.Y-want.Y) > 0.05 || math.Abs(got.Theta-want.Theta) > 0.012 {
			t.Errorf("robot %d: got error %.3f %.3f %.4f, want %.3f %.3f %.4f", i, got.X, got.Y, got.Theta, want.X, want.Y, want.Theta)
		}
		if s := got.Cov[0][0]; s < 0 || s > usualErrors[0][0]/3 {
			t.Errorf("robot %d: got variance %g m^2 of its error in x, want at most a third of the usual one", i, s)
		}
	}
}

// A robot that is alone learns nothing, and the frame of a group does not follow one lost robot.
func TestPoseGroupIsNotMisled(t *testing.T) {
	if e := seeTogether([]Error{{X: 0.3}}, 2*time.Second).Of(0, &usualErrors); e.X != 0 || e.Y != 0 {
		t.Errorf("got error %+v of a robot alone, want none", e)
	}
	g := seeTogether([]Error{{}, {}, {}, {}, {X: 3, Theta: 1}}, 2*time.Second)
	for i := range 4 {
		if e := g.Of(i, &usualErrors); math.Hypot(e.X, e.Y) > 0.03 {
			t.Errorf("robot %d: got error %.3f %.3f beside a lost robot, want none", i, e.X, e.Y)
		}
	}
}

func TestPoseGroupTakesTurns(t *testing.T) {
	at := soccer.Epoch
	g := new(Group)
	for slot := range uint8(GroupSize) {
		if m := g.Join(slot, at, &usualErrors); m != int(slot) {
			t.Fatalf("got member %d for robot %d", m, slot)
		}
	}
	if m := g.Join(20, at, &usualErrors); m != -1 {
		t.Errorf("got member %d for a robot too many, want -1", m)
	}
	g.errors[3] = 0.2
	g.Leave(1)
	if m := g.Join(20, at, &usualErrors); m != 1 || g.errors[3] != 0 {
		t.Errorf("got member %d with error %g for the place of a robot that has left, want 1 and 0", m, g.errors[3])
	}
	late := at.Add(2 * time.Second)
	g.Join(0, late, &usualErrors)
	if m := g.Join(21, late, &usualErrors); m <= 0 {
		t.Errorf("got member %d while seven robots are silent, want the place of one of them", m)
	}
	if e := g.Of(-1, &usualErrors); e.Cov != usualErrors || e.X != 0 {
		t.Errorf("got %+v for a robot without a place, want the usual error", e)
	}
}
