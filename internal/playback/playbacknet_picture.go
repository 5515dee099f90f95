package playback

import (
	"fmt"
	"strings"
	"time"

	"touchline/internal/manager/managernet"
	"touchline/soccer"
)

// WhileRecording returns n while a recording runs, and 0 otherwise.
func (t *Tape) WhileRecording(n uint8) uint8 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.record == nil {
		return 0
	}
	return n
}

// Picture keeps a picture of a robot's camera for pages that look back, and records it, if a recording runs: for Foxglove
// the file and what is drawn over it, for pages what they show beside it.
func (t *Tape) Picture(v *managernet.PictureView) {
	now, captured := t.clock.At(time.Now()), soccer.Time(v.Millis*1e6)
	rest := *v
	rest.Data = nil
	for _, part := range []struct {
		channel string
		value   any
	}{
		{FoxglovePictureChannel(v.Robot), FoxglovePicture(captured, v.Robot, strings.TrimPrefix(v.Type, "image/"), v.Data)},
		{AnnotationsChannel(v.Robot), Annotations(captured, shapesOf(v))},
		{PictureChannel(v.Robot), &rest},
	} {
		m, err := Message(now, part.channel, part.value)
		if err != nil {
			t.log.Error("a picture cannot be recorded", "robot", v.Robot, "err", err)
			return
		}
		if part.channel != AnnotationsChannel(v.Robot) {
			t.films.Add(m)
		}
		t.Message(m)
	}
}

// shapesOf returns the overlay of a picture in its own pixels.
func shapesOf(v *managernet.PictureView) []Shape {
	shapes := make([]Shape, 0, len(v.Overlay))
	d := float64(max(v.Divisor, 1))
	for i := range v.Overlay {
		o := &v.Overlay[i]
		s := Shape{Kind: o.Kind, Closed: o.Closed, Label: o.Text, Points: make([]float64, len(o.Points))}
		if o.Distance > 0 && o.Kind != "line" {
			s.Label = strings.TrimSpace(fmt.Sprintf("%s %s %.2f m", o.Text, o.Kind, o.Distance))
		}
		for k, p := range o.Points { // x, y, x, y ...
			from := float64(v.X)
			if k%2 == 1 {
				from = float64(v.Y)
			}
			s.Points[k] = (p+0.5-from)/d - 0.5
		}
		shapes = append(shapes, s)
	}
	return shapes
}
