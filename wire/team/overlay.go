package team

import (
	"encoding/binary"
	"strconv"
)

// Bounds of an Overlay.
const (
	MaxShapes = 64
	MaxPoints = 64 // of a shape
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
	Text     string  // for example why it is no ball; at most MaxName bytes
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
func (k ShapeKind) String() string { return nameOf(uint8(k), shapeNames) }

var shapeFlags = []string{"closed"}

func (m *Overlay) layout(c *coder) {
	c.version()
	list(c, "shapes", &m.Shapes, MaxShapes)
	for i := range m.Shapes {
		s := &m.Shapes[i]
		c.in("shapes", i)
		choice(c, "kind", &s.Kind, shapeNames)
		c.flags(shapeFlags, &s.Closed)
		c.float("distance", true, &s.Distance, &spanDistance)
		c.float("sigma", true, &s.Sigma, &spanSigma)
		c.text("text", &s.Text, MaxName)
		list(c, "points", &s.Points, MaxPoints)
		if c.err == nil && len(s.Points) == 0 {
			c.refuse(1, "points", "0: want 1 to %d", MaxPoints)
		}
		for k := range s.Points {
			c.int16("x", &s.Points[k].X)
			c.int16("y", &s.Points[k].Y)
		}
	}
	c.in("", -1)
}

// int16 visits a place in a picture.
func (c *coder) int16(field string, v *int16) {
	p := c.next(2)
	switch {
	case p == nil:
		*v = 0
	case c.writing:
		binary.LittleEndian.PutUint16(p, uint16(*v))
	default:
		*v = int16(binary.LittleEndian.Uint16(p))
	}
	if c.listing && p != nil {
		c.row(2, field, strconv.FormatFloat(float64(*v)/PixelScale, 'g', -1, 64), "px")
	}
}

// DataType returns TypeOverlay.
func (m *Overlay) DataType() uint16 { return TypeOverlay }

// AppendBinary appends m to b, like that of Belief.
func (m *Overlay) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Overlay) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}
