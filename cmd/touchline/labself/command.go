// Package labself is the command lab self: how well a robot knows its own pose.
package labself

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/cmd/touchline/console"
	"touchline/lab/walks"
)

// Command returns the command lab self.
func Command() *cobra.Command {
	cfg, asJSON := walks.DefaultConfig(), false
	var names []string
	c := &cobra.Command{
		Use:   "self",
		Short: "Measure how well a robot knows its own pose",
		Long: `Self lets a robot drive among others across a simulated field. The self-localisation of world/selfloc, the error
minimisation of Tribots without a filter, and the odometry alone get the same odometry with slip and the same points of
field lines. The same seeds give the same figures. The defaults were tuned on the seeds 1 to 14. The table is in
Markdown; docs/world.md explains its columns.

` + scenarioList(),
		Example: `  touchline lab self
  touchline lab self --scenario nominal,kidnap-mates --seeds 5
  touchline lab self --json`,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if cfg.Scenarios, err = walks.Find(names); err != nil {
				return console.Usage(fmt.Errorf("--scenario: %w", err))
			}
			if cfg.Seeds < 1 || cfg.Seeds > 10_000 || cfg.Length < 5*time.Second || cfg.Length > time.Hour {
				return console.Usage(errors.New("--seeds must be 1 to 10000, and --length 5s to 1h"))
			}
			all, done := []walks.Result{}, 0
			err = walks.Run(c.Context(), cfg, func(results []walks.Result) {
				if done++; !asJSON {
					walks.Print(c.OutOrStdout(), results, done == 1)
				}
				all = append(all, results...)
			})
			err = console.Interrupted(err, done, len(cfg.Scenarios), "scenarios")
			if !asJSON {
				return err
			}
			e := console.JSONEncoder(c.OutOrStdout())
			e.SetIndent("", "  ")
			return errors.Join(err, e.Encode(all))
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&names, "scenario", nil, "scenarios, separated by commas (default: all)")
	flags.Uint64Var(&cfg.First, "first", cfg.First, "first seed")
	flags.IntVar(&cfg.Seeds, "seeds", cfg.Seeds, "games of each scenario")
	flags.DurationVar(&cfg.Length, "length", cfg.Length, "length of a game")
	flags.BoolVar(&asJSON, "json", false, "print the figures as JSON")
	return c
}

// scenarioList returns the scenarios, one a line.
func scenarioList() string {
	var b strings.Builder
	b.WriteString("Scenarios:\n")
	for _, s := range walks.Scenarios() {
		fmt.Fprintf(&b, "  %-15s %s\n", s.Name, s.About)
	}
	return b.String()
}
