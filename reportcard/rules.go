package reportcard

import (
	"slices"

	"touchline/wire/msl"
)

// Rules that only a stream of worldstates can break, as short names that do not change. The rules of single messages are
// those of wire/msl.
const (
	RuleRate       = "rate"             // fewer than ten worldstates a second
	RuleGap        = "gap"              // no worldstate for a while
	RuleBackwards  = "time-backwards"   // worldstate time goes backwards
	RuleBurst      = "burst"            // several worldstates of one time
	RuleFrozen     = "ball-frozen"      // the first ball never moves while robots do
	RuleConstant   = "constant"         // a value never changes that does on a real robot
	RuleTarget     = "target-off-field" // the target of a robot is off the field
	RuleOffField   = "off-field"        // a robot or the first ball is far off the field
	RuleUnits      = "units"            // mm instead of m, degrees instead of radians, ...
	RuleFrame      = "frame"            // turned, mirrored, X and Y exchanged
	RuleSpeed      = "speed"            // faster than anything on the field
	RuleResolution = "resolution"       // fewer decimals than the specification asks for
	RuleEmpty      = "empty"            // worldstates without robots
	RuleName       = "team-name"        // worldstates without the team's name
	RuleEventRobot = "event-robot"      // an event of a robot that no worldstate lists
	RuleUnclosed   = "unclosed"         // bytes that no NUL closes
	RuleFlood      = "flood"            // more messages than a referee box keeps
)

// severities orders the rules: first those whose breach loses all data, then those that make it wrong, then those that
// make it poor.
var severities = []string{
	RuleUnclosed, RuleFlood, msl.RuleSyntax, msl.RuleType, msl.RuleMissing, RuleEmpty, RuleUnits, RuleFrame, RuleRate, RuleGap, RuleBackwards, RuleBurst,
	msl.RuleKey, msl.RuleValue, msl.RuleNull, msl.RuleVectorSize, msl.RuleID, msl.RuleCount, RuleEventRobot, RuleFrozen,
	msl.RuleConfidence, RuleConstant, msl.RuleHeading, RuleOffField, RuleTarget, RuleSpeed, msl.RuleAge, msl.RuleBattery,
	msl.RuleEngaged, msl.RuleRadius, msl.RuleOrder, RuleResolution, msl.RuleTooMany, RuleName,
}

// severity returns the place of a rule in severities.
func severity(rule string) int {
	if i := slices.Index(severities, rule); i >= 0 {
		return i
	}
	return len(severities)
}

// sources names the document that demands each rule of a stream.
var sources = map[string]string{
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
	RuleResolution: "MSL World Model 2015, section 2, three decimals for metres, four for radians",
	RuleUnclosed:   "MSL World Model 2015, section 3, important notice",
	RuleFlood:      "MSL World Model 2015, section 3, periodic rate",
	RuleEventRobot: "MSL World Model 2015, section 3, id of the robot that generates the event",
	RuleName:       "MSL World Model 2015, section 3, the team name is mandatory",
	RuleEmpty:      "MSL World Model 2015, section 3, the team's five robots",
}

// fixes says what to do about a breach of each rule.
var fixes = map[string]string{
	msl.RuleSyntax:     "Write messages with a JSON library: it escapes quotes in strings, has no NaN, and leaves no comma before a closing bracket.",
	msl.RuleType:       `Begin every message with "type": "worldstate", or "event" for an event.`,
	msl.RuleMissing:    "Send the key in every message: receivers need it to recognise the message.",
	msl.RuleUpstream:   "Send all seven keys, with empty lists and \"\" for unknown values: the RefBox 2.1 drops a worldstate that lacks one.",
	msl.RuleKey:        "Spell the key as in the example of the specification: receivers that expect this spelling lose the value.",
	msl.RuleExtra:      "Remove the key, or document it for those who analyse the logs.",
	msl.RuleValue:      "Write the type that the specification names: numbers without quotes, lists in brackets.",
	msl.RuleNull:       `Remove the key, or write "" for an unknown string; only components of a vector may be null.`,
	msl.RuleVectorSize: "Write three components for robots and balls and two for obstacles, as in the schema and the example.",
	msl.RuleHeading:    "Add 2 pi to negative headings: angles are in [0, 2 pi).",
	msl.RuleConfidence: "Write a probability from 0 to 1. Leave out a ball that no robot sees, or send null positions and confidence 0.",
	msl.RuleBattery:    "Write the charge in percent, from 0 to 100.",
	msl.RuleEngaged:    "Write 1 while the robot has the ball and 0 while it has not.",
	msl.RuleID:         "List each robot once, with the number on its shirt.",
	msl.RuleRadius:     "Write the obstacle's radius in metres, or leave it out.",
	msl.RuleAge:        "Write the age of the worldstate at the time of sending in milliseconds, not a timestamp.",
	msl.RuleCount:      "List the five robots that play, without substitutes and robots that are switched off.",
	msl.RuleTooMany:    "Send only the ones with the highest confidence.",
	msl.RuleOrder:      "Sort the balls by falling confidence: receivers use the first one.",
	RuleRate:           "Send at 20 Hz: at 10 Hz or less, some windows of 100 ms stay empty.",
	RuleGap:            "Send on a timer, even while nothing changes or the robots are silent. Reconnect at once when the connection is lost.",
	RuleBackwards:      "Compute ageMs as the time of sending minus the time of the worldstate, on one monotonic clock. Never send an older worldstate after a newer one.",
	RuleBurst:          "Send every worldstate once, as soon as it is made (TCP_NODELAY, no queue).",
	RuleFrozen:         "Send the ball that the team believes in now; send no ball while no robot knows one.",
	RuleConstant:       "Send the measured value; remove the key while it is unknown.", // for ageMs see fixAge
	RuleTarget:         "Check frame and unit of the targets: X to the right, Y to the opponents' goal, metres from the centre of the field. Leave the target out if the robot has none.",
	RuleOffField:       "Check frame and unit: metres from the centre of the field. Write null for unknown components.",
	RuleUnits:          "Convert to metres, radians, metres per second, percent and milliseconds.",
	RuleFrame:          "Use the origin at the centre, X to the right and Y to the opponents' goal as seen from your own goal, and counter-clockwise angles. Your own goal is at negative Y in both halves.",
	RuleSpeed:          "Check unit and time base of the velocities: metres per second in the frame of the field.",
	RuleResolution:     "Write positions with three decimals and angles with four, and do not round before.",
	RuleFlood:          "Send on a timer, 20 worldstates a second, and look for a loop that sends without waiting.",
	RuleUnclosed:       "Write one NUL byte (0) after every message, and nothing else between two messages.",
	RuleEventRobot:     "Write the number that the robot has in the worldstates.",
	RuleName:           "Write the team's name: logs are read without the connection that the messages came on.",
	RuleEmpty:          "List the robots that play; send no worldstate while none is known.",
}

// fixAge says what to do about an ageMs that never changes. The key must stay: without it, RefBox 2.1 drops the worldstate.
const fixAge = "Keep the key; write the time of sending minus the time of the worldstate, on one monotonic clock."
