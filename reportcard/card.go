// Package reportcard judges everything that one team's base station sends: what each message breaks by itself (the rules of
// wire/msl) and what only the whole stream shows, such as a low rate, a stuck ball or a wrong frame.
//
// A Card takes the messages of one team and returns a Report with the first place of each fault and its fix. Compare
// checks the two teams of a match against each other. ReadTeamLog and ReadStream read messages from files, WriteHTML
// writes a page.
package reportcard

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

// Rules that only a stream of worldstates can break, as short names that do not change. Those of a single message are
// wire/msl's.
const (
	RuleRate       = "rate"             // fewer than ten worldstates a second
	RuleGap        = "gap"              // none for a while
	RuleBackwards  = "time-backwards"   // the moment that the contents hold goes back
	RuleBurst      = "burst"            // the same moment again and again
	RuleFrozen     = "ball-frozen"      // the first ball stands to the last bit while robots move
	RuleConstant   = "constant"         // always the same value where a real one varies
	RuleTarget     = "target-off-field" // a robot is sent off the field
	RuleOffField   = "off-field"        // a robot or the first ball is where no hall has a floor
	RuleUnits      = "units"            // mm for m, degrees for radians, ...
	RuleFrame      = "frame"            // turned, mirrored, X and Y exchanged
	RuleSpeed      = "speed"            // faster than anything on the field
	RuleResolution = "resolution"       // coarser than the seed asks
	RuleEmpty      = "empty"            // worldstates without any robot
	RuleName       = "team-name"        // none
	RuleStranger   = "event-robot"      // an event of a robot that no worldstate has
	RuleUnclosed   = "unclosed"         // bytes without a NUL behind them
)

// Message is a message of a team's base station: a worldstate or an event, or what should be one.
type Message struct {
	Received  soccer.Time   // 0: not known
	Published soccer.Time   // when the contents were true: receipt less ageMs; 0: follows from Received
	Computed  bool          // Received is Published plus ageMs: the log has no time of receipt
	Game      time.Duration // of the RefBox's watch, which begins anew with every part; 0: not known
	Offset    int64         // of its first byte in the file or stream, or the number of the message
	Line      int64         // of its first byte in the file, from 1; 0: not known
	Data      []byte        // without its NUL
}

// Card is the report card of one team's base station: Add takes its messages, Findings says what is wrong with them. Its
// memory is bounded, whatever comes.
type Card struct {
	team  string
	field soccer.Field

	messages, worldstates, events, broken, fills, bytes uint64

	tallies  []tally // of the messages' own rules, in the order in which they were first broken
	found    []msl.Finding
	world    msl.Worldstate  // Add's
	now      *msl.Worldstate // what is judged
	rhythm   rhythm
	sense    sense
	began    soccer.Time // of the first message
	age      int64       // ms that was last said
	computed bool        // times of receipt follow from ageMs
	inRobots uint64      // worldstates that have robots
	empty    spot
	nameless spot
	stranger spot // events of robots that no worldstate before has
	torn     bool
	failed   string // why there is no more
	own      string // what the team calls itself
	unclosed int64
	differs  string // what Compare found
	ball     spot   // the first ball's first place
}

// New returns the report card of a team on a field. The zero Field is the league's largest, with room for a smaller
// one: what lies beyond it lies beyond any.
func New(team string, field soccer.Field) *Card {
	if field.Length <= 0 || field.Width <= 0 {
		field = soccer.MSL22x14()
	}
	return &Card{team: team, field: field}
}

// Finding is one rule that a team's messages break. Its JSON is stable: fields are added, none change.
type Finding struct {
	Team    string  `json:"team"`
	Rule    string  `json:"rule"`
	Note    bool    `json:"note"`   // worth knowing, but no document forbids it
	Count   uint64  `json:"count"`  // times
	Share   float64 `json:"share"`  // 0..1 of the messages (seconds, for the rate) that have it
	First   int64   `json:"first"`  // where the first message that has it begins: Message.Offset
	Line    int64   `json:"line"`   // of the file, from 1; 0: not known
	Offset  int     `json:"offset"` // byte of that message where the spot is
	Time    float64 `json:"time"`   // s since the first message; 0 where no times are known
	Game    float64 `json:"game"`   // s of the RefBox's watch; 0: not known
	Text    string  `json:"text"`   // plain words
	Source  string  `json:"source"` // of the document that says so
	Fix     string  `json:"fix"`    // what to do instead
	Excerpt string  `json:"excerpt"`
	At      int     `json:"at"`  // byte of Excerpt where the spot begins
	Len     int     `json:"len"` // bytes of it
}

// maxFields is how many different places a rule's text names.
const maxFields = 4

// tally counts one rule of single messages, its violations and its notes apart.
type tally struct {
	rule     string
	note     bool
	messages uint64 // that have it
	last     uint64 // the newest of them
	text     string
	source   string
	fields   []fieldCount
	spot
}

// fieldCount is how often a rule was broken in fields of one name.
type fieldCount struct {
	name  string
	count uint64
}

// spot is where something is first, and how often it is.
type spot struct {
	count      uint64
	first      int64
	line       int64
	offset     int
	time, game float64
	excerpt    string
	at, length int
}

// Add takes in one message. Nothing of s is kept.
func (c *Card) Add(s *Message) {
	var err error
	c.found, err = c.world.Examine(c.found[:0], s.Data)
	c.Judge(s, &c.world, c.found, err)
}

// Judge takes in one message that w has examined, with what that returned: who needs its contents too looks into it once.
// Nothing of s and found is kept; w is not read after, and has no age where there is an error.
func (c *Card) Judge(s *Message, w *msl.Worldstate, found []msl.Finding, err error) {
	if c.now = w; err != nil {
		w.AgeMillis = msl.Number{}
	}
	said := c.timed(s)
	s = &said
	c.messages++
	c.bytes += uint64(len(s.Data))
	if c.began == 0 {
		c.began = s.Received
	}
	for i := range found {
		c.tally(s, &found[i])
	}
	switch {
	case err == nil:
		c.worldstates++
		c.rhythm.add(c, s)
		c.look(s)
	case errors.Is(err, msl.ErrKind) && msl.KindOf(s.Data) == msl.KindEvent:
		c.events++
		c.event(s)
	default:
		c.broken++
		c.rhythm.add(c, s) // it came, whatever is wrong with it
	}
}

// event judges whose event it is.
func (c *Card) event(s *Message) {
	var e msl.Event
	d := &c.sense
	if e.UnmarshalBinary(s.Data) != nil || !e.RobotID.Known || d.known == 0 || d.known == len(d.robots) {
		return
	}
	if !slices.ContainsFunc(d.robots[:d.known], func(r robotSense) bool { return r.id == e.RobotID.Value }) {
		c.markValue(&c.stranger, s, e.RobotID.Offset)
	}
}

// timed returns s with its time of publication where only that of receipt is known.
func (c *Card) timed(s *Message) Message {
	timed := *s
	if a := c.now.AgeMillis; a.Known && math.Abs(a.Value) < 1e13 {
		c.age = int64(a.Value)
	}
	const limit = math.MaxInt64 / 1_000_000
	if s.Received != 0 && s.Published == 0 && c.now.AgeMillis.Known {
		if millis := int64(s.Received)/1e6 - c.age; millis > -limit && millis < limit {
			timed.Published = s.Received.Add(-time.Duration(max(min(c.age, limit), -limit)) * time.Millisecond)
		}
	}
	c.computed = c.computed || s.Computed
	return timed
}

// AddFilled counts a window of a log that the referee box filled with an empty structure, as no worldstate came in it.
func (c *Card) AddFilled() { c.fills++ }

// tally counts one finding of a message.
func (c *Card) tally(s *Message, f *msl.Finding) {
	t := (*tally)(nil)
	for i := range c.tallies {
		if c.tallies[i].rule == f.Rule && c.tallies[i].note == f.Note {
			t = &c.tallies[i]
			break
		}
	}
	if t == nil {
		issue := f.Issue()
		c.tallies = append(c.tallies, tally{rule: f.Rule, note: f.Note, source: issue.Source, text: issue.Text})
		t = &c.tallies[len(c.tallies)-1]
	}
	if t.last != c.messages {
		t.last = c.messages
		t.messages++
	}
	c.mark(&t.spot, s, f.Offset, 0)
	const sampled = 256 // findings whose places are told apart before only some are
	if t.count <= sampled || t.count%64 == 0 {
		t.field(pattern(f.Field()))
	}
}

func (t *tally) field(name string) {
	for i := range t.fields {
		if t.fields[i].name == name {
			t.fields[i].count++
			return
		}
	}
	if name != "" && len(t.fields) < 4*maxFields {
		t.fields = append(t.fields, fieldCount{name, 1})
	}
}

// pattern returns a field's name without the numbers in it: robots[].pose[2] of robots[3].pose[2].
func pattern(field string) string {
	open := strings.IndexByte(field, '[')
	end := strings.IndexByte(field, ']')
	if open < 0 || end < open {
		return field
	}
	return strings.TrimSuffix(field[:open+1]+field[end:], "[]")
}

// mark counts one more at byte offset of s; the first one is kept with what stands there. A length of 0: the value that
// begins there.
func (c *Card) mark(p *spot, s *Message, offset, length int) {
	p.count++
	if p.count > 1 {
		return
	}
	offset = max(min(offset, len(s.Data)), 0)
	p.first, p.offset, p.game = s.Offset, offset, s.Game.Seconds()
	if s.Line > 0 {
		p.line = s.Line + int64(bytes.Count(s.Data[:offset], []byte{'\n'}))
	}
	if s.Received != 0 && c.began != 0 {
		p.time = s.Received.Sub(c.began).Seconds()
	}
	if length == 0 {
		length = valueLen(s.Data[offset:])
	}
	p.excerpt, p.at, p.length = excerpt(s.Data, offset, length)
}

// markValue marks the JSON value at byte offset of s.
func (c *Card) markValue(p *spot, s *Message, offset int32) { c.mark(p, s, int(offset), 0) }

// valueLen returns how many bytes the JSON value or word in front of b has, within bounds of what is shown.
func valueLen(b []byte) int {
	const most = 40
	b = b[:min(len(b), most)]
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '"':
		if n := bytes.IndexByte(b[1:], '"'); n >= 0 {
			return n + 2
		}
		return len(b)
	case '[':
		if n := bytes.IndexByte(b, ']'); n >= 0 {
			return n + 1
		}
		return len(b)
	case '{', '}', ']':
		return 1
	}
	if n := bytes.IndexAny(b, ",]} \t\r\n"); n > 0 {
		return n
	}
	return 1
}

// excerpt returns the bytes around length bytes at offset as text on one line, and where in it they are. Runs of blanks
// become one, what is no text a dot.
func excerpt(b []byte, offset, length int) (text string, at, n int) {
	const before, after = 60, 60
	from, to := max(offset-before, 0), min(offset+length+after, len(b))
	var out strings.Builder
	blank := false
	for i := from; i < to; {
		if i >= offset && at == 0 && n == 0 && i <= offset {
			at, blank = out.Len(), false
		}
		r, size := utf8.DecodeRune(b[i:to])
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			if !blank {
				out.WriteByte(' ')
			}
			blank = true
		case r == utf8.RuneError && size == 1 || wire.IsControl(r):
			out.WriteByte('.')
			blank = false
		default:
			out.WriteRune(r)
			blank = false
		}
		i += size
		if n == 0 && i >= offset+length && i > offset {
			n = out.Len() - at
		}
	}
	if offset >= to {
		at = out.Len()
	}
	return out.String(), at, n
}

// Findings returns what is wrong, worst first.
func (c *Card) Findings() []Finding {
	all := make([]Finding, 0, len(c.tallies)+8)
	for i := range c.tallies {
		t := &c.tallies[i]
		f := c.finding(&t.spot, t.rule, t.note, share(t.messages, c.messages), t.words())
		f.Source = t.source
		if t.rule == msl.RuleAge && t.note && 2*t.messages > c.messages && c.messages >= enough {
			f.Note = false // one may be a slip, most are a clock
		}
		all = append(all, f)
	}
	all = c.streamFindings(all)
	slices.SortStableFunc(all, func(a, b Finding) int {
		if a.Note != b.Note {
			if b.Note {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(severity(a.Rule), severity(b.Rule)), cmp.Compare(b.Share, a.Share), cmp.Compare(a.Rule, b.Rule))
	})
	return all
}

// words says what is wrong and in which fields.
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

// finding puts a spot into the report.
func (c *Card) finding(p *spot, rule string, note bool, share float64, text string) Finding {
	return Finding{
		Team: c.team, Rule: rule, Note: note, Count: p.count, Share: share, First: p.first, Line: p.line, Offset: p.offset,
		Time: p.time, Game: p.game, Text: wire.Printable(text), Source: streamClauses[rule], Fix: fixes[rule], Excerpt: p.excerpt, At: p.at, Len: p.length,
	}
}

func share(n, of uint64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
