package lab

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
	Naming
	Flight
}

// add adds other to s.
func (s *Score) add(o *Score) {
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
	s.Naming.add(&o.Naming)
	s.Flight.add(&o.Flight)
}

// TrialsFigures are what a Score amounts to. Distances are in metres, shares in percent.
type TrialsFigures struct {
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

// figures returns what s amounts to.
func (s *Score) figures() TrialsFigures {
	share := func(a float64, n int) float64 { return a / max(1, float64(n)) }
	f := TrialsFigures{
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

// truth is a game at one time, as far as beliefs are compared with it.
type truth struct {
	now            float64 // s
	ball, velocity soccer.Vec
	height, climb  float64               // m, of the ball's centre, and m/s
	seen           float64               // s, when an honest robot last saw the ball
	event          float64               // s, of the newest kick or placement
	placed         bool                  // the newest of both was a placement
	opponents      [opponents]soccer.Vec // where they are
	visible        [opponents]bool       // one of our robots could see it
	faulty         [robots]bool          // robots that have the scenario's fault
	contradicted   [robots]float64       // s, since when a healthy robot sees that they have it; 0: none does
}

// judge scores one estimator's beliefs in one game.
type judge struct {
	Score
	ids     [opponents]uint32 // of the obstacle that was last believed to be this opponent
	event   float64           // s, of the newest kick or placement
	placed  bool
	settled bool // the placed ball was found

	self     int  // index of the robot that has the beliefs
	numbered bool // its beliefs name robots by their jersey numbers, not as it counts them
	suspects [robots]suspect
	last     float64 // s, of the newest comparison
}

const (
	sampleEvery = 0.05 // s
	warmUp      = 3.0  // s at the start of a game that do not count
)

// compare compares a belief with the truth.
func (j *judge) compare(t *truth, w *soccer.World) {
	b := &w.Ball
	off := b.Position.XY().Sub(t.ball).Len()
	j.Seconds += sampleEvery
	if t.event > j.event {
		j.miss()
		j.event, j.placed, j.settled = t.event, t.placed, t.event <= warmUp // before it nobody asked where the ball is
		if !t.placed {
			j.Kicks++
		}
	}
	switch {
	case t.now-t.seen > 0.7:
		j.Unseen++
		if b.Known && off > 1 {
			j.Phantoms++
		}
	case !b.Known:
		j.Moments++
		j.Capped++
	default:
		j.claim(t, b)
	}
	if since := t.now - j.event; !j.placed && since < 2 && (!b.Known || off > 0.3) {
		j.Settle += sampleEvery
	} else if j.placed && !j.settled && b.Known && off < 0.5 {
		j.settled = true
		j.Found = append(j.Found, min(3, since))
	}
	if t.now-t.seen <= 0.7 {
		j.flight(t, b)
	}
	j.obstacles(t, w)
	j.naming(t, w)
}

// claim scores a believed ball.
func (j *judge) claim(t *truth, b *soccer.Ball) {
	dx, dy := b.Position.X-t.ball.X, b.Position.Y-t.ball.Y
	off := math.Hypot(dx, dy)
	j.Moments++
	j.Claims++
	j.Capped += min(off, 1) * min(off, 1)
	j.Error += off * off
	vx, vy := b.Velocity.X-t.velocity.X, b.Velocity.Y-t.velocity.Y
	j.Velocity += vx*vx + vy*vy
	if off > 1 {
		j.Wrong++
		return
	}
	i := inverse(b.Cov)
	j.Consistent++
	j.NEES += dx*dx*i.XX + 2*dx*dy*i.XY + dy*dy*i.YY
}

// finish ends the game.
func (j *judge) finish() {
	if j.miss(); j.Seconds == 0 {
		return // it was not judged
	}
	for i := range j.suspects {
		j.suspects[i].finish(j.last, &j.Naming)
	}
}

// miss counts a placed ball that was not found until the next event.
func (j *judge) miss() {
	if j.placed && !j.settled {
		j.Found = append(j.Found, 3)
	}
}

// obstacles compares the believed obstacles with the opponents that one of our robots could see. The nearest pairs
// within a metre belong together.
func (j *judge) obstacles(t *truth, w *soccer.World) {
	targets := 0
	taken := [opponents]bool{}
	for i, visible := range t.visible {
		if taken[i] = !visible; visible {
			targets++
		}
	}
	used := make([]bool, len(w.Obstacles))
	sum, matched := 0.0, 0
	for {
		obstacle, opponent, distance := nearestPair(t, w, used, taken[:])
		if obstacle < 0 {
			break
		}
		used[obstacle], taken[opponent] = true, true
		matched++
		sum += distance * distance
		if distance < 0.5 {
			j.identify(opponent, w.Obstacles[obstacle].ID)
		}
	}
	j.Frames++
	if n := max(targets, len(w.Obstacles)); n > 0 {
		j.OSPA += math.Sqrt((sum + float64(n-matched)) / float64(n))
	}
	for k := range w.Obstacles {
		if !used[k] && !slices.ContainsFunc(t.opponents[:], func(o soccer.Vec) bool {
			return w.Obstacles[k].Position.Sub(o).Len() < 1
		}) {
			j.Ghosts++
		}
	}
}

// nearestPair returns the obstacle and the opponent, of those that are not used or taken, that are nearest to each other,
// and their distance. Without a pair within a metre the obstacle is -1.
func nearestPair(t *truth, w *soccer.World, used, taken []bool) (obstacle, opponent int, distance float64) {
	obstacle, distance = -1, 1
	for i := range taken {
		for k := range w.Obstacles {
			if taken[i] || used[k] {
				continue
			}
			if d := w.Obstacles[k].Position.Sub(t.opponents[i]).Len(); d < distance {
				obstacle, opponent, distance = k, i, d
			}
		}
	}
	return obstacle, opponent, distance
}

// identify notes under which number an opponent is believed.
func (j *judge) identify(opponent int, id uint32) {
	last := &j.ids[opponent]
	if *last != 0 && *last != id {
		j.Changes++
	}
	*last = id
}
