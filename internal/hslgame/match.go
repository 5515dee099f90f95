package hslgame

import (
	"fmt"
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/wire/hsl"
)

// Times of the game (HSL GameController, config). Those of a kick-off shrink with a half that is shorter than that of the
// rules.
const (
	longHalf  = 10 * time.Minute // of the rules
	readyTime = 45 * time.Second // before a kick-off
	kickTime  = 10 * time.Second // after which a kick-off is over
	pieceTime = 45 * time.Second // for a set play
	benchTime = 30 * time.Second // of a penalty
	benchMore = 15 * time.Second // for each earlier penalty of the team that counts
)

// Times that the operator of a real game takes.
const (
	setTime    = 5 * time.Second
	stopTime   = 2 * time.Second  // from the whistle to the next state
	takenAfter = 15 * time.Second // a set play is taken, and its time ends early
	carryTime  = 5 * time.Second  // until a penalised robot stands at the line, and its time begins
	backTime   = 2 * time.Second  // after its time, until it may play
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
	ballInGoal // the operator has not counted it yet
	stoppedForPiece
	afterHalf
	inTimeout
	beforeShots
	pickPlayers // for a penalty shot
	getShot
	shoot
	afterShot
	done
)

// match is the schedule of a game. Its events come from the seed.
type match struct {
	cfg     *Config
	rng     *rand.Rand
	state   hsl.Control // home first
	late    hsl.Control // what robots get while they wait for the whistle
	lateFor time.Duration
	frozen  bool    // the late clock stands: the half or the penalty shot has not begun
	illegal [2]bool // teams that broke the rules of team messages score no more

	breaks   *rand.Rand // of timeouts and penalty shots, so that they change nothing else in a game
	phase    hsl.Phase  // that of the game, also in a timeout
	swapped  bool       // away defends the left goal of the operator
	timeouts [2]int     // that the teams may still take
	calls    int        // side that takes a timeout in ready; nobody for none
	of       int        // side whose timeout it is; nobody for the referee

	stage    stage
	left     time.Duration                    // until the stage ends; in play until the next event
	clock    time.Duration                    // left in the half
	rewind   time.Duration                    // the clock when play last ended, to which a timeout brings it back
	second   time.Duration                    // left of ready time, or of a timeout
	piece    time.Duration                    // left of a set play
	taken    time.Duration                    // of it, when it is taken
	bench    [2][hsl.MaxPlayers]time.Duration // until the player may play
	terms    [2][hsl.MaxPlayers]time.Duration // of the penalties
	served   [2]int                           // penalties of the teams that make later ones longer
	events   int                              // of the game so far
	over     bool
	scorer   int // in ballInGoal
	kickOffs int
}

// nobody is no side.
const nobody = -1

// newMatch returns a game before its first half, in which home kicks off, or where else it begins.
func newMatch(cfg *Config, rng *rand.Rand) match {
	m := match{cfg: cfg, rng: rng, stage: beforeHalf, left: m5(cfg), clock: cfg.Half, calls: nobody, of: nobody}
	m.breaks, m.timeouts = rand.New(rand.NewPCG(cfg.Seed, 3)), [2]int{timeoutsOfTeam, timeoutsOfTeam}
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
	switch cfg.Begin {
	case TeamTimeout, RefereeTimeout:
		m.beginInTimeout()
	case ExtraTime:
		m.startExtraTime()
	case ShootOut:
		m.startShootOut()
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
	m.second -= d
	m.lateFor = max(0, m.lateFor-d)
	if m.running() {
		m.clock -= d
	}
	if m.piece > 0 && m.state.State == hsl.Playing && !m.state.Stopped {
		if m.piece -= d; m.piece <= m.taken {
			m.state.SetPlay, m.state.KickingTeam, m.piece = hsl.NoSetPlay, hsl.NoTeam, 0
		}
	}
	m.serve(d)
	if m.clock <= 0 && (m.stage == play || m.stage == getReady || m.stage == getSet) {
		m.endHalf()
		return
	}
	if m.left <= 0 {
		m.next()
	}
}

// running reports whether the clock runs: in play, and before the kick-offs of a half but the first.
func (m *match) running() bool {
	s := m.state.State
	before := (s == hsl.Ready || s == hsl.Set) && m.phase != hsl.PenaltyShootOut && m.clock != m.half()
	return !m.state.Stopped && (s == hsl.Playing || before)
}

// half is the length of a half.
func (m *match) half() time.Duration {
	if m.phase == hsl.ExtraTime {
		return m.cfg.Half / 2
	}
	return m.cfg.Half
}

// next begins what follows the stage.
func (m *match) next() {
	s := &m.state
	switch m.stage {
	case beforeHalf:
		m.getReady()
	case inTimeout:
		s.Phase, m.of = m.phase, nobody
		m.getReady()
	case ballInGoal:
		m.score()
		if m.phase == hsl.PenaltyShootOut {
			m.endShot()
			return
		}
		s.KickingTeam = m.cfg.Teams[1-m.scorer]
		m.getReady()
		if m.calls = m.wantsTimeout(); m.calls != nobody {
			m.left = min(m.left, stopTime)
		}
	case getReady:
		if m.calls != nobody {
			m.timeout(m.calls)
			return
		}
		s.State = hsl.Set
		m.stage, m.left = getSet, scaled(m.cfg, setTime)
	case getSet:
		m.start(m.clock == m.half())
		m.stage, m.taken, m.left = play, 0, m.pause()
		if s.KickingTeam != hsl.NoTeam { // nobody kicks off at a dropped ball
			m.piece = scaled(m.cfg, kickTime)
		}
	case stoppedForPiece:
		s.Stopped = false
		m.stage, m.left = play, m.pause()
	case play:
		m.event()
	case afterHalf:
		m.nextPart()
	case done:
		m.over = true
	default:
		m.nextOfShot()
	}
}

// getReady lets the robots walk to their places for a kick-off.
func (m *match) getReady() {
	m.state.State, m.state.SetPlay = hsl.Ready, hsl.NoSetPlay
	m.stage, m.left, m.piece, m.lateFor = getReady, scaled(m.cfg, readyTime), 0, 0
	m.second, m.rewind, m.calls = m.left, m.clock, nobody
	m.kickOffs++
}

// start starts play, which robots learn late. The clock that they see stands meanwhile if frozen.
func (m *match) start(frozen bool) {
	if !m.cfg.NoDelay {
		m.write()
		m.late, m.lateFor, m.frozen = m.state, delay, frozen
	}
	m.state.State = hsl.Playing
}

// score counts the goal of m.scorer.
func (m *match) score() {
	if t := &m.state.Teams[m.scorer]; !m.illegal[m.scorer] && t.Score < 99 {
		t.Score++
	}
}

// pause returns the time until the next event.
func (m *match) pause() time.Duration {
	mean := min(eventEvery, m.cfg.Half/4)
	return mean/2 + time.Duration(exact.Uniform(m.rng)*float64(mean))
}

// event lets something happen in play: a goal, a set play or a penalty.
func (m *match) event() {
	if m.breaks.IntN(refereeCalls) == 0 {
		m.timeout(nobody)
		return
	}
	s, side := &m.state, m.rng.IntN(2)
	m.events++
	switch what := m.rng.IntN(10); {
	case what < 2:
		m.scorer = side
		m.stage, m.left = ballInGoal, stopTime
	case what < 6:
		if s.KickingTeam == m.cfg.Teams[side] { // its own set play goes on
			side = 1 - side
		}
		pieces := [...]hsl.SetPlay{
			hsl.ThrowIn, hsl.GoalKick, hsl.CornerKick, hsl.DirectFreeKick, hsl.IndirectFreeKick, hsl.ThrowIn,
		}
		s.SetPlay, s.KickingTeam, s.Stopped = pieces[m.rng.IntN(len(pieces))], m.cfg.Teams[side], true
		m.stage, m.left, m.lateFor = stoppedForPiece, stopTime, 0
		m.piece, m.taken = scaled(m.cfg, pieceTime), scaled(m.cfg, pieceTime-takenAfter)
	default:
		m.penalise(side)
		m.left = m.pause()
	}
}

// penalise sends a player off the field for a time, which begins when it stands at the line. Its time in the message is
// 0 before and after that.
func (m *match) penalise(side int) {
	k := m.rng.IntN(m.cfg.Players)
	p := &m.state.Teams[side].Players[k]
	if p.Penalty != hsl.NoPenalty {
		return
	}
	kinds := [...]hsl.Penalty{
		hsl.IllegalPositioning, hsl.LocalGameStuck, hsl.IncapableRobot, hsl.PickedUp, hsl.BallHolding, hsl.LeavingTheField,
		hsl.Pushing,
	}
	p.Penalty = kinds[m.rng.IntN(len(kinds))]
	m.terms[side][k] = benchTime + time.Duration(m.served[side])*benchMore
	m.bench[side][k] = carryTime + m.terms[side][k] + backTime
	if p.Penalty != hsl.LocalGameStuck && p.Penalty != hsl.IncapableRobot {
		m.served[side]++
	}
	if p.Penalty == hsl.LocalGameStuck || p.Penalty == hsl.BallHolding { // they tell that play has started
		m.lateFor = 0
	}
}

// serve counts the time of penalised players, in play and before kick-offs.
func (m *match) serve(d time.Duration) {
	if m.state.Stopped || m.state.State != hsl.Playing && m.state.State != hsl.Ready {
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

// release ends all penalties, before a half.
func (m *match) release() {
	for i := range m.bench {
		for k := range m.bench[i] {
			if m.bench[i][k] > 0 {
				m.bench[i][k], m.state.Teams[i].Players[k].Penalty = 0, hsl.NoPenalty
			}
		}
	}
}

// endTerms ends the time of all penalties: the operator lets the robots back when play goes on.
func (m *match) endTerms() {
	for i := range m.bench {
		for k := range m.bench[i] {
			m.bench[i][k] = min(m.bench[i][k], backTime)
		}
	}
}

// endHalf ends a half.
func (m *match) endHalf() {
	s := &m.state
	s.State, s.SetPlay, s.KickingTeam, s.Stopped = hsl.Finished, hsl.NoSetPlay, hsl.NoTeam, false
	m.piece, m.lateFor = 0, 0
	m.endTerms()
	draw := s.Teams[0].Score == s.Teams[1].Score
	if s.FirstHalf || draw && (m.cfg.Knockout || m.phase == hsl.ExtraTime) {
		m.stage, m.left = afterHalf, m.cfg.Break
	} else {
		m.stage, m.left = done, endTime
	}
}

// nextPart begins the part of the game after a half and its break.
func (m *match) nextPart() {
	switch {
	case m.state.FirstHalf:
		m.beginHalf(false)
	case m.phase == hsl.Normal:
		m.startExtraTime()
	default:
		m.startShootOut()
	}
}

// beginHalf begins the first or the second half of the phase. The teams change ends, and the other one kicks off.
func (m *match) beginHalf(first bool) {
	s := &m.state
	s.Phase, s.FirstHalf, s.State, s.KickingTeam, m.swapped = m.phase, first, hsl.Initial, m.cfg.Teams[0], !first
	if !first {
		s.KickingTeam = m.cfg.Teams[1]
	}
	m.stage, m.left, m.clock = beforeHalf, m5(m.cfg), m.half()
	m.release()
}

// write writes the clocks into the state.
func (m *match) write() {
	s := &m.state
	s.SecondsRemaining = seconds(m.clock)
	s.SecondaryTime = 0
	switch m.stage {
	case beforeHalf:
		if !s.FirstHalf && m.phase == hsl.Normal {
			s.SecondaryTime = seconds(m.left)
		}
	case getReady, inTimeout:
		s.SecondaryTime = seconds(m.second)
	case afterHalf:
		if s.FirstHalf && m.phase == hsl.Normal { // other breaks have no clock
			s.SecondaryTime = seconds(m.left + m5(m.cfg)) // until the second half
		}
	case play, ballInGoal, stoppedForPiece:
		s.SecondaryTime = seconds(m.piece)
	}
	for i := range m.bench {
		for k := range m.bench[i] {
			left := m.bench[i][k] - backTime
			if left > m.terms[i][k] {
				left = 0
			}
			s.Teams[i].Players[k].SecondsLeft = uint8(min(255, seconds(left)))
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
	if !m.frozen {
		m.late.SecondsRemaining = m.state.SecondsRemaining
	}
	for i := range m.late.Teams { // only state and penalties are late: these end in play
		were := m.late.Teams[i].Players
		m.late.Teams[i] = m.state.Teams[i]
		for k := range were {
			if p := &m.late.Teams[i].Players[k]; p.Penalty == were[k].Penalty {
				p.SecondsLeft = were[k].SecondsLeft
			}
		}
	}
	return &m.late
}

// counts reports whether team messages count.
func (m *match) counts() bool {
	s := m.state.State
	return m.phase != hsl.PenaltyShootOut && (s == hsl.Ready || s == hsl.Set || s == hsl.Playing)
}

// saves reports whether the synthetic robots of a side send no team messages now: they spend the budget evenly over the
// game, and what extra time adds to it over that.
func (m *match) saves(side int) bool {
	rest, budget := m.clock, m.cfg.Budget
	if m.state.FirstHalf {
		rest += m.half()
	}
	if m.phase == hsl.ExtraTime {
		budget = extraMessages
	}
	share := float64(max(rest, 0)) / float64(2*m.half())
	return m.counts() && float64(m.state.Teams[side].MessageBudget) <= share*float64(budget)
}

// text says how the game stands.
func (m *match) text() string {
	s := &m.state
	half, text, left := "second half", s.State.String(), s.SecondsRemaining
	if s.FirstHalf {
		half = "first half"
	}
	switch {
	case m.stage == inTimeout && m.of == nobody:
		text, left = "timeout of the referee", s.SecondaryTime
	case m.stage == inTimeout:
		text, left = fmt.Sprintf("timeout of team %d", m.cfg.Teams[m.of]), s.SecondaryTime
	case s.SetPlay != hsl.NoSetPlay:
		text += ", " + s.SetPlay.String()
	}
	switch m.phase {
	case hsl.ExtraTime:
		half = "extra time, " + half
	case hsl.PenaltyShootOut:
		half = "penalty shoot-out, " + s.ShootOut(&s.Teams[0], &s.Teams[1])
	}
	return fmt.Sprintf("%s, %s, %d:%02d left", half, text, left/60, left%60)
}
