package play

import (
	"time"

	"touchline/soccer"
)

// push is how long a robot has driven into others.
type push struct {
	from   soccer.Time // when it began
	newest soccer.Time // when it did last
}

// giveWay takes from a command what drives into robots that this one touches: on its way at once, and in a fight for the
// ball after half a second, since a robot that pushes an opponent away for a second breaks the rules.
func (s *scene) giveWay(a *Action) {
	const (
		back     = 0.2 // m/s
		fight    = 1.0 // m, from the ball
		pause    = 100 * time.Millisecond
		patience = 450 * time.Millisecond
	)
	v, is := s.commanded(&a.Motor), s.velocity()
	if !s.located || v.Len() < back {
		return
	}
	m := &s.memory.push
	free := v
	for i := range s.circles {
		n, touched := s.touches(i)
		if !touched {
			continue
		}
		free = free.Add(n.Scale(-max(0, free.Dot(n)+back)))
		if is.Dot(n) > back {
			if s.Now.Sub(m.newest) > pause {
				m.from = s.Now
			}
			m.newest = s.Now
		}
	}
	long := s.Now.Sub(m.newest) <= pause && s.Now.Sub(m.from) > patience
	if !long && s.onBall() && s.away <= fight {
		return
	}
	free = s.outOf(s.avoids, free) // where it backs off may be forbidden
	for i := range s.circles {
		if n, touched := s.touches(i); touched {
			free = free.Add(n.Scale(-max(0, free.Dot(n))))
		}
	}
	s.move(&a.Motor, free)
}

// touches returns the direction of a robot, and whether it is as near as one that this robot touches.
func (s *scene) touches(i int) (direction soccer.Vec, ok bool) {
	const most = 0.08 // m, between bodies
	rel := s.circles[i].at.Sub(s.me)
	return rel.Unit(), rel.Len() <= bodies+most
}
