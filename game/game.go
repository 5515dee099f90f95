// Package game holds the rules of a Middle Size League match: the referee's decisions, the parts of the game, its
// clocks, score, cards, repairs and substitutions, and undo. Decisions go in, messages to the teams come out.
//
// A Game is a log of decisions and the State that follows from them. The decisions and their times alone determine it:
// the same decisions give the same states and messages, whether or not Tick is called in between, so a journal of the
// decisions is the whole game. A refused decision changes nothing.
//
// Undo and redo do not run time backwards. They judge the remaining decisions again in their order, as if the undone
// decision had never been made, and correct what the teams know with the messages that exist for it: SUBGOAL for a
// GOAL, REPAIR_END for a REPAIR, START for a STOP. A card or repair that waits for START was never sent and disappears.
// No message withdraws a card that was sent: the outcome has a note about it, and the card is not sent twice. Clocks
// are judged again, too: time after an undone START was no playing time. SET_CLOCK corrects the clock where that is not
// intended. A new decision ends the possibility to redo earlier ones; a STOP that changes nothing is no new decision.
package game

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"touchline/soccer"
)

// ErrRefused is wrapped by the errors of Apply; their text says why the decision is refused and what to do instead.
var ErrRefused = errors.New("game: refused")

// Version is the version of a decision's JSON.
const Version = 1

// Side is one of the two teams; home is the left one of RefBox 2.1.
type Side string

// The sides. A message to Both has an empty targetTeam on the wire.
const (
	Both Side = ""
	Home Side = "home"
	Away Side = "away"
)

// Sides are both teams, the first-named one first.
var Sides = [2]Side{Home, Away}

// Opponent returns the other team.
func (s Side) Opponent() Side {
	if s == Home {
		return Away
	}
	return Home
}

// Index returns the place of a team in arrays of two: 0 for home, 1 for away.
func (s Side) Index() int {
	if s == Home {
		return 0
	}
	return 1
}

// Color returns the colour that a team plays as: home is cyan.
func (s Side) Color() soccer.Color {
	if s == Home {
		return soccer.Cyan
	}
	return soccer.Magenta
}

// Text returns a side as all texts of this package name it: "the home team".
func (s Side) Text() string { return fmt.Sprintf("the %s team", string(s)) }

// Command is a decision of the referee or a message to the teams. One that is both has the name of the message (RefBox
// 2.1).
type Command string

// Commands that are decided and sent.
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
	SubGoal      Command = "SUBGOAL"  // cancels a goal
	IsAlive      Command = "IS_ALIVE" // asks a robot for a sign of life
	Substitution Command = "SUBSTITUTION"
	Repair       Command = "REPAIR"      // waits for the next START, like the cards
	YellowCard   Command = "YELLOW_CARD" // a second one is sent as DOUBLE_YELLOW
	RedCard      Command = "RED_CARD"
)

// Commands that are only decided. The SET commands are corrections: the referee may use them at any time (SET_PART when
// play is stopped), and they send the messages that correct what the teams know.
const (
	EndPart  Command = "END_PART" // also the end of the game
	SetScore Command = "SET_SCORE"
	SetClock Command = "SET_CLOCK"
	SetPart  Command = "SET_PART"
	Undo     Command = "UNDO"
	Redo     Command = "REDO"
)

// Commands that are only sent.
const (
	DoubleYellow         Command = "DOUBLE_YELLOW"
	RepairEnds           Command = "REPAIR_END"
	FirstHalfBegins      Command = "FIRST_HALF"
	SecondHalfBegins     Command = "SECOND_HALF"
	OvertimeFirstBegins  Command = "FIRST_HALF_OVERTIME"
	OvertimeSecondBegins Command = "SECOND_HALF_OVERTIME"
	HalfTimeBegins       Command = "HALF_TIME"
	GameEnds             Command = "END_GAME" // follows the second half and the overtime
	GameOver             Command = "GAMEOVER" // spelled GAME_OVER in the papers
)

// Message is one message to both base stations.
type Message struct {
	Command Command `json:"command"`
	Side    Side    `json:"side"`             // Both for common commands
	RobotID int     `json:"robotID,omitzero"` // 1..99 with SUBSTITUTION and IS_ALIVE, else 0
}

// Decision is one decision of the referee. The journal holds it as JSON. Fields that a command does not use are zero.
type Decision struct {
	Version   int           `json:"v"`                  // Version; 0 stands for it
	Time      soccer.Time   `json:"time"`               // never before the decision before it
	Command   Command       `json:"command"`            // one that can be decided
	Side      Side          `json:"side,omitzero"`      // Home or Away for a team's commands
	Robot     int           `json:"robot,omitzero"`     // jersey number 1..99; 0 with a card or a single repair: not given
	Count     int           `json:"count,omitzero"`     // REPAIR: robots, 1..3, 0 stands for 1; SET_SCORE: goals, 0..99
	Part      Part          `json:"part,omitzero"`      // SET_PART
	Total     time.Duration `json:"total,omitzero"`     // SET_CLOCK: time since the part began, up to 24 h
	Effective time.Duration `json:"effective,omitzero"` // SET_CLOCK: playing time of it
	Ref       int           `json:"ref,omitzero"`       // UNDO, REDO: number of a decision from 1; 0: the last possible one
	Force     bool          `json:"force,omitzero"`     // KICKOFF, RESET: accept it where the rules refuse it (RefBox: Alt+K, Alt+R)
}

// Entry is one decision in the log.
type Entry struct {
	Decision Decision      `json:"decision"`
	Part     Part          `json:"part"`            // part at the decision
	Total    time.Duration `json:"total"`           // time since that part began
	Sent     []Message     `json:"sent"`            // messages of the decision, and those due by then
	Undone   bool          `json:"undone,omitzero"` // an UNDO of it is in effect
	Why      string        `json:"why,omitzero"`    // why it is void since an earlier decision was undone or redone; "": it is not

	before *State // the state when it was made; read-only
}

// InEffect reports whether the decision counts: it is neither undone nor void.
func (e *Entry) InEffect() bool { return !e.Undone && e.Why == "" }

// Outcome is the effect of a decision.
type Outcome struct {
	Messages []Message `json:"messages"` // messages to both teams, in order
	Dropped  []Change  `json:"dropped"`  // later decisions that are void now
	Restored []Change  `json:"restored"` // later decisions that are in effect again
	Notes    []string  `json:"notes"`    // facts that no message covers: the referee has to tell the teams
}

func (o *Outcome) send(c Command, side Side) {
	o.Messages = append(o.Messages, Message{Command: c, Side: side})
}

func (o *Outcome) note(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}

// Change is a decision that became void, or is in effect again, because of another one.
type Change struct {
	Number int    `json:"number"` // number of the decision, counted from 1
	Why    string `json:"why"`    // why it is void
}

// Game is one game with all its decisions. It is not safe for concurrent use.
type Game struct {
	rules Rules
	state State
	log   []Entry
}

// New returns a game that begins at now, before its first half. Times are limited to the years 1970 to 2116.
func New(rules Rules, now soccer.Time) *Game {
	return &Game{rules: rules, state: State{Time: min(max(now, 0), Latest), Part: PreGame}}
}

// Rules returns the rules of the game.
func (g *Game) Rules() Rules { return g.rules }

// State returns the state at the last decision or Tick. Its slices are read-only.
func (g *Game) State() State { return g.state }

// Log returns all decisions in their order, number n at index n-1. It is read-only and valid until the next Apply.
func (g *Game) Log() []Entry { return g.log }

// Tick advances the game to now and returns the messages that became due: REPAIR_END. A time before the last one or
// after 2116 changes nothing.
func (g *Game) Tick(now soccer.Time) []Message {
	if now > Latest {
		return nil
	}
	var out Outcome
	g.state.advance(now, &out)
	return out.Messages
}

// Apply makes a decision and returns its outcome. The log then holds the decision as it took effect: with Version, with
// a Time that is not before the last one, and with Ref. An error wraps ErrRefused and leaves the game unchanged.
func (g *Game) Apply(d Decision) (Outcome, error) { return g.apply(d, false) }

// apply is Apply; of a replayed journal it also accepts a REDO that follows new decisions, as earlier versions did.
func (g *Game) apply(d Decision, replayed bool) (Outcome, error) {
	d.fill()
	why := d.malformed()
	d.Time = max(d.Time, g.state.Time)
	now, out := g.state, Outcome{}
	switch {
	case why != "":
	case d.Command == Undo || d.Command == Redo:
		if d.Ref, why = g.target(d, replayed); why == "" {
			now.advance(d.Time, &out)
			why = g.revise(d, &now, &out)
		}
	default:
		now.advance(d.Time, &out)
		if why = now.refusal(&g.rules, &d, false); why == "" {
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

// fill fills in the fields that a decision may leave out: the version, and the one robot of a REPAIR.
func (d *Decision) fill() {
	if d.Version == 0 {
		d.Version = Version
	}
	if d.Command == Repair && d.Count == 0 {
		d.Count = 1
	}
}

// Preview returns what Apply would return and the state after it. It changes nothing.
func (g *Game) Preview(d Decision) (Outcome, State, error) {
	c := g.clone()
	out, err := c.Apply(d)
	return out, c.state, err
}

// clone returns an independent copy: states in the log never change.
func (g *Game) clone() Game {
	return Game{rules: g.rules, state: g.state, log: slices.Clone(g.log)}
}

// Replay returns the game of a journal's decisions; began is the time given to New. Under the same rules no decision of
// a Log is refused; an error names the first one that is.
func Replay(rules Rules, began soccer.Time, decisions []Decision) (*Game, error) {
	g := New(rules, began)
	for i, d := range decisions {
		if _, err := g.apply(d, true); err != nil {
			return g, fmt.Errorf("decision %d, %s: %w", i+1, d.Command, err)
		}
	}
	return g, nil
}
