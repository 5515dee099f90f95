package play

import (
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/team"
)

// A robot that has been in a penalty area as the third one for long leaves it: of the own goal's area, in which the
// goalkeeper does not count, and of the other one.
func TestLeavesACrowdedArea(t *testing.T) {
	for _, c := range []struct {
		what   string
		x      float64
		mates  []soccer.Vec
		leaves bool
	}{
		{"two and a keeper", -7.5, []soccer.Vec{{X: -8.8}, {X: -7.6, Y: -2}}, false},
		{"three and a keeper", -7.5, []soccer.Vec{{X: -8.8}, {X: -7.6, Y: -2}, {X: -7.6, Y: 2}}, true},
		{"three at the other end", 7.5, []soccer.Vec{{X: -8.8}, {X: 7.6, Y: -2}, {X: 7.6, Y: 2}}, true},
		{"one of them outside", 7.5, []soccer.Vec{{X: -8.8}, {X: 7.6, Y: -2}, {X: 5, Y: 2}}, false},
	} {
		const room = "make room in the penalty area"
		p, v := player(t, 4, false), still(soccer.Pose{X: c.x, Y: 0.8}, soccer.Vec{X: c.x - 0.3, Y: 0.8})
		for i, at := range c.mates {
			with(v, uint8(i+1), at)
		}
		for range 5 {
			if a := decide(p, v, time.Second); a.Intention == room {
				t.Errorf("%s: the robot leaves after %v", c.what, v.Now.Sub(soccer.Epoch))
			}
		}
		a := decide(p, v, 4*time.Second)
		if leaves := a.Intention == room && a.Motor.Twist.X*sign(c.x) < -1; leaves != c.leaves {
			t.Errorf("%s: after 9 s the robot wants to %s with %v", c.what, a.Intention, a.Motor.Twist)
		}
	}
}

// A ball that seems to fly away from a set piece, and lies there again, does not let a robot come near.
func TestAFalseBallEndsNoSetPiece(t *testing.T) {
	for _, c := range []struct {
		what  string
		away  soccer.Vec3
		speed float64
	}{
		{"a fast one", soccer.Vec3{X: 1.5, Y: 1}, 5},
		{"a slow one, and then the way back", soccer.Vec3{X: 2.3}, 0.2},
	} {
		p, v := player(t, 3, true), still(soccer.Pose{X: -3.4}, soccer.Vec{})
		v.Referee = team.Referee{State: team.Waiting, SetPiece: team.FreeKick, Side: team.Theirs}
		decide(p, v, time.Second)
		v.Referee.State = team.Running
		decide(p, v, time.Second)
		v.World.Ball.Position, v.World.Ball.Velocity.X = c.away, c.speed
		decide(p, v, 200*time.Millisecond)
		v.World.Ball.Position, v.World.Ball.Velocity.X = soccer.Vec3{}, 0.9
		decide(p, v, 20*time.Millisecond)
		v.World.Ball.Velocity.X = 0
		for range 20 {
			if a := decide(p, v, 20*time.Millisecond); a.Intention != "keep the distance" {
				t.Errorf("%s: the robot wants to %s", c.what, a.Intention)
				break
			}
		}
	}
}
