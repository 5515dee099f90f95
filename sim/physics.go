package sim

import "touchline/soccer"

// Physics says how things move and meet. The zero value of a field means zero.
type Physics struct {
	Friction    float64 // m/s^2 by which a rolling ball slows down, from 0
	Restitution float64 // share of speed, 0..1, after a bounce off a wall or a body
	Bounce      float64 // share of vertical speed, 0..1, after a bounce off the floor
}

// FIRASim returns the physics of FIRASim's robots and ball (facts firasim 2).
func FIRASim() Physics { return Physics{Friction: 0.0756, Restitution: 0.5, Bounce: 0.5} }

// RSim returns the physics of rSim's (facts firasim 3).
func RSim() Physics { return Physics{Friction: 0.14, Restitution: 0.5, Bounce: 0.5} }

// VSS returns a Very Small Size field (soccer.VSS3v3 or soccer.VSS5v5) without robots, the ball at rest in its centre.
func VSS(field soccer.Field, p Physics) Config { return Config{Field: field, Seed: 1, Physics: p} }
