package playback

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"touchline/internal/manager/managernet"
	"touchline/matchlog"
	"touchline/soccer"
)

// imageChannel returns the channel of the pictures of a robot's camera, for Foxglove.
func imageChannel(robot uint8) string { return fmt.Sprintf("foxglove/camera/%d", robot) }

// annotationsChannel returns the channel of what Foxglove draws over these pictures.
func annotationsChannel(robot uint8) string { return fmt.Sprintf("foxglove/percepts/%d", robot) }

// PictureChannels returns the channels that a client of Foxglove needs for the pictures of a robot's camera.
func PictureChannels(robot uint8) []string {
	return []string{imageChannel(robot), annotationsChannel(robot)}
}

// pictureChannel returns the channel of what a page shows with the pictures of a robot's camera: a
// managernet.PictureView without its data, which is in ImageChannel.
func pictureChannel(robot uint8) string {
	return fmt.Sprint(picturePrefix, robot)
}

const picturePrefix = matchlog.TopicPrefix + "picture/"

// compressedImage is foxglove.CompressedImage.
type compressedImage struct {
	Timestamp stamp  `json:"timestamp"`
	FrameID   string `json:"frame_id"`
	Data      []byte `json:"data"`   // base64
	Format    string `json:"format"` // "jpeg" or "png"
}

// imageAnnotations is foxglove.ImageAnnotations.
type imageAnnotations struct {
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

// shapeColors are the colours of shapes by their kinds, those of the robot's page.
var shapeColors = map[string]color{
	"ball": {1, 0.604, 0.302, 1}, "no ball": {1, 1, 1, 0.8}, "line points": {0.773, 0.965, 0.98, 1},
	"line": {0.4, 0.851, 0.91, 1}, "post": {1, 0.878, 0.4, 1}, "robot": {1, 0.561, 0.847, 1}, "horizon": {1, 1, 1, 0.6},
	"field line": {1, 0.914, 0.361, 0.9},
}

// image returns a picture of a robot's camera for Foxglove.
func image(v *managernet.PictureView) compressedImage {
	return compressedImage{
		Timestamp: captured(v), FrameID: fmt.Sprintf("camera %d", v.Robot), Data: v.Data,
		Format: strings.TrimPrefix(v.Type, "image/"),
	}
}

func captured(v *managernet.PictureView) stamp { return timeOf(soccer.Time(v.Millis * 1e6)) }

// annotations returns what is drawn over a picture, in its own pixels.
func annotations(v *managernet.PictureView) imageAnnotations {
	at, d := captured(v), float64(max(v.Divisor, 1))
	a := imageAnnotations{Circles: []struct{}{}, Points: []pointsAnnotation{}, Texts: []textAnnotation{}}
	for i := range v.Overlay {
		s := &v.Overlay[i]
		p := pointsAnnotation{Timestamp: at, Type: lineStripType, Points: []pixel{}, Outline: shapeColors[s.Kind],
			Outlines: []color{}, Thickness: 1}
		switch {
		case s.Kind == "line points":
			p.Type, p.Thickness = pointsType, 2
		case s.Closed:
			p.Type = lineLoopType
		}
		for k := 0; k+1 < len(s.Points); k += 2 { // x, y, x, y ...
			p.Points = append(p.Points, pixel{
				number((s.Points[k]+0.5-float64(v.X))/d - 0.5), number((s.Points[k+1]+0.5-float64(v.Y))/d - 0.5),
			})
		}
		a.Points = append(a.Points, p)
		label := s.Text
		if s.Distance > 0 && s.Kind != "line" {
			label = strings.TrimSpace(fmt.Sprintf("%s %s %.2f m", s.Text, s.Kind, s.Distance))
		}
		if label != "" && len(p.Points) > 0 {
			a.Texts = append(a.Texts, textAnnotation{Timestamp: at, Position: p.Points[0], Text: label, FontSize: 8,
				Color: color{1, 1, 1, 1}, Background: color{0, 0, 0, 0.7}})
		}
	}
	return a
}

// Picture keeps a picture of a robot's camera for pages that look back, and records it if a recording runs: for Foxglove
// the file and what is drawn over it, for pages what they show beside it.
func (r *Recorder) Picture(v *managernet.PictureView) {
	now := r.clock.At(time.Now())
	rest := *v
	rest.Data = nil
	for _, part := range []struct {
		channel string
		value   any
	}{
		{imageChannel(v.Robot), image(v)}, {annotationsChannel(v.Robot), annotations(v)}, {pictureChannel(v.Robot), &rest},
	} {
		m, err := message(now, part.channel, part.value)
		if err != nil {
			r.log.Error("a picture cannot be recorded", "robot", v.Robot, "err", err)
			return
		}
		if part.channel != annotationsChannel(v.Robot) {
			r.pictures.add(m)
		}
		r.mu.Lock()
		r.keep(m)
		r.mu.Unlock()
	}
}

// picture is a picture of a robot's camera at a time of a session.
type picture struct {
	View json.RawMessage `json:"view"` // the topic "picture/ID" as it was, without its data
	Data []byte          `json:"data"` // base64
}

// picture returns the picture that a robot's page showed at a time, in s; nil if none was kept of the 2 s before.
func (p *Player) picture(robot uint8, t float64) (*picture, error) {
	m, ok := p.moment(t)
	if !ok {
		return nil, nil
	}
	at := m.at.Add(seconds(t - m.t)) // between two walls
	view, ok, err := p.pictures.Last(pictureChannel(robot), at)
	if err != nil || !ok || at.Sub(view.Time) > current {
		return nil, err
	}
	image, ok, err := p.pictures.Last(imageChannel(robot), view.Time)
	if err != nil || !ok || image.Time != view.Time {
		return nil, err
	}
	var of compressedImage
	if json.Unmarshal(image.Data, &of) != nil || !json.Valid(view.Data) {
		return nil, nil // damaged
	}
	return &picture{view.Data, of.Data}, nil
}
