package match

import (
	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/soccer"
)

// View is the match at one time, in the field frame. Functions that fill a View reuse its slices.
type View struct {
	Time         soccer.Time
	Game         game.State
	Ball         soccer.Vec3        // m, its centre
	BallVelocity soccer.Vec3        // m/s
	Robots       []RobotView        // home 1.., away 1..
	Tally        analysis.TallyView // read-only, until the next Advance
	Broken       []autoref.Broken   // the newest rules that robots broke, oldest first; read-only, until the next Advance
	// Turned: home attacks -x, as it does in the second half. Pages draw the field turned by pi then.
	Turned bool
	InPlay bool // the set piece of the last START was taken
}

// RobotView is one robot of a View.
type RobotView struct {
	Side    game.Side
	Number  uint8        // jersey
	On      bool         // on the field; otherwise Pose and Twist are zero
	Running bool         // its software runs
	Pose    soccer.Pose  // true one
	Twist   soccer.Twist // true one, field frame
}

// View fills v with the match as it is now.
func (m *Match) View(v *View) {
	v.Time, v.Game, v.Turned = m.now, m.state().At(m.now), m.turned(game.Home)
	v.InPlay = v.Game.Running && m.referee.InPlay()
	v.Ball, v.BallVelocity = m.engine.Ball()
	v.Tally, v.Broken = m.tally.View(), m.referee.Broken()
	v.Robots = v.Robots[:0]
	for i := range m.players {
		p := &m.players[i]
		r := RobotView{Side: p.side, Number: p.number, Running: p.runs(m.now)}
		r.Pose, r.Twist, r.On = m.engine.Robot(p.id)
		v.Robots = append(v.Robots, r)
	}
}

// Referee returns the automatic referee, for its counts. The caller does not call Step.
func (m *Match) Referee() *autoref.Referee { return m.referee.Referee }

// World fills w with what a robot believed in its newest control period, in its team frame: later it has not read what
// arrived. Of a robot of an external team it is the belief that it told last. It reports false while its software does
// not run or has told none.
func (m *Match) World(side game.Side, number uint8, w *soccer.World) bool {
	p := m.player(side, number)
	return p != nil && m.believes(&p.unit, p.at, w)
}

// BrokenRules returns how often robots of a side broke a rule.
func (m *Match) BrokenRules(side game.Side) (n int) {
	for _, rule := range autoref.Rules() {
		n += m.referee.Count(side, rule)
	}
	return n
}
