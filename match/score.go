package match

import (
	"math"
	"time"

	"touchline/soccer"
)

// sampleEvery is how often beliefs are compared with the truth.
const sampleEvery = 50 * time.Millisecond

// inSight is how long after the last picture of it a robot still counts as seeing the ball: three pictures at 15 Hz.
const inSight = 200 * time.Millisecond

// Score is how well one participant knew the ball while it stood on the field, against the truth.
type Score struct {
	Number uint8
	Team   string
	Sent   uint64 // packages
	Fused  Errors
	Alone  Errors // from its own percepts only
	// Only over the moments in which the robot itself saw the ball within the last 200 ms: the strictest comparison, for
	// what it believes alone of a ball that it lost from sight is worse.
	SightFused Errors
	SightAlone Errors
}

// Errors sums up position errors of the ball in the plane.
type Errors struct {
	Samples int     // moments looked at
	Known   int     // of them with a ball
	Squares float64 // m^2, sum over Known
}

// RMSE returns the root mean square error in m, NaN with nothing known.
func (e *Errors) RMSE() float64 { return math.Sqrt(e.Squares / float64(e.Known)) }

// Share returns for which part of the moments there was a ball, 0..1.
func (e *Errors) Share() float64 { return float64(e.Known) / float64(max(1, e.Samples)) }

// Add adds what another session found.
func (e *Errors) Add(o *Errors) {
	e.Samples += o.Samples
	e.Known += o.Known
	e.Squares += o.Squares
}

func (e *Errors) take(b *soccer.Ball, truth soccer.Vec3) {
	e.Samples++
	if !b.Known {
		return
	}
	e.Known++
	dx, dy := b.Position.X-truth.X, b.Position.Y-truth.Y
	e.Squares += float64(dx*dx) + float64(dy*dy)
}

// Scores returns everybody's score so far, in the order of Participants.
func (s *Session) Scores() []Score { return append([]Score(nil), s.scores...) }

// sample compares each running robot's ball with the truth.
func (s *Session) sample() {
	truth, _ := s.engine.Ball()
	for i := range s.slots {
		r := s.slots[i].robot
		if r == nil {
			continue
		}
		score := &s.scores[s.slots[i].member]
		r.World(s.now, &s.world)
		fused := s.world.Ball
		r.OwnWorld(s.now, &s.world)
		alone := s.world.Ball
		score.Fused.take(&fused, truth)
		score.Alone.take(&alone, truth)
		if fused.Known && alone.Known && s.now.Sub(alone.LastSeen) <= inSight {
			score.SightFused.take(&fused, truth)
			score.SightAlone.take(&alone, truth)
		}
	}
}

// Virtual runs a session in virtual time, without sockets: each datagram reaches every other robot and the monitor
// through the session's Link, 0.3 ms after it was sent. The same Config gives the same session on every machine.
func Virtual(cfg Config, d time.Duration) (*Session, error) {
	const air = 300 * time.Microsecond
	var s *Session
	s, err := New(cfg, func(number uint8, b []byte) {
		p := soccer.Packet{Time: s.now.Add(air), From: s.addrs[number], Data: b}
		s.Arrive(Monitor, &p)
		for i := range s.members {
			s.Arrive(s.members[i].Number, &p)
		}
	})
	if err != nil {
		return nil, err
	}
	s.Advance(soccer.Epoch.Add(d))
	return s, nil
}
