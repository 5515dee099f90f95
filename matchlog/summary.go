package matchlog

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

const (
	maxEvents  = 20_000
	maxSeconds = 100e3 // length of Summary.Rates
)

// Event is an event of a match.
type Event struct {
	T     float64 `json:"t"`    // ms since 1970
	Kind  string  `json:"kind"` // "command", "event", "goal", "card", "part", "note"; or that of a vss.ShowMark
	Side  string  `json:"side"` // "home", "away", or "" for both or neither
	Text  string  `json:"text"`
	Robot int     `json:"robot"` // jersey; 0: none
	Left  *Left   `json:"left"`  // when the command left for the teams; null: no command, or not known
}

// Summary describes a log for a page. Frames completes it.
type Summary struct {
	Name   string       `json:"name"`
	Start  float64      `json:"start"` // ms since 1970
	End    float64      `json:"end"`
	Ready  float64      `json:"ready"` // indexed share, 0 to 1; the summary covers this share
	Home   string       `json:"home"`
	Away   string       `json:"away"`
	Field  soccer.Field `json:"field"`
	Truth  bool         `json:"truth"`  // the log has ground truth
	Events []Event      `json:"events"` // sorted by time, at most 20,000
	Rates  struct {
		Home []int `json:"home"` // messages in each second since Start
		Away []int `json:"away"`
	} `json:"rates"`
	Torn  string   `json:"torn"`
	Notes []string `json:"notes"`
}

// Summary summarises what is indexed now. name is the log's name.
func (l *Log) Summary(name string) (Summary, error) {
	i := l.Info()
	s := Summary{
		Name: name, Start: Millis(i.Start), End: Millis(i.End), Ready: i.Ready, Home: i.Home, Away: i.Away,
		Field: field(i.Meta, i.Start), Events: []Event{}, Torn: i.Torn, Notes: i.Notes,
	}
	n := int(max(min(i.Duration+1, maxSeconds), 1))
	s.Rates.Home, s.Rates.Away = make([]int, n), make([]int, n)
	teams := sides{s.Home, s.Away}
	l.mu.Lock()
	hasLines, names := l.all.ids[Lines] != 0, slices.Clone(l.all.channels)
	s.Truth = l.all.ids[Truth] != 0
	l.mu.Unlock()
	candidates := 20 * maxEvents
	var buf []byte
	var sent departures
	for e := range l.entries(0, 0, []string{Home, Away, HomeSent, AwaySent, Lines, Commands, Marks, Notes, Omitted}) {
		if int(e.channel) >= len(names) {
			continue // indexed after this summary began
		}
		name := names[e.channel]
		if second := int(e.time.Sub(i.Start) / time.Second); second >= 0 && second < n {
			switch name {
			case Home:
				s.Rates.Home[second]++
			case Away:
				s.Rates.Away[second]++
			}
		}
		if name != Lines && name != Commands && e.length >= 1024 || len(s.Events) == maxEvents || candidates == 0 {
			continue // a worldstate with robots has more than 1024 bytes
		}
		candidates--
		m, err := l.message(&e, &buf)
		if err != nil {
			return s, err
		}
		if v := teams.event(&m, hasLines); v.Kind != "" {
			v.T, v.Text = Millis(m.Time), wire.Printable(v.Text)
			s.Events = append(s.Events, v)
		}
		sent.add(&m, s.Events)
	}
	return s, nil
}

// field returns the field that the log tells, or else the league's field of that year.
func field(meta map[string]string, at soccer.Time) soccer.Field {
	if f, ok := FieldOf(meta); ok {
		return f
	}
	if at < 1609459200e9 { // until 2020
		return soccer.MSL18x12()
	}
	return soccer.MSL22x14()
}

// markings returns the text of MetaMarkings.
func markings(f soccer.Field) string {
	b, err := json.Marshal(&f)
	if err != nil {
		panic(err) // texts and finite numbers
	}
	return string(b)
}

// FieldOf returns the field that the metadata of a log tell: MetaMarkings or MetaSize. It reports whether there is one.
func FieldOf(meta map[string]string) (f soccer.Field, ok bool) {
	if json.Unmarshal([]byte(meta[MetaMarkings]), &f) == nil && CanBePlayedOn(&f) {
		return f, true
	}
	switch meta[MetaSize] {
	case "18x12":
		return soccer.MSL18x12(), true
	case "22x14":
		return soccer.MSL22x14(), true
	}
	return soccer.Field{}, false
}

// CanBePlayedOn reports whether a field of a log has the size of one: up to 150 m.
func CanBePlayedOn(f *soccer.Field) bool {
	return f.Length > 0 && f.Width > 0 && f.Length <= 150 && f.Width <= 150
}

// event returns the event that a message of the channels Home, Away, Lines, Commands, Marks or Notes reports. An Event
// without Kind is none.
func (s *sides) event(m *Message, hasLines bool) Event {
	switch m.Channel {
	case Notes:
		if bytes.HasPrefix(m.Data, []byte("decision ")) && bytes.Contains(m.Data, []byte(" went out ")) {
			return Event{} // a delivery, as logs had it before the channel sent
		}
		return Event{Kind: "note", Text: string(m.Data)}
	case Omitted:
		var o game.Omission
		if json.Unmarshal(m.Data, &o) != nil {
			return Event{}
		}
		return Event{Kind: "note", Side: string(o.Side), Text: omissionText(&o)}
	case Marks:
		var v struct{ Kind, Text string }
		_ = json.Unmarshal(m.Data, &v) // what is no object has no kind
		return Event{Kind: wire.Printable(v.Kind), Text: v.Text}
	case HomeSent, AwaySent:
		return Event{}
	case Home, Away:
		var v msl.Event
		if v.UnmarshalBinary(m.Data) != nil {
			return Event{}
		}
		e := Event{Kind: "event", Side: m.Channel, Text: v.Event}
		if n := v.RobotID.Value; n >= 1 && n <= msl.MaxNumber {
			e.Robot = int(n)
		}
		return e
	case Commands:
		var c msl.Command
		if hasLines || c.UnmarshalBinary(m.Data) != nil { // the lines report the commands
			return Event{}
		}
		return Event{Kind: kindOf(strings.ToLower(c.Name)), Text: c.Name, Robot: c.RobotID}
	}
	var l msl.Line
	l.UnmarshalBinary(m.Data)
	if l.Text != "" {
		return Event{Kind: "note", Text: l.Text}
	}
	return Event{Kind: kindOf(strings.ToLower(l.Description)), Side: s.of(&l), Text: l.Description, Robot: l.RobotID}
}

// kindOf classifies a description or command of the RefBox, given in lower case.
func kindOf(text string) string {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	switch {
	case strings.HasPrefix(text, "event "):
		return "event"
	case has("goal kick", "goalkick"):
		return "command"
	case has("goal"):
		return "goal"
	case has("card", "yellow", "red "):
		return "card"
	case has(" half", "_half", "halftime", "half_time", "end game", "end_game", "game over", "gameover", "reset"):
		return "part"
	}
	return "command"
}

// Left tells when a command left for the teams.
type Left struct {
	Home *float64 `json:"home"` // ms from the decision to the team's socket; null: it was not sent
	Away *float64 `json:"away"`
	Why  string   `json:"why"` // why it was not sent to one of them; "": no reason is known
}

// maxUnsent is how many commands may wait for their departure; a referee box sends all of them within a second.
const maxUnsent = 64

// departures finds the events of the commands that leave. A referee box records each command, then its line, and later
// its departures.
type departures struct {
	command string   // the newest, with its robot's number
	unsent  []unsent // oldest first
}

// unsent is a command that may not have left for both teams.
type unsent struct {
	command    string
	event      int
	home, away bool // its departure is known
}

// add takes a message of a log, and events, the newest of which may be its event.
func (d *departures) add(m *Message, events []Event) {
	switch m.Channel {
	case Commands:
		var c msl.Command
		if d.command = ""; c.UnmarshalBinary(m.Data) == nil {
			d.command = c.Text()
		}
	case Lines:
		if d.command == "" || len(events) == 0 || events[len(events)-1].Kind == "note" {
			return // a line about a connection
		}
		d.unsent = append(d.unsent[max(0, len(d.unsent)-maxUnsent):], unsent{command: d.command, event: len(events) - 1})
		d.command = ""
	case HomeSent, AwaySent:
		var x game.Departure
		if json.Unmarshal(m.Data, &x) == nil {
			d.left(events, m, &x)
		}
	}
}

// left sets the departure of a command: of the one that was decided when this one was. A message of a single team, or
// of a team that was not connected, has no departure for the other side.
func (d *departures) left(events []Event, m *Message, x *game.Departure) {
	decided := Millis(m.Time) - x.Millis
	best, distance := -1, 1000.0 // ms
	for i, u := range d.unsent {
		known := u.home && m.Channel == HomeSent || u.away && m.Channel == AwaySent
		if apart := math.Abs(events[u.event].T - decided); u.command == x.Message && !known && apart < distance {
			best, distance = i, apart
		}
	}
	if best < 0 {
		return
	}
	u := &d.unsent[best]
	e := &events[u.event]
	if e.Left == nil {
		e.Left = &Left{}
	}
	to := &e.Left.Away
	if m.Channel == HomeSent {
		u.home, to = true, &e.Left.Home
	} else {
		u.away = true
	}
	if x.Why != "" {
		e.Left.Why = x.Why
	} else {
		*to = &x.Millis
	}
}
