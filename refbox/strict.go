package refbox

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/wire/msl"
)

// upstream says why the RefBox 2.1 would drop a worldstate that can be read, and what is right; "" if it would take it. Its
// checks come in its order, and the first that fails is the one that drops a message (facts msl 1.6): ageMs, teamName,
// intention, robots, balls, obstacles. What is in the lists it does not look at. Its JSON is lenient where ours is not: messages
// with unquoted keys, single quotes or NaN it takes and logs; here they are broken in either mode, since a log with them
// could not be read again.
func upstream(message []byte) (why, fix string) {
	found := map[string]jsontext.Value{}
	d := jsontext.NewDecoder(bytes.NewReader(message))
	d.ReadToken() // it is a JSON object: its worldstate was read
	for {
		key, err := d.ReadToken()
		if err != nil || key.Kind() != '"' {
			break
		}
		name := key.String()
		value, _ := d.ReadValue()
		found[name] = value.Clone()
	}
	if !intLike(found["ageMs"]) {
		return missing(found, "ageMs", "a whole number"), `write "ageMs": 20, for instance`
	}
	for _, key := range []string{"teamName", "intention"} {
		if found[key].Kind() != '"' {
			return missing(found, key, "a text"), fmt.Sprintf(`write "%s": "" where there is none`, key)
		}
	}
	for _, key := range []string{"robots", "balls", "obstacles"} {
		if found[key].Kind() != '[' {
			return missing(found, key, "a list"), fmt.Sprintf(`write "%s": [] where there are none`, key)
		}
	}
	return "", ""
}

func missing(found map[string]jsontext.Value, key, want string) string {
	if found[key] == nil {
		return fmt.Sprintf("%q is missing", key)
	}
	return fmt.Sprintf("%q is not %s", key, want)
}

// intLike reports whether the RefBox's getInt takes a value: any number, which it truncates, or the text of an int. A
// number that neither a long nor a double holds it keeps as text, and that is no text of an int.
func intLike(v jsontext.Value) bool {
	switch v.Kind() {
	case '0':
		_, err := strconv.ParseInt(string(v), 10, 64)
		if bytes.ContainsAny(v, ".eE") {
			_, err = strconv.ParseFloat(string(v), 64)
		}
		return err == nil
	case '"':
		_, err := strconv.ParseInt(unquoted(v), 10, 32)
		return err == nil
	}
	return false
}

func unquoted(v jsontext.Value) string {
	s, _ := jsontext.AppendUnquote(nil, v) // valid: no error
	return string(s)
}

// findings returns a team's report card, the worst first, with what the RefBox 2.1 would drop. What a team said itself is
// left out unless open: then a rule has one row, too.
func (b *Box) findings(s *seat, open bool) []CardShow {
	all := []CardShow{}
	for _, d := range s.health.upstream {
		all = append(all, CardShow{
			Rule: msl.RuleUpstream, Count: d.count, Text: d.why, Fix: d.fix, Excerpt: d.excerpt,
		})
	}
	if n := s.health.unread; n > 0 {
		all = append(all, CardShow{
			Rule: ruleTooLong, Count: n, Text: general(ruleTooLong), Fix: "send only what the robots know: a real worldstate has 2 to 10 kB",
		})
	}
	for _, f := range s.card.Findings() {
		all = append(all, CardShow{Rule: f.Rule, Note: f.Note, Count: f.Count, Text: f.Text, Fix: f.Fix, Excerpt: f.Excerpt, At: f.At})
	}
	if open {
		return all
	}
	closed := all[:0]
	for _, f := range all {
		same := slices.IndexFunc(closed, func(c CardShow) bool { return c.Rule == f.Rule })
		if same < 0 {
			f.Text, f.Excerpt, f.At = general(f.Rule), "", 0
			closed = append(closed, f)
			continue
		}
		closed[same].Count += f.Count
		closed[same].Note = closed[same].Note && f.Note
	}
	return closed
}
