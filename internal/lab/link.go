package lab

import (
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Package is what one robot sends to robot 0, or what robot 0 perceives itself.
type Package struct {
	From     int         // index of the robot
	Arrival  soccer.Time // on the clock of robot 0
	Stamp    uint32      // ms, capture time on the sender's clock
	Claimed  soccer.Time // the capture time, if the sender's clock were that of robot 0
	Percepts *soccer.Percepts
	Track    Track // the ball that the sender tracks from its own percepts
}

// link carries the packages of one robot.
type link struct {
	s       *Scenario
	rng     *rand.Rand
	from    int
	next    float64 // s, when the robot sends again
	bad     bool    // in a burst of losses
	offset  time.Duration
	started soccer.Time
}

func newLink(s *Scenario, from int, rng *rand.Rand) *link {
	l := &link{s: s, rng: rng, from: from, next: exact.Uniform(rng) / s.Camera.Packages}
	l.offset = time.Duration(float64(s.ClockSpread) * (2*exact.Uniform(rng) - 1))
	l.started = soccer.Epoch.Add(-time.Minute) // of the half: stamps are positive whatever the clock
	return l
}

// lost reports whether the next package is lost.
func (l *link) lost() bool {
	if l.s.Burst == 0 {
		return exact.Uniform(l.rng) < l.s.Loss
	}
	if l.bad {
		l.bad = exact.Uniform(l.rng) >= 1/l.s.Burst
	} else {
		l.bad = exact.Uniform(l.rng) < l.s.Loss/(1-l.s.Loss)/l.s.Burst
	}
	return l.bad
}

// send returns the package of these percepts, nil if it is lost. now is in seconds.
func (l *link) send(now float64, p *soccer.Percepts, t Track) *Package {
	if l.lost() {
		return nil
	}
	delay := time.Duration(between(l.rng, float64(l.s.DelayLeast), float64(l.s.DelayTop)))
	if l.from <= l.s.Late {
		delay = time.Duration(between(l.rng, 200e6, 500e6))
	}
	offset := l.offset
	if l.from == 1 && now >= 20 {
		offset += l.s.ClockJump
	}
	claimed := p.Time.Add(offset)
	return &Package{
		From: l.from, Arrival: soccer.Epoch.Add(time.Duration(now * 1e9)).Add(delay), Claimed: claimed,
		Stamp: uint32(claimed.Sub(l.started) / time.Millisecond), Percepts: p, Track: t.shifted(offset),
	}
}
