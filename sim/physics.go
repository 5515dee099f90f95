package sim

import (
	"math"

	"touchline/soccer"
)

// Physics is the parameters of motion and contact. The zero value of a field means zero. Where Side is 0, robots are
// posts that do not move, the ball is an MSL ball without spin, and only the first three fields apply.
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

	Side      float64 // m, edges of a robot's square
	Clearance float64 // m, height of a robot's bottom
	Top       float64 // m, height of a robot's top
	Mass      float64 // kg, of a robot
	Inertia   float64 // kg m^2, of a robot about the vertical

	WheelRadius float64 // m
	RimInner    float64 // m from the robot's centre to the inner rim of a wheel's tread
	RimOuter    float64 // m to the outer rim, which the ball can touch
	MaxWheel    float64 // rad/s, limit of commanded wheel speeds; 0: no limit
	Motor       float64 // N, largest force of a wheel
	Drag        float64 // N, friction of casters that slide along and roll across
	Grip        float64 // N, largest sideways friction of both wheels together
	Rim         float64 // N of friction at one rim
	Gyro        float64 // N s^4: shift of friction between the rims by a wheel's spin
	Hop         float64 // share of Motor at the inner wheel of a robot that skids outwards: the wheel hops
	Whirl       float64 // s^2: share of Motor that a spinning robot loses, per squared angular velocity
	Lead        float64 // s^2: share of its speed that a rim loses on the floor, per squared angular velocity
}

// FIRASim returns the physics of FIRASim, from its source and from measurements. Each of the two wheels and the pair of
// casters carries a third of a robot's weight of 23.56 N: casters slide with friction 1; wheels grip sideways with 1,
// slightly less over a skid, and drive with 0.8. Motor is the torque of 0.11 N m at the rim, minus the part that
// accelerates the wheel. Inertia, Grip and the last four were measured on FIRASim.
func FIRASim() Physics {
	return Physics{
		Friction: 0.0756, Restitution: 0.5, Bounce: 0.5, BounceSpeed: 0.01, StopSpeed: 0.01,
		BallRadius: 0.0215, BallMass: 0.043, BallGrip: 1, BodyGrip: 0.5,
		Side: 0.075, Clearance: 0.00125, Top: 0.07625, Mass: 2.402, Inertia: 0.00266,
		WheelRadius: 0.02, RimInner: 0.0375, RimOuter: 0.0425,
		Motor: 5.436, Drag: 7.8545, Grip: 15.4, Rim: 3.142, Gyro: 0.7e-6, Hop: 0.77, Whirl: 0.9e-4, Lead: 5.5e-6,
	}
}

// RSim returns the physics of rSim: a light robot that is fast and turns quickly. Its mass is that of body and
// wheels; its casters carry a third of the weight, which gives the measured 7.4 m/s^2.
func RSim() Physics {
	p := FIRASim()
	p.Friction, p.BounceSpeed = 0.14, 0.1
	p.Mass, p.Inertia = 0.52, 0.00078
	p.WheelRadius, p.MaxWheel = 0.026, 440*2*math.Pi/60
	p.Motor, p.Drag, p.Grip = 2.79, 1.70, 3.40
	p.Rim, p.RimOuter = 0.68, p.RimInner // its track is 0.075 m at 14 rad/s already
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
	if p.Side == 0 {
		p.BallRadius = soccer.BallRadius
		return p
	}
	for _, f := range [...]struct {
		value    *float64
		from, to float64
	}{
		{&p.Side, 0.01, 1}, {&p.BallRadius, 0.005, 0.5}, {&p.BallMass, 1e-3, 10}, {&p.Clearance, 0, 1}, {&p.Top, 0, 10},
		{&p.Mass, 0.01, 1000}, {&p.Inertia, 1e-6, 1000},
		{&p.WheelRadius, 0, 1}, {&p.RimInner, 0, 1}, {&p.RimOuter, 0, 1}, {&p.MaxWheel, 0, math.Inf(1)},
		{&p.Motor, 0, 1e4}, {&p.Drag, 0, 1e4}, {&p.Grip, 0, 1e4}, {&p.Rim, 0, 1e4}, {&p.Gyro, 0, 1},
		{&p.Hop, 0, 1}, {&p.Whirl, 0, 1e-3}, {&p.Lead, 0, 1e-5},
	} {
		*f.value = clamp(*f.value, f.from, f.to)
	}
	p.RimOuter = max(p.RimOuter, p.RimInner)
	return p
}
