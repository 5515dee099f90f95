package match

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/robot/hfsm"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/team"
)

const parts = 240 // of the possession strip

// Show is a match with what pages and recordings show of it: the topics match, wall, teamcom, booking and behaviour. It
// listens to the datagrams of the match and asks the match for the truth. It is not safe for concurrent use.
type Show struct {
	*Match
	// Reports returns what the nodes of a team measured. Default those of the match
	Reports    func(game.Side) []teamcom.Report
	inspectors [2]*watch.Inspector
	overviews  [2]*teamcom.Overview

	view  View         // scratch
	world soccer.World // scratch
}

// NewShow returns a match with its topics. Its robots send debug records. tap receives what happens.
func NewShow(cfg MatchConfig, tap Tap) (*Show, error) {
	s := new(Show)
	for i := range game.Sides {
		s.inspectors[i] = watch.NewInspector(soccer.Epoch, cfg.machines()...)
		s.overviews[i] = teamcom.NewOverview(soccer.Epoch)
	}
	cfg.Debug = true
	outer := tap
	tap.Packet = func(side game.Side, p *soccer.Packet) {
		s.Receive(side, p)
		if outer.Packet != nil {
			outer.Packet(side, p)
		}
	}
	var err error
	if s.Match, err = NewMatch(cfg, tap); err != nil {
		return nil, err
	}
	s.Reports = s.Match.reports
	return s, nil
}

// machines returns the state machines of the teams that do not play by the default one.
func (c *MatchConfig) machines() (all []*hfsm.Machine) {
	for _, side := range game.Sides {
		if m := c.Team(side).Machine; m != nil {
			all = append(all, m)
		}
	}
	return all
}

// Receive inspects a datagram of a team that the match itself did not send; its time is one of the match.
func (s *Show) Receive(side game.Side, p *soccer.Packet) { s.inspectors[side.Index()].Receive(p) }

// SideOf returns the team of a topic: home, and away for one whose name ends in ".away".
func SideOf(topic string) game.Side {
	if strings.HasSuffix(topic, ".away") {
		return game.Away
	}
	return game.Home
}

// State returns the topic "match". The caller fills in Controls, Paused, Speed and Loops.
func (s *Show) State() *ShowView {
	m, v := s.Match, &s.view
	m.View(v)
	cfg := m.Config()
	home, away := cfg.Titles()
	out := &ShowView{
		Time: seconds(v.Time), Start: seconds(m.began), Seed: strconv.FormatUint(cfg.Seed, 10), Speed: 1, Loss: cfg.Link.Loss,
		Delay: cfg.Link.Delay.Seconds() * 1e3, Field: cfg.Field, Part: string(v.Game.Part), Clock: v.Game.Total.Seconds(),
		Running: v.Game.Running, Phase: phase(v, home, away), Over: m.Over(),
		Ball: thing(v.Ball, v.BallVelocity, v.Turned), Robots: make([]Robot, 0, len(v.Robots)),
	}
	for i, side := range game.Sides {
		t := ShowTeam{Name: home, Color: side.Color(), Group: uint8(i + 1), Apart: jerseys(s.Apart(side))}
		if side == game.Away {
			t.Name = away
		}
		t.Ball = s.teamBall(side)
		*[2]*ShowTeam{&out.Home, &out.Away}[i] = t
	}
	for i := range v.Robots {
		out.Robots = append(out.Robots, s.robot(&v.Robots[i], v))
	}
	out.Count(&v.Tally, cfg.Half)
	return out
}

// Count sets the figures of a match with halves of some length: those of a match that runs, or of the report of its record.
func (v *ShowView) Count(t *analysis.TallyView, half time.Duration) {
	v.Home.Tally, v.Away.Tally = t.Home, t.Away
	v.Goals, v.Passes, v.Shots = []Goal{}, []Pass{}, []Shot{}
	for _, g := range t.Goals {
		v.Goals = append(v.Goals, Goal{g.At, g.Side == game.Home})
	}
	for _, p := range t.Arrived {
		v.Passes = append(v.Passes, Pass{p.At, p.Side == game.Home, centimetres(p.From), centimetres(p.To)})
	}
	for _, s := range t.Tried {
		v.Shots = append(v.Shots, Shot{s.At, s.By.Side == game.Home, s.By.Number, centimetres(s.From), s.Result})
	}
	v.Heat = heat(t)
	played := v.Time - v.Start
	v.Length = max(2*half.Seconds(), played)
	v.Possession = possession(t.Spans, played, v.Length)
}

func jerseys(set soccer.RobotSet) watch.Jerseys {
	all := watch.Jerseys{}
	for n := range uint8(MostRobots + 1) {
		if set.Has(n) {
			all = append(all, n)
		}
	}
	return all
}

// teamBall returns the ball as the robot of a team believes that is surest of it.
func (s *Show) teamBall(side game.Side) *watch.Thing {
	var best *watch.Thing
	for i := range s.view.Robots {
		r := &s.view.Robots[i]
		if r.Side != side || !r.Running || !s.Match.World(side, r.Number, &s.world) {
			continue
		}
		ball := watch.BeliefOf(&s.world, side.Color(), r.Number, 0).Ball
		if ball != nil && (best == nil || ball.Cov.XX+ball.Cov.YY < best.Cov.XX+best.Cov.YY) {
			best = ball
		}
	}
	return best
}

// robot converts a robot to the frame of the page, with what its messages tell.
func (s *Show) robot(r *RobotView, v *View) Robot {
	i := r.Side.Index()
	out := Robot{Color: r.Side.Color(), Number: r.Number, On: r.On, Running: r.Running, Pose: r.Pose}
	if v.Turned {
		out.Pose = r.Pose.Turned()
	}
	d, ok := s.inspectors[i].Doing(uint8(i+1), r.Number, v.Time)
	if !ok || !r.Running {
		return out
	}
	out.State, out.Booker = d.State, d.Booked
	if st := d.Status; st != nil {
		out.Ball, out.Penalised = st.BallEngaged, st.Mode == team.Penalised
		if st.HasTarget {
			out.Target = &soccer.Vec{X: float64(st.TargetX), Y: float64(st.TargetY)}
			if r.Side == game.Away { // from its team frame
				out.Target.X, out.Target.Y = -out.Target.X, -out.Target.Y
			}
		}
	}
	return out
}

// pieces are the set pieces in words.
var pieces = map[game.Command]string{
	game.KickOff: "kick-off", game.FreeKick: "free kick", game.GoalKick: "goal kick", game.ThrowIn: "throw-in",
	game.Corner: "corner", game.PenaltyKick: "penalty", game.DropBall: "dropped ball",
}

// phase tells what goes on in words.
func phase(v *View, home, away string) string {
	g := &v.Game
	name := func(side game.Side) string {
		if side == game.Away {
			return away
		}
		return home
	}
	piece := func(p game.SetPiece) string {
		if p.Side == game.Both {
			return pieces[p.Command]
		}
		return pieces[p.Command] + " " + name(p.Side)
	}
	switch {
	case g.Part == game.End:
		return "full time"
	case g.Running && g.Taking.Command != "" && !v.InPlay:
		return piece(g.Taking)
	case g.Running:
		return "in play"
	case g.SetPiece.Command != "":
		return piece(g.SetPiece)
	case g.Goal != game.Both:
		return "goal for " + name(g.Goal)
	case g.Part.IsInterval():
		return "interval"
	}
	return "stop"
}

// possession returns who had the ball in each part of the match until now.
func possession(spans []analysis.Span, now, length float64) string {
	long := length / parts
	var had [parts][3]float64
	for _, sp := range spans {
		who := map[game.Side]int{game.Home: 1, game.Away: 2}[sp.Side]
		for k := int(max(sp.From, 0) / long); k < parts && float64(k)*long < sp.To; k++ {
			begin := float64(float64(k) * long)
			had[k][who] += min(sp.To, begin+long) - max(sp.From, begin)
		}
	}
	var b strings.Builder
	for k := 0; k < parts && float64(k)*long < now; k++ {
		_, home, away := had[k][0], had[k][1], had[k][2]
		switch {
		case home == 0 && away == 0:
			b.WriteByte('-')
		case home >= away:
			b.WriteByte('h')
		default:
			b.WriteByte('a')
		}
	}
	return b.String()
}

// centimetres rounds a point: nobody sees more of it.
func centimetres(v soccer.Vec) soccer.Vec {
	return soccer.Vec{X: math.Round(v.X*100) / 100, Y: math.Round(v.Y*100) / 100}
}

// heat returns where each team had the ball.
func heat(v *analysis.TallyView) Heat {
	longest := float32(0)
	for _, all := range v.Heat {
		for _, s := range all {
			longest = max(longest, s)
		}
	}
	text := func(all []float32) string {
		digits := make([]byte, len(all))
		for i, s := range all {
			digits[i] = '0'
			if s > 0 { // the square root shows short times, too
				digits[i] = '1' + byte(8*math.Sqrt(float64(s/longest)))
			}
		}
		return string(digits)
	}
	return Heat{Columns: v.Columns, Rows: v.Rows, Home: text(v.Heat[0]), Away: text(v.Heat[1])}
}

// Nodes returns the topic "teamcom" of a team.
func (s *Show) Nodes(side game.Side) teamcom.View {
	return s.overviews[side.Index()].View(s.Match.Now(), s.Reports(side))
}

// Booking returns the topic "booking" of a team.
func (s *Show) Booking(side game.Side) watch.BookingView {
	return s.inspectors[side.Index()].Booking(s.Match.Now())
}

// Behaviour returns the topic "behaviour" of both teams.
func (s *Show) Behaviour() watch.BehaviourView {
	v := s.inspectors[0].Behaviour(s.Match.Now())
	away := s.inspectors[1].Behaviour(s.Match.Now())
	v.Robots = append(v.Robots, away.Robots...)
	for _, m := range away.Machines {
		if !slices.ContainsFunc(v.Machines, func(o watch.BehaviourMachine) bool { return o.Checksum == m.Checksum }) {
			v.Machines = append(v.Machines, m)
		}
	}
	return v
}

// ShowView is the topic "match". Its JSON is stable. Positions are in m in the frame of the page, in which the first-named
// team always attacks +x. Time and Start are in s since the match began, other times in s since its game began.
type ShowView struct {
	Time     float64      `json:"time"`
	Start    float64      `json:"start"` // when the game began: 0 for the first one
	Seed     string       `json:"seed"`
	Controls bool         `json:"controls"` // the page may send commands
	Paused   bool         `json:"paused"`
	Speed    float64      `json:"speed"` // of the match's time; 1 is real time, 0 as fast as possible
	Loops    *Loops       `json:"loops"` // of a match in real time, which cannot be held; nil: it is in virtual time
	Loss     float64      `json:"loss"`  // share of the datagrams to each receiver, 0..1
	Delay    float64      `json:"delay"` // ms
	Field    soccer.Field `json:"field"`
	Part     string       `json:"part"`    // "first half"
	Clock    float64      `json:"clock"`   // s since the part began
	Running  bool         `json:"running"` // the ball is in play
	Phase    string       `json:"phase"`   // what goes on: "in play", "corner touchline", "goal for touchline"
	Over     bool         `json:"over"`
	Ball     watch.Thing  `json:"ball"`
	Home     ShowTeam     `json:"home"`
	Away     ShowTeam     `json:"away"`
	Robots   []Robot      `json:"robots"` // home 1.., away 1..
	// Possession is who had the ball in each of equal parts of the time from 0 to Length: h, a, or - for neither.
	Possession string  `json:"possession"`
	Length     float64 `json:"length"` // s
	Goals      []Goal  `json:"goals"`
	Passes     []Pass  `json:"passes"` // the newest that arrived, at most 4
	Shots      []Shot  `json:"shots"`  // the newest, at most 100
	Heat       Heat    `json:"heat"`
}

// Loops are how well the robots of a match in real time keep their control periods, and what the match costs.
type Loops struct {
	Robots int     `json:"robots"` // that were measured; those of other programs are not
	P99    float64 `json:"p99"`    // ms by which 99 of 100 periods deviate at most, of the robot with the greatest value
	CPU    float64 `json:"cpu"`    // share of one core that the program used, with its robots in other processes
}

// ShowTeam is one team.
type ShowTeam struct {
	Name  string             `json:"name"`
	Color soccer.Color       `json:"color"`
	Group uint8              `json:"group"` // number of the team in its datagrams
	Apart watch.Jerseys      `json:"apart"` // robots that are cut off from the others
	Ball  *watch.Thing       `json:"ball"`  // as the robot of the team believes that knows it best; nil: none knows it
	Tally analysis.TallyTeam `json:"tally"`
}

// Robot is one robot.
type Robot struct {
	Color     soccer.Color `json:"color"`
	Number    uint8        `json:"number"`
	On        bool         `json:"on"`      // on the field
	Running   bool         `json:"running"` // its software runs
	Penalised bool         `json:"penalised"`
	Pose      soccer.Pose  `json:"pose"`
	Target    *soccer.Vec  `json:"target"` // where it wants to go; nil: nowhere
	State     string       `json:"state"`  // innermost active state; "" if its records do not tell
	Booker    bool         `json:"booker"` // it believes that itself has booked the ball
	Ball      bool         `json:"ball"`   // it has the ball
}

// Pass is a kick that a teammate got.
type Pass struct {
	At   float64    `json:"at"` // s since the game began, when it arrived
	Home bool       `json:"home"`
	From soccer.Vec `json:"from"`
	To   soccer.Vec `json:"to"`
}

// Shot is a kick at the opponents' goal.
type Shot struct {
	At     float64    `json:"at"` // s since the game began
	Home   bool       `json:"home"`
	Number uint8      `json:"number"`
	From   soccer.Vec `json:"from"`
	Result string     `json:"result"` // wide, on target, saved or goal
}

// Heat is where each team had the ball in play: for each square of 1 m a digit, 9 for the longest time; column by column
// from the goal line of home, each from y = -half the width.
type Heat struct {
	Columns int    `json:"columns"`
	Rows    int    `json:"rows"`
	Home    string `json:"home"`
	Away    string `json:"away"`
}

// Goal is one goal.
type Goal struct {
	At   float64 `json:"at"`
	Home bool    `json:"home"` // whose goal it is
}
