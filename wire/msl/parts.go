package msl

import (
	"bytes"
	"math"
	"slices"
)

// form is what a value looks like.
type form uint8

const (
	formText form = iota
	formNumber
	formVector
	formList
)

// part is one key of an object.
type part struct {
	name  string
	form  form
	other []spelling // how else the key is written
	units [3]string  // of a number, or of a vector's components
	rule  rule       // of a number, of a vector's third component, or of a text
	size  [2]int     // how many components a vector has, and how many it may have
	parts []part     // of a list's objects
	must  string     // why the key may not be missing; "" where it may
	note  string     // what happens without the key, where no document forbids that
	most  int        // how many elements a list may have by the document, or that are read
	over  string     // the Rule that more break
	fault string     // and why
}

// spelling is another way to write a key.
type spelling struct {
	name string
	note string // who allows it; "" where nobody does
}

// rule says which numbers are right.
type rule uint8

const (
	ruleNone rule = iota
	ruleHeading
	ruleConfidence
	ruleRanked // a confidence by which a list is ordered
	ruleBattery
	ruleEngaged
	ruleID
	ruleRadius
	ruleAge
	ruleShirt
	ruleType // of a text, as the next
	ruleWord
)

// maxAge is an age in ms above which it looks like a clock: one sender writes its clock there (RefBox 2016), honest
// ages go to 4 s.
const maxAge = 60_000

// judge returns which Rule the number v breaks, why, and whether that is a note; the Rule is "" for a number that is right.
func (r rule) judge(v float64) (broken, why string, note bool) {
	switch {
	case r == ruleHeading && (v < 0 || v >= 2*math.Pi):
		return RuleHeading, "rad is not in [0, 2 pi): add or take away 2 pi; what rounds to 6.2832 is 0.0000", false
	case (r == ruleConfidence || r == ruleRanked) && (v < 0 || v > 1):
		return RuleConfidence, "is not in [0, 1]", false
	case r == ruleBattery && (v < 0 || v > 100):
		return RuleBattery, "percent is not in [0, 100]", false
	case r == ruleEngaged && v != 0 && v != 1:
		return RuleEngaged, "is neither 0 nor 1", false
	case r == ruleID && v != math.Trunc(v):
		return RuleID, "is no whole number", false
	case r == ruleID && (v < 1 || v > MaxNumber):
		return RuleID, "is on no shirt: numbers go from 1 to 99", true
	case r == ruleShirt && (v != math.Trunc(v) || v < 1 || v > MaxNumber):
		return RuleID, "is on no shirt: numbers go from 1 to 99", false
	case r == ruleRadius && v < 0:
		return RuleRadius, "m is no radius", false
	case r == ruleAge && v < 0:
		return RuleAge, "ms: nothing comes from the future", false
	case r == ruleAge && v > maxAge:
		return RuleAge, "ms is over a minute: a clock? Write sending time minus the moment that the worldstate holds", true
	}
	return "", "", false
}

// judgeText does the same for a text.
func (r rule) judgeText(text []byte) (broken, why string, note bool) {
	switch {
	case r == ruleType && string(text) != "worldstate" && string(text) != "event":
		return RuleType, "is neither \"worldstate\" nor \"event\"", false
	case r != ruleWord:
		return "", "", false
	}
	word := string(bytes.TrimSpace(text))
	switch {
	case word == "":
		return RuleType, "is no command", false
	case len(word) < len(text):
		return RuleWord, "has blanks around it, as in the RefBox's document: on the wire there are none", true
	case word == "GAME_OVER":
		return RuleWord, "is what the RefBox's document says: on the wire it is GAMEOVER", true
	case !slices.Contains(words, word):
		return RuleWord, "is no command of the RefBox 2.1", true
	}
	return "", "", false
}

// What the RefBox 2.1 does with a worldstate that lacks one of seven keys.
const dropped = "is missing: the RefBox 2.1 drops the message, newer ones need not"

var (
	schemaSpells = "is how the schema of section 4 writes it; its example and most senders do not"
	metres       = [3]string{"m", "m", "m"}
	speeds       = [3]string{"m/s", "m/s", "m/s"}
	pose         = [3]string{"m", "m", "rad"}
	twist        = [3]string{"m/s", "m/s", "rad/s"}
	triplet      = [2]int{3, 3}
	pair         = [2]int{2, 3}

	worldstateParts = []part{
		{name: "type", form: formText, rule: ruleType, must: "is missing: the first of two mandatory keys"},
		{name: "teamName", form: formText, must: "is missing: the second of two mandatory keys"},
		{name: "intention", form: formText, note: dropped},
		{name: "robots", form: formList, parts: robotParts, note: dropped, most: 5, over: RuleCount, fault: "robots: a team has five"},
		{name: "balls", form: formList, parts: ballParts, note: dropped, other: []spelling{{"Ball", schemaSpells}},
			most: MaxBalls, over: RuleTooMany, fault: "balls: at most 32 are read"},
		{name: "obstacles", form: formList, parts: obstacleParts, note: dropped, most: MaxObstacles,
			over: RuleTooMany, fault: "obstacles: at most 128 are read"},
		{name: "ageMs", form: formNumber, units: [3]string{"ms"}, rule: ruleAge, note: dropped},
	}
	robotParts = []part{
		{name: "id", form: formNumber, rule: ruleID},
		{name: "pose", form: formVector, units: pose, rule: ruleHeading, size: triplet},
		{name: "targetPose", form: formVector, units: pose, rule: ruleHeading, size: triplet,
			other: []spelling{{"target pose", ""}, {"targetPos", ""}}},
		{name: "velocity", form: formVector, units: twist, size: triplet, other: []spelling{{"Velocity", ""}}},
		{name: "intention", form: formText},
		{name: "batteryLevel", form: formNumber, units: [3]string{"%"}, rule: ruleBattery},
		{name: "ballEngaged", form: formNumber, rule: ruleEngaged},
	}
	ballParts = []part{
		{name: "position", form: formVector, units: metres, size: triplet},
		{name: "velocity", form: formVector, units: speeds, size: triplet, other: []spelling{{"Velocity", ""}}},
		{name: "confidence", form: formNumber, rule: ruleRanked},
	}
	obstacleParts = []part{
		{name: "position", form: formVector, units: metres, size: pair},
		{name: "velocity", form: formVector, units: speeds, size: pair, other: []spelling{{"Velocity", schemaSpells}}},
		{name: "radius", form: formNumber, units: [3]string{"m"}, rule: ruleRadius},
		{name: "confidence", form: formNumber, rule: ruleConfidence},
	}
	eventParts = []part{
		{name: "type", form: formText, rule: ruleType, must: "is missing"},
		{name: "robotId", form: formNumber, rule: ruleID, must: "is missing: which robot was it?"},
		{name: "event", form: formText, must: "is missing: what was it?"},
	}
	commandParts = []part{
		{name: "robotID", form: formNumber, rule: ruleShirt},
		{name: "command", form: formText, rule: ruleWord, must: "is missing"},
		{name: "targetTeam", form: formText, must: "is missing: the team's multicast group, or \"\" for both"},
	}
)
