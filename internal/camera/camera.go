// Package camera is a robot's camera: its optics, from a pixel to a ray and from a point on the field to a pixel; the
// pictures that it takes of a simulated field; what a robot finds in them; and its calibration.
//
// A Venue holds all that stands still: the floor with its lines, goals, boards and stands. A Scene holds what moves. A
// Renderer draws both through a Camera, which a robot carries, with the Params that an operator sets while it runs.
// The same seed gives the same pictures on every processor.
//
// A Finder finds a ball, lines, goal posts and robots in pictures, as the robots of the Four-Legged League did: a Table
// gives each pixel a class by its colour, pixels of a class become runs and blobs, and a blob with the shape and the place
// of a ball, a line, a post or a robot becomes a percept in the robot's frame.
//
// An Editor changes the Table by pixels that a person or the model of the field labels. Calibrate finds the camera's pose
// and lens from pictures of the field's lines, and Adjust its exposure and white balance from a patch of known colour.
//
// The field frame and the robot's frame have x ahead, y to the left and z up. In a picture x runs to the right and y
// down, in px; the centre of the first pixel is at (0, 0).
package camera

import (
	"math"

	"touchline/soccer"
)

const degree = math.Pi / 180

// Camera is the optics of a camera, and how a robot carries it.
type Camera struct {
	Name          string
	Width, Height int // px of a picture
	Lens          Lens
	Mount         Mount
	Rate          float64 // pictures a second
	Head          Head
}

// Lens maps directions to pixels by the unified model of central cameras: a direction is projected onto the unit
// sphere, and from there onto the picture, from a point that is Mirror above the sphere's centre. Mirror 0 is a
// perspective lens, 1 a parabolic mirror.
type Lens struct {
	Focal   float64 // px
	CX, CY  float64 // px, where the optical axis meets the picture
	Mirror  float64 // 0 to 1
	Radial  float64 // radial distortion k1: the radius r in units of Focal becomes r(1 + k1 r^2)
	Circle  float64 // px, radius of the mirror's image: black beyond; 0: the whole picture is exposed
	Falloff float64 // share of the light that is lost in the corners of the picture (vignetting), 0 to 1
}

// Mount is where a robot carries its camera. Tilt and Roll add to the head's: they are what calibration finds.
type Mount struct {
	Ahead  float64 // m, of the robot's centre
	Height float64 // m, of the optical centre above the floor
	Down   bool    // the optical axis points to the floor, as that of an omnidirectional camera; false: ahead
	Tilt   float64 // rad, upwards
	Roll   float64 // rad about the optical axis: the right side of the camera downwards
}

// Head is how far the head turns, in rad. The zero Head is fixed.
type Head struct {
	PanMax           float64 // greatest pan to either side
	TiltMin, TiltMax float64 // upwards
}

// Perspective returns the camera of a robot of the Middle Size League that has a head: 208 x 160 px at 0.6 m, with a
// view of 56.9 x 45.2 degrees, the picture of an AIBO ERS-7.
func Perspective() Camera {
	return Camera{
		Name: "perspective", Width: 208, Height: 160, Rate: 25,
		Lens:  Lens{Focal: 192, CX: 103.5, CY: 79.5, Radial: -0.08, Falloff: 0.3},
		Mount: Mount{Ahead: 0.1, Height: 0.6},
		Head:  Head{PanMax: 90 * degree, TiltMin: -60 * degree, TiltMax: 30 * degree},
	}
}

// AIBO returns the camera of a robot of the Four-Legged League: the same picture at 0.2 m.
func AIBO() Camera {
	c := Perspective()
	c.Name = "aibo"
	c.Mount = Mount{Ahead: 0.1, Height: 0.2}
	return c
}

// Omnidirectional returns the camera of most robots of the Middle Size League: it looks up into a parabolic mirror and
// sees the floor all around, up to 15 degrees above the horizon. The robot's front is at the picture's top.
func Omnidirectional() Camera {
	return Camera{
		Name: "omnidirectional", Width: 480, Height: 480, Rate: 25,
		Lens:  Lens{Focal: 180, CX: 239.5, CY: 239.5, Mirror: 1, Circle: 234, Falloff: 0.25},
		Mount: Mount{Height: 0.7, Down: true},
	}
}

// Picture is a picture in YCbCr as JPEG defines it (full range, BT.601), without subsampling: each plane has
// Width*Height bytes, row by row from the top.
type Picture struct {
	Time          soccer.Time // time of the middle of the exposure
	Width, Height int
	Y, Cb, Cr     []byte
}

// Resize gives the picture a size and room for its pixels. It allocates only where the planes are too small.
func (p *Picture) Resize(width, height int) {
	n := width * height
	p.Width, p.Height = width, height
	if cap(p.Y) < n || cap(p.Cb) < n || cap(p.Cr) < n {
		p.Y, p.Cb, p.Cr = make([]byte, n), make([]byte, n), make([]byte, n)
	}
	p.Y, p.Cb, p.Cr = p.Y[:n], p.Cb[:n], p.Cr[:n]
}
