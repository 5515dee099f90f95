package managernet

import (
	"image"
	"sync"

	"touchline/internal/camera"
	"touchline/soccer"
	"touchline/wire/team"
)

// defaultTable is the colour table of all cameras.
var defaultTable = sync.OnceValue(camera.DefaultTable)

// CameraView turns what a robot's camera takes into what its managers wish to see (docs/manager.md, types 32 and 43):
// pictures in their format, size and region, and overlays of what the robot finds in them. It reuses its buffers and is not
// safe for concurrent use.
type CameraView struct {
	finder   *camera.Finder
	percepts camera.Percepts
	encoder  encoder
	classes  []byte
	sketch   sketch
}

// NewCameraView returns the view of a camera on a field, with the table of colours of camera.DefaultTable.
func NewCameraView(cam camera.Camera, cfg camera.Config) *CameraView {
	v := &CameraView{finder: camera.NewFinder(cam, cfg, defaultTable())}
	v.sketch.camera, v.sketch.field, v.sketch.marks = &v.finder.Camera, cfg.Field, cfg.Field.Marks()
	return v
}

// setTable changes the table of colours; nil: the one that it has.
func (v *CameraView) setTable(table *camera.Table) {
	if table != nil {
		v.finder.Table = table
	}
}

// Encode sets m to what a manager wishes of a picture. It fails for a region outside of it.
func (v *CameraView) Encode(p *camera.Picture, wish *team.PictureWish, m *team.Image) error {
	if wish.Format != team.Classes {
		return v.encoder.encode(frame(p), wish, m)
	}
	r, d := regionOf(image.Rect(0, 0, p.Width, p.Height), wish), max(1, int(wish.Divisor))
	w, h := r.Dx()/d, r.Dy()/d
	v.classes = v.classes[:0]
	for y := range h {
		for x := range w {
			at := (r.Min.Y+d*y)*p.Width + r.Min.X + d*x
			v.classes = append(v.classes, byte(v.finder.Table.At(p.Y[at], p.Cb[at], p.Cr[at])))
		}
	}
	err := Classes(v.classes, w, h, m)
	m.Divisor, m.X, m.Y = uint8(d), uint16(r.Min.X), uint16(r.Min.Y)
	return err
}

// overlay sets m to what is found in a picture, and to the horizon and the field's lines as the robot's pose gives them.
// A picture of another size than the camera's has an unknown lens: its overlay is empty.
func (v *CameraView) overlay(p *camera.Picture, view *camera.View, m *team.Overlay) {
	m.Shapes = m.Shapes[:0]
	if v.finder.Find(p, view, &v.percepts) != nil {
		return
	}
	v.sketch.draw(&v.percepts, view, m)
}

// fieldLines returns the lines of a field as a camera sees them from a robot's pose.
func fieldLines(cam camera.Camera, field soccer.Field, self soccer.Pose, pan, tilt float64) []team.Shape {
	var m team.Overlay
	s := sketch{camera: &cam, field: field, to: &m}
	eye := cam.EyeAt(self, pan, tilt)
	marks := field.Marks()
	for i := range marks {
		s.mark(&eye, &marks[i])
	}
	return m.Shapes
}

// frame returns a picture of a camera as package image knows it. It shares the pixels.
func frame(p *camera.Picture) *image.YCbCr {
	return &image.YCbCr{
		Y: p.Y, Cb: p.Cb, Cr: p.Cr, YStride: p.Width, CStride: p.Width, Rect: image.Rect(0, 0, p.Width, p.Height),
		SubsampleRatio: image.YCbCrSubsampleRatio444,
	}
}
