package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/check"
	"touchline/internal/console"
	"touchline/matchlog"
	"touchline/wire"
)

// comparedTeams is what --json prints of two folders of matches.
type comparedTeams struct {
	A       string                `json:"a"`
	B       string                `json:"b"`
	Side    game.Side             `json:"side"`    // side of the team under test
	Matches [2]int                `json:"matches"` // that count, in A and B
	Paired  bool                  `json:"paired"`  // each match in A is compared with that of the same seed and opponent in B
	Figures []analysis.Difference `json:"figures"` // largest effect first
	Skipped []skippedLog          `json:"skipped"` // files without a match
	Notes   []string              `json:"notes"`   // what weakens the comparison
}

// skippedLog is a file that was left out.
type skippedLog struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// matchFigures are the figures of one match; NaN where its log does not hold one.
type matchFigures struct {
	file, pair string // seed and opponent; "" without a seed
	seconds    float64
	values     []float64
	why        error // why there are none
}

const (
	fewMatches = 10
	mostLogs   = 100_000
)

// folders compares two folders or patterns.
func (f *compareFlags) folders(c *cobra.Command, args [2]string) error {
	var files [2][]string
	for i, name := range args {
		var err error
		if files[i], err = logsOf(name); err != nil {
			return console.Usage(err)
		}
	}
	if slices.Equal(files[0], files[1]) {
		return console.Usage(fmt.Errorf("%s and %s are the same logs: give the logs of two versions of a team", args[0], args[1]))
	}
	matches, err := f.readAll(c.Context(), c.ErrOrStderr(), files)
	if err != nil {
		return err
	}
	r := comparedTeams{A: args[0], B: args[1], Side: game.Side(f.side), Skipped: []skippedLog{}, Notes: []string{}}
	for i := range matches {
		matches[i] = slices.DeleteFunc(matches[i], func(m matchFigures) bool {
			if m.why != nil {
				r.Skipped = append(r.Skipped, skippedLog{m.file, m.why.Error()})
			}
			return m.why != nil
		})
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(c.ErrOrStderr(), "left out: %s: %s\n", wire.Printable(s.File), strings.TrimPrefix(s.Why, s.File+": "))
	}
	for i := range matches {
		if len(matches[i]) == 0 {
			return fmt.Errorf("%s: none of its %s holds a match", args[i], check.Plural(uint64(len(files[i])), "log"))
		}
	}
	r.compare(f.chosen, matches)
	if f.json {
		err = console.PrintJSON(c.OutOrStdout(), r)
	} else {
		err = r.print(c.OutOrStdout())
	}
	if err == nil && len(r.Skipped) > 0 {
		err = console.Finding()
	}
	return err
}

// logsOf returns the logs of a folder, or those that a pattern matches, sorted.
func logsOf(name string) (files []string, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		if files, err = filepath.Glob(name); err != nil {
			return nil, fmt.Errorf("%s: the pattern is invalid: want one such as runs/*.mcap", name)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: no file matches this pattern", name)
		}
	} else {
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if ext := strings.ToLower(filepath.Ext(e.Name())); !e.IsDir() && (ext == ".mcap" || ext == ".zip") && e.Name()[0] != '.' {
				files = append(files, filepath.Join(name, e.Name()))
			}
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s holds no .mcap or .zip: want a folder of logs, for example from touchline match --record", name)
		}
	}
	if len(files) > mostLogs {
		return nil, fmt.Errorf("%s: %d logs are too many; the limit is %d", name, len(files), mostLogs)
	}
	slices.Sort(files)
	return files, nil
}

// readAll reads the figures of all matches, as many at a time as there are processors.
func (f *compareFlags) readAll(ctx context.Context, errs io.Writer, files [2][]string) ([2][]matchFigures, error) {
	all := [2][]matchFigures{make([]matchFigures, len(files[0])), make([]matchFigures, len(files[1]))}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU())
	var mu sync.Mutex
	done, progress := 0, console.NewProgress(errs)
	for i := range files {
		for k, name := range files[i] {
			group.Go(func() error {
				m := f.readMatch(ctx, name)
				if all[i][k] = m; errors.Is(m.why, context.Canceled) {
					return m.why
				}
				mu.Lock()
				defer mu.Unlock()
				done++
				progress.Say("reading, %d of %d logs", done, len(files[0])+len(files[1]))
				return nil
			})
		}
	}
	err := group.Wait()
	progress.End()
	return all, console.Interrupted(err, done, len(files[0])+len(files[1]), "logs")
}

// readMatch reads the figures of one match.
func (f *compareFlags) readMatch(ctx context.Context, name string) matchFigures {
	m := matchFigures{file: name}
	if m.why = ctx.Err(); m.why != nil {
		return m
	}
	l, err := matchlog.Open(name)
	if err != nil {
		m.why = err
		return m
	}
	defer l.Close()
	r, err := f.analyse(ctx, io.Discard, l)
	if err != nil {
		m.why = err
		return m
	}
	side := game.Side(f.side)
	if m.seconds = r.Seconds; r.Seed != "" {
		m.pair = r.Seed + " against " + r.Names[side.Opponent().Index()]
	}
	for i := range f.chosen {
		v, known := f.chosen[i].Value(r, side)
		if !known {
			v = math.NaN()
		}
		m.values = append(m.values, v)
	}
	return m
}

// compare compares the figures of two lists of matches.
func (r *comparedTeams) compare(metrics []analysis.Metric, matches [2][]matchFigures) {
	matches = r.pair(matches)
	r.Matches = [2]int{len(matches[0]), len(matches[1])}
	shortest, longest := math.Inf(1), 0.0
	for _, list := range matches {
		for i := range list {
			shortest, longest = min(shortest, list[i].seconds), max(longest, list[i].seconds)
		}
	}
	if longest > 1.2*shortest {
		r.note("the matches last from %.0f to %.0f s: counts such as shots grow with the length of a match", shortest, longest)
	}
	switch least := min(r.Matches[0], r.Matches[1]); {
	case least < 2:
		r.note("one match is too few for an interval: play at least %d in each folder", fewMatches)
	case least < fewMatches:
		r.note("%d matches are few: the intervals hold for figures that are about normally distributed; play at least %d", least, fewMatches)
	}
	for i := range metrics {
		values := r.values(i, matches)
		r.Figures = append(r.Figures, metrics[i].Compare(values[0], values[1], r.Paired))
	}
	analysis.SortByEffect(r.Figures)
	if len(metrics) >= 20 && min(r.Matches[0], r.Matches[1]) > 1 {
		r.note("of %d intervals about %d leaves out 0 by chance: test what you find with other seeds", len(metrics), (len(metrics)+10)/20)
	}
}

func (r *comparedTeams) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// pair returns the matches with the same seed and opponent in both lists, in one order, if these are at least half of each
// list; otherwise all matches.
func (r *comparedTeams) pair(matches [2][]matchFigures) [2][]matchFigures {
	var of [2]map[string][]int
	for i, list := range matches {
		of[i] = map[string][]int{}
		for k := range list {
			if key := list[k].pair; key != "" {
				of[i][key] = append(of[i][key], k)
			}
		}
	}
	var paired [2][]matchFigures
	for k := range matches[0] {
		key := matches[0][k].pair
		if a, b := of[0][key], of[1][key]; len(a) == 1 && len(b) == 1 {
			paired[0], paired[1] = append(paired[0], matches[0][k]), append(paired[1], matches[1][b[0]])
		}
	}
	n, all := len(paired[0]), [2]int{len(matches[0]), len(matches[1])}
	if n < 1 || 2*n < all[0] || 2*n < all[1] {
		if n > 0 {
			r.note("only %s in A and B have the same seed: matches are not compared in pairs", matchesText(n))
		}
		return matches
	}
	if r.Paired = true; all[0]+all[1] > 2*n {
		r.note("%d matches in A and %d in B have no partner with their seed and opponent, or several: they do not count", all[0]-n, all[1]-n)
	}
	return paired
}

// values returns the values of figure number k in both lists: without those of matches that do not hold it, nor of their
// partners.
func (r *comparedTeams) values(k int, matches [2][]matchFigures) (values [2][]float64) {
	for i, list := range matches {
		for n := range list {
			known := !math.IsNaN(list[n].values[k])
			if r.Paired {
				known = known && !math.IsNaN(matches[1-i][n].values[k])
			}
			if known {
				values[i] = append(values[i], list[n].values[k])
			}
		}
	}
	return values
}

func matchesText(n int) string {
	if n == 1 {
		return "1 match"
	}
	return fmt.Sprintf("%d matches", n)
}

// print prints the comparison of two teams.
func (r *comparedTeams) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "A: %s, %s\nB: %s, %s\nfigures of the %s team", r.A, matchesText(r.Matches[0]), r.B, matchesText(r.Matches[1]), r.Side)
	if r.Paired {
		b.WriteString("; matches with the same seed and opponent are compared with each other")
	}
	b.WriteString("\n\n")
	printDifferences(&b, r.Figures)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\n%s", n)
	}
	if len(r.Notes) > 0 {
		b.WriteString("\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// printDifferences prints the table of differences.
func printDifferences(b *strings.Builder, figures []analysis.Difference) {
	fmt.Fprintf(b, "%-40s %10s %10s %10s   %-20s %6s %7s\n", "figure", "A", "B", "difference", "95 % interval", "effect", "matches")
	for i := range figures {
		d := &figures[i]
		m := d.Metric
		difference, interval, effect := "–", "too few", "–"
		if d.Difference != nil {
			difference = m.FormatDifference(*d.Difference, 1)
		}
		if d.Interval != nil {
			interval = m.FormatDifference(d.Interval.From, 1) + " to " + m.FormatDifference(d.Interval.To, 1)
			switch effect = "∞"; {
			case *d.Difference == 0:
				effect = "0"
			case d.Effect != nil:
				effect = fmt.Sprintf("%+.2f", *d.Effect)
			}
		}
		n := fmt.Sprint(d.N[0])
		if d.N[0] != d.N[1] {
			n += "/" + fmt.Sprint(d.N[1])
		}
		fmt.Fprintf(b, "%-40s %10s %10s %10s   %-20s %6s %7s\n", d.Text, valueText(m, d.A, 1), valueText(m, d.B, 1), difference,
			interval, effect, n)
	}
}
