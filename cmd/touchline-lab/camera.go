package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/lab"
)

// cameraCommand returns the command camera.
func cameraCommand() *cobra.Command {
	cfg, asJSON := lab.DefaultSightsConfig(), false
	c := &cobra.Command{
		Use:   "camera",
		Short: "Measure what robots see in their camera pictures",
		Long: `Camera renders pictures of simulated fields, finds the ball in their pixels and compares it with the truth,
for a perspective camera at 0.6 m, an AIBO camera at 0.2 m and an omnidirectional one. It reports time, error, false
balls, the recall under a cloud before and after adjusting exposure and white balance, and calibrations of a camera
with wrong parameters. The same seed gives the same figures, except for the times. docs/camera.md explains them.`,
		Example: `  touchline-lab camera
  touchline-lab camera --seed 7 --pictures 300 --runs 10`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if cfg.Pictures < 20 || cfg.Pictures > 1_000_000 || cfg.Runs < 1 || cfg.Runs > 100_000 {
				return console.Usage(errors.New("--pictures must be 20 to 1000000, and --runs 1 to 100000"))
			}
			report := &lab.SightsReport{}
			parts := 0
			err := lab.SightsRun(c.Context(), cfg, func(r *lab.SightsReport) {
				report = r
				parts++
				fmt.Fprintf(c.ErrOrStderr(), "part %d of %d done\n", parts, lab.Parts)
			})
			if err = console.Interrupted(err, parts, lab.Parts, "parts"); err != nil && parts == 0 {
				return err
			}
			if asJSON {
				return errors.Join(err, console.PrintJSON(c.OutOrStdout(), report))
			}
			report.Print(c.OutOrStdout())
			return err
		},
	}
	flags := c.Flags()
	flags.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "seed of halls, scenes, noise and errors")
	flags.IntVar(&cfg.Pictures, "pictures", cfg.Pictures, "pictures with a ball of each camera; twice as many without")
	flags.IntVar(&cfg.Runs, "runs", cfg.Runs, "calibrations of each camera")
	flags.BoolVar(&asJSON, "json", false, "print the figures as JSON")
	return c
}
