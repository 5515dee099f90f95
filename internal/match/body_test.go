package match

import (
	"math"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/team"
)

// cleared is a session with robot 1 at the left of the field, facing +x, and the other robots at its edge.
func cleared(t *testing.T) *Session {
	t.Helper()
	cfg := quiet()
	cfg.Obstacles = 0
	s := virtual(t, cfg, time.Second)
	for number, pose := range map[uint8]soccer.Pose{
		2: {X: 8, Y: -5}, 3: {X: 7, Y: -5}, 4: {X: 6, Y: -5}, 5: {X: 5, Y: -5},
	} {
		if err := s.MoveRobot(number, pose); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PlaceBall(soccer.Vec{X: 0, Y: 4}); err != nil {
		t.Fatal(err)
	}
	if err := s.MoveRobot(1, soccer.Pose{X: -4}); err != nil {
		t.Fatal(err)
	}
	return s
}

// pose returns where a robot truly is.
func pose(t *testing.T, s *Session, number uint8) soccer.Pose {
	t.Helper()
	for _, r := range s.Wall().Truth.Robots {
		if r.Number == number {
			return r.Pose
		}
	}
	t.Fatalf("robot %d is not on the field", number)
	return soccer.Pose{}
}

// steer repeats a command for a time, 20 times a second.
func steer(s *Session, number uint8, m *team.Motor, d time.Duration) {
	for end := s.Now().Add(d); s.Now() < end; {
		s.Drive(number, m)
		advance(s, 50*time.Millisecond)
	}
}

func TestDrivenRobotMoves(t *testing.T) {
	s := cleared(t)
	steer(s, 1, &team.Motor{VX: 1}, 2*time.Second)
	// It accelerates with 4 m/s^2 to 1 m/s: 0.125 m less than 2 m.
	if p := pose(t, s, 1); math.Abs(p.X-(-4+1.875)) > 0.03 || p.Y != 0 || p.Theta != 0 {
		t.Errorf("after 2 s at 1 m/s from -4 m it is at %+v, want x = -2.125 m", p)
	}
	steer(s, 1, &team.Motor{VY: 1, VHeading: math.Pi / 2}, 1*time.Second)
	if p := pose(t, s, 1); p.Theta < 1.2 || p.Theta > 1.6 || p.Y < 0.3 {
		t.Errorf("after a turn to the left it is at %+v, want a heading of about pi/2", p)
	}
	// 300 ms after the last command it brakes, and stands.
	advance(s, time.Second)
	stood := pose(t, s, 1)
	advance(s, time.Second)
	if p := pose(t, s, 1); p != stood {
		t.Errorf("without commands it moves from %+v to %+v", stood, p)
	}
}

func TestSilenceStopsDrivenRobot(t *testing.T) {
	s := cleared(t)
	steer(s, 1, &team.Motor{VX: 2}, time.Second)
	last := pose(t, s, 1)
	advance(s, 2*time.Second)
	// 250 ms at 2 m/s remain of the last command, and braking with 4 m/s^2 takes another 0.5 m.
	if way := pose(t, s, 1).X - last.X; way < 0.9 || way > 1.1 {
		t.Errorf("after the last command it moved by %.2f m, want about 1 m", way)
	}
}

func TestDrivenRobotStopsAtBodies(t *testing.T) {
	s := cleared(t)
	if err := s.MoveRobot(2, soccer.Pose{X: -2}); err != nil {
		t.Fatal(err)
	}
	steer(s, 1, &team.Motor{VX: 3}, 3*time.Second)
	if p := pose(t, s, 1); p.X > -2.5 || p.X < -2.7 {
		t.Errorf("it is at %+v, want beside the robot at (-2, 0)", p)
	}
	steer(s, 1, &team.Motor{VX: -9}, 5*time.Second)
	if p := pose(t, s, 1); p.X < -11 || p.X > -9 {
		t.Errorf("it is at %+v, want inside the boundary behind the goal line", p)
	}
}

func TestDrivenRobotDribblesAndKicks(t *testing.T) {
	s := cleared(t)
	if err := s.PlaceBall(soccer.Vec{X: -3.5}); err != nil {
		t.Fatal(err)
	}
	steer(s, 1, &team.Motor{VX: 0.5, Dribbler: 1}, time.Second)
	steer(s, 1, &team.Motor{VX: 0.5, VHeading: 1, Dribbler: 1}, 1500*time.Millisecond)
	p, ball := pose(t, s, 1), s.Wall().Truth.Ball
	if d := math.Hypot(ball.X-p.X, ball.Y-p.Y); d > soccer.RobotRadius+soccer.BallRadius+0.05 {
		t.Errorf("the ball is %.2f m from the robot, want it held by the dribbler", d)
	}
	steer(s, 1, &team.Motor{Kick: 7, KickSpeed: 5}, 100*time.Millisecond)
	ball = s.Wall().Truth.Ball
	if speed := math.Hypot(ball.VX, ball.VY); speed < 4.5 || speed > 5.1 {
		t.Errorf("after a kick with 5 m/s the ball has %.2f m/s", speed)
	}
	if along := math.Atan2(ball.VY, ball.VX) - p.Theta; math.Abs(along) > 0.2 {
		t.Errorf("the kick misses the robot's heading by %.2f rad", along)
	}
	if last := s.Wall().Marks; last[len(last)-1].Kind != "kick" || last[len(last)-1].Number != 1 {
		t.Errorf("got marks %+v, want a kick of robot 1", last)
	}
	// The same number is the same kick.
	if err := s.PlaceBall(soccer.Vec{X: p.X + 0.4*math.Cos(p.Theta), Y: p.Y + 0.4*math.Sin(p.Theta)}); err != nil {
		t.Fatal(err)
	}
	steer(s, 1, &team.Motor{Kick: 7, KickSpeed: 5}, 200*time.Millisecond)
	if ball = s.Wall().Truth.Ball; math.Hypot(ball.VX, ball.VY) > 0.1 {
		t.Errorf("a repeated command kicked again: %+v", ball)
	}
}

func TestDrivenRobotPushesBall(t *testing.T) {
	s := cleared(t)
	if err := s.PlaceBall(soccer.Vec{X: -3}); err != nil {
		t.Fatal(err)
	}
	steer(s, 1, &team.Motor{VX: 2}, 900*time.Millisecond)
	if ball := s.Wall().Truth.Ball; ball.X < -2.6 || ball.VX < 1 {
		t.Errorf("got ball %+v, want it to roll ahead of the robot", ball)
	}
}

func TestNonsenseDoesNotMoveARobot(t *testing.T) {
	s := cleared(t)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	was := pose(t, s, 1)
	for _, m := range []*team.Motor{{VX: nan}, {VHeading: nan}, {VY: nan, Kick: 1, KickSpeed: nan}, {Dribbler: nan}} {
		steer(s, 1, m, 200*time.Millisecond)
	}
	if p := pose(t, s, 1); p != was {
		t.Errorf("NaN moved it to %+v", p)
	}
	steer(s, 1, &team.Motor{VX: inf, VY: -inf, VHeading: inf, Kick: 1, KickSpeed: inf, KickElevation: inf}, time.Second)
	advance(s, 3*time.Second)
	if p := pose(t, s, 1); !(math.Abs(p.X) < 11 && math.Abs(p.Y) < 8 && math.Abs(p.Theta) < 4) {
		t.Errorf("infinite values moved it to %+v", p)
	}
	steer(s, 9, &team.Motor{VX: 1}, 100*time.Millisecond) // not on the field
}
