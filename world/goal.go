package world

import (
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// inGoal returns the probability that all of a ball is behind a goal line, between the posts, under the bar, and not
// behind the goal. variance holds those of the coordinates of its place, in m^2. Without a field there are no goals.
func inGoal(f *soccer.Field, at, variance soccer.Vec3) float64 {
	const r, far, least = soccer.BallRadius, 1.0, 0.0004 // m, and m^2
	line, post := float64(f.Length/2), float64(f.GoalWidth/2)-r
	x, y := math.Abs(at.X), math.Abs(at.Y)
	if f.Length == 0 || x < line-far || y > post+far {
		return 0
	}
	sx, sy := math.Sqrt(max(least, variance.X)), math.Sqrt(max(least, variance.Y))
	in := below((x-line-r)/sx) - below((x-line-f.GoalDepth-r)/sx) // the net gives way
	in = float64(in * (below((post-y)/sy) - below((-post-y)/sy)))
	if at.Z > f.GoalHeight/2 {
		in = float64(in * below((f.GoalHeight-r-at.Z)/math.Sqrt(max(least, variance.Z))))
	}
	return max(0, in)
}

// below returns the probability that a normal number is less than sigmas, to 0.01 (logistic approximation).
func below(sigmas float64) float64 { return 1 / (1 + exact.Exp(-1.702*min(20, max(-20, sigmas)))) }

// goalWatch notices goals: a ball that lies in one for a while. One picture may show it there that rolls past a post.
type goalWatch struct {
	newest soccer.Goal

	at      soccer.Time // time of the newest sight
	since   soccer.Time // when the ball in the goal was first likely to be there; 0: it is not
	outside soccer.Time // time at which the ball of a goal that counted came out; 0: it is not out
	counted bool        // the ball in the goal is Newest
}

// see notes how probable a sight at a time makes it that the ball lies in a goal: in that of the opponents if x is
// positive.
func (g *goalWatch) see(at soccer.Time, x, in float64) {
	const (
		likely, sure, unlikely = 0.5, 0.9, 0.1
		lasts                  = 100 * time.Millisecond
		apart                  = time.Second // the ball is elsewhere for this long before another goal counts
	)
	if at <= g.at {
		return
	}
	g.at = at
	if in > unlikely {
		g.outside = 0
	}
	switch {
	case g.counted && in > unlikely:
		g.newest.Probability = max(g.newest.Probability, in)
	case g.counted:
		if g.outside == 0 {
			g.outside = at
		}
		if at.Sub(g.outside) >= apart {
			g.counted, g.since = false, 0
		}
	case in < likely:
		g.since = 0
	default:
		if g.since == 0 {
			g.since = at
		}
		if in > sure && at.Sub(g.since) >= lasts {
			g.counted = true
			g.newest = soccer.Goal{At: g.since, Conceded: x < 0, Probability: in}
		}
	}
}
