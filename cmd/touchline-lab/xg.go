package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/lab"
	"touchline/soccer"
)

// xgFlags are the flags of the command xg.
type xgFlags struct {
	cfg         lab.XGConfig
	large, json bool
	table, plot string // files
	matches     int
	half        time.Duration
}

// xgCommand returns the command xg.
func xgCommand() *cobra.Command {
	f := xgFlags{cfg: lab.DefaultXGConfig(), half: 5 * time.Minute}
	c := &cobra.Command{
		Use:   "xg",
		Short: "Fit expected goals to shots of the built-in robots",
		Long: `Xg lets a built-in robot shoot from drawn situations at a goal with the built-in goalkeeper and up to three defenders,
and fits the table of expected goals to the results: by the distance and the bearing of the ball from the goal, and by the
widest part of the goal that no robot covers. It then compares the table with other shots, in ten bins of as many shots,
and says whether the mean of each is within 3 points of the share of goals. The same seed gives the same table. With
--matches it plays matches of the built-in team instead, and compares the expected goals of its table with their goals.
docs/analysis.md explains the figures.`,
		Example: `  touchline-lab xg --shots 5000
  touchline-lab xg -o internal/analysis/xg_table.go --plot docs/xg.svg
  touchline-lab xg --shots 0 --checks 30000 --seed 2     # the table of the program against other shots
  touchline-lab xg --matches 50 --seed 1001`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.matches != 0 {
				return f.play(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
			}
			return f.shoot(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	flags, cfg := c.Flags(), &f.cfg
	flags.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "seed of the situations, or of the first match")
	flags.IntVar(&cfg.Shots, "shots", cfg.Shots, "shots that the table is fitted to; 0: check the table of the program")
	flags.IntVar(&cfg.Checks, "checks", cfg.Checks, "other shots that it is compared with")
	flags.BoolVar(&f.large, "large", false, "shoot on the field of 22 x 14 m, at a goal of 2.4 x 2 m")
	flags.StringVarP(&f.table, "output", "o", "", "file for the table, as Go source (default: none)")
	flags.StringVar(&f.plot, "plot", "", "file for a plot of the comparison, as SVG (default: none)")
	flags.IntVar(&f.matches, "matches", 0, "play so many matches instead of shooting")
	flags.DurationVar(&f.half, "half", f.half, "length of a half of these matches")
	flags.BoolVar(&f.json, "json", false, "print the figures as JSON")
	return c
}

// shoot fits a table.
func (f *xgFlags) shoot(ctx context.Context, out, errs io.Writer) error {
	if f.large {
		f.cfg.Field = soccer.MSL22x14()
	}
	if err := f.cfg.Validate(); err != nil {
		return console.Usage(fmt.Errorf("--%w", err))
	}
	if f.cfg.Shots == 0 && f.table != "" {
		return console.Usage(errors.New("--shots 0 fits no table: leave out -o"))
	}
	done := 0
	progress := seldom(func() { fmt.Fprintf(errs, "%d of %d shots\n", done, f.cfg.Shots+f.cfg.Checks) })
	r, err := lab.XGRun(ctx, f.cfg, func(n int) { done = n; progress() })
	if err != nil {
		return console.Interrupted(err, done, f.cfg.Shots+f.cfg.Checks, "shots")
	}
	if f.table != "" {
		err = os.WriteFile(f.table, []byte(r.Source()), 0o644)
	}
	if f.plot != "" {
		err = errors.Join(err, os.WriteFile(f.plot, []byte(r.Plot()), 0o644))
	}
	if f.json {
		return errors.Join(err, console.PrintJSON(out, r))
	}
	r.Print(out)
	return err
}

// play compares the table of the program with matches.
func (f *xgFlags) play(ctx context.Context, out, errs io.Writer) error {
	if f.matches < 1 || f.matches > 100_000 || f.half < time.Second || f.half > time.Hour || f.half%time.Second != 0 {
		return console.Usage(errors.New("--matches must be 1 to 100000, and --half whole seconds from 1s to 1h"))
	}
	if f.table != "" || f.plot != "" || f.large {
		return console.Usage(errors.New("--matches fits no table: leave out -o, --plot and --large"))
	}
	done := 0
	progress := seldom(func() { fmt.Fprintf(errs, "%d of %d matches\n", done, f.matches) })
	r, err := lab.XGPlay(ctx, f.cfg.Seed, f.matches, f.half, func(n int) { done = n; progress() })
	if err != nil {
		return console.Interrupted(err, done, f.matches, "matches")
	}
	if f.json {
		return console.PrintJSON(out, r)
	}
	r.Print(out)
	return nil
}
