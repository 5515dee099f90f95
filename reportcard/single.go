package reportcard

import "touchline/wire/msl"

// This file judges the rules that need nothing but a count.

// unclosedFinding appends that no NUL closes the last bytes.
func (c *Card) unclosedFinding(all []Finding) []Finding {
	if c.unclosed == 0 {
		return all
	}
	return append(all, c.violation(&spot{count: 1}, RuleUnclosed, share(1, c.messages+1),
		"no NUL after the last %s: the referee box waits for the rest of the message", plural(uint64(c.unclosed), "byte")))
}

// floodFinding appends that the referee box did not keep all messages.
func (c *Card) floodFinding(all []Finding) []Finding {
	if c.omitted == 0 {
		return all
	}
	return append(all, c.violation(&spot{count: c.omitted}, RuleFlood, share(c.omitted, c.messages+c.omitted),
		"up to %d messages in a second: the referee box kept %d of them, and counted %d that are not in the log",
		c.flood[1], c.flood[0], c.omitted))
}

// emptyFinding appends that worldstates list no robot.
func (c *Card) emptyFinding(all []Finding) []Finding {
	n := c.empty.count
	if n < enoughMessages || share(n, c.worldstates) < 0.2 {
		return all
	}
	return append(all, c.note(&c.empty, RuleEmpty, share(n, c.worldstates),
		"%d of %d worldstates list no robot", n, c.worldstates))
}

// eventFinding appends the events of unknown robots.
func (c *Card) eventFinding(all []Finding) []Finding {
	n := c.unknownRobot.count
	if n == 0 {
		return all
	}
	return append(all, c.violation(&c.unknownRobot, RuleEventRobot, share(n, c.events),
		"%s of a robot that no earlier worldstate lists", plural(n, "event")))
}

// nameFinding appends that the team does not give its name.
func (c *Card) nameFinding(all []Finding) []Finding {
	if n := c.unnamed.count; n < enoughMessages || n != c.worldstates || hasFault(all, msl.RuleMissing) {
		return all
	}
	return append(all, c.note(&c.unnamed, RuleName, 1, "teamName is empty in all worldstates"))
}

// speedFindings appends velocities that nothing on the field has.
func (c *Card) speedFindings(all []Finding) []Finding {
	s := &c.contents.fast
	if s.count == 0 || c.contents.lengths[ofRobots].otherUnit() {
		return all
	}
	return append(all, c.violation(s, RuleSpeed, share(s.count, c.worldstates),
		"%s: nothing on the field is that fast", c.contents.fastest))
}

// hasFault reports whether a fault of one of the rules was found.
func hasFault(all []Finding, rules ...string) bool {
	for i := range all {
		for _, rule := range rules {
			if all[i].Rule == rule && !all[i].Note {
				return true
			}
		}
	}
	return false
}

// explained reports whether another unit explains that values are out of their range.
func (c *Card) explained(f Finding) bool {
	d := &c.contents
	return f.Rule == msl.RuleHeading && d.headings.otherUnit() ||
		f.Rule == msl.RuleConfidence && d.percents.otherUnit() && d.percents.max <= 100
}
