package msl

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/wire"
)

// RefBox 2.1 writes three files per game: its events as lines of text, YYYYMMDD_HHMMSS.msl, and the worldstates of each
// team as a JSON list of records, .A.msl and .B.msl. This file has the records and lines; package matchlog has the
// files.

// Record is one worldstate in a team's log.
type Record struct {
	TeamName        string // the RefBox's short name, which is not always the team's own
	TimestampMillis int64  // time since 1970: time of receipt less ageMs
	GameMillis      int64  // time on the RefBox's clock, which restarts with each part of the game
	Filled          bool   // the team sent nothing: Worldstate is the RefBox's EmptyWorldstate
	Received        []byte // what the team sent, where Worldstate stands for it; nil: Worldstate is that
	Worldstate      []byte // bytes as received, without the NUL and the blanks around it
}

// maxDepth is how deep objects and lists of a worldstate in a log may nest: real ones have four levels, and readers
// fail on the whole log beyond their limit (Python 1,000 levels, encoding/json 10,000).
const maxDepth = 64

// EmptyWorldstate returns the worldstate that stands in a log for each 100 ms without one from the team (MSL World
// Model 2015, section 3).
func EmptyWorldstate(team string) []byte {
	w := Worldstate{
		TeamName: strings.ToValidUTF8(team, "?"), AgeMillis: Num(0),
		Robots: []Robot{}, Balls: []Ball{}, Obstacles: []Obstacle{},
	}
	b, _ := w.AppendBinary(nil) // nothing in it can be refused
	return b
}

// nextRecord is the start of a line that begins a record, whatever precedes it.
var nextRecord = []byte("\n{\"teamName\"")

// AppendBinary appends r as the RefBox writes it, without the comma or line break after it; "filled": true and
// "received", in hex, are of touchline. It refuses a worldstate
// that is not JSON or deeper than 64 levels. If a line of the worldstate begins like a record, a blank replaces the
// line break.
func (r *Record) AppendBinary(b []byte) ([]byte, error) {
	before := b
	if !jsontext.Value(r.Worldstate).IsValid(jsontext.AllowDuplicateNames(true)) {
		at, why := fault(r.Worldstate)
		return before, fmt.Errorf("%w: worldstate, byte %d: %s", ErrMalformed, at, why)
	}
	if at := tooDeep(r.Worldstate); at > 0 {
		return before, fmt.Errorf("%w: worldstate, byte %d: objects and lists nest more than %d deep", ErrMalformed, at,
			maxDepth)
	}
	b = append(b, `{"teamName": `...)
	b, err := jsontext.AppendQuote(b, r.TeamName)
	if err != nil {
		return before, fmt.Errorf("msl: teamName: %.40q is not UTF-8", r.TeamName)
	}
	b = append(b, `,"timestamp": `...)
	b = strconv.AppendInt(b, r.TimestampMillis, 10)
	b = append(b, `,"gametimeMs": `...)
	b = strconv.AppendInt(b, r.GameMillis, 10)
	if r.Filled {
		b = append(b, `,"filled": true`...)
	}
	if r.Received != nil {
		b = append(hex.AppendEncode(append(b, `,"received": "`...), r.Received), '"')
	}
	b = append(b, `,"worldstate": `...)
	at := len(b)
	b = append(b, r.Worldstate...)
	for { // between two values, as all line breaks in valid JSON
		n := bytes.Index(b[at:], nextRecord)
		if n < 0 {
			return append(b, '}'), nil
		}
		b[at+n] = ' '
	}
}

// tooDeep returns where valid JSON nests too deep for a log; 0 if it does not.
func tooDeep(b []byte) int {
	depth, text := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return 0
}

// UnmarshalBinary decodes one record into r and reuses its memory. The worldstate is last and need not be valid: the
// RefBox writes whatever a team sends. The error is ErrMalformed.
func (r *Record) UnmarshalBinary(b []byte) error {
	name := []byte(`"worldstate"`)
	at := 0
	var rest []byte
	for { // the name of a team may be the same word
		n := bytes.Index(b[at:], name)
		if n < 0 {
			return fmt.Errorf("%w: the record has no worldstate", ErrMalformed)
		}
		at += n
		if rest = bytes.TrimSpace(b[at+len(name):]); len(rest) > 0 && rest[0] == ':' {
			break
		}
		at += len(name)
	}
	if rest[len(rest)-1] != '}' {
		return fmt.Errorf("%w: byte %d: the record ends before its last }", ErrMalformed, len(b))
	}
	r.Worldstate = append(append(r.Worldstate[:0], b[:at]...), `"worldstate":0}`...) // the rest of the record as JSON
	if err := r.head(r.Worldstate); err != nil {
		return err
	}
	r.Worldstate = append(r.Worldstate[:0], bytes.TrimSpace(rest[1:len(rest)-1])...)
	return nil
}

// head decodes a record without its worldstate.
func (r *Record) head(b []byte) error {
	in, err := read(b)
	if err != nil {
		return err
	}
	old := r.TeamName
	r.TeamName, r.Filled, r.Received = "", false, nil
	var timestamp, game Number
	for in.i++; in.more(); {
		switch key := in.key(); string(key) {
		case "teamName":
			r.TeamName = in.text(old)
		case "timestamp":
			timestamp = in.number()
		case "gametimeMs":
			game = in.number()
		case "filled":
			r.Filled = in.number().Is(1)
		case "received":
			if data, err := hex.DecodeString(in.text("")); err == nil {
				r.Received = data
			}
		default:
			in.skip()
		}
	}
	const exact = 1 << 53 // whole numbers that a float64 holds
	if !timestamp.Known || timestamp.Value < -exact || timestamp.Value > exact || game.Value < -exact ||
		game.Value > exact {
		return fmt.Errorf("%w: the record has no timestamp, or an impossible one", ErrMalformed)
	}
	r.TimestampMillis, r.GameMillis = int64(timestamp.Value), int64(game.Value)
	return nil
}

// SplitRecords is a bufio.SplitFunc that splits a team's log into its records and skips text between them. A record
// ends with its last brace or, as a broken worldstate may contain anything, before a line that begins the next record.
// The error is wire.ErrShort if the file ends within a record.
func SplitRecords(data []byte, atEOF bool) (advance int, token []byte, err error) {
	start := bytes.IndexByte(data, '{')
	if start < 0 {
		return len(data), nil, nil
	}
	depth, text := 0, false
	for i := start; i < len(data); i++ {
		for i < len(data)-1 && !splits[data[i]] {
			i++
		}
		switch c := data[i]; {
		case c == '\n' && bytes.HasPrefix(data[i:], nextRecord):
			return i, bytes.TrimRight(data[start:i], ", \t\r\n"), nil
		case c == '\n' && !atEOF && bytes.HasPrefix(nextRecord, data[i:]):
			return start, nil, nil // more data decides
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, data[start : i+1], nil
			}
		}
	}
	if atEOF {
		return start, nil, fmt.Errorf("%w: the log ends within a record", wire.ErrShort)
	}
	return start, nil, nil
}

// splits holds the bytes that SplitRecords looks at.
var splits = [256]bool{'\n': true, '\\': true, '"': true, '{': true, '[': true, '}': true, ']': true}

// Line is one line of the RefBox's log of events. A line that is not an event has only Text.
type Line struct {
	TimestampMillis  int64 // time since 1970
	TotalSeconds     int   // time of the part of the game, with stoppages
	EffectiveSeconds int   // seconds of play
	State            string
	Code             string // letter of the RefBox of 2016; "" since 2.0
	Description      string // begins with the side in logs of 2016
	RobotID          int    // 0: none
	Team             string // its long name, "" for both
	Text             string
}

// LineText returns text for a field of a Line: on one line, and without the comma that separates fields.
func LineText(text string) string { return strings.ReplaceAll(wire.Printable(text), ",", ";") }

// AppendBinary appends l without a line break, in the form of 2016 if it has a Code. It refuses a line that would be
// decoded differently.
func (l *Line) AppendBinary(b []byte) ([]byte, error) {
	before := b
	if l.Text != "" {
		b = append(b, l.Text...)
	} else {
		b = strconv.AppendInt(b, l.TimestampMillis, 10)
		b = fmt.Appendf(b, ",%02d:%02d(%02d:%02d),%s,", l.TotalSeconds/60, l.TotalSeconds%60,
			l.EffectiveSeconds/60, l.EffectiveSeconds%60, l.State)
		switch {
		case l.Code != "":
			b = append(append(append(b, l.Code...), ','), l.Description...)
		case l.RobotID != 0:
			b = fmt.Appendf(b, "%s,robotID:%d,%s", l.Description, l.RobotID, l.Team)
		default:
			b = append(append(append(b, l.Description...), ','), l.Team...)
		}
	}
	var back Line
	if back.UnmarshalBinary(b[len(before):]); back != *l || bytes.ContainsAny(b[len(before):], "\r\n") {
		return before, fmt.Errorf("msl: %q would be decoded as %+v: remove commas, line breaks and negative numbers",
			b[len(before):], back)
	}
	return b, nil
}

// UnmarshalBinary decodes one line without its line break into l. It accepts both forms and keeps any other line as
// Text; it returns no error.
func (l *Line) UnmarshalBinary(b []byte) error {
	text := strings.TrimRight(string(b), "\r\n")
	*l = Line{Text: text}
	when, rest, _ := strings.Cut(text, ",")
	clock, rest, _ := strings.Cut(rest, ",")
	state, rest, found := strings.Cut(rest, ",")
	millis, err := strconv.ParseInt(when, 10, 64)
	total, effective, clocked := clocks(clock)
	what, team, hasTeam := strings.Cut(rest, ",")
	if !found || err != nil || !clocked || !hasTeam {
		return nil
	}
	*l = Line{TimestampMillis: millis, TotalSeconds: total, EffectiveSeconds: effective, State: state, Description: what,
		Team: team}
	if len(what) == 1 {
		l.Code, l.Description, l.Team = what, team, ""
		return nil
	}
	robot, after, hasRobot := strings.Cut(team, ",")
	if digits, ok := strings.CutPrefix(robot, "robotID:"); ok && hasRobot {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= MaxNumber {
			l.RobotID, l.Team = n, after
		}
	}
	return nil
}

// IsEventLog reports whether one of the first ten lines of head is a line of the RefBox's log of events.
func IsEventLog(head []byte) bool {
	for n := 0; n < 10 && len(head) > 0; n++ {
		first, rest, _ := bytes.Cut(head, []byte{'\n'})
		var l Line
		if err := l.UnmarshalBinary(first); err == nil && l.State != "" || bytes.HasPrefix(first,
			[]byte("New BaseStation @")) {
			return true
		}
		head = rest
	}
	return false
}

// clocks reads MM:SS(MM:SS).
func clocks(s string) (total, effective int, ok bool) {
	first, second, bracket := strings.Cut(s, "(")
	second, closed := strings.CutSuffix(second, ")")
	total, ok1 := seconds(first)
	effective, ok2 := seconds(second)
	return total, effective, bracket && closed && ok1 && ok2
}

// seconds reads MM:SS; a part has fewer than 10,000 minutes.
func seconds(s string) (int, bool) {
	minutes, rest, found := strings.Cut(s, ":")
	m, err1 := strconv.ParseUint(minutes, 10, 16)
	n, err2 := strconv.ParseUint(rest, 10, 8)
	return int(m)*60 + int(n), found && err1 == nil && err2 == nil && len(minutes) < 5 && n < 60
}
