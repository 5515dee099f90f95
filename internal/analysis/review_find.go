package analysis

import (
	"math"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

const (
	lateDecision = 0.5  // s after the decision in which the ball may cross a line, because beliefs are late
	longWay      = 1.0  // s: the ball's way between two samples that are farther apart is not known
	duelBefore   = 3.0  // s before a free kick or penalty in which robots met
	scatterOver  = 0.35 // s around a place over which its scatter is measured
	leastScatter = 4    // places that it takes
	leastSigma   = 0.03 // m, of places without a covariance: the teams' balls are rounded and smoothed
	samePlace    = 0.01 // m
	sure         = 2.0  // standard deviations
	nearLine     = 0.5  // m from a line: a ball that may have left the field
	oneBall      = 0.75 // m between the balls of two teams that believe in the same one
)

// Crossing is how far the ball was over a line, wholly: its centre less its radius.
type Crossing struct {
	Goal  bool         `json:"goal"`  // a goal line; false: a touch line
	End   float64      `json:"end"`   // +1 or -1: the sign of x of the goal line, or of y of the touch line
	Views []LineView   `json:"views"` // the truth, or the belief of both teams, then that of each team
	Mouth bool         `json:"mouth"` // the ball must also be between the posts and under the bar
	At    *soccer.Vec3 `json:"at"`    // where the ball's centre was when it was wholly over it, by the first view
}

// LineView is a crossing by one view of the ball.
type LineView struct {
	Of     string  `json:"of"`     // truth, both, home or away
	Wholly bool    `json:"wholly"` // it was over the line at all
	Over   float64 `json:"over"`   // m over the line at most; negative: so much was missing
	T      float64 `json:"t"`      // when
	From   float64 `json:"from"`   // since when and how long it was over the line, if it was
	For    float64 `json:"for"`
	Stays  bool    `json:"stays"` // it was over the line in the last sample
	// Sigma is the standard deviation across the line at T, in m. 0: exact. -1: nobody knows.
	Sigma  float64     `json:"sigma"`
	Inside bool        `json:"inside"` // between the posts and under the bar when it crossed the line
	at     soccer.Vec3 // where it crossed
}

// edge is a line of the field.
type edge struct {
	goal bool
	end  float64
}

// edges returns the lines that a decision is about; mouth: about the goal in the first of them.
func (r *Reviewer) edges() (all []edge, mouth bool) {
	attacked := 1.0 // home attacks +x
	if r.about.Side == game.Away {
		attacked = -1
	}
	touch := []edge{{false, 1}, {false, -1}}
	switch r.about.Command {
	case game.Goal, game.SubGoal:
		return []edge{{true, attacked}}, true
	case game.Corner:
		return []edge{{true, attacked}}, false
	case game.GoalKick:
		return []edge{{true, -attacked}}, false
	case game.ThrowIn:
		return touch, false
	case game.Stop, game.DropBall:
		return append(touch, edge{true, 1}, edge{true, -1}), false
	}
	return nil, false
}

// radius returns the ball's radius.
func (r *Reviewer) radius() float64 {
	if scaleOf(&r.Field) < 1 {
		return soccer.VSSBallRadius
	}
	return soccer.BallRadius
}

// over returns by how much a ball is wholly over a line.
func (r *Reviewer) over(e edge, b *ReviewBall) float64 {
	if e.goal {
		return float64(b.X*e.end) - float64(r.Field.Length*0.5) - r.radius()
	}
	return float64(b.Y*e.end) - float64(r.Field.Width*0.5) - r.radius()
}

// views are the views of the ball in the order of their worth.
var views = []struct {
	of   string
	ball func(*ReviewSample) *ReviewBall
}{
	{"truth", func(s *ReviewSample) *ReviewBall { return s.Truth }},
	{"both", func(s *ReviewSample) *ReviewBall { return s.Both }},
	{"home", func(s *ReviewSample) *ReviewBall { return s.Home }},
	{"away", func(s *ReviewSample) *ReviewBall { return s.Away }},
}

// line measures the line that the decision is about: of several the one that the ball crossed last, or came nearest to.
func (r *Reviewer) line() *Crossing {
	edges, mouth := r.edges()
	var best *Crossing
	for _, e := range edges {
		c := &Crossing{Goal: e.goal, End: e.end, Mouth: mouth, Views: []LineView{}}
		for _, v := range views {
			if seen, ok := r.cross(e, v.ball); ok {
				seen.Of = v.of
				c.Views = append(c.Views, seen)
			}
		}
		if len(c.Views) > 0 && (best == nil || better(&c.Views[0], &best.Views[0])) {
			best = c
		}
	}
	if best != nil && len(edges) > 2 && best.Views[0].Over < -nearLine {
		return nil // play was stopped for another reason
	}
	if best != nil && best.Views[0].Wholly {
		at := best.Views[0].at
		best.At = &at
	}
	return best
}

// better reports whether a line is rather the one over which the ball left the field: it crossed it, and of two lines
// near a corner it crossed this one first.
func better(a, b *LineView) bool {
	switch {
	case a.Wholly != b.Wholly:
		return a.Wholly
	case a.Wholly && math.Abs(a.From-b.From) <= longWay:
		return a.From < b.From
	case a.Wholly:
		return a.From > b.From
	}
	return a.Over > b.Over
}

// cross follows one view of the ball to a line: to the last time that it was over it before the decision. It reports
// false for a ball that nobody saw.
func (r *Reviewer) cross(e edge, of func(*ReviewSample) *ReviewBall) (LineView, bool) {
	var out LineView
	var was *ReviewBall
	wasAt, wasOver, any := 0.0, 0.0, false
	peak := func(s *ReviewSample, b *ReviewBall, over float64) {
		out.Over, out.T, out.Sigma = over, s.T, across(e, b, s.Truth == b)
	}
	// A ball that came to rest there is known better than when it came.
	further := func(s *ReviewSample, b *ReviewBall, over float64) bool {
		sigma := across(e, b, s.Truth == b)
		surer := sigma >= 0 && (sigma < out.Sigma || out.Sigma < 0)
		return over > out.Over+samePlace || surer && over > out.Over-samePlace || over > out.Over && sigma == out.Sigma
	}
	for i := range r.samples {
		s := &r.samples[i]
		b := of(s)
		if b == nil {
			continue
		}
		over := r.over(e, b)
		near := was != nil && s.T-wasAt <= longWay
		switch {
		case over > 0 && !(out.Stays && near) && s.T > lateDecision: // it left the field again, after the decision
		case over > 0 && !(out.Stays && near):
			share := 1.0 // of the way from was to b that lies before the line
			out.From, out.at = s.T, soccer.Vec3{X: b.X, Y: b.Y, Z: b.Z}
			if near && wasOver <= 0 {
				share = -wasOver / (over - wasOver)
				out.From = wasAt + float64(share*(s.T-wasAt))
				out.at = soccer.Vec3{
					X: was.X + float64(share*(b.X-was.X)), Y: was.Y + float64(share*(b.Y-was.Y)),
					Z: was.Z + float64(share*(b.Z-was.Z)),
				}
			}
			out.Wholly, out.Stays, out.For = true, true, s.T-out.From
			peak(s, b, over)
		case over > 0:
			out.For = s.T - out.From
			if further(s, b, over) {
				peak(s, b, over)
			}
		case out.Stays:
			if out.Stays = false; near {
				out.For = wasAt + float64(wasOver/(wasOver-over)*(s.T-wasAt)) - out.From
			}
		case !out.Wholly && s.T <= lateDecision && (!any || further(s, b, over)):
			peak(s, b, over)
		}
		was, wasAt, wasOver, any = b, s.T, over, true
	}
	out.Inside = out.Wholly && e.goal && math.Abs(out.at.Y) <= float64(r.Field.GoalWidth*0.5)-r.radius() &&
		(r.Field.GoalHeight == 0 || out.at.Z <= r.Field.GoalHeight-r.radius())
	return out, any
}

// across returns the standard deviation of a ball across a line: 0 for an exact one, -1 for an unknown one.
func across(e edge, b *ReviewBall, exact bool) float64 {
	switch {
	case exact:
		return 0
	case b.Cov == nil:
		return -1
	case e.goal:
		return math.Sqrt(b.Cov.XX)
	}
	return math.Sqrt(b.Cov.YY)
}

// certain returns +1 if a ball was wholly over the line, -1 if it was not, and 0 within two standard deviations.
func (v *LineView) certain() int {
	switch {
	case v.Sigma < 0 || math.Abs(v.Over) <= float64(sure*v.Sigma):
		return 0
	case v.Over > 0:
		return 1
	}
	return -1
}

// Distances are how far the robots stood from the ball when a set piece was taken.
type Distances struct {
	Piece  game.SetPiece `json:"piece"`
	T      float64       `json:"t"`
	Ball   ReviewBall    `json:"ball"` // that of the side that takes it, if the teams' balls are more than 0.75 m apart
	Robots []Distance    `json:"robots"`
	Source string        `json:"source"` // of the required distances
}

// Distance is how far one robot stood from the ball, in m.
type Distance struct {
	autoref.Player
	Away     float64 `json:"away"`     // between the centres
	Required float64 `json:"required"` // 0: no distance
	Half     float64 `json:"half"`     // how far it stood in the other half at a kick-off; 0: it did not
	Takes    bool    `json:"takes"`    // the robot nearest to the ball, of the side that takes it
	Broken   bool    `json:"broken"`   // it stood too near, or in the wrong half, by more than autoref.Slack
}

// best returns the best view of the ball in a sample.
func (s *ReviewSample) best() *ReviewBall {
	for _, v := range views {
		if b := v.ball(s); b != nil {
			return b
		}
	}
	return nil
}

// distances measures the robots at the set piece that the decision is about.
func (r *Reviewer) distances() *Distances {
	s := r.atStart
	if s == nil {
		return nil
	}
	r.fuse(s)
	ball := s.best()
	if ball == nil {
		return nil
	}
	if s.Truth == nil && s.Home != nil && s.Away != nil && s.Home.xy().Sub(s.Away.xy()).Len() > oneBall {
		r.split = true
		if ball = s.Home; r.piece.Side == game.Away {
			ball = s.Away
		}
	}
	d := &Distances{Piece: r.piece, T: s.T, Ball: *ball, Robots: []Distance{}, Source: "simatch"}
	takes, nearest := -1, math.Inf(1)
	for i := range s.Robots {
		p := &s.Robots[i]
		if p.off && math.Abs(p.Pose.Y) > r.Field.Width/2 {
			continue
		}
		away := p.Pose.XY().Sub(ball.xy()).Len()
		// The frame of reviews is that of the first half.
		required, half := autoref.Keep(&r.Field, r.piece, game.FirstHalf, p.Player, p.Pose.XY())
		if p.Side == r.piece.Side && away < nearest {
			takes, nearest = len(d.Robots), away
		}
		d.Robots = append(d.Robots, Distance{Player: p.Player, Away: away, Required: required, Half: max(half, 0)})
	}
	for i := range d.Robots {
		q := &d.Robots[i]
		if i == takes {
			q.Takes, q.Required, q.Half = true, 0, 0
		}
		q.Broken = q.Away < q.Required-autoref.Slack || q.Half > autoref.Slack
	}
	return d
}

// duel finds the opponents that met, for decisions about robots.
func (r *Reviewer) duel() *Duel {
	robot, from := r.about.Robot, -ReviewBefore.Seconds()
	switch r.about.Command {
	case game.FreeKick, game.PenaltyKick:
		robot, from = 0, -duelBefore
	case game.YellowCard, game.RedCard:
		if robot == 0 {
			return nil
		}
	default:
		return nil
	}
	var best *Duel
	for i := range r.samples {
		s := &r.samples[i]
		if s.T < from || s.T > 0 {
			continue
		}
		for a := range s.Robots {
			p := &s.Robots[a]
			named := int(p.Number) == robot && p.Side == r.about.Side
			if robot != 0 && !named || robot == 0 && p.Side != r.about.Side.Opponent() {
				continue
			}
			for b := range s.Robots {
				q := &s.Robots[b]
				if q.Side == p.Side {
					continue
				}
				if away := p.Pose.XY().Sub(q.Pose.XY()).Len(); best == nil || away < best.Away {
					best = &Duel{p.Player, q.Player, away, s.T}
				}
			}
		}
	}
	return best
}

// doubt gives balls without a covariance the scatter of their places, and fuses the balls of both teams.
func (r *Reviewer) doubt() {
	for _, v := range views[2:] {
		r.scatter(v.ball)
	}
	for i := range r.samples {
		r.fuse(&r.samples[i])
	}
}

// scatter estimates the covariance of the places of a team's ball from their distances to straight ways through them.
// It says how steady the team's ball is, and not whether it is wrong as a whole.
func (r *Reviewer) scatter(of func(*ReviewSample) *ReviewBall) {
	for i := range r.samples {
		b := of(&r.samples[i])
		if b == nil || b.Cov != nil {
			continue
		}
		var w way
		for k := range r.samples {
			s := &r.samples[k]
			if o := of(s); o != nil && o.fresh && math.Abs(s.T-r.samples[i].T) <= scatterOver {
				w.add(s.T-r.samples[i].T, o.xy())
			}
		}
		b.Cov = w.scatter()
	}
}

// way is a straight way through places, by least squares.
type way struct {
	t []float64
	p []soccer.Vec
}

func (w *way) add(t float64, p soccer.Vec) { w.t, w.p = append(w.t, t), append(w.p, p) }

// scatter returns the covariance of the places around the way; nil for too few of them.
func (w *way) scatter() *soccer.Cov {
	n := float64(len(w.t))
	if n < leastScatter {
		return nil
	}
	var mt float64
	var mp soccer.Vec
	for i := range w.t {
		mt, mp = mt+w.t[i], mp.Add(w.p[i])
	}
	mt, mp = mt/n, mp.Scale(1/n)
	var tt float64
	var tp soccer.Vec
	for i := range w.t {
		dt := w.t[i] - mt
		tt += float64(dt * dt)
		tp = tp.Add(w.p[i].Sub(mp).Scale(dt))
	}
	var speed soccer.Vec
	if tt > 0 {
		speed = tp.Scale(1 / tt)
	}
	const least = leastSigma * leastSigma
	var c soccer.Cov
	for i := range w.t {
		off := w.p[i].Sub(mp).Sub(speed.Scale(w.t[i] - mt))
		c.XX += float64(off.X * off.X)
		c.XY += float64(off.X * off.Y)
		c.YY += float64(off.Y * off.Y)
	}
	c.XX, c.XY, c.YY = c.XX/(n-2)+least, c.XY/(n-2), c.YY/(n-2)+least
	return &c
}

// fuse sets the ball of both teams: their mean, weighted by their covariances. Where the two are farther apart than
// their covariances explain, the covariance grows by the Birge ratio: half their distance squared in units of the
// covariance.
func (r *Reviewer) fuse(s *ReviewSample) {
	a, b := s.Home, s.Away
	switch {
	case a == nil || b == nil:
		if one := known(a, b); one != nil {
			copied := *one
			s.Both = &copied
		}
		return
	case a.Cov == nil || b.Cov == nil:
		s.Both = &ReviewBall{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2, Z: (a.Z + b.Z) / 2}
		return
	}
	ia, ib := a.Cov.Inverse(), b.Cov.Inverse()
	c := soccer.Cov{XX: ia.XX + ib.XX, XY: ia.XY + ib.XY, YY: ia.YY + ib.YY}.Inverse()
	x := float64(ia.XX*a.X) + float64(ia.XY*a.Y) + float64(ib.XX*b.X) + float64(ib.XY*b.Y)
	y := float64(ia.XY*a.X) + float64(ia.YY*a.Y) + float64(ib.XY*b.X) + float64(ib.YY*b.Y)
	off := a.xy().Sub(b.xy())
	is := soccer.Cov{XX: a.Cov.XX + b.Cov.XX, XY: a.Cov.XY + b.Cov.XY, YY: a.Cov.YY + b.Cov.YY}.Inverse()
	q := float64(off.X*(float64(is.XX*off.X)+float64(is.XY*off.Y))) +
		float64(off.Y*(float64(is.XY*off.X)+float64(is.YY*off.Y)))
	grow := max(1, q/2)
	s.Both = &ReviewBall{
		X: float64(c.XX*x) + float64(c.XY*y), Y: float64(c.XY*x) + float64(c.YY*y), Z: (a.Z + b.Z) / 2,
		Cov: ellipse(&soccer.Cov{XX: c.XX * grow, XY: c.XY * grow, YY: c.YY * grow}),
	}
}

// known returns the one of two balls that is known.
func known(a, b *ReviewBall) *ReviewBall {
	if a != nil {
		return a
	}
	return b
}
