package msl

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"touchline/wire"
)

// Rules that a message can break, as short names that do not change.
const (
	RuleSyntax     = "syntax"           // no JSON
	RuleType       = "type"             // not said what the message is
	RuleMissing    = "missing"          // a key that has to be there
	RuleUpstream   = "upstream"         // a key without which the RefBox 2.1 drops the message; a note
	RuleKey        = "key"              // a key that is spelled otherwise
	RuleExtra      = "extra-key"        // a key that nobody knows; a note
	RuleValue      = "value"            // a value of the wrong type
	RuleNull       = "null"             // null for a text, a number, a whole vector or a list
	RuleVectorSize = "vector-size"      // too few or too many components; a note for a triplet of an obstacle
	RuleHeading    = "heading-range"    // a heading outside [0, 2 pi)
	RuleConfidence = "confidence-range" // a confidence outside [0, 1]
	RuleBattery    = "battery-range"    // a battery level outside [0, 100]
	RuleEngaged    = "engaged-range"    // ballEngaged is neither 0 nor 1
	RuleID         = "id"               // a number that no shirt has, or that comes twice
	RuleRadius     = "radius-range"     // a negative radius
	RuleAge        = "age-range"        // a negative age, or one that looks like a clock, which is a note
	RuleCount      = "robot-count"      // more than five robots
	RuleTooMany    = "too-many"         // more balls or obstacles than are read
	RuleOrder      = "ball-order"       // a ball that is more confident than the one before
	RuleWord       = "word"             // a command that the RefBox 2.1 does not have; a note
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

// Bounds of what is said about one message. An honest worldstate at the bounds of its lists has 1,100 fields.
const (
	maxFindings = 1000 // of which at most half are notes, so that they hide no violation
	maxFields   = 5000
)

// Finding is one deviation of a message, before it is put into words: a log has millions of them, and a report shows few.
type Finding struct {
	Rule   string
	Offset int  // of the first byte in question
	Note   bool // worth knowing, but no document forbids it

	path    [2]step
	raw     []byte // as written, of the message's memory
	why     string
	command bool // of the RefBox, which no document of the league describes
}

// step is a key and, of a list, the element.
type step struct {
	key   string
	index int // -1 where there is none
}

// Field returns where the finding is, like robots[2].pose[1]; "" is the whole message.
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

// Issue puts the finding into words. It has to be called before the message's memory changes.
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

// short returns the beginning of a text that may have any length.
func short(text []byte) string {
	const most = 40
	if len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "..."
}

// Check returns what is wrong with b, one message without its NUL, by offset; at most 1,000 things. What says neither that it is an event
// nor a command is judged as a worldstate; of what is no JSON it says where it ends to be, and nothing of values.
func Check(b []byte) []wire.Issue {
	var issues []wire.Issue
	for _, f := range AppendFindings(nil, b) {
		issues = append(issues, f.Issue())
	}
	slices.SortStableFunc(issues, func(a, b wire.Issue) int { return cmp.Compare(a.Offset, b.Offset) })
	return issues
}

// AppendFindings appends what Check finds in b to dst, in no particular order and without words. Findings hold on to b.
func AppendFindings(dst []Finding, b []byte) []Finding { return appendFindings(dst, b, false) }

func appendFindings(dst []Finding, b []byte, strict bool) []Finding {
	r, at, why := open(b)
	if why != "" {
		return append(dst, Finding{Rule: RuleSyntax, Offset: at, why: why})
	}
	v := visit{r: r, findings: dst, strict: strict}
	v.message()
	return v.findings
}

// Examine does what AppendFindings and w.UnmarshalBinary do, and looks only once whether b is JSON.
func (w *Worldstate) Examine(dst []Finding, b []byte) ([]Finding, error) {
	r, at, why := open(b)
	if why != "" {
		return append(dst, Finding{Rule: RuleSyntax, Offset: at, why: why}), malformed(at, why)
	}
	v := visit{r: r, findings: dst}
	v.message()
	return v.findings, w.decode(r)
}

// Fields returns every value of b, one message without its NUL, as it is written there. Names are paths with the keys as
// they are written, like robots[2].target pose[1]. What is no JSON object has none; at most 5,000 are listed.
func Fields(b []byte) []wire.Field {
	r, _, why := open(b)
	if why != "" {
		return nil
	}
	v := visit{r: r, listing: true}
	v.message()
	return v.fields
}

// visit walks through a message.
type visit struct {
	r        reader
	path     [2]step // where r stands
	findings []Finding
	found    int // how many of the findings are this message's
	command  bool
	listing  bool // fields, not findings
	strict   bool // no notes
	fields   []wire.Field

	ids        [MaxRobots]float64 // of the robots so far
	robots     int
	confidence float64 // of the ball before
}

// message visits the whole message.
func (v *visit) message() {
	parts := worldstateParts
	switch v.r.kind() {
	case KindEvent:
		parts = eventParts
	case KindCommand:
		parts, v.command = commandParts, true
	}
	v.object(parts, 0)
}

func (v *visit) find(rule string, at int, note bool, raw []byte, why string) {
	most := maxFindings
	if note {
		most /= 2
	}
	if !v.listing && v.found < most && !(v.strict && note) {
		v.found++
		v.findings = append(v.findings, Finding{Rule: rule, Offset: at, Note: note, path: v.path, raw: raw, why: why, command: v.command})
	}
}

// list puts a value into the table of fields.
func (v *visit) list(at int, raw []byte, unit string) {
	if v.listing && len(v.fields) < maxFields {
		v.fields = append(v.fields, wire.Field{Offset: at, Len: len(raw), Name: pathOf(v.path), Value: string(raw), Unit: unit})
	}
}

// object visits the object in front, whose keys stand at the depth'th step of the path.
func (v *visit) object(parts []part, depth int) {
	start, seen := v.r.i, 0
	for v.r.i++; v.r.more(); {
		at := v.r.i
		key := v.r.key()
		n, spelt := find(parts, key)
		if n < 0 {
			v.path[depth] = step{cmp.Or(short(key), `""`), -1}
			v.find(RuleExtra, at, true, nil, "is a key that nobody knows: readers skip it")
			v.r.peek()
			value := v.r.i
			v.r.skip()
			v.list(value, v.r.b[value:v.r.i], "")
			continue
		}
		p := &parts[n]
		v.path[depth] = step{p.name, -1}
		if spelt != nil {
			v.path[depth].key = spelt.name
			v.misspelt(p, spelt, at)
		}
		if seen>>n&1 == 1 {
			v.find(RuleKey, at, false, nil, "comes under two names: the last counts")
		}
		seen |= 1 << n
		v.value(p, depth)
	}
	for n := range parts {
		v.path[depth] = step{parts[n].name, -1}
		switch p := &parts[n]; {
		case seen>>n&1 == 1:
		case p.must != "":
			v.find(RuleMissing, start, false, nil, p.must)
		case p.note != "":
			v.find(RuleUpstream, start, true, nil, p.note)
		}
	}
	v.path[depth] = step{}
}

func (v *visit) misspelt(p *part, s *spelling, at int) {
	if s.note != "" {
		v.find(RuleKey, at, true, nil, s.note)
		return
	}
	v.find(RuleKey, at, false, nil, "is the wrong key: write "+p.name)
}

// find returns the index of a key in parts, and how it is spelled if not as its part; -1 where there is none.
func find(parts []part, key []byte) (int, *spelling) {
	for i := range parts {
		if string(key) == parts[i].name {
			return i, nil
		}
	}
	for i := range parts {
		for j := range parts[i].other {
			if s := &parts[i].other[j]; string(key) == s.name {
				return i, s
			}
		}
	}
	return -1, nil
}

// value visits the value of p in front.
func (v *visit) value(p *part, depth int) {
	c := v.r.peek()
	switch {
	case p.form == formText && c == '"':
		at := v.r.i
		raw := v.r.token()
		v.list(at, raw, "")
		if p.rule != ruleNone {
			if rule, why, note := p.rule.judgeText(unquoted(nil, raw)); rule != "" {
				v.find(rule, at, note, raw, why)
			}
		}
	case p.form == formNumber:
		v.number(p, 0, false)
	case p.form == formVector && c == '[':
		v.vector(p, depth)
	case p.form == formList && c == '[':
		v.elements(p, depth)
	default:
		v.odd([...]string{formText: "is no text", formVector: "is no vector", formList: "is no list"}[p.form])
	}
}

// odd visits a value of the wrong type.
func (v *visit) odd(why string) {
	at := v.r.i
	null := v.r.b[at] == 'n'
	v.r.skip()
	raw := v.r.b[at:v.r.i]
	v.list(at, raw, "")
	if null {
		v.find(RuleNull, at, false, nil, "null is only for components of a vector: leave the key out")
		return
	}
	v.find(RuleValue, at, false, raw, why)
}

// number visits component i of a vector, or a number by itself.
func (v *visit) number(p *part, i int, component bool) {
	c := v.r.peek()
	if c == '"' || c == '[' || c == '{' || c == 't' || c == 'f' || c == 'n' && !component {
		v.odd("is no number")
		return
	}
	at := v.r.i
	n := v.r.number()
	raw := v.r.b[at:v.r.i]
	v.list(at, raw, p.units[i])
	if v.listing || c == 'n' {
		return
	}
	if !n.Known {
		v.find(RuleValue, at, false, raw, "is larger than any number that is read")
		return
	}
	if component && i < 2 {
		return
	}
	if rule, why, note := p.rule.judge(n.Value); rule != "" {
		v.find(rule, at, note, raw, why)
	}
	v.remember(p, at, n.Value, raw)
}

// remember judges what takes more than one number: two robots with one id, balls out of order.
func (v *visit) remember(p *part, at int, n float64, raw []byte) {
	switch {
	case p.rule == ruleID:
		if slices.Contains(v.ids[:v.robots], n) {
			v.find(RuleID, at, false, raw, "comes again: another robot has it")
		}
		if v.robots < len(v.ids) {
			v.ids[v.robots] = n
			v.robots++
		}
	case p.rule == ruleRanked:
		if n > v.confidence {
			v.find(RuleOrder, at, false, raw, "is more than the ball before has: the most confident comes first")
		}
		v.confidence = n
	}
}

// vector visits a vector.
func (v *visit) vector(p *part, depth int) {
	at, n := v.r.i, 0
	for v.r.i++; v.r.more(); n++ {
		v.path[depth].index = n
		if n < len(p.units) {
			v.number(p, n, true)
			continue
		}
		start := v.r.i
		v.r.skip()
		v.list(start, v.r.b[start:v.r.i], "")
	}
	v.path[depth].index = -1
	switch {
	case n < p.size[0] || n > p.size[1]:
		why := "components: it has three"
		if p.size[0] == 2 {
			why = "components: it has two"
		}
		v.find(RuleVectorSize, at, false, strconv.AppendInt(nil, int64(n), 10), why)
	case n > p.size[0]:
		v.find(RuleVectorSize, at, true, nil, "three components as in section 2: schema and example have two")
	}
}

// elements visits the objects of a list.
func (v *visit) elements(p *part, depth int) {
	v.robots, v.confidence = 0, math.Inf(1)
	n, at := 0, 0
	for v.r.i++; v.r.more(); n++ {
		v.path[depth].index = n
		if n == p.most {
			at = v.r.i
		}
		if v.r.b[v.r.i] == '{' {
			v.object(p.parts, depth+1)
		} else {
			v.odd("is no object")
		}
	}
	if n > p.most {
		v.path[depth].index = p.most
		v.find(p.over, at, false, strconv.AppendInt(nil, int64(n), 10), p.fault)
	}
	v.path[depth].index = -1
}
