package match

import (
	"math"
	"time"

	"touchline/soccer"
)

// samplePeriod is the period at which beliefs are compared with the ground truth.
const samplePeriod = 50 * time.Millisecond

// inSight is the time after the last picture of the ball for which a robot counts as seeing it: three pictures at 15
// Hz.
const inSight = 200 * time.Millisecond

// Score holds how well one participant knew the ball while it was on the field.
type Score struct {
	Number uint8
	Team   string
	Sent   uint64 // packages
	Fused  Errors // of the robot's world
	Alone  Errors // of its own percepts alone
	// The same, but only while the robot itself saw the ball within the last 200 ms. That is the strictest comparison:
	// what a robot alone believes of a ball out of its sight is worse.
	SightFused Errors
	SightAlone Errors
}

// Errors sums up position errors of the ball in the plane.
type Errors struct {
	Samples int
	Known   int     // samples with a ball
	Squares float64 // m^2, sum over Known
}

// RMSE returns the root mean square error in m, NaN without a ball.
func (e *Errors) RMSE() float64 { return math.Sqrt(e.Squares / float64(e.Known)) }

// Share returns the share of the samples with a ball, 0..1.
func (e *Errors) Share() float64 { return float64(e.Known) / float64(max(1, e.Samples)) }

// add adds the errors of another session.
func (e *Errors) add(o *Errors) {
	e.Samples += o.Samples
	e.Known += o.Known
	e.Squares += o.Squares
}

// sample adds the error of one ball.
func (e *Errors) sample(b *soccer.Ball, truth soccer.Vec3) {
	e.Samples++
	if !b.Known {
		return
	}
	e.Known++
	off := b.Position.XY().Sub(truth.XY())
	e.Squares += off.Dot(off)
}

// Scores returns the scores so far in the order of Participants.
func (s *Session) Scores() []Score { return append([]Score(nil), s.scores...) }

// sample compares each running robot's ball with the ground truth.
func (s *Session) sample() {
	truth, _ := s.engine.Ball()
	for i := range s.slots {
		score := &s.scores[s.slots[i].member]
		if o := s.slots[i].outside; o != nil {
			if w := new(soccer.World); o.belief(s.now, w) {
				score.Fused.sample(&w.Ball, truth)
			}
		}
		r := s.slots[i].robot
		if r == nil {
			continue
		}
		r.World(s.now, &s.world)
		fused := s.world.Ball
		r.OwnWorld(s.now, &s.world)
		alone := s.world.Ball
		score.Fused.sample(&fused, truth)
		score.Alone.sample(&alone, truth)
		if fused.Known && alone.Known && s.now.Sub(alone.LastSeen) <= inSight {
			score.SightFused.sample(&fused, truth)
			score.SightAlone.sample(&alone, truth)
		}
	}
}
