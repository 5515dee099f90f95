package mixedteam

import (
	"encoding/binary"
	"errors"
	"fmt"

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

// Check returns the faults of the package that b begins with, by offset. Other traffic is no fault unless it starts
// with the flag. Trailing bytes, an unknown team and doubt about the variant are notes.
func Check(b []byte) []wire.Issue {
	if len(b) == 0 || b[0] != Flag {
		return nil
	}
	id, cut := identify(b)
	if l := layoutOf(cut); l != nil {
		return []wire.Issue{{Offset: len(b), Source: sourceSpec,
			Text: fmt.Sprintf("a truncated %v package: %d bytes of %d", cut, len(b), l.size)}}
	}
	l := layoutOf(id.Variant)
	if l == nil {
		return []wire.Issue{{Field: "mixed_team_flag", Source: sourceNetwork,
			Text: "starts with 123 but is no mixed team package: other traffic must start with another byte"}}
	}
	var issues []wire.Issue
	if id.Confidence < 0.9 {
		issues = append(issues, wire.Issue{Note: true, Source: sourceRemarks, Text: "uncertain: " + id.Reason})
	}
	if l.variant != V1 && b[1] != Version {
		issues = append(issues, wire.Issue{Offset: 1, Field: "package_version", Source: sourceSpec,
			Text: fmt.Sprintf("%d in the layout of version 2: write 2", b[1])})
	}
	if l.variant == V2Padded {
		issues = append(issues, wire.Issue{Offset: 2, Source: sourceSpec,
			Text: "188 bytes with a compiler's padding instead of 169: pack the struct (#pragma pack(push, 1))"})
	}
	if id.BigEndian {
		issues = append(issues, wire.Issue{Offset: l.balls, Source: sourceRemarks,
			Text: "fits " + id.Variant.String() + " when the bytes of each field are swapped: write integers little-endian, the " +
				"least significant byte first"})
	}
	var buf [SizePadded]byte
	issues = append(issues, rules(l, id.littleEndian(b, &buf), true)...)
	if rest := len(b) - l.size; rest > 0 {
		issues = append(issues, wire.Issue{Offset: l.size, Field: "trailing", Source: sourceRemarks, Note: true,
			Text: fmt.Sprintf("%d bytes of the team's own data follow the package, which is allowed", rest)})
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
			issues = append(issues, wire.Issue{Offset: r.confidence(), Field: r.name() + ".confidence", Source: sourceV1,
				Text: fmt.Sprintf("%d after %d: order by falling confidence", c, last[r.kind])})
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
			issues = append(issues, wire.Issue{Offset: l.timestamp, Field: "timestamp", Source: sourceSpec,
				Text: "0xFFFF8000 is the value of a field that was never set: write the milliseconds since the start of the half"})
		} else if notes && t > maxTime {
			issues = append(issues, wire.Issue{Offset: l.timestamp, Field: "timestamp", Source: sourceSpec, Note: true,
				Text: fmt.Sprintf("%d ms is more than a day: count from the start of the half", t)})
		}
		if c := b[l.color]; c > 1 {
			issues = append(issues, wire.Issue{Offset: l.color, Field: "team_color", Source: sourceSpec,
				Text: fmt.Sprintf("%d is no colour: 0 is cyan, 1 is magenta", c)})
		}
		if t := b[l.team]; notes && soccer.MSLTeam(int(t)).ID == 0 {
			issues = append(issues, wire.Issue{Offset: l.team, Field: "original_team_id", Source: sourceSpec, Note: true,
				Text: fmt.Sprintf("%d is not in the league's team table: write the last octet of the team's multicast group", t)})
		}
	}
	if n := b[l.robot]; n < 1 || n > 6 {
		issues = append(issues, wire.Issue{Offset: l.robot, Field: robot, Source: source,
			Text: fmt.Sprintf("%d is no jersey number of a mixed team: write 1 to 6", n)})
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
		return fault(l, r, 0, "coordinates with confidence 0, which marks an absent record: write -32768 in each of them")
	case n == 2: // v1 has no more
		return wire.Issue{}
	}
	if issue := velocityRule(l, r, &v); issue.Text != "" || r.kind != self {
		return issue
	}
	return thetaRule(l, r, v[2], notes)
}

// fault returns an issue of the record's int16 i.
func fault(l *layout, r record, i int, text string) wire.Issue {
	name, _ := r.field(i)
	return wire.Issue{Offset: r.at + 2*i, Field: name, Source: recordSource(l), Text: text}
}

func recordSource(l *layout) string {
	if l.variant == V1 {
		return sourceV1
	}
	return sourceRemarks
}

// unusedRule returns the first used field of a record without a position.
func unusedRule(l *layout, r record, v []int16, c uint8) wire.Issue {
	for i := range v {
		if v[i] != Unused {
			return fault(l, r, i, fmt.Sprintf("%d in a record without a position: write -32768 in all its fields", v[i]))
		}
	}
	if c != 0 {
		return wire.Issue{Offset: r.confidence(), Field: r.name() + ".confidence", Source: recordSource(l),
			Text: fmt.Sprintf("%d in an unused record: write 0", c)}
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
	return fault(l, r, first, "a partly used velocity: write all of it, or -32768 in each field")
}

// thetaRule returns the fault of a heading.
func thetaRule(l *layout, r record, theta int16, notes bool) wire.Issue {
	switch {
	case theta == Unused && notes:
		issue := fault(l, r, 2, "unused: receivers know the robot's position, but not its heading")
		issue.Note = true
		return issue
	case theta != Unused && (theta < 0 || theta > maxTheta):
		issue := fault(l, r, 2, fmt.Sprintf("%d mrad is outside one turn: write 0 to 6283", theta))
		issue.Source = sourceAngles
		return issue
	}
	return wire.Issue{}
}
