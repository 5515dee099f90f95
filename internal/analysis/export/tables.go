package export

import (
	"math"
	"strconv"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/soccer"
)

// trackingRow is the ball or a robot in a frame. Lengths are in m, angles in rad, times in s; home attacks +x in every half.
type trackingRow struct {
	MatchID string   `parquet:"match_id,dict"`
	Frame   int32    `parquet:"frame_id"`
	Period  int8     `parquet:"period"`
	Time    float64  `parquet:"time_s"`
	Clock   float64  `parquet:"clock_s"`
	Alive   bool     `parquet:"alive"`
	Object  string   `parquet:"object,dict"`
	Team    string   `parquet:"team,dict"` // "" for the ball
	Number  int8     `parquet:"number"`    // 0 for the ball
	X       float32  `parquet:"x"`
	Y       float32  `parquet:"y"`
	Z       *float32 `parquet:"z,optional"`
	Heading *float32 `parquet:"heading,optional"`
	VX      *float32 `parquet:"vx,optional"`
	VY      *float32 `parquet:"vy,optional"`
	HasBall bool     `parquet:"has_ball"`
	State   *string  `parquet:"state,optional,dict"`
	TargetX *float32 `parquet:"target_x,optional"`
	TargetY *float32 `parquet:"target_y,optional"`
}

// beliefRow is where a robot, or the base station of a team, believes the ball or itself.
type beliefRow struct {
	MatchID  string   `parquet:"match_id,dict"`
	Frame    int32    `parquet:"frame_id"`
	Team     string   `parquet:"team,dict"`
	Observer int8     `parquet:"observer"` // 0: the base station
	Object   string   `parquet:"object,dict"`
	Number   *int8    `parquet:"number,optional"`
	X        float32  `parquet:"x"`
	Y        float32  `parquet:"y"`
	XX       *float32 `parquet:"xx,optional"`
	XY       *float32 `parquet:"xy,optional"`
	YY       *float32 `parquet:"yy,optional"`
	Age      *float32 `parquet:"age_s,optional"`
	Error    *float32 `parquet:"error_m,optional"` // distance from the truth
}

// eventRow is an event of the match, as touchline report lists them.
type eventRow struct {
	MatchID  string   `parquet:"match_id,dict"`
	Event    int32    `parquet:"event_id"` // counts from 1
	Period   int8     `parquet:"period"`
	Time     float64  `parquet:"time_s"`
	Type     string   `parquet:"type,dict"`
	Subtype  string   `parquet:"subtype,dict"`
	Team     string   `parquet:"team,dict"` // "": unknown
	Number   int8     `parquet:"number"`    // 0: unknown
	X        float32  `parquet:"x"`
	Y        float32  `parquet:"y"`
	EndX     *float32 `parquet:"end_x,optional"`
	EndY     *float32 `parquet:"end_y,optional"`
	Receiver *int8    `parquet:"receiver,optional"` // of a pass that arrived
	Success  *bool    `parquet:"success,optional"`  // of a pass, shot or goal; an own goal is none
	XG       *float32 `parquet:"xg,optional"`       // of a shot
	Chain    int32    `parquet:"chain_id"`
}

// networkRow is the traffic of a link since the report before it.
type networkRow struct {
	MatchID string   `parquet:"match_id,dict"`
	Time    float64  `parquet:"time_s"`
	Team    string   `parquet:"team,dict"`
	From    int8     `parquet:"from"` // 0: the base station
	To      int8     `parquet:"to"`
	Sent    int32    `parquet:"sent"`
	Lost    int32    `parquet:"lost"`
	Latency *float32 `parquet:"latency_ms,optional"` // median
}

// noteRow is a note that a person wrote.
type noteRow struct {
	MatchID string   `parquet:"match_id,dict"`
	Note    int32    `parquet:"note_id"`
	Period  int8     `parquet:"period"` // 0: outside of the halves
	Time    float64  `parquet:"time_s"`
	End     *float64 `parquet:"end_s,optional"` // of a span
	Text    string   `parquet:"text"`
}

// matchRow is the match.
type matchRow struct {
	MatchID     string  `parquet:"match_id"`
	Seed        *uint64 `parquet:"seed,optional"`
	Flags       string  `parquet:"flags"`
	Home        string  `parquet:"home"`
	Away        string  `parquet:"away"`
	GoalsHome   int16   `parquet:"goals_home"`
	GoalsAway   int16   `parquet:"goals_away"`
	Start       string  `parquet:"start"` // of the first half, UTC
	Origin      string  `parquet:"origin"`
	Rate        int32   `parquet:"rate_hz"`
	FieldLength float64 `parquet:"field_length_m"`
	FieldWidth  float64 `parquet:"field_width_m"`
	Seconds     float64 `parquet:"seconds"`
	Played      float64 `parquet:"played"`
	Loose       float64 `parquet:"loose"`

	PossessionHome float64 `parquet:"possession_home"`
	PossessionAway float64 `parquet:"possession_away"`
	PassesHome     int32   `parquet:"passes_home"`
	PassesAway     int32   `parquet:"passes_away"`
	PassesLostHome int32   `parquet:"passes_lost_home"`
	PassesLostAway int32   `parquet:"passes_lost_away"`
	ShotsHome      int32   `parquet:"shots_home"`
	ShotsAway      int32   `parquet:"shots_away"`
	OnTargetHome   int32   `parquet:"on_target_home"`
	OnTargetAway   int32   `parquet:"on_target_away"`
	SavesHome      int32   `parquet:"saves_home"`
	SavesAway      int32   `parquet:"saves_away"`
	CrowdingHome   float64 `parquet:"crowding_home"`
	CrowdingAway   float64 `parquet:"crowding_away"`
	CoverageHome   float64 `parquet:"coverage_home"`
	CoverageAway   float64 `parquet:"coverage_away"`
	DistanceHome   float64 `parquet:"distance_home"`
	DistanceAway   float64 `parquet:"distance_away"`
	SetPiecesHome  int32   `parquet:"set_pieces_home"`
	SetPiecesAway  int32   `parquet:"set_pieces_away"`
}

// tables writes the tables of CSV and Parquet.
type tables struct {
	e        *Export
	tracking *table[trackingRow]
	beliefs  *table[beliefRow]
	events   *table[eventRow]
	network  *table[networkRow]
	matches  *table[matchRow]
	notes    *table[noteRow]
	was      map[link]analysis.Link // newest report of each link
	failed   error                  // of network
}

func (e *Export) openTables() (*tables, error) {
	e.analyst = analysis.NewAnalyst(e.match.Field)
	t := &tables{e: e, was: map[link]analysis.Link{}}
	var err error
	if t.tracking, err = openTable[trackingRow](e, "tracking"); err != nil {
		return nil, err
	}
	if t.beliefs, err = openTable[beliefRow](e, "beliefs"); err != nil {
		return nil, err
	}
	if t.events, err = openTable[eventRow](e, "events"); err != nil {
		return nil, err
	}
	if t.network, err = openTable[networkRow](e, "network"); err != nil {
		return nil, err
	}
	if t.matches, err = openTable[matchRow](e, "matches"); err != nil {
		return nil, err
	}
	t.notes, err = openTable[noteRow](e, "notes")
	return t, err
}

// frame writes the objects of a frame, and if it is one of the log, what the robots believe.
func (t *tables) frame(f *frame) error {
	row := trackingRow{
		MatchID: t.e.options.ID, Frame: f.id, Period: f.period, Time: f.time, Clock: f.clock, Alive: f.alive, Object: "ball",
	}
	if f.known {
		ball := row
		ball.X, ball.Y, ball.Z = float32(f.ball.x), float32(f.ball.y), number(f.ball.z)
		ball.VX, ball.VY = f.ball.velocity()
		if err := t.tracking.put(ball); err != nil {
			return err
		}
	}
	for i := range f.robots {
		r, robot := &f.robots[i], row
		robot.Object, robot.Team, robot.Number = "robot", string(r.Side), int8(r.Number)
		robot.X, robot.Y, robot.Heading, robot.HasBall = float32(r.x), float32(r.y), number(r.heading), r.holds
		robot.VX, robot.VY = r.velocity()
		if r.off {
			robot.State = &off
		}
		if err := t.tracking.put(robot); err != nil {
			return err
		}
	}
	if t.e.options.Replay != nil {
		return nil // Export.rest does it
	}
	return t.believe(f)
}

// off is the state of a robot whose software does not run.
var off = "off"

func number(v float64) *float32 {
	f := float32(v)
	return &f
}

func (o *object) velocity() (vx, vy *float32) {
	if !o.moves {
		return nil, nil
	}
	return number(math.Round(o.vx*1000) / 1000), number(math.Round(o.vy*1000) / 1000)
}

// believe writes what the robots believe at a frame of the log.
func (t *tables) believe(f *frame) error {
	direction := f.source.State.Part.Attack(game.Home)
	for i := range f.source.Beliefs {
		b := &f.source.Beliefs[i]
		observer := int8(0)
		switch {
		case b.By.Number <= mostNumber:
			observer = int8(b.By.Number)
		case b.By.Number != analysis.Station:
			continue
		}
		row := beliefRow{
			MatchID: t.e.options.ID, Frame: f.id, Team: string(b.By.Side), Observer: observer,
		}
		if b.Ball != nil {
			ball := row
			ball.Object, ball.X, ball.Y = "ball", float32(b.Ball.X*direction+0), float32(b.Ball.Y*direction+0)
			if b.Cov != nil {
				ball.XX, ball.XY, ball.YY = number(b.Cov.XX), number(b.Cov.XY), number(b.Cov.YY)
			}
			if b.Age != nil {
				ball.Age = number(*b.Age)
			}
			if f.known && t.e.match.Origin == analysis.FromTruth {
				ball.Error = distance(float64(ball.X), float64(ball.Y), &f.ball)
			}
			if err := t.beliefs.put(ball); err != nil {
				return err
			}
		}
		if b.Self != nil {
			self := row
			self.Object, self.Number = "robot", &row.Observer
			self.X, self.Y = float32(b.Self.X*direction+0), float32(b.Self.Y*direction+0)
			for k := range f.robots {
				if r := &f.robots[k]; r.Player == b.By && t.e.match.Origin == analysis.FromTruth {
					self.Error = distance(float64(self.X), float64(self.Y), r)
				}
			}
			if err := t.beliefs.put(self); err != nil {
				return err
			}
		}
	}
	return nil
}

func distance(x, y float64, o *object) *float32 {
	return number(math.Round(1000*math.Hypot(x-o.x, y-o.y)) / 1000)
}

// finish writes the tables that follow from the whole log.
func (t *tables) finish() error {
	if t.failed != nil {
		return t.failed
	}
	if err := t.event(); err != nil {
		return err
	}
	if err := t.match(); err != nil {
		return err
	}
	if err := t.note(); err != nil {
		return err
	}
	all := []func() error{t.tracking.close, t.beliefs.close, t.events.close, t.network.close, t.matches.close, t.notes.close}
	for _, close := range all {
		if err := close(); err != nil {
			return err
		}
	}
	return nil
}

// event writes the events.
func (t *tables) event() error {
	for i := range t.e.report.Events {
		v := &t.e.report.Events[i]
		row := eventRow{
			MatchID: t.e.options.ID, Event: int32(i + 1), Period: t.e.walk.period(v.Part), Time: v.At.Sub(t.e.walk.begin).Seconds(),
			Type: identifier(string(v.Kind)), Subtype: identifier(v.Result), Team: string(v.By.Side), Number: int8(min(v.By.Number, mostNumber)),
			X: float32(v.From.X + 0), Y: float32(v.From.Y + 0), Chain: int32(v.Chain),
		}
		switch v.Kind {
		case analysis.Passed, analysis.Shot, analysis.Scored, analysis.Carded:
			row.Success = &v.Success
		}
		if v.Kind != analysis.SetPiece && v.Kind != analysis.Scored && v.Kind != analysis.Carded {
			row.EndX, row.EndY = number(v.End.X+0), number(v.End.Y+0)
		}
		if v.Kind == analysis.Passed && v.Success {
			receiver := int8(min(v.To.Number, mostNumber))
			row.Receiver = &receiver
		}
		if v.Kind == analysis.Shot {
			row.XG = number(v.XG)
		}
		if err := t.events.put(row); err != nil {
			return err
		}
	}
	return nil
}

// note writes the notes of persons.
func (t *tables) note() error {
	w := &t.e.walk
	for _, a := range t.e.log.Annotations() {
		row := noteRow{MatchID: t.e.options.ID, Note: int32(a.ID), Time: a.From.Sub(w.logged).Seconds(), Text: a.Text}
		for _, h := range w.halves {
			if at := w.begin.Add(a.From.Sub(w.logged)); at >= h.from && at <= h.to {
				row.Period = h.period
			}
		}
		if a.To > a.From {
			end := a.To.Sub(w.logged).Seconds()
			row.End = &end
		}
		if err := t.notes.put(row); err != nil {
			return err
		}
	}
	return nil
}

// identifier returns a text of an event in the way of names: "set piece" becomes set_piece.
func identifier(text string) string { return strings.ReplaceAll(strings.ToLower(text), " ", "_") }

// links writes what the nodes of a team measured, at a time of the log: the traffic since the report before.
func (t *tables) links(at soccer.Time, side game.Side, links []analysis.Link) {
	w := &t.e.walk
	for i := range links {
		l := &links[i]
		from, known := entity(l.From)
		to, also := entity(l.To)
		if !known || !also {
			continue
		}
		key := link{side, from, to}
		was := t.was[key]
		if t.was[key] = *l; l.Received < was.Received || l.Lost < was.Lost {
			was = analysis.Link{} // the node was started again
		}
		if w.begin == 0 || t.failed != nil {
			continue
		}
		row := networkRow{
			MatchID: t.e.options.ID, Time: at.Sub(w.logged).Seconds(), Team: string(side), From: from, To: to,
			Sent: int32(l.Received + l.Lost - was.Received - was.Lost), Lost: int32(l.Lost - was.Lost),
		}
		if l.Latency > 0 {
			row.Latency = number(l.Latency)
		}
		t.failed = t.network.put(row)
	}
}

// link is a link between two nodes of a team.
type link struct {
	team     game.Side
	from, to int8
}

// entity returns the number of a node: a robot's, or 0 for the base station.
func entity(name string) (number int8, ok bool) {
	kind, text, _ := strings.Cut(name, ":")
	if kind == "computer" {
		return 0, true
	}
	n, err := strconv.ParseInt(text, 10, 8)
	return int8(n), kind == "robot" && err == nil && n > 0
}

// match writes the table matches, with the figures of the log.
func (t *tables) match() error {
	e, m := t.e, &t.e.match
	v := &e.report.Figures
	home, away := &v.Home, &v.Away
	row := matchRow{
		MatchID: e.options.ID, Flags: m.Flags, Home: e.team(game.Home), Away: e.team(game.Away),
		GoalsHome: int16(home.Goals), GoalsAway: int16(away.Goals), Start: utc(e.walk.halves[0].from).Format(time.RFC3339Nano),
		Origin: string(m.Origin), Rate: int32(e.options.Rate), FieldLength: m.Field.Length, FieldWidth: m.Field.Width,
		Seconds: v.Elapsed, Played: v.Played, Loose: v.Loose, PossessionHome: home.Possession, PossessionAway: away.Possession,
		PassesHome: int32(home.Passes), PassesAway: int32(away.Passes),
		PassesLostHome: int32(home.PassesLost), PassesLostAway: int32(away.PassesLost),
		ShotsHome: int32(home.Shots), ShotsAway: int32(away.Shots),
		OnTargetHome: int32(home.OnTarget), OnTargetAway: int32(away.OnTarget),
		SavesHome: int32(home.Saves), SavesAway: int32(away.Saves), CrowdingHome: home.Crowding, CrowdingAway: away.Crowding,
		CoverageHome: home.Coverage, CoverageAway: away.Coverage, DistanceHome: home.Distance, DistanceAway: away.Distance,
		SetPiecesHome: int32(home.SetPieces.All()), SetPiecesAway: int32(away.SetPieces.All()),
	}
	if seed, err := strconv.ParseUint(m.Seed, 10, 64); err == nil {
		row.Seed = &seed
	}
	return t.matches.put(row)
}
