package msl

import (
	"math"

	"touchline/soccer"
)

// Turn converts w to the opponents' frame (MSL World Model 2015, section 2): it turns positions, velocities, target
// poses and headings by pi about the centre; heights and angular velocities stay. Turning twice restores w.
func (w *Worldstate) Turn() {
	for i := range w.Robots {
		m := &w.Robots[i]
		m.Pose.turn()
		m.Pose.At[2].opposite()
		m.TargetPose.turn()
		m.TargetPose.At[2].opposite()
		m.Velocity.turn()
	}
	for i := range w.Balls {
		w.Balls[i].Position.turn()
		w.Balls[i].Velocity.turn()
	}
	for i := range w.Obstacles {
		w.Obstacles[i].Position.turn()
		w.Obstacles[i].Velocity.turn()
	}
}

// Field converts a vector of the MSL frame (X to the right, Y to the opponents' goal) to x and y of the field frame, in
// which x points to the opponents' goal and y to the left.
func (v *Vec) Field() (x, y Number) {
	x, y = v.At[1], v.At[0]
	y.Value = 0 - y.Value
	return x, y
}

// turn turns X and Y by pi. Unknown ones stay 0.
func (v *Vec) turn() {
	for i := range v.At[:2] {
		if v.At[i].Known {
			v.At[i].Value = -v.At[i].Value
		}
	}
}

// opposite turns a heading by pi and wraps it into [0, 2 pi).
func (n *Number) opposite() {
	if n.Known {
		n.Value = heading(n.Value + math.Pi)
	}
}

// heading wraps an angle into [0, 2 pi).
func heading(a float64) float64 {
	if a = math.Mod(a, 2*math.Pi); a < 0 {
		a += 2 * math.Pi // the sum is 2 pi itself for tiny angles
	}
	if a >= 2*math.Pi {
		return 0
	}
	return a
}

// Localisation returns the robot's self-localisation in the team frame. It is unknown without X and Y.
func (m *Robot) Localisation() soccer.Localisation {
	l := soccer.Localisation{}
	if l.Known = m.Pose.flat(); !l.Known {
		return l
	}
	l.Pose.X, l.Pose.Y = fromMSL(&m.Pose)
	l.HasHeading = m.Pose.At[2].Known
	l.Pose.Theta = soccer.WrapAngle(m.Pose.At[2].Value) // heading 0 is the same direction in both frames
	if l.HasTwist = m.Velocity.flat(); l.HasTwist {
		l.Twist.X, l.Twist.Y = fromMSL(&m.Velocity)
		l.Twist.Theta = m.Velocity.At[2].Value
	}
	return l
}

// SetLocalisation sets the robot's pose and velocity to l, which is in the team frame. Unknown values of l become
// unknown; the wire has no field for its confidence.
func (m *Robot) SetLocalisation(l soccer.Localisation) {
	m.Pose, m.Velocity = Vec{}, Vec{}
	if !l.Known {
		return
	}
	m.Pose = toMSL(l.Pose.X, l.Pose.Y, Number{})
	if l.HasHeading {
		m.Pose.At[2] = Num(heading(l.Pose.Theta))
	}
	if l.HasTwist {
		m.Velocity = toMSL(l.Twist.X, l.Twist.Y, Num(l.Twist.Theta))
	}
}

// Target returns the robot's target in the team frame, and whether it is known. An unknown heading is 0.
func (m *Robot) Target() (soccer.Pose, bool) {
	if !m.TargetPose.flat() {
		return soccer.Pose{}, false
	}
	x, y := fromMSL(&m.TargetPose)
	return soccer.Pose{X: x, Y: y, Theta: soccer.WrapAngle(m.TargetPose.At[2].Value)}, true
}

// SetTarget sets the robot's target to p, which is in the team frame.
func (m *Robot) SetTarget(p soccer.Pose) { m.TargetPose = toMSL(p.X, p.Y, Num(heading(p.Theta))) }

// Observation returns the ball in the team frame, and whether its position is known. An unknown height is 0; a
// confidence outside (0, 1] is unknown.
func (m *Ball) Observation() (soccer.Observation, bool) {
	return observation(&m.Position, &m.Velocity, m.Confidence)
}

// Observation returns the obstacle in the team frame, and whether its position is known.
func (m *Obstacle) Observation() (soccer.Observation, bool) {
	return observation(&m.Position, &m.Velocity, m.Confidence)
}

func observation(position, velocity *Vec, confidence Number) (soccer.Observation, bool) {
	if !position.flat() {
		return soccer.Observation{}, false
	}
	var o soccer.Observation
	o.Position.X, o.Position.Y = fromMSL(position)
	o.Position.Z = position.At[2].Value
	if o.HasVelocity = velocity.flat(); o.HasVelocity {
		o.Velocity.X, o.Velocity.Y = fromMSL(velocity)
		o.Velocity.Z = velocity.At[2].Value
	}
	if confidence.Value > 0 && confidence.Value <= 1 {
		o.Confidence = confidence.Value
	}
	return o, true
}

// NewBall returns o, which is in the team frame, as a ball of a worldstate.
func NewBall(o soccer.Observation) Ball {
	m := Ball{Position: toMSL(o.Position.X, o.Position.Y, Num(o.Position.Z))}
	if o.HasVelocity {
		m.Velocity = toMSL(o.Velocity.X, o.Velocity.Y, Num(o.Velocity.Z))
	}
	m.Confidence = known(o.Confidence)
	return m
}

// NewObstacle returns o, which is in the team frame, as an obstacle of a worldstate with unknown radius.
func NewObstacle(o soccer.Observation) Obstacle {
	m := Obstacle{Position: toMSL(o.Position.X, o.Position.Y, Number{})}
	m.Position.Len = 2
	if o.HasVelocity {
		m.Velocity = toMSL(o.Velocity.X, o.Velocity.Y, Number{})
		m.Velocity.Len = 2
	}
	m.Confidence = known(o.Confidence)
	return m
}

// known returns a confidence; 0 is unknown.
func known(confidence float64) Number {
	if confidence == 0 {
		return Number{}
	}
	return Num(confidence)
}

// flat reports whether X and Y are known.
func (v *Vec) flat() bool { return v.At[0].Known && v.At[1].Known }

// fromMSL converts X and Y of the MSL frame to the team frame.
func fromMSL(v *Vec) (x, y float64) { return v.At[1].Value, 0 - v.At[0].Value }

// toMSL converts x and y of the team frame to the MSL frame.
func toMSL(x, y float64, third Number) Vec {
	return Vec{Len: 3, At: [3]Number{Num(0 - y), Num(x), third}}
}
