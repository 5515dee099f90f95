package match

import (
	"math"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
)

// Bounds of the timeline.
const (
	markFor  = 60 * time.Second
	maxMarks = 100
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
	if len(s.reports) == maxMarks {
		s.reports = s.reports[1:]
	}
	s.reports = append(s.reports, RobotEvent{number, text})
}

// MarkReferee puts a command of the referee on the timeline.
func (s *Session) MarkReferee(text string) { s.mark("referee", 0, text) }

// MarkRobot puts an event of a robot on the timeline: kind is "on" or "off".
func (s *Session) MarkRobot(kind string, number uint8, text string) { s.mark(kind, number, text) }

// Wanted returns the numbers of the robots that are on the field and not switched off.
func (s *Session) Wanted() (set soccer.RobotSet) {
	for i := range s.slots {
		if !s.slots[i].off {
			set = set.With(s.members[s.slots[i].member].Number)
		}
	}
	return set
}

// mark puts an event on the timeline.
func (s *Session) mark(kind string, number uint8, text string) {
	s.marks = append(s.marks, watch.Mark{Time: s.seconds(s.now), Kind: kind, Number: number, Text: text})
	for len(s.marks) > maxMarks || s.marks[0].Time < s.seconds(s.now)-markFor.Seconds() {
		s.marks = s.marks[1:]
	}
}

// markKick puts a kick of a helper or of the page on the timeline. The robot nearest to the ball reports it, as it sees
// it best.
func (s *Session) markKick(text string) {
	s.mark("kick", 0, text)
	ball, _ := s.engine.Ball()
	var robot uint8
	nearest := math.Inf(1)
	for i := range s.slots {
		number := s.members[s.slots[i].member].Number
		pose, ok := s.engine.RobotPose(number)
		if d := pose.XY().Sub(ball.XY()).Len(); ok && s.slots[i].robot != nil && d < nearest {
			robot, nearest = number, d
		}
	}
	if robot != 0 {
		s.report(robot, text)
	}
}

// seconds returns the time since the session's start in s.
func (s *Session) seconds(t soccer.Time) float64 { return t.Sub(soccer.Epoch).Seconds() }
