package match

import (
	"fmt"
	"math"
	"time"

	"touchline/exact"
	"touchline/soccer"
)

// kickIn lets somebody beside the field kick the ball from where it lies, in a new direction past the robots.
func (s *Session) kickIn() {
	ball, _ := s.engine.Ball()
	aim := soccer.Vec{
		X: float64((exact.Uniform(s.rng)-0.5)*0.7) * s.cfg.Field.Length,
		Y: float64((exact.Uniform(s.rng)-0.5)*0.7) * s.cfg.Field.Width,
	}
	way := aim.Sub(ball.XY())
	direction := exact.Atan2(way.Y, way.X)
	sin, cos := exact.Sincos(direction)
	speed := 3 + float64(3*exact.Uniform(s.rng))
	v := soccer.Vec3{X: float64(speed * cos), Y: float64(speed * sin)}
	if exact.Uniform(s.rng) < 0.15 {
		v.Z = 2 + float64(2*exact.Uniform(s.rng))
	}
	if err := s.engine.KickBall(v); err == nil {
		s.mark("kick", 0, "kick-in")
	}
}

// catchEvery is how often the people beside the field look at the ball.
const catchEvery = 20 * time.Millisecond

// catch lets the people beside the field stop a ball that rolls out, where they will kick it in again.
func (s *Session) catch() {
	ball, v := s.engine.Ball()
	const out = 2 * soccer.BallRadius
	overX, overY := math.Abs(ball.X)-s.cfg.Field.Length/2 > out, math.Abs(ball.Y)-s.cfg.Field.Width/2 > out
	if overX && float64(ball.X*v.X) > 0 || overY && float64(ball.Y*v.Y) > 0 {
		_ = s.engine.KickBall(soccer.Vec3{}) // standing still is never out of range
	}
}

// maxKick is as hard as the page may kick: m/s, about what the league's strongest kickers reach.
const maxKick = 12

// Kick kicks the ball from where it lies with a velocity in m/s, field frame, at most 12 m/s.
func (s *Session) Kick(v soccer.Vec3) error {
	if speed := math.Sqrt(float64(v.X*v.X) + float64(v.Y*v.Y) + float64(v.Z*v.Z)); !(speed <= maxKick) {
		return fmt.Errorf("match: a kick of %.1f m/s: at most %d m/s", speed, maxKick)
	}
	if err := s.engine.KickBall(v); err != nil {
		return err
	}
	s.mark("kick", 0, "kick")
	return nil
}

// PlaceBall puts the ball down at rest.
func (s *Session) PlaceBall(at soccer.Vec) error {
	return s.engine.PlaceBall(soccer.Vec3{X: at.X, Y: at.Y, Z: soccer.BallRadius})
}

// MoveObstacle puts an obstacle elsewhere.
func (s *Session) MoveObstacle(index int, at soccer.Vec) error {
	return s.engine.MoveObstacle(index, at)
}

// MoveRobot puts a robot elsewhere; it keeps running.
func (s *Session) MoveRobot(number uint8, pose soccer.Pose) error {
	return s.engine.MoveRobot(number, pose)
}

// Switch switches the robot of a jersey number off or on. Its body stays where it is.
func (s *Session) Switch(number uint8, on bool) error {
	i := s.slot(number)
	if i < 0 {
		return fmt.Errorf("match: robot %d is not on the field", number)
	}
	if on == (s.slots[i].robot != nil) {
		return nil
	}
	if !on {
		s.slots[i].robot = nil
		s.mark("off", number, fmt.Sprintf("%d switched off", number))
		return nil
	}
	s.mark("on", number, fmt.Sprintf("%d switched on", number))
	return s.start(i)
}

// Substitute sends the robot of a jersey number outside; who waited there takes its position and its monitor, and keeps
// its own number.
func (s *Session) Substitute(number uint8) error {
	i := s.slot(number)
	if i < 0 {
		return fmt.Errorf("match: robot %d is not on the field", number)
	}
	return s.substitute(i)
}

func (s *Session) substitute(i int) error {
	out, in := s.members[s.slots[i].member].Number, s.members[s.waiting].Number
	pose, ok := s.engine.RobotPose(out)
	if !ok {
		return fmt.Errorf("match: robot %d is not on the field", out)
	}
	s.engine.RemoveRobot(out)
	if err := s.engine.AddRobot(in, pose); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	s.slots[i].member, s.waiting = s.waiting, s.slots[i].member
	s.mark("substitute", in, fmt.Sprintf("%d for %d", in, out))
	return s.start(i)
}
