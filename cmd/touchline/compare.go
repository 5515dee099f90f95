package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/internal/check"
	"touchline/internal/console"
	"touchline/matchlog"
	"touchline/wire"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	metrics   []string
	skip      []string
	side      string
	tolerance time.Duration
	json      bool

	chosen []analysis.Metric
}

// comparedLogs is what --json prints of two logs.
type comparedLogs struct {
	A        string           `json:"a"`
	B        string           `json:"b"`
	Equal    bool             `json:"equal"`
	Messages uint64           `json:"messages"` // equal ones before the first difference
	First    *logDifference   `json:"first"`    // null: all messages are equal
	Metadata []metaDifference `json:"metadata"`
	Figures  []figurePair     `json:"figures"`
	Notes    []string         `json:"notes"` // what of the logs was not compared, and why
}

// figurePair is a figure of both teams in two matches. A value is null where its log does not hold it.
type figurePair struct {
	Name string       `json:"name"`
	Text string       `json:"text"`
	Unit string       `json:"unit"` // "%": the values are shares from 0 to 1
	Home figureValues `json:"home"`
	Away figureValues `json:"away"`
}

type figureValues struct {
	A          *float64 `json:"a"`
	B          *float64 `json:"b"`
	Difference *float64 `json:"difference"` // b - a
}

func compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two logs, or two folders of matches",
		Long: `Compare shows the first difference between two logs: channel, time, byte, field, robot and team, or the
message that one of them lacks. Below it are the figures of both matches. Two messages are equal if they have the same
bytes and the same time since the start of the log. The exit code is 0 if the logs are equal and 1 if not.

With two folders, or two patterns in quotes, it compares two versions of a team over many matches: the mean of each
figure in A and in B, and the difference with its 95 % interval, largest effect first. Matches with the same seed and
opponent in both are compared in pairs, so that fewer matches are needed. Files without a match are listed and left
out; the exit code is then 1. docs/analysis.md explains the figures.`,
		Example: `  touchline compare a.mcap b.mcap
  touchline compare a.mcap b.mcap --skip 'topic/*' --metrics none
  touchline compare before/ after/ --metrics possession,xg,lost
  touchline compare 'runs/old-*.mcap' 'runs/new-*.mcap' --side away`,
		Args: console.Args(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, [2]string{args[0], args[1]}) },
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.metrics, "metrics", nil, "figures to compare, for example possession,xg (default: all; none: no figures)")
	flags.StringVar(&f.side, "side", string(game.Home), "with folders: the side of the team under test, home or away")
	flags.StringArrayVar(&f.skip, "skip", nil, "ignore differences in this CHANNEL; a * at the end is a wildcard; may be repeated")
	flags.DurationVar(&f.tolerance, "tolerance", 0, "treat message times that differ by at most this as equal, to compare two recordings of one session")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	console.Accept(flags, "a time from 0 to 10s, for example 20ms", "tolerance")
	return c
}

func (f *compareFlags) run(c *cobra.Command, args [2]string) error {
	if f.side != string(game.Home) && f.side != string(game.Away) {
		return console.Usage(fmt.Errorf("--side %.40q: want home or away", f.side))
	}
	if f.tolerance < 0 || f.tolerance > 10*time.Second {
		return console.Usage(fmt.Errorf("--tolerance %v: want a time from 0 to 10s", f.tolerance))
	}
	if len(f.metrics) != 1 || f.metrics[0] != "none" {
		var err error
		if f.chosen, err = analysis.MetricsOf(f.metrics); err != nil {
			return console.Usage(fmt.Errorf("--metrics: %w", err))
		}
	}
	several := [2]bool{}
	for i, name := range args {
		info, err := os.Stat(name)
		several[i] = err == nil && info.IsDir() || err != nil && strings.ContainsAny(name, "*?[")
	}
	flags := c.Flags()
	switch {
	case several[0] != several[1]:
		return console.Usage(fmt.Errorf("%s and %s: cannot compare one log with several: give two logs, or two folders or patterns", args[0], args[1]))
	case !several[0] && flags.Changed("side"):
		return console.Usage(errors.New("--side needs folders: for two logs the figures of both teams are compared"))
	case several[0] && (flags.Changed("skip") || flags.Changed("tolerance")):
		return console.Usage(errors.New("--skip and --tolerance need two logs: with folders, only figures are compared"))
	case several[0] && len(f.chosen) == 0:
		return console.Usage(errors.New("--metrics none: two folders are compared by their figures: name at least one"))
	case several[0]:
		return f.folders(c, args)
	}
	return f.files(c, args)
}

// files compares two logs.
func (f *compareFlags) files(c *cobra.Command, args [2]string) error {
	var logs [2]*matchlog.Log
	for i, name := range args {
		l, err := openLog(name)
		if err != nil {
			return err
		}
		defer l.Close()
		l.SkipDamage()
		logs[i] = l
	}
	if err := f.checkSkip(logs, args); err != nil {
		return err
	}
	r := comparedLogs{A: args[0], B: args[1], Metadata: compareMeta(logs), Figures: []figurePair{}, Notes: []string{}}
	var err error
	if r.First, r.Messages, err = f.compareLogs(c.Context(), c.ErrOrStderr(), logs, args); err != nil {
		return err
	}
	if r.First != nil {
		r.First.Text = r.First.sentence(args)
	}
	r.Equal = r.First == nil && len(r.Metadata) == 0
	for i, l := range logs {
		for _, loss := range l.Loss() {
			r.Notes = append(r.Notes, args[i]+": "+wire.Printable(loss))
		}
	}
	if err := f.figures(c, logs, &r); err != nil {
		return err
	}
	if f.json {
		err = console.PrintJSON(c.OutOrStdout(), r)
	} else {
		err = f.printLogs(c.OutOrStdout(), &r)
	}
	if err == nil && !r.Equal {
		err = console.Finding()
	}
	return err
}

// checkSkip refuses a channel that neither log has.
func (f *compareFlags) checkSkip(logs [2]*matchlog.Log, names [2]string) error {
	var all []string
	for _, l := range logs {
		for _, c := range l.Info().Channels {
			all = append(all, c.Name)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, s := range f.skip {
		if !slices.ContainsFunc(all, func(c string) bool { return skips([]string{s}, c) }) {
			return console.Usage(fmt.Errorf("--skip %.60q: neither log has this channel; they have %s", s, wire.Printable(strings.Join(all, ", "))))
		}
	}
	return nil
}

// compareMeta compares the metadata of two logs. Zips of the RefBox have none.
func compareMeta(logs [2]*matchlog.Log) []metaDifference {
	a, b := logs[0].Info(), logs[1].Info()
	all := []metaDifference{}
	if a.Format != b.Format {
		return all
	}
	var keys []string
	for _, meta := range []map[string]string{a.Meta, b.Meta} {
		for key := range meta {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		if a.Meta[key] != b.Meta[key] {
			all = append(all, metaDifference{key, a.Meta[key], b.Meta[key]})
		}
	}
	return all
}

// figures fills in the figures of both matches; the notes say why a log has none.
func (f *compareFlags) figures(c *cobra.Command, logs [2]*matchlog.Log, r *comparedLogs) error {
	if len(f.chosen) == 0 {
		return nil
	}
	var reports [2]*analysis.Report
	for i, l := range logs {
		if i == 1 && r.Equal && len(f.skip) == 0 {
			reports[1] = reports[0]
			break
		}
		report, err := f.analyse(c.Context(), c.ErrOrStderr(), l)
		if errors.Is(err, context.Canceled) {
			return err
		}
		if err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("no figures: %s: %v", []string{r.A, r.B}[i], err))
			return nil
		}
		reports[i] = report
	}
	for i := range f.chosen {
		m := &f.chosen[i]
		pair := figurePair{Name: m.Name, Text: m.Text, Unit: m.Unit}
		for k, values := range []*figureValues{&pair.Home, &pair.Away} {
			a, has := m.Value(reports[0], game.Sides[k])
			b, also := m.Value(reports[1], game.Sides[k])
			if has {
				values.A = &a
			}
			if also {
				values.B = &b
			}
			if by := b - a; has && also {
				values.Difference = &by
			}
		}
		r.Figures = append(r.Figures, pair)
	}
	return nil
}

// analyse makes the report of a log's match, with beliefs if a chosen figure needs them.
func (f *compareFlags) analyse(ctx context.Context, errs io.Writer, l *matchlog.Log) (*analysis.Report, error) {
	m, err := analysislog.Describe(l)
	if err != nil {
		return nil, err
	}
	beliefs := slices.ContainsFunc(f.chosen, func(m analysis.Metric) bool { return m.Beliefs })
	return analyse(ctx, errs, l, &m, beliefs)
}

// sentence tells the difference of two logs.
func (d *logDifference) sentence(names [2]string) string {
	a, b := filepath.Base(names[0]), filepath.Base(names[1])
	if a == b {
		a, b = names[0], names[1]
	}
	at := fmt.Sprintf("%s, message %d of %s", clockText(d.Seconds), d.Message, wire.Printable(d.Channel))
	what := d.subject()
	switch d.Kind {
	case missingIn:
		lacks := a
		if d.In == "b" {
			lacks = b
		}
		text := fmt.Sprintf("%s%s: %s lacks it", at, what, lacks)
		if d.ended {
			text += ", it has ended"
		}
		return text
	case ordered:
		return at + ": the messages of this time have another order"
	case timed:
		return fmt.Sprintf("%s: the bytes are equal, but the time that they describe is %s in %s and %s in %s", at, d.A, a, d.B, b)
	}
	where := ""
	if d.Byte >= 0 {
		where = fmt.Sprintf(", byte %d", d.Byte)
	}
	switch {
	case d.Field != "":
		return fmt.Sprintf("%s%s%s: %s is %s in %s, and %s in %s", at, what, where, d.Field, d.A, a, d.B, b)
	case d.Protocol == "JSON":
		what += ", equal values that are written differently"
	}
	return fmt.Sprintf("%s%s%s: %s in %s, and %s in %s", at, what, where, d.A, a, d.B, b)
}

// subject names protocol, robot and team of a message.
func (d *logDifference) subject() (text string) {
	if d.Protocol != "" && d.Protocol != "JSON" {
		text = ", " + d.Protocol
	}
	team := d.Team
	if team != "" && team[0] >= '0' && team[0] <= '9' {
		team = "team " + team
	}
	switch {
	case d.Robot != "" && team != "":
		text += ", " + d.Robot + " of " + team
	case d.Robot+team != "":
		text += ", " + d.Robot + team
	}
	return text
}

// clockText returns a time in s as minutes and seconds to the millisecond.
func clockText(seconds float64) string {
	sign, ms := "", int64(seconds*1000+0.5)
	if seconds < 0 {
		sign, ms = "-", int64(-seconds*1000+0.5)
	}
	return fmt.Sprintf("%s%d:%02d.%03d", sign, ms/60_000, ms/1000%60, ms%1000)
}

// printLogs prints the comparison of two logs.
func (f *compareFlags) printLogs(out io.Writer, r *comparedLogs) error {
	var b strings.Builder
	switch {
	case r.First == nil && len(f.skip) > 0:
		fmt.Fprintf(&b, "%s are equal, apart from %s\n", check.Plural(r.Messages, "message"), strings.Join(f.skip, ", "))
	case r.First == nil:
		fmt.Fprintf(&b, "%s are equal\n", check.Plural(r.Messages, "message"))
	default:
		fmt.Fprintf(&b, "%s are equal, then they differ:\n%s\n", check.Plural(r.Messages, "message"), wire.Printable(r.First.Text))
	}
	for _, m := range r.Metadata {
		key, x, y := m.Key, shortJSON(m.A), shortJSON(m.B)
		if d, ok := compareJSON([]byte(m.A), []byte(m.B)); ok && d.Field != "" {
			key, x, y = key+"."+d.Field, d.A, d.B
		}
		fmt.Fprintf(&b, "metadata, %s: %s and %s\n", wire.Printable(key), x, y)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s\n", n)
	}
	if r.Equal && len(f.skip) == 0 {
		r.Figures = nil // they are equal too
	}
	if len(r.Figures) > 0 {
		fmt.Fprintf(&b, "\n%-40s %31s   %31s\n%-40s %9s %9s %11s   %9s %9s %11s\n", "", "home", "away", "figure", "A", "B", "difference", "A", "B", "difference")
	}
	for i := range r.Figures {
		p, m := &r.Figures[i], &f.chosen[i]
		fmt.Fprintf(&b, "%-40s", m.Text)
		for _, v := range []*figureValues{&p.Home, &p.Away} {
			difference := "–"
			if v.Difference != nil {
				difference = m.FormatDifference(*v.Difference, 0)
			}
			fmt.Fprintf(&b, " %9s %9s %11s  ", valueText(m, v.A, 0), valueText(m, v.B, 0), difference)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func valueText(m *analysis.Metric, v *float64, more int) string {
	if v == nil {
		return "–"
	}
	return m.Format(*v, more)
}
