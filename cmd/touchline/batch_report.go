package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"touchline/internal/analysis/export"
	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/console"
)

// batchReportFlags are the flags of batch report.
type batchReportFlags struct {
	page, csv, parquet string
	json               bool
}

func batchReportCommand() *cobra.Command {
	var f batchReportFlags
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Report what the matches in a folder say about the teams",
		Long: `Report reads the results in a folder and prints ratings, a cross table of the teams, and the mean of each
figure, with 95 % intervals. The same results give the same report, byte for byte, whatever the order, slices and
machines. You can run it while the batch is still running.

-o writes a page with plots; --csv and --parquet write a table with one row per match. The exit code is 1 if a match
did not end or a result is damaged.`,
		Example: `  touchline batch report results
  touchline batch report results -o report.html --parquet matches.parquet`,
		Args: oneArg("DIR", "batch report results"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.add(c)
	return c
}

// add adds the flags.
func (f *batchReportFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.page, "out", "o", "", "write the report as a page to this file, for example report.html")
	c.Flags().StringVar(&f.csv, "csv", "", "write one row per match to this file, for example matches.csv")
	c.Flags().StringVar(&f.parquet, "parquet", "", "write the same table as Parquet, for example matches.parquet")
	c.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
}

func (f *batchReportFlags) run(c *cobra.Command, dir string) error {
	plan, err := batchnet.ReadPlan(dir)
	if err != nil {
		return console.Usage(fmt.Errorf("%w: want a folder of touchline batch run", err))
	}
	if err := f.check(); err != nil {
		return err
	}
	folder, jobs := &batchnet.Folder{Path: dir}, plan.Jobs()
	damaged := 0
	get := func(job *batch.Job) *batch.Result {
		r, err := folder.Get(plan, job)
		if err != nil {
			fmt.Fprintf(c.ErrOrStderr(), "left out: %s\n", console.Plain(err.Error()))
			damaged++
		}
		return r
	}
	if err := f.write(c, plan, jobs, get); err != nil {
		return err
	}
	if damaged > 0 {
		return console.Finding()
	}
	return nil
}

// check checks that the files may be written.
func (f *batchReportFlags) check() error {
	for _, file := range [][3]string{{"out", f.page, "<!doctype html>"}, {"csv", f.csv, "id,home,"}, {"parquet", f.parquet, "PAR1"}} {
		if err := console.CheckReplaces(file[0], file[1], file[2]); err != nil {
			return err
		}
		if folder, err := os.Stat(filepath.Dir(file[1])); file[1] != "" && (err != nil || !folder.IsDir()) {
			return console.Usage(fmt.Errorf("--%s %.60s: its folder does not exist", file[0], file[1]))
		}
	}
	return nil
}

// write makes the report of results and writes it as the flags say. The error is a finding if a match did not end.
func (f *batchReportFlags) write(c *cobra.Command, plan *batch.Plan, jobs []batch.Job,
	get func(*batch.Job) *batch.Result) error {
	var rows []batch.Row
	r := batch.NewReport(plan, jobs, func(job *batch.Job) *batch.Result {
		result := get(job)
		if result != nil && f.csv+f.parquet != "" {
			rows = append(rows, batch.NewRow(job, result))
		}
		return result
	})
	if f.page != "" {
		if err := os.WriteFile(f.page, []byte(batchnet.Page(r)), 0o644); err != nil {
			return console.Usage(fmt.Errorf("-o: %w", err))
		}
	}
	for path, format := range map[string]export.Format{f.csv: export.CSV, f.parquet: export.Parquet} {
		if path == "" {
			continue
		}
		if err := writeRows(path, format, rows); err != nil {
			return console.Usage(err)
		}
	}
	var err error
	if f.json {
		err = console.PrintJSON(c.OutOrStdout(), r)
	} else {
		err = printReport(c.OutOrStdout(), r)
	}
	if err == nil && r.Failed > 0 {
		err = console.Finding()
	}
	return err
}

// writeRows writes a table into a file.
func writeRows(path string, format export.Format, rows []batch.Row) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(export.WriteTable(file, format, rows), file.Close())
}

// printReport prints a report for people.
func printReport(out io.Writer, r *batch.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of %s of 2 x %g s", r.Name, r.Done, matchesText(r.Jobs), r.Half)
	if r.Done < r.Jobs {
		b.WriteString("; the others are not played yet")
	}
	b.WriteString("\n")
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "did not end: %s: %s\n", f.ID, f.Text)
	}
	if r.Failed > len(r.Failures) {
		fmt.Fprintf(&b, "and %d more did not end\n", r.Failed-len(r.Failures))
	}
	fmt.Fprintf(&b, "\n%-28s %6s %-16s %7s %-16s %5s %5s %5s\n", "team", "Elo", "95 % interval", "points",
		"95 % interval", "won", "drawn", "lost")
	for i := range r.Teams {
		t := &r.Teams[i]
		in, points := &t.Rating.Interval, "too few"
		if p := t.Points.Interval; p != nil {
			points = fmt.Sprintf("%.3f to %.3f", p.From, p.To)
		}
		fmt.Fprintf(&b, "%-28s %+6.0f %-16s %7.3f %-16s %5d %5d %5d\n", t.Name, t.Rating.Elo, fmt.Sprintf("%+.0f to %+.0f", in.From, in.To),
			t.Points.Mean, points, t.Won, t.Drawn, t.Lost)
	}
	if len(r.Teams) > 2 {
		printCross(&b, r)
	}
	fmt.Fprintf(&b, "\n%-40s", "mean of a match, 95 %")
	for i := range r.Teams {
		fmt.Fprintf(&b, " %22.22s", r.Teams[i].Name)
	}
	for k := range r.Teams[0].Figures {
		fmt.Fprintf(&b, "\n%-40s", r.Teams[0].Figures[k].Text)
		for i := range r.Teams {
			f := &r.Teams[i].Figures[k]
			text := f.Metric.Format(f.Mean.Mean, 2)
			if in := f.Interval; in != nil {
				text += " ± " + strings.TrimPrefix(f.Metric.FormatDifference((in.To-in.From)/2, 2), "+")
			}
			fmt.Fprintf(&b, " %22s", text)
		}
	}
	b.WriteString("\n")
	if len(r.Conditions) > 1 {
		printConditions(&b, r)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// printCross prints the cross table.
func printCross(b *strings.Builder, r *batch.Report) {
	fmt.Fprintf(b, "\n%-28s", "won-drawn-lost against")
	for i := range r.Teams {
		fmt.Fprintf(b, " %16.16s", r.Teams[i].Name)
	}
	for i := range r.Teams {
		fmt.Fprintf(b, "\n%-28s", r.Teams[i].Name)
		for k := range r.Teams {
			text := ""
			if c := &r.Cross[i][k]; c.Games > 0 {
				text = fmt.Sprintf("%d-%d-%d", c.Won, c.Drawn, c.Lost)
			}
			fmt.Fprintf(b, " %16s", text)
		}
	}
	b.WriteString("\n")
}

// printConditions prints the points under each condition.
func printConditions(b *strings.Builder, r *batch.Report) {
	fmt.Fprintf(b, "\n%-40s %7s", "points of a match on", "matches")
	for i := range r.Teams {
		fmt.Fprintf(b, " %22.22s", r.Teams[i].Name)
	}
	for i := range r.Conditions {
		c := &r.Conditions[i]
		fmt.Fprintf(b, "\n%-40s %7d", c.Field+", "+c.Network+", "+c.Faults, c.Games)
		for _, p := range c.Points {
			text := fmt.Sprintf("%.3f", p.Mean)
			if p.Interval != nil {
				text += fmt.Sprintf(" ± %.3f", (p.Interval.To-p.Interval.From)/2)
			}
			fmt.Fprintf(b, " %22s", text)
		}
	}
	b.WriteString("\n")
}
