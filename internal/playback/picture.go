package playback

import (
	"fmt"

	"touchline/soccer"
)

// FoxglovePictureChannel is the channel of the pictures of a robot's camera, AnnotationsChannel that of what is drawn over them.
func FoxglovePictureChannel(robot uint8) string { return fmt.Sprintf("foxglove/camera/%d", robot) }
func AnnotationsChannel(robot uint8) string     { return fmt.Sprintf("foxglove/percepts/%d", robot) }

// CompressedImage is CompressedImage.
type CompressedImage struct {
	Timestamp stamp  `json:"timestamp"`
	FrameID   string `json:"frame_id"`
	Data      []byte `json:"data"`   // base64
	Format    string `json:"format"` // "jpeg" or "png"
}

// ImageAnnotations is ImageAnnotations.
type ImageAnnotations struct {
	Circles []struct{}         `json:"circles"`
	Points  []pointsAnnotation `json:"points"`
	Texts   []textAnnotation   `json:"texts"`
}

// pointsAnnotation is foxglove.PointsAnnotation.
type pointsAnnotation struct {
	Timestamp stamp   `json:"timestamp"`
	Type      int     `json:"type"`
	Points    []pixel `json:"points"`
	Outline   color   `json:"outline_color"`
	Outlines  []color `json:"outline_colors"`
	Fill      color   `json:"fill_color"`
	Thickness number  `json:"thickness"` // px
}

// textAnnotation is foxglove.TextAnnotation.
type textAnnotation struct {
	Timestamp  stamp  `json:"timestamp"`
	Position   pixel  `json:"position"`
	Text       string `json:"text"`
	FontSize   number `json:"font_size"` // px
	Color      color  `json:"text_color"`
	Background color  `json:"background_color"`
}

// pixel is foxglove.Point2.
type pixel struct {
	X number `json:"x"`
	Y number `json:"y"`
}

// Types of a pointsAnnotation.
const (
	pointsType    = 1
	lineLoopType  = 2
	lineStripType = 3
)

// Shape is a line or dots over a picture.
type Shape struct {
	Kind   string // as managernet.ShapeView has it
	Closed bool
	Label  string    // "": none
	Points []float64 // x, y, x, y ... in pixels of the picture
}

// shapeColors are the colours of shapes by their kinds, those of the robot's page.
var shapeColors = map[string]color{
	"ball": {1, 0.604, 0.302, 1}, "no ball": {1, 1, 1, 0.8}, "line points": {0.773, 0.965, 0.98, 1},
	"line": {0.4, 0.851, 0.91, 1}, "post": {1, 0.878, 0.4, 1}, "robot": {1, 0.561, 0.847, 1}, "horizon": {1, 1, 1, 0.6},
	"field line": {1, 0.914, 0.361, 0.9},
}

// FoxglovePicture returns a picture of a robot's camera; format is "jpeg" or "png".
func FoxglovePicture(captured soccer.Time, robot uint8, format string, data []byte) CompressedImage {
	return CompressedImage{Timestamp: timeOf(captured), FrameID: fmt.Sprintf("camera %d", robot), Data: data, Format: format}
}

// Annotations returns what is drawn over the picture of this time.
func Annotations(captured soccer.Time, shapes []Shape) ImageAnnotations {
	at := timeOf(captured)
	a := ImageAnnotations{Circles: []struct{}{}, Points: []pointsAnnotation{}, Texts: []textAnnotation{}}
	for i := range shapes {
		s := &shapes[i]
		p := pointsAnnotation{Timestamp: at, Type: lineStripType, Points: []pixel{}, Outline: shapeColors[s.Kind],
			Outlines: []color{}, Thickness: 1}
		switch {
		case s.Kind == "line points":
			p.Type, p.Thickness = pointsType, 2
		case s.Closed:
			p.Type = lineLoopType
		}
		for k := 0; k+1 < len(s.Points); k += 2 {
			p.Points = append(p.Points, pixel{number(s.Points[k]), number(s.Points[k+1])})
		}
		a.Points = append(a.Points, p)
		if s.Label != "" && len(p.Points) > 0 {
			a.Texts = append(a.Texts, textAnnotation{Timestamp: at, Position: p.Points[0], Text: s.Label, FontSize: 8,
				Color: color{1, 1, 1, 1}, Background: color{0, 0, 0, 0.7}})
		}
	}
	return a
}
