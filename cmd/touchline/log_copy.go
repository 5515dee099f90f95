package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/playback"
	"touchline/internal/scratch"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
)

// copy merges logs into a new one.
func (f *logFlags) copy(c *cobra.Command, names []string) error {
	if f.out == "" {
		f.out = strings.TrimSuffix(names[0], filepath.Ext(names[0])) + ".cut.mcap"
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // the indexes are most of the memory, and none of it is garbage
	logs, err := openSources(names)
	if err != nil {
		return err
	}
	defer closeAll(logs)
	n, err := f.merge(logs)
	return f.finish(c, names, logs, n, err)
}

// merge writes the messages of logs to --out, and returns their number.
func (f *logFlags) merge(logs []*matchlog.Log) (n uint64, err error) {
	meta := map[string]string{}
	start, end := soccer.Time(0), soccer.Time(0)
	for _, l := range logs {
		i := l.Info()
		if messages(l) > 0 && (start == 0 || i.Start < start) {
			start = i.Start
		}
		end = max(end, i.End)
		maps.Copy(meta, i.Meta)
	}
	from, err := parseTime("--from", f.from, start, start)
	if err != nil {
		return 0, err
	}
	to, err := parseTime("--to", f.to, start, end+1)
	if err != nil {
		return 0, err
	}
	wrong := ""
	switch {
	case f.from != "" && f.to != "" && to <= from:
		wrong = fmt.Sprintf("--to %s is not after --from %s; the log", f.to, f.from)
	case from > end && end > 0:
		wrong = fmt.Sprintf("the log has no message after --from %s: it", f.from)
	case to <= start:
		wrong = fmt.Sprintf("the log has no message before --to %s: it", f.to)
	}
	if wrong != "" {
		return 0, console.Usage(fmt.Errorf("%s covers %s", wrong, coverText(start, end)))
	}
	n, err = f.write(meta, logs, from, to)
	if err == nil && n == 0 && (f.from != "" || f.to != "") {
		os.Remove(f.out)
		err = console.Usage(fmt.Errorf("the log has no message in this time: it covers %s, but with gaps", coverText(start, end)))
	}
	return n, err
}

// openSources opens logs to copy all that can be read of them.
func openSources(names []string) (logs []*matchlog.Log, err error) {
	for _, name := range names {
		l, err := openLog(name)
		if err != nil {
			closeAll(logs)
			return nil, err
		}
		l.SkipDamage()
		logs = append(logs, l)
	}
	return logs, nil
}

func closeAll(logs []*matchlog.Log) {
	for _, l := range logs {
		l.Close()
	}
}

// finish prints what is wrong with the sources of a copy, and what was written: n messages, or err. A copy without a part of
// its sources is an error, except with --partial.
func (f *logFlags) finish(c *cobra.Command, names []string, logs []*matchlog.Log, n uint64, err error) error {
	lost := []string{}
	for i, l := range logs {
		loss := l.Loss()
		for _, text := range loss {
			lost = append(lost, names[i]+": "+text)
		}
		for _, text := range l.Info().Notes {
			if !slices.ContainsFunc(loss, func(of string) bool { return strings.Contains(of, text) }) {
				fmt.Fprintln(c.ErrOrStderr(), wire.Printable(names[i]+": "+text))
			}
		}
	}
	for _, text := range lost {
		fmt.Fprintln(c.ErrOrStderr(), wire.Printable(text))
	}
	if err != nil {
		return err
	}
	if strings.HasSuffix(f.out, ".zip") && slices.ContainsFunc(logs, hasNotes) {
		fmt.Fprintln(c.ErrOrStderr(), "a RefBox zip cannot hold notes: they are left out")
	}
	if err := f.printResult(c, n, lost); err != nil || len(lost) == 0 || f.partial {
		return err
	}
	return fmt.Errorf("%s holds only the readable part of the source (see above); --partial accepts that", f.out)
}

func hasNotes(l *matchlog.Log) bool { return len(l.Annotations()) > 0 }

// write writes the messages of logs between two times to --out, a log or a zip, and returns the
// number of those that it holds.
func (f *logFlags) write(meta map[string]string, logs []*matchlog.Log, from, to soccer.Time) (n uint64, err error) {
	if packed, ok := isSSLName(f.out); ok {
		return writeSSL(f.out, packed, logs, from, to)
	}
	if !strings.HasSuffix(f.out, ".zip") {
		return writeLog(f.out, meta, logs, from, to)
	}
	dir, err := scratch.New()
	if err != nil {
		return 0, err
	}
	defer dir.Remove()
	path := filepath.Join(dir.Path, "cut.mcap")
	if n, err = writeLog(path, meta, logs, from, to); err != nil {
		return n, err
	}
	l, err := openLog(path)
	if err != nil {
		return n, err
	}
	defer l.Close()
	return exportTo(f.out, l, f.grid)
}

// writeLog writes the messages of logs between two times to a new packed log, sorted by time.
func writeLog(path string, meta map[string]string, logs []*matchlog.Log, from, to soccer.Time) (n uint64, err error) {
	w, err := matchlog.CreatePacked(path, meta)
	if err != nil {
		return 0, console.Usage(fmt.Errorf("%w; give the name of a new file with -o", err))
	}
	defer func() {
		if e := w.Close(); err == nil {
			err = e
		}
		if err != nil {
			err = removed(path, err)
		}
	}()
	for _, l := range logs {
		for channel, schema := range l.Schemas() {
			w.Declare(channel, schema)
		}
	}
	for m, err := range matchlog.Merge(logs, from, to) {
		if err != nil {
			return n, err
		}
		if n == 0 {
			field, err := fieldBefore(logs, from)
			if err == nil && field != nil {
				n, err = 1, w.Write(*field)
			}
			if err != nil {
				return 0, err
			}
		}
		if err := w.Write(m); err != nil {
			return n, err
		}
		n++
	}
	return n, copyNotes(w, logs, from, to)
}

// fieldBefore returns the newest message with the lines of the field before a time, with that time: they are written every
// ten seconds, and Foxglove shows no field until they come.
func fieldBefore(logs []*matchlog.Log, t soccer.Time) (newest *matchlog.Message, err error) {
	for _, l := range logs {
		m, ok, err := l.Last(playback.FieldChannel, t-1)
		if err != nil {
			return nil, err
		}
		if ok && (newest == nil || m.Time >= newest.Time) {
			newest = &m
		}
	}
	if newest != nil {
		newest.Time = t
	}
	return newest, nil
}

// removed removes a log that could not be written, and returns the error without what its writer says of the rest.
func removed(path string, err error) error {
	os.Remove(path)
	var disk *fs.PathError
	if errors.As(err, &disk) {
		return fmt.Errorf("%w: nothing was kept; free some disk space, or name a file elsewhere with -o", disk)
	}
	return err
}

// exported are the channels whose messages the RefBox's zip holds.
var exported = []string{
	matchlog.Lines, matchlog.Home, matchlog.Away, matchlog.HomeEmpty, matchlog.AwayEmpty, matchlog.Omitted,
}

// exportTo writes the RefBox's zip of a log to a new file, and returns the number of messages in it. A log without any,
// for example of a network, is an error.
func exportTo(path string, l *matchlog.Log, grid bool) (n uint64, err error) {
	for _, c := range l.Info().Channels {
		if slices.Contains(exported, c.Name) {
			n += c.Count
		}
	}
	if n == 0 {
		return 0, console.Usage(errors.New("the log holds no team messages and no referee box lines, so the " +
			"RefBox's zip would be empty; touchline log info lists its contents, and touchline log cut copies it"))
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, console.Usage(fmt.Errorf("%w; give the name of a new file with -o", err))
	}
	err = matchlog.Write(f, l, matchlog.Options{Grid: grid})
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(path)
		return 0, err
	}
	if len(l.Loss()) > 0 { // the channels count damaged messages too
		n = 0
		for _, err := range l.Messages(0, 0, exported...) {
			if err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// parseTime parses a time of a log that started at start. An empty text is fallback.
func parseTime(flag, text string, start, fallback soccer.Time) (soccer.Time, error) {
	if text == "" {
		return fallback, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return soccer.Time(at.UnixNano()), nil
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms >= 1e11 && ms < 9e12 {
		return soccer.Time(ms) * 1e6, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return start.Add(d), nil
	}
	var seconds float64
	fields := strings.Split(text, ":")
	good := len(fields) == 2 || len(fields) == 3
	for i, field := range fields {
		v, err := strconv.ParseFloat(field, 64)
		good = good && err == nil && v >= 0 && v < 1e4 && (i == 0 || v < 60)
		seconds = seconds*60 + v
	}
	if !good {
		return 0, console.Usage(fmt.Errorf("%s %s: want a time such as 12:41 or 90s since the start of the log, "+
			"2026-07-03T15:50:14Z, or ms since 1970", flag, text))

	}
	return start.Add(time.Duration(seconds * 1e9)), nil
}
