package camera

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Eye is a camera at one place, looking in one direction, in the frame of a robot or of the field.
type Eye struct {
	Lens *Lens
	At   soccer.Vec3   // m, the optical centre
	Axes [3][3]float64 // columns: the camera's right, its down and its optical axis
}

// Eye returns the camera in the robot's frame, with the head at pan and tilt. A camera that points down has no head.
func (c *Camera) Eye(pan, tilt float64) Eye { return c.EyeAt(soccer.Pose{}, pan, tilt) }

// EyeAt returns the camera of a robot at a pose, in the pose's frame.
func (c *Camera) EyeAt(pose soccer.Pose, pan, tilt float64) Eye {
	e := Eye{Lens: &c.Lens}
	sin, cos := exact.Sincos(pose.Theta)
	e.At = soccer.Vec3{
		X: pose.X + float64(cos*c.Mount.Ahead), Y: pose.Y + float64(sin*c.Mount.Ahead), Z: c.Mount.Height,
	}
	base := [3][3]float64{{0, 0, 1}, {-1, 0, 0}, {0, -1, 0}} // right is -y, down is -z, ahead is x
	if c.Mount.Down {
		base = [3][3]float64{{0, -1, 0}, {-1, 0, 0}, {0, 0, -1}}
		pan, tilt = 0, 0
	}
	roll, up, turn := turnX(c.Mount.Roll), turnY(-(tilt + c.Mount.Tilt)), turnZ(pose.Theta+pan)
	e.Axes = multiply(turn, multiply(up, multiply(roll, base)))
	return e
}

// turnX, turnY and turnZ return right-handed turns about the axes.
func turnX(a float64) [3][3]float64 {
	sin, cos := exact.Sincos(a)
	return [3][3]float64{{1, 0, 0}, {0, cos, -sin}, {0, sin, cos}}
}

func turnY(a float64) [3][3]float64 {
	sin, cos := exact.Sincos(a)
	return [3][3]float64{{cos, 0, sin}, {0, 1, 0}, {-sin, 0, cos}}
}

func turnZ(a float64) [3][3]float64 {
	sin, cos := exact.Sincos(a)
	return [3][3]float64{{cos, -sin, 0}, {sin, cos, 0}, {0, 0, 1}}
}

func multiply(a, b [3][3]float64) (c [3][3]float64) {
	for i := range 3 {
		for j := range 3 {
			c[i][j] = float64(a[i][0]*b[0][j]) + float64(a[i][1]*b[1][j]) + float64(a[i][2]*b[2][j])
		}
	}
	return c
}

// turned returns a direction of the camera's frame in the frame of the eye.
func (e *Eye) turned(d soccer.Vec3) soccer.Vec3 {
	a := &e.Axes
	return soccer.Vec3{
		X: float64(a[0][0]*d.X) + float64(a[0][1]*d.Y) + float64(a[0][2]*d.Z),
		Y: float64(a[1][0]*d.X) + float64(a[1][1]*d.Y) + float64(a[1][2]*d.Z),
		Z: float64(a[2][0]*d.X) + float64(a[2][1]*d.Y) + float64(a[2][2]*d.Z),
	}
}

// Ray returns the unit vector along which a pixel looks.
func (e *Eye) Ray(x, y float64) soccer.Vec3 { return e.turned(e.Lens.ray(x, y)) }

// Floor returns the point at height z that a pixel shows. It reports false for pixels that look above it, or no steeper
// than 0.1 degrees below the horizon.
func (e *Eye) Floor(x, y, z float64) (soccer.Vec, bool) {
	ray := e.Ray(x, y)
	if ray.Z > -0.0017 || z >= e.At.Z {
		return soccer.Vec{}, false
	}
	t := (z - e.At.Z) / ray.Z
	return soccer.Vec{X: e.At.X + float64(t*ray.X), Y: e.At.Y + float64(t*ray.Y)}, true
}

// Pixel returns where the picture shows a point. It reports false for points that the lens cannot see; others may lie
// outside of the picture.
func (e *Eye) Pixel(p soccer.Vec3) (x, y float64, ok bool) {
	d := soccer.Vec3{X: p.X - e.At.X, Y: p.Y - e.At.Y, Z: p.Z - e.At.Z}
	a := &e.Axes
	return e.Lens.pixel(soccer.Vec3{
		X: float64(a[0][0]*d.X) + float64(a[1][0]*d.Y) + float64(a[2][0]*d.Z),
		Y: float64(a[0][1]*d.X) + float64(a[1][1]*d.Y) + float64(a[2][1]*d.Z),
		Z: float64(a[0][2]*d.X) + float64(a[1][2]*d.Y) + float64(a[2][2]*d.Z),
	})
}

// ray returns the unit vector along which a pixel looks, in the camera's frame: x right, y down, z along the axis.
func (l *Lens) ray(x, y float64) soccer.Vec3 {
	u, v := (x-l.CX)/l.Focal, (y-l.CY)/l.Focal
	distorted := math.Sqrt(float64(u*u) + float64(v*v))
	if s := l.undistorted(distorted); distorted > 0 {
		u, v = float64(u*(s/distorted)), float64(v*(s/distorted))
	}
	r2 := float64(u*u) + float64(v*v)
	root := 1 + float64((1-float64(l.Mirror*l.Mirror))*r2)
	eta := (l.Mirror + math.Sqrt(max(root, 0))) / (r2 + 1)
	return soccer.Vec3{X: eta * u, Y: eta * v, Z: eta - l.Mirror}
}

// undistorted returns the radius without distortion, by Newton's method.
func (l *Lens) undistorted(r float64) float64 {
	if l.Radial == 0 {
		return r
	}
	s := r
	for range 8 {
		slope := 1 + float64(3*l.Radial*s*s)
		if slope < 0.1 { // beyond the radius that the model can show
			return s
		}
		s -= (float64(s*(1+float64(l.Radial*s*s))) - r) / slope
	}
	return s
}

// pixel returns where a lens shows a direction of the camera's frame, which need not have unit length. It reports false
// behind a perspective lens, along a mirror's axis, and where the distortion folds the picture.
func (l *Lens) pixel(d soccer.Vec3) (x, y float64, ok bool) {
	length := math.Sqrt(d.Dot(d))
	depth := d.Z + float64(l.Mirror*length)
	if !(depth > 0.02*length) {
		return 0, 0, false
	}
	u, v := d.X/depth, d.Y/depth
	r2 := float64(u*u) + float64(v*v)
	if 1+float64(3*l.Radial*r2) < 0.1 {
		return 0, 0, false
	}
	stretch := l.Focal * (1 + float64(l.Radial*r2))
	return l.CX + float64(u*stretch), l.CY + float64(v*stretch), true
}
