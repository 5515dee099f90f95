package trials

import (
	"math"
	"slices"

	"touchline/soccer"
)

// Score holds the sums of the figures of one estimator over games. Scores of several games add up.
type Score struct {
	Moments    int     // at which an honest robot saw the ball in the last 0.7 s
	Capped     float64 // sum of min(error, 1 m)^2, 1 m^2 without a ball
	Claims     int     // moments with a ball
	Error      float64 // sum of error^2 over claims, m^2
	Velocity   float64 // sum of the velocity's error^2 over claims
	Wrong      int     // claims more than 1 m off
	Consistent int     // claims less than 1 m off
	NEES       float64 // sum of normalised squared errors over these
	Unseen     int     // moments at which nobody saw the ball for 0.7 s
	Phantoms   int     // claims more than 1 m off among them
	Kicks      int
	Settle     float64   // s after kicks with an error above 0.3 m
	Found      []float64 // s from a placement to an error below 0.5 m, at most 3
	Frames     int       // in which obstacles were compared
	OSPA       float64   // sum, m; cut at 1 m, order 2
	Ghosts     int       // obstacles more than 1 m from each opponent
	Changes    int       // of an opponent's identity
	Seconds    float64
}

// Add adds other to s.
func (s *Score) Add(o *Score) {
	s.Moments += o.Moments
	s.Capped += o.Capped
	s.Claims += o.Claims
	s.Error += o.Error
	s.Velocity += o.Velocity
	s.Wrong += o.Wrong
	s.Consistent += o.Consistent
	s.NEES += o.NEES
	s.Unseen += o.Unseen
	s.Phantoms += o.Phantoms
	s.Kicks += o.Kicks
	s.Settle += o.Settle
	s.Found = append(s.Found, o.Found...)
	s.Frames += o.Frames
	s.OSPA += o.OSPA
	s.Ghosts += o.Ghosts
	s.Changes += o.Changes
	s.Seconds += o.Seconds
}

// Figures are what a Score amounts to. Distances are in metres, shares in percent.
type Figures struct {
	Capped   float64 `json:"cappedRMSE"`   // the figure to rank by
	RMSE     float64 `json:"rmse"`         // over claims
	Velocity float64 `json:"velocityRMSE"` // m/s
	Settle   float64 `json:"settle"`       // s after a kick
	Wrong    float64 `json:"wrongPercent"` // claims more than 1 m off
	Phantoms float64 `json:"phantomPercent"`
	Unknown  float64 `json:"unknownPercent"` // moments without a claim
	NEES     float64 `json:"nees"`           // ideal: 2
	Found    float64 `json:"found"`          // s after a placement, mean
	Found90  float64 `json:"found90"`
	OSPA     float64 `json:"ospa"`
	Ghosts   float64 `json:"ghosts"`          // a frame
	Changes  float64 `json:"identityChanges"` // a minute
}

// Figures returns what s amounts to.
func (s *Score) Figures() Figures {
	share := func(a float64, n int) float64 { return a / max(1, float64(n)) }
	f := Figures{
		Capped: math.Sqrt(share(s.Capped, s.Moments)), RMSE: math.Sqrt(share(s.Error, s.Claims)),
		Velocity: math.Sqrt(share(s.Velocity, s.Claims)), Settle: share(s.Settle, s.Kicks),
		Unknown: 100 * share(float64(s.Moments-s.Claims), s.Moments),
		Wrong:   100 * share(float64(s.Wrong), s.Claims), Phantoms: 100 * share(float64(s.Phantoms), s.Unseen),
		NEES: share(s.NEES, s.Consistent), OSPA: share(s.OSPA, s.Frames), Ghosts: share(float64(s.Ghosts), s.Frames),
		Changes: 60 * float64(s.Changes) / max(1, s.Seconds),
	}
	if n := len(s.Found); n > 0 {
		sorted := slices.Sorted(slices.Values(s.Found))
		for _, t := range sorted {
			f.Found += t / float64(n)
		}
		f.Found90 = sorted[n*9/10]
	}
	return f
}

// judge scores one estimator's beliefs in one game.
type judge struct {
	Score
	ids     [opponents]uint32 // of the obstacle that was last believed to be this opponent
	event   float64           // s, of the newest kick or placement
	placed  bool
	settled bool // the placed ball was found
}

const sampleEvery = 0.05 // s

// compare compares a belief with the truth. seen is when an honest robot last saw the ball.
func (j *judge) compare(g *game, seen float64, w *soccer.World) {
	b := &w.Ball
	dx, dy := b.Position.X-g.ball.at.X, b.Position.Y-g.ball.at.Y
	off := math.Hypot(dx, dy)
	j.Seconds += sampleEvery
	if g.kicked > j.event {
		j.miss()
		j.event, j.placed, j.settled = g.kicked, g.placed, false
		if !g.placed {
			j.Kicks++
		}
	}
	switch {
	case g.now-seen > 0.7:
		j.Unseen++
		if b.Known && off > 1 {
			j.Phantoms++
		}
	case !b.Known:
		j.Moments++
		j.Capped++
	default:
		j.claim(b, g, dx, dy)
	}
	if since := g.now - j.event; !j.placed && since < 2 && (!b.Known || off > 0.3) {
		j.Settle += sampleEvery
	} else if j.placed && !j.settled && b.Known && off < 0.5 {
		j.settled = true
		j.Found = append(j.Found, min(3, since))
	}
	j.obstacles(g, w)
}

// claim scores a believed ball.
func (j *judge) claim(b *soccer.Ball, g *game, dx, dy float64) {
	off := math.Hypot(dx, dy)
	j.Moments++
	j.Claims++
	j.Capped += min(off, 1) * min(off, 1)
	j.Error += off * off
	vx, vy := b.Velocity.X-g.ball.velocity.X, b.Velocity.Y-g.ball.velocity.Y
	j.Velocity += vx*vx + vy*vy
	if off > 1 {
		j.Wrong++
		return
	}
	i := inverse(b.Cov)
	j.Consistent++
	j.NEES += dx*dx*i.XX + 2*dx*dy*i.XY + dy*dy*i.YY
}

// miss counts a placed ball that was not found until the next event.
func (j *judge) miss() {
	if j.placed && !j.settled {
		j.Found = append(j.Found, 3)
	}
}

// obstacles compares the believed obstacles with the opponents that one of our robots could see.
func (j *judge) obstacles(g *game, w *soccer.World) {
	var targets []int
	for i := range opponents {
		for r := range robots {
			if g.bodies[robots+i].at.Sub(g.bodies[r].at).Len() < g.s.Camera.BodyRange {
				targets = append(targets, i)
				break
			}
		}
	}
	used := make([]bool, len(w.Obstacles))
	sum, matched := 0.0, 0
	taken := make([]bool, len(targets))
	for range min(len(targets), len(w.Obstacles)) { // nearest pairs first
		best, from, least := -1, -1, 1.0
		for t, target := range targets {
			if taken[t] {
				continue
			}
			for k := range w.Obstacles {
				if used[k] {
					continue
				}
				if d := w.Obstacles[k].Position.Sub(g.bodies[robots+target].at).Len(); d < least {
					best, from, least = k, t, d
				}
			}
		}
		if best < 0 {
			break
		}
		used[best], taken[from] = true, true
		matched++
		sum += least * least
		if id := w.Obstacles[best].ID; least < 0.5 {
			if last := &j.ids[targets[from]]; *last != id {
				if *last != 0 {
					j.Changes++
				}
				*last = id
			}
		}
	}
	n := max(len(targets), len(w.Obstacles))
	j.Frames++
	if n > 0 {
		j.OSPA += math.Sqrt((sum + float64(n-matched)) / float64(n))
	}
	for k := range w.Obstacles {
		if !used[k] && !slices.ContainsFunc(g.bodies[robots:], func(o walker) bool {
			return w.Obstacles[k].Position.Sub(o.at).Len() < 1
		}) {
			j.Ghosts++
		}
	}
}
