package lab

import (
	"time"

	"touchline/soccer"
)

// How much farther than another live robot a robot that goes to the ball may be, in m.
const (
	wrong      = 1.0 // the other one is clearly nearer: by 0.4 s of driving
	hysteresis = 0.3 // what the protocols themselves allow
)

// rivalsScore is what a game measured, to the nanosecond: bookers change only with events. The distances count from the end of
// one control period to the next.
type rivalsScore struct {
	length    time.Duration
	none      time.Duration   // with no booker
	more      time.Duration   // with more than one
	wrong     time.Duration   // with one that is farther than another robot by more than wrong
	farther   time.Duration   // by more than hysteresis
	handovers int             // times that another robot than the last one became the booker
	datagrams int             // of all robots
	gaps      []time.Duration // from the crash of a booker to the next one
	agreed    time.Duration   // from the start until all robots believed in one booker; 0: never

	now     soccer.Time
	bookers int
	margin  float64     // m, by which the farthest booker is farther than the nearest robot
	last    uint8       // the robot that became the booker last; 0: none
	crashed soccer.Time // when the booker crashed that has no successor yet; 0: there is none
}

// pass counts the time until now.
func (s *rivalsScore) pass(now soccer.Time) {
	d := now.Sub(s.now)
	s.now = now
	s.length += d
	switch {
	case s.bookers == 0:
		s.none += d
	case s.bookers > 1:
		s.more += d
	}
	if s.margin > wrong {
		s.wrong += d
	}
	if s.margin > hysteresis {
		s.farther += d
	}
}

// change notes that a robot became the booker, or is not any more.
func (s *rivalsScore) change(robot uint8, booker bool) {
	if !booker {
		s.bookers--
		return
	}
	s.bookers++
	if s.crashed > 0 {
		s.gaps = append(s.gaps, s.now.Sub(s.crashed))
		s.crashed = 0
	}
	if s.last != 0 && s.last != robot {
		s.handovers++
	}
	s.last = robot
}

// crash notes the crash of the only booker.
func (s *rivalsScore) crash() { s.bookers, s.crashed = 0, s.now }
