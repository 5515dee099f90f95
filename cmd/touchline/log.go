package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/check"
	"touchline/internal/console"
	"touchline/internal/playback"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
)

// logFlags are the flags of the subcommands of log.
type logFlags struct {
	from, to, out string
	grid, json    bool
	partial       bool
}

func logCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "log",
		Short: "Inspect, annotate, cut, merge and export logs",
		Long: `Log works on match logs and recordings: touchline's MCAP files, finished or not; MCAP files of other
programs; zips of RefBox 2016 and 2.x and the .msl files in them; logs of the Small Size League (.log, .log.gz); and
game logs of the 2D simulation (.rcg, .rcg.gz).

Times (--from, --to) are MM:SS or H:MM:SS since the start of the log, a duration such as 90s, a date such as
2026-07-03T15:50:14Z, or ms since 1970.`,
		Example: `  touchline log info 20260703_155014.mcap
  touchline log decisions 20260703_155014.mcap
  touchline log note 20260703_155014.mcap --at 12:41 "the keeper saw the ball too late"
  touchline log cut match.zip --from 12:00 --to 13:30 -o goal.mcap
  touchline log merge x.A.msl x.B.msl x.msl -o x.mcap
  touchline log export 20260703_155014.mcap --grid
  touchline log layout -o touchline-layout.json`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return console.Usage(fmt.Errorf("log %.40s: want info, decisions, note, cut, merge, export or layout; see --help", args[0]))
			}
			return console.Usage(errors.New("log needs a subcommand: info, decisions, note, cut, merge, export or layout; see --help"))
		},
	}
	c.AddCommand(logInfoCommand(), logDecisionsCommand(), logNoteCommand(), logCutCommand(), logMergeCommand(),
		logExportCommand(), logLayoutCommand())
	return c
}

func logInfoCommand() *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:     "info FILE...",
		Short:   "Describe the contents of logs",
		Example: "  touchline log info match.zip\n  touchline log info --json *.mcap | jq '.[] | {name, duration}'",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.Usage(errors.New("FILE is required, for example touchline log info match.zip"))
			}
			var all []namedInfo
			for _, name := range args {
				l, err := openLog(name)
				if err != nil {
					return err
				}
				all = append(all, namedInfo{name, l.Info()})
				l.Close()
			}
			if f.json {
				return console.PrintJSON(c.OutOrStdout(), all)
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

// notFinished describes a touchline log that was not closed.
const notFinished = "not finished: the log is being written, a referee box may resume its game, or its writer was killed " +
	"or had no room"

// printInfo prints the description of a log as text.
func printInfo(out io.Writer, name string, i *matchlog.Info) error {
	var b strings.Builder
	covers := "no messages"
	if len(i.Channels) > 0 {
		covers = coverText(i.Start, i.End)
	}
	fmt.Fprintf(&b, "%s (%s): %.1f MB, %s\n", name, i.Format, float64(i.Bytes)/1e6, covers)
	if i.Home != "" || i.Away != "" {
		fmt.Fprintf(&b, "  home %s, away %s\n", cmp.Or(i.Home, "none"), cmp.Or(i.Away, "none"))
	}
	for _, c := range i.Channels {
		fmt.Fprintf(&b, "  %-12s %8d\n", wire.Printable(c.Name), c.Count)
	}
	b.WriteString(notesText(i.Start, i.Annotations))
	if !i.Finished {
		fmt.Fprintf(&b, "  %s\n", notFinished)
	}
	if i.Torn != "" {
		fmt.Fprintf(&b, "  torn: %s\n", i.Torn)
	}
	for _, n := range i.Notes {
		fmt.Fprintf(&b, "  %s\n", n)
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(out, wire.Printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// coverText describes the time that a log covers, and its length, from which times such as 12:41 are counted.
func coverText(start, end soccer.Time) string {
	return fmt.Sprintf("%s to %s UTC, %v", timeText(start), timeText(end), end.Sub(start).Round(time.Millisecond))
}

func timeText(t soccer.Time) string {
	return time.Unix(0, int64(t)).UTC().Format("2006-01-02 15:04:05.000")
}

func logCutCommand() *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "cut FILE",
		Short: "Copy part of a log, or repair a damaged one",
		Long: `Cut copies the messages and notes between two times in a log to a new log. Without --from and --to it copies
every readable message, which repairs a damaged log. If part of the log cannot be read, cut says which part and exits
with 1, or with 0 if --partial is given.`,
		Example: "  touchline log cut match.zip --from 12:00 --to 13:30 -o goal.mcap\n  touchline log cut torn.mcap --partial -o whole.mcap",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usage(errors.New("log cut needs one FILE, for example touchline log cut match.zip --to 12:00"))
			}
			return f.copy(c, args)
		},
	}
	f.addRange(c)
	f.addOut(c, "new log: .mcap, .zip, or .log and .log.gz for the Small Size League (default: FILE.cut.mcap)")
	f.addJSON(c)
	return c
}

func logMergeCommand() *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:     "merge FILE... -o OUT",
		Short:   "Merge several logs by time",
		Example: "  touchline log merge x.A.msl x.B.msl x.msl -o x.mcap\n  touchline log merge first.mcap second.mcap -o both.mcap",
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) < 2:
				return console.Usage(errors.New("log merge needs at least two FILEs, for example x.A.msl x.B.msl"))
			case len(args) > 100:
				return console.Usage(fmt.Errorf("log merge reads at most 100 logs, but %d are given", len(args)))
			case f.out == "":
				return console.Usage(errors.New("-o is required, for example -o x.mcap"))
			}
			return f.copy(c, args)
		},
	}
	f.addRange(c)
	f.addOut(c, "new log: .mcap, .zip, .log or .log.gz (required)")
	f.addJSON(c)
	return c
}

func logExportCommand() *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Export a log as a RefBox zip",
		Long: `Export writes a log as the zip that the league publishes: the log of events (.msl), and each team's
worldstates sorted by timestamp (.A.msl for home, .B.msl for away), with an empty worldstate for each 100 ms that has
none. With --grid a team's file has exactly one record per 100 ms, from the admission of the team to the end of the
game.`,
		Example: "  touchline log export 20260703_155014.mcap\n  touchline log export match.mcap --grid -o match.zip",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usage(errors.New("log export needs one FILE, for example touchline log export 20260703_155014.mcap"))
			}
			logs, err := openSources(args)
			if err != nil {
				return err
			}
			defer closeAll(logs)
			if f.out == "" {
				f.out = matchlog.Name(logs[0])
			}
			n, err := exportTo(f.out, logs[0], f.grid)
			return f.finish(c, args, logs, n, err)
		},
	}
	c.Flags().BoolVar(&f.grid, "grid", false, "write exactly one record per 100 ms")
	f.addOut(c, "the zip (default: named after the date and teams, in this folder)")
	f.addJSON(c)
	return c
}

func logLayoutCommand() *cobra.Command {
	var out string
	var vss bool
	c := &cobra.Command{
		Use:   "layout",
		Short: "Write a layout for Foxglove and Lichtblick",
		Long: `Layout writes a layout for recordings in Foxglove and Lichtblick, which show nothing of a file by default. It
shows the field with truth and beliefs, the camera of robot 5, the disagreement between the robots over time, the
events, and all values. Import it there from the layout menu. With --vss it writes a layout for the page of touchline
sim vss.`,
		Example: `  touchline log layout -o touchline-layout.json
  touchline log layout --vss -o vss-layout.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			layout := playback.Layout
			if vss {
				layout = playback.LayoutVSS
			}
			if out == "" {
				_, err := c.OutOrStdout().Write(layout)
				return err
			}
			f, err := console.Create(out)
			if err != nil {
				return console.Usage(fmt.Errorf("%w; give the name of a new file with -o", err))
			}
			_, err = f.Write(layout)
			return errors.Join(err, f.Close())
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "the new file (default: standard output)")
	c.Flags().BoolVar(&vss, "vss", false, "a layout for a VSS simulator")
	return c
}

func (f *logFlags) addRange(c *cobra.Command) {
	c.Flags().StringVar(&f.from, "from", "", "start time, for example 12:41 (default: start of the log)")
	c.Flags().StringVar(&f.to, "to", "", "end time (default: end of the log)")
}

func (f *logFlags) addOut(c *cobra.Command, usage string) {
	c.Flags().StringVarP(&f.out, "out", "o", "", usage)
	c.Flags().BoolVar(&f.partial, "partial", false, "exit with 0 even if part of the source cannot be read")
}

func (f *logFlags) addJSON(c *cobra.Command) {
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
}

// namedInfo is what log info prints of a file as JSON.
type namedInfo struct {
	Name string `json:"name"`
	matchlog.Info
}

// writtenLog is what log cut, merge and export print as JSON.
type writtenLog struct {
	File     string   `json:"file"`
	Messages uint64   `json:"messages"`
	Bytes    int64    `json:"bytes"`
	Lost     []string `json:"lost"` // what a source lacks
}

// printResult prints what was written, and what is lost of the sources.
func (f *logFlags) printResult(c *cobra.Command, n uint64, lost []string) error {
	path := f.out
	stat, err := os.Stat(path)
	if err != nil {
		return err
	}
	if f.json {
		return console.PrintJSON(c.OutOrStdout(), writtenLog{path, n, stat.Size(), lost})
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s, %.1f MB\n", path, check.Plural(n, "message"), float64(stat.Size())/1e6)
	return err
}

// openLog opens a log and waits until it is indexed.
func openLog(name string) (*matchlog.Log, error) {
	l, err := matchlog.Open(name)
	if err != nil {
		return nil, console.Usage(err)
	}
	if err := l.Wait(); err != nil && messages(l) == 0 {
		l.Close()
		return nil, console.Usage(fmt.Errorf("%s: %w", name, err))
	}
	return l, nil
}

func messages(l *matchlog.Log) (n uint64) {
	for _, c := range l.Info().Channels {
		n += c.Count
	}
	return n
}
