package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"touchline/lab"
)

func labCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "lab",
		Short: "Run a batch of many runs and print what it measures",
		RunE: func(c *cobra.Command, _ []string) error {
			return exitError{2, errors.New("which batch? There is: touchline lab refbox-kill")}
		},
	}
	c.AddCommand(labKillCommand())
	return c
}

func labKillCommand() *cobra.Command {
	cfg, asJSON := lab.DefaultKillConfig(), false
	c := &cobra.Command{
		Use:   "refbox-kill",
		Short: "Kill a referee box at random moments and look for what is lost",
		Long: `Refbox-kill starts this program as a referee box with two base stations that send worldstates, plays games by POST,
kills the box with SIGKILL at random moments and starts it again in the same folder. After each kill it looks whether
every acknowledged decision is in the journal, whether base stations heard nothing that is not, whether the log opens and
its export is valid JSON, and whether what is shown after the start is what the journal makes. It needs the loopback
addresses 127.0.39.1 and 127.0.63.1, as Linux has them. Exit code 1 when something was lost or broken.`,
		Example: `  touchline lab refbox-kill --n 20
  touchline lab refbox-kill --n 1000 --seed 7 --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			if cfg.Kills < 1 || cfg.PerGame < 1 || cfg.Rate < 1 || cfg.Rate > 1000 {
				return exitError{2, errors.New("--n, --per-game and --rate are at least 1, and --rate at most 1000")}
			}
			program, err := os.Executable()
			if err != nil {
				return err
			}
			cfg.Program = program
			shown := time.Now()
			report, err := lab.Kill(c.Context(), cfg, func(r *lab.KillReport) {
				if time.Since(shown) > 2*time.Second {
					shown = time.Now()
					fmt.Fprintf(c.ErrOrStderr(), "%d of %d kills, %d decisions acknowledged, %d failures, start at most %.0f ms\n",
						r.Kills, cfg.Kills, r.Decisions, r.Failed, r.StartMillis.Most)
				}
			})
			if asJSON {
				b, _ := json.MarshalIndent(report, "", "  ")
				fmt.Fprintln(c.OutOrStdout(), string(b))
				return err
			}
			printKills(c, report)
			return err
		},
	}
	flags := c.Flags()
	flags.IntVar(&cfg.Kills, "n", cfg.Kills, "how often it is killed")
	flags.IntVar(&cfg.PerGame, "per-game", cfg.PerGame, "kills in one game; then another one begins in another folder")
	flags.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "of the games and of the moments")
	flags.IntVar(&cfg.Rate, "rate", cfg.Rate, "worldstates a second of each base station")
	flags.DurationVar(&cfg.Takeover, "takeover", cfg.Takeover, "that a start may take")
	flags.StringVar(&cfg.Dir, "dir", "", "folder for the logs; they stay where something failed (default a temporary one)")
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

func printKills(c *cobra.Command, r *lab.KillReport) {
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%d kills in %d games, %d of them while it started\n", r.Kills, r.Games, r.AtStart)
	fmt.Fprintf(out, "%d decisions acknowledged, %d refused by the rules, %d cut off (%d of those were in the journal)\n",
		r.Decisions, r.Refused, r.Unanswered, r.Unasked)
	fmt.Fprintf(out, "%d commands heard, %d worldstates logged, %d logs with a torn end\n", r.Commands, r.Worldstates, r.Torn)
	fmt.Fprintf(out, "start to open port and state: median %.0f ms, p95 %.0f ms, most %.0f ms\n", r.StartMillis.Median, r.StartMillis.P95, r.StartMillis.Most)
	fmt.Fprintf(out, "decision to its answer: median %.2f ms, p95 %.2f ms, p99 %.2f ms, most %.2f ms\n",
		r.DecideMillis.Median, r.DecideMillis.P95, r.DecideMillis.P99, r.DecideMillis.Most)
	fmt.Fprintf(out, "%d failures\n", r.Failed)
	for _, f := range r.Failures {
		fmt.Fprintln(out, " ", f)
	}
}
