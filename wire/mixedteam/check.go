package mixedteam

import (
	"encoding/binary"
	"errors"
	"fmt"

	"touchline/soccer"
	"touchline/wire"
)

// The documents and their parts, as issues name them.
const (
	clauseNetwork = "Mixed Team Package v2, Network Setup"
	clauseRemarks = "Mixed Team Package v2, General Remarks"
	clauseSpec    = "Mixed Team Package v2, Specification"
	clauseV1      = "Practical Session 2014, Mixed team comm package"
	clauseAngles  = "World Model sharing in MSL 2015, section 2"
)

const (
	maxTheta = 6283       // mrad, the last whole one before a full turn
	maxTime  = 1 << 27    // ms: 37 hours, longer than any part or demo runs
	neverSet = 0xFFFF8000 // the timestamp that the Falcons' program sends: -32768, never set (facts msl 3.1)
)

// Check returns all that is wrong with the package that b begins with, by offset. Foreign traffic is no issue, unless
// it starts with the flag. Trailing bytes, an unknown team and doubt about the variant are notes.
func Check(b []byte) []wire.Issue {
	if len(b) == 0 || b[0] != Flag {
		return nil
	}
	id, cut := judge(b)
	if l := layoutOf(cut); l != nil {
		return []wire.Issue{{Offset: len(b), Source: clauseSpec,
			Text: fmt.Sprintf("a %v package cut short: %d bytes of %d", cut, len(b), l.size)}}
	}
	l := layoutOf(id.Variant)
	if l == nil {
		return []wire.Issue{{Field: "mixed_team_flag", Source: clauseNetwork,
			Text: "starts with 123 but is no mixed team package: other traffic must begin with another byte"}}
	}
	var issues []wire.Issue
	if id.Confidence < 0.9 {
		issues = append(issues, wire.Issue{Note: true, Source: clauseRemarks, Text: "not sure: " + id.Reason})
	}
	if l.variant != V1 && b[1] != Version {
		issues = append(issues, wire.Issue{Offset: 1, Field: "package_version", Source: clauseSpec,
			Text: fmt.Sprintf("%d in the layout of version 2: write 2", b[1])})
	}
	if l.variant == V2Padded {
		issues = append(issues, wire.Issue{Offset: 2, Source: clauseSpec,
			Text: "188 bytes with a compiler's padding, the package has 169: pack the struct (#pragma pack(push, 1))"})
	}
	issues = append(issues, rules(l, b, true)...)
	if rest := len(b) - l.size; rest > 0 {
		issues = append(issues, wire.Issue{Offset: l.size, Field: "trailing", Source: clauseRemarks, Note: true,
			Text: fmt.Sprintf("%d bytes of the team's own follow the package, as they may", rest)})
	}
	return issues
}

// refuse returns the first violation in a package that is about to be sent.
func refuse(v Variant, b []byte) error {
	if issues := rules(layoutOf(v), b, false); len(issues) > 0 {
		return errors.New("mixedteam: " + issues[0].String())
	}
	return nil
}

// rules returns what is wrong with the values of a package, with or without notes. Check and AppendBinary both go by it.
func rules(l *layout, b []byte, notes bool) []wire.Issue {
	issues := headerRules(l, b, notes)
	last := [3]uint8{255, 255, 255} // confidence of the record before, for each kind
	for i := range l.records() {
		r := l.record(i)
		if issue := recordRule(l, b, r, notes); issue.Text != "" {
			issues = append(issues, issue)
		}
		c := b[r.confidence()]
		if l.variant == V1 && c > last[r.kind] {
			issues = append(issues, wire.Issue{Offset: r.confidence(), Field: r.name() + ".confidence", Source: clauseV1,
				Text: fmt.Sprintf("%d after %d: the highest confidence goes first", c, last[r.kind])})
		}
		last[r.kind] = c
	}
	return issues
}

func headerRules(l *layout, b []byte, notes bool) (issues []wire.Issue) {
	robot, clause := "mixed_team_robot_id", clauseSpec
	if l.variant == V1 {
		robot, clause = "robot_id", clauseV1
	} else {
		if t := binary.LittleEndian.Uint32(b[l.timestamp:]); t == neverSet && l.variant == V2Padded {
			issues = append(issues, wire.Issue{Offset: l.timestamp, Field: "timestamp", Source: clauseSpec,
				Text: "0xFFFF8000 is a field that was never set: write the milliseconds since the part began"})
		} else if notes && t > maxTime {
			issues = append(issues, wire.Issue{Offset: l.timestamp, Field: "timestamp", Source: clauseSpec, Note: true,
				Text: fmt.Sprintf("%d ms is more than a day, and it counts from the start of the part", t)})
		}
		if c := b[l.color]; c > 1 {
			issues = append(issues, wire.Issue{Offset: l.color, Field: "team_color", Source: clauseSpec,
				Text: fmt.Sprintf("%d is no colour: 0 is cyan, 1 is magenta", c)})
		}
		if t := b[l.team]; notes && soccer.MSLTeam(int(t)).ID == 0 {
			issues = append(issues, wire.Issue{Offset: l.team, Field: "original_team_id", Source: clauseSpec, Note: true,
				Text: fmt.Sprintf("%d is no team that we know: write the last octet of the team's multicast group", t)})
		}
	}
	if n := b[l.robot]; n < 1 || n > 6 {
		issues = append(issues, wire.Issue{Offset: l.robot, Field: robot, Source: clause,
			Text: fmt.Sprintf("%d is no jersey number of a mixed team: 1 to 6", n)})
	}
	return issues
}

// recordRule returns what is wrong with one record; an issue without text when nothing is. One fault a record is
// enough: the others mostly follow from it.
func recordRule(l *layout, b []byte, r record, notes bool) wire.Issue {
	clause := clauseRemarks
	if l.variant == V1 {
		clause = clauseV1
	}
	var v [6]int16
	n := r.int16s(b, &v)
	c := b[r.confidence()]
	fault := func(i int, text string) wire.Issue {
		name, _ := r.field(i)
		return wire.Issue{Offset: r.at + 2*i, Field: name, Source: clause, Text: text}
	}
	if v[0] == Unused || v[1] == Unused {
		for i := range n {
			if v[i] != Unused {
				return fault(i, fmt.Sprintf("%d in a record without a position: what is not used is -32768 throughout", v[i]))
			}
		}
		if c != 0 {
			return wire.Issue{Offset: r.confidence(), Field: r.name() + ".confidence", Source: clause,
				Text: fmt.Sprintf("%d in a record that is not used: write 0", c)}
		}
		return wire.Issue{}
	}
	if l.variant == V1 && r.kind != self && c == 0 {
		return fault(0, "coordinates beside confidence 0, which says that nothing is there: write -32768 in all of them")
	}
	if n == 2 {
		return wire.Issue{}
	}
	vx, last := 3, 5 // where the velocity begins and ends
	if r.kind == obstacle {
		vx, last = 2, 3
	}
	unused := 0
	for i := vx; i <= last; i++ {
		if v[i] == Unused {
			unused++
		}
	}
	// A ball without a vertical velocity is no fault: the seed lets each field go unused.
	if unused > 0 && unused <= last-vx && !(r.kind == ball && unused == 1 && v[last] == Unused) {
		return fault(vx, "a velocity that is used in part: give all of it, or -32768 throughout")
	}
	theta := v[2]
	switch {
	case r.kind != self:
	case theta == Unused && notes:
		issue := fault(2, "not used: receivers know where the robot is, but not where it looks")
		issue.Note = true
		return issue
	case theta != Unused && (theta < 0 || theta > maxTheta):
		issue := fault(2, fmt.Sprintf("%d mrad is outside one turn: write 0 to 6283 (milliradians)", theta))
		issue.Source = clauseAngles
		return issue
	}
	return wire.Issue{}
}
