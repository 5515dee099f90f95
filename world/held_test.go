package world_test

import (
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// carried returns a model after a second in which robots 2 and 3 saw the ball in front of robot 2, which drives with it
// along y, and the time. Then nobody sees it: where it is believed to be tells who has it.
func carried(gap float64) (*world.Model, soccer.Time) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 26 {
		y := -2 + 0.04*float64(i)*1.5
		mover := at(0, y)
		mover.HasTwist, mover.Twist = true, soccer.Twist{Y: 1.5}
		receive(m, sender(2), now, 60*time.Millisecond, oneBall(mover, gap, y))
		receive(m, sender(3), now, 60*time.Millisecond, oneBall(at(3, 1), gap, y))
		now += 40 * ms
	}
	return m, now - 40*ms
}

// A ball at a robot that drives as fast is held by it, and moves on with the robot; one beside it rolls and slows down.
func TestHeldBall(t *testing.T) {
	m, now := carried(0.4)
	b := belief(m, now.Add(400*time.Millisecond)).Ball
	if !b.Held || b.HeldBy != 2 || distance(b, 0.4, -0.5+0.6) > 0.05 || b.Velocity.Y < 1.35 {
		t.Errorf("0.4 s after the last picture of a dribbled ball: %+v", b)
	}
	m, now = carried(1.2)
	if b := belief(m, now.Add(400*time.Millisecond)).Ball; b.Held || b.HeldBy != 0 {
		t.Errorf("a ball 1.2 m beside a robot: %+v", b)
	}
}

// A held ball that is kicked is free, after three pictures, and has the velocity of the kick.
func TestKickedFromTheRobot(t *testing.T) {
	m, now := carried(0.4)
	x := 0.4
	for range 4 {
		now += 40 * ms
		x += 5 * 0.04
		robot := at(0, -0.5)
		robot.HasTwist = true
		receive(m, sender(2), now, 60*time.Millisecond, oneBall(robot, x, -0.5))
		receive(m, sender(3), now, 60*time.Millisecond, oneBall(at(3, 1), x, -0.5))
	}
	if b := belief(m, now).Ball; b.Held || b.Velocity.X < 3 || distance(b, x, -0.5) > 0.3 {
		t.Errorf("after a kick along x with 5 m/s: %+v, want it at %.2f m", b, x)
	}
}
