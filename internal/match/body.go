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
	if s.slot(number) < 0 {
		return Body{}, false
	}
	b := s.bodies[number]
	return b, b.Sense != nil
}

// bodyOf returns the Body of a picture that is taken now.
func (s *Session) bodyOf(number uint8, sense *soccer.Sense) Body {
	return Body{Sense: sense, Travel: s.travel(number)}
}

// travel returns the way that the wheels of a robot measured: with slip where it localises itself.
func (s *Session) travel(number uint8) soccer.Pose {
	if self := s.localisers[number]; self != nil {
		return self.Travel()
	}
	travel, _ := s.engine.Travel(number)
	return travel
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
