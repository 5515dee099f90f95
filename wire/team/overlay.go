package team

import (
	"touchline/wire"
	"touchline/wire/internal/coder"
)

// Bounds of an Overlay.
const (
	MaxShapes = 64
	MaxPoints = 64 // points of a shape
)

// PixelScale is how many units of a Pixel are one pixel of the camera.
const PixelScale = 4

// Overlay is what a robot knows about a picture, as shapes to draw over it. It has the capture time of its Image and
// leaves before it, if the computer wishes overlays (PictureWish).
type Overlay struct {
	Shapes []Shape // at most MaxShapes
}

// Shape is a line or dots over a picture, in pixels of the camera's whole picture.
type Shape struct {
	Kind     ShapeKind
	Closed   bool    // the last point leads to the first one
	Distance float32 // m on the floor, from the robot to what the shape shows; 0: unknown
	Sigma    float32 // m, its standard deviation; 0: unknown
	Text     string  // label, for example why it is no ball; at most MaxName bytes
	Points   []Pixel // 1 to MaxPoints
}

// Pixel is a place in a picture in units of 1/PixelScale pixel; the centre of the top left pixel is (0, 0).
type Pixel struct{ X, Y int16 }

// ShapeKind is what a Shape shows.
type ShapeKind uint8

// The kinds of shapes. The first six come from the pixels, the others from the camera's model: the horizon, and the
// field's lines where the robot's own pose puts them.
const (
	BallShape  ShapeKind = iota
	NoBall               // looks like a ball; Text says why it is none
	LineDots             // points on the field's lines, not joined
	LineShape            // a straight piece of a line
	PostShape            // a goal post
	RobotShape           // a robot, or another obstacle
	Horizon
	FieldLine
)

var shapeNames = []string{"ball", "no ball", "line points", "line", "post", "robot", "horizon", "field line"}

// String returns the kind in words.
func (k ShapeKind) String() string { return coder.NameOf(uint8(k), shapeNames) }

var shapeFlags = []string{"closed"}

func (m *Overlay) layout(c *coder.Coder) {
	c.CheckVersion()
	coder.List(c, "shapes", &m.Shapes, MaxShapes)
	for i := range m.Shapes {
		s := &m.Shapes[i]
		c.In("shapes", i)
		coder.Choice(c, "kind", &s.Kind, shapeNames)
		c.Flags(shapeFlags, &s.Closed)
		c.Float("distance", true, &s.Distance, &spanDistance)
		c.Float("sigma", true, &s.Sigma, &spanSigma)
		c.Text("text", &s.Text, MaxName)
		coder.List(c, "points", &s.Points, MaxPoints)
		c.Bounded(1, "points", uint64(len(s.Points)), rangePoints)
		c.Repeat("points")
		for k := range s.Points {
			pixel(c, "x", &s.Points[k].X)
			pixel(c, "y", &s.Points[k].Y)
		}
		c.Repeat("")
	}
	c.In("", -1)
}

var rangePoints = &wire.Range{Least: 1, Most: MaxPoints, Text: "%d: want %d to %d"}

var stylePixel = &wire.Style{Divide: PixelScale}

// pixel visits a place in a picture.
func pixel(c *coder.Coder, field string, v *int16) {
	n := uint16(*v)
	if c.Uint16(field, "px", &n); !c.Writing {
		*v = int16(n)
	}
	c.Show(stylePixel)
}
