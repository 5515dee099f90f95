package soccer

import (
	"math"

	"touchline/internal/exact"
)

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

// Add returns v + u.
func (v Vec) Add(u Vec) Vec { return Vec{v.X + u.X, v.Y + u.Y} }

// Sub returns v - u.
func (v Vec) Sub(u Vec) Vec { return Vec{v.X - u.X, v.Y - u.Y} }

// Scale returns k v.
func (v Vec) Scale(k float64) Vec { return Vec{float64(v.X * k), float64(v.Y * k)} }

// Dot returns the scalar product of v and u.
func (v Vec) Dot(u Vec) float64 { return float64(v.X*u.X) + float64(v.Y*u.Y) }

// Dot returns the scalar product of v and u.
func (v Vec3) Dot(u Vec3) float64 { return float64(v.X*u.X) + float64(v.Y*u.Y) + float64(v.Z*u.Z) }

// Cross returns the product of the lengths of v and u with the sine of the angle from v to u. It is positive when u points
// to the left of v.
func (v Vec) Cross(u Vec) float64 { return float64(v.X*u.Y) - float64(v.Y*u.X) }

// Len returns the length of v.
func (v Vec) Len() float64 { return math.Sqrt(v.Dot(v)) }

// Unit returns the vector of length 1 in the direction of v, and (1, 0) for a v shorter than 1e-9.
func (v Vec) Unit() Vec {
	l := v.Len()
	if l < 1e-9 {
		return Vec{X: 1}
	}
	return Vec{v.X / l, v.Y / l}
}

// Angle returns the direction of v in rad, counter-clockwise from +x.
func (v Vec) Angle() float64 { return exact.Atan2(v.Y, v.X) }

// Left returns v turned by pi/2 to the left.
func (v Vec) Left() Vec { return Vec{-v.Y, v.X} }

// Rotated returns v turned counter-clockwise by an angle, given its sine and cosine. A negative sine turns it back.
func (v Vec) Rotated(sin, cos float64) Vec {
	return Vec{float64(cos*v.X) - float64(sin*v.Y), float64(sin*v.X) + float64(cos*v.Y)}
}

// Compose returns the pose q, given in the frame of p, in the frame in which p is given.
func (p Pose) Compose(q Pose) Pose {
	sin, cos := exact.Sincos(p.Theta)
	return Pose{
		X:     p.X + float64(cos*q.X) - float64(sin*q.Y),
		Y:     p.Y + float64(sin*q.X) + float64(cos*q.Y),
		Theta: WrapAngle(p.Theta + q.Theta),
	}
}

// Relative returns the pose q in the frame of p. It undoes Compose.
func (p Pose) Relative(q Pose) Pose {
	sin, cos := exact.Sincos(p.Theta)
	d := q.XY().Sub(p.XY()).Rotated(-sin, cos)
	return Pose{d.X, d.Y, WrapAngle(q.Theta - p.Theta)}
}

// Turned returns v turned by pi, which converts between the field frame and the frame of the team that attacks -x.
func (v Vec) Turned() Vec { return Vec{-v.X, -v.Y} }

// Turned returns v turned by pi about the vertical axis.
func (v Vec3) Turned() Vec3 { return Vec3{-v.X, -v.Y, v.Z} }

// Turned returns p turned by pi, heading included.
func (p Pose) Turned() Pose { return Pose{-p.X, -p.Y, WrapAngle(float64(p.Theta) + math.Pi)} }

// turned returns t turned by pi. The angular velocity does not change.
func (t Twist) turned() Twist { return Twist{-t.X, -t.Y, t.Theta} }

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
	l.Twist = l.Twist.turned()
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

// Inverse returns the inverse of a covariance and its determinant. The inverse has a meaning only if the determinant is
// large enough for the caller.
func (c *PoseCov) Inverse() (inverse PoseCov, determinant float64) {
	xx := float64(c[3]*c[5]) - float64(c[4]*c[4])
	xy := float64(c[2]*c[4]) - float64(c[1]*c[5])
	xh := float64(c[1]*c[4]) - float64(c[2]*c[3])
	d := float64(c[0]*xx) + float64(c[1]*xy) + float64(c[2]*xh)
	return PoseCov{
		xx / d, xy / d, xh / d,
		(float64(c[0]*c[5]) - float64(c[2]*c[2])) / d, (float64(c[1]*c[2]) - float64(c[0]*c[4])) / d,
		(float64(c[0]*c[3]) - float64(c[1]*c[1])) / d,
	}, d
}

// WrapAngle returns the angle a, in rad, wrapped into (-pi, pi].
func WrapAngle(a float64) float64 {
	if -math.Pi < a && a <= math.Pi {
		return a // same result as Remainder, which is slow
	}
	a = math.Remainder(a, 2*math.Pi)
	if a <= -math.Pi {
		return math.Pi
	}
	return a
}
