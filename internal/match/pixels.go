package match

import (
	"touchline/internal/camera"
	"touchline/soccer"
)

// pixelRate is how many pictures a second a robot on pixels looks at, at most: each is drawn and searched. It is the
// least rate of mixed team packages (Practical Session 2014).
const pixelRate = 10

// Optics returns the camera whose pictures a participant sees by: NuBot's looks around, the others look ahead.
func (p *Participant) Optics() camera.Camera {
	if p.Shape == "camera" {
		return camera.Omnidirectional()
	}
	return camera.Perspective()
}

// pixelCamera is the camera of a robot that sees by pixels.
type pixelCamera struct {
	*eyes
	scene camera.Scene
	wait  func() // for the picture that is being drawn
}

// openEyes returns the camera of a participant, or nil for one with the sensor model. A stand-in that sees through bodies
// has no camera.
func (s *Session) openEyes(m *Participant) *pixelCamera {
	if !s.cfg.Pixels.Has(m.Number) || m.Camera.SeesThrough {
		return nil
	}
	if s.venue == nil {
		s.venue = camera.MSLVenue(s.cfg.Field, s.cfg.Seed)
	}
	return &pixelCamera{eyes: newEyes(m.Optics(), s.venue, m.Camera.Range, s.cfg.Seed+uint64(m.Number)), wait: func() {}}
}

// look takes a picture and fills the balls and obstacles of a Sense from its pixels. They are there when the function
// that it returns has ended.
func (s *Session) look(e *pixelCamera, number uint8, sense *soccer.Sense) (wait func()) {
	e.wait() // one picture at a time
	s.Scene(number, &e.scene)
	if s.cfg.Known != nil {
		e.Known = s.cfg.Known(number)
	}
	work := func() { e.look(&e.scene, sense) }
	if s.cfg.Background == nil {
		work()
		return e.wait
	}
	e.wait = s.cfg.Background(work)
	return e.wait
}

// Scene sets scene to all that the camera of a robot may see. It reports false for a robot that is not on the field.
func (s *Session) Scene(number uint8, scene *camera.Scene) bool {
	i := s.slot(number)
	return i >= 0 && s.scene(&s.slots[i].unit, s.twist(&s.slots[i]).Theta, false, scene)
}
