package sim

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/soccer"
)

var (
	mslPhysics Physics
	mslBody    = bodyOf(&mslPhysics)
	msl        = &mslBody
)

// However a robot is commanded, neither its velocity nor the change of it exceeds the limits, and it gets where it shall.
func TestFollow(t *testing.T) {
	const h = 0.01
	r := rand.New(rand.NewPCG(1, 1))
	var v, desired soccer.Twist
	for i := range 20_000 {
		if i%50 == 0 {
			desired = soccer.Twist{X: r.Float64()*12 - 6, Y: r.Float64()*12 - 6, Theta: r.Float64()*16 - 8}
		}
		sin, cos := math.Sincos(float64(i))
		next := msl.follow(v, desired, cos, sin, h)
		if math.Hypot(next.X, next.Y) > maxSpeed+1e-9 || math.Abs(next.Theta) > maxTurn ||
			math.Hypot(next.X-v.X, next.Y-v.Y) > maxAccel*h+1e-9 ||
			math.Abs(next.Theta-v.Theta) > maxTurnUp*h+1e-9 {
			t.Fatalf("%+v follows %+v for %+v", next, v, desired)
		}
		v = next
	}
	v = soccer.Twist{}
	for range 100 { // a robot that faces +y
		v = msl.follow(v, soccer.Twist{X: 3, Y: 1, Theta: -2}, 0, 1, h)
	}
	if math.Abs(v.X+1) > 1e-12 || math.Abs(v.Y-3) > 1e-12 || v.Theta != -2 {
		t.Errorf("it moves with %+v, want -1 along x and 3 along y", v)
	}
}

func TestCommandHolds(t *testing.T) {
	d := omniDrive{Command: soccer.Motor{Twist: soccer.Twist{X: 1}, Kick: 2}, Since: soccer.Epoch}
	for wait, holds := range map[time.Duration]bool{0: true, commandHolds: true, commandHolds + 1: false} {
		now := soccer.Epoch.Add(wait)
		if d.acts(now) != holds || (d.obeyed(now) == d.Command) != holds {
			t.Errorf("after %v the command counts: %t", wait, !holds)
		}
	}
	d.Command.Twist = soccer.Twist{}
	if !d.acts(soccer.Epoch) {
		t.Error("a kick does not count as an act")
	}
	if d.Kicked = 2; d.acts(soccer.Epoch) {
		t.Error("a kick that was executed counts as an act")
	}
}

// The wheels measure the way in the frame of the first pose; where a robot is carried they measure nothing.
func TestTravel(t *testing.T) {
	d := omniDrive{Anchor: soccer.Pose{X: 1, Y: 2, Theta: math.Pi / 2}}
	near := func(got, want soccer.Pose) {
		t.Helper()
		if got.XY().Sub(want.XY()).Len() > 1e-12 || math.Abs(soccer.WrapAngle(got.Theta-want.Theta)) > 1e-12 {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	at := soccer.Pose{X: 1, Y: 4, Theta: math.Pi}
	near(d.travelTo(at), soccer.Pose{X: 2, Theta: math.Pi / 2})
	d.carry(at, soccer.Pose{X: -5})
	near(d.travelTo(soccer.Pose{X: -5}), soccer.Pose{X: 2, Theta: math.Pi / 2})
	near(d.travelTo(soccer.Pose{X: -4, Theta: 1}), soccer.Pose{X: 2, Y: 1, Theta: math.Pi/2 + 1})
}

// a dribbler moves a ball to its place, no faster than it can.
func TestDribble(t *testing.T) {
	const h = 0.002
	ball, v := soccer.Vec{X: 0.44, Y: 0.1}, soccer.Vec{Y: -0.3}
	for range 1000 {
		was := v
		v = msl.dribbled(v, ball, soccer.Twist{}, 1, 0, 0.5, h)
		if v.Sub(was).Len() > 0.5*dribblerPull*h+1e-12 {
			t.Fatalf("the ball accelerates from %+v to %+v", was, v)
		}
		ball.X, ball.Y = ball.X+v.X*h, ball.Y+v.Y*h
	}
	if want := soccer.RobotRadius + soccer.BallRadius + 0.01; math.Abs(ball.X-want) > 1e-3 || math.Abs(ball.Y) > 1e-3 {
		t.Errorf("the ball comes to %+v, want %g m ahead", ball, want)
	}
}

func TestKickIsLimited(t *testing.T) {
	var exact Kicker
	v := exact.kick(&soccer.Motor{KickSpeed: 50, KickElevation: 1.5}, 0, 1, MaxKick, nil)
	if level := math.Abs(v.Y - MaxKick/2); math.Abs(v.X) > 1e-12 || level > 1e-9 || math.Abs(v.Z-MaxKick*math.Sqrt(3)/2) > 1e-9 {
		t.Errorf("a kick with 50 m/s and 86 degrees has %+v, want 12 m/s and 60 degrees", v)
	}
}
