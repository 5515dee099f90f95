package matchlog

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/msl"
)

// ExportOptions are options of Export.
type ExportOptions struct {
	Grid bool // write exactly one record for each 100 ms from a team's admission to the end of the game
}

const (
	window     = 100 * time.Millisecond // MSL World Model 2015, section 3
	maxWindows = int64(24 * time.Hour / window)
)

// Export writes a log as the zip of RefBox 2.1: a log of events (.msl), and a JSON list of each team's worldstates
// sorted by timestamp, .A.msl for home and .B.msl for away. A list contains every received message except events, which
// are lines of the .msl, and an empty worldstate for each 100 ms without a worldstate. With Grid it contains the last
// worldstate of each 100 ms, or the empty one. If only the text encoding of a message is invalid, Export repairs it.
// Any other invalid JSON is replaced by the empty worldstate, and a line of the .msl describes it. Export waits until
// the log is indexed and needs about 64 bytes of memory for each message.
func Export(w io.Writer, l *Log, o ExportOptions) error {
	e := exporter{l: l, out: zip.NewWriter(w)}
	if err := e.prepare(); err != nil {
		return err
	}
	start := e.start()
	for _, m := range []struct {
		end   string
		write func(*bufio.Writer) error
	}{
		{".msl", e.lines},
		{".A.msl", func(b *bufio.Writer) error { return e.records(b, Home, o.Grid) }},
		{".B.msl", func(b *bufio.Writer) error { return e.records(b, Away, o.Grid) }},
	} {
		f, err := e.out.CreateHeader(&zip.FileHeader{
			Name: stamp(start) + m.end, Method: zip.Deflate, Modified: time.Unix(0, int64(start)).UTC(),
		})
		if err != nil {
			return fmt.Errorf("matchlog: %w", err)
		}
		b := bufio.NewWriterSize(f, 64<<10)
		if err := m.write(b); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return fmt.Errorf("matchlog: %w", err)
		}
	}
	if err := e.out.Close(); err != nil {
		return fmt.Errorf("matchlog: %w", err)
	}
	return nil
}

// Names returns the name of the log's RefBox zip and the teams' short names, from the metadata and the admissions.
func (l *Log) Names() (file, home, away string) {
	e := exporter{l: l}
	if e.prepare() != nil {
		return FileName(0, "", ""), "", ""
	}
	end := soccer.Time(1<<63 - 1)
	home, away = e.team(Home, end).short, e.team(Away, end).short
	return FileName(e.start(), home, away), home, away
}

// exporter writes the RefBox's files of a log.
type exporter struct {
	l     *Log
	out   *zip.Writer
	meta  map[string]string
	clock *Clock
	teams []admission // by time
	over  soccer.Time // end of the game, or of the log
}

// admission mirrors refbox.Admission, which this package cannot import.
type admission struct {
	Time  soccer.Time `json:"time"`
	Side  string      `json:"side"`
	Name  string      `json:"name"`
	Short string      `json:"short"`
	Gone  bool        `json:"gone"`

	channel string
	short   string
}

// prepare reads the clock and the admissions.
func (e *exporter) prepare() (err error) {
	e.meta = e.l.Info().Meta
	if e.clock, err = e.l.Clock(); err != nil {
		return err
	}
	for m, err := range e.l.Messages(0, 0, Admissions) {
		if err != nil {
			return err
		}
		var a admission
		if json.Unmarshal(m.Data, &a) == nil && !a.Gone {
			a.channel = a.Side
			e.teams = append(e.teams, a)
		}
	}
	if e.over = e.clock.over; e.over == 0 {
		e.over = e.l.Info().End + 1
	}
	return nil
}

// start returns the start of the game.
func (e *exporter) start() soccer.Time {
	var ns int64
	if _, err := fmt.Sscan(e.meta[MetaBegan], &ns); err == nil && ns > 0 {
		return soccer.Time(ns)
	}
	return e.l.Info().Start
}

// team returns the team that had a side at a time.
func (e *exporter) team(channel string, at soccer.Time) admission {
	t := admission{channel: channel, Name: e.meta[MetaHome], Short: e.meta[MetaHomeShort]}
	if channel == Away {
		t.Name, t.Short = e.meta[MetaAway], e.meta[MetaAwayShort]
	}
	for k := range e.teams {
		if a := &e.teams[k]; a.channel == channel && (a.Time <= at || t.Name == "") {
			t = *a
		}
	}
	t.short = strings.ToValidUTF8(cmp.Or(t.Short, t.Name), "?")
	return t
}

// row is a record to write.
type row struct {
	published soccer.Time
	entry     entry
	empty     bool // the empty worldstate instead of a message
}

// records writes one team's list.
func (e *exporter) records(b *bufio.Writer, channel string, grid bool) error {
	rows, err := e.rows(channel)
	if err == nil && grid {
		rows, err = e.sample(channel, rows)
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(millisOf(a.published), millisOf(b.published)) })
	var buf, text []byte
	between := "[\n"
	for i := range rows {
		r := &rows[i]
		m := Message{Time: r.entry.time, Published: r.published}
		if !r.empty {
			if m, err = e.l.message(r.entry, &buf); err != nil {
				return err
			}
			if m.Channel == channel && isEvent(m.Data) {
				continue
			}
		}
		team := e.team(channel, m.Time)
		record := msl.Record{
			TeamName: team.short, TimestampMillis: millisOf(m.Published),
			GameMillis: e.clock.At(m.Time).Total.Milliseconds(), Worldstate: m.Data,
		}
		if text, err = appendRecord(text[:0], &record, r.empty, cmp.Or(team.Name, team.short)); err != nil {
			return err
		}
		b.WriteString(between)
		if _, err := b.Write(text); err != nil {
			return fmt.Errorf("matchlog: %w", err)
		}
		between = ",\n"
	}
	if between == "[\n" {
		b.WriteString(between)
	}
	b.WriteString("]\n") // Flush returns the error
	return nil
}

func millisOf(t soccer.Time) int64 { return time.Duration(t).Milliseconds() }

// appendRecord appends a record. It is valid JSON for any message.
func appendRecord(b []byte, r *msl.Record, empty bool, team string) ([]byte, error) {
	if !empty {
		if text, err := r.AppendBinary(b); err == nil {
			return text, nil
		}
		if data, how := repair(r.Worldstate); how == "" {
			r.Worldstate = data
			return r.AppendBinary(b)
		}
	}
	r.Worldstate = msl.EmptyWorldstate(team)
	return r.AppendBinary(b)
}

// repair makes a message valid JSON if only its text encoding is invalid. Otherwise why describes the fault.
func repair(data []byte) (repaired []byte, why string) {
	r := msl.Record{Worldstate: bytes.ToValidUTF8(data, []byte("\ufffd"))}
	if _, err := r.AppendBinary(nil); err == nil {
		return r.Worldstate, ""
	} else {
		return nil, strings.TrimPrefix(err.Error(), "msl: ")
	}
}

// rows returns a team's messages and empty worldstates in the order of receipt.
func (e *exporter) rows(channel string) ([]row, error) {
	l := e.l
	<-l.done
	l.mu.Lock()
	l.order()
	wanted := l.wanted([]string{channel, channel + "/empty"})
	var rows []row
	for _, at := range l.index {
		if wanted(at.channel) {
			rows = append(rows, row{entry: at})
		}
	}
	l.mu.Unlock()
	head := make([]byte, 8)
	for i := range rows {
		if _, err := l.data.ReadAt(head, rows[i].entry.offset+recordHead+2+4+8); err != nil {
			return nil, fmt.Errorf("matchlog: byte %d of %s cannot be read: %w", rows[i].entry.offset, l.path, err)
		}
		rows[i].published = timeAt(head)
	}
	return rows, nil
}

// sample returns one row for each window: the last worldstate received in it, or the empty one.
func (e *exporter) sample(channel string, rows []row) ([]row, error) {
	var from soccer.Time
	switch k := slices.IndexFunc(e.teams, func(t admission) bool { return t.channel == channel }); {
	case k >= 0:
		from = e.teams[k].Time
	case len(rows) > 0:
		from = rows[0].entry.time
	default:
		return nil, nil // the team was never admitted
	}
	n := int64((e.over.Sub(from) + window - 1) / window)
	if n < 0 || n > maxWindows {
		return nil, errors.New("matchlog: the game is longer than a day: cut the log before you export it")
	}
	out := make([]row, n)
	for i := range out {
		end := from.Add(time.Duration(i+1) * window)
		out[i] = row{published: end, entry: entry{time: end}, empty: true}
	}
	var buf []byte
	for _, r := range rows {
		i := int64(r.entry.time.Sub(from) / window)
		if r.entry.time < from || i >= n {
			continue
		}
		m, err := e.l.message(r.entry, &buf)
		if err != nil {
			return nil, err
		}
		if m.Channel == channel && isWorldstate(m.Data) {
			out[i] = r
		}
	}
	return out, nil
}

// isEvent reports whether a message is an event. For most messages a search in the text is enough.
func isEvent(b []byte) bool {
	return (bytes.Contains(b, []byte("event")) || bytes.Contains(b, []byte(`\u`))) && msl.KindOf(b) == msl.KindEvent
}

func isWorldstate(b []byte) bool {
	kind := msl.KindOf(b)
	if kind == msl.KindUnknown {
		b, _ = repair(b)
		kind = msl.KindOf(b)
	}
	return kind == msl.KindWorldstate
}

// lines writes the log of events: the RefBox's lines, the teams' events, and a line for each message that was not valid
// JSON.
func (e *exporter) lines(b *bufio.Writer) error {
	var text []byte
	for m, err := range e.l.Messages(0, 0, Lines, Home, Away) {
		if err != nil {
			return err
		}
		text = text[:0]
		switch {
		case m.Channel == Lines:
			text = append(text, bytes.Map(oneLine, bytes.ToValidUTF8(bytes.TrimRight(m.Data, "\r\n"), []byte("?")))...)
		case isEvent(m.Data):
			text = e.event(text, &m)
		default:
			r := msl.Record{Worldstate: m.Data}
			if _, err := r.AppendBinary(nil); err == nil {
				continue
			}
			what := "its text encoding was repaired"
			if _, why := repair(m.Data); why != "" {
				what = "its record holds the empty worldstate: " + why
			}
			text = fmt.Appendf(text, "Message of %s at %d ms is not valid JSON; %s",
				e.team(m.Channel, m.Time).short, millisOf(m.Time), strings.Map(oneLine, what))
		}
		if len(text) == 0 {
			continue
		}
		if _, err := b.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("matchlog: %w", err)
		}
	}
	return nil
}

// event appends an event of a team as a line.
func (e *exporter) event(b []byte, m *Message) []byte {
	var v msl.Event
	if v.UnmarshalBinary(m.Data) != nil {
		return b
	}
	at := e.clock.At(m.Time)
	line := msl.Line{
		TimestampMillis: millisOf(m.Time),
		TotalSeconds:    int(at.Total / time.Second), EffectiveSeconds: int(at.Effective / time.Second),
		State:       strings.Map(oneWord, game.PhaseOf(at.Part, at.Running).Name),
		Description: "Event " + strings.Map(oneWord, strings.ToValidUTF8(v.Event, "?")),
		Team:        strings.Map(oneWord, cmp.Or(e.team(m.Channel, m.Time).Name, m.Channel)),
	}
	if n := int(v.RobotID.Value); v.RobotID.Is(float64(n)) && n >= 1 && n <= msl.MaxNumber {
		line.RobotID = n
	} else if v.RobotID.Known {
		line.Description += fmt.Sprintf(" robotId %g", v.RobotID.Value)
	}
	text, err := line.AppendBinary(b)
	if err != nil { // the clock shows a time that does not fit into a line
		return fmt.Appendf(b, "%s of %s at %d ms", line.Description, line.Team, line.TimestampMillis)
	}
	return text
}

// oneWord replaces runes that would break a line or separate its fields.
func oneWord(r rune) rune {
	if r == ',' {
		return ';'
	}
	return oneLine(r)
}

// oneLine replaces runes that would break a line.
func oneLine(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}
