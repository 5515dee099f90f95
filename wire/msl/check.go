package msl

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"touchline/wire"
)

// Check returns the faults of b, one message without its NUL, by offset; at most 1,000. A message that is neither an
// event nor a command is checked as a worldstate. For invalid JSON, Check only returns where parsing failed.
func Check(b []byte) []wire.Issue {
	var issues []wire.Issue
	for _, f := range AppendFindings(nil, b) {
		issues = append(issues, f.Issue())
	}
	slices.SortStableFunc(issues, func(a, b wire.Issue) int { return cmp.Compare(a.Offset, b.Offset) })
	return issues
}

// AppendFindings appends the faults that Check finds in b to dst, in no particular order. They keep references to b.
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

// Examine does the work of AppendFindings and w.UnmarshalBinary, and validates b only once.
func (w *Worldstate) Examine(dst []Finding, b []byte) ([]Finding, error) {
	r, at, why := open(b)
	if why != "" {
		return append(dst, Finding{Rule: RuleSyntax, Offset: at, why: why}), malformed(at, why)
	}
	v := visit{r: r, findings: dst}
	v.message()
	return v.findings, w.decode(r)
}

// Fields returns the values of b, one message without its NUL, as written; at most 5,000. Names are paths with the keys
// as written, such as robots[2].target pose[1]. It returns nil if b is not a JSON object.
func Fields(b []byte) []wire.Field {
	r, _, why := open(b)
	if why != "" {
		return nil
	}
	v := visit{r: r, listing: true}
	v.message()
	return v.fields
}

// visit walks through a message and collects findings or fields.
type visit struct {
	r        reader
	path     [2]step // path of the value that r is at
	findings []Finding
	found    int // findings of this message
	command  bool
	listing  bool // collect fields instead of findings
	strict   bool // no notes
	fields   []wire.Field

	ids        [MaxRobots]float64 // ids of earlier robots
	robots     int
	confidence float64 // confidence of the ball before
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
		v.findings = append(v.findings, Finding{Rule: rule, Offset: at, Note: note, path: v.path, raw: raw, why: why,
			command: v.command})
	}
}

// list adds a value to the fields.
func (v *visit) list(at int, raw []byte, unit string) {
	if v.listing && len(v.fields) < maxFields {
		v.fields = append(v.fields, wire.Field{Offset: at, Len: len(raw), Name: pathOf(v.path), Value: string(raw),
			Unit: unit})
	}
}

// object visits the next object; its keys are the step of the path at depth.
func (v *visit) object(parts []part, depth int) {
	start, seen := v.r.i, 0
	for v.r.i++; v.r.more(); {
		at := v.r.i
		key := v.r.key()
		n, spelt := find(parts, key)
		if n < 0 {
			v.path[depth] = step{cmp.Or(short(key), `""`), -1}
			v.find(RuleExtra, at, true, nil, whyExtra)
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
			v.find(RuleKey, at, false, nil, whyTwice)
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
	v.find(RuleKey, at, false, nil, whyKey+p.name)
}

// find returns the index of a key in parts, -1 if there is none, and its spelling if that differs from the part's name.
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

// value visits the next value, which is p's.
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
		v.wrongType([...]string{formText: whyText, formVector: whyVector,
			formList: whyList}[p.form])
	}
}

// wrongType visits a value of the wrong type.
func (v *visit) wrongType(why string) {
	at := v.r.i
	null := v.r.b[at] == 'n'
	v.r.skip()
	raw := v.r.b[at:v.r.i]
	v.list(at, raw, "")
	if null {
		v.find(RuleNull, at, false, nil, whyNull)
		return
	}
	v.find(RuleValue, at, false, raw, why)
}

// number visits component i of a vector, or a single number.
func (v *visit) number(p *part, i int, component bool) {
	c := v.r.peek()
	if c == '"' || c == '[' || c == '{' || c == 't' || c == 'f' || c == 'n' && !component {
		v.wrongType(whyNumber)
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
		v.find(RuleValue, at, false, raw, whyLarge)
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

// remember compares a number with earlier ones: duplicate ids, the order of balls.
func (v *visit) remember(p *part, at int, n float64, raw []byte) {
	switch {
	case p.rule == ruleID:
		if slices.Contains(v.ids[:v.robots], n) {
			v.find(RuleID, at, false, raw, whySame)
		}
		if v.robots < len(v.ids) {
			v.ids[v.robots] = n
			v.robots++
		}
	case p.rule == ruleRanked:
		if n > v.confidence {
			v.find(RuleOrder, at, false, raw, whyOrder)
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
		why := whyThree
		if p.size[0] == 2 {
			why = whyTwo
		}
		v.find(RuleVectorSize, at, false, strconv.AppendInt(nil, int64(n), 10), why)
	case n > p.size[0]:
		v.find(RuleVectorSize, at, true, nil, whyMay)
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
			v.wrongType(whyObject)
		}
	}
	if n > p.most {
		v.path[depth].index = p.most
		v.find(p.over, at, false, strconv.AppendInt(nil, int64(n), 10), p.fault)
	}
	v.path[depth].index = -1
}
