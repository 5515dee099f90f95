package play

import (
	"math"
	"time"

	"touchline/soccer"
	"touchline/wire/team"
)

// crowd is how long the robots of the team have been in a penalty area, by their numbers, while the game ran.
type crowd struct {
	at     soccer.Time // when they were counted last
	inside [maxRobot + 1]inside
	excess time.Duration // this robot as one too many
}

// inside is the time of one robot in a penalty area.
type inside struct {
	end  float64 // -1 in the own area, 1 in that of the opponents
	time time.Duration
}

// leaveCrowd drives out of a penalty area in which two others of the team, the goalkeeper apart, have been for longer:
// the rules allow a third one 10 s there, and this robot needs some of them for its way.
func (s *scene) leaveCrowd(a *Action) {
	const (
		most     = 2
		patience = 7 * time.Second
	)
	m := &s.memory.inArea
	since := min(s.Now.Sub(m.at), 100*time.Millisecond)
	m.at = s.Now
	if !s.located || s.Referee.State != team.Running {
		return
	}
	before := m.inside
	m.inside = [maxRobot + 1]inside{}
	m.inside[s.cfg.Number] = s.longerInside(before[s.cfg.Number], s.cfg.Number, s.me, since)
	for i := range s.circles[:s.mates] {
		c := &s.circles[i]
		m.inside[c.number] = s.longerInside(before[c.number], c.number, c.at, since)
	}
	own, longer := m.inside[s.cfg.Number], 0
	for n, o := range m.inside {
		if o.end == own.end && (o.time > own.time || o.time == own.time && n < int(s.cfg.Number)) {
			longer++
		}
	}
	if m.excess += since; own.time == 0 || longer < most {
		m.excess = 0
	}
	if m.excess > patience {
		out := soccer.Vec{X: s.me.X - float64(4*own.end), Y: s.me.Y}
		away := keep{}
		if s.memory.piece.active {
			away = s.avoids
		}
		*a = s.drive(out, s.self.Theta, cruise, away, "make room in the penalty area")
	}
}

// longerInside returns the time of a robot in a penalty area after another period, with a margin for the error of its
// pose: zero outside, and for the goalkeeper in its own area.
func (s *scene) longerInside(was inside, number uint8, at soccer.Vec, since time.Duration) inside {
	const margin = 0.2 // m
	is := inside{end: sign(at.X)}
	if far := math.Abs(at.X); is.end < 0 && number == s.keeper || math.Abs(at.Y) > float64(s.field.PenaltyAreaWidth/2)+margin ||
		far < s.end-s.field.PenaltyAreaLength-margin || far > s.end {
		return inside{}
	}
	if is.time = since; was.end == is.end {
		is.time += was.time
	}
	return is
}
