package refbox

import (
	"fmt"
	"strings"
	"time"

	"touchline/game"
	"touchline/reportcard"
	"touchline/wire/msl"
)

// word is how one command is said: on the referee's page, in the RefBox's log of events, and to score clients.
type word struct {
	page      string // before the team's name
	eventLine string // the description in the log of events (refbox-2.1-capture); "": it has none
	score     string // eventDesc to score clients where it is not line
}

var words = map[game.Command]word{
	game.Start:                {page: "START", eventLine: "START"},
	game.Stop:                 {page: "STOP", eventLine: "STOP"},
	game.DropBall:             {page: "dropped ball", eventLine: "Drop Ball"},
	game.Park:                 {page: "park", eventLine: "Park"},
	game.Reset:                {page: "RESET", eventLine: "Reset Game"},
	game.KickOff:              {page: "kick-off", eventLine: "Kickoff"},
	game.FreeKick:             {page: "free kick", eventLine: "Freekick"},
	game.GoalKick:             {page: "goal kick", eventLine: "Goalkick"},
	game.ThrowIn:              {page: "throw-in", eventLine: "Throw In"},
	game.Corner:               {page: "corner", eventLine: "Corner"},
	game.PenaltyKick:          {page: "penalty", eventLine: "Penalty"},
	game.Goal:                 {page: "goal", eventLine: "Goal+"},
	game.SubGoal:              {page: "goal withdrawn", eventLine: "Goal-"},
	game.IsAlive:              {page: "is alive?", eventLine: "Is Alive"},
	game.Substitution:         {page: "substitution", eventLine: "Substitution", score: "substituting"},
	game.Repair:               {page: "repair", eventLine: "Repair"},
	game.RepairEnds:           {page: "repair ends", eventLine: "Repair ended"},
	game.YellowCard:           {page: "yellow card", eventLine: "Yellow Card"},
	game.RedCard:              {page: "red card", eventLine: "Red Card"},
	game.DoubleYellow:         {page: "second yellow card", eventLine: "Double Yellow"},
	game.FirstHalfBegins:      {page: "first half", eventLine: "1st half", score: "FIRST_HALF"},
	game.SecondHalfBegins:     {page: "second half", eventLine: "2nd half", score: "SECOND_HALF"},
	game.OvertimeFirstBegins:  {page: "overtime first half", eventLine: "Overtime 1st half", score: "FIRST_HALF_OVERTIME"},
	game.OvertimeSecondBegins: {page: "overtime second half", eventLine: "Overtime 2nd half", score: "SECOND_HALF_OVERTIME"},
	game.HalfTimeBegins:       {page: "half-time", eventLine: "Halftime"},
	game.GameEnds:             {page: "end of the game", eventLine: "End Game"},
	game.GameOver:             {page: "game over", eventLine: "Game Over"},
	welcome:                   {page: "welcome", eventLine: "Welcome", score: "WELCOME"},
	game.EndPart:              {page: "end of the part"},
	game.SetScore:             {page: "score"},
	game.SetClock:             {page: "clock"},
	game.SetPart:              {page: "part"},
	game.Undo:                 {page: "undo"},
	game.Redo:                 {page: "redo"},
}

// welcome is sent to one base station alone, when it is taken in.
const welcome game.Command = msl.Welcome

// said puts a command into words: "free kick CAMBADA", "yellow card CAMBADA 4".
func (b *Box) phrase(c game.Command, side game.Side, robot int) string {
	text := words[c].page
	if text == "" {
		text = string(c)
	}
	if side != game.Both {
		text += " " + b.seat(side).name()
	}
	if robot != 0 {
		text += fmt.Sprintf(" %d", robot)
	}
	return text
}

// decided puts a decision into words.
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
		text += fmt.Sprintf(" %s, of it in play %s", FormatClock(d.Total), FormatClock(d.Effective))
	case game.SetPart:
		text += ": " + string(d.Part)
	case game.Undo, game.Redo:
		if log := b.game.Log(); d.Ref > 0 && d.Ref <= len(log) {
			text += ": " + b.Describe(&log[d.Ref-1].Decision)
		}
	}
	return text
}

// clock returns a time as the RefBox shows it: minutes and seconds.
func FormatClock(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// wired is a message as a page lists it: the wire's word and the team's name.
func (b *Box) wireText(m *game.Message) string {
	text := string(m.Command)
	if m.Side != game.Both {
		text += " " + b.seat(m.Side).name()
	}
	if m.RobotID != 0 {
		text += fmt.Sprintf(" %d", m.RobotID)
	}
	return text
}

// line returns a message as a line of the RefBox's log of events. at is the moment before it: the RefBox shows the clock
// of then, and names the phase that the message leads to, but for the beginning of a part (refbox-2.1-capture).
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
		l.Team = plain(b.seat(m.Side).name())
	}
	return l
}

// plain returns text without what would break a line of the log of events: commas, and control characters.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ',':
			return ';'
		case r < ' ' || r == 0x7f:
			return ' '
		}
		return r
	}, s)
}

// general says what a rule of the report card is about, without what a team said.
func general(rule string) string {
	if text := generals[rule]; text != "" {
		return text
	}
	return "see the document of the rule " + rule
}

// ruleTooLong is a message that is longer than what is read.
const ruleTooLong = "too-long"

var generals = map[string]string{
	ruleTooLong:               "messages that are kept but not read: one has at most 64 KiB here",
	msl.RuleSyntax:            "messages that are no JSON",
	msl.RuleType:              "messages that do not say what they are",
	msl.RuleMissing:           "a key that has to be there is missing",
	msl.RuleUpstream:          "worldstates that the RefBox 2.1 drops",
	msl.RuleKey:               "a key is spelled otherwise",
	msl.RuleExtra:             "keys that nobody knows",
	msl.RuleValue:             "values of the wrong type",
	msl.RuleNull:              "null where there has to be a value",
	msl.RuleVectorSize:        "too few or too many components of a vector",
	msl.RuleHeading:           "headings outside [0, 2 pi)",
	msl.RuleConfidence:        "confidences outside [0, 1]",
	msl.RuleBattery:           "battery levels outside [0, 100]",
	msl.RuleEngaged:           "ballEngaged is neither 0 nor 1",
	msl.RuleID:                "robot numbers that no shirt has, or that come twice",
	msl.RuleRadius:            "negative radii",
	msl.RuleAge:               "ages that cannot be",
	msl.RuleCount:             "more than five robots",
	msl.RuleTooMany:           "more balls or obstacles than are read",
	msl.RuleOrder:             "balls that are not ordered by confidence",
	msl.RuleWord:              "commands that the RefBox 2.1 does not have",
	reportcard.RuleRate:       "fewer than ten worldstates a second",
	reportcard.RuleGap:        "times without a worldstate",
	reportcard.RuleBackwards:  "worldstates older than the one before",
	reportcard.RuleBurst:      "several worldstates of one moment",
	reportcard.RuleFrozen:     "a ball that never moves",
	reportcard.RuleConstant:   "values that never change",
	reportcard.RuleTarget:     "targets off the field",
	reportcard.RuleOffField:   "robots or a ball far off the field",
	reportcard.RuleUnits:      "values that look like another unit",
	reportcard.RuleFrame:      "positions that look like another frame",
	reportcard.RuleSpeed:      "speeds that nothing on the field has",
	reportcard.RuleResolution: "fewer decimals than asked for",
	reportcard.RuleEmpty:      "worldstates without robots",
	reportcard.RuleStranger:   "events of robots that no worldstate of the team has",
	reportcard.RuleName:       "worldstates without the team's name",
	reportcard.RuleUnclosed:   "bytes that no NUL closes",
}
