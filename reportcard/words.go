package reportcard

import (
	"slices"

	"touchline/wire/msl"
)

// severities orders the rules: what loses all data first, then what makes it wrong, then what makes it poor.
var severities = []string{
	RuleUnclosed, msl.RuleSyntax, msl.RuleType, msl.RuleMissing, RuleEmpty, RuleUnits, RuleFrame, RuleRate, RuleGap, RuleBackwards, RuleBurst,
	msl.RuleKey, msl.RuleValue, msl.RuleNull, msl.RuleVectorSize, msl.RuleID, msl.RuleCount, RuleStranger, RuleFrozen,
	msl.RuleConfidence, RuleConstant, msl.RuleHeading, RuleOffField, RuleTarget, RuleSpeed, msl.RuleAge, msl.RuleBattery,
	msl.RuleEngaged, msl.RuleRadius, msl.RuleOrder, RuleResolution, msl.RuleTooMany, RuleName,
}

func severity(rule string) int {
	if i := slices.Index(severities, rule); i >= 0 {
		return i
	}
	return len(severities)
}

// streamClauses says which document has each rule of a stream.
var streamClauses = map[string]string{
	RuleRate:       "MSL World Model 2015, section 3, at least 10 times per second",
	RuleGap:        "MSL World Model 2015, section 3, sampling period of around 100 ms",
	RuleBackwards:  "MSL World Model 2015, section 3, information age: the RefBox calculates the timestamp with it",
	RuleBurst:      "MSL World Model 2015, section 3, periodic rate",
	RuleFrozen:     "MSL World Model 2015, section 3, current ball position",
	RuleConstant:   "MSL World Model 2015, section 3, confidence, velocity and information age",
	RuleTarget:     "MSL World Model 2015, section 2, frame and metres; MSL Rules 2026, field of 22 x 14 m",
	RuleOffField:   "MSL World Model 2015, section 2, frame and metres; MSL Rules 2026, field of 22 x 14 m",
	RuleUnits:      "MSL World Model 2015, section 2, metres and radians, and section 3, percent and milliseconds",
	RuleFrame:      "MSL World Model 2015, section 2, figure 1",
	RuleSpeed:      "MSL World Model 2015, section 2, metres per second",
	RuleResolution: "MSL World Model 2015, section 2, three decimals of a metre, four of a radian",
	RuleUnclosed:   "MSL World Model 2015, section 3, important notice",
	RuleStranger:   "MSL World Model 2015, section 3, the robot id generating the event",
	RuleName:       "MSL World Model 2015, section 3, the team name, which is mandatory",
	RuleEmpty:      "MSL World Model 2015, section 3, the team's five robots",
}

// fixes says what to do instead, rule by rule.
var fixes = map[string]string{
	msl.RuleSyntax:     "Write the message with a JSON library: it escapes quotes in texts, writes null for what is not a number, and leaves no comma behind the last element.",
	msl.RuleType:       `Begin every message with "type": "worldstate", or "event" for an event.`,
	msl.RuleMissing:    "Send the key in every message: without it, nobody can tell what the message is.",
	msl.RuleUpstream:   "Send all seven keys, with empty lists and \"\" where nothing is known: the RefBox 2.1 drops a worldstate that lacks one.",
	msl.RuleKey:        "Spell the key as the example of the specification does: who reads that name only loses the value.",
	msl.RuleExtra:      "Leave the key out, or tell those who read the logs what it means.",
	msl.RuleValue:      "Write the type that the specification names: numbers without quotes, lists in brackets.",
	msl.RuleNull:       `Leave out the key, or write "" for an unknown text; null is for single components of a vector.`,
	msl.RuleVectorSize: "Write three components for robots and balls, two for obstacles, as schema and example do.",
	msl.RuleHeading:    "Add 2 pi to negative headings before writing: angles are in [0, 2 pi).",
	msl.RuleConfidence: "Write a probability from 0 to 1; leave out a ball that nobody sees, or give it null positions and confidence 0.",
	msl.RuleBattery:    "Write percent of a full battery from 0 to 100.",
	msl.RuleEngaged:    "Write 1 while the robot has the ball and 0 otherwise.",
	msl.RuleID:         "Write each robot once, under the number on its shirt.",
	msl.RuleRadius:     "Write the obstacle's radius in metres, or leave it out.",
	msl.RuleAge:        "Write how many milliseconds ago the worldstate was true when it is sent, not a clock.",
	msl.RuleCount:      "List the five robots that play; leave out substitutes and those that are off.",
	msl.RuleTooMany:    "Send the most confident ones only.",
	msl.RuleOrder:      "Sort the balls by falling confidence: the first is taken for the ball.",
	RuleRate:           "Send at 20 Hz: at 10 Hz or less, windows of 100 ms stay empty.",
	RuleGap:            "Send on a timer of its own, also while nothing changes or robots are silent; connect again at once when the connection is lost.",
	RuleBackwards:      "Compute ageMs as sending time minus the moment that the worldstate holds, on one monotonic clock, and never send an older worldstate after a newer one.",
	RuleBurst:          "Send every worldstate when it is made (TCP_NODELAY, no queue), each moment once.",
	RuleFrozen:         "Send the ball that the team believes in now; send no ball while nobody knows one.",
	// ageMs has words of its own, below.
	RuleConstant:   "Send the measured value; leave the key out when it is not known.",
	RuleTarget:     "Check the frame and unit of targets: X to the right, Y to the opponents' goal, metres from the centre of the field. A robot without a target has none.",
	RuleOffField:   "Check frame and unit: metres from the centre of the field. What is not known is null.",
	RuleUnits:      "Convert before writing: metres, radians, metres per second, percent, milliseconds.",
	RuleFrame:      "Origin at the centre, X to the right and Y to the opponents' goal as seen from the own goal, angles counter-clockwise; the own goal is at negative Y in both halves.",
	RuleSpeed:      "Check unit and time base of velocities: metres per second in the field's frame.",
	RuleResolution: "Write positions with three decimals and angles with four, and do not round before.",
	RuleUnclosed:   "Write one NUL byte (0) behind every message, and nothing else between two messages.",
	RuleStranger:   "Write the number that the robot has in the worldstates.",
	RuleName:       "Write the team's name: logs are read without the connection that they came on.",
	RuleEmpty:      "List the robots that play: who has nothing to tell sends nothing.",
}

// fixAge says what to do with an ageMs that never varies: without the key, RefBox 2.1 drops the worldstate.
const fixAge = "Keep the key; write sending time minus the moment that the worldstate holds, on one monotonic clock."
