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
func seeTogether(errors []poseError, span time.Duration) *poseGroup {
	rng := rand.New(rand.NewPCG(1, 2))
	objects := []soccer.Vec{{X: 1, Y: 2}, {X: -3, Y: 1}, {X: 2, Y: -3}, {X: 0, Y: 4}}
	var past [4]poseSights
	g := new(poseGroup)
	for n := range int(span / (50 * time.Millisecond)) {
		for i, e := range errors {
			at := soccer.Epoch.Add(time.Duration(n)*50*time.Millisecond + time.Duration(i)*7*time.Millisecond)
			member := g.join(uint8(i), at, &usualErrors)
			g.advance(at, 4)
			self := soccer.Vec{X: float64(i) - 2, Y: 0.5 * float64(i)}
			for k, object := range objects {
				ray := object.Sub(self)
				seen := soccer.Vec{
					X: object.X + e.x - e.theta*ray.Y + 0.05*exact.Normal(rng),
					Y: object.Y + e.y + e.theta*ray.X + 0.05*exact.Normal(rng),
				}
				g.note(member, &poseSight{at, seen, ray, soccer.Cov{XX: 0.0025, YY: 0.0025}}, &past[k], soccer.Vec{}, 1)
			}
			g.learn()
		}
	}
	return g
}

func TestPoseErrorsAreFoundTogether(t *testing.T) {
	errors := []poseError{{x: 0.1, theta: 0.02}, {x: -0.1, y: 0.1}, {y: -0.1, theta: -0.02}, {x: 0.05}, {x: -0.05}}
	g := seeTogether(errors, 4*time.Second)
	for i, want := range errors {
		got := g.of(i, &usualErrors)
		if math.Abs(got.x-want.x) > 0.05 || math.Abs(got.y-want.y) > 0.05 || math.Abs(got.theta-want.theta) > 0.012 {
			t.Errorf("robot %d: got error %.3f %.3f %.4f, want %.3f %.3f %.4f", i, got.x, got.y, got.theta, want.x, want.y, want.theta)
		}
		if s := got.cov[0][0]; s < 0 || s > usualErrors[0][0]/3 {
			t.Errorf("robot %d: got variance %g m^2 of its error in x, want at most a third of the usual one", i, s)
		}
	}
}

// A robot that is alone learns nothing, and the frame of a group does not follow one lost robot.
func TestPoseGroupIsNotMisled(t *testing.T) {
	if e := seeTogether([]poseError{{x: 0.3}}, 2*time.Second).of(0, &usualErrors); e.x != 0 || e.y != 0 {
		t.Errorf("got error %+v of a robot alone, want none", e)
	}
	g := seeTogether([]poseError{{}, {}, {}, {}, {x: 3, theta: 1}}, 2*time.Second)
	for i := range 4 {
		if e := g.of(i, &usualErrors); math.Hypot(e.x, e.y) > 0.03 {
			t.Errorf("robot %d: got error %.3f %.3f beside a lost robot, want none", i, e.x, e.y)
		}
	}
}

func TestPoseGroupTakesTurns(t *testing.T) {
	at := soccer.Epoch
	g := new(poseGroup)
	for slot := range uint8(groupSize) {
		if m := g.join(slot, at, &usualErrors); m != int(slot) {
			t.Fatalf("got member %d for robot %d", m, slot)
		}
	}
	if m := g.join(20, at, &usualErrors); m != -1 {
		t.Errorf("got member %d for a robot too many, want -1", m)
	}
	g.errors[3] = 0.2
	g.leave(1)
	if m := g.join(20, at, &usualErrors); m != 1 || g.errors[3] != 0 {
		t.Errorf("got member %d with error %g for the place of a robot that has left, want 1 and 0", m, g.errors[3])
	}
	late := at.Add(2 * time.Second)
	g.join(0, late, &usualErrors)
	if m := g.join(21, late, &usualErrors); m <= 0 {
		t.Errorf("got member %d while seven robots are silent, want the place of one of them", m)
	}
	if e := g.of(-1, &usualErrors); e.cov != usualErrors || e.x != 0 {
		t.Errorf("got %+v for a robot without a place, want the usual error", e)
	}
}
