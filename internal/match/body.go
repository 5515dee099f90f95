package match

import (
	"touchline/soccer"
	"touchline/wire/team"
)

// Body is what the sensors of a robot say in its newest picture.
type Body struct {
	Sense  *soccer.Sense // nil: no picture yet. It may not be changed
	Travel soccer.Pose   // that the wheels measured
}

// Body returns the newest Body of a robot on the field whose software is on; the software may run outside the session.
func (s *Session) Body(number uint8) (Body, bool) {
	i := s.slot(number)
	if i < 0 {
		return Body{}, false
	}
	b := s.slots[i].body
	return b, b.Sense != nil
}

// Quiet lets the helpers beside the field leave ball and robots alone, while somebody measures with them: no ball is
// kicked in by itself, and no robot is replaced.
func (s *Session) Quiet(quiet bool) { s.quiet = quiet }

// unlessQuiet returns a function that does something unless the session is quiet.
func (s *Session) unlessQuiet(do func()) func() {
	return func() {
		if !s.quiet {
			do()
		}
	}
}

// Drive executes a motor command of a robot, as sim.Engine.Command does. A robot that is not on the field ignores it, and
// so does every robot with a command that is out of range.
func (s *Session) Drive(number uint8, m *team.Motor) {
	if i := s.slot(number); i >= 0 {
		_ = s.drive(&s.slots[i].unit, m)
	}
}

// Release ends the drive of a robot: it stands, and its odometry starts again.
func (s *Session) Release(number uint8) {
	s.engine.Release(number)
	if i := s.slot(number); i >= 0 {
		s.slots[i].motor = 0
	}
}

// twist returns the velocity that a robot measures: that of its drive, or of the user that moves it.
func (s *Session) twist(at *slot) soccer.Twist {
	if _, v, ok := s.engine.Robot(at.id); ok && v != (soccer.Twist{}) {
		return v
	}
	return at.drag.at(s.now)
}
