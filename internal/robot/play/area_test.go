package play

import (
	"math"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/team"
)

// moving returns a view of a robot that faces +x and moves.
func moving(at soccer.Pose, v soccer.Vec, ball soccer.Vec) *View {
	view := still(at, ball)
	view.Self.Twist, view.Self.HasTwist = soccer.Twist{X: v.X, Y: v.Y}, true
	return view
}

// A robot brakes before a goal area that is not its own to be in, and leaves one.
func TestStaysOutOfGoalAreas(t *testing.T) {
	for x, ahead := range map[float64]float64{6: 1, 7.95: 0, 8.15: -0.5, 8.6: -1} {
		v := still(soccer.Pose{X: x}, soccer.Vec{X: 8.85})
		a := decide(player(t, 3, true), v, 100*time.Millisecond)
		if got := a.Motor.Twist.X; ahead > 0 && got < 1 || ahead == 0 && math.Abs(got) > 0.6 || ahead < 0 && got > ahead {
			t.Errorf("at x = %v m the robot drives with %v", x, a.Motor.Twist)
		}
	}
}

// A robot that comes too fast brakes before a goal area from each side, also from beyond the goal line.
func TestBrakesBeforeGoalAreas(t *testing.T) {
	for _, c := range []struct{ at, v soccer.Vec }{
		{soccer.Vec{X: 7.5}, soccer.Vec{X: 3}},
		{soccer.Vec{X: 8.6, Y: 2.6}, soccer.Vec{Y: -3}},
		{soccer.Vec{X: 9.3, Y: -2.6}, soccer.Vec{Y: 3}},
		{soccer.Vec{X: 7.6, Y: 2.6}, soccer.Vec{X: 2, Y: -2}},
	} {
		v := moving(soccer.Pose{X: c.at.X, Y: c.at.Y}, c.v, soccer.Vec{X: 8.6, Y: -sign(c.at.Y)})
		got := decide(player(t, 3, true), v, 100*time.Millisecond).Motor.Twist
		if towards := (got.X*c.v.X + got.Y*c.v.Y) / c.v.Len(); towards > 1.5 {
			t.Errorf("at %v with %v the robot drives on with %.1f m/s", c.at, c.v, towards)
		}
	}
}

// A robot whose way out of a goal area is shut takes another one.
func TestFindsAnotherWayOut(t *testing.T) {
	p := player(t, 3, true)
	v := moving(soccer.Pose{X: 8.5}, soccer.Vec{}, soccer.Vec{X: 3})
	first := decide(p, v, 100*time.Millisecond).Motor.Twist
	if first.X > -1 {
		t.Fatalf("the robot leaves with %v", first)
	}
	seen := false
	for range 50 {
		got := decide(p, v, 20*time.Millisecond).Motor.Twist
		seen = seen || got.X*first.X+got.Y*first.Y < 0.8*math.Hypot(got.X, got.Y)*math.Hypot(first.X, first.Y)
	}
	if !seen {
		t.Error("the robot does not get on, and tries no other way in 1 s")
	}
}

// The way from one side of a goal area to the other leads before it.
func TestGoesRoundGoalAreas(t *testing.T) {
	for _, x := range []float64{8.6, -8.6} {
		for _, y := range []float64{3, -3} {
			v := still(soccer.Pose{X: x, Y: y}, soccer.Vec{X: x, Y: -y})
			if got := decide(player(t, 3, true), v, 100*time.Millisecond).Motor.Twist; got.X*sign(x) > -0.5 {
				t.Errorf("from (%v, %v) the robot drives with %v", x, y, got)
			}
		}
	}
}

// A robot between a goal area and the ball of a set piece that leaves no room waits there.
func TestWaitsBesideGoalAreas(t *testing.T) {
	v := still(soccer.Pose{X: 8.9, Y: -3.2}, soccer.Vec{X: 5.4, Y: -3})
	v.Referee = team.Referee{State: team.Waiting, SetPiece: team.GoalKick, Side: team.Theirs}
	if got := decide(player(t, 3, true), v, 100*time.Millisecond).Motor.Twist; math.Hypot(got.X, got.Y) > 0.1 {
		t.Errorf("the robot drives with %v", got)
	}
}

// A robot on its way does not drive on into one that it touches.
func TestPushesNobody(t *testing.T) {
	for _, at := range []soccer.Vec{{X: 0.5}, {X: 0.35, Y: 0.38}, {X: 0.3, Y: -0.4}} {
		v := still(soccer.Pose{}, soccer.Vec{X: 5})
		v.Booker = 4
		v.World.Obstacles = append(v.World.Obstacles, soccer.Obstacle{Position: at})
		got := decide(player(t, 3, true), v, 400*time.Millisecond).Motor.Twist
		if towards := (got.X*at.X + got.Y*at.Y) / at.Len(); towards > 0 {
			t.Errorf("towards a robot at %v it drives with %.2f m/s", at, towards)
		}
	}
}

// A robot in a fight for the ball does not push an opponent away for long.
func TestEndsAPush(t *testing.T) {
	p := player(t, 3, true)
	v := moving(soccer.Pose{}, soccer.Vec{X: 0.5}, soccer.Vec{X: 0.6, Y: 0.2})
	v.World.Obstacles = append(v.World.Obstacles, soccer.Obstacle{Position: soccer.Vec{X: 0.52}})
	drives, backs := false, false
	for range 40 {
		got := decide(p, v, 20*time.Millisecond).Motor.Twist.X
		drives, backs = drives || !backs && got > 0, backs || got < 0
		if v.Self.Twist.X = min(got, 0.5); backs {
			break
		}
	}
	if !drives || !backs {
		t.Errorf("in 0.8 s it drives towards it: %t, and backs: %t", drives, backs)
	}
}

// A robot that has taken the ball nearly as far as it may takes it no farther, also if it loses it for a moment.
func TestEndsDribble(t *testing.T) {
	p := player(t, 3, true)
	v := still(soccer.Pose{X: 2, Theta: 2.5}, soccer.Vec{})
	cos, sin := math.Cos(2.5), math.Sin(2.5)
	for way := 0.0; way < 2.3; way += 0.04 {
		v.Self.Pose.X, v.Self.Pose.Y = 2+way*cos, way*sin
		ball := &v.World.Ball.Position
		ball.X, ball.Y = v.Self.Pose.X+0.37*cos, v.Self.Pose.Y+0.37*sin
		v.HasBall = math.Abs(way-1) > 0.2
		decide(p, v, 20*time.Millisecond)
	}
	if got := decide(p, v, 40*time.Millisecond).Motor.Twist; got.X != 0 || got.Y != 0 || got.Theta == 0 {
		t.Errorf("after 2.3 m the robot drives on with %v", got)
	}
}

// A robot beyond a line that cannot leave the ball of a set piece on one side leaves it on the other.
func TestLeavesTheCircleBeyondALine(t *testing.T) {
	p := player(t, 3, true)
	v := moving(soccer.Pose{X: 8.5, Y: 6.4}, soccer.Vec{}, soccer.Vec{X: 8, Y: 5.7})
	v.Referee = team.Referee{State: team.Waiting, SetPiece: team.ThrowIn, Side: team.Theirs}
	ways := map[float64]bool{}
	for range 40 {
		ways[sign(decide(p, v, 20*time.Millisecond).Motor.Twist.X)] = true
	}
	if len(ways) != 2 {
		t.Error("the robot does not get on, and tries no other way in 0.8 s")
	}
}
