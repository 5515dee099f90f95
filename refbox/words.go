package refbox

import (
	"fmt"
	"strings"
	"time"

	"touchline/reportcard"
	"touchline/wire/msl"
)

// word is how one command is said: on the referee's page, in the RefBox's log of events, and to score clients.
type word struct {
	page  string // before the team's name
	line  string // the description in the log of events (refbox-2.1-capture); "": it has none
	score string // eventDesc to score clients where it is not line
}

var words = map[Command]word{
	Start:                {page: "START", line: "START"},
	Stop:                 {page: "STOP", line: "STOP"},
	DropBall:             {page: "dropped ball", line: "Drop Ball"},
	Park:                 {page: "park", line: "Park"},
	Reset:                {page: "RESET", line: "Reset Game"},
	KickOff:              {page: "kick-off", line: "Kickoff"},
	FreeKick:             {page: "free kick", line: "Freekick"},
	GoalKick:             {page: "goal kick", line: "Goalkick"},
	ThrowIn:              {page: "throw-in", line: "Throw In"},
	Corner:               {page: "corner", line: "Corner"},
	PenaltyKick:          {page: "penalty", line: "Penalty"},
	Goal:                 {page: "goal", line: "Goal+"},
	SubGoal:              {page: "goal withdrawn", line: "Goal-"},
	IsAlive:              {page: "is alive?", line: "Is Alive"},
	Substitution:         {page: "substitution", line: "Substitution", score: "substituting"},
	Repair:               {page: "repair", line: "Repair"},
	RepairEnds:           {page: "repair ends", line: "Repair ended"},
	YellowCard:           {page: "yellow card", line: "Yellow Card"},
	RedCard:              {page: "red card", line: "Red Card"},
	DoubleYellow:         {page: "second yellow card", line: "Double Yellow"},
	FirstHalfBegins:      {page: "first half", line: "1st half", score: "FIRST_HALF"},
	SecondHalfBegins:     {page: "second half", line: "2nd half", score: "SECOND_HALF"},
	OvertimeFirstBegins:  {page: "overtime first half", line: "Overtime 1st half", score: "FIRST_HALF_OVERTIME"},
	OvertimeSecondBegins: {page: "overtime second half", line: "Overtime 2nd half", score: "SECOND_HALF_OVERTIME"},
	HalfTimeBegins:       {page: "half-time", line: "Halftime"},
	GameEnds:             {page: "end of the game", line: "End Game"},
	GameOver:             {page: "game over", line: "Game Over"},
	welcome:              {page: "welcome", line: "Welcome", score: "WELCOME"},
	EndPart:              {page: "end of the part"},
	SetScore:             {page: "score"},
	SetClock:             {page: "clock"},
	SetPart:              {page: "part"},
	Undo:                 {page: "undo"},
	Redo:                 {page: "redo"},
}

// welcome is sent to one base station alone, when it is taken in.
const welcome Command = msl.Welcome

// said puts a command into words: "free kick CAMBADA", "yellow card CAMBADA 4".
func (b *Box) said(c Command, side Side, robot int) string {
	text := words[c].page
	if text == "" {
		text = string(c)
	}
	if side != Both {
		text += " " + b.seat(side).name()
	}
	if robot != 0 {
		text += fmt.Sprintf(" %d", robot)
	}
	return text
}

// decided puts a decision into words.
func (b *Box) decided(d *Decision) string {
	text := b.said(d.Command, d.Side, d.Robot)
	switch d.Command {
	case Repair:
		if d.Count > 1 {
			text += fmt.Sprintf(", %d robots", d.Count)
		}
	case SetScore:
		text += fmt.Sprintf(": %d", d.Count)
	case SetClock:
		text += fmt.Sprintf(" %s, of it in play %s", clock(d.Total), clock(d.Effective))
	case SetPart:
		text += ": " + string(d.Part)
	case Undo, Redo:
		if log := b.game.Log(); d.Ref > 0 && d.Ref <= len(log) {
			text += ": " + b.decided(&log[d.Ref-1].Decision)
		}
	}
	return text
}

// clock returns a time as the RefBox shows it: minutes and seconds.
func clock(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// wired is a message as a page lists it: the wire's word and the team's name.
func (b *Box) wired(m *Message) string {
	text := string(m.Command)
	if m.Side != Both {
		text += " " + b.seat(m.Side).name()
	}
	if m.RobotID != 0 {
		text += fmt.Sprintf(" %d", m.RobotID)
	}
	return text
}

// phase is what the RefBox calls a moment of the game, in its log and to score clients (facts msl 1.9,
// refbox-2.1-capture).
type phase struct {
	number int
	name   string
}

// phaseOf returns it. A part of the game that is stopped has one of its own.
func phaseOf(s *State) phase {
	two := func(stopped phase, running phase) phase {
		if s.Running {
			return running
		}
		return stopped
	}
	switch s.Part {
	case FirstHalf:
		return two(phase{1, "1st Half - STOP"}, phase{2, "1st Half"})
	case HalfTime:
		return phase{3, "Halftime"}
	case SecondHalf:
		return two(phase{4, "2nd Half - STOP"}, phase{5, "2nd Half"})
	case PreOvertime:
		return phase{6, "Pre-Overtime"}
	case OvertimeFirst:
		return two(phase{7, "Overtime - 1st Half - STOP"}, phase{8, "Overtime - 1st Half"})
	case OvertimeHalfTime:
		return phase{9, "Overtime - Halftime"}
	case OvertimeSecond:
		return two(phase{10, "Overtime - 2nd Half - STOP"}, phase{11, "Overtime - 2nd Half"})
	case ShootOut:
		return two(phase{12, "Penalties/STOP"}, phase{13, "Penalties"})
	case End:
		return phase{14, "End Game"}
	}
	return phase{0, "Pre-Game"}
}

// line returns a message as a line of the RefBox's log of events. at is the moment before it: the RefBox shows the clock
// of then, and names the phase that the message leads to, but for the beginning of a part (refbox-2.1-capture).
func (b *Box) line(m *Message, at, after *State) msl.Line {
	l := msl.Line{
		TimestampMillis:  int64(b.now) / int64(time.Millisecond),
		TotalSeconds:     int(at.Total / time.Second),
		EffectiveSeconds: int(at.Effective / time.Second),
		State:            phaseOf(after).name, Description: words[m.Command].line, RobotID: m.RobotID,
	}
	switch m.Command {
	case FirstHalfBegins, SecondHalfBegins, OvertimeFirstBegins, OvertimeSecondBegins, Reset:
		l.State = phaseOf(at).name
	}
	if m.Side != Both {
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
