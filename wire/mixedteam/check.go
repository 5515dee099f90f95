package mixedteam

import (
	"encoding/binary"
	"errors"

	"touchline/soccer"
	"touchline/wire"
)

// Sources of issues.
const (
	sourceNetwork = "Mixed Team Package v2, Network Setup"
	sourceRemarks = "Mixed Team Package v2, General Remarks"
	sourceSpec    = "Mixed Team Package v2, Specification"
	sourceV1      = "Practical Session 2014, Mixed team comm package"
	sourceAngles  = "MSL World Model 2015, section 2"
)

const (
	maxTheta = 6283       // mrad, the last whole one before a full turn
	maxTime  = 1 << 27    // ms: 37 hours, longer than any half or demonstration
	neverSet = 0xFFFF8000 // -32768, the timestamp of the Falcons' program, which never sets it
)

// The rules of Check.
var (
	ruleTruncated = wire.Rule{Key: "truncated", Source: sourceSpec, Text: "a truncated %v package: %d bytes of %d"}
	ruleForeign   = wire.Rule{Key: "foreign", Source: sourceNetwork,
		Text: "starts with 123 but is no mixed team package: other traffic must start with another byte"}
	ruleUncertain = wire.Rule{Key: "uncertain", Source: sourceRemarks, Text: "uncertain: %s", Note: true}
	ruleVersion   = wire.Rule{Key: "version", Source: sourceSpec, Text: "%d in the layout of version 2: write 2"}
	rulePadded    = wire.Rule{Key: "padded", Source: sourceSpec,
		Text: "188 bytes with a compiler's padding instead of 169: pack the struct (#pragma pack(push, 1))"}
	ruleSwapped = wire.Rule{Key: "swapped", Source: sourceRemarks,
		Text: "fits %v when the bytes of each field are swapped: write integers little-endian, the " +
			"least significant byte first"}
	ruleTrailing = wire.Rule{Key: "trailing", Source: sourceRemarks, Note: true,
		Text: "%d bytes of the team's own data follow the package, which is allowed"}
	ruleOrder = wire.Rule{Key: "order", Source: sourceV1, Text: "%d after %d: order by falling confidence"}
	ruleUnset = wire.Rule{Key: "unset", Source: sourceSpec,
		Text: "0xFFFF8000 is the value of a field that was never set: write the milliseconds since the start of the half"}
	ruleTime = wire.Rule{Key: "time", Source: sourceSpec, Note: true,
		Text: "%d ms is more than a day: count from the start of the half"}
	ruleColor = wire.Rule{Key: "color", Source: sourceSpec, Text: "%d is no colour: 0 is cyan, 1 is magenta"}
	ruleTeam  = wire.Rule{Key: "team", Source: sourceSpec, Note: true,
		Text: "%d is not in the league's team table: write the last octet of the team's multicast group"}
	ruleRobot = wire.Rule{Key: "robot", Source: sourceSpec,
		Text: "%d is no jersey number of a mixed team: write 1 to 6"}
	ruleAbsent = wire.Rule{Key: "absent", Source: sourceV1,
		Text: "coordinates with confidence 0, which marks an absent record: write -32768 in each of them"}
	ruleUnused = wire.Rule{Key: "unused", Source: sourceRemarks,
		Text: "%d in a record without a position: write -32768 in all its fields"}
	ruleConfidence = wire.Rule{Key: "confidence", Source: sourceRemarks, Text: "%d in an unused record: write 0"}
	ruleVelocity   = wire.Rule{Key: "velocity", Source: sourceRemarks,
		Text: "a partly used velocity: write all of it, or -32768 in each field"}
	ruleHeading = wire.Rule{Key: "heading", Source: sourceRemarks, Note: true,
		Text: "unused: receivers know the robot's position, but not its heading"}
	ruleTheta = wire.Rule{Key: "theta", Source: sourceAngles, Text: "%d mrad is outside one turn: write 0 to 6283"}

	rulesOfCheck = []wire.Rule{ruleTruncated, ruleForeign, ruleUncertain, ruleVersion, rulePadded, ruleSwapped,
		ruleTrailing, ruleOrder, ruleUnset, ruleTime, ruleColor, ruleTeam, ruleRobot, ruleAbsent, ruleUnused,
		ruleConfidence, ruleVelocity, ruleHeading, ruleTheta}
)

// Check returns the faults of the package that b begins with, by offset. Other traffic is no fault unless it starts
// with the flag. Trailing bytes, an unknown team and doubt about the variant are notes.
func Check(b []byte) []wire.Issue {
	if len(b) == 0 || b[0] != Flag {
		return nil
	}
	id, cut := identify(b)
	if l := layoutOf(cut); l != nil {
		return []wire.Issue{ruleTruncated.Issue(len(b), "", cut, len(b), l.size)}
	}
	l := layoutOf(id.Variant)
	if l == nil {
		return []wire.Issue{ruleForeign.Issue(0, "mixed_team_flag")}
	}
	var issues []wire.Issue
	if id.Confidence < 0.9 {
		issues = append(issues, ruleUncertain.Issue(0, "", id.Reason))
	}
	if l.variant != V1 && b[1] != Version {
		issues = append(issues, ruleVersion.Issue(1, "package_version", b[1]))
	}
	if l.variant == V2Padded {
		issues = append(issues, rulePadded.Issue(2, ""))
	}
	if id.BigEndian {
		issues = append(issues, ruleSwapped.Issue(l.balls, "", id.Variant))
	}
	var buf [SizePadded]byte
	issues = append(issues, rules(l, id.littleEndian(b, &buf), true)...)
	if rest := len(b) - l.size; rest > 0 {
		issues = append(issues, ruleTrailing.Issue(l.size, "trailing", rest))
	}
	return issues
}

// firstViolation returns the first violation of an encoded package as an error.
func firstViolation(v Variant, b []byte) error {
	if issues := rules(layoutOf(v), b, false); len(issues) > 0 {
		return errors.New("mixedteam: " + issues[0].String())
	}
	return nil
}

// rules returns the faults in the values of a package, with or without notes. Check and AppendBinary share them.
func rules(l *layout, b []byte, notes bool) []wire.Issue {
	issues := headerRules(l, b, notes)
	last := [3]uint8{255, 255, 255} // confidence of the previous record, by kind
	for i := range l.records() {
		r := l.record(i)
		if issue := recordRule(l, b, r, notes); issue.Text != "" {
			issues = append(issues, issue)
		}
		c := b[r.confidence()]
		if l.variant == V1 && c > last[r.kind] {
			issues = append(issues, ruleOrder.Issue(r.confidence(), r.name()+".confidence", c, last[r.kind]))
		}
		last[r.kind] = c
	}
	return issues
}

func headerRules(l *layout, b []byte, notes bool) (issues []wire.Issue) {
	robot, source := "mixed_team_robot_id", sourceSpec
	if l.variant == V1 {
		robot, source = "robot_id", sourceV1
	} else {
		if t := binary.LittleEndian.Uint32(b[l.timestamp:]); t == neverSet && l.variant == V2Padded {
			issues = append(issues, ruleUnset.Issue(l.timestamp, "timestamp"))
		} else if notes && t > maxTime {
			issues = append(issues, ruleTime.Issue(l.timestamp, "timestamp", t))
		}
		if c := b[l.color]; c > 1 {
			issues = append(issues, ruleColor.Issue(l.color, "team_color", c))
		}
		if t := b[l.team]; notes && soccer.MSLTeam(int(t)).ID == 0 {
			issues = append(issues, ruleTeam.Issue(l.team, "original_team_id", t))
		}
	}
	if n := b[l.robot]; n < 1 || n > 6 {
		issue := ruleRobot.Issue(l.robot, robot, n)
		issue.Source = source
		issues = append(issues, issue)
	}
	return issues
}

// recordRule returns the first fault of one record, or an issue without text. Further faults mostly follow from the
// first.
func recordRule(l *layout, b []byte, r record, notes bool) wire.Issue {
	var v [6]int16
	n := r.int16s(b, &v)
	c := b[r.confidence()]
	switch {
	case v[0] == Unused || v[1] == Unused:
		return unusedRule(l, r, v[:n], c)
	case l.variant == V1 && r.kind != self && c == 0:
		return fault(l, r, 0, &ruleAbsent)
	case n == 2: // v1 has no more
		return wire.Issue{}
	}
	if issue := velocityRule(l, r, &v); issue.Text != "" || r.kind != self {
		return issue
	}
	return thetaRule(l, r, v[2], notes)
}

// fault returns the issue that the record's int16 i breaks a rule.
func fault(l *layout, r record, i int, rule *wire.Rule, values ...any) wire.Issue {
	issue := rule.Issue(r.at+2*i, r.field(i), values...)
	if l.variant == V1 {
		issue.Source = sourceV1
	}
	return issue
}

// unusedRule returns the first used field of a record without a position.
func unusedRule(l *layout, r record, v []int16, c uint8) wire.Issue {
	for i := range v {
		if v[i] != Unused {
			return fault(l, r, i, &ruleUnused, v[i])
		}
	}
	if c != 0 {
		issue := ruleConfidence.Issue(r.confidence(), r.name()+".confidence", c)
		if l.variant == V1 {
			issue.Source = sourceV1
		}
		return issue
	}
	return wire.Issue{}
}

// velocityRule returns the fault of a partly used velocity.
func velocityRule(l *layout, r record, v *[6]int16) wire.Issue {
	first, last := 3, 5
	if r.kind == obstacle {
		first, last = 2, 3
	}
	unused := 0
	for i := first; i <= last; i++ {
		if v[i] == Unused {
			unused++
		}
	}
	// A ball without a vertical velocity is no fault: v2 allows each field to be unused.
	if unused == 0 || unused > last-first || r.kind == ball && unused == 1 && v[last] == Unused {
		return wire.Issue{}
	}
	return fault(l, r, first, &ruleVelocity)
}

// thetaRule returns the fault of a heading.
func thetaRule(l *layout, r record, theta int16, notes bool) wire.Issue {
	switch {
	case theta == Unused && notes:
		return fault(l, r, 2, &ruleHeading)
	case theta != Unused && (theta < 0 || theta > maxTheta):
		return fault(l, r, 2, &ruleTheta, theta)
	}
	return wire.Issue{}
}
