package match

import (
	"touchline/soccer"
	"touchline/wire/team"
)

// Drive executes a motor command of a robot, as sim.Engine.Command does. A robot that is not on the field ignores it, and
// so does every robot with a command that is out of range.
func (s *Session) Drive(number uint8, m *team.Motor) {
	command := m.Command()
	if s.slot(number) >= 0 && s.engine.Command(number, &command) == nil {
		s.executed[number] = m.Sequence
	}
}

// Release ends the drive of a robot whose software runs in the session: it stands.
func (s *Session) Release(number uint8) { s.release(number) }

// release ends the drive of a robot: it stands, and its odometry starts anew.
func (s *Session) release(number uint8) {
	s.engine.Release(number)
	s.executed[number] = 0
}

// markKicks puts the kicks of the engine's last step on the timeline, and reports them.
func (s *Session) markKicks() {
	for _, k := range s.engine.Kicks() {
		s.mark("kick", k.Robot, "kick")
		s.report(k.Robot, "kick")
	}
}

// twist returns the velocity that a robot measures: that of its drive, or of the user that moves it.
func (s *Session) twist(number uint8) soccer.Twist {
	if _, v, ok := s.engine.Robot(number); ok && v != (soccer.Twist{}) {
		return v
	}
	return s.drags[number].at(s.now)
}
