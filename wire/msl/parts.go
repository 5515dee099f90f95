package msl

import (
	"bytes"
	"math"
	"slices"
)

// form is the type of a value.
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
	other []spelling // other spellings of the key
	units [3]string  // units of a number, or of a vector's components
	rule  rule       // rule of a number, of a vector's third component, or of a string
	size  [2]int     // components that a vector has, and may have
	parts []part     // keys of a list's objects
	must  string     // text of RuleMissing; "" if the key is optional
	note  string     // text of RuleUpstream; "" if RefBox 2.1 needs no such key
	most  int        // elements that a list may have
	over  string     // rule that more elements break
	fault string     // its text
}

// spelling is another way to write a key.
type spelling struct {
	name string
	note string // the document that allows it; "" if none does
}

// rule is a range or set of valid values.
type rule uint8

const (
	ruleNone rule = iota
	ruleHeading
	ruleConfidence
	ruleRanked // a confidence by which a list is sorted
	ruleBattery
	ruleEngaged
	ruleID
	ruleRadius
	ruleAge
	ruleShirt
	ruleType // rule of a string, as is ruleWord
	ruleWord
)

// maxAge is the age in ms above which it looks like a timestamp: one sender in RefBox 2016 writes its clock there. Real
// ages are at most 4 s.
const maxAge = 60_000

// judge returns the rule that the number v breaks ("" if none), the reason, and whether it is a note.
func (r rule) judge(v float64) (broken, why string, note bool) {
	switch {
	case r == ruleHeading && (v < 0 || v >= 2*math.Pi):
		return RuleHeading, whyHeading, false
	case (r == ruleConfidence || r == ruleRanked) && (v < 0 || v > 1):
		return RuleConfidence, whyConfidence, false
	case r == ruleBattery && (v < 0 || v > 100):
		return RuleBattery, whyBattery, false
	case r == ruleEngaged && v != 0 && v != 1:
		return RuleEngaged, whyEngaged, false
	case r == ruleID && v != math.Trunc(v):
		return RuleID, whyWhole, false
	case r == ruleID && (v < 1 || v > MaxNumber):
		return RuleID, whyShirt, true
	case r == ruleShirt && (v != math.Trunc(v) || v < 1 || v > MaxNumber):
		return RuleID, whyShirt, false
	case r == ruleRadius && v < 0:
		return RuleRadius, whyRadius, false
	case r == ruleAge && v < 0:
		return RuleAge, whyAge, false
	case r == ruleAge && v > maxAge:
		return RuleAge, whyClock, true
	}
	return "", "", false
}

// judgeText does the same for a string.
func (r rule) judgeText(text []byte) (broken, why string, note bool) {
	switch {
	case r == ruleType && string(text) != "worldstate" && string(text) != "event":
		return RuleType, whyType, false
	case r != ruleWord:
		return "", "", false
	}
	word := string(bytes.TrimSpace(text))
	switch {
	case word == "":
		return RuleType, whyNoCommand, false
	case len(word) < len(text):
		return RuleWord, whyBlanks, true
	case word == "GAME_OVER":
		return RuleWord, whyGameOver, true
	case !slices.Contains(words, word):
		return RuleWord, whyWord, true
	}
	return "", "", false
}

// dropped is why a worldstate should have all of its seven keys.
const dropped = "is missing: RefBox 2.1 drops the message"

var (
	schemaSpells = "is the spelling of the schema in section 4; its example and most senders differ"
	metres       = [3]string{"m", "m", "m"}
	speeds       = [3]string{"m/s", "m/s", "m/s"}
	pose         = [3]string{"m", "m", "rad"}
	twist        = [3]string{"m/s", "m/s", "rad/s"}
	triplet      = [2]int{3, 3}
	pair         = [2]int{2, 3}

	worldstateParts = []part{
		{name: "type", form: formText, rule: ruleType, must: "is missing: it is mandatory"},
		{name: "teamName", form: formText, must: "is missing: it is mandatory"},
		{name: "intention", form: formText, note: dropped},
		{name: "robots", form: formList, parts: robotParts, note: dropped, most: 5, over: RuleCount,
			fault: "robots: a team plays with five"},
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
		{name: "robotId", form: formNumber, rule: ruleID, must: "is missing: the robot's shirt number"},
		{name: "event", form: formText, must: "is missing: the kind of event"},
	}
	commandParts = []part{
		{name: "robotID", form: formNumber, rule: ruleShirt},
		{name: "command", form: formText, rule: ruleWord, must: "is missing"},
		{name: "targetTeam", form: formText, must: "is missing: the team's multicast group, or \"\" for both"},
	}
)
