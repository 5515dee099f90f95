package check

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
	RuleUnclosed   = "unclosed"         // bytes that no NUL closes
	RuleFlood      = "flood"            // more messages than a referee box keeps
	RuleVanished   = "vanished"         // no worldstate for a large part of the game
	RuleJump       = "jump"             // a robot is elsewhere at once
	RuleFlip       = "mirror-flip"      // a robot is at once at the place opposite to the centre
	RuleOverlap    = "overlap"          // two robots on top of each other
	RuleEngagedFar = "engaged-far"      // a robot has the ball that is far away
	RuleSameBalls  = "same-balls"       // several balls, always at one place
	RuleTargetPose = "target-is-pose"   // the target of a robot is always its pose
)
