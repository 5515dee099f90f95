package station

import (
	"errors"
	"fmt"

	"touchline/soccer"
	"touchline/wire/msl"
)

// Side is the addressee of a command.
type Side string

// The sides. Every other team is the opponent, whatever its group: for a side that is not connected RefBox 2.1 sends
// 224.16.32.0.
const (
	Both   Side = "both"
	Ours   Side = "ours"
	Theirs Side = "theirs"
)

// Command is a command of the RefBox, with its addressee.
type Command struct {
	msl.Command // an unknown command keeps its name
	Time        soccer.Time
	Side        Side
}

// State is the game as the RefBox reported it. RefBox 2.1 does not send the state of the game to a team that
// reconnects, so the state before a disconnection stays valid until a command changes it.
type State struct {
	Accepted bool   // WELCOME arrived on this connection
	Group    string // the team's group as in WELCOME, with ":1" for the second station of one team; "" before
	Part     string // FIRST_HALF, HALF_TIME, ..., END_GAME, GAMEOVER; "" before the first half. A shoot-out has no name
	Running  bool   // START arrived, and no command since that stops the game
	SetPiece string // KICKOFF, ..., DROP_BALL: waiting for START, or started by it; "" after STOP
	For      Side   // the side of the set piece; "" without one
	Goals    int    // goals of this team, as received
	Conceded int
	Doubt    bool   // a RESET arrived during a part, and no command since that shows whether it was intended
	Unknown  uint64 // unknown commands
	Last     Command
}

// State returns the game as the RefBox reported it.
func (s *Station) State() State { return s.state }

// Disconnect records that the connection to the RefBox ended: the station is no longer accepted. A doubtful RESET
// before it was intended, as RefBox 2.1 closes all connections after a real one.
func (s *Station) Disconnect() {
	s.state.Accepted, s.state.Group = false, ""
	s.confirmReset()
}

var errNoCommand = errors.New("station: not a command")

// Apply applies one message of the RefBox, without its NUL, that arrived at now. The error says why it is not a
// command.
func (s *Station) Apply(now soccer.Time, message []byte) (Command, error) {
	c := Command{Time: now}
	if len(message) > msl.MaxMessage {
		return Command{}, fmt.Errorf("%w: %d bytes", errNoCommand, len(message))
	}
	if err := c.Command.UnmarshalBinary(message); err != nil {
		return Command{}, fmt.Errorf("%w: %w", errNoCommand, err)
	}
	if c.Side = s.side(c.TargetTeam); c.Name == msl.Welcome {
		c.Side = Ours
	}
	s.punish(&c)
	s.apply(&c)
	s.state.Last = c
	return c, nil
}

func (s *Station) side(target string) Side {
	switch target {
	case "":
		return Both
	case s.state.Group:
		return Ours
	}
	return Theirs
}

// apply changes the state by one command.
func (s *Station) apply(c *Command) {
	st := &s.state
	switch c.Name {
	case msl.Reset:
		s.reset()
		return
	case msl.FirstHalf:
		s.confirmReset()
	case msl.Start, msl.FreeKick, msl.GoalKick, msl.ThrowIn, msl.Corner, msl.SubGoal, msl.RepairEnd, msl.HalfTime,
		msl.SecondHalf, msl.FirstHalfOvertime, msl.SecondHalfOvertime, msl.EndGame, msl.GameOver:
		s.undoReset() // none of these precedes a first half
	}
	switch c.Name {
	case msl.Welcome:
		st.Accepted, st.Group = true, c.TargetTeam
	case msl.Start:
		st.Running = true
	case msl.Stop, msl.Park:
		s.stop()
	case msl.FirstHalf, msl.SecondHalf, msl.FirstHalfOvertime, msl.SecondHalfOvertime:
		st.Part = c.Name // START follows at once, and the kick-off stays (RefBox 2.1)
	case msl.HalfTime, msl.EndGame, msl.GameOver:
		st.Part = c.Name
		s.stop()
	case msl.KickOff, msl.FreeKick, msl.GoalKick, msl.ThrowIn, msl.Corner, msl.Penalty, msl.DropBall:
		st.Running, st.SetPiece, st.For = false, c.Name, c.Side
	case msl.Goal:
		s.stop()
		s.score(c.Side, 1)
	case msl.SubGoal:
		s.score(c.Side, -1)
	case msl.Repair, msl.RepairEnd, msl.YellowCard, msl.RedCard, msl.DoubleYellow, msl.Substitution, msl.IsAlive,
		msl.EndPart, msl.TestModeOn, msl.TestModeOff:
	default:
		st.Unknown++
	}
}

func (s *Station) stop() { s.state.Running, s.state.SetPiece, s.state.For = false, "", "" }

func (s *Station) score(side Side, goals int) {
	switch side {
	case Ours:
		s.state.Goals = max(0, s.state.Goals+goals)
	case Theirs:
		s.state.Conceded = max(0, s.state.Conceded+goals)
	}
}

// reset starts a new game. RefBox 2.1 also sends RESET to the playing teams when another client connects: robots stop
// in any case, and the ended game is kept until a command shows whether the RESET was intended.
func (s *Station) reset() {
	before := s.state
	playing := before.Part != "" && before.Part != msl.EndGame && before.Part != msl.GameOver
	s.state = State{Accepted: before.Accepted, Group: before.Group, Unknown: before.Unknown, Last: before.Last}
	if playing {
		before.Running, before.SetPiece, before.For = false, "", ""
		s.before = &before
	}
	s.state.Doubt = s.before != nil
}

// confirmReset takes the last RESET as intended.
func (s *Station) confirmReset() { s.before, s.state.Doubt = nil, false }

// undoReset takes the last RESET, if it is in doubt, as not intended: the game resumes where it was.
func (s *Station) undoReset() {
	if s.before == nil {
		return
	}
	st := &s.state
	st.Part, st.Goals, st.Conceded = s.before.Part, s.before.Goals+st.Goals, s.before.Conceded+st.Conceded
	s.confirmReset()
}
