package msl

import (
	"strconv"
	"strings"

	"touchline/wire"
)

// Rules that a message can break, as short names that do not change.
const (
	RuleSyntax     = "syntax"           // not valid JSON
	RuleType       = "type"             // type is neither "worldstate" nor "event"
	RuleMissing    = "missing"          // a mandatory key is missing
	RuleUpstream   = "upstream"         // a key is missing without which RefBox 2.1 drops the message; a note
	RuleKey        = "key"              // a key is spelled differently
	RuleExtra      = "extra-key"        // an unknown key; a note
	RuleValue      = "value"            // a value of the wrong type
	RuleNull       = "null"             // null for a string, a number, a whole vector or a list
	RuleVectorSize = "vector-size"      // too few or too many components; a note for three of an obstacle
	RuleHeading    = "heading-range"    // a heading outside [0, 2 pi)
	RuleConfidence = "confidence-range" // a confidence outside [0, 1]
	RuleBattery    = "battery-range"    // a battery level outside [0, 100]
	RuleEngaged    = "engaged-range"    // ballEngaged is neither 0 nor 1
	RuleID         = "id"               // a number that no shirt has, or a duplicate
	RuleRadius     = "radius-range"     // a negative radius
	RuleAge        = "age-range"        // a negative age; a note for one that looks like a timestamp
	RuleCount      = "robot-count"      // more than five robots
	RuleTooMany    = "too-many"         // more balls or obstacles than are read
	RuleOrder      = "ball-order"       // a ball with more confidence than the one before it
	RuleWord       = "word"             // a command that RefBox 2.1 does not have; a note
)

// sources holds the source of each rule.
var sources = map[string]string{
	RuleSyntax:     "RFC 8259 (JSON); MSL World Model 2015, section 4",
	RuleType:       "MSL World Model 2015, section 3, type label",
	RuleMissing:    "MSL World Model 2015, section 3, mandatory fields",
	RuleUpstream:   "RefBox 2.1, checks of a worldstate",
	RuleKey:        "MSL World Model 2015, section 4, properties",
	RuleExtra:      "MSL World Model 2015, section 4, properties",
	RuleValue:      "MSL World Model 2015, section 4, types",
	RuleNull:       "MSL World Model 2015, section 4, types: null is for components of a vector",
	RuleVectorSize: "MSL World Model 2015, sections 2 and 4, vectors",
	RuleHeading:    "MSL World Model 2015, section 2, angles",
	RuleConfidence: "MSL World Model 2015, section 4, confidence",
	RuleBattery:    "MSL World Model 2015, section 3, battery level",
	RuleEngaged:    "MSL World Model 2015, section 4, ballEngaged",
	RuleID:         "MSL World Model 2015, section 3, robot id; MSL Rules 2026, shirt numbers",
	RuleRadius:     "MSL World Model 2015, section 3, radius",
	RuleAge:        "MSL World Model 2015, section 3, information age",
	RuleCount:      "MSL World Model 2015, section 3, the team's five robots",
	RuleTooMany:    "MSL World Model 2015, section 3, which sets no limit; touchline decodes 32 balls and 128 obstacles",
	RuleOrder:      "MSL World Model 2015, section 3, balls by confidence",
	RuleWord:       "RefBox 2.1, commands",
}

// Bounds of the findings and fields of one message. A worldstate with full lists has 1,100 fields.
const (
	maxFindings = 1000 // at most half of them notes, which must not hide violations
	maxFields   = 5000
)

// Finding is one deviation of a message, before it becomes text: a log has millions of them, and a report shows few.
type Finding struct {
	Rule   string
	Offset int  // offset of the first byte in question
	Note   bool // a recommendation: no document forbids it

	path    [2]step
	raw     []byte // value as written, part of the message
	why     string
	command bool // the message is a RefBox command, which no document of the league describes
}

// step is one step of a path: a key and, for a list, an index.
type step struct {
	key   string
	index int // -1 if there is none
}

// Field returns the path of the value, such as robots[2].pose[1]; "" for the whole message.
func (f *Finding) Field() string { return pathOf(f.path) }

func pathOf(path [2]step) string {
	text := make([]byte, 0, 32)
	for i, s := range path {
		if s.key == "" {
			break
		}
		if i > 0 {
			text = append(text, '.')
		}
		text = append(text, s.key...)
		if s.index >= 0 {
			text = append(text, '[')
			text = strconv.AppendInt(text, int64(s.index), 10)
			text = append(text, ']')
		}
	}
	return string(text)
}

// Issue returns the finding as text. Call it before the message changes.
func (f *Finding) Issue() wire.Issue {
	text := f.why
	if len(f.raw) > 0 {
		text = short(f.raw) + " " + f.why
	}
	source := sources[f.Rule]
	if f.command {
		source = sources[RuleWord]
	}
	return wire.Issue{Offset: f.Offset, Field: f.Field(), Source: source, Text: text, Note: f.Note}
}

// short returns the first 40 bytes of a text.
func short(text []byte) string {
	const most = 40
	if len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "..."
}
