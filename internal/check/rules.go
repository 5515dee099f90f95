package check

import (
	"fmt"
	"slices"

	"touchline/wire/msl"
)

// Rules that only a stream of worldstates can break, as short names that do not change. The rules of single messages
// are those of wire/msl.
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
	RuleCommand    = "command"          // a command of a referee box among the team's messages
	ruleUnclosed   = "unclosed"         // bytes that no NUL closes
	RuleFlood      = "flood"            // more messages than a referee box keeps
	RuleVanished   = "vanished"         // no worldstate for a large part of the game
	RuleJump       = "jump"             // a robot is elsewhere at once
	RuleFlip       = "mirror-flip"      // a robot is at once at the place opposite to the centre
	RuleOverlap    = "overlap"          // two robots on top of each other
	RuleEngagedFar = "engaged-far"      // a robot has the ball that is far away
	RuleSameBalls  = "same-balls"       // several balls, always at one place
	RuleTargetPose = "target-is-pose"   // the target of a robot is always its pose
)

// rule is a rule of a report card. Rules of wire/msl have no judge: msl.Worldstate.Examine applies them to each
// message.
type rule struct {
	name   string
	judge  func(c *Card, out *findings) // reports the breaches; out has those of earlier rules
	text   string                       // what breaks it
	limit  string                       // from when on it is broken; "": any breach
	source string                       // the document that demands it; "": each finding names its own
	fix    string                       // what to do
}

// rules are all rules: first those whose breach loses all data, then those that make it wrong, then those that make it
// poor. A rule leaves out what the findings of earlier ones explain.
var rules = []rule{
	{
		name: ruleUnclosed, judge: (*Card).judgeUnclosed,
		text:   "bytes without a NUL at the end",
		limit:  "at the end of a live check",
		source: "MSL World Model 2015, section 3, important notice",
		fix:    "Write one NUL byte (0) after every message, and nothing else between two messages.",
	},
	{
		name: RuleFlood, judge: (*Card).judgeFlood,
		text:   "more messages than the log keeps, 200 or 2 MiB a second",
		limit:  "any that the referee box did not keep",
		source: "MSL World Model 2015, section 3, periodic rate",
		fix:    "Send on a timer, 20 worldstates a second, and look for a loop that sends without waiting.",
	},
	{
		name: msl.RuleSyntax,
		text: "messages that are not JSON",
		fix: "Write messages with a JSON library: it escapes quotes in strings, has no NaN, and " +
			"leaves no comma before a closing bracket.",
	},
	{
		name: msl.RuleType,
		text: "messages without a valid type",
		fix:  `Begin every message with "type": "worldstate", or "event" for an event.`,
	},
	{
		name: msl.RuleMissing,
		text: "a required key is missing",
		fix:  "Send the key in every message: receivers need it to recognise the message.",
	},
	{
		name: RuleEmpty, judge: (*Card).judgeEmpty,
		text:   "worldstates without robots",
		limit:  "20 % of the worldstates, and at least 20 worldstates",
		source: "MSL World Model 2015, section 3, the team's five robots",
		fix:    "List the robots that play; send no worldstate while none is known.",
	},
	{
		name: RuleVanished, judge: (*Card).judgeVanished,
		text: "no worldstate for a large part of the game",
		limit: fmt.Sprintf("%v s and %v %% of the game while the referee box logged; %v %% of a log without a game",
			leastAway, 100*awayShare, 100*awayNoGame),
		source: "MSL World Model 2015, section 3, at least 10 times per second",
		fix:    "Reconnect at once when the connection is lost, and start the base station before the game.",
	},
	{
		name: RuleUnits, judge: (*Card).judgeUnits,
		text: "values that look like another unit",
		limit: fmt.Sprintf("20 %% of the positions beyond %v m or of the headings beyond 2 pi; 50 %% of the "+
			"confidences above 1; no age above 1 ms; no battery above 1 %%", notMetres),
		source: "MSL World Model 2015, section 2, metres and radians, and section 3, percent and milliseconds",
		fix:    "Convert to metres, radians, metres per second, percent and milliseconds.",
	},
	{
		name: RuleFrame, judge: (*Card).judgeFrame,
		text: "positions that look like another frame",
		limit: "a keeper 90 % of the time at another goal or side; 60 % of the moves against the " +
			"velocities; X equal to Y in 90 %; the two teams' balls agree only in another frame",
		source: "MSL World Model 2015, section 2, figure 1",
		fix: "Use the origin at the centre, X to the right and Y to the opponents' goal as seen from " +
			"your own goal, and counter-clockwise angles. Your own goal is at negative Y in both " +
			"halves.",
	},
	{
		name: RuleRate, judge: (*Card).judgeRate,
		text: "fewer than ten worldstates a second",
		limit: fmt.Sprintf("a mean below %.1f Hz; or 2 %% of the seconds, or three in a row, with %d worldstates or "+
			"fewer, less what the readings make uncertain", (1-rateError)*leastRate, poor),
		source: "MSL World Model 2015, section 3, at least 10 times per second",
		fix:    "Send at 20 Hz: at 10 Hz or less, some windows of 100 ms stay empty.",
	},
	{
		name: RuleGap, judge: (*Card).judgeGaps,
		text: "gaps between worldstates",
		limit: fmt.Sprintf("one of %v s, or three of %v s; a note for a single one, and for gaps after which "+
			"everything missing arrives at once", longGap.Seconds(), shortGap.Seconds()),
		source: "MSL World Model 2015, section 3, sampling period of around 100 ms",
		fix: "Send on a timer, even while nothing changes or the robots are silent. Reconnect at once " +
			"when the connection is lost.",
	},
	{
		name: RuleBackwards, judge: (*Card).judgeBackwards,
		text: "worldstate time went backwards",
		limit: fmt.Sprintf("further than the time between two readings, or than steps of worldstate time usually "+
			"differ; three times and 0.5 %%, or once by %v ms; else a note", maxBack.Milliseconds()),
		source: "MSL World Model 2015, section 3, information age: the RefBox calculates the timestamp with it",
		fix: "Compute ageMs as the time of sending minus the time of the worldstate, on one monotonic " +
			"clock. Never send an older worldstate after a newer one.",
	},
	{
		name: RuleBurst, judge: (*Card).judgeBursts,
		text: "worldstates sent twice or several at a time",
		limit: fmt.Sprintf("5 %% sent twice while a robot moves fast; 12 %% at once with the one before, more than "+
			"%v ms apart (live: however close)", slowReader.Milliseconds()),
		source: "MSL World Model 2015, section 3, periodic rate",
		fix:    "Send every worldstate once, as soon as it is made (TCP_NODELAY, no queue).",
	},
	{
		name: msl.RuleKey,
		text: "misspelled keys",
		fix: "Spell the key as in the example of the specification: receivers that expect this " +
			"spelling lose the value.",
	},
	{
		name: msl.RuleValue,
		text: "values of the wrong type",
		fix:  "Write the type that the specification names: numbers without quotes, lists in brackets.",
	},
	{
		name: msl.RuleNull,
		text: "null instead of a value",
		fix:  `Remove the key, or write "" for an unknown string; only components of a vector may be null.`,
	},
	{
		name:  msl.RuleVectorSize,
		text:  "vectors with too few or too many components",
		limit: "any; a note for three components of an obstacle",
		fix: "Write three components for robots and balls and two for obstacles, as in the schema and " +
			"the example.",
	},
	{
		name: msl.RuleID,
		text: "robot numbers outside 1 to 99 or used twice",
		fix:  "List each robot once, with the number on its shirt.",
	},
	{
		name: msl.RuleCount,
		text: "more than five robots",
		fix:  "List the five robots that play, without substitutes and robots that are switched off.",
	},
	{
		name: RuleEventRobot, judge: (*Card).judgeEvents,
		text:   "events of robots that are in no worldstate of the team",
		limit:  "any",
		source: "MSL World Model 2015, section 3, id of the robot that generates the event",
		fix:    "Write the number that the robot has in the worldstates.",
	},
	{
		name: RuleCommand, judge: (*Card).judgeCommands,
		text:   "commands of a referee box among worldstates or events",
		limit:  "any",
		source: "MSL World Model 2015, section 3, type label",
		fix:    "Send worldstates and events only: the referee box commands, and drops what a team commands.",
	},
	{
		name: RuleFrozen, judge: (*Card).judgeFrozenBall,
		text: "a ball that never moves",
		limit: fmt.Sprintf("within %v m for %v s while robots drive %v m; or the same to the last digit for 25 s of "+
			"a log or 45 s of play", stillBall, longStill, farDriven),
		source: "MSL World Model 2015, section 3, current ball position",
		fix:    "Send the ball that the team believes in now; send no ball while no robot knows one.",
	},
	{
		name: RuleSameBalls, judge: (*Card).judgeSameBalls,
		text:   "several balls, always at one place",
		limit:  fmt.Sprintf("99 %% of the worldstates with several balls, and at least %d", enoughValues/2),
		source: "MSL World Model 2015, section 3, current ball position",
		fix:    "List each ball that the team considers once; one ball is enough.",
	},
	{
		name: msl.RuleConfidence,
		text: "confidences outside [0, 1]",
		fix: "Write a probability from 0 to 1. Leave out a ball that no robot sees, or send null " +
			"positions and confidence 0.",
	},
	{
		name: RuleConstant, judge: (*Card).judgeConstant,
		text: "values that never change",
		limit: fmt.Sprintf("ageMs, the ball's confidence, target headings 0: for %v s; velocities 0 while robots "+
			"move 10 m or turn by %v rad, or the ball moves 5 m; headings while robots move 10 m; a "+
			"note for ageMs 0", longEnough, enoughTurn),
		source: "MSL World Model 2015, section 3, confidence, velocity and information age",
		fix:    "Send the measured value; remove the key while it is unknown.",
	},
	{
		name: RuleTargetPose, judge: (*Card).judgeTargetPoses,
		text: "targets that are the pose",
		limit: fmt.Sprintf("%v %% of the targets of a robot that moves %v m, and at least %d of them", 100*targetShare, enoughPath,
			enoughValues),
		source: "MSL World Model 2015, section 3, target pose",
		fix:    "Write where the robot drives to; leave the target out while it has none.",
	},
	{
		name: RuleJump, judge: (*Card).judgeJumps,
		text: "robots that jump",
		limit: fmt.Sprintf("faster than %v m/s since the pose last changed, and farther than %v m: a robot that was off "+
			"may have been carried", jumpSpeed, jumpLength),
		source: "MSL World Model 2015, section 3, current pose",
		fix:    "Check self-localisation at that time, and that every robot has a number of its own.",
	},
	{
		name: RuleFlip, judge: (*Card).judgeFlips,
		text: "robots that flip to the opposite place",
		limit: fmt.Sprintf("to within %v m of the opposite place, while fewer than %d robots do so within %v s",
			mirrorError, manyFlips, changeEnds),
		source: "MSL World Model 2015, section 3, current pose",
		fix: "The field looks the same from both ends: let self-localisation keep to its half, with " +
			"the compass or the other robots' ball.",
	},
	{
		name: RuleOverlap, judge: (*Card).judgeOverlaps,
		text:   "robots on top of each other",
		limit:  fmt.Sprintf("less than %v m apart for %v s", narrowest, stacked),
		source: "MSL Rules 2026, robots of at least 30 x 30 cm",
		fix: "Leave out robots that are off or wait outside the field; else check the " +
			"self-localisation of these robots.",
	},
	{
		name: RuleEngagedFar, judge: (*Card).judgeEngaged,
		text: "robots that have a ball far away",
		limit: fmt.Sprintf("%d and 5 %% of the poses with ballEngaged 1 are more than %v m from every ball",
			enoughFar, farBall),
		source: "MSL World Model 2015, section 3, ball engaged",
		fix: "Write ballEngaged 1 only while the robot touches the ball, and the ball that this robot " +
			"has as the first one.",
	},
	{
		name: msl.RuleHeading,
		text: "headings outside [0, 2 pi)",
		fix:  "Add 2 pi to negative headings: angles are in [0, 2 pi).",
	},
	{
		name: RuleOffField, judge: (*Card).judgeOffField,
		text: "robots or a ball far outside the field",
		limit: fmt.Sprintf("%v m outside the lines of a field of 22 x 14 m, or %v m above or below the floor",
			offHall, tooHigh),
		source: "MSL World Model 2015, section 2, frame and metres; MSL Rules 2026, field of 22 x 14 m",
		fix:    "Check frame and unit: metres from the centre of the field. Write null for unknown components.",
	},
	{
		name: RuleTarget, judge: (*Card).judgeTargets,
		text:   "targets outside the field",
		limit:  fmt.Sprintf("%v m outside the lines of a field of 22 x 14 m", offTarget),
		source: "MSL World Model 2015, section 2, frame and metres; MSL Rules 2026, field of 22 x 14 m",
		fix: "Check frame and unit of the targets: X to the right, Y to the opponents' goal, metres " +
			"from the centre of the field. Leave the target out if the robot has none.",
	},
	{
		name: RuleSpeed, judge: (*Card).judgeSpeed,
		text: "impossible speeds",
		limit: fmt.Sprintf("robots above %v m/s or %v rad/s, the ball above %v m/s",
			robotSpeed, robotTurn, ballSpeed),
		source: "MSL World Model 2015, section 2, metres per second",
		fix:    "Check unit and time base of the velocities: metres per second in the frame of the field.",
	},
	{
		name:  msl.RuleAge,
		text:  "impossible ageMs values",
		limit: "negative; a timestamp in most worldstates",
		fix:   "Write the age of the worldstate at the time of sending in milliseconds, not a timestamp.",
	},
	{
		name: msl.RuleBattery,
		text: "battery levels outside [0, 100]",
		fix:  "Write the charge in percent, from 0 to 100.",
	},
	{
		name: msl.RuleEngaged,
		text: "ballEngaged is neither 0 nor 1",
		fix:  "Write 1 while the robot has the ball and 0 while it has not.",
	},
	{
		name: msl.RuleRadius,
		text: "negative radii",
		fix:  "Write the obstacle's radius in metres, or leave it out.",
	},
	{
		name: msl.RuleOrder,
		text: "balls not ordered by confidence",
		fix:  "Sort the balls by falling confidence: receivers use the first one.",
	},
	{
		name: RuleResolution, judge: (*Card).judgeResolution,
		text:   "fewer decimals than required",
		limit:  "no position finer than 0.1 m or heading than 0.01 rad; a note for a tenth of that",
		source: "MSL World Model 2015, section 2, three decimals for metres, four for radians",
		fix: "Write positions with three decimals and angles with four, and do not round before. Headings from mixed team " +
			"packages cannot be finer: they are whole milliradians.",
	},
	{
		name: msl.RuleTooMany,
		text: "more balls or obstacles than are decoded",
		fix:  "Send only the ones with the highest confidence.",
	},
	{
		name: RuleName, judge: (*Card).judgeName,
		text:   "worldstates without the team name",
		limit:  "all; a note",
		source: "MSL World Model 2015, section 3, the team name is mandatory",
		fix:    "Write the team's name: logs are read without the connection that the messages came on.",
	},
	{
		name:  msl.RuleUpstream,
		text:  "worldstates that RefBox 2.1 drops",
		limit: "a note; with --strict-upstream a fault",
		fix: `Send all seven keys, with empty lists and "" for unknown values: the RefBox 2.1 drops a ` +
			"worldstate that lacks one.",
	},
	{
		name:  msl.RuleExtra,
		text:  "unknown keys",
		limit: "a note",
		fix:   "Remove the key, or document it for those who analyse the logs.",
	},
}

// rank returns the place of a rule in rules.
func rank(name string) int {
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.name == name }); i >= 0 {
		return i
	}
	return len(rules)
}

// Describe returns in general what breaks a rule; "" if there is no rule of this name.
func Describe(name string) string {
	if i := rank(name); i < len(rules) {
		return rules[i].text
	}
	return ""
}
