package hslgame

import (
	"fmt"
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/wire/hsl"
)

// Times of the game. Those of a kick-off shrink with a half that is shorter than that of the rules.
const (
	longHalf   = 10 * time.Minute // of the rules (HSL GameController, config)
	readyTime  = 45 * time.Second // before a kick-off
	setTime    = 5 * time.Second
	breakTime  = 30 * time.Second // half-time, shorter than that of the rules
	stopTime   = 2 * time.Second  // from the whistle to the next state
	pieceTime  = 15 * time.Second // until a set play is taken; the rules give 45 s
	benchTime  = 30 * time.Second // of a penalty
	endTime    = 5 * time.Second  // after the game
	eventEvery = 25 * time.Second // mean time between two events of play
)

// stage is what the schedule waits for.
type stage uint8

const (
	beforeHalf stage = iota
	getReady
	getSet
	play
	stoppedForGoal
	stoppedForPiece
	afterHalf
	done
)

// match is the schedule of a game. Its events come from the seed.
type match struct {
	cfg     *Config
	rng     *rand.Rand
	state   hsl.Control // home first
	late    hsl.Control // what robots get while they wait for the whistle
	lateFor time.Duration
	illegal [2]bool // teams that broke the rules of team messages score no more

	stage    stage
	left     time.Duration // until the stage ends; in play until the next event
	clock    time.Duration // left in the half
	piece    time.Duration // left of a set play
	bench    [2][hsl.MaxPlayers]time.Duration
	events   int // of the game so far
	over     bool
	scorer   int // in stoppedForGoal
	kickOffs int
}

// newMatch returns a game before its first half. Home kicks off.
func newMatch(cfg *Config, rng *rand.Rand) match {
	m := match{cfg: cfg, rng: rng, stage: beforeHalf, left: m5(cfg), clock: cfg.Half}
	m.state = hsl.Control{
		PlayersPerTeam: uint8(cfg.Players), Competition: cfg.Division, FirstHalf: true, KickingTeam: cfg.Teams[0],
	}
	for i := range m.state.Teams {
		t := &m.state.Teams[i]
		*t = hsl.Team{Number: cfg.Teams[i], FieldColor: hsl.Color(i), GoalkeeperColor: hsl.Color(2 + i), Goalkeeper: 1,
			MessageBudget: cfg.Budget}
		for k := cfg.Players; k < hsl.MaxPlayers; k++ {
			t.Players[k].Penalty = hsl.Substitute
		}
	}
	m.write()
	return m
}

// m5 is the time before a half.
func m5(cfg *Config) time.Duration { return scaled(cfg, 5*time.Second) }

// scaled shortens a time of the rules in a short half.
func scaled(cfg *Config, d time.Duration) time.Duration {
	return time.Duration(float64(d) * min(1, cfg.Half.Seconds()/longHalf.Seconds()*2))
}

// advance advances the game by game time.
func (m *match) advance(d time.Duration) {
	const most = 100 * time.Millisecond // events keep their order at every speed
	for d > 0 && !m.over {
		step := min(d, most)
		d -= step
		m.tick(step)
	}
	m.write()
}

func (m *match) tick(d time.Duration) {
	m.left -= d
	m.lateFor = max(0, m.lateFor-d)
	if m.state.State == hsl.Playing {
		m.clock -= d
	}
	if m.piece > 0 && m.stage == play {
		if m.piece -= d; m.piece <= 0 {
			m.state.SetPlay, m.state.KickingTeam, m.piece = hsl.NoSetPlay, hsl.NoTeam, 0
		}
	}
	m.serve(d)
	if m.state.State == hsl.Playing && m.clock <= 0 && m.stage == play {
		m.endHalf()
		return
	}
	if m.left <= 0 {
		m.next()
	}
}

// next begins what follows the stage.
func (m *match) next() {
	s := &m.state
	switch m.stage {
	case beforeHalf, stoppedForGoal:
		if m.stage == stoppedForGoal {
			s.KickingTeam = m.cfg.Teams[1-m.scorer]
		}
		s.State, s.SetPlay, s.Stopped = hsl.Ready, hsl.NoSetPlay, false
		m.stage, m.left = getReady, scaled(m.cfg, readyTime)
		m.kickOffs++
	case getReady:
		s.State = hsl.Set
		m.stage, m.left = getSet, scaled(m.cfg, setTime)
	case getSet:
		if !m.cfg.NoDelay {
			m.write()
			m.late, m.lateFor = *s, delay
		}
		s.State = hsl.Playing
		m.stage, m.piece, m.left = play, scaled(m.cfg, 10*time.Second), m.pause()
	case stoppedForPiece:
		s.Stopped = false
		m.stage, m.piece, m.left = play, scaled(m.cfg, pieceTime), m.pause()
	case play:
		m.event()
	case afterHalf:
		s.FirstHalf, s.State, s.KickingTeam = false, hsl.Initial, m.cfg.Teams[1]
		m.stage, m.left, m.clock = beforeHalf, m5(m.cfg), m.cfg.Half
	case done:
		m.over = true
	}
}

// pause returns the time until the next event.
func (m *match) pause() time.Duration {
	mean := min(eventEvery, m.cfg.Half/4)
	return mean/2 + time.Duration(exact.Uniform(m.rng)*float64(mean))
}

// event lets something happen in play: a goal, a set play or a penalty.
func (m *match) event() {
	s, side := &m.state, m.rng.IntN(2)
	m.events++
	m.lateFor = 0
	switch what := m.rng.IntN(10); {
	case what < 2:
		m.scorer = side
		if t := &s.Teams[side]; !m.illegal[side] && t.Score < 99 {
			t.Score++
		}
		s.Stopped = true
		m.stage, m.left = stoppedForGoal, stopTime
	case what < 6:
		pieces := [...]hsl.SetPlay{
			hsl.ThrowIn, hsl.GoalKick, hsl.CornerKick, hsl.DirectFreeKick, hsl.IndirectFreeKick, hsl.ThrowIn,
		}
		s.SetPlay, s.KickingTeam, s.Stopped = pieces[m.rng.IntN(len(pieces))], m.cfg.Teams[side], true
		m.stage, m.left = stoppedForPiece, stopTime
	default:
		m.penalise(side)
		m.left = m.pause()
	}
}

// penalise sends a player off the field for a time.
func (m *match) penalise(side int) {
	p := &m.state.Teams[side].Players[m.rng.IntN(m.cfg.Players)]
	if p.Penalty != hsl.NoPenalty {
		return
	}
	kinds := [...]hsl.Penalty{
		hsl.IllegalPositioning, hsl.LocalGameStuck, hsl.IncapableRobot, hsl.PickedUp, hsl.BallHolding, hsl.LeavingTheField,
		hsl.Pushing,
	}
	p.Penalty = kinds[m.rng.IntN(len(kinds))]
	if p.Penalty == hsl.Pushing && p.Warnings < 9 {
		p.Warnings++
	}
	for k := range m.state.Teams[side].Players {
		if &m.state.Teams[side].Players[k] == p {
			m.bench[side][k] = benchTime
		}
	}
}

// serve counts the time of penalised players, in play and before kick-offs.
func (m *match) serve(d time.Duration) {
	if m.state.State != hsl.Playing && m.state.State != hsl.Ready {
		return
	}
	for i := range m.bench {
		for k := range m.bench[i] {
			if left := &m.bench[i][k]; *left > 0 {
				if *left -= d; *left <= 0 {
					*left, m.state.Teams[i].Players[k].Penalty = 0, hsl.NoPenalty
				}
			}
		}
	}
}

// endHalf ends a half. After it all penalties are over.
func (m *match) endHalf() {
	s := &m.state
	s.State, s.SetPlay, s.KickingTeam, s.Stopped = hsl.Finished, hsl.NoSetPlay, hsl.NoTeam, false
	m.piece, m.lateFor = 0, 0
	for i := range m.bench {
		for k := range m.bench[i] {
			if m.bench[i][k] > 0 {
				m.bench[i][k], s.Teams[i].Players[k].Penalty = 0, hsl.NoPenalty
			}
		}
	}
	if s.FirstHalf {
		m.stage, m.left = afterHalf, scaled(m.cfg, breakTime)
	} else {
		m.stage, m.left = done, endTime
	}
}

// write writes the clocks into the state.
func (m *match) write() {
	s := &m.state
	s.SecondsRemaining = seconds(m.clock)
	s.SecondaryTime = 0
	switch m.stage {
	case beforeHalf, getReady, afterHalf:
		s.SecondaryTime = seconds(m.left)
	case play:
		s.SecondaryTime = seconds(m.piece)
	}
	for i := range m.bench {
		for k := range m.bench[i] {
			s.Teams[i].Players[k].SecondsLeft = uint8(min(255, seconds(m.bench[i][k])))
		}
	}
}

// seconds rounds up, as the real program does.
func seconds(d time.Duration) int16 {
	return int16(min(max((d+time.Second-1)/time.Second, 0), 1<<15-1))
}

// shown returns the state that robots get: for ten seconds after play has started, the one before.
func (m *match) shown() *hsl.Control {
	if m.lateFor <= 0 {
		return &m.state
	}
	for i := range m.late.Teams { // only the state is late
		m.late.Teams[i] = m.state.Teams[i]
	}
	return &m.late
}

// counts reports whether team messages count.
func (m *match) counts() bool {
	s := m.state.State
	return s == hsl.Ready || s == hsl.Set || s == hsl.Playing
}

// saves reports whether the synthetic robots of a side send no team messages now: they spend the budget evenly over the
// game.
func (m *match) saves(side int) bool {
	rest := m.clock
	if m.state.FirstHalf {
		rest += m.cfg.Half
	}
	share := float64(max(rest, 0)) / float64(2*m.cfg.Half)
	return m.counts() && float64(m.state.Teams[side].MessageBudget) <= share*float64(m.cfg.Budget)
}

// text says how the game stands.
func (m *match) text() string {
	half := "first half"
	if !m.state.FirstHalf {
		half = "second half"
	}
	text := fmt.Sprintf("%s, %v", half, m.state.State)
	if m.state.SetPlay != hsl.NoSetPlay {
		text += ", " + m.state.SetPlay.String()
	}
	return fmt.Sprintf("%s, %d:%02d left", text, m.state.SecondsRemaining/60, m.state.SecondsRemaining%60)
}
