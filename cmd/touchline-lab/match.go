package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/game/autoref"
	"touchline/internal/console"
	"touchline/internal/lab"
	"touchline/internal/match"
)

// matchFlags are the matchFlags of the command.
type matchFlags struct {
	cfg         lab.Config
	json, table bool
}

// matchCommand returns the command match.
func matchCommand() *cobra.Command {
	f := matchFlags{cfg: lab.DefaultConfig()}
	c := &cobra.Command{
		Use:   "match",
		Short: "Play many matches and compare the two teams",
		Long: `Match plays matches of five against five in virtual time, on all cores, and prints the mean figures of both
teams with 95 % confidence intervals: goals, crowding around the ball, coverage of the field, possession, passes,
shots and saves. The teams swap home and away after each match. It also counts the rules that robots broke and the
balls that got stuck. The same seeds give the same figures. docs/match.md explains them.

The exit code is 1 if a match did not end or the program failed during one.

Teams:
` + teamList(),
		Example: `  touchline-lab match --seeds 200
  touchline-lab match --seeds 200 --home play:new.json --away touchline
  touchline-lab match --seeds 1000 --loss 0.1 --home touchline --away touchline-nobooking --table
  touchline-lab match --seeds 20 --half 900s --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.prepare(); err != nil {
				return console.Usage(err)
			}
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	set, cfg := c.Flags(), &f.cfg
	set.StringVar(&cfg.One, "home", cfg.One, "first team; it is home with every other seed")
	set.StringVar(&cfg.Other, "away", cfg.Other, "second team")
	set.IntVar(&cfg.Seeds, "seeds", cfg.Seeds, "matches, each with its own seed")
	set.Uint64Var(&cfg.First, "first", cfg.First, "first seed")
	set.DurationVar(&cfg.Half, "half", cfg.Half, "length of a half")
	set.Float64Var(&cfg.Link.Loss, "loss", cfg.Link.Loss, "share of datagrams lost on the way to each receiver, 0 to 1")
	set.DurationVar(&cfg.Link.Delay, "delay", cfg.Link.Delay, "delay added to each datagram")
	set.DurationVar(&cfg.Link.Jitter, "jitter", cfg.Link.Jitter, "random delay of up to this, added to --delay")
	set.BoolVar(&f.json, "json", false, "print the figures as JSON")
	set.BoolVar(&f.table, "table", false, "print the table of docs/match.md, in Markdown")
	return c
}

// teamList returns the teams that play in virtual time, one a line.
func teamList() string {
	var b strings.Builder
	for _, t := range match.Teams() {
		about := "books the ball with the protocol " + t.Booking
		switch {
		case t.External:
			continue
		case t.Still:
			about = "never moves"
		case t.Booking == "none":
			about = "does not book the ball: each robot decides by itself"
		}
		fmt.Fprintf(&b, "  %-22s %s\n", t.Name, about)
	}
	fmt.Fprintf(&b, "  %-22s %s", "play:FILE", "touchline, with the state machine in FILE (docs/robot.md)")
	return b.String()
}

// prepare checks the flags and finds the teams.
func (f *matchFlags) prepare() (err error) {
	if f.json && f.table {
		return errors.New("--json and --table: want one of them")
	}
	if _, err = match.FindTeam(f.cfg.One, os.ReadFile); err != nil {
		return fmt.Errorf("--home %w", err)
	}
	if _, err = match.FindTeam(f.cfg.Other, os.ReadFile); err != nil {
		return fmt.Errorf("--away %w", err)
	}
	return f.cfg.Validate()
}

// run plays the matches and prints their figures.
func (f *matchFlags) run(ctx context.Context, out, errs io.Writer) error {
	last := time.Now()
	r, err := lab.Run(ctx, f.cfg, func(done int) {
		if time.Since(last) > 2*time.Second {
			last = time.Now()
			fmt.Fprintf(errs, "%d of %d matches\n", done, f.cfg.Seeds)
		}
	})
	done := r.Matches + len(r.Failures)
	if err = console.Interrupted(err, done, f.cfg.Seeds, "matches"); err != nil && done == 0 {
		return err
	}
	switch {
	case f.json:
		err = errors.Join(err, console.PrintJSON(out, r))
	case f.table:
		printTable(out, &r)
	default:
		f.print(out, &r)
	}
	if n := len(r.Failures); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d matches did not end; the first: seed %d: %s", n, f.cfg.Seeds,
			r.Failures[0].Seed, r.Failures[0].Text))
	}
	return err
}

// interval returns a figure as text.
func interval(f lab.Figure) string {
	if f.CI == nil {
		return fmt.Sprintf("%.2f ± –", f.Mean)
	}
	return fmt.Sprintf("%.2f ± %.2f", f.Mean, (f.CI[1]-f.CI[0])/2)
}

// title returns the name of a figure as people read it.
func title(name lab.Name, unit string) string {
	text := strings.ReplaceAll(string(name), "_", " ")
	if unit != "" {
		text += ", " + unit
	}
	return text
}

func (f *matchFlags) print(out io.Writer, r *lab.Report) {
	one, other := &r.Teams[0], &r.Teams[1]
	fmt.Fprintf(out, "%s against %s: %d matches of 2 x %g s, %g %% loss\n\n", one.Name, other.Name, r.Matches, r.Seconds, 100*r.Loss)
	fmt.Fprintf(out, "%-20s %22s %22s %22s\n", "mean, 95 %", one.Name, other.Name, "difference")
	names, units := lab.Figures()
	for i, n := range names {
		fmt.Fprintf(out, "%-20s %22s %22s %22s\n", title(n, units[i]), interval(one.Figures[n]), interval(other.Figures[n]),
			interval(r.Less[n]))
	}
	fmt.Fprintf(out, "\nwon %d, lost %d, drawn %d, %d of them without a goal; %s s of play in a match\n", one.Won, other.Won, r.Drawn,
		r.Goalless, interval(r.Played))
	fmt.Fprintf(out, "in %d matches the ball was stuck %d times\n", r.Matches, r.Stuck)
	for i := range r.Teams {
		t := &r.Teams[i]
		for _, rule := range autoref.Rules() {
			if n := t.Broken[rule]; n > 0 {
				fmt.Fprintf(out, "%s broke the rule %q %d times\n", t.Name, rule, n)
			}
		}
	}
	for i, failure := range r.Failures {
		if i == 5 {
			fmt.Fprintf(out, "  and %d more\n", len(r.Failures)-i)
			break
		}
		fmt.Fprintf(out, "seed %d did not end: %s\n", failure.Seed, failure.Text)
	}
}

// printTable prints the table of docs/match.md.
func printTable(out io.Writer, r *lab.Report) {
	one, other := &r.Teams[0], &r.Teams[1]
	fmt.Fprintf(out, "| mean of %d matches, 95 %% | %s | %s | difference |\n|---|---|---|---|\n", r.Matches, one.Name, other.Name)
	names, units := lab.Figures()
	for i, n := range names {
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", title(n, units[i]), interval(one.Figures[n]), interval(other.Figures[n]),
			interval(r.Less[n]))
	}
}
