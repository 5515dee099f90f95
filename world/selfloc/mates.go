package selfloc

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

const (
	maxMates   = 16
	seesOften  = 0.5 // probability that a teammate sees the robot where its camera reaches
	coincides  = 3.0 // greatest logarithm of the evidence in one sight: another robot may stand there
	sightEvery = 0.1 // s, between sights of one teammate that are used
)

// Sights are the robots and obstacles that a teammate saw in one picture. It need not know which of them is this robot.
type Sights struct {
	Mate     uint8       // its number
	Time     soccer.Time // time of its picture
	From     soccer.Vec  // where it stood, in m
	Range    float64     // m, to which its camera sees robots all around; 0: unknown
	Robots   []soccer.Vec
	Sigma    float64 // m, of what it sees beside it, with the error of its pose
	SigmaFar float64 // m per m, its growth with the distance
}

// Sights tells what a teammate saw. Robots at the believed place are evidence for it, and robots at the opposite place
// evidence for that; the sight nearest to the pose corrects it.
func (l *Locator) Sights(s *Sights) {
	if !finite(s.From.X, s.From.Y, s.Range, s.Sigma, s.SigmaFar) || s.Sigma <= 0 || s.SigmaFar < 0 {
		l.counts.Absurd++
		return
	}
	before, ok := l.advance(s.Time)
	if !ok || l.n == 0 {
		return
	}
	dt, fresh := sightEvery, 1.0
	m := l.mates.Find(s.Mate)
	if m == nil {
		m, _ = l.mates.Add(s.Mate, s.Time, maxMates, 0)
	} else {
		if dt = s.Time.Sub(m.Used).Seconds(); dt < sightEvery {
			return
		}
		// A robot that stands still may have been taken for another one; this counts again after it has moved.
		fresh = min(1, math.Abs(before.way-m.Value)+float64(0.1*dt))
	}
	m.Used, m.Value = s.Time, before.way
	// Where the robot was in the teammate's picture, seen from where it is now.
	back := l.now.travel.Relative(before.travel)
	for i := range l.all[:l.n] {
		h := &l.all[i]
		here := h.pose.Compose(back).XY()
		at, there := l.seenAt(s, here, h), l.seenAt(s, here.Turned(), h)
		h.lean(float64(fresh * min(max(at-there, -coincides), coincides)))
		h.weight += float64(fresh * min(max(max(at, there), -coincides), coincides))
		l.correct(h, s, back, dt)
	}
	l.rank()
}

// seenAt returns the logarithm of how much better the sights fit a robot at a place than one out of sight.
func (l *Locator) seenAt(s *Sights, place soccer.Vec, h *hypothesis) float64 {
	distance := place.Sub(s.From).Len()
	if s.Range > 0 && distance > s.Range {
		return 0
	}
	sigma := s.Sigma + float64(s.SigmaFar*distance)
	variance := float64(sigma*sigma) + float64(0.5*(h.cov[0]+h.cov[3]))
	density := 0.0
	for _, r := range s.Robots {
		off := r.Sub(place)
		d2 := off.Dot(off)
		if d2 < 25*variance {
			density += exact.Exp(-0.5 * d2 / variance)
		}
	}
	density /= 2 * math.Pi * variance
	missed := 1 - seesOften
	if s.Range <= 0 {
		missed = 1 // it may not look there
	}
	return exact.Log(missed + float64(seesOften*density)/max(l.cfg.Bodies, 1e-3))
}

// correct corrects a hypothesis by the sight nearest to it, if it fits. A teammate's pose is wrong for seconds, so many
// of its sights count as one. back is the pose of the robot in the sight, in the frame of the hypothesis.
func (l *Locator) correct(h *hypothesis, s *Sights, back soccer.Pose, dt float64) {
	place := h.pose.Compose(back).XY()
	best, found := soccer.Vec{}, math.Inf(1)
	for _, r := range s.Robots {
		off := r.Sub(place)
		if d := off.Dot(off); d < found {
			best, found = r, d
		}
	}
	distance := place.Sub(s.From).Len()
	sigma := s.Sigma + float64(s.SigmaFar*distance)
	variance := float64(sigma*sigma) * max(1, 2*l.cfg.MateTau.Seconds()/dt)
	if !(found < float64(9*(float64(sigma*sigma)+h.cov[0]+h.cov[3]))) {
		return
	}
	arm := place.Sub(h.pose.XY())
	h.measure(vector{1, 0, -arm.Y}, best.X-place.X, variance)
	place = h.pose.Compose(back).XY()
	h.measure(vector{0, 1, arm.X}, best.Y-place.Y, variance)
}
