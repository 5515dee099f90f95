package analysis

import (
	"math"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/bounded"
	"touchline/soccer"
)

// TallyView holds the figures at one time. Its slices are read-only and valid until the next Step.
type TallyView struct {
	Time    soccer.Time `json:"time"`
	Elapsed float64     `json:"elapsed"` // s since the match began, stoppages included
	Played  float64     `json:"played"`  // s of it with the ball in play
	Loose   float64     `json:"loose"`   // share of Played in which neither team had the ball
	Home    TallyTeam   `json:"home"`
	Away    TallyTeam   `json:"away"`
	Spans   []Span      `json:"spans"` // of possession, oldest first: the newest 2,048
	Goals   []TallyGoal `json:"goals"` // oldest first
	// The newest passes and shots, and where each team had the ball, home and away: s in squares of 1 m (VSS: of a sixth),
	// column by column, Columns of Rows.
	// Positions are in the frame of the page, in which home attacks +x.
	Arrived []TallyPass  `json:"arrived"`
	Tried   []TallyShot  `json:"tried"`
	Heat    [2][]float32 `json:"heat"`
	Columns int          `json:"columns"`
	Rows    int          `json:"rows"`
}

// Team returns one side's figures.
func (v *TallyView) Team(side game.Side) *TallyTeam {
	if side == game.Home {
		return &v.Home
	}
	return &v.Away
}

// TallyTeam holds the figures of one team. Means are over the time in play.
type TallyTeam struct {
	Goals      int       `json:"goals"`
	Possession float64   `json:"possession"` // share of the time in play
	Passes     int       `json:"passes"`     // that a teammate got
	PassesLost int       `json:"passesLost"` // kicks, other than shots, that an opponent got
	Shots      int       `json:"shots"`      // at the opponents' goal
	OnTarget   int       `json:"onTarget"`   // of them between the posts and under the bar
	Saves      int       `json:"saves"`      // opponents' shots on target that the goalkeeper touched, without a goal
	SetPieces  SetPieces `json:"setPieces"`  // taken
	Crowding   float64   `json:"crowding"`   // mean number of its robots within 1 m of the ball
	Coverage   float64   `json:"coverage"`   // mean share of the field that lies within 3 m of one of its robots
	Distance   float64   `json:"distance"`   // m that a robot drove, mean of its robots
}

// SetPieces counts those that a team took.
type SetPieces struct {
	KickOffs  int `json:"kickOffs"`
	FreeKicks int `json:"freeKicks"`
	GoalKicks int `json:"goalKicks"`
	ThrowIns  int `json:"throwIns"`
	Corners   int `json:"corners"`
	Penalties int `json:"penalties"`
}

// All returns the number of all set pieces.
func (s *SetPieces) All() int {
	return s.KickOffs + s.FreeKicks + s.GoalKicks + s.ThrowIns + s.Corners + s.Penalties
}

// Span is a time in which one team had the ball, or neither.
type Span struct {
	From float64   `json:"from"` // s since the match began
	To   float64   `json:"to"`
	Side game.Side `json:"side"` // Both: neither, or play was stopped
}

// TallyGoal is one goal.
type TallyGoal struct {
	At     float64        `json:"at"`     // s since the match began
	Part   game.Part      `json:"part"`   // in which it was scored
	Clock  float64        `json:"clock"`  // s since that part began
	Side   game.Side      `json:"side"`   // whose goal it is
	Scorer autoref.Player `json:"scorer"` // the robot that touched the ball last; Side Both: unknown
	Own    bool           `json:"own"`    // it plays for the other team
}

// TallyPass is a pass that a teammate got.
type TallyPass struct {
	At   float64    `json:"at"` // s since the match began, when it arrived
	Side game.Side  `json:"side"`
	From soccer.Vec `json:"from"`
	To   soccer.Vec `json:"to"`
}

// TallyShot is one shot.
type TallyShot struct {
	At     float64        `json:"at"` // s since the match began
	By     autoref.Player `json:"by"`
	From   soccer.Vec     `json:"from"`
	Result string         `json:"result"` // wide, on target, saved or goal
}

// Results of shots.
const (
	shotWide     = "wide"
	shotOnTarget = "on target"
	shotSaved    = "saved"
	shotGoal     = "goal"
)

const (
	longestStep = time.Second     // a longer time between two steps counts as this, and a step backwards as none
	looseAfter  = 2 * time.Second // without a touch neither team has the ball
	mostSpans   = 2048
	mostGoals   = 2 * 99
	far         = 1000.0 // m: a ball that is farther away, or nowhere, stays where it was
	mostPasses  = 4
	mostShots   = 100
	furthest    = 0.5 // m in one step; a robot that moves further was carried
)

// Tally counts the figures of one match from samples of the field: of a match that runs, or of a log. It is not safe for concurrent use.
//
// A team has the ball from a touch of one of its robots until a robot of the other team touches it, or until nobody has
// touched it for 2 s. A kick is a pass when a teammate is the next to touch the ball, and a shot when the ball is on its
// way to the goal line between the posts or within half a metre of them, fast enough to get there.
type Tally struct {
	field soccer.Field
	scale float64 // of lengths
	view  TallyView
	begun bool
	last  soccer.Time
	dt    float64 // s

	running bool
	from    soccer.Time // play began
	touched autoref.Player
	ball    soccer.Vec // as the page draws it
	got     soccer.Vec // where it was when touched touched it first
	kick    kick
	saved   game.Side // whose goalkeeper touched the last shot; Both: it is over
	has     [3]float64
	teams   [2]tallyTeam
	cells   cells
	places  []place

	Keep    int // number of the newest events that Events returns, at most MostEvents. Default 0
	events  []Event
	noted   int // events so far
	chain   int
	chained game.Side      // the team of this chain; Both: none
	lostBy  autoref.Player // the robot that touched the ball last when play stopped, at lostAt
	lostAt  soccer.Vec
}

// tallyTeam holds the sums for one tallyTeam.
type tallyTeam struct {
	crowd float64 // robots within 1 m of the ball, s
	way   float64 // m
	seen  int     // robots that were on the field
}

// place is where a robot was.
type place struct {
	autoref.Player
	way  float64 // m that it drove
	at   soccer.Vec
	on   bool
	seen bool
}

// NewTally returns the tally of a match that begins.
func NewTally(field soccer.Field) *Tally {
	t := &Tally{field: field, scale: scaleOf(&field), places: make([]place, 0, MostRobots)}
	v := &t.view
	v.Spans, v.Goals = make([]Span, 0, mostSpans), make([]TallyGoal, 0, mostGoals)
	v.Arrived, v.Tried = make([]TallyPass, 0, mostPasses), make([]TallyShot, 0, mostShots)
	t.cells.lay(&field)
	v.Columns, v.Rows = t.cells.nx, t.cells.ny
	for i := range v.Heat {
		v.Heat[i] = make([]float32, len(t.cells.middles))
	}
	return t
}

func index(side game.Side) int {
	switch side {
	case game.Home:
		return 0
	case game.Away:
		return 1
	}
	return 2
}

// Step counts what happened until now. st is the state of the game at now. The rhythm is the caller's: 10 steps a second and
// more.
func (t *Tally) Step(now soccer.Time, s *autoref.Scene, st *game.State) {
	v := &t.view
	if t.dt = 0; t.begun && now > t.last {
		t.dt = min(now.Sub(t.last), longestStep).Seconds()
	}
	v.Time, t.last, t.begun = now, now, true
	v.Elapsed += t.dt
	if p := s.Ball.XY(); math.Abs(p.X) <= far && math.Abs(p.Y) <= far {
		t.ball = p.Scale(st.Part.Attack(game.Home))
	}
	if st.Running && !t.running {
		t.start(now, st)
	}
	if !st.Running && t.running {
		t.stop()
	}
	t.running = st.Running
	side := game.Both
	if st.Running {
		side = t.owner(now, s)
		t.play(s, side)
		t.follow(s, st)
	}
	t.span(side)
	t.goals(st)
	t.drive(s)
}

// start counts a set piece.
func (t *Tally) start(now soccer.Time, st *game.State) {
	taking := st.Taking
	t.restart(st, taking)
	t.from, t.kick, t.saved, t.touched = now, kick{event: -1}, game.Both, autoref.Player{}
	t.lostBy = autoref.Player{}
	if index(taking.Side) == 2 {
		return
	}
	t.begin(taking.Side)
	t.note(st, Event{Kind: SetPiece, By: autoref.Player{Side: taking.Side}, From: t.ball, End: t.ball, Result: string(taking.Command)})
	switch p := &t.view.Team(taking.Side).SetPieces; taking.Command {
	case game.KickOff:
		p.KickOffs++
	case game.FreeKick:
		p.FreeKicks++
	case game.GoalKick:
		p.GoalKicks++
	case game.ThrowIn:
		p.ThrowIns++
	case game.Corner:
		p.Corners++
	case game.PenaltyKick:
		p.Penalties++
	}
}

// owner returns the team that has the ball.
func (t *Tally) owner(now soccer.Time, s *autoref.Scene) game.Side {
	switch {
	case index(s.Holder.Side) < 2:
		return s.Holder.Side
	case index(s.Touched.Side) == 2 || s.TouchedAt < t.from || now.Sub(s.TouchedAt) > looseAfter:
		return game.Both
	}
	return s.Touched.Side
}

// play sums up what the robots do with the ball in play.
func (t *Tally) play(s *autoref.Scene, owner game.Side) {
	t.view.Played += t.dt
	t.has[index(owner)] += t.dt
	if k, at := index(owner), t.cells.at(t.ball); k < 2 && at >= 0 {
		t.view.Heat[k][at] += float32(t.dt)
	}
	for i := range s.Robots {
		r := &s.Robots[i]
		if k := index(r.Side); k < 2 && r.On && r.Pose.XY().Sub(s.Ball.XY()).Len() <= t.scale*tallyNear {
			t.teams[k].crowd += t.dt
		}
	}
	t.cells.step(t.dt, s)
}

// tallyNear is the distance in m within which a robot crowds around the ball.
const tallyNear = 1.0

// scaleOf returns the factor of all lengths of the figures: on the fields of VSS robots and balls are a sixth as large as
// in the Middle Size League, and a third on those of the Small Size League, which have the lowest goals of all large fields.
func scaleOf(f *soccer.Field) float64 {
	const lowGoal = 0.2 // m
	switch {
	case f.Length < 4:
		return 1.0 / 6
	case f.GoalHeight > 0 && f.GoalHeight < lowGoal:
		return 1.0 / 3
	}
	return 1
}

// span continues the strip of possession.
func (t *Tally) span(side game.Side) {
	v := &t.view
	if n := len(v.Spans); n > 0 && v.Spans[n-1].Side == side {
		v.Spans[n-1].To = v.Elapsed
		return
	}
	v.Spans = bounded.Append(v.Spans, Span{From: v.Elapsed - t.dt, To: v.Elapsed, Side: side}, mostSpans)
}

// drive sums up how far robots drive.
func (t *Tally) drive(s *autoref.Scene) {
	for i := range s.Robots {
		r := &s.Robots[i]
		k, at := index(r.Side), r.Pose.XY()
		if k == 2 || math.IsNaN(at.X+at.Y) {
			continue
		}
		p := t.place(r.Player)
		if p == nil {
			continue
		}
		if d := at.Sub(p.at).Len(); r.On && p.on && d <= furthest {
			t.teams[k].way += d
			p.way += d
		}
		if r.On && !p.seen {
			p.seen = true
			t.teams[k].seen++
		}
		p.at, p.on = at, r.On
	}
}

// place returns where a robot was; nil for one beyond MostRobots.
func (t *Tally) place(p autoref.Player) *place {
	for i := range t.places {
		if t.places[i].Player == p {
			return &t.places[i]
		}
	}
	if len(t.places) == MostRobots {
		return nil
	}
	t.places = append(t.places, place{Player: p})
	return &t.places[len(t.places)-1]
}

// View returns the figures.
func (t *Tally) View() TallyView {
	v := t.view
	for _, side := range game.Sides {
		sum, team := &t.teams[index(side)], v.Team(side)
		team.Possession, team.Crowding = share(t.has[index(side)], v.Played), share(sum.crowd, v.Played)
		team.Coverage = t.cells.mean(index(side))
		team.Distance = share(sum.way, float64(sum.seen))
	}
	v.Loose = share(t.has[2], v.Played)
	return v
}

// share returns a / b, 0 for nothing of nothing.
func share(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}
