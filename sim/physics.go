package sim

import (
	"math"

	"touchline/soccer"
)

// Physics is the parameters of motion and contact. The zero value of a field means zero. Where Side is 0, robots are
// posts until they are commanded, the ball has no spin, and only the first three fields, BallRadius and Omni apply.
type Physics struct {
	Friction    float64 // m/s^2, deceleration of a rolling ball
	Restitution float64 // speed after a bounce off a wall (MSL: or a body) relative to before, 0..1
	Bounce      float64 // vertical speed after a bounce off the floor relative to before, 0..1

	BounceSpeed float64 // m/s; below it nothing bounces off walls and floor
	StopSpeed   float64 // m/s; a slower ball stops
	BallRadius  float64 // m
	BallMass    float64 // kg
	BallGrip    float64 // coefficient of friction between ball and floor or wall
	BodyGrip    float64 // coefficient of friction of a robot's body against the ball, walls and robots

	Side  float64      // m, edges of a robot's square
	Top   float64      // m, height of a robot's top
	Robot WheeledRobot // friction of wheels and casters, and the weight on them

	Omni OmniRobot // where Side is 0; a Radius of 0 means robots and ball of the Middle Size League
}

// FIRASim returns the physics of FIRASim, from its source.
func FIRASim() Physics {
	return Physics{
		Friction: 0.0756, Restitution: 0.5, Bounce: 0.5, BounceSpeed: 0.01, StopSpeed: 0.01,
		BallRadius: 0.0215, BallMass: 0.043, BallGrip: 1, BodyGrip: 0.5,
		Side: 0.075, Top: 0.07625, Robot: firasimRobot(),
	}
}

// RSim returns the physics of rSim, which differs in the robot and in how the ball rolls and bounces.
func RSim() Physics {
	p := FIRASim()
	p.Friction, p.BounceSpeed = 0.14, 0.1
	p.Robot = rsimRobot()
	return p
}

// VSS returns a Very Small Size field (soccer.VSS3v3 or soccer.VSS5v5) without robots, with
// the ball at rest in its centre. Its Seed is 1.
func VSS(field soccer.Field, p Physics) Config { return Config{Field: field, Seed: 1, Physics: p} }

// bounded returns p with every number limited to the range in which the solver works; NaN becomes 0.
func (p Physics) bounded() Physics {
	for _, f := range [...]struct {
		value    *float64
		from, to float64
	}{
		{&p.Friction, 0, math.Inf(1)}, {&p.Restitution, 0, 1}, {&p.Bounce, 0, 1}, {&p.BounceSpeed, 0, 100},
		{&p.StopSpeed, 0, 100},
		{&p.BallGrip, 0, 100}, {&p.BodyGrip, 0, 100}, {&p.Side, 0, 10},
	} {
		*f.value = clamp(*f.value, f.from, f.to)
	}
	if p.Side == 0 && p.Omni.Radius == 0 {
		p.BallRadius = soccer.BallRadius
		return p
	}
	if p.Side == 0 {
		p.BallRadius, p.Omni = clamp(p.BallRadius, 0.005, 0.5), p.Omni.bounded()
		return p
	}
	for _, f := range [...]struct {
		value    *float64
		from, to float64
	}{
		{&p.Side, 0.01, 1}, {&p.BallRadius, 0.005, 0.5}, {&p.BallMass, 1e-3, 10}, {&p.Top, 0, 10},
	} {
		*f.value = clamp(*f.value, f.from, f.to)
	}
	p.Robot = p.Robot.bounded()
	return p
}
