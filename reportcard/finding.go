package reportcard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"touchline/wire"
	"touchline/wire/msl"
)

// Finding is one rule that a team's messages break. Its JSON is stable: fields are added, none change.
type Finding struct {
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
func (c *Card) Findings() []Finding {
	all := make([]Finding, 0, len(c.tallies)+8)
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
	slices.SortStableFunc(all, func(a, b Finding) int {
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
func (c *Card) finding(p *spot, rule string, note bool, share float64, text string) Finding {
	return Finding{
		Team: c.team, Rule: rule, Note: note, Count: p.count, Share: share, Text: wire.Printable(text),
		First: p.first, Line: p.line, Offset: p.offset, Time: p.time, Game: p.game,
		Excerpt: p.excerpt, At: p.at, Len: p.length,
	}
}

// violation returns the finding of a breach with p's count.
func (c *Card) violation(p *spot, rule string, share float64, format string, args ...any) Finding {
	return c.finding(p, rule, false, share, fmt.Sprintf(format, args...))
}

// note returns the finding of a recommendation with p's count.
func (c *Card) note(p *spot, rule string, share float64, format string, args ...any) Finding {
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
