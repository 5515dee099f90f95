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
	Count   uint64  `json:"count"`  // of breaches
	Share   float64 `json:"share"`  // 0..1 of the messages (of the seconds, for the rate) that break the rule
	First   int64   `json:"first"`  // Message.Offset of the first message that breaks it
	Line    int64   `json:"line"`   // in the file, from 1; 0: unknown
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

// Findings returns the broken rules, the most severe first.
func (c *Card) Findings() []StationFinding {
	all := make([]StationFinding, 0, len(c.tallies)+8)
	for i := range c.tallies {
		t := &c.tallies[i]
		f := c.finding(&t.spot, t.rule, t.note, share(t.messages, c.messages), t.words())
		f.Source = t.source
		if t.rule == msl.RuleAge && t.note && 2*t.messages > c.messages && c.messages >= enoughMessages {
			f.Note = false // a single one may be a slip
		}
		all = append(all, f)
	}
	for i := range rules {
		if rules[i].judge != nil {
			all = rules[i].judge(c, all)
		}
	}
	all = slices.DeleteFunc(all, c.explained)
	for i := range all {
		f := &all[i]
		f.Share = min(f.Share, 1)
		if at := rank(f.Rule); at < len(rules) {
			f.Source, f.Fix = cmp.Or(f.Source, rules[at].source), cmp.Or(f.Fix, rules[at].fix)
		}
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

// finding returns the finding of a rule of the stream.
func (c *Card) finding(p *spot, rule string, note bool, share float64, text string) StationFinding {
	return StationFinding{
		Team: c.team, Rule: rule, Note: note, Count: p.count, Share: share, Text: wire.Printable(text),
		First: p.first, Line: p.line, Offset: p.offset, Time: p.time, Game: p.game,
		Excerpt: p.excerpt, At: p.at, Len: p.length,
	}
}

// violation returns the finding of a breach with p's count.
func (c *Card) violation(p *spot, rule string, share float64, format string, args ...any) StationFinding {
	return c.finding(p, rule, false, share, fmt.Sprintf(format, args...))
}

// note returns the finding of a recommendation with p's count.
func (c *Card) note(p *spot, rule string, share float64, format string, args ...any) StationFinding {
	return c.finding(p, rule, true, share, fmt.Sprintf(format, args...))
}

func share(n, of uint64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// plural returns a number with the noun in the right form.
func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// unclosedFinding appends that no NUL closes the last bytes.
func (c *Card) unclosedFinding(all []StationFinding) []StationFinding {
	if c.unclosed == 0 {
		return all
	}
	return append(all, c.violation(&spot{count: 1}, RuleUnclosed, share(1, c.messages+1),
		"no NUL after the last %s: the referee box waits for the rest of the message",
		plural(uint64(c.unclosed), "byte")))
}

// floodFinding appends that the referee box did not keep all messages.
func (c *Card) floodFinding(all []StationFinding) []StationFinding {
	if c.omitted == 0 {
		return all
	}
	return append(all, c.violation(&spot{count: c.omitted}, RuleFlood, share(c.omitted, c.messages+c.omitted),
		"up to %d messages in a second: the referee box kept %d of them, and counted %d that are not in the log",
		c.flood[1], c.flood[0], c.omitted))
}

// emptyFinding appends that worldstates list no robot.
func (c *Card) emptyFinding(all []StationFinding) []StationFinding {
	n := c.empty.count
	if n < enoughMessages || share(n, c.worldstates) < 0.2 {
		return all
	}
	return append(all, c.note(&c.empty, RuleEmpty, share(n, c.worldstates),
		"%d of %d worldstates list no robot", n, c.worldstates))
}

// eventFinding appends the events of unknown robots.
func (c *Card) eventFinding(all []StationFinding) []StationFinding {
	n := c.unknownRobot.count
	if n == 0 {
		return all
	}
	return append(all, c.violation(&c.unknownRobot, RuleEventRobot, share(n, c.events),
		"%s of a robot that no earlier worldstate lists", plural(n, "event")))
}

// commandFinding appends the commands that a team sends. Commands alone are what a team received.
func (c *Card) commandFinding(all []StationFinding) []StationFinding {
	if c.commands == 0 || c.worldstates+c.events == 0 {
		return all
	}
	return append(all, c.violation(&c.commanded, RuleCommand, share(c.commands, c.messages),
		"%s of a referee box, sent by the team", plural(c.commands, "command")))
}

// nameFinding appends that the team does not give its name.
func (c *Card) nameFinding(all []StationFinding) []StationFinding {
	if n := c.unnamed.count; n < enoughMessages || n != c.worldstates || hasFault(all, msl.RuleMissing) {
		return all
	}
	return append(all, c.note(&c.unnamed, RuleName, 1, "teamName is empty in all worldstates"))
}

// speedFindings appends velocities that nothing on the field has.
func (c *Card) speedFindings(all []StationFinding) []StationFinding {
	s := &c.contents.fast
	if s.count == 0 || c.contents.lengths[ofRobots].otherUnit() {
		return all
	}
	return append(all, c.violation(s, RuleSpeed, share(s.count, c.worldstates),
		"%s: nothing on the field is that fast", c.contents.fastest))
}

// hasFault reports whether a fault of one of the rules was found.
func hasFault(all []StationFinding, rules ...string) bool {
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
func (c *Card) explained(f StationFinding) bool {
	d := &c.contents
	return f.Rule == msl.RuleHeading && d.headings.otherUnit() ||
		f.Rule == msl.RuleConfidence && d.percents.otherUnit() && d.percents.max <= 100
}
