package world_test

import (
	"math"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// lofted is a ball that was kicked through the air at a time: at (-3, 0) with 6 m/s along x and 3.5 m/s up.
type lofted struct{ start soccer.Time }

func (l lofted) at(now soccer.Time) soccer.Vec3 {
	t := now.Sub(l.start).Seconds()
	return soccer.Vec3{X: -3 + 6*t, Z: soccer.BallRadius + 3.5*t - soccer.Gravity/2*t*t}
}

// picture is what a robot at self sees of a ball. One that measures no heights sees it where its ray meets the floor.
func picture(self soccer.Localisation, ball soccer.Vec3, heights bool) soccer.Percepts {
	p := oneBall(self, ball.X, ball.Y)
	if p.Balls[0].Position.Z = ball.Z; heights {
		return p
	}
	const camera = 0.7
	if ball.Z > camera-0.1 {
		p.Balls = nil
		return p
	}
	f := (camera - soccer.BallRadius) / (camera - ball.Z)
	from := self.Pose.XY()
	p.Balls[0].Position = soccer.Vec3{X: from.X + f*(ball.X-from.X), Y: from.Y + f*(ball.Y-from.Y)}
	return p
}

// kickedUp returns a model after pictures of a resting ball and of frames more after the kick, by robots 2 to 4. Robot 4
// measures no heights if flat is true.
func kickedUp(frames int, flat bool) (*world.Model, lofted, soccer.Time) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	ball := lofted{start: now + 24*40*ms}
	for i := range 25 + frames {
		place := soccer.Vec3{X: -3, Z: soccer.BallRadius}
		if i >= 25 {
			place = ball.at(now)
		}
		for r, self := range []soccer.Localisation{at(-5, 2), at(1, -3), at(0, 2)} {
			receive(m, sender(uint8(2+r)), now, 60*time.Millisecond, picture(self, place, !flat || r < 2))
		}
		now += 40 * ms
	}
	return m, ball, now
}

// A kick through the air is known as one after four pictures that show the ball above the floor, with the place where it
// will land.
func TestLoftedKick(t *testing.T) {
	for _, flat := range []bool{false, true} {
		m, ball, now := kickedUp(8, flat)
		b, want := belief(m, now).Ball, ball.at(now)
		if !b.Flying || math.Abs(b.Position.Z-want.Z) > 0.15 || distance(b, want.X, want.Y) > 0.35 {
			t.Errorf("flat %t: got %+v, want a ball in flight at %+v", flat, b, want)
		}
		if off := math.Abs(b.Position.Z - want.Z); !(b.HeightVar > 0 && off < 3*math.Sqrt(b.HeightVar)) {
			t.Errorf("flat %t: the height is off by %.2f m, its variance is %.4f m^2", flat, off, b.HeightVar)
		}
		at, in, flies := b.Landing()
		end := ball.start.Add(714 * time.Millisecond) // twice 3.5 m/s by gravity
		if late := now.Add(in).Sub(end).Seconds(); !flies || math.Abs(late) > 0.1 || math.Abs(at.X-ball.at(end).X) > 0.6 {
			t.Errorf("flat %t: it lands at %+v, %.2f s late, want at %+v", flat, at, late, ball.at(end))
		}
	}
}

// Without pictures the believed ball falls, bounces, and rolls in the end.
func TestFallingBall(t *testing.T) {
	m, ball, now := kickedUp(12, false)
	highest, bounced := 0.0, false
	for range 20 {
		now += 40 * ms
		b := belief(m, now).Ball
		if b.Position.Z < soccer.BallRadius-1e-9 {
			t.Fatalf("the ball is below the floor: %+v", b)
		}
		if now.Sub(ball.start) > 730*time.Millisecond {
			highest, bounced = max(highest, b.Position.Z), true
		}
	}
	if want := soccer.BallRadius + 0.36*3.5*3.5/2/soccer.Gravity; !bounced || math.Abs(highest-want) > 0.08 {
		t.Errorf("it bounces up to %.2f m, want %.2f m", highest, want)
	}
	for range 40 {
		place := soccer.Vec3{X: 4, Z: soccer.BallRadius}
		receive(m, sender(2), now, 60*time.Millisecond, picture(at(1, -3), place, true))
		receive(m, sender(3), now, 60*time.Millisecond, picture(at(0, 2), place, true))
		now += 40 * ms
	}
	if b := belief(m, now).Ball; b.Flying || distance(b, 4, 0) > 0.1 || math.Abs(b.Position.Z-soccer.BallRadius) > 0.01 {
		t.Errorf("a ball that lies at (4, 0): %+v", b)
	}
}

// One wrong height does not lift a ball that lies on the floor.
func TestWrongHeight(t *testing.T) {
	m, now := restingBall()
	receive(m, sender(2), now, 60*time.Millisecond, picture(at(3, 2), soccer.Vec3{X: 1, Y: 1, Z: 1.2}, true))
	if b := belief(m, now).Ball; b.Flying || distance(b, 1, 1) > 0.1 {
		t.Errorf("after one wrong height: %+v", b)
	}
}

// rolled passes m pictures by robots 2 to 4 of a ball at the places that at returns, 25 a second.
func rolled(m *world.Model, now soccer.Time, frames int, at func(t float64) soccer.Vec) soccer.Time {
	for i := range frames {
		p := at(float64(i) * 0.04)
		team(m, 3, now, p.X, p.Y)
		now += 40 * ms
	}
	return now
}

// Once the ball came back from a line several times, the model expects it to, and otherwise to roll on to the boundary.
func TestBoards(t *testing.T) {
	for _, boards := range []bool{true, false} {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		now := soccer.Epoch.Add(time.Second)
		var b soccer.Ball
		for range 10 {
			back := func(s float64) soccer.Vec {
				y := 4.6 + 3*s
				if y > 6 && boards {
					y = 6 - 0.6*(y-6)
				}
				return soccer.Vec{X: 1, Y: min(y, 6.6)}
			}
			now = rolled(m, now, 12, back)
			b = belief(m, now.Add(80*time.Millisecond)).Ball // as it moves on from 5.92 m
			now = rolled(m, now+40*ms, 14, func(s float64) soccer.Vec { return back(s + 0.52) })
			now += 3000 * ms
		}
		if back := b.Velocity.Y < -1; back != boards {
			t.Errorf("boards %t: before the line it is believed to move on with %.1f m/s to %.2f m", boards, b.Velocity.Y,
				b.Position.Y)
		}
	}
}

// A ball in the net stays there.
func TestNet(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := rolled(m, soccer.Epoch.Add(time.Second), 17, func(s float64) soccer.Vec { return soccer.Vec{X: 7 + 3.5*s} })
	if b := belief(m, now.Add(300*time.Millisecond)).Ball; b.Position.X > 9.8 {
		t.Errorf("0.3 s after it rolled into the goal: %+v", b)
	}
}
