package matchlog

import (
	"archive/zip"
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

// Options are options of Write.
type Options struct {
	Grid bool // write exactly one record for each 100 ms from a team's admission to the end of the game
}

const (
	window     = 100 * time.Millisecond // MSL World Model 2015, section 3
	maxWindows = int64(24 * time.Hour / window)
	never      = soccer.Time(1<<63 - 1)
)

// Write writes a log as the zip of RefBox 2.1: a log of events (.msl), and a JSON list of each team's worldstates
// sorted by timestamp, .A.msl for home and .B.msl for away, one record a line. A list contains every received message
// except events, which are lines of the .msl, and an empty worldstate for each 100 ms without a worldstate. With Grid it
// contains the last worldstate of each 100 ms, or the empty one. Messages that some reader of JSON refuses are repaired
// or replaced by the empty worldstate, and a line of the .msl describes it. Write waits until the log is indexed. Of the log
// it keeps 22 bytes a message in memory.
func Write(w io.Writer, l *Log, o Options) error {
	e, err := newExporter(l)
	if err != nil {
		return err
	}
	stem := strings.TrimSuffix(LogName(e.start), ".mcap")
	out := zip.NewWriter(w)
	for _, m := range []struct {
		end   string
		write func(*bufio.Writer) error
	}{
		{".msl", e.lines},
		{".A.msl", func(b *bufio.Writer) error { return e.records(b, Home, o.Grid) }},
		{".B.msl", func(b *bufio.Writer) error { return e.records(b, Away, o.Grid) }},
	} {
		f, err := out.CreateHeader(&zip.FileHeader{
			Name: stem + m.end, Method: zip.Deflate, Modified: time.Unix(0, int64(e.start)).UTC(),
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
	if err := out.Close(); err != nil {
		return fmt.Errorf("matchlog: %w", err)
	}
	return nil
}

// Name returns the name of a log's zip, from the metadata and the admissions.
func Name(l *Log) string {
	e, err := newExporter(l)
	if err != nil {
		return FileName(0, "", "")
	}
	return FileName(e.start, e.team(Home, never).short, e.team(Away, never).short)
}

// exporter writes the RefBox's files of a log.
type exporter struct {
	l     *Log
	meta  map[string]string
	clock *Clock
	teams map[string][]admission // admissions by channel, sorted by time
	start soccer.Time            // start of the game
	over  soccer.Time            // end of the game, or of the log
	clean cleaner
}

// admission mirrors refbox.Admission, which this package cannot import.
type admission struct {
	Time  soccer.Time `json:"time"`
	Side  string      `json:"side"`
	Name  string      `json:"name"`
	Short string      `json:"short"`
	Gone  bool        `json:"gone"`

	short string
}

// newExporter reads the clock and the admissions.
func newExporter(l *Log) (*exporter, error) {
	e := &exporter{l: l, teams: map[string][]admission{}}
	var err error
	if e.clock, err = l.Clock(); err != nil {
		return nil, err
	}
	for m, err := range l.Messages(0, 0, Admissions) {
		if err != nil {
			return nil, err
		}
		var a admission
		if json.Unmarshal(m.Data, &a) == nil && !a.Gone {
			e.teams[a.Side] = append(e.teams[a.Side], a)
		}
	}
	for _, all := range e.teams {
		slices.SortStableFunc(all, func(a, b admission) int { return cmp.Compare(a.Time, b.Time) })
	}
	info := l.Info()
	e.meta, e.start = info.Meta, info.Start
	if e.over = e.clock.Over(); e.over == 0 {
		e.over = info.End + 1
	}
	var began int64
	if _, err := fmt.Sscan(e.meta[MetaBegan], &began); err == nil && began > 0 {
		e.start = soccer.Time(began)
	}
	return e, nil
}

// team returns the team that had a side at a time.
func (e *exporter) team(channel string, at soccer.Time) admission {
	t := admission{Name: e.meta[MetaHome], Short: e.meta[MetaHomeShort]}
	if channel == Away {
		t.Name, t.Short = e.meta[MetaAway], e.meta[MetaAwayShort]
	}
	all := e.teams[channel]
	later, _ := slices.BinarySearchFunc(all, at, func(a admission, at soccer.Time) int {
		if a.Time <= at {
			return -1
		}
		return 1
	})
	switch {
	case later > 0:
		t = all[later-1]
	case t.Name == "" && len(all) > 0:
		t = all[0]
	}
	t.short = wire.Printable(cmp.Or(t.Short, t.Name))
	return t
}

// records writes one team's list.
func (e *exporter) records(b *bufio.Writer, channel string, grid bool) error {
	var rows index
	collect := e.all
	if grid {
		collect = e.sample
	}
	if err := collect(channel, &rows); err != nil {
		return err
	}
	var text, buf []byte
	between := "[\n"
	rows.sort()
	for i := range rows.length {
		row := rows.at(i)
		m, err := Message{Time: row.time, Published: row.time}, error(nil)
		if row.offset != 0 {
			if m, err = e.l.message(&row, &buf); err != nil {
				return err
			}
		}
		team := e.team(channel, m.Time)
		record := msl.Record{
			TeamName: team.short, TimestampMillis: millisOf(m.Published), GameMillis: e.clock.At(m.Time).Total.Milliseconds(),
		}
		if text, err = e.clean.appendRecord(text[:0], &record, &m, cmp.Or(team.Name, team.short)); err != nil {
			return err
		}
		b.WriteString(between)
		if _, err := b.Write(text); err != nil {
			return fmt.Errorf("matchlog: %w", err)
		}
		between = ",\n"
	}
	if between == "[\n" {
		b.WriteString("[")
	}
	b.WriteString("\n]\n") // on a line of its own, unlike RefBox 2.1's; Flush returns the error
	return nil
}

func millisOf(t soccer.Time) int64 { return time.Duration(t).Milliseconds() }

// inMillis is the time that sorts a record: its timestamp.
func inMillis(t soccer.Time) soccer.Time { return soccer.Time(millisOf(t)) * 1e6 }

// row returns the entry of a message, sorted by the timestamp of its record.
func row(m *Message) entry {
	return entry{time: inMillis(m.Published), offset: m.offset, length: uint32(len(m.Data))}
}

// all collects a team's messages except events, and its empty worldstates.
func (e *exporter) all(channel string, rows *index) error {
	for m, err := range e.l.Messages(0, 0, channel, channel+"/empty") {
		if err != nil {
			return err
		}
		if m.Channel != channel || !isEvent(m.Data) {
			rows.insert(row(&m))
		}
	}
	return nil
}

// sample collects one row for each window: the last worldstate received in it, or an entry without an offset.
func (e *exporter) sample(channel string, rows *index) error {
	from := soccer.Time(0)
	if all := e.teams[channel]; len(all) > 0 {
		from = all[0].Time
	}
	open := int64(0) // the first window without a row
	var last entry   // the last worldstate in the open window
	closeUntil := func(n int64) {
		for ; open < n; open++ {
			if last.offset == 0 {
				last.time = from.Add(time.Duration(open+1) * window)
			}
			rows.insert(last)
			last = entry{}
		}
	}
	windows := func() int64 { return min(int64((e.over.Sub(from)+window-1)/window), maxWindows+1) }
	for m, err := range e.l.Messages(0, 0, channel, channel+"/empty") {
		if err != nil {
			return err
		}
		if from == 0 {
			from = m.Time
		}
		i := int64(m.Time.Sub(from) / window)
		if m.Time < from || i >= windows() || m.Channel != channel || !msl.IsWorldstate(m.Data) {
			continue
		}
		closeUntil(i)
		last = row(&m)
	}
	if from == 0 {
		return nil // the team was never admitted
	}
	if windows() > maxWindows {
		return errors.New("matchlog: the game is longer than a day: cut the log before you export it")
	}
	closeUntil(windows())
	return nil
}
