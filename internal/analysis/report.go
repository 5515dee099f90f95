package analysis

import (
	"fmt"
	"math"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// Report is what happened in a match. Its JSON is stable. Positions are in m in the frame in which home attacks +x in
// every part, times in s of the log.
type Report struct {
	Origin  Origin       `json:"origin"`
	Names   [2]string    `json:"names"` // home, away
	Seed    string       `json:"seed"`  // of a simulated match; "" if it is not known
	Field   soccer.Field `json:"field"`
	Start   soccer.Time  `json:"start"`   // of the log
	Seconds float64      `json:"seconds"` // that the frames cover
	Frames  int          `json:"frames"`
	Told    bool         `json:"told"` // the simulator told who handled the ball; false: it was found from the motion
	// Partial says what the figures lack, and why, a sentence each.
	Partial []string  `json:"partial"`
	Figures TallyView `json:"figures"`
	Parts   []Part    `json:"parts"`
	Events  []Event   `json:"events"`
	Teams   [2]Team   `json:"teams"`
	Robots  []Robot   `json:"robots"` // home before away, by number
	Moments []Moment  `json:"moments"`
	Links   []Link    `json:"links"` // of the robots' nodes; empty where the log has none
	// Namings are the times in which mates said that a robot's reports contradict their own, at most 500.
	Namings []Naming `json:"namings"`
}

// Part is a part of the game.
type Part struct {
	Name  game.Part `json:"name"`
	From  float64   `json:"from"`
	To    float64   `json:"to"`
	Goals [2]int    `json:"goals"` // at its end
}

// ShootOut returns the goals of both teams in the penalty shoot-out, which the score counts, too. It reports false without
// one, and if the log begins in it.
func (r *Report) ShootOut() (goals [2]int, ok bool) {
	for i := range r.Parts {
		if p := &r.Parts[i]; p.Name == game.ShootOut && i > 0 {
			ok = true
			for k := range goals {
				goals[k] += p.Goals[k] - r.Parts[i-1].Goals[k]
			}
		}
	}
	return goals, ok
}

// Team is what one team did.
type Team struct {
	Directions [8]Direction `json:"directions"` // of passes; 0 is forward, then counter-clockwise in steps of 45 degrees
	Network    []PassPair   `json:"network"`
	Chains     Chains       `json:"chains"`
	Pieces     []PieceRow   `json:"pieces"` // set pieces and what came of them
	Losses     []LossRow    `json:"losses"` // lost balls by cause
	// YellowCards and RedCards are those that it has got, without those that the referee took back.
	YellowCards int `json:"yellowCards"`
	RedCards    int `json:"redCards"`

	XG float64 `json:"xg"` // sum over its shots
	// Thirds are the shares of the time in play with the ball in its own, the middle and the opponents' third.
	Thirds [3]float64 `json:"thirds"`
	// Control is the share of the field that a robot of the team reaches before one of the other team, mean over play.
	Control float64 `json:"control"`
	Hull    float64 `json:"hull"` // m^2 between its robots without the goalkeeper, mean over play
	// BallError is the error of the ball that its robots believe: from the truth, or from the other team's ball.
	BallError Errors `json:"ballError"`
	// Blind are its lost balls at which the robot's own ball was more than half a metre off, or unknown; of those with a belief.
	Blind     int      `json:"blind"`
	Judged    int      `json:"judged"`
	AtBall    Crowd    `json:"atBall"`
	RadioLoss float64  `json:"radioLoss"` // share of the datagrams to its robots that were lost; -1: unknown
	Booking   *Booking `json:"booking"`   // nil: the log does not tell
}

// Direction counts passes in one direction.
type Direction struct {
	Tried   int `json:"tried"`
	Arrived int `json:"arrived"`
}

// PassPair counts the passes from one robot to another that arrived.
type PassPair struct {
	From  uint8 `json:"from"`
	To    uint8 `json:"to"`
	Count int   `json:"count"`
}

// Chains are the times without a break in which the team had the ball.
type Chains struct {
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"` // mean
	Passes  float64 `json:"passes"`  // that arrived, mean
	Shots   int     `json:"shots"`   // chains with a shot
}

// PieceRow is what came of one kind of set piece within 15 s, before the next one.
type PieceRow struct {
	Command string `json:"command"`
	Taken   int    `json:"taken"`
	Shots   int    `json:"shots"`
	Goals   int    `json:"goals"`
	Lost    int    `json:"lost"` // within 5 s
}

// LossRow counts lost balls of one cause.
type LossRow struct {
	Cause string `json:"cause"`
	Count int    `json:"count"`
}

// Crowd tells how many robots of a team were within 1 m of the ball: shares of the time in play.
type Crowd struct {
	None float64 `json:"none"`
	One  float64 `json:"one"`
	More float64 `json:"more"`
}

// Robot is what one robot did.
type Robot struct {
	autoref.Player
	Seconds   float64    `json:"seconds"` // on the field and running
	Distance  float64    `json:"distance"`
	Mean      soccer.Vec `json:"mean"`     // mean place in play
	Passing   soccer.Vec `json:"passing"`  // mean place of its passes, made and received; Mean without one
	TopSpeed  float64    `json:"topSpeed"` // m/s, over three tenths of a second
	Touches   int        `json:"touches"`
	Passes    int        `json:"passes"` // that arrived
	Tried     int        `json:"tried"`  // passes, those included
	Shots     int        `json:"shots"`
	XG        float64    `json:"xg"`
	Goals     int        `json:"goals"`
	Lost      int        `json:"lost"`
	Won       int        `json:"won"`  // balls from the other team
	Heat      []float32  `json:"heat"` // s in play in squares of 1 m, like TallyView.Heat
	BallError Errors     `json:"ballError"`
	SelfError Errors     `json:"selfError"`
	Doing     []Doing    `json:"doing"` // in play, by the states that it told, the longest first; empty: it told none
}

// Errors sums up distances in m.
type Errors struct {
	Samples int     `json:"samples"`
	Known   float64 `json:"known"` // share of the time with a belief
	Mean    float64 `json:"mean"`
	P95     float64 `json:"p95"`
	Largest float64 `json:"largest"`
}

// Moment is what was the case in one step of the time line.
type Moment struct {
	At     float64    `json:"at"`
	Ball   float64    `json:"ball"`   // mean x of the ball in play; 0 without play
	Play   float64    `json:"play"`   // share of the step in play
	Error  [2]float64 `json:"error"`  // mean error of the ball that the team's robots believe; -1: unknown
	Loss   [2]float64 `json:"loss"`   // share of lost datagrams; -1: unknown
	Owned  [2]float64 `json:"owned"`  // s that the team had the ball
	Failed [2]int     `json:"failed"` // lost balls
}

// MomentStep is the step of the time line in s.
const MomentStep = 10.0

// Link is one direction of a link of the TCM, at the end of the log.
type Link struct {
	Side     game.Side `json:"side"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Received uint64    `json:"received"`
	Lost     uint64    `json:"lost"`
	Latency  float64   `json:"latency"` // ms, median
}

const (
	blindFrom   = 0.5 // m. VSS: a sixth
	pieceWithin = 15 * time.Second
	lostWithin  = 5 * time.Second
	mostMoments = 4 * 3600 / MomentStep
	mostErrors  = 48_000 // samples of one error, thinned beyond
)

// Analyst makes a Report from the frames of a match. It is not safe for concurrent use.
type Analyst struct {
	report   Report
	tally    *Tally
	detector Detector
	field    soccer.Field
	games    int         // that ended before this one
	logged   soccer.Time // time of the first frame in the log
	last     Frame       // times and state only
	steps    int
	gaps     int
	backward int
	unknown  float64     // s in play without a ball
	ball     soccer.Vec3 // the last known one
	players  []*track
	space    space
	crowd    [2]Crowd
	bookings [2]*booking
	thirds   [2][3]float64
	played   float64
	noted    int
	carded   [2]int // cards of the newest frame
	tracks   map[autoref.Player]*track
	moment   *momentSum
}

// track is what is summed up for one robot.
type track struct {
	Robot
	trail [4]struct {
		at soccer.Time
		p  soccer.Vec
		on bool
	}
	sum        soccer.Vec
	played     float64
	passing    soccer.Vec // sum of the places of passes
	passes     int
	ball, self errorsOf
	now        Belief
	offBall    float64     // m, the newest error of its ball; NaN: it knows none
	states     []Doing     // s in play in each state of its machine, in place of shares
	stated     soccer.Time // when it told its state last
}

// momentSum is the step of the time line that is being summed up.
type momentSum struct {
	Moment
	ballX, played, seconds float64
	sum                    [2]float64
	n                      [2]int
}

// NewAnalyst returns an Analyst of a match on a field.
func NewAnalyst(field soccer.Field) *Analyst {
	a := &Analyst{tally: NewTally(field), field: field, tracks: map[autoref.Player]*track{}}
	a.tally.Keep, a.detector.Field = MostEvents, field
	a.report.Told = true
	return a
}

// Step counts a frame. Frames come in the order of the log.
func (a *Analyst) Step(f *Frame) {
	if a.steps > 0 && f.State.Part == game.PreGame && a.last.State.Part != game.PreGame { // another game
		games := a.games + 1
		*a = *NewAnalyst(a.field)
		a.games = games
	}
	if a.steps == 0 {
		a.logged = f.At
	}
	dt := 0.0
	if a.steps > 0 {
		switch d := f.Time.Sub(a.last.Time); {
		case d < 0:
			a.backward++
		case d > longestStep:
			a.gaps++
			dt = longestStep.Seconds()
		default:
			dt = d.Seconds()
		}
	}
	a.report.Told = a.report.Told && f.Told
	a.clean(f)
	a.detector.Fill(f)
	a.tally.Step(f.Time, &f.Scene, &f.State)
	a.parts(f)
	a.advance(f)
	direction := f.State.Part.Attack(game.Home)
	a.beliefs(f)
	a.names(f)
	a.robots(f, dt, direction)
	a.team(f, dt, direction)
	a.cards(f)
	a.events(f)
	a.last.Time, a.last.At, a.last.State = f.Time, f.At, f.State
	a.steps++
}

// clean takes away what cannot be: the ball is where it was then, and robots are not there.
func (a *Analyst) clean(f *Frame) {
	if f.Known = f.Known && sane(f.Scene.Ball); f.Known {
		a.ball = f.Scene.Ball
	}
	f.Scene.Ball = a.ball
	if !sane(f.Scene.KickBall) || !sane(f.Scene.KickVelocity) {
		f.Scene.KickBall, f.Scene.KickVelocity = a.ball, soccer.Vec3{}
	}
	for i := range f.Scene.Robots {
		r := &f.Scene.Robots[i]
		if p := r.Pose; !sane(soccer.Vec3{X: p.X, Y: p.Y, Z: p.Theta}) {
			r.On, r.There, r.Pose = false, false, soccer.Pose{}
		}
	}
	for i := range f.Beliefs {
		b := &f.Beliefs[i]
		if b.Ball != nil && !sane(*b.Ball) {
			b.Ball = nil
		}
		if b.Self != nil && !sane(soccer.Vec3{X: b.Self.X, Y: b.Self.Y, Z: b.Self.Theta}) {
			b.Self = nil
		}
	}
}

// sane reports whether a place is within a kilometre.
func sane(v soccer.Vec3) bool {
	return math.Abs(v.X) <= far && math.Abs(v.Y) <= far && math.Abs(v.Z) <= far
}

// seconds returns the time of the log since its first frame.
func (a *Analyst) seconds(at soccer.Time) float64 { return at.Sub(a.logged).Seconds() }

// parts follows the parts of the game.
func (a *Analyst) parts(f *Frame) {
	all, at := a.report.Parts, a.seconds(f.At)
	if n := len(all); n == 0 || all[n-1].Name != f.State.Part && n < 100 {
		a.report.Parts = append(all, Part{Name: f.State.Part, From: at})
	}
	p := &a.report.Parts[len(a.report.Parts)-1]
	p.To, p.Goals = at, [2]int{f.State.Home.Goals, f.State.Away.Goals}
}

// advance begins the next step of the time line when it is time.
func (a *Analyst) advance(f *Frame) {
	at := a.seconds(f.At)
	if a.moment != nil && at >= a.moment.At && at < a.moment.At+MomentStep {
		return
	}
	a.closeMoment()
	a.moment = &momentSum{Moment: Moment{At: math.Floor(at/MomentStep) * MomentStep, Loss: [2]float64{-1, -1}}}
}

func (a *Analyst) closeMoment() {
	m := a.moment
	if m == nil || len(a.report.Moments) >= mostMoments {
		return
	}
	m.Ball, m.Play = share(m.ballX, m.played), share(m.played, m.seconds)
	for i := range m.Error {
		if m.Error[i] = -1; m.n[i] > 0 {
			m.Error[i] = m.sum[i] / float64(m.n[i])
		}
	}
	a.report.Moments = append(a.report.Moments, m.Moment)
}

// track returns the sums of a robot; nil beyond MostRobots.
func (a *Analyst) track(p autoref.Player) *track {
	t := a.tracks[p]
	if t == nil && len(a.players) < 2*MostRobots {
		t = &track{Robot: Robot{Player: p, Heat: make([]float32, len(a.tally.cells.middles))}, offBall: math.NaN()}
		a.tracks[p] = t
		a.players = append(a.players, t)
	}
	return t
}

// robots sums up where robots are and how they move.
func (a *Analyst) robots(f *Frame, dt, direction float64) {
	for i := range f.Scene.Robots {
		r := &f.Scene.Robots[i]
		if index(r.Side) == 2 || !r.There {
			continue
		}
		t := a.track(r.Player)
		if t == nil {
			continue
		}
		at := r.Pose.XY()
		if r.On {
			t.Seconds += dt
		}
		if oldest := &t.trail[2]; oldest.on && r.On && t.trail[1].on && t.trail[0].on {
			if span := f.Time.Sub(oldest.at).Seconds(); span > 0.2 && span < 0.5 {
				if v := at.Sub(oldest.p).Len() / span; v <= furthest*10 {
					t.TopSpeed = max(t.TopSpeed, v)
				}
			}
		}
		copy(t.trail[1:], t.trail[:])
		t.trail[0].at, t.trail[0].p, t.trail[0].on = f.Time, at, r.On
		if !f.State.Running || !r.On {
			continue
		}
		drawn := at.Scale(direction)
		t.played += dt
		t.sum = t.sum.Add(drawn.Scale(dt))
		if k := a.tally.cells.at(drawn); k >= 0 {
			t.Heat[k] += float32(dt)
		}
	}
}

// velocity returns that of a robot in m/s between the newest two frames in which it was there; 0 if they are far apart.
func (a *Analyst) velocity(p autoref.Player) soccer.Vec {
	t := a.tracks[p]
	if t == nil {
		return soccer.Vec{}
	}
	span := t.trail[0].at.Sub(t.trail[1].at).Seconds()
	if !(span > 0 && span < 0.5) {
		return soccer.Vec{}
	}
	return t.trail[0].p.Sub(t.trail[1].p).Scale(1 / span)
}

// team sums up what the teams do with the ball in play.
func (a *Analyst) team(f *Frame, dt, direction float64) {
	a.moment.seconds += dt
	if !f.State.Running {
		return
	}
	a.played += dt
	ball := f.Scene.Ball.XY().Scale(direction)
	if !f.Known {
		a.unknown += dt
	}
	if k := index(a.tally.owner(f.Time, &f.Scene)); k < 2 {
		a.moment.Owned[k] += dt
	}
	a.moment.ballX += float64(ball.X * dt)
	a.moment.played += dt
	third := min(max(int((ball.X/a.field.Length+0.5)*3), 0), 2)
	a.thirds[0][third] += dt
	a.thirds[1][2-third] += dt
	near := [2]int{}
	for i := range f.Scene.Robots {
		r := &f.Scene.Robots[i]
		if k := index(r.Side); k < 2 && r.On && r.Pose.XY().Sub(f.Scene.Ball.XY()).Len() <= a.tally.scale*tallyNear {
			near[k]++
		}
	}
	for k := range near {
		switch near[k] {
		case 0:
			a.crowd[k].None += dt
		case 1:
			a.crowd[k].One += dt
		default:
			a.crowd[k].More += dt
		}
	}
	a.space.step(f, dt, a.tally.cells.middles, a.velocity)
}

// events gives the new events the time of the log, and asks what the robots believed.
func (a *Analyst) events(f *Frame) {
	all := a.tally.events
	for i := max(len(all)-(a.tally.noted-a.noted), 0); i < len(all); i++ {
		e := &all[i]
		e.Logged = f.At.Add(-f.Time.Sub(e.At))
		if e.Kind == Shot {
			e.XG = a.worth(f, e)
		}
		if e.Kind != Lost {
			continue
		}
		k := index(e.By.Side)
		a.moment.Failed[k]++
		t := a.tracks[e.By]
		if t == nil || t.now.At == 0 || f.At.Sub(t.now.At) > time.Second {
			continue
		}
		a.report.Teams[k].Judged++
		if !(t.offBall <= a.tally.scale*blindFrom) {
			a.report.Teams[k].Blind++
		}
	}
	a.noted = a.tally.noted
}

// worth returns the expected goals of a shot. The opponents stand where they are when the shot is noted, up to 0.2 s after
// the kick: by then a robot has moved less than its radius, as a rule. Only a simulator tells that there is no goalkeeper:
// one that a log does not show counts as in its place.
func (a *Analyst) worth(f *Frame, e *Event) float64 {
	from, direction, kept := e.From, f.State.Part.Attack(e.By.Side), f.Told
	if e.By.Side == game.Away {
		from = from.Turned()
	}
	robots := make([]soccer.Vec, 0, 16)
	for i := range f.Scene.Robots {
		if r := &f.Scene.Robots[i]; r.There && r.Side == e.By.Side.Opponent() {
			robots = append(robots, r.Pose.XY().Scale(direction))
			kept = kept || r.Number == soccer.Goalkeeper
		}
	}
	if !kept {
		robots = append(robots, GuardPlace(&a.field, from))
	}
	return XG(&a.field, from, XGOpening(&a.field, from, robots))
}

// Links sets what the nodes of a team measured, at a time of the log.
func (a *Analyst) Links(at soccer.Time, side game.Side, links []Link) {
	k, received, lost := index(side), uint64(0), uint64(0)
	if k == 2 || a.moment == nil {
		return
	}
	kept := a.report.Links[:0]
	was := [2]uint64{}
	for _, l := range a.report.Links {
		if l.Side != side {
			kept = append(kept, l)
		} else {
			was[0] += l.Received
			was[1] += l.Lost
		}
	}
	for _, l := range links {
		received += l.Received
		lost += l.Lost
	}
	a.report.Links = append(kept, links...)
	if received >= was[0] && lost >= was[1] && received+lost > was[0]+was[1] {
		a.moment.Loss[k] = float64(lost-was[1]) / float64(received+lost-was[0]-was[1])
	}
}

// Report returns the report of the frames so far. The Analyst ends with it.
func (a *Analyst) Report() *Report {
	a.closeMoment()
	r := &a.report
	r.Field, r.Frames, r.Seconds = a.field, a.steps, a.seconds(a.last.At)
	r.Figures, r.Events = a.tally.View(), a.tally.events
	if r.Moments == nil {
		r.Moments = []Moment{}
	}
	if r.Namings == nil {
		r.Namings = []Naming{}
	}
	for _, t := range a.players {
		t.Robot.BallError, t.Robot.SelfError, t.Robot.Doing = t.ball.sum(), t.self.sum(), t.doing()
	}
	for k, side := range game.Sides {
		a.summarise(k, side)
	}
	for _, t := range a.players {
		if p := a.tally.place(t.Player); p != nil {
			t.Distance = p.way
		}
		t.Robot.Mean = t.sum.Scale(1 / max(t.played, 1e-9))
		if t.Robot.Passing = t.Robot.Mean; t.passes > 0 {
			t.Robot.Passing = t.passing.Scale(1 / float64(t.passes))
		}
	}
	a.sortRobots()
	a.partial()
	return r
}

// partial says what the figures lack.
func (a *Analyst) partial() {
	say := func(format string, args ...any) {
		a.report.Partial = append(a.report.Partial, fmt.Sprintf(format, args...))
	}
	r := &a.report
	r.Partial = []string{}
	if !r.Told {
		say("Nobody told which robot touched the ball: touches, passes and shots are found from its motion, and duels may count for the wrong team.")
	}
	if a.games > 0 {
		say("The log holds %d games: these are the figures of the last one.", a.games+1)
	}
	if a.gaps > 0 {
		say("Times without a frame for more than a second: %d. Only a second of each counts.", a.gaps)
	}
	if a.backward > 0 {
		say("Jumps of the log's clock backwards: %d. No time counts for a jump.", a.backward)
	}
	if a.unknown > 0 {
		say("Nobody knew where the ball was for %.0f s of %.0f s in play: its place is the last known one there.", a.unknown, a.played)
	}
	if a.tally.noted > len(r.Events) {
		say("Only the newest %d of %d events are kept.", len(r.Events), a.tally.noted)
	}
	seen := [2]bool{}
	for i := range r.Robots {
		seen[index(r.Robots[i].Side)] = true
	}
	for k, side := range game.Sides {
		if !seen[k] {
			say("The log says nothing of the robots of the %s team.", side)
		}
	}
	if !xgFits(&a.field) {
		say("Expected goals are known for the Middle Size League only: every shot counts 0 on this field.")
	}
	if len(r.Parts) == 1 && r.Parts[0].Name == game.PreGame {
		say("The log has no referee's clock: nothing counts as play.")
	}
}
