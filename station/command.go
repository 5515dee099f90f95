package station

import (
	"errors"
	"fmt"

	"touchline/soccer"
	"touchline/wire/msl"
)

// Side says whom a command is for.
type Side string

// Whom a command can be for. Every team that is not this one is the opponent, whatever group it has: for a side that is
// not connected RefBox 2.1 sends 224.16.32.0 (facts msl 1.2).
const (
	Both   Side = "both"
	Ours   Side = "ours"
	Theirs Side = "theirs"
)

// Told is one command of the RefBox.
type Told struct {
	Time    soccer.Time
	Command msl.Command // its words are msl's; one that is not among them is kept
	Side    Side
}

// State is what the RefBox said so far. It does not tell a team that connects again where the game is (facts msl 1.2), so
// what was heard before holds until it says otherwise.
type State struct {
	Accepted bool   `json:"accepted"` // WELCOME came on this connection
	Group    string `json:"group"`    // the team's own, as WELCOME said; the second station of one team has ":1" behind it. "" before
	Part     string `json:"part"`     // FIRST_HALF, HALF_TIME, ..., END_GAME, GAMEOVER; "" before the first half. A shoot-out has no word of its own
	Running  bool   `json:"running"`  // START came, and nothing that stops the game since
	SetPiece string `json:"setPiece"` // KICKOFF, ..., DROP_BALL: it waits for START, or START began it; "" after STOP
	For      Side   `json:"for"`      // whose set piece; "" where there is none
	Goals    int    `json:"goals"`    // of this team, as far as this station heard
	Conceded int    `json:"conceded"`
	Doubt    bool   `json:"doubt"`   // a RESET came during a part, and nothing since that shows whether it was meant
	Unknown  uint64 `json:"unknown"` // commands that nobody knows
	Last     Told   `json:"-"`
}

// State returns what the RefBox said so far.
func (s *Station) State() State { return s.state }

// Disconnected says that the connection to the RefBox is lost, and with it that it was accepted. A RESET that came before
// was meant: RefBox 2.1 closes all connections after a real one (facts msl 8).
func (s *Station) Disconnected() {
	s.state.Accepted, s.state.Group = false, ""
	s.believe()
}

// errNoCommand says that the RefBox sent something else.
var errNoCommand = errors.New("station: not a command")

// Command takes in one message of the RefBox, without its NUL, that came at now. The error says why it is no command.
func (s *Station) Command(now soccer.Time, message []byte) (Told, error) {
	var c msl.Command
	if len(message) > msl.MaxMessage {
		return Told{}, fmt.Errorf("%w: %d bytes", errNoCommand, len(message))
	}
	if err := c.UnmarshalBinary(message); err != nil {
		return Told{}, fmt.Errorf("%w: %w", errNoCommand, err)
	}
	t := Told{Time: now, Command: c, Side: s.side(c.TargetTeam)}
	if c.Name == msl.Welcome {
		t.Side = Ours
	}
	s.take(&t)
	s.state.Last = t
	return t, nil
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

// take changes the state by one command.
func (s *Station) take(t *Told) {
	st := &s.state
	name := t.Command.Name
	switch name {
	case msl.Reset:
		s.reset()
		return
	case msl.FirstHalf:
		s.believe()
	case msl.Start, msl.FreeKick, msl.GoalKick, msl.ThrowIn, msl.Corner, msl.SubGoal, msl.RepairEnd, msl.HalfTime,
		msl.SecondHalf, msl.FirstHalfOvertime, msl.SecondHalfOvertime, msl.EndGame, msl.GameOver:
		s.disbelieve() // none of these comes before a first half
	}
	switch name {
	case msl.Welcome:
		st.Accepted, st.Group = true, t.Command.TargetTeam
	case msl.Start:
		st.Running = true
	case msl.Stop, msl.Park:
		s.stop()
	case msl.FirstHalf, msl.SecondHalf, msl.FirstHalfOvertime, msl.SecondHalfOvertime:
		st.Part = name // START follows at once (facts msl 1.3), and the kick-off stays
	case msl.HalfTime, msl.EndGame, msl.GameOver:
		st.Part = name
		s.stop()
	case msl.KickOff, msl.FreeKick, msl.GoalKick, msl.ThrowIn, msl.Corner, msl.Penalty, msl.DropBall:
		st.Running, st.SetPiece, st.For = false, name, t.Side
	case msl.Goal:
		s.stop()
		s.score(t.Side, 1)
	case msl.SubGoal:
		s.score(t.Side, -1)
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

// reset begins the game anew. RefBox 2.1 also sends RESET to the playing teams when anybody else connects (facts msl 1.8):
// robots stop in any case, and the game that it ended is kept until something shows whether it was meant.
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

// believe takes the last RESET as meant.
func (s *Station) believe() { s.before, s.state.Doubt = nil, false }

// disbelieve takes the last RESET, if there is doubt about it, as never meant: the game goes on where it was.
func (s *Station) disbelieve() {
	if s.before == nil {
		return
	}
	st := &s.state
	st.Part, st.Goals, st.Conceded = s.before.Part, s.before.Goals+st.Goals, s.before.Conceded+st.Conceded
	s.believe()
}
