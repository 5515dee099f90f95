package match

import (
	"fmt"
	"math"
	"time"

	"touchline/exact"
	"touchline/soccer"
)

// kickIn lets somebody beside the field kick the ball in, past one of the robots. A ball that came to rest inside is first
// rolled out to the nearest side; the next kick-in is from there.
func (s *Session) kickIn() {
	ball, _ := s.engine.Ball()
	field := &s.cfg.Field
	if side := nearestSide(field, ball.XY()); side.Sub(ball.XY()).Len() > reach {
		way := side.Sub(ball.XY())
		speed := math.Sqrt(float64(2*s.friction*way.Len())) + 1
		if err := s.engine.KickBall(along(way, speed)); err == nil {
			s.mark("kick", 0, "rolled out")
		}
		return
	}
	at := s.members[s.slots[s.rng.IntN(len(s.slots))].member].Number
	aim, _ := s.engine.RobotPose(at)
	const past = 1.0 // m beside the robot
	way := aim.XY().Sub(ball.XY())
	d := max(way.Len(), 0.1)
	aside := math.Copysign(past, exact.Uniform(s.rng)-0.5)
	way.X, way.Y = way.X-float64(way.Y/d*aside), way.Y+float64(way.X/d*aside)
	v := along(way, 3.5+float64(2.5*exact.Uniform(s.rng)))
	if exact.Uniform(s.rng) < 0.15 {
		v.Z = 2 + float64(2*exact.Uniform(s.rng))
	}
	if err := s.engine.KickBall(v); err == nil {
		s.mark("kick", 0, "kick-in")
	}
}

// reach is how far into the field somebody beside it kicks, in m.
const reach = 0.5

// nearestSide returns the nearest point of the lines around the field, or p where it lies outside them.
func nearestSide(f *soccer.Field, p soccer.Vec) soccer.Vec {
	toX, toY := float64(f.Length/2)-math.Abs(p.X), float64(f.Width/2)-math.Abs(p.Y)
	switch {
	case toX < 0 || toY < 0:
	case toX < toY:
		p.X = math.Copysign(f.Length/2, p.X)
	default:
		p.Y = math.Copysign(f.Width/2, p.Y)
	}
	return p
}

// along returns a velocity on the floor in the direction of way.
func along(way soccer.Vec, speed float64) soccer.Vec3 {
	d := max(way.Len(), 1e-9)
	return soccer.Vec3{X: float64(way.X / d * speed), Y: float64(way.Y / d * speed)}
}

// catchEvery is how often the people beside the field look at the ball.
const catchEvery = 20 * time.Millisecond

// catch lets the people beside the field stop a ball that rolls out, where they will kick it in again.
func (s *Session) catch() {
	ball, v := s.engine.Ball()
	const out = 2 * soccer.BallRadius
	overX, overY := math.Abs(ball.X)-float64(s.cfg.Field.Length/2) > out, math.Abs(ball.Y)-float64(s.cfg.Field.Width/2) > out
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
