package matchnet

import (
	"fmt"
	"time"

	"touchline/internal/match"
	"touchline/teamcom"
	"touchline/wire/tcm"
)

// Outage is a crash of a robot, as its teammates saw it.
type Outage struct {
	Robot uint8   `json:"robot"`
	Gone  Seconds `json:"gone"` // from the end of its process until its teammates see it gone
	Back  Seconds `json:"back"` // from the start of its next process until its teammates see it again
}

// Seconds are the times at which the first and the last of several robots saw an event, in s after it; 0: not yet.
type Seconds struct {
	First float64 `json:"first"`
	Last  float64 `json:"last"`
}

func (s *Seconds) add(d time.Duration) {
	if s.Last = d.Seconds(); s.First == 0 {
		s.First = s.Last
	}
}

// outage is an Outage that is not over.
type outage struct {
	Outage
	crashed  time.Time
	why      string
	started  time.Time             // of the next process; zero before it
	sees     map[uint8]outagePhase // by teammate
	reported outagePhase           // what all teammates have seen
}

// outagePhase is what a teammate has seen of an outage.
type outagePhase int

const (
	unseen outagePhase = iota
	gone
	back
)

// compare notes what the report of a teammate shows of the outage.
func (o *outage) compare(mate uint8, r *teamcom.Report, now time.Time) {
	peer := tcm.Entity{Kind: tcm.Robot, ID: o.Robot}.String()
	if mate == o.Robot {
		return
	}
	for i := range r.Links {
		switch l := &r.Links[i]; {
		case l.Peer != peer:
		case !l.Up && o.sees[mate] == unseen:
			o.sees[mate] = gone
			o.Gone.add(now.Sub(o.crashed))
		case l.Up && o.sees[mate] == gone && !o.started.IsZero():
			o.sees[mate] = back
			o.Back.add(now.Sub(o.started))
		}
	}
}

// progress reports when all running teammates of a crashed robot see it gone, and when they see it again. It requires
// s.mu.
func (s *supervisor) progress(number uint8, o *outage) {
	least := back
	for mate := range s.reports {
		if mate != number {
			least = min(least, o.sees[mate])
		}
	}
	if least <= o.reported {
		return
	}
	o.reported = least
	in := func(s float64) string { return fmt.Sprintf("%.2f s", s) }
	if least == gone {
		s.log.Info("the robot's teammates see that it is gone", "robot", number, "first after", in(o.Gone.First),
			"last after", in(o.Gone.Last))
		s.mark("off", number, fmt.Sprintf("%d is gone for its teammates after %s", number, in(o.Gone.Last)))
		return
	}
	s.log.Info("the robot is back for its teammates", "robot", number, "first after", in(o.Back.First),
		"last after", in(o.Back.Last))
	s.mark("on", number, fmt.Sprintf("%d is back for its teammates after %s", number, in(o.Back.Last)))
	delete(s.outages, number)
	const most = 100
	if s.ended = append(s.ended, o.Outage); len(s.ended) > most {
		s.ended = s.ended[1:]
	}
}

// crashes says of each robot that crashed and is not back why, and when it starts again. A nil supervisor has none. The
// caller may not hold the lock of a session or match, which the supervisor takes.
func (s *supervisor) crashes(now time.Time) map[uint8]string {
	all := map[uint8]string{}
	if s == nil {
		return all
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for number, o := range s.outages {
		all[number] = match.CrashText(o.why, o.crashed.Add(s.restart).Sub(now))
	}
	return all
}

// Outages returns the last 100 outages that are over, oldest first. A nil supervisor has none.
func (s *supervisor) Outages() []Outage {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Outage{}, s.ended...)
}
