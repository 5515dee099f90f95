package play

import (
	"math"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/team"
)

// still is a view of a game that runs: robot 3 stands at a place and has booked the ball.
func still(at soccer.Pose, ball soccer.Vec) *View {
	w := new(soccer.World)
	w.Ball = soccer.Ball{Known: true, Position: soccer.Vec3{X: ball.X, Y: ball.Y, Z: soccer.BallRadius}}
	return &View{Now: soccer.Epoch, World: w, Booker: 3, Heard: true, Referee: team.Referee{State: team.Running},
		Self: soccer.Localisation{Known: true, HasHeading: true, Pose: at}}
}

// with adds a teammate to a view.
func with(v *View, number uint8, at soccer.Vec) {
	p := soccer.Peer{Sender: soccer.Sender{Robot: number}, Self: soccer.Localisation{Known: true}}
	p.Self.Pose.X, p.Self.Pose.Y = at.X, at.Y
	v.World.Peers = append(v.World.Peers, p)
}

// decide lets a player decide for a time while the view stays as it is, and returns the newest action.
func decide(p *Player, v *View, d time.Duration) (a Action) {
	for end := v.Now.Add(d); v.Now < end; {
		v.Now = v.Now.Add(20 * time.Millisecond)
		for i := range v.World.Peers {
			v.World.Peers[i].LastReceived = v.Now
		}
		a = p.Decide(v)
	}
	return a
}

// A robot with an opponent before it, and a teammate that is too near for a pass, plays the ball into space, and dribbles while it is free.
func TestReleasesAThreatenedBall(t *testing.T) {
	for threatened, want := range map[bool]string{true: "release", false: "dribble"} {
		v := still(soccer.Pose{X: -4}, soccer.Vec{X: -3.62})
		v.HasBall = true
		with(v, 4, soccer.Vec{X: -3.4, Y: 1.4})
		if threatened {
			v.World.Obstacles = append(v.World.Obstacles, soccer.Obstacle{Position: soccer.Vec{X: -2.9, Y: 0.2}})
		}
		p := player(t, 3, true)
		decide(p, v, 100*time.Millisecond)
		if s := p.States(); !slices.Contains(s, want) {
			t.Errorf("threatened: %t: got %v, want %s", threatened, s, want)
		}
	}
}

// Robots pass to a teammate in the field, and not to one that stands on a line.
func TestPassesIntoTheField(t *testing.T) {
	for y, want := range map[float64]bool{2: true, 5.9: false} {
		v := still(soccer.Pose{X: -4, Y: y - 1, Theta: math.Pi / 4}, soccer.Vec{X: -3.73, Y: y - 0.73})
		v.HasBall = true
		with(v, 4, soccer.Vec{X: -0.5, Y: y})
		p := player(t, 3, true)
		decide(p, v, 100*time.Millisecond)
		if got := slices.Contains(p.States(), "pass"); got != want {
			t.Errorf("a teammate at y = %v: %v, want a pass: %t", y, p.States(), want)
		}
	}
}

// A robot in the circle of the opponents' set piece drives out of it, also past a teammate.
func TestLeavesTheCircle(t *testing.T) {
	for _, mate := range []soccer.Vec{{X: 2.6, Y: 0.1}, {X: 2.3, Y: -0.6}, {X: 1.5, Y: 0}} {
		v := still(soccer.Pose{X: 2}, soccer.Vec{})
		v.Referee = team.Referee{State: team.Waiting, SetPiece: team.FreeKick, Side: team.Theirs}
		with(v, 4, mate)
		if a := decide(player(t, 3, true), v, 100*time.Millisecond); !(a.Motor.Twist.X > 0.5) {
			t.Errorf("with a teammate at %v the robot drives with %v", mate, a.Motor.Twist)
		}
	}
}
