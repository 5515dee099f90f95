package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/lab"
)

// selfCommand returns the command self.
func selfCommand() *cobra.Command {
	cfg, asJSON := lab.DefaultWalksConfig(), false
	var names []string
	c := &cobra.Command{
		Use:   "self",
		Short: "Measure how well a robot knows its own pose",
		Long: `Self drives a robot among others across a simulated field and compares three methods on the same odometry
with slip and the same points of field lines: the self-localisation of world/selfloc, the error minimisation of
Tribots without a filter, and odometry alone. The same seeds give the same figures. The defaults were tuned on seeds 1
to 14. The table is in Markdown; docs/world.md explains its columns.

` + selfScenarios(),
		Example: `  touchline-lab self
  touchline-lab self --scenario nominal,kidnap-mates --seeds 5
  touchline-lab self --json`,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if cfg.Scenarios, err = lab.WalksFind(names); err != nil {
				return console.Usage(fmt.Errorf("--scenario: %w", err))
			}
			if cfg.Seeds < 1 || cfg.Seeds > 10_000 || cfg.Length < 5*time.Second || cfg.Length > time.Hour {
				return console.Usage(errors.New("--seeds must be 1 to 10000, and --length 5s to 1h"))
			}
			all, done := []lab.WalksResult{}, 0
			err = lab.WalksRun(c.Context(), cfg, func(results []lab.WalksResult) {
				if done++; !asJSON {
					lab.Print(c.OutOrStdout(), results, done == 1)
				}
				all = append(all, results...)
			})
			err = console.Interrupted(err, done, len(cfg.Scenarios), "scenarios")
			if !asJSON {
				return err
			}
			return errors.Join(err, console.PrintJSON(c.OutOrStdout(), all))
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

// selfScenarios returns the scenarios, one a line.
func selfScenarios() string {
	var b strings.Builder
	b.WriteString("Scenarios:\n")
	for _, s := range lab.WalksScenarios() {
		fmt.Fprintf(&b, "  %-15s %s\n", s.Name, s.About)
	}
	return b.String()
}
