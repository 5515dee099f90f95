package hslgame

import (
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/wire/hsl"
)

// Timeouts, extra time and penalty shots (HSL GameController, config).
const (
	teamTimeout    = 5 * time.Minute
	refereeTimeout = 10 * time.Minute
	timeoutsOfTeam = 1
	extraMessages  = 6000 // more of each team in extra time
	shotTime       = time.Minute
)

// Choices of the operator, by the seed.
const (
	teamCalls    = 6  // at one of so many goals a team takes a timeout
	refereeCalls = 60 // instead of one of so many events the referee takes one
	pickTime     = 2 * time.Second
	shotPause    = 5 * time.Second
	soonestShot  = 15 * time.Second // later than robots learn of play
	latestShot   = 70 * time.Second // beyond shotTime: time runs out
)

// beginInTimeout begins the game in a timeout. Each team has a robot that is penalised.
func (m *match) beginInTimeout() {
	m.clock /= 2
	m.rewind, m.state.KickingTeam = m.clock, hsl.NoTeam
	m.penalise(0)
	m.penalise(1)
	if m.stage = play; m.cfg.Begin == TeamTimeout {
		m.stage = getReady
		m.timeout(0)
	} else {
		m.timeout(nobody)
	}
}

// wantsTimeout returns the side that takes a timeout after a goal, or nobody.
func (m *match) wantsTimeout() int {
	side := m.breaks.IntN(2)
	if m.breaks.IntN(teamCalls) != 0 || m.timeouts[side] == 0 {
		return nobody
	}
	return side
}

// timeout begins a timeout of a side, or of the referee. After that of a team its opponents kick off. After that of the
// referee a kick-off that was on comes again, and else there is a dropped ball.
func (m *match) timeout(side int) {
	s := &m.state
	m.second = refereeTimeout
	switch {
	case side != nobody:
		s.KickingTeam, m.second = m.cfg.Teams[1-side], teamTimeout
		m.timeouts[side]--
	case s.SetPlay != hsl.NoSetPlay:
		s.KickingTeam = hsl.NoTeam
	}
	if m.stage != play {
		m.clock = m.rewind
	}
	s.Phase, s.State, s.SetPlay = hsl.Timeout, hsl.Initial, hsl.NoSetPlay
	m.stage, m.left, m.of, m.calls = inTimeout, min(m.cfg.Break, m.second), side, nobody
	m.piece, m.lateFor = 0, 0
	m.endTerms()
}

// startExtraTime begins extra time, which gives the teams more messages.
func (m *match) startExtraTime() {
	m.phase = hsl.ExtraTime
	for i := range m.state.Teams {
		if t := &m.state.Teams[i]; !m.illegal[i] {
			t.MessageBudget += min(extraMessages, math.MaxUint16-t.MessageBudget)
		}
	}
	m.beginHalf(true)
}

// startShootOut begins the penalty shoot-out. All players are substitutes until those of a shot are picked. Home shoots
// first, at the goal on the operator's right.
func (m *match) startShootOut() {
	m.release()
	s := &m.state
	m.phase, m.swapped, m.clock = hsl.PenaltyShootOut, false, 0
	s.Phase, s.State, s.FirstHalf, s.KickingTeam = m.phase, hsl.Initial, false, m.cfg.Teams[0]
	m.stage, m.left = beforeShots, m5(m.cfg)
	m.substitute()
}

// substitute makes all players substitutes.
func (m *match) substitute() {
	for i := range m.state.Teams {
		t := &m.state.Teams[i]
		t.Goalkeeper = 0
		for k := range t.Players {
			t.Players[k].Penalty = hsl.Substitute
		}
	}
}

// shooter is the side that shoots, or that had the last shot.
func (m *match) shooter() int {
	if m.state.KickingTeam == m.cfg.Teams[0] {
		return 0
	}
	return 1
}

// nextOfShot begins what follows a stage of the shoot-out.
func (m *match) nextOfShot() {
	s := &m.state
	switch m.stage {
	case afterShot: // the same goal serves all shots, so the teams change ends
		s.KickingTeam, m.swapped = m.cfg.Teams[1-m.shooter()], !m.swapped
		m.substitute()
		fallthrough
	case beforeShots:
		s.State = hsl.Set
		s.Teams[m.shooter()].PenaltyShot++
		m.stage, m.left, m.clock = pickPlayers, pickTime, shotTime
	case pickPlayers:
		m.pick()
		m.stage, m.left = getShot, setTime
	case getShot:
		m.start(true)
		m.stage = shoot
		m.left = soonestShot + time.Duration(exact.Uniform(m.breaks)*float64(latestShot-soonestShot))
		m.left = min(m.left, shotTime)
	case shoot:
		if m.scorer = m.shooter(); m.clock > stopTime && m.breaks.IntN(2) == 0 {
			m.stage, m.left = ballInGoal, stopTime
			return
		}
		m.rest()
	}
}

// pick lets one player of each team take part in the shot: the goalkeeper, and one that shoots.
func (m *match) pick() {
	side := m.shooter()
	shooting, keeping := &m.state.Teams[side], &m.state.Teams[1-side]
	k := 0
	if others := m.cfg.Players - 1; others > 0 {
		k = 1 + (int(shooting.PenaltyShot)-1)%others
	}
	shooting.Players[k].Penalty, keeping.Players[0].Penalty, keeping.Goalkeeper = hsl.NoPenalty, hsl.NoPenalty, 1
	m.kickOffs++
}

// endShot ends a penalty shot with the goal that was counted.
func (m *match) endShot() {
	t := &m.state.Teams[m.scorer]
	t.SingleShots |= 1 << (t.PenaltyShot - 1)
	m.rest()
}

// rest begins the time after a penalty shot, or after the last one.
func (m *match) rest() {
	m.state.State, m.lateFor = hsl.Finished, 0
	if m.stage, m.left = afterShot, shotPause; !m.shotsGoOn() {
		m.stage, m.left = done, endTime
	}
}

// shotsGoOn reports whether another shot follows: while both teams can win with the shots that each has left, and in
// sudden death until one leads after as many shots of both.
func (m *match) shotsGoOn() bool {
	side := m.shooter()
	last, next := &m.state.Teams[side], &m.state.Teams[1-side]
	lead, taken := int(last.Score)-int(next.Score), int(next.PenaltyShot)
	switch {
	case taken < hsl.RegularShots:
		return lead <= hsl.RegularShots-taken && -lead <= hsl.RegularShots-int(last.PenaltyShot)
	case taken < hsl.RegularShots+hsl.SuddenShots:
		return side == 0 || lead == 0
	}
	return false
}
