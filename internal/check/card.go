package check

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

// StationMessage is a message of a team's base station: a worldstate, an event, or bytes that are neither.
type StationMessage struct {
	Received  soccer.Time   // 0: unknown
	Published soccer.Time   // worldstate time: receipt less ageMs; 0: it follows from Received and ageMs
	Playing   bool          // the game is on: no interval
	Polled    bool          // the receiver reads at its own times, as RefBox does: Received may be late by its period
	Game      time.Duration // on the RefBox's clock, which restarts with each part of the game; 0: unknown
	Offset    int64         // position of the first byte in its file or stream; where Line is 0, the number of the message
	Line      int64         // line of the first byte in its file, from 1; 0: unknown
	Data      []byte        // without its NUL
}

// Card judges everything that one team's base station sends: what each message breaks by itself (the rules of wire/msl)
// and what only the whole stream shows, such as a low rate, a stuck ball or a wrong frame. Its memory is bounded,
// whatever it receives.
type Card struct {
	team  string
	field soccer.Field

	messages, worldstates, events, commands, broken, filled, bytes uint64

	tallies  []tally // rules of single messages, in the order in which they were first broken
	found    []msl.Finding
	decoded  msl.Worldstate  // Add decodes into it
	current  *msl.Worldstate // the worldstate that is judged
	rhythm   rhythm
	contents contents
	presence presence
	absence  absence     // set by Compare
	start    soccer.Time // receipt of the first message
	age      int64       // ms, last reported
	polled   bool        // the receiver reads at its own times
	away     []period    // times without a referee box

	omitted   uint64    // messages that the log does not hold
	flood     [2]uint64 // worst second: messages in the log, and all
	empty     spot      // worldstates without robots
	unnamed   spot
	strangers []stranger
	commanded spot // commands of a referee box
	unclosed  int64
	torn      bool
	failure   string // why the rest of the input could not be read
	ownName   string // the team's own name
	frameNote string // set by Compare
	firstBall spot
}

// NewCard returns the report card of a team that plays on field. The zero Field stands for the league's largest: positions
// beyond it are off every field.
func NewCard(team string, field soccer.Field) *Card {
	if field.Length <= 0 || field.Width <= 0 {
		field = soccer.MSL22x14()
	}
	return &Card{team: team, field: field}
}

// Add judges one message. It keeps nothing of m.
func (c *Card) Add(m *StationMessage) {
	var err error
	c.found, err = c.decoded.Examine(c.found[:0], m.Data)
	c.AddExamined(m, &c.decoded, c.found, err)
}

// AddExamined judges a message that the caller has already decoded with w.Examine, which returned found and err. It
// keeps nothing of m, w and found, and clears w.AgeMillis where there is an error.
func (c *Card) AddExamined(m *StationMessage, w *msl.Worldstate, found []msl.Finding, err error) {
	if c.current = w; err != nil {
		w.AgeMillis = msl.Number{}
	}
	timed := c.timed(m)
	m = &timed
	c.messages++
	c.presence.add(m, true)
	if c.start == 0 {
		c.start = m.Received
	}
	for i := range found {
		c.tally(m, &found[i])
	}
	if errors.Is(err, msl.ErrKind) && msl.KindOf(m.Data) == msl.KindEvent {
		c.events++
		c.addEvent(m)
		return
	}
	c.bytes += uint64(len(m.Data)) // not of events: an export has them in other words
	if err != nil {
		c.broken++
		return
	}
	if empty := w.TeamName == "" && len(w.Robots) == 0; empty && msl.KindOf(m.Data) == msl.KindCommand {
		c.commands++
		c.mark(&c.commanded, m, 0, 1)
		return
	}
	c.worldstates++
	c.rhythm.add(c, m)
	c.addContents(m)
}

// AddFilled counts a window without a worldstate, for which the referee box logged the empty structure m. Windows in which
// there was no referee box tell nothing about the team.
func (c *Card) AddFilled(m *StationMessage) {
	if c.boxAway(m.Received.Add(-1), m.Received) > 0 {
		return
	}
	c.filled++
	c.presence.add(m, false)
}

// AddOmitted counts messages of one second that the referee box did not keep, because the team sent more than it keeps.
func (c *Card) AddOmitted(kept, omitted uint64) {
	c.omitted += omitted
	if all := kept + omitted; all > c.flood[1] {
		c.flood = [2]uint64{kept, all}
	}
}

// period is a time from one moment to another.
type period struct{ from, to soccer.Time }

// AddAway notes that there was no referee box, or none that logged, from one moment to another. Call it before Add.
func (c *Card) AddAway(from, to soccer.Time) { c.away = append(c.away, period{from, to}) }

// boxAway returns how much of the time from one moment to another was without a referee box.
func (c *Card) boxAway(from, to soccer.Time) (away time.Duration) {
	for _, p := range c.away {
		away += max(min(to, p.to).Sub(max(from, p.from)), 0)
	}
	return away
}

// SetTeam sets the team's name.
func (c *Card) SetTeam(name string) { c.team = wire.Printable(name) }

// OwnName returns the teamName of the newest worldstate that has one, or "".
func (c *Card) OwnName() string { return c.ownName }

// SetTorn notes that the input ends within a message.
func (c *Card) SetTorn() { c.torn = true }

// SetError notes why the rest of the input could not be read.
func (c *Card) SetError(why string) { c.failure = wire.Printable(why) }

// SetUnclosed notes how many bytes at the end of a stream no NUL closes, and how many were dropped earlier because
// their NUL came too late.
func (c *Card) SetUnclosed(pending, dropped int64) {
	if pending > 0 || dropped > 0 {
		c.unclosed = max(pending, 0) + max(dropped, 0)
	}
}

// timed returns m with its worldstate time, where that follows from the time of receipt.
func (c *Card) timed(m *StationMessage) StationMessage {
	timed := *m
	c.polled = c.polled || m.Polled
	age := c.current.AgeMillis
	if age.Known && math.Abs(age.Value) < 1e13 {
		c.age = int64(age.Value)
	}
	const limit = math.MaxInt64 / 1_000_000
	if m.Received != 0 && m.Published == 0 && age.Known {
		if millis := int64(m.Received)/1e6 - c.age; millis > -limit && millis < limit {
			timed.Published = m.Received.Add(-time.Duration(max(min(c.age, limit), -limit)) * time.Millisecond)
		}
	}
	return timed
}

// stranger counts the events of a robot that no earlier worldstate lists.
type stranger struct {
	id float64
	spot
}

// lists reports whether a worldstate lists a robot.
func (d *contents) lists(id float64) bool {
	return slices.ContainsFunc(d.robots[:d.known], func(r robotHistory) bool { return r.id == id })
}

// addEvent notes the events of robots that no worldstate lists yet: a robot may join with an event.
func (c *Card) addEvent(m *StationMessage) {
	var e msl.Event
	if e.UnmarshalBinary(m.Data) != nil || !e.RobotID.Known || c.contents.lists(e.RobotID.Value) {
		return
	}
	i := slices.IndexFunc(c.strangers, func(s stranger) bool { return s.id == e.RobotID.Value })
	if i < 0 && len(c.strangers) == msl.MaxRobots {
		return
	}
	if i < 0 {
		i, c.strangers = len(c.strangers), append(c.strangers, stranger{id: e.RobotID.Value})
	}
	c.markValue(&c.strangers[i].spot, m, e.RobotID.Offset)
}

// tally counts the messages that break one rule of single messages; notes have tallies of their own.
type tally struct {
	rule     string
	note     bool
	messages uint64
	last     uint64 // number of the newest of them
	text     string
	source   string
	fields   []fieldCount
	spot
}

// fieldCount counts the breaches in fields of one name.
type fieldCount struct {
	name  string
	count uint64
}

// maxFields is how many fields the text of a finding names.
const maxFields = 4

// tally counts one finding of a message.
func (c *Card) tally(m *StationMessage, f *msl.Finding) {
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
	c.mark(&t.spot, m, f.Offset, 0)
	const all = 256 // up to this count each field is named, then one of 64: naming costs more than counting
	if t.count <= all || t.count%64 == 0 {
		t.addField(pattern(f.Field()))
	}
}

func (t *tally) addField(name string) {
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

// pattern returns the name of a field without indices: robots[].pose[2] for robots[3].pose[2].
func pattern(field string) string {
	open := strings.IndexByte(field, '[')
	end := strings.IndexByte(field, ']')
	if open < 0 || end < open {
		return field
	}
	return strings.TrimSuffix(field[:open+1]+field[end:], "[]")
}

// StationReport is the report card of one team for a page or as JSON: figures, then findings. Its JSON is stable: fields are
// added, none change. A nil pointer stands for an unknown figure.
type StationReport struct {
	Side        string           `json:"side"` // "A" (home) or "B" (away); "" if the input does not tell
	Team        string           `json:"team"`
	OK          bool             `json:"ok"`          // there are messages, all readable, without faults; notes do not count
	Messages    uint64           `json:"messages"`    // all that were received
	Worldstates uint64           `json:"worldstates"` // messages that are worldstates
	Events      uint64           `json:"events"`      // messages that are events
	Commands    uint64           `json:"commands"`    // messages that only a referee box sends
	Broken      uint64           `json:"broken"`      // unreadable messages
	Filled      uint64           `json:"filled"`      // windows without a worldstate, logged as empty
	Bytes       uint64           `json:"bytes"`       // length of all messages but events
	Seconds     float64          `json:"seconds"`     // from the first worldstate to the last
	Silent      float64          `json:"silent"`      // seconds of them in gaps of a second and more
	BoxAway     float64          `json:"boxAway"`     // seconds in which there was no referee box, so that no gap is the team's
	Rate        *float64         `json:"rate"`        // Hz, without these gaps
	GapP50      *float64         `json:"gapP50"`      // ms
	GapP99      *float64         `json:"gapP99"`      // ms
	GapMax      *float64         `json:"gapMax"`      // ms
	AgeP50      *float64         `json:"ageP50"`      // ms, reported ageMs
	AgeMax      *float64         `json:"ageMax"`      // ms
	Empty       float64          `json:"empty"`       // 0..1 of the windows of 100 ms have no worldstate
	Rates       []float64        `json:"rates"`       // worldstates a second; at most 600 figures, 10 of a long silence
	RateStep    int              `json:"rateStep"`    // s that each figure of Rates is the mean of
	Torn        bool             `json:"torn"`        // the input ends within a message
	Error       string           `json:"error"`       // why the rest of the input could not be read; "" if all was
	Findings    []StationFinding `json:"findings"`    // the most severe first
}

// Report returns the figures and findings so far.
func (c *Card) Report() StationReport {
	r := &c.rhythm
	report := StationReport{
		Team: c.team, Messages: c.messages, Worldstates: c.worldstates, Events: c.events, Commands: c.commands,
		Broken: c.broken, Filled: c.filled, Bytes: c.bytes, Seconds: (r.active + r.silent).Seconds(), Silent: r.silent.Seconds(),
		Torn: c.torn, Error: c.failure, Findings: c.Findings(),
	}
	report.OK = c.messages > 0 && c.failure == ""
	report.BoxAway = c.boxAway(0, math.MaxInt64).Seconds()
	for i := range report.Findings {
		report.OK = report.OK && report.Findings[i].Note
	}
	report.Rate = Figure(r.mean(), r.mean() > 0)
	report.GapP50 = Figure(r.gaps.quantile(0.5))
	report.GapP99 = Figure(r.gaps.quantile(0.99))
	report.GapMax = Figure(float64(r.gapMax.Microseconds())/1000, r.timed > 0)
	report.AgeP50 = Figure(r.ages.quantile(0.5))
	report.AgeMax = Figure(r.ageMax, report.AgeP50 != nil)
	if r.window > 0 {
		report.Empty = float64(r.holes) / float64(r.window)
	}
	report.Rates, report.RateStep = means(r.rates, 600)
	return report
}

// means returns at most most means of all, and how many figures each is the mean of.
func means(all []uint16, most int) ([]float64, int) {
	step := max((len(all)+most-1)/most, 1)
	out := make([]float64, 0, len(all)/step+1)
	for i := 0; i < len(all); i += step {
		sum := 0
		part := all[i:min(i+step, len(all))]
		for _, n := range part {
			sum += int(n)
		}
		out = append(out, float64(sum)/float64(len(part)))
	}
	return out, step
}
