package refbox

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"touchline/wire/msl"
)

// upstreamKeys are the keys without which the RefBox 2.1 drops a worldstate, in the order in which it checks them. It
// does not check the elements of the lists.
var upstreamKeys = [...]struct{ key, want, fix string }{
	{"ageMs", "a whole number", `write "ageMs": 20, for example`},
	{"teamName", "a text", `write "teamName": "" where there is none`},
	{"intention", "a text", `write "intention": "" where there is none`},
	{"robots", "a list", `write "robots": [] where there are none`},
	{"balls", "a list", `write "balls": [] where there are none`},
	{"obstacles", "a list", `write "obstacles": [] where there are none`},
}

// upstreamDrops returns why the RefBox 2.1 drops a valid worldstate, and the fix; "" if it accepts it. found is what
// Examine found in the message, age the worldstate's ageMs. The RefBox also accepts and logs messages with unquoted
// keys, single quotes or NaN: here they are broken in any case, because a log with them could not be read again.
func upstreamDrops(message []byte, found []msl.Finding, age msl.Number) (why, fix string) {
	for _, k := range upstreamKeys {
		for i := range found {
			f := &found[i]
			switch field := f.Field(); {
			case field == "Ball" && k.key == "balls" && f.Rule == msl.RuleKey,
				field == k.key && (f.Rule == msl.RuleMissing || f.Rule == msl.RuleUpstream):
				return fmt.Sprintf("%q is missing", k.key), k.fix
			case field != k.key || f.Rule != msl.RuleValue && f.Rule != msl.RuleNull:
			case k.key == "ageMs" && isQuotedInt(message[f.Offset:]):
			default:
				return fmt.Sprintf("%q is not %s", k.key, k.want), k.fix
			}
		}
		if k.key == "ageMs" && age.Known && message[age.Offset] != '"' && !fitsLong(message[age.Offset:]) {
			return fmt.Sprintf("%q is not %s", k.key, k.want), k.fix
		}
	}
	return "", ""
}

// isQuotedInt reports whether a message continues with the text of a 32-bit integer, which the RefBox accepts as a
// number.
func isQuotedInt(b []byte) bool {
	text, ok := bytes.CutPrefix(b, []byte(`"`))
	end := bytes.IndexByte(text, '"')
	if !ok || end < 0 {
		return false
	}
	_, err := strconv.ParseInt(string(text[:end]), 10, 32)
	return err == nil
}

// fitsLong reports whether a message continues with a number that the RefBox can hold: a whole number of 64 bits, or
// any number with a fraction or an exponent, which it truncates.
func fitsLong(b []byte) bool {
	end := bytes.IndexFunc(b, func(r rune) bool { return (r < '0' || r > '9') && r != '-' })
	if end < 0 || bytes.IndexByte([]byte(".eE"), b[end]) >= 0 {
		return true
	}
	_, err := strconv.ParseInt(string(b[:end]), 10, 64)
	return err == nil
}

// findings returns a team's report card, the worst finding first, with the messages that RefBox 2.1 would drop. Unless
// open it has one row a rule and quotes nothing that the team said.
func (b *Box) findings(s *seat, open bool) []CardShow {
	all := []CardShow{}
	for _, d := range s.link.upstream {
		all = append(all, CardShow{
			Rule: msl.RuleUpstream, Count: d.count, Text: d.why, Fix: d.fix, Excerpt: d.excerpt,
		})
	}
	if n := s.link.unread; n > 0 {
		all = append(all, CardShow{
			Rule: ruleTooLong, Count: n, Text: s.generalText(ruleTooLong),
			Fix: "send shorter worldstates: real ones have 2 to 10 kB",
		})
	}
	all = append(all, s.card.Findings()...)
	if open {
		return all
	}
	closed := all[:0]
	for _, f := range all {
		same := slices.IndexFunc(closed, func(c CardShow) bool { return c.Rule == f.Rule })
		if same < 0 {
			f.Text, f.Excerpt, f.At = s.generalText(f.Rule), "", 0
			closed = append(closed, f)
			continue
		}
		closed[same].Count += f.Count
		closed[same].Note = closed[same].Note && f.Note
	}
	return closed
}
