package match

import (
	"fmt"
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/sim"
	"touchline/soccer"
)

// KickIn kicks the ball in from the touchline, past one of the robots, as a helper does. A ball that lies inside the
// field first rolls out to the nearest line; the next kick-in starts there.
func (s *Session) KickIn() {
	ball, _ := s.engine.Ball()
	field := &s.cfg.Field
	if side := nearestSide(field, ball.XY()); side.Sub(ball.XY()).Len() > reach {
		path := side.Sub(ball.XY())
		speed := math.Sqrt(float64(2*s.friction*path.Len())) + 1
		if err := s.engine.KickBall(along(path, speed)); err == nil {
			s.markKick("rolled out")
		}
		return
	}
	at := s.members[s.slots[s.rng.IntN(len(s.slots))].member].Number
	aim, _ := s.engine.RobotPose(at)
	const past = 1.0 // m beside the robot
	path := aim.XY().Sub(ball.XY())
	d := max(path.Len(), 0.1)
	aside := math.Copysign(past, exact.Uniform(s.rng)-0.5)
	path.X, path.Y = path.X-float64(path.Y/d*aside), path.Y+float64(path.X/d*aside)
	v := along(path, 3.5+float64(2.5*exact.Uniform(s.rng)))
	if exact.Uniform(s.rng) < 0.15 {
		v.Z = 2 + float64(2*exact.Uniform(s.rng))
	}
	if err := s.engine.KickBall(v); err == nil {
		s.markKick("kick-in")
	}
}

// reach is the distance from the line up to which a helper kicks the ball in, in m.
const reach = 0.5

// nearestSide returns the nearest point of the lines around the field, or p if it lies outside them.
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

// along returns a velocity on the floor in the direction of path.
func along(path soccer.Vec, speed float64) soccer.Vec3 {
	d := max(path.Len(), 1e-9)
	return soccer.Vec3{X: float64(path.X / d * speed), Y: float64(path.Y / d * speed)}
}

// stopPeriod is the period at which the helpers check the ball.
const stopPeriod = 20 * time.Millisecond

// stopBall stops a ball that rolls out of the field, where the next kick-in starts.
func (s *Session) stopBall() {
	ball, v := s.engine.Ball()
	const out = 2 * soccer.BallRadius
	overX := math.Abs(ball.X)-float64(s.cfg.Field.Length/2) > out
	overY := math.Abs(ball.Y)-float64(s.cfg.Field.Width/2) > out
	if overX && float64(ball.X*v.X) > 0 || overY && float64(ball.Y*v.Y) > 0 {
		_ = s.engine.KickBall(soccer.Vec3{}) // a velocity of 0 is always in range
	}
}

// Kick kicks the ball with a velocity in m/s in the field frame, at most 12 m/s.
func (s *Session) Kick(v soccer.Vec3) error {
	if speed := math.Sqrt(v.Dot(v)); !(speed <= sim.MaxKick) {
		return fmt.Errorf("match: a kick of %.1f m/s: want at most %g m/s", speed, sim.MaxKick)
	}
	if err := s.engine.KickBall(v); err != nil {
		return err
	}
	s.markKick("kick")
	return nil
}

// PlaceBall places the ball at rest.
func (s *Session) PlaceBall(at soccer.Vec) error {
	return s.engine.PlaceBall(soccer.Vec3{X: at.X, Y: at.Y, Z: soccer.BallRadius})
}

// MoveObstacle moves an obstacle.
func (s *Session) MoveObstacle(index int, at soccer.Vec) error {
	return s.engine.MoveObstacle(index, at)
}
