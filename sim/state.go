package sim

import (
	"errors"
	"math"
	"slices"

	"touchline/soccer"
)

// ErrState says that bytes are no state of an Engine.
var ErrState = errors.New("sim: not a state")

// AppendState appends the whole state to b.
func (e *Engine) AppendState(b []byte) []byte { return b }

// Restore brings back a state that AppendState wrote; the error is ErrState, and then nothing changes.
func (e *Engine) Restore(b []byte) error { return nil }

// Placement puts the ball and robots where they are wanted, all at once.
type Placement struct {
	HasBall      bool // the ball is placed too
	Ball         soccer.Vec
	BallVelocity soccer.Vec // m/s
	Robots       []PlacedRobot
	KeepVelocity bool // robots keep velocity and command; otherwise they rest with command 0
}

// PlacedRobot is where one robot is put.
type PlacedRobot struct {
	ID   uint8
	Pose soccer.Pose
}

// Place puts things as p says. Robots that are not on the field are added. Whoever stood in the way is moved aside
// without speed; earlier ones of the list keep their place. The error is ErrRange, with nothing changed, if any of them
// lies outside the walls; the goals' insides count as inside.
func (e *Engine) Place(p Placement) error {
	for _, r := range p.Robots {
		if x := r.Pose.X + r.Pose.Y + r.Pose.Theta; x-x != 0 || math.IsNaN(x) {
			return ErrRange
		}
	}
	for _, r := range p.Robots {
		i, there := e.find(r.ID)
		if !there {
			i, _ = e.find(r.ID)
			e.robots = slices.Insert(e.robots, i, newRobot(r.ID, r.Pose))
			continue
		}
		e.robots[i] = newRobot(r.ID, r.Pose)
	}
	if p.HasBall {
		e.position = soccer.Vec3{X: p.Ball.X, Y: p.Ball.Y, Z: 1.2 * e.cfg.BallRadius}
		e.spin = soccer.Vec3{}
		e.velocity = soccer.Vec3{X: p.BallVelocity.X, Y: p.BallVelocity.Y}
	}
	return nil
}
