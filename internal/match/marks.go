package match

import (
	"math"

	"touchline/internal/bounded"
	"touchline/soccer"
)

// RobotEvent is an event that a robot reports to the RefBox through its base station.
type RobotEvent struct {
	Robot uint8  // jersey number
	Text  string // "kick", "switched on", "substitute, 6 replaces 1", ...
}

// Events returns the robots' events since the last call, oldest first, at most the newest 100.
func (s *Session) Events() []RobotEvent {
	all := s.reports
	s.reports = nil
	return all
}

// report adds an event of a robot.
func (s *Session) report(number uint8, text string) {
	s.reports = bounded.Append(s.reports, RobotEvent{number, text}, maxMarks)
}

// Wanted returns the numbers of the robots that are on the field and not switched off.
func (s *Session) Wanted() (set soccer.RobotSet) {
	for i := range s.slots {
		if !s.slots[i].off {
			set = set.With(s.slots[i].number)
		}
	}
	return set
}

// markKick puts a kick of a helper or of the page on the timeline. The robot nearest to the ball reports it, as it sees
// it best.
func (s *Session) markKick(text string) {
	s.Note("kick", 0, text)
	ball, _ := s.engine.Ball()
	var robot uint8
	nearest := math.Inf(1)
	for i := range s.slots {
		number := s.slots[i].number
		pose, ok := s.engine.RobotPose(number)
		if d := pose.XY().Sub(ball.XY()).Len(); ok && s.slots[i].robot != nil && d < nearest {
			robot, nearest = number, d
		}
	}
	if robot != 0 {
		s.report(robot, text)
	}
}
