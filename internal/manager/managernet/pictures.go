package managernet

import (
	"bytes"
	"image/jpeg"
	"sync"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// PictureView is the topic "picture/ID": the newest picture of a robot.
type PictureView struct {
	Robot   uint8       `json:"robot"`
	Millis  float64     `json:"millis"` // of its capture, on the clock of this program
	Type    string      `json:"type"`   // of Data: "image/jpeg" or "image/png"
	Data    []byte      `json:"data"`   // base64
	Width   int         `json:"width"`  // pixels
	Height  int         `json:"height"`
	Divisor int         `json:"divisor"` // pixels of the camera to one of the picture, both ways
	X       int         `json:"x"`       // of the top left pixel in the camera's picture
	Y       int         `json:"y"`
	Format  string      `json:"format"` // "jpeg", "ycbcr" or "classes", as the robot sent it
	Slices  int         `json:"slices"`
	Missing int         `json:"missing"` // slices that did not arrive: they are grey
	Stats   Stats       `json:"stats"`
	Overlay []ShapeView `json:"overlay"` // null: none arrived with the picture
}

// ShapeView is a shape over the picture, in pixels of the camera.
type ShapeView struct {
	Kind     string    `json:"kind"` // "ball", "no ball", "line points", "line", "post", "robot", "horizon" or "field line"
	Closed   bool      `json:"closed"`
	Distance float32   `json:"distance"` // m on the floor; 0: unknown
	Sigma    float32   `json:"sigma"`    // m; 0: unknown
	Text     string    `json:"text"`
	Points   []float64 `json:"points"` // x, y, x, y ...
}

// Pictures keeps the newest picture of each robot for pages. Its methods may be called from any goroutine.
type Pictures struct {
	// Arrived, if not nil, is called after each picture. Set it before Receive
	Arrived func(robot uint8)
	// Recorded, if not nil, is called with pictures that arrive: keptRate a second of each robot, or as many as Record asks
	// for. Set it before Receive
	Recorded func(v *PictureView)

	mu     sync.Mutex
	robots map[uint8]*stream
	rate   uint8 // pictures a second of each robot that are recorded
}

// stream is the pictures of a robot.
type stream struct {
	image    team.Image
	captured soccer.Time
	fresh    bool // not shown yet
	overlay  team.Overlay
	drawn    soccer.Time // capture of overlay; 0: none
	stats    Stream
	decoder  Decoder
	recorded soccer.Time // arrival of the newest picture that was
}

// Receive lets a node's module receive the pictures of robots.
func (p *Pictures) Receive(node Node) {
	p.robots = map[uint8]*stream{}
	teamcom.Handle(node.Module(tcm.Manager), p.receiveOverlay)
	teamcom.HandleBytes(node.Module(tcm.Manager), tcm.Image, func(from teamcom.From, b []byte) {
		if !p.receive(from, b) {
			return
		}
		if p.Arrived != nil {
			p.Arrived(from.Entity.ID)
		}
		if v := p.record(from.Entity.ID, from.Received); v != nil {
			p.Recorded(v)
		}
	})
}

// keptRate is how many pictures a second of each robot are kept of those that somebody looks at.
const keptRate = 5

// Record passes rate pictures a second of each robot to Recorded from now on; below keptRate: keptRate.
func (p *Pictures) Record(rate uint8) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rate = rate
}

// record returns the newest picture of a robot if it is to be recorded, or nil.
func (p *Pictures) record(robot uint8, now soccer.Time) *PictureView {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stream(robot)
	if p.Recorded == nil || now.Sub(s.recorded) < time.Second/time.Duration(max(p.rate, keptRate))*9/10 {
		return nil
	}
	s.recorded = now
	return s.view(robot, now)
}

// receive keeps a picture, or what arrived of it.
func (p *Pictures) receive(from teamcom.From, b []byte) bool {
	if from.Entity.Kind != tcm.Robot {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stream(from.Entity.ID)
	have := func(start, end int) bool {
		for _, m := range from.Missing {
			if m.Start < end && start < m.End {
				return false
			}
		}
		return true
	}
	if err := s.image.UnmarshalPartial(b, have); err != nil {
		return false
	}
	s.captured, s.fresh = from.Captured, true
	s.stats.arrived(from.Number, from.Captured, from.Received, len(b), len(from.Missing) == 0)
	return true
}

// stream returns the stream of a robot. It requires p.mu.
func (p *Pictures) stream(robot uint8) *stream {
	s := p.robots[robot]
	if s == nil {
		s = &stream{}
		p.robots[robot] = s
	}
	return s
}

// receiveOverlay keeps what a robot found in the picture that arrives next.
func (p *Pictures) receiveOverlay(from teamcom.From, m *team.Overlay) {
	if from.Entity.Kind != tcm.Robot {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stream(from.Entity.ID)
	s.drawn = from.Captured
	s.overlay, *m = *m, s.overlay // the decoder reuses the memory of the one before
}

// shapes returns the overlay of the newest picture, nil if it has none.
func (s *stream) shapes() []ShapeView {
	const together = 8 * time.Millisecond // the clock offset of a sender changes by less
	if s.drawn == 0 || s.captured.Sub(s.drawn).Abs() > together {
		return nil
	}
	views := make([]ShapeView, 0, len(s.overlay.Shapes))
	for i := range s.overlay.Shapes {
		o := &s.overlay.Shapes[i]
		v := ShapeView{o.Kind.String(), o.Closed, o.Distance, o.Sigma, o.Text, make([]float64, 0, 2*len(o.Points))}
		for _, at := range o.Points {
			v.Points = append(v.Points, float64(at.X)/team.PixelScale, float64(at.Y)/team.PixelScale)
		}
		views = append(views, v)
	}
	return views
}

// View returns the picture of a robot that arrived since the last call, or nil.
func (p *Pictures) View(robot uint8, now soccer.Time) *PictureView {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.robots[robot]
	if s == nil || !s.fresh {
		return nil
	}
	s.fresh = false
	return s.view(robot, now)
}

// shot returns the newest picture of a robot for its calibration; false: none arrived that can be decoded.
func (p *Pictures) shot(robot uint8) (*shot, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.robots[robot]
	if s == nil || s.image.Width == 0 {
		return nil, false
	}
	m := &s.image
	shot := &shot{
		Captured: s.captured, X: int(m.X), Y: int(m.Y), Divisor: int(m.Divisor), Classes: m.Format == team.Classes,
	}
	if shot.Classes {
		return shot, true
	}
	data, missing, err := s.decoder.Decode(nil, m, Palette)
	if err != nil {
		return nil, false
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	shot.Missing = missing
	setPicture(&shot.Picture, img)
	return shot, true
}

// view returns the newest picture, or nil for one that cannot be decoded.
func (s *stream) view(robot uint8, now soccer.Time) *PictureView {
	data, missing, err := s.decoder.Decode(nil, &s.image, Palette)
	if err != nil {
		return nil
	}
	m := &s.image
	v := &PictureView{
		Robot: robot, Millis: time.Duration(s.captured).Seconds() * 1e3, Type: "image/jpeg", Data: data,
		Width: int(m.Width), Height: int(m.Height), Divisor: int(m.Divisor), X: int(m.X), Y: int(m.Y),
		Format: m.Format.String(), Slices: len(m.Slices), Missing: missing, Stats: s.stats.stats(now), Overlay: s.shapes(),
	}
	if m.Format == team.Classes {
		v.Type = "image/png"
	}
	return v
}
