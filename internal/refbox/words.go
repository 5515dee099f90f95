package refbox

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"touchline/game"
	"touchline/wire/msl"
)

// word holds the texts of one command: on the referee's page, in the RefBox's log of events, and for score clients.
type word struct {
	page      string // text before the team's name
	eventLine string // the description in the log of events; "": none
	score     string // eventDesc for score clients; "": eventLine
}

var words = map[game.Command]word{
	game.Start:            {page: "START", eventLine: "START"},
	game.Stop:             {page: "STOP", eventLine: "STOP"},
	game.DropBall:         {page: "dropped ball", eventLine: "Drop Ball"},
	game.Park:             {page: "park", eventLine: "Park"},
	game.Reset:            {page: "RESET", eventLine: "Reset Game"},
	game.KickOff:          {page: "kick-off", eventLine: "Kickoff"},
	game.FreeKick:         {page: "free kick", eventLine: "Freekick"},
	game.GoalKick:         {page: "goal kick", eventLine: "Goalkick"},
	game.ThrowIn:          {page: "throw-in", eventLine: "Throw In"},
	game.Corner:           {page: "corner", eventLine: "Corner"},
	game.PenaltyKick:      {page: "penalty", eventLine: "Penalty"},
	game.Goal:             {page: "goal", eventLine: "Goal+"},
	game.SubGoal:          {page: "goal cancelled", eventLine: "Goal-"},
	game.IsAlive:          {page: "is alive?", eventLine: "Is Alive"},
	game.Substitution:     {page: "substitution", eventLine: "Substitution", score: "substituting"},
	game.Repair:           {page: "repair", eventLine: "Repair"},
	game.RepairEnds:       {page: "repair ends", eventLine: "Repair ended"},
	game.YellowCard:       {page: "yellow card", eventLine: "Yellow Card"},
	game.RedCard:          {page: "red card", eventLine: "Red Card"},
	game.DoubleYellow:     {page: "second yellow card", eventLine: "Double Yellow"},
	game.FirstHalfBegins:  {page: "first half", eventLine: "1st half", score: "FIRST_HALF"},
	game.SecondHalfBegins: {page: "second half", eventLine: "2nd half", score: "SECOND_HALF"},
	game.OvertimeFirstBegins: {page: "overtime first half", eventLine: "Overtime 1st half",
		score: "FIRST_HALF_OVERTIME"},
	game.OvertimeSecondBegins: {page: "overtime second half", eventLine: "Overtime 2nd half",
		score: "SECOND_HALF_OVERTIME"},
	game.HalfTimeBegins: {page: "half-time", eventLine: "Halftime"},
	game.GameEnds:       {page: "end of the game", eventLine: "End Game"},
	game.GameOver:       {page: "game over", eventLine: "Game Over"},
	welcome:             {page: "welcome", eventLine: "Welcome", score: "WELCOME"},
	game.EndPart:        {page: "end of the part"},
	game.SetScore:       {page: "score"},
	game.SetClock:       {page: "clock"},
	game.SetPart:        {page: "part"},
	game.Undo:           {page: "undo"},
	game.Redo:           {page: "redo"},
}

// welcome is sent to one base station alone, on its admission.
const welcome game.Command = msl.Welcome

// phrase returns a command as text: "free kick CAMBADA", "yellow card CAMBADA 4".
func (b *Box) phrase(c game.Command, side game.Side, robot int) string {
	text := words[c].page
	if text == "" {
		text = string(c)
	}
	if side != game.Both {
		text += " " + b.seat(side).label()
	}
	if robot != 0 {
		text += fmt.Sprintf(" %d", robot)
	}
	return text
}

// Describe returns a decision as text: "yellow card CAMBADA 4", "undo: goal CAMBADA".
func (b *Box) Describe(d *game.Decision) string {
	text := b.phrase(d.Command, d.Side, d.Robot)
	switch d.Command {
	case game.Repair:
		if d.Count > 1 {
			text += fmt.Sprintf(", %d robots", d.Count)
		}
	case game.SetScore:
		text += fmt.Sprintf(": %d", d.Count)
	case game.SetClock:
		text += fmt.Sprintf(" %s, playing time %s", FormatClock(d.Total), FormatClock(d.Effective))
	case game.SetPart:
		text += ": " + string(d.Part)
	case game.Undo, game.Redo:
		if log := b.game.Log(); d.Ref > 0 && d.Ref <= len(log) {
			text += ": " + b.Describe(&log[d.Ref-1].Decision)
		}
	}
	return text
}

// named replaces the sides in a text of package game by the names of their teams.
func (b *Box) named(text string) string {
	for i := range b.seats {
		text = strings.ReplaceAll(text, b.seats[i].side.Text(), b.seats[i].label())
	}
	return text
}

// FormatClock returns a time as the RefBox shows it, in minutes and seconds: "07:30".
func FormatClock(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// wireText returns a message as pages list it, with its name on the wire: "FREEKICK CAMBADA".
func (b *Box) wireText(m *game.Message) string {
	text := string(m.Command)
	if m.Side != game.Both {
		text += " " + b.seat(m.Side).label()
	}
	if m.RobotID != 0 {
		text += fmt.Sprintf(" %d", m.RobotID)
	}
	return text
}

// eventLine returns a message as a line of the RefBox's log of events. RefBox 2.1 shows the clock of the state before
// the message, and the phase after it, except at the beginning of a half.
func (b *Box) eventLine(m *game.Message, at, after *game.State) msl.Line {
	l := msl.Line{
		TimestampMillis:  int64(b.now) / int64(time.Millisecond),
		TotalSeconds:     int(at.Total / time.Second),
		EffectiveSeconds: int(at.Effective / time.Second),
		State:            after.Phase().Name, Description: words[m.Command].eventLine, RobotID: m.RobotID,
	}
	switch m.Command {
	case game.FirstHalfBegins, game.SecondHalfBegins, game.OvertimeFirstBegins, game.OvertimeSecondBegins, game.Reset:
		l.State = at.Phase().Name
	}
	if m.Side != game.Both {
		l.Team = msl.LineText(b.seat(m.Side).name())
	}
	return l
}

// generalText describes a rule of the team's findings without quoting the team.
func (s *seat) generalText(rule string) string {
	switch rule {
	case ruleTooLong:
		return "messages over 64 KiB are recorded and not decoded"
	case msl.RuleWord:
		return "commands that RefBox 2.1 does not have"
	}
	return cmp.Or(s.card.Describe(rule), "see rule "+rule+" of the report card")
}

// ruleTooLong is the rule about messages that are too long to decode.
const ruleTooLong = "too-long"
