package world_test

import (
	"math"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// A ball that hits a robot at 45 degrees is believed to go on in the direction that follows from that with the first
// picture after it. A kick of unknown direction would leave it with most of its old velocity.
func TestBallBouncesOffRobot(t *testing.T) {
	const speed, rim, share = 3.0, 0.25 + soccer.BallRadius, 0.6
	side := rim / math.Sqrt2
	before, after := soccer.Vec{X: speed}, soccer.Vec{X: speed - speed*(1+share)/2, Y: speed * (1 + share) / 2}
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	hit := now + 20*40*ms
	ball := func(now soccer.Time) soccer.Vec {
		s, v := now.Sub(hit).Seconds(), before
		if s > 0 {
			v = after
		}
		return soccer.Vec{X: -side + s*v.X, Y: side + s*v.Y}
	}
	for range 22 {
		robot := at(0, 0)
		robot.HasTwist = true
		b := ball(now)
		receive(m, sender(2), now, 60*time.Millisecond, oneBall(robot, b.X, b.Y))
		receive(m, sender(3), now, 60*time.Millisecond, oneBall(at(3, 2), b.X, b.Y))
		now += 40 * ms
	}
	now -= 40 * ms // 40 ms after the bounce
	if v := belief(m, now).Ball.Velocity.XY(); v.Sub(after).Len() > 2 || v.Y < 1 {
		t.Errorf("40 ms after the bounce it moves with %+v, want about %+v", v, after)
	}
}
