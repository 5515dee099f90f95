package match

import "touchline/soccer"

// Probe watches the robots whose software runs in the session, so that other world models can be given the same. Its
// arguments are valid during the call only.
type Probe struct {
	Sensed   func(number uint8, p *soccer.Percepts) // the percepts of a picture, after the latency of the camera
	Received func(number uint8, p *soccer.Packet)   // a package that the session's Link did not lose
}

// Attach attaches a probe in place of the one before.
func (s *Session) Attach(p Probe) { s.probe = p }

// World writes what the robot of a jersey number believes now to w. It reports false if the session does not run the
// software of this robot.
func (s *Session) World(number uint8, w *soccer.World) bool {
	i := s.slot(number)
	if i < 0 || s.slots[i].robot == nil {
		return false
	}
	s.slots[i].robot.World(s.now, w)
	return true
}
