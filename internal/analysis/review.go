package analysis

import (
	"fmt"
	"math"
	"slices"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/bounded"
	"touchline/soccer"
)

// A review covers this time before and after its decision.
const (
	ReviewBefore = 10 * time.Second
	ReviewAfter  = 5 * time.Second
)

const (
	mostReviewed = 2000                   // samples of a review: 15 s of 130 a second
	mostTouches  = 64                     // of a review
	gapInReview  = 500 * time.Millisecond // a longer time without a sample is named
	nearRestart  = 300 * time.Millisecond // a sample this far from START tells where the robots stood
	longRestart  = time.Minute            // START follows a set piece within this time
)

// Ruling is a decision of the referee, as a log has it.
type Ruling struct {
	Number  int           `json:"number"` // from 1
	At      soccer.Time   `json:"-"`      // of the log's clock
	Time    float64       `json:"time"`   // the same, in ms since 1970
	Command game.Command  `json:"command"`
	Side    game.Side     `json:"side"`
	Robot   int           `json:"robot"` // jersey number; 0: none
	Part    game.Part     `json:"part"`  // "": not known
	Clock   float64       `json:"clock"` // s since the part began
	Gone    bool          `json:"gone"`  // it was undone, or does not apply any more
	Verdict *game.Verdict `json:"verdict"`
}

// isPiece reports whether a ruling is a set piece.
func (r *Ruling) isPiece() bool {
	switch r.Command {
	case game.KickOff, game.FreeKick, game.GoalKick, game.ThrowIn, game.Corner, game.PenaltyKick, game.DropBall:
		return true
	}
	return false
}

// Review is what a log shows about a decision. Positions are in m in the frame in which home attacks +x, times in s
// since the decision.
type Review struct {
	Decision Ruling         `json:"decision"`
	Names    [2]string      `json:"names"` // of the teams
	Field    soccer.Field   `json:"field"`
	Origin   Origin         `json:"origin"`
	Samples  []ReviewSample `json:"samples"` // by time; the first and the last one may lie outside of the 15 s
	To       float64        `json:"to"`      // time of the newest sample
	// Measured are sentences about what the samples show, the most important first, and Partial about what they lack.
	Measured  []string   `json:"measured"`
	Partial   []string   `json:"partial"`
	Says      Says       `json:"says"`
	Line      *Crossing  `json:"line"`      // nil: the decision is about no line
	Touches   []Touch    `json:"touches"`   // oldest first, the newest 64
	Evidence  string     `json:"evidence"`  // how Touches are known
	Distances *Distances `json:"distances"` // at the set piece; nil: it is about none, or START did not follow
	Duel      *Duel      `json:"duel"`      // nil: the decision is about no robots
	Apart     *Apart     `json:"apart"`     // nil: not both teams told of a ball
}

// Says is what the measure says about a decision.
type Says string

// Answers of a measure.
const (
	SaysFor     Says = "for"     // the decision
	SaysAgainst Says = "against" // it
	SaysOpen    Says = "open"    // nothing: within two standard deviations, or nobody saw it
	SaysNothing Says = ""        // the decision is about nothing that was measured
)

// ReviewSample is the field at one time.
type ReviewSample struct {
	T      float64       `json:"t"`
	Truth  *ReviewBall   `json:"truth"`  // nil: nobody knows it
	Home   *ReviewBall   `json:"home"`   // as the team believes; nil: it knows none
	Away   *ReviewBall   `json:"away"`   //
	Both   *ReviewBall   `json:"both"`   // from both teams' beliefs
	Robots []ReviewRobot `json:"robots"` // on the field
	part   game.Part
}

// ReviewBall is a place of the ball.
type ReviewBall struct {
	X   float64     `json:"x"`
	Y   float64     `json:"y"`
	Z   float64     `json:"z"`
	Cov *soccer.Cov `json:"cov"` // m^2; nil: exact, or nobody told
	// By is the robot that believes it; 0: a base station told it, or more than one robot.
	By    uint8 `json:"by"`
	fresh bool  // the team told it after the sample before
}

func (b *ReviewBall) xy() soccer.Vec { return soccer.Vec{X: b.X, Y: b.Y} }

// ReviewRobot is a place of a robot.
type ReviewRobot struct {
	autoref.Player
	Pose soccer.Pose `json:"pose"`
	off  bool        // a card or a repair keeps it off the field
}

// Touch is a time in which a robot touched the ball.
type Touch struct {
	By   autoref.Player `json:"by"`
	From float64        `json:"from"`
	To   float64        `json:"to"`
}

// Duel is how near two opponents came to each other.
type Duel struct {
	A    autoref.Player `json:"a"` // of the decision, if it names a robot
	B    autoref.Player `json:"b"`
	Away float64        `json:"away"` // m between their centres
	T    float64        `json:"t"`
}

// Apart is how far the balls of both teams are from each other, in m.
type Apart struct {
	Mean    float64 `json:"mean"`
	Largest float64 `json:"largest"`
	T       float64 `json:"t"` // time of the largest
}

// Reviewer measures one decision. It is not safe for concurrent use.
type Reviewer struct {
	Names  [2]string    // names of the teams. Default home and away
	Field  soccer.Field // required
	Origin Origin       // of the frames
	Rules  string       // name of the rules. Default those of game.DefaultRules

	about   Ruling
	piece   game.SetPiece
	restart soccer.Time // START of piece; 0: none
	samples []ReviewSample
	atStart *ReviewSample // the sample nearest to restart
	off     time.Duration // of atStart from restart
	touches []Touch
	told    bool
	held    bool // a team told which robot has the ball
	seen    Detector
	last    soccer.Time // of the newest frame
	heard   [2]soccer.Time
	split   bool // the teams' balls were two at START
	back    int  // frames left out: the clock went back
	full    bool
	hole    [2]float64 // the longest gap
}

// NewReviewer returns the Reviewer of the ruling of this number. An error says that there is none.
func NewReviewer(rulings []Ruling, number int) (*Reviewer, error) {
	i := slices.IndexFunc(rulings, func(r Ruling) bool { return r.Number == number })
	if i < 0 {
		return nil, fmt.Errorf("analysis: the log has no decision %d: it has %d", number, len(rulings))
	}
	r := &Reviewer{about: rulings[i]}
	first := i
	if r.about.Command == game.Start {
		for first--; first >= 0 && rulings[first].Command != game.Start; first-- {
			if c := &rulings[first]; c.isPiece() && !c.Gone {
				break
			}
		}
	}
	if first < 0 || !rulings[first].isPiece() {
		return r, nil
	}
	r.piece = game.SetPiece{Command: rulings[first].Command, Side: rulings[first].Side}
	for k := first + 1; k < len(rulings); k++ {
		next := &rulings[k]
		if next.isPiece() && !next.Gone || next.At.Sub(rulings[first].At) > longRestart {
			break
		}
		if next.Command == game.Start && !next.Gone {
			r.restart = next.At
			break
		}
	}
	return r, nil
}

// Spans returns the times whose frames Add needs, each from its first to before its second time, in order.
func (r *Reviewer) Spans() [][2]soccer.Time {
	from, to := r.about.At.Add(-ReviewBefore), r.about.At.Add(ReviewAfter)
	spans := [][2]soccer.Time{{max(from, 1), to}}
	if start := r.restart.Add(-nearRestart); r.restart != 0 && r.restart.Add(nearRestart) > to {
		spans = append(spans, [2]soccer.Time{max(start, to), r.restart.Add(nearRestart)})
	}
	return spans
}

// Add adds a frame; frames come by their At. It keeps nothing of the frame, and completes who touched the ball in it.
func (r *Reviewer) Add(f *Frame) {
	if r.last != 0 && f.At <= r.last {
		r.back++
		return
	}
	if len(r.samples) >= mostReviewed {
		r.full = true
		return
	}
	from, to := r.about.At.Add(-ReviewBefore), r.about.At.Add(ReviewAfter)
	inside := f.At >= from && f.At <= to
	gap := f.At.Sub(r.last)
	if inside && len(r.samples) > 0 && gap > gapInReview && gap.Seconds() > r.hole[1]-r.hole[0] {
		r.hole = [2]float64{r.last.Sub(r.about.At).Seconds(), f.At.Sub(r.about.At).Seconds()}
	}
	r.last = f.At
	r.seen.Field = r.Field
	r.held = r.held || !f.Told && index(f.Scene.Holder.Side) < 2
	r.seen.Fill(f)
	s := r.sample(f)
	if r.restart != 0 {
		if off := f.At.Sub(r.restart).Abs(); off <= nearRestart && (r.atStart == nil || off < r.off) {
			r.atStart, r.off = &s, off
		}
	}
	if !inside {
		return
	}
	r.samples = append(r.samples, s)
	r.told = r.told || f.Told
	r.touch(f)
}

// sample returns a frame as a sample.
func (r *Reviewer) sample(f *Frame) ReviewSample {
	direction := f.State.Part.Attack(game.Home)
	s := ReviewSample{T: f.At.Sub(r.about.At).Seconds(), Robots: []ReviewRobot{}, part: f.State.Part}
	if f.Known && r.Origin == FromTruth {
		s.Truth = placed(&f.Scene.Ball, direction)
	}
	for k, side := range game.Sides {
		b := surestOf(f.Beliefs, side)
		if b == nil {
			continue
		}
		ball := placed(b.Ball, direction)
		if ball == nil {
			continue
		}
		ball.Cov, ball.fresh = ellipse(b.Cov), b.At != r.heard[k]
		if b.By.Number != Station {
			ball.By = b.By.Number
		}
		r.heard[k] = b.At
		*[2]**ReviewBall{&s.Home, &s.Away}[k] = ball
	}
	for i := range f.Scene.Robots {
		p := &f.Scene.Robots[i]
		if !p.There && !p.On || index(p.Side) == 2 || !(math.Abs(p.Pose.X) <= far && math.Abs(p.Pose.Y) <= far) ||
			!(math.Abs(p.Pose.Theta) <= far) || len(s.Robots) >= MostRobots {
			continue
		}
		pose := p.Pose
		if direction < 0 {
			pose = pose.Turned()
		}
		s.Robots = append(s.Robots, ReviewRobot{p.Player, pose, isOff(&f.State, p.Player)})
	}
	return s
}

// isOff reports whether a card or a repair keeps a robot off the field.
func isOff(st *game.State, who autoref.Player) bool {
	return slices.ContainsFunc(st.Team(who.Side).Penalties, func(p game.Penalty) bool {
		return p.Robot == int(who.Number) && p.Sent && !p.Over && p.Command != game.YellowCard
	})
}

// placed returns a ball of the field frame as reviews show it; nil for one that is nowhere near.
func placed(p *soccer.Vec3, direction float64) *ReviewBall {
	if p == nil || !(math.Abs(p.X) <= far && math.Abs(p.Y) <= far && math.Abs(p.Z) <= far) {
		return nil
	}
	return &ReviewBall{X: p.X * direction, Y: p.Y * direction, Z: p.Z}
}

// ellipse returns a copy of a covariance that describes an ellipse; nil for one that does not.
func ellipse(c *soccer.Cov) *soccer.Cov {
	if c == nil || !(c.XX > 0 && c.YY > 0 && c.XX <= far*far && c.YY <= far*far) ||
		!(float64(c.XX*c.YY)-float64(c.XY*c.XY) > 0) {
		return nil
	}
	copied := *c
	return &copied
}

// surestOf returns the belief of a team that is surest of the ball: with a covariance, the smallest; nil: none has a
// ball.
func surestOf(all []Belief, side game.Side) (best *Belief) {
	size := math.Inf(1)
	for i := range all {
		b := &all[i]
		if b.By.Side != side || b.Ball == nil {
			continue
		}
		if c := ellipse(b.Cov); c != nil && c.XX+c.YY < size {
			best, size = b, c.XX+c.YY
		} else if best == nil {
			best = b
		}
	}
	return best
}

// touch notes which robot touched the ball.
func (r *Reviewer) touch(f *Frame) {
	s := &f.Scene
	if index(s.Touched.Side) == 2 || s.TouchedAt == 0 {
		return
	}
	at := f.At.Sub(r.about.At).Seconds() - f.Time.Sub(s.TouchedAt).Seconds() // the match's clock may be another one
	if n := len(r.touches); n > 0 && r.touches[n-1].By == s.Touched {
		r.touches[n-1].To = max(r.touches[n-1].To, at)
		return
	}
	r.touches = bounded.Append(r.touches, Touch{s.Touched, at, at}, mostTouches)
}

// evidence tells how the touches are known.
func (r *Reviewer) evidence() string {
	switch {
	case r.told:
		return "told by the simulator"
	case r.held:
		return "as the teams tell, and from the motion of ball and robots"
	}
	return "from the motion of ball and robots"
}

// Review returns what the frames show.
func (r *Reviewer) Review() Review {
	out := Review{
		Decision: r.about, Names: r.Names, Field: r.Field, Origin: r.Origin, Samples: r.samples, Measured: []string{},
		Partial: []string{}, Touches: r.touches, Evidence: r.evidence(),
	}
	if out.Samples == nil {
		out.Samples = []ReviewSample{}
	}
	if out.Touches == nil {
		out.Touches = []Touch{}
	}
	for i, side := range game.Sides {
		switch {
		case out.Names[i] == "":
			out.Names[i] = string(side)
		case r.Names[0] == r.Names[1]:
			out.Names[i] += fmt.Sprintf(" (%s)", side)
		}
	}
	if n := len(r.samples); n > 0 {
		out.To = r.samples[n-1].T
	}
	r.doubt()
	r.lack(&out)
	out.Apart = r.apart()
	out.Line = r.line()
	if out.Distances = r.distances(); r.split {
		name := out.Names[r.piece.Side.Index()]
		out.Partial = append(out.Partial,
			"the teams' balls were far apart at START: the distances are from that of "+name)
	}
	out.Duel = r.duel()
	out.Says = r.says(&out)
	r.words(&out)
	return out
}

// lack tells what the frames lack.
func (r *Reviewer) lack(out *Review) {
	note := func(format string, args ...any) { out.Partial = append(out.Partial, fmt.Sprintf(format, args...)) }
	if len(r.samples) == 0 {
		note("the log holds nothing of the field from 10 s before the decision to 5 s after it")
		return
	}
	first, slack := r.samples[0].T, gapInReview.Seconds()
	if begin := -ReviewBefore.Seconds(); first > begin+slack {
		note("the log shows the field from %s on, not from %s", at(first), at(begin))
	}
	if end := ReviewAfter.Seconds(); out.To < end-slack {
		note("the log shows the field to %s, not to %s", at(out.To), at(end))
	}
	if h := r.hole; h[1] > h[0] {
		note("the log shows nothing from %s to %s", at(h[0]), at(h[1]))
	}
	if r.back > 0 {
		note("the log's clock went back: %d samples are left out", r.back)
	}
	if r.full {
		note("the log has more than %d samples of these 15 s: the later ones are left out", mostReviewed)
	}
	n := r.about.Robot
	named := func(p ReviewRobot) bool { return int(p.Number) == n && p.Side == r.about.Side }
	if n != 0 && !slices.ContainsFunc(r.samples, func(s ReviewSample) bool {
		return slices.ContainsFunc(s.Robots, named)
	}) {
		note("robot %d of %s is not on the field in these 15 s", n, out.Names[r.about.Side.Index()])
	}
}

// apart compares the balls of both teams.
func (r *Reviewer) apart() *Apart {
	var a Apart
	sum, n := 0.0, 0
	for i := range r.samples {
		s := &r.samples[i]
		if s.Home == nil || s.Away == nil {
			continue
		}
		off := s.Home.xy().Sub(s.Away.xy()).Len()
		sum, n = sum+off, n+1
		if off >= a.Largest {
			a.Largest, a.T = off, s.T
		}
	}
	if n == 0 {
		return nil
	}
	a.Mean = sum / float64(n)
	return &a
}
