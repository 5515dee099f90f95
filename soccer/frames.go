package soccer

import "math"

// Vec is a point or direction in the plane.
type Vec struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Vec3 is a point or direction in space; z is up.
type Vec3 struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	Z float64 `json:"z"`
}

// Pose is a position in m and a heading Theta in rad.
type Pose struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Theta float64 `json:"theta"`
}

// Twist is a velocity in m/s with an angular velocity Theta in rad/s, in the frame of the pose.
type Twist struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Theta float64 `json:"theta"`
}

// Wheels holds the wheel speeds of a differential drive in rad/s. With both positive the robot drives ahead.
type Wheels struct {
	Left  float64 `json:"left"`
	Right float64 `json:"right"`
}

// XY returns v without its height Z.
func (v Vec3) XY() Vec { return Vec{v.X, v.Y} }

// XY returns the position of p.
func (p Pose) XY() Vec { return Vec{p.X, p.Y} }

// Sub returns v - u.
func (v Vec) Sub(u Vec) Vec { return Vec{v.X - u.X, v.Y - u.Y} }

// Len returns the length of v.
func (v Vec) Len() float64 { return math.Sqrt(float64(v.X*v.X) + float64(v.Y*v.Y)) }

// Turned returns v turned by pi, which converts between the field frame and the frame of the team that attacks -x.
func (v Vec) Turned() Vec { return Vec{-v.X, -v.Y} }

// Turned returns v turned by pi about the vertical axis.
func (v Vec3) Turned() Vec3 { return Vec3{-v.X, -v.Y, v.Z} }

// Turned returns p turned by pi, heading included.
func (p Pose) Turned() Pose { return Pose{-p.X, -p.Y, WrapAngle(float64(p.Theta) + math.Pi)} }

// Turned returns t turned by pi. The angular velocity does not change.
func (t Twist) Turned() Twist { return Twist{-t.X, -t.Y, t.Theta} }

// Turned returns l turned by pi. Unknown parts stay unknown.
func (l Localisation) Turned() Localisation {
	if !l.Known {
		return l
	}
	heading := l.Pose.Turned().Theta
	if !l.HasHeading {
		heading = 0
	}
	l.Pose = Pose{-l.Pose.X, -l.Pose.Y, heading}
	l.Twist = l.Twist.Turned()
	l.Cov[2], l.Cov[4] = -l.Cov[2], -l.Cov[4]
	return l
}

// Rotated returns the covariance of positions that are turned counter-clockwise by an angle, given its sine and cosine.
func (c Cov) Rotated(sin, cos float64) Cov {
	return Cov{
		XX: float64(c.XX*cos*cos) - float64(2*c.XY*sin*cos) + float64(c.YY*sin*sin),
		XY: float64((c.XX-c.YY)*cos*sin) + float64(c.XY*(float64(cos*cos)-float64(sin*sin))),
		YY: float64(c.XX*sin*sin) + float64(2*c.XY*sin*cos) + float64(c.YY*cos*cos),
	}
}

// Inverse returns the inverse of a positive definite covariance.
func (c Cov) Inverse() Cov {
	d := 1 / (float64(c.XX*c.YY) - float64(c.XY*c.XY))
	return Cov{XX: float64(c.YY * d), XY: float64(-c.XY * d), YY: float64(c.XX * d)}
}

// WrapAngle returns the angle a, in rad, wrapped into (-pi, pi].
func WrapAngle(a float64) float64 {
	if -math.Pi < a && a <= math.Pi {
		return a // as Remainder would, which takes long
	}
	a = math.Remainder(a, 2*math.Pi)
	if a <= -math.Pi {
		return math.Pi
	}
	return a
}
