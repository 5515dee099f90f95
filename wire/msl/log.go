package msl

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/wire"
)

// RefBox 2.1 keeps three files a game: its events as lines of text, YYYYMMDD_HHMMSS.msl, and what each
// team sent as a JSON list of records, .A.msl and .B.msl. This file has the records and the lines; matchlog has the files.

// Record is one worldstate in a team's log.
type Record struct {
	TeamName        string // the RefBox's short name, which is not always the team's own
	TimestampMillis int64  // since 1970: when it was received, less its age
	GameMillis      int64  // of the RefBox's watch, which begins anew with every part
	Worldstate      []byte // as it came, without its NUL and the blanks around it
}

// maxDepth is how deep objects and lists of a worldstate in a log may lie in each other: a real one has four levels, and a
// log that goes deeper than a reader's stack cannot be read by it at all (Python 1,000 levels, encoding/json 10,000).
const maxDepth = 64

// EmptyWorldstate returns the worldstate that stands in a log for each 100 ms without one from the team (MSL World Model
// 2015, section 3).
func EmptyWorldstate(team string) []byte {
	w := Worldstate{
		TeamName: strings.ToValidUTF8(team, "?"), AgeMillis: Num(0),
		Robots: []Robot{}, Balls: []Ball{}, Obstacles: []Obstacle{},
	}
	b, _ := w.AppendBinary(nil) // nothing in it can be refused
	return b
}

// nextRecord is how a line begins that begins a record, whatever stands before it.
var nextRecord = []byte("\n{\"teamName\"")

// AppendBinary appends r as the RefBox writes it, without the comma or line behind it. It refuses a worldstate that would
// make the log no JSON, or deeper than 64 levels. A line of it that would begin like a record follows a blank instead.
func (r *Record) AppendBinary(b []byte) ([]byte, error) {
	before := b
	if !jsontext.Value(r.Worldstate).IsValid(jsontext.AllowDuplicateNames(true)) {
		at, why := fault(r.Worldstate)
		return before, fmt.Errorf("%w: worldstate, byte %d: %s", ErrMalformed, at, why)
	}
	if at := tooDeep(r.Worldstate); at > 0 {
		return before, fmt.Errorf("%w: worldstate, byte %d: objects and lists more than %d deep in each other", ErrMalformed, at, maxDepth)
	}
	b = append(b, `{"teamName": `...)
	b, err := jsontext.AppendQuote(b, r.TeamName)
	if err != nil {
		return before, fmt.Errorf("msl: teamName: %.40q is no UTF-8", r.TeamName)
	}
	b = append(b, `,"timestamp": `...)
	b = strconv.AppendInt(b, r.TimestampMillis, 10)
	b = append(b, `,"gametimeMs": `...)
	b = strconv.AppendInt(b, r.GameMillis, 10)
	b = append(b, `,"worldstate": `...)
	at := len(b)
	b = append(b, r.Worldstate...)
	for { // between two values, as in valid JSON all line breaks are
		n := bytes.Index(b[at:], nextRecord)
		if n < 0 {
			return append(b, '}'), nil
		}
		b[at+n] = ' '
	}
}

// tooDeep returns where valid JSON goes deeper than a log's worldstate may; 0 where it does not.
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

// UnmarshalBinary reads one record into r, whose memory it uses again. The worldstate comes last and need not be valid:
// the RefBox wrote whatever a team sent. The error is ErrMalformed.
func (r *Record) UnmarshalBinary(b []byte) error {
	name := []byte(`"worldstate"`)
	at := 0
	var rest []byte
	for { // a team's name may be the same word
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

// head reads all of a record but its worldstate.
func (r *Record) head(b []byte) error {
	in, err := read(b)
	if err != nil {
		return err
	}
	old := r.TeamName
	r.TeamName = ""
	var timestamp, game Number
	for in.i++; in.more(); {
		switch key := in.key(); string(key) {
		case "teamName":
			r.TeamName = in.text(old)
		case "timestamp":
			timestamp = in.number()
		case "gametimeMs":
			game = in.number()
		default:
			in.skip()
		}
	}
	const exact = 1 << 53 // whole numbers that a float64 holds
	if !timestamp.Known || timestamp.Value < -exact || timestamp.Value > exact || game.Value < -exact || game.Value > exact {
		return fmt.Errorf("%w: the record has no timestamp, or one that is no time", ErrMalformed)
	}
	r.TimestampMillis, r.GameMillis = int64(timestamp.Value), int64(game.Value)
	return nil
}

// SplitRecords is a bufio.SplitFunc that cuts a team's log into its records: what stands between them is passed over. A
// record ends with its last brace or, since what a team sent may have anything in it, where a line begins with the next
// record. The error is wire.ErrShort where the file ends within one.
func SplitRecords(data []byte, atEOF bool) (advance int, token []byte, err error) {
	start := bytes.IndexByte(data, '{')
	if start < 0 {
		return len(data), nil, nil
	}
	depth, text := 0, false
	for i := start; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\n' && bytes.HasPrefix(data[i:], nextRecord):
			return i, bytes.TrimRight(data[start:i], ", \t\r\n"), nil
		case c == '\n' && !atEOF && bytes.HasPrefix(nextRecord, data[i:]):
			return start, nil, nil // more is needed to tell
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

// Line is one line of the RefBox's log of events. A line that is no event has Text and nothing else.
type Line struct {
	TimestampMillis  int64 // since 1970
	TotalSeconds     int   // of the part, with its stops
	EffectiveSeconds int   // of play
	State            string
	Code             string // the letter of the RefBox of 2016; "" since 2.0
	Description      string // in 2016 with the side before it
	RobotID          int    // 0: none
	Team             string // its long name, "" for both
	Text             string
}

// AppendBinary appends l without its line break, in the form of 2016 where it has a Code. It refuses what would be read as
// something else.
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
		return before, fmt.Errorf("msl: %q would be read as %+v: leave out commas, line breaks and what is negative", b[len(before):], back)
	}
	return b, nil
}

// UnmarshalBinary reads one line without its line break into l. It reads both forms, and takes what is neither as text:
// there is no error.
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
	*l = Line{TimestampMillis: millis, TotalSeconds: total, EffectiveSeconds: effective, State: state, Description: what, Team: team}
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
