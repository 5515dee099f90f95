package analysis

import (
	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/bounded"
	"touchline/soccer"
)

// Kind says what an Event is.
type Kind string

// Kinds of events.
const (
	Passed   Kind = "pass"      // a kick that was no shot, and a teammate was next to touch the ball, or an opponent, or nobody
	Shot     Kind = "shot"      // a kick at the opponents' goal, or a push over the line
	Scored   Kind = "goal"      // the referee counted a goal
	SetPiece Kind = "set piece" // one was taken
	Lost     Kind = "lost"      // a team lost the ball
	Carded   Kind = "card"      // a robot got a card; Number 0: the log does not tell which
)

// Causes of lost balls, and results of passes that failed.
const (
	Intercepted = "intercepted"   // an opponent touched the kicked ball next
	Tackled     = "tackled"       // an opponent took it from the robot without a kick
	OutOfPlay   = "out of play"   // it left the field
	Fouled      = "free kick"     // the referee gave it to the other team
	Stopped     = "play stopped"  // the referee stopped the play before anybody had it
	Arrived     = "to a teammate" // of a pass
	Untouched   = "nobody had it" // of a pass: the robot itself got it again, or the log ends
)

// Event is something that happened to the ball. Positions are in m in the frame in which home attacks +x in every part.
type Event struct {
	At      soccer.Time    `json:"at"`     // of the match's own clock
	Logged  soccer.Time    `json:"logged"` // when the log has it; set by Report
	Part    game.Part      `json:"part"`
	Clock   float64        `json:"clock"` // s since the part began
	Kind    Kind           `json:"kind"`
	By      autoref.Player `json:"by"`      // the robot that kicked, scored, took the set piece or lost the ball
	To      autoref.Player `json:"to"`      // the robot that touched the ball next; Side Both: none
	From    soccer.Vec     `json:"from"`    // where the ball was
	End     soccer.Vec     `json:"end"`     // where it was touched next, or went out of play
	Result  string         `json:"result"`  // of a shot: wide, on target, saved or goal; of a set piece and a card: its command; otherwise a cause
	Success bool           `json:"success"` // of a card: it was not taken back
	XG      float64        `json:"xg"`      // of a shot: how many goals such a shot is worth, 0 to 1
	// Chain numbers the time without a break in which one team had the ball, from 1.
	Chain int `json:"chain"`
}

// MostEvents is a bound for Tally.Keep: an hour of play has some 3,000 events.
const MostEvents = 50_000

// note keeps an event, if events are kept, and returns its place; -1 if it is not kept.
func (t *Tally) note(st *game.State, e Event) int {
	if t.Keep <= 0 {
		return -1
	}
	if e.At == 0 {
		e.At = t.last
	}
	e.Part, e.Clock, e.Chain = st.Part, st.Total.Seconds(), t.chain
	t.events = bounded.Append(t.events, e, t.Keep)
	t.noted++
	return t.noted - 1
}

// event returns a kept event by its place; nil if it is not kept any more.
func (t *Tally) event(place int) *Event {
	if i := len(t.events) - (t.noted - place); place >= 0 && i >= 0 && i < len(t.events) {
		return &t.events[i]
	}
	return nil
}

// Events returns the newest events, oldest first, as many as Keep says. The slice is read-only and valid until the next
// Step.
func (t *Tally) Events() []Event { return t.events }

// begin notes that a team has the ball after the other one had it.
func (t *Tally) begin(side game.Side) {
	if side != t.chained {
		t.chain++
		t.chained = side
	}
}

// lose notes that a team lost the ball to a robot, or out of play.
func (t *Tally) lose(st *game.State, by, to autoref.Player, from soccer.Vec, cause string) {
	t.note(st, Event{Kind: Lost, By: by, To: to, From: from, End: t.ball, Result: cause})
}

// stop ends what was on its way when the referee stops the play.
func (t *Tally) stop() {
	if e := t.event(t.kick.event); t.kick.open && e != nil && e.Kind == Passed {
		e.End, e.Result = t.ball, Stopped
	}
	t.lostBy, t.lostAt = t.touched, t.ball
	t.chained = game.Both
}

// restart tells from a set piece how the ball was lost.
func (t *Tally) restart(st *game.State, taking game.SetPiece) {
	cause := ""
	switch taking.Command {
	case game.ThrowIn, game.GoalKick, game.Corner:
		cause = OutOfPlay
	case game.FreeKick, game.PenaltyKick:
		cause = Fouled
	}
	if cause == "" || index(t.lostBy.Side) == 2 {
		return
	}
	if e := t.event(t.kick.event); e != nil && e.Kind == Passed && e.Result == Stopped && e.By == t.lostBy {
		e.Result = cause
	}
	if t.lostBy.Side != taking.Side {
		t.note(st, Event{Kind: Lost, By: t.lostBy, From: t.lostAt, End: t.lostAt, Result: cause})
	}
}

// cards counts the cards of the teams. It notes those that are given while the log runs; a log that begins later has them in
// the numbers only.
func (a *Analyst) cards(f *Frame) {
	for k, side := range game.Sides {
		all := f.State.Team(side).Cards()
		t := &a.report.Teams[k]
		t.YellowCards, t.RedCards = 0, 0
		for i := range all {
			if all[i].Command == game.RedCard {
				t.RedCards++
			} else {
				t.YellowCards++
			}
			if i >= a.carded[k] && a.steps > 0 {
				a.tally.note(&f.State, Event{Kind: Carded, By: autoref.Player{Side: side, Number: uint8(all[i].Robot)},
					From: a.tally.ball, End: a.tally.ball, Result: string(all[i].Command), Success: true})
			}
		}
		for n := a.carded[k] - len(all); n > 0; n-- {
			a.takeBack(side)
		}
		a.carded[k] = len(all)
	}
}

// takeBack notes that the newest card of a team is void.
func (a *Analyst) takeBack(side game.Side) {
	for i := len(a.tally.events) - 1; i >= 0; i-- {
		if e := &a.tally.events[i]; e.Kind == Carded && e.By.Side == side && e.Success {
			e.Success = false
			return
		}
	}
}
