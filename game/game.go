// Package game holds the rules of a Middle Size League match: the referee's decisions, the parts of the game, its clocks,
// score, cards, repairs and substitutions, and undo. Decisions go in, messages to the teams come out.
//
// A Game is a log of decisions and the State that follows from them. The decisions and their times alone determine it: the
// same decisions give the same states and messages, whether or not Tick is called in between, so a journal of the
// decisions is the whole game. A refused decision changes nothing.
//
// Undo and redo do not run time backwards. They judge the remaining decisions again in their order, as if the undone
// decision had never been made, and correct what the teams know with the messages that exist for it: SUBGOAL for a GOAL,
// REPAIR_END for a REPAIR, START for a STOP. A card or repair that waits for START was never sent and disappears. No
// message withdraws a card that was sent: the outcome has a note about it, and the card is not sent twice. Clocks are
// judged again, too: time after an undone START was no playing time. SET_CLOCK corrects the clock where that is not
// intended.
package game

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"touchline/soccer"
)

// ErrRefused is what Apply's errors wrap; the rest of the text says why, and what to do instead.
var ErrRefused = errors.New("game: refused")

// Version is the layout of decisions in JSON that this package writes and reads.
const Version = 1

// Side is one of the two teams; home is the left one of RefBox 2.1.
type Side string

// The sides. A message for Both has an empty targetTeam on the wire.
const (
	Both Side = ""
	Home Side = "home"
	Away Side = "away"
)

// Opponent returns the other team.
func (s Side) Opponent() Side {
	if s == Home {
		return Away
	}
	return Home
}

// Command is what the referee decides and what teams are told; where both exist they have one name, the wire's (facts
// msl 1.3).
type Command string

// What is both decided and sent.
const (
	Start        Command = "START"
	Stop         Command = "STOP"
	DropBall     Command = "DROP_BALL"
	Park         Command = "PARK"
	Reset        Command = "RESET"
	KickOff      Command = "KICKOFF"
	FreeKick     Command = "FREEKICK"
	GoalKick     Command = "GOALKICK"
	ThrowIn      Command = "THROWIN"
	Corner       Command = "CORNER"
	PenaltyKick  Command = "PENALTY"
	Goal         Command = "GOAL"
	SubGoal      Command = "SUBGOAL"  // withdraws a goal
	IsAlive      Command = "IS_ALIVE" // asks a robot for a sign of life
	Substitution Command = "SUBSTITUTION"
	Repair       Command = "REPAIR"      // waits for the next START, like the cards
	YellowCard   Command = "YELLOW_CARD" // a second one is sent as DOUBLE_YELLOW
	RedCard      Command = "RED_CARD"
)

// What is only decided. SET_ are corrections: they may be made at any time (SET_PART when stopped) and send what
// mends the teams' picture.
const (
	EndPart  Command = "END_PART" // also the end of the game
	SetScore Command = "SET_SCORE"
	SetClock Command = "SET_CLOCK"
	SetPart  Command = "SET_PART"
	Undo     Command = "UNDO"
	Redo     Command = "REDO"
)

// What is only sent.
const (
	DoubleYellow         Command = "DOUBLE_YELLOW"
	RepairEnds           Command = "REPAIR_END"
	FirstHalfBegins      Command = "FIRST_HALF"
	SecondHalfBegins     Command = "SECOND_HALF"
	OvertimeFirstBegins  Command = "FIRST_HALF_OVERTIME"
	OvertimeSecondBegins Command = "SECOND_HALF_OVERTIME"
	HalfTimeBegins       Command = "HALF_TIME"
	GameEnds             Command = "END_GAME" // after the second half, and after the overtime
	GameOver             Command = "GAMEOVER" // the wire's spelling; the papers have GAME_OVER
)

// Message is one thing that both base stations are told.
type Message struct {
	Command Command `json:"command"`
	Side    Side    `json:"side"`             // whom it is about; Both for common commands
	RobotID int     `json:"robotID,omitzero"` // 1..99 with SUBSTITUTION and IS_ALIVE, else 0
}

// Decision is what the referee pressed, and when. Its JSON is the journal's; fields that a command does not use are zero.
type Decision struct {
	Version   int           `json:"v"`                  // Version; 0 is taken as that
	Time      soccer.Time   `json:"time"`               // a moment before the game's last one is taken as that one
	Command   Command       `json:"command"`            // one that can be decided
	Side      Side          `json:"side,omitzero"`      // Home or Away for a team's commands
	Robot     int           `json:"robot,omitzero"`     // jersey number 1..99; for cards and a single repair 0 is not said
	Count     int           `json:"count,omitzero"`     // REPAIR: robots, 1..3; SET_SCORE: goals, 0..99
	Part      Part          `json:"part,omitzero"`      // SET_PART
	Total     time.Duration `json:"total,omitzero"`     // SET_CLOCK: time since the part began, up to 24 h
	Effective time.Duration `json:"effective,omitzero"` // SET_CLOCK: of it in play
	Ref       int           `json:"ref,omitzero"`       // UNDO, REDO: number of a decision from 1; 0 is the last that can be
	Force     bool          `json:"force,omitzero"`     // KICKOFF, RESET: also where it is refused otherwise (RefBox's Alt+K, Alt+R)
}

// Entry is one decision of the log.
type Entry struct {
	Decision Decision      `json:"decision"`
	Part     Part          `json:"part"`            // when it was made
	Total    time.Duration `json:"total"`           // clock of that part
	Sent     []Message     `json:"sent"`            // what was sent because of it, and what had become due by then
	Undone   bool          `json:"undone,omitzero"` // taken back
	Why      string        `json:"why,omitzero"`    // not "": it no longer holds since an earlier one was taken back or put back

	before *State // at the moment of the decision; never written again
}

// InEffect reports whether the decision counts: it is neither undone nor void.
func (e *Entry) InEffect() bool { return !e.Undone && e.Why == "" }

// Outcome is what a decision brings about.
type Outcome struct {
	Messages []Message `json:"messages"` // to both teams, in this order
	Dropped  []Change  `json:"dropped"`  // later decisions that hold no longer
	Restored []Change  `json:"restored"` // later decisions that hold again
	Notes    []string  `json:"notes"`    // what no message can say: the referee has to tell the teams
}

func (o *Outcome) send(c Command, side Side) {
	o.Messages = append(o.Messages, Message{Command: c, Side: side})
}

func (o *Outcome) note(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}

// Change is one decision whose standing changed with another one.
type Change struct {
	Number int    `json:"number"` // in the log, from 1
	Why    string `json:"why"`    // why it holds no longer
}

// Game is one game from its first decision on. It is a value of one goroutine.
type Game struct {
	rules Rules
	state State
	log   []Entry
}

// New returns a game that begins now, before its first half. Games live in the years 1970 to 2116.
func New(rules Rules, now soccer.Time) *Game {
	return &Game{rules: rules, state: State{Time: min(max(now, 0), Latest), Part: PreGame}}
}

// Rules returns the rules of the game.
func (g *Game) Rules() Rules { return g.rules }

// State returns the game at its last decision or Tick. Its slices are not to be written.
func (g *Game) State() State { return g.state }

// Log returns all decisions in their order; number n is at n-1. It is valid until the next Apply, and not to be written.
func (g *Game) Log() []Entry { return g.log }

// Tick brings the game to a moment and returns what became due: REPAIR_END. A moment before the last one, or after
// 2116, changes nothing.
func (g *Game) Tick(now soccer.Time) []Message {
	if now > Latest {
		return nil
	}
	var out Outcome
	g.state.advance(now, &out)
	return out.Messages
}

// Apply takes a decision into the game and returns what it brings about. What is in the log then is the decision as it
// took effect: with Version, a Time that is not before the last one, and Ref filled in. An error wraps ErrRefused, and
// nothing has changed.
func (g *Game) Apply(d Decision) (Outcome, error) {
	if d.Version == 0 {
		d.Version = Version
	}
	why := d.malformed()
	d.Time = max(d.Time, g.state.Time)
	now, out := g.state, Outcome{}
	switch {
	case why != "":
	case d.Command == Undo || d.Command == Redo:
		if d.Ref, why = g.Target(d); why == "" {
			now.advance(d.Time, &out)
			why = g.revise(d, &now, &out)
		}
	default:
		now.advance(d.Time, &out)
		if why = now.why(&g.rules, &d, false); why == "" {
			g.state = now
			g.state.step(&g.rules, &d, len(g.log)+1, &out)
		}
	}
	if why != "" {
		return Outcome{}, fmt.Errorf("%w: %s", ErrRefused, why)
	}
	g.log = append(g.log, Entry{Decision: d, Part: now.Part, Total: now.Total, Sent: out.Messages, before: &now})
	return out, nil
}

// Preview returns what Apply would, and the state after it, and changes nothing.
func (g *Game) Preview(d Decision) (Outcome, State, error) {
	c := g.clone()
	out, err := c.Apply(d)
	return out, c.state, err
}

// clone returns a game of its own. States never change once they are in the log.
func (g *Game) clone() Game {
	return Game{rules: g.rules, state: g.state, log: slices.Clone(g.log)}
}

// Replay returns the game that the decisions of a journal make, begun at the moment of New. Decisions as Log has them are
// never refused under the same rules; an error names the first that is.
func Replay(rules Rules, began soccer.Time, decisions []Decision) (*Game, error) {
	g := New(rules, began)
	for i, d := range decisions {
		if _, err := g.Apply(d); err != nil {
			return g, fmt.Errorf("decision %d, %s: %w", i+1, d.Command, err)
		}
	}
	return g, nil
}
