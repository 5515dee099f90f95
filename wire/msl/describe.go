package msl

import (
	"fmt"

	"touchline/wire"
)

// The texts of rules. Where a value broke the rule, it precedes the text in an Issue.
const (
	whyExtra      = "is an unknown key: receivers skip it"
	whyTwice      = "appears under two names: the last value counts"
	whyKey        = "is the wrong key: write "
	whyText       = "is not a string"
	whyVector     = "is not a vector"
	whyList       = "is not a list"
	whyNull       = "is null: only components of a vector may be, remove the key"
	whyNumber     = "is not a number"
	whyLarge      = "is too large for a 64-bit floating-point number"
	whySame       = "is the number of another robot too"
	whyOrder      = "is more than the confidence of the ball before: sort by falling confidence"
	whyThree      = "components instead of three"
	whyTwo        = "components instead of two"
	whyMay        = "has three components as in section 2: schema and example have two"
	whyObject     = "is not an object"
	whyHeading    = "rad is not in [0, 2 pi): add or subtract 2 pi; write 0.0000 instead of 6.2832"
	whyConfidence = "is not in [0, 1]"
	whyBattery    = "percent is not in [0, 100]"
	whyEngaged    = "is neither 0 nor 1"
	whyWhole      = "is not a whole number"
	whyShirt      = "is not a shirt number: they go from 1 to 99"
	whyRadius     = "m is negative: a radius is not"
	whyAge        = "ms is negative: an age is not"
	whyClock      = "ms is more than a minute, perhaps a timestamp: write the time of sending minus the time of" +
		" the worldstate"
	whyType      = "is neither \"worldstate\" nor \"event\""
	whyNoCommand = "is not a command"
	whyBlanks    = "has blanks around it, as in the RefBox's document: on the wire it has none"
	whyGameOver  = "is the spelling of the RefBox's document: on the wire it is GAMEOVER"
	whyWord      = "is not a command of RefBox 2.1"
	whySyntax    = "is not valid JSON, or not an object"
)

// rulesOfCheck are the rules of single values, for Describe; Check has texts of its own for whySyntax.
var rulesOfCheck = []wire.Rule{
	{Key: "extra-key", Source: sources[RuleExtra], Text: whyExtra, Note: true},
	{Key: "twice", Source: sources[RuleKey], Text: whyTwice},
	{Key: "key", Source: sources[RuleKey], Text: whyKey},
	{Key: "string", Source: sources[RuleValue], Text: whyText},
	{Key: "vector", Source: sources[RuleValue], Text: whyVector},
	{Key: "list", Source: sources[RuleValue], Text: whyList},
	{Key: "null", Source: sources[RuleNull], Text: whyNull},
	{Key: "number", Source: sources[RuleValue], Text: whyNumber},
	{Key: "large", Source: sources[RuleValue], Text: whyLarge},
	{Key: "same", Source: sources[RuleID], Text: whySame},
	{Key: "order", Source: sources[RuleOrder], Text: whyOrder},
	{Key: "three", Source: sources[RuleVectorSize], Text: whyThree},
	{Key: "two", Source: sources[RuleVectorSize], Text: whyTwo},
	{Key: "may", Source: sources[RuleVectorSize], Text: whyMay, Note: true},
	{Key: "object", Source: sources[RuleValue], Text: whyObject},
	{Key: "heading", Source: sources[RuleHeading], Text: whyHeading},
	{Key: "confidence", Source: sources[RuleConfidence], Text: whyConfidence},
	{Key: "battery", Source: sources[RuleBattery], Text: whyBattery},
	{Key: "engaged", Source: sources[RuleEngaged], Text: whyEngaged},
	{Key: "whole", Source: sources[RuleID], Text: whyWhole},
	{Key: "shirt", Source: sources[RuleID], Text: whyShirt},
	{Key: "radius", Source: sources[RuleRadius], Text: whyRadius},
	{Key: "age", Source: sources[RuleAge], Text: whyAge},
	{Key: "clock", Source: sources[RuleAge], Text: whyClock, Note: true},
	{Key: "type", Source: sources[RuleType], Text: whyType},
	{Key: "no-command", Source: sources[RuleType], Text: whyNoCommand},
	{Key: "blanks", Source: sources[RuleWord], Text: whyBlanks, Note: true},
	{Key: "game-over", Source: sources[RuleWord], Text: whyGameOver, Note: true},
	{Key: "word", Source: sources[RuleWord], Text: whyWord, Note: true},
	{Key: "shirt-note", Source: sources[RuleID], Text: whyShirt, Note: true},
	{Key: "spelling", Source: sources[RuleKey], Text: schemaSpells, Note: true},
	{Key: "syntax", Source: sources[RuleSyntax], Text: whySyntax},
}

var ruleNames = [...]string{
	ruleHeading: "heading", ruleConfidence: "confidence", ruleRanked: "ranked", ruleBattery: "battery",
	ruleEngaged: "engaged", ruleID: "id", ruleRadius: "radius", ruleAge: "age", ruleShirt: "shirt", ruleType: "type",
	ruleWord: "word",
}

// Describe returns the keys of the messages, by their Kind, and the rules of Check. Package internal/dissector applies
// the rules by the names in the rows, and the list "commands" of words.
func Describe() wire.Description {
	d := wire.Description{Rules: rulesOfCheck, Words: map[string]string{},
		Ports: []wire.Port{{Address: fmt.Sprintf(":%d", Port)}}}
	for _, word := range words {
		d.Words[word] = word
	}
	for i, parts := range [][]part{worldstateParts, eventParts, commandParts} {
		kind := KindWorldstate + Kind(i)
		d.Messages = append(d.Messages, wire.Message{Type: int(kind), Name: kind.String(), Rows: rows(parts)})
	}
	return d
}

// rows returns the rows of an object.
func rows(parts []part) []wire.Row {
	all := make([]wire.Row, 0, len(parts))
	for i := range parts {
		p := &parts[i]
		kinds := [...]wire.RowKind{
			formText: wire.String, formNumber: wire.Number, formVector: wire.Vector, formList: wire.Records,
		}
		r := wire.Row{Kind: kinds[p.form], Name: p.name, Unit: p.units[0]}
		for _, s := range p.other {
			r.Other = append(r.Other, wire.Spelling{Name: s.name, Note: s.note})
		}
		if p.rule != ruleNone {
			r.Range = &wire.Range{Key: ruleNames[p.rule]}
		}
		switch {
		case p.must != "":
			r.Lack = &wire.Rule{Key: RuleMissing, Source: sources[RuleMissing], Text: p.must}
		case p.note != "":
			r.Lack = &wire.Rule{Key: RuleUpstream, Source: sources[RuleUpstream], Text: p.note, Note: true}
		}
		switch p.form {
		case formVector:
			r.Least, r.Most = p.size[0], p.size[1]
			for _, unit := range p.units {
				r.Rows = append(r.Rows, wire.Row{Kind: wire.Number, Unit: unit})
			}
		case formList:
			r.Most, r.Rows = p.most, rows(p.parts)
			r.Over = &wire.Rule{Key: p.over, Source: sources[p.over], Text: p.fault}
		}
		all = append(all, r)
	}
	return all
}
