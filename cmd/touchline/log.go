package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/matchlog"
	"touchline/soccer"
)

// logFlags is what the subcommands of log can be told.
type logFlags struct {
	from, to, out string
	grid, json    bool
}

func logCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "log",
		Short: "Look into logs, cut, merge and export them",
		Long: `Log works on logs of matches and recordings: MCAP files of touchline, finished or not, MCAP files of other programs, the
RefBox's zips of 2016 and 2.x, and the .msl files in them.

Moments (--from, --to) are MM:SS or H:MM:SS since the log began, a time such as 90s, a date like 2026-07-03T15:50:14Z, or
ms since 1970.`,
		Example: `  touchline log info 20260703_155014.mcap
  touchline log cut match.zip --from 12:00 --to 13:30 -o goal.mcap
  touchline log merge x.A.msl x.B.msl x.msl -o x.mcap
  touchline log export 20260703_155014.mcap --grid`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exitError{2, fmt.Errorf("log has no %q: there are info, cut, merge and export; see --help", args[0])}
			}
			return exitError{2, errors.New("say what to do: log info, cut, merge or export; see --help")}
		},
	}
	c.AddCommand(logInfoCommand(), logCutCommand(), logMergeCommand(), logExportCommand())
	return c
}

func logInfoCommand() *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:     "info FILE...",
		Short:   "Say what is in logs",
		Example: "  touchline log info match.zip\n  touchline log info --json *.mcap | jq '.[] | {name, duration}'",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exitError{2, errors.New("name a FILE, for example touchline log info match.zip")}
			}
			type named struct {
				Name string `json:"name"`
				matchlog.Info
			}
			var all []named
			for _, name := range args {
				l, err := openLog(name)
				if err != nil {
					return err
				}
				all = append(all, named{name, l.Info()})
				l.Close()
			}
			if f.json {
				return printJSON(c, all)
			}
			for _, i := range all {
				if err := printInfo(c.OutOrStdout(), i.Name, &i.Info); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.addJSON(c)
	return c
}

// printInfo prints a log for people.
func printInfo(out io.Writer, name string, i *matchlog.Info) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %.1f MB, %s to %s UTC, %v\n", name, i.Format, float64(i.Bytes)/1e6, moment(i.Start), moment(i.End),
		time.Duration(i.Duration*1e9).Round(time.Millisecond))
	if i.Home != "" || i.Away != "" {
		fmt.Fprintf(&b, "  home %s, away %s\n", cmp.Or(i.Home, "nobody"), cmp.Or(i.Away, "nobody"))
	}
	for _, c := range i.Channels {
		fmt.Fprintf(&b, "  %-12s %8d\n", c.Name, c.Count)
	}
	if !i.Finished {
		b.WriteString("  not finished: it is being written, or what wrote it was killed\n")
	}
	if i.Torn != "" {
		fmt.Fprintf(&b, "  torn: %s\n", i.Torn)
	}
	for _, n := range i.Notes {
		fmt.Fprintf(&b, "  %s\n", n)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func moment(t soccer.Time) string {
	return time.Unix(0, int64(t)).UTC().Format("2006-01-02 15:04:05.000")
}

func logCutCommand() *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "cut FILE",
		Short: "Copy a part of a log, or a whole one mended",
		Long: `Cut copies what is in a log from one moment to another into a new, finished one. Without --from and --to it is all that
can be read of it, so that a torn log is whole again.`,
		Example: "  touchline log cut match.zip --from 12:00 --to 13:30 -o goal.mcap\n  touchline log cut torn.mcap -o whole.mcap",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exitError{2, errors.New("name one FILE to cut")}
			}
			return f.copy(c, args)
		},
	}
	f.addRange(c)
	f.addOut(c, "the new log, .mcap or .zip (default: beside FILE, its name with .cut.mcap)")
	f.addJSON(c)
	return c
}

func logMergeCommand() *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:     "merge FILE... -o OUT",
		Short:   "Put several logs into one, in the order of time",
		Example: "  touchline log merge x.A.msl x.B.msl x.msl -o x.mcap\n  touchline log merge first.mcap second.mcap -o both.mcap",
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) < 2:
				return exitError{2, errors.New("name at least two FILEs to merge")}
			case len(args) > 100:
				return exitError{2, errors.New("merge at most 100 logs at a time")}
			case f.out == "":
				return exitError{2, errors.New("say where to: -o OUT.mcap")}
			}
			return f.copy(c, args)
		},
	}
	f.addRange(c)
	f.addOut(c, "the new log, .mcap or .zip (needed)")
	f.addJSON(c)
	return c
}

func logExportCommand() *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write a log as the RefBox's zip",
		Long: `Export writes a log as the zip that the RefBox releases: .msl with what happened, .A.msl (home) and .B.msl (away) with every
message of the teams as JSON, by timestamp, and one empty structure for each 100 ms without any. With --grid it is exactly
one record for each 100 ms from a team's admission to the end of the game.`,
		Example: "  touchline log export 20260703_155014.mcap\n  touchline log export match.mcap --grid -o match.zip",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exitError{2, errors.New("name one FILE to export")}
			}
			l, err := openLog(args[0])
			if err != nil {
				return err
			}
			defer l.Close()
			if f.out == "" {
				f.out, _, _ = l.Names()
			}
			if err := exportTo(f.out, l, f.grid); err != nil {
				return err
			}
			return f.done(c, f.out, count(messages(l), "message"))
		},
	}
	c.Flags().BoolVar(&f.grid, "grid", false, "exactly one record for each 100 ms")
	f.addOut(c, "the zip (default: by date and teams, in this folder)")
	f.addJSON(c)
	return c
}

func (f *logFlags) addRange(c *cobra.Command) {
	c.Flags().StringVar(&f.from, "from", "", "where to begin, for example 12:41 (default: at the beginning)")
	c.Flags().StringVar(&f.to, "to", "", "where to end (default: at the end)")
}

func (f *logFlags) addOut(c *cobra.Command, usage string) {
	c.Flags().StringVarP(&f.out, "out", "o", "", usage)
}

func (f *logFlags) addJSON(c *cobra.Command) {
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
}

func printJSON(c *cobra.Command, v any) error {
	e := json.NewEncoder(c.OutOrStdout())
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// done says what was written.
func (f *logFlags) done(c *cobra.Command, path, what string) error {
	stat, err := os.Stat(path)
	if err != nil {
		return err
	}
	if f.json {
		return printJSON(c, map[string]any{"file": path, "bytes": stat.Size()})
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s, %.1f MB\n", path, what, float64(stat.Size())/1e6)
	return err
}

// openLog opens a log and waits until all of it is read.
func openLog(name string) (*matchlog.Log, error) {
	l, err := matchlog.Open(name)
	if err != nil {
		return nil, exitError{2, err}
	}
	if err := l.Wait(); err != nil && messages(l) == 0 {
		l.Close()
		return nil, exitError{2, fmt.Errorf("%s: %w", name, err)}
	}
	return l, nil
}

func messages(l *matchlog.Log) (n uint64) {
	for _, c := range l.Info().Channels {
		n += c.Count
	}
	return n
}

// copy copies logs into one.
func (f *logFlags) copy(c *cobra.Command, names []string) error {
	if f.out == "" {
		f.out = strings.TrimSuffix(names[0], filepath.Ext(names[0])) + ".cut.mcap"
	}
	var logs []*matchlog.Log
	meta := map[string]string{}
	start, end := soccer.Time(0), soccer.Time(0)
	for _, name := range names {
		l, err := openLog(name)
		if err != nil {
			return err
		}
		defer l.Close()
		i := l.Info()
		if messages(l) > 0 && (start == 0 || i.Start < start) {
			start = i.Start
		}
		end = max(end, i.End)
		maps.Copy(meta, i.Meta)
		logs = append(logs, l)
	}
	from, err := parseMoment("--from", f.from, start, start)
	if err != nil {
		return err
	}
	to, err := parseMoment("--to", f.to, start, end+1)
	if err != nil {
		return err
	}
	if to <= from {
		return exitError{2, fmt.Errorf("--to %s is not behind --from %s: the log goes from %s to %s", f.to, f.from, moment(start), moment(end))}
	}
	if !strings.HasSuffix(f.out, ".zip") {
		n, err := writeLog(f.out, meta, logs, from, to)
		if err != nil {
			return err
		}
		return f.done(c, f.out, count(n, "message"))
	}
	dir, err := os.MkdirTemp("", "touchline-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "cut.mcap")
	n, err := writeLog(path, meta, logs, from, to)
	if err != nil {
		return err
	}
	l, err := openLog(path)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := exportTo(f.out, l, f.grid); err != nil {
		return err
	}
	return f.done(c, f.out, count(n, "message"))
}

// writeLog writes the messages of logs from one moment to before another, in the order of time.
func writeLog(path string, meta map[string]string, logs []*matchlog.Log, from, to soccer.Time) (n uint64, err error) {
	w, err := matchlog.Create(path, meta)
	if err != nil {
		return 0, exitError{2, fmt.Errorf("%w; name another file with -o", err)}
	}
	defer func() {
		if e := w.Close(); err == nil {
			err = e
		}
		if err != nil {
			os.Remove(path)
		}
	}()
	type head struct {
		m    matchlog.Message
		next func() (matchlog.Message, error, bool)
	}
	var heads []head
	for _, l := range logs {
		next, stop := iter.Pull2(l.Messages(from, to))
		defer stop()
		m, err, ok := next()
		if err != nil {
			return n, err
		}
		if ok {
			heads = append(heads, head{m, next})
		}
	}
	for len(heads) > 0 {
		k := 0
		for i := range heads {
			if heads[i].m.Time < heads[k].m.Time {
				k = i
			}
		}
		if err := w.Write(heads[k].m); err != nil {
			return n, err
		}
		n++
		m, err, ok := heads[k].next()
		if err != nil {
			return n, err
		}
		if heads[k].m = m; !ok {
			heads = append(heads[:k], heads[k+1:]...)
		}
	}
	return n, nil
}

// exportTo writes the RefBox's zip of a log into a new file.
func exportTo(path string, l *matchlog.Log, grid bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return exitError{2, fmt.Errorf("%w; name another file with -o", err)}
	}
	err = matchlog.Export(f, l, matchlog.ExportOptions{Grid: grid})
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// parseMoment reads a moment of a log that began at start; an empty text is otherwise.
func parseMoment(flag, text string, start, otherwise soccer.Time) (soccer.Time, error) {
	if text == "" {
		return otherwise, nil
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
		return 0, exitError{2, fmt.Errorf("%s %s: write it like 12:41 since the log began, 90s, 2026-07-03T15:50:14Z or ms since 1970", flag, text)}
	}
	return start.Add(time.Duration(seconds * 1e9)), nil
}
