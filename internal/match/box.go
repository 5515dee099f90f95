package match

import (
	"touchline/game"
	"touchline/wire/team"
)

// Box is a referee box outside a match, in place of the match's own and of its base stations.
type Box interface {
	// State returns the state of the game now; its times are those of the match. It is not ready while a decision of the
	// automatic referee is on its way, and while the box is away: then the referee waits.
	State() (state game.State, ready bool)
	// Decide passes a decision of the automatic referee on. It does not wait for the box.
	Decide(d game.Decision)
}

// Obey hands the game to a referee box outside, for a match in real time whose teams are all external: the automatic
// referee sees the field and decides there. It is called once, before Advance.
func (m *Match) Obey(box Box) { m.box = box }

// Hear notes what the base station of an external team told one of its robots.
func (m *Match) Hear(side game.Side, number uint8, message *team.Referee) {
	if p := m.player(side, number); p != nil {
		p.hearReferee(m.now, message)
	}
}

// state returns the state of the game.
func (m *Match) state() game.State {
	if m.box == nil {
		return m.game.State()
	}
	return m.referee.state
}

// lookAtGame brings the game up to now. It returns false while nothing may be decided.
func (m *Match) lookAtGame() (ready bool) {
	if m.box == nil {
		m.announce(m.game.Tick(m.now))
		return !m.referee.silent
	}
	state, ready := m.box.State()
	if ready {
		m.referee.state, m.over = state, state.Part == game.End
	}
	return ready
}
