package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"touchline/wire"
	"touchline/wire/msl"
)

// StationFinding is one rule that a team's messages break. Its JSON is stable: fields are added, none change.
type StationFinding struct {
	Team    string  `json:"team"`
	Rule    string  `json:"rule"`
	Note    bool    `json:"note"`   // a recommendation: no document forbids it
	Count   uint64  `json:"count"`  // number of breaches
	Share   float64 `json:"share"`  // 0..1 of the messages (of the seconds, for the rate) that break the rule
	First   int64   `json:"first"`  // StationMessage.Offset of the first message that breaks it
	Line    int64   `json:"line"`   // line in the file, from 1; 0: unknown
	Offset  int     `json:"offset"` // byte of that message where the fault is
	Time    float64 `json:"time"`   // s since the first message; 0 if no times are known
	Game    float64 `json:"game"`   // s on the RefBox's clock; 0: unknown
	Text    string  `json:"text"`   // plain words
	Source  string  `json:"source"` // document and section with the rule
	Fix     string  `json:"fix"`    // what to do
	Excerpt string  `json:"excerpt"`
	At      int     `json:"at"`  // byte of Excerpt where the fault begins
	Len     int     `json:"len"` // its length in bytes
}

// findings collects the findings of a card, rule by rule.
type findings struct {
	team string
	rule *rule // the rule that is judged
	all  []StationFinding
}

// fault reports n breaches, the first of them at a spot, among of messages. The caller may change the finding until the
// next one.
func (o *findings) fault(at *spot, n, of uint64, format string, args ...any) *StationFinding {
	o.all = append(o.all, StationFinding{
		Team: o.team, Rule: o.rule.name, Count: n, Share: share(n, of), Text: wire.Printable(fmt.Sprintf(format, args...)),
		First: at.first, Line: at.line, Offset: at.offset, Time: at.time, Game: at.game, Source: o.rule.source, Fix: o.rule.fix,
		Excerpt: at.excerpt, At: at.at, Len: at.length,
	})
	return &o.all[len(o.all)-1]
}

// note reports what no document forbids.
func (o *findings) note(at *spot, n, of uint64, format string, args ...any) *StationFinding {
	f := o.fault(at, n, of, format, args...)
	f.Note = true
	return f
}

// has reports whether a fault of one of the rules was found.
func (o *findings) has(rules ...string) bool {
	return slices.ContainsFunc(o.all, func(f StationFinding) bool { return !f.Note && slices.Contains(rules, f.Rule) })
}

// Findings returns the broken rules, the most severe first.
func (c *Card) Findings() []StationFinding {
	out := &findings{team: c.team, all: make([]StationFinding, 0, len(c.tallies)+8)}
	for i := range c.tallies {
		t := &c.tallies[i]
		out.rule = &rule{name: t.rule}
		if at := rank(t.rule); at < len(rules) {
			out.rule = &rules[at]
		}
		f := out.fault(&t.spot, t.count, 0, "%s", t.words())
		f.Share, f.Source, f.Note = share(t.messages, c.messages), t.source, t.note
		if t.rule == msl.RuleAge && t.note && 2*t.messages > c.messages && c.messages >= enoughMessages {
			f.Note = false // a single one may be a slip
		}
	}
	for i := range rules {
		if out.rule = &rules[i]; out.rule.judge != nil {
			out.rule.judge(c, out)
		}
	}
	all := slices.DeleteFunc(out.all, c.explained)
	for i := range all {
		all[i].Share = min(all[i].Share, 1)
	}
	slices.SortStableFunc(all, func(a, b StationFinding) int {
		if a.Note != b.Note {
			if b.Note {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(rank(a.Rule), rank(b.Rule)), cmp.Compare(b.Share, a.Share),
			cmp.Compare(a.Rule, b.Rule))
	})
	return all
}

// words returns the text of a tally, with the most frequent fields.
func (t *tally) words() string {
	fields := slices.Clone(t.fields)
	slices.SortStableFunc(fields, func(a, b fieldCount) int { return cmp.Compare(b.count, a.count) })
	var names []string
	for i := range fields[:min(len(fields), maxFields)] {
		names = append(names, fields[i].name)
	}
	if len(fields) > maxFields {
		names = append(names, "...")
	}
	if len(names) == 0 {
		return t.text
	}
	return strings.Join(names, ", ") + ": " + t.text
}

func share(n, of uint64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// Plural returns a number with the noun in the right form.
func Plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// judgeUnclosed reports that no NUL closes the last bytes.
func (c *Card) judgeUnclosed(out *findings) {
	if c.unclosed != 0 {
		out.fault(&spot{}, 1, c.messages+1, "no NUL after the last %s: the referee box waits for the rest of the message",
			Plural(uint64(c.unclosed), "byte"))
	}
}

// judgeFlood reports that the referee box did not keep all messages.
func (c *Card) judgeFlood(out *findings) {
	if c.omitted != 0 {
		out.fault(&spot{}, c.omitted, c.messages+c.omitted,
			"up to %d messages in a second: the referee box kept %d of them, and counted %d that are not in the log",
			c.flood[1], c.flood[0], c.omitted)
	}
}

// judgeEmpty reports that worldstates list no robot.
func (c *Card) judgeEmpty(out *findings) {
	if n := c.empty.count; n >= enoughMessages && share(n, c.worldstates) >= 0.2 {
		out.note(&c.empty, n, c.worldstates, "%d of %d worldstates list no robot", n, c.worldstates)
	}
}

// judgeEvents reports the events of unknown robots.
func (c *Card) judgeEvents(out *findings) {
	var sum spot
	for i := range c.strangers {
		if s := &c.strangers[i]; !c.contents.lists(s.id) {
			sum.add(&s.spot)
		}
	}
	if d := &c.contents; sum.count != 0 && d.known > 0 && d.known < len(d.robots) {
		out.fault(&sum, sum.count, c.events, "%s of a robot that no worldstate lists", Plural(sum.count, "event"))
	}
}

// judgeCommands reports the commands that a team sends. Commands alone are what a team received.
func (c *Card) judgeCommands(out *findings) {
	if c.commands != 0 && c.worldstates+c.events != 0 {
		out.fault(&c.commanded, c.commands, c.messages, "%s of a referee box, sent by the team",
			Plural(c.commands, "command"))
	}
}

// judgeName reports that the team does not give its name.
func (c *Card) judgeName(out *findings) {
	if n := c.unnamed.count; n >= enoughMessages && n == c.worldstates && !out.has(msl.RuleMissing) {
		out.note(&c.unnamed, n, n, "teamName is empty in all worldstates")
	}
}

// judgeSpeed reports velocities that nothing on the field has.
func (c *Card) judgeSpeed(out *findings) {
	if s := &c.contents.fast; s.count != 0 && !c.contents.lengths[ofRobots].otherUnit() {
		out.fault(s, s.count, c.worldstates, "%s: nothing on the field is that fast", c.contents.fastest)
	}
}

// explained reports whether another unit explains that values are out of their range.
func (c *Card) explained(f StationFinding) bool {
	d := &c.contents
	return f.Rule == msl.RuleHeading && d.headings.otherUnit() ||
		f.Rule == msl.RuleConfidence && d.confidences.otherUnit() && d.confidences.max <= 100
}
