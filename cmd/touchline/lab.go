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
			return exitError{2, errors.New("which batch? There are touchline lab refbox-kill and refbox-takeover")}
		},
	}
	c.AddCommand(labKillCommand(), labTakeoverCommand())
	return c
}

// killFlags are what both batches are told.
type killFlags struct {
	cfg  lab.KillConfig
	json bool
}

func (f *killFlags) add(c *cobra.Command) {
	f.cfg = lab.DefaultKillConfig()
	flags, cfg := c.Flags(), &f.cfg
	flags.IntVar(&cfg.Kills, "n", cfg.Kills, "how often a box is killed")
	flags.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "of the games and of the moments")
	flags.IntVar(&cfg.Rate, "rate", cfg.Rate, "worldstates a second of each base station")
	flags.DurationVar(&cfg.Takeover, "takeover", cfg.Takeover, "how long it may take until another box goes on")
	flags.StringVar(&cfg.Dir, "dir", "", "folder for the logs; they stay where something failed (default a temporary one)")
	flags.BoolVar(&f.json, "json", false, "print the report as JSON")
}

// prepare checks what was typed and finds this program.
func (f *killFlags) prepare() (err error) {
	if f.cfg.Kills < 1 || f.cfg.PerGame < 1 || f.cfg.Rate < 1 || f.cfg.Rate > 1000 {
		return exitError{2, errors.New("--n, --per-game and --rate are at least 1, and --rate at most 1000")}
	}
	f.cfg.Program, err = os.Executable()
	return err
}

func labTakeoverCommand() *cobra.Command {
	var f killFlags
	c := &cobra.Command{
		Use:   "refbox-takeover",
		Short: "Kill a referee box that another one follows, and let that one take over",
		Long: `Refbox-takeover plays one game on a chain of referee boxes: each is followed by the next one (refbox --follow), is killed
with SIGKILL at a random moment, and the next one takes over. It looks whether every acknowledged decision is in the copy,
and how long it takes until the port is open and both base stations are back. See refbox-kill.`,
		Example: `  touchline lab refbox-takeover --n 20`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.prepare(); err != nil {
				return err
			}
			shown := time.Now()
			report, err := lab.Takeover(c.Context(), f.cfg, func(r *lab.TakeoverReport) {
				if time.Since(shown) > 2*time.Second {
					shown = time.Now()
					fmt.Fprintf(c.ErrOrStderr(), "%d of %d takeovers, %d decisions acknowledged, %d lost, %d failures\n",
						r.Takeovers, f.cfg.Kills, r.Decisions, r.Lost, r.Failed)
				}
			})
			if f.json {
				b, _ := json.MarshalIndent(report, "", "  ")
				fmt.Fprintln(c.OutOrStdout(), string(b))
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%d takeovers, %d decisions acknowledged, %d of them lost, %d cut off, %d failures\n",
				report.Takeovers, report.Decisions, report.Lost, report.Unanswered, report.Failed)
			fmt.Fprintf(c.OutOrStdout(), "from the kill to the open port: median %.1f ms, p95 %.1f ms, most %.1f ms; to both base stations: median %.0f ms, p95 %.0f ms, most %.0f ms\n",
				report.OpenMillis.Median, report.OpenMillis.P95, report.OpenMillis.Most, report.BackMillis.Median, report.BackMillis.P95, report.BackMillis.Most)
			for _, text := range report.Failures {
				fmt.Fprintln(c.OutOrStdout(), " ", text)
			}
			return err
		},
	}
	f.add(c)
	return c
}

func labKillCommand() *cobra.Command {
	var f killFlags
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
			if err := f.prepare(); err != nil {
				return err
			}
			shown := time.Now()
			report, err := lab.Kill(c.Context(), f.cfg, func(r *lab.KillReport) {
				if time.Since(shown) > 2*time.Second {
					shown = time.Now()
					fmt.Fprintf(c.ErrOrStderr(), "%d of %d kills, %d decisions acknowledged, %d failures, start at most %.0f ms\n",
						r.Kills, f.cfg.Kills, r.Decisions, r.Failed, r.StartMillis.Most)
				}
			})
			if f.json {
				b, _ := json.MarshalIndent(report, "", "  ")
				fmt.Fprintln(c.OutOrStdout(), string(b))
				return err
			}
			printKills(c, report)
			return err
		},
	}
	f.add(c)
	c.Flags().IntVar(&f.cfg.PerGame, "per-game", f.cfg.PerGame, "kills in one game; then another one begins in another folder")
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
