package check

import (
	"time"

	"touchline/soccer"
)

// Bounds of the comparison of balls between senders.
const (
	ballEvery  = 100 * time.Millisecond
	ballsAgree = 0.9 // m; two cameras 7 m away differ less
	ballFresh  = 300 * time.Millisecond
	minBalls   = 15
	minTravel  = 1.0 // m: the ball moved by this, so that no two balls at rest are compared
)

// balls compares a sender's ball with that of the other senders.
type balls struct {
	ball   soccer.Vec // the newest
	at     soccer.Time
	judged soccer.Time
	count  int                  // comparisons
	fits   [len(frames) + 1]int // counts of agreement in each frame; the last is for the ball as it is
	from   soccer.Vec           // the others' ball at the first comparison
	travel float64              // m
}

// judgeBall finds a sender whose ball is the other senders' ball in another frame.
func (j *Judge) judgeBall(t *trace, now soccer.Time, p *soccer.Percepts) {
	b := &t.balls
	if now.Sub(b.judged) < ballEvery {
		return
	}
	b.judged = now
	others, n := j.othersBall(t, now)
	seen := len(p.Balls) > 0 && p.Self.Known
	if seen {
		b.ball, b.at = p.Balls[0].Position.XY(), now
		t.path.ball, t.path.seen = b.ball, now
	} else if n > 0 && now.Sub(b.at) > time.Second {
		t.path.ball, t.path.seen = others, now
	}
	if n == 0 || !seen {
		return
	}
	b.compare(others)
	if b.count < minBalls || b.travel < minTravel || 10*b.fits[len(frames)] > b.count {
		return
	}
	best := 0
	for i := range frames {
		if b.fits[i] > b.fits[best] {
			best = i
		}
	}
	if 10*b.fits[best] >= 6*b.count {
		where := "the other robots see it"
		if n == 1 {
			where = "the only other robot sees it; one of the two is wrong"
		}
		f := &frames[best]
		t.report(now, ballTurned.fault(where, f.vector).in(f))
	}
}

// compare compares the ball with the others', in each frame. A ball that agrees as it is and in another frame, as at the
// centre, says nothing.
func (b *balls) compare(others soccer.Vec) {
	var agrees [len(frames) + 1]bool
	ambiguous := false
	for i := range agrees {
		in := others
		if i < len(frames) {
			in = frames[i].apply(others)
		}
		agrees[i] = in.Sub(b.ball).Len() < ballsAgree
		ambiguous = ambiguous || i < len(frames) && agrees[i]
	}
	if agrees[len(frames)] && ambiguous {
		return
	}
	if b.count >= 2*minBalls {
		for i := range b.fits {
			b.fits[i] /= 2
		}
		b.count, b.travel = b.count/2, b.travel/2
	}
	if b.count == 0 {
		b.from = others
	}
	b.count++
	b.travel = max(b.travel, others.Sub(b.from).Len())
	for i, agree := range agrees {
		if agree {
			b.fits[i]++
		}
	}
}

// othersBall returns the ball on which most of the other senders of the same side agree, and how many do; 0 without a
// majority.
func (j *Judge) othersBall(t *trace, now soccer.Time) (ball soccer.Vec, n int) {
	var seen [maxTraces]soccer.Vec
	others := seen[:0]
	for _, e := range j.traces.All() {
		if o := e.Value; o != t && o.sender.Color == t.sender.Color && o.sender.Robot != t.sender.Robot && o.balls.at != 0 &&
			now.Sub(o.balls.at) < ballFresh {
			others = append(others, o.balls.ball)
		}
	}
	for i := range others {
		agree := 0
		for k := range others {
			if others[i].Sub(others[k]).Len() < ballsAgree {
				agree++
			}
		}
		if agree > n {
			ball, n = others[i], agree
		}
	}
	if 2*n <= len(others) {
		return ball, 0
	}
	return ball, n
}
