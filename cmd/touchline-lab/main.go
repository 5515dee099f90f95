// Touchline-lab runs batches of games and prints their measurements. See touchline-lab --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/lab"
)

func main() { console.Main(rootCommand()) }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "touchline-lab",
		Short: "Run batches of games and print their measurements",
		Long: `touchline-lab runs batches of games, kills and takeovers and prints the measurements. The pages in docs show
its tables and the commands that print them.`,
		Example: `  touchline-lab booking --loss 0.3 --seeds 20    how often do two robots go to the ball, or none?
  touchline-lab world --scenario nominal,match   the world model against the truth and the published rules
  touchline-lab match --seeds 20                 many matches of two teams, compared`,
		RunE: func(*cobra.Command, []string) error {
			return console.Usage(errors.New("name a batch: touchline-lab refbox-kill, refbox-takeover, refbox-flood, " +
				"world, self, booking, match, camera or xg"))
		},
		Args: console.NoArgs,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(killCommand(), takeoverCommand(), floodCommand(), worldCommand(), selfCommand(), bookingCommand(),
		matchCommand(), cameraCommand(), xgCommand())
	for _, c := range root.Commands() {
		c.Args, c.ValidArgsFunction = console.NoArgs, cobra.NoFileCompletions
	}
	return root
}

// killFlags are the flags of both batches.
type killFlags struct {
	cfg  lab.KillConfig
	json bool
}

func (f *killFlags) add(c *cobra.Command) {
	f.cfg = lab.DefaultKillConfig()
	flags, cfg := c.Flags(), &f.cfg
	flags.IntVar(&cfg.Kills, "n", cfg.Kills, "number of kills")
	flags.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "seed of the games and the kill times")
	flags.IntVar(&cfg.Rate, "rate", cfg.Rate, "worldstates a second of each base station")
	flags.DurationVar(&cfg.Takeover, "takeover", cfg.Takeover, "time limit for a restart or a takeover")
	flags.StringVar(&cfg.Dir, "dir", "", "folder for the logs, kept after a failure (default: a temporary one)")
	flags.BoolVar(&f.json, "json", false, "print the report as JSON")
}

// prepare checks the flags and finds the program touchline.
func (f *killFlags) prepare() (err error) {
	if f.cfg.Kills < 1 || f.cfg.PerGame < 1 || f.cfg.Rate < 1 || f.cfg.Rate > 1000 {
		return console.Usage(errors.New("--n, --per-game and --rate must be at least 1, and --rate at most 1000"))
	}
	f.cfg.Program, err = findTouchline()
	return err
}

// findTouchline returns the path of the program touchline: beside this one, or in PATH.
func findTouchline() (string, error) {
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), "touchline"+filepath.Ext(own))
		if info, err := os.Stat(beside); err == nil && !info.IsDir() {
			return beside, nil
		}
	}
	path, err := exec.LookPath("touchline")
	if err != nil {
		return "", errors.New("the program touchline is neither beside touchline-lab nor in PATH: go install ./cmd/... installs both")
	}
	return path, nil
}

// seldom returns a function that calls print at most every two seconds.
func seldom(print func()) func() {
	last := time.Now()
	return func() {
		if time.Since(last) > 2*time.Second {
			last = time.Now()
			print()
		}
	}
}

func takeoverCommand() *cobra.Command {
	var f killFlags
	c := &cobra.Command{
		Use:   "refbox-takeover",
		Short: "Kill a referee box and let its standby take over",
		Long: `Refbox-takeover plays one game on a chain of referee boxes, each with a standby (refbox --follow). It kills
each box with SIGKILL at a random time, and the standby takes over. It checks that every acknowledged decision is in
the standby's copy, and measures the time until the port is open and both base stations have reconnected. See
refbox-kill.`,
		Example: `  touchline-lab refbox-takeover --n 20`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.prepare(); err != nil {
				return err
			}
			report := &lab.TakeoverReport{}
			progress := seldom(func() {
				fmt.Fprintf(c.ErrOrStderr(), "%d of %d takeovers, %d decisions acknowledged, %d lost, %d failures\n",
					report.Takeovers, f.cfg.Kills, report.Decisions, report.Lost, report.Failed)
			})
			final, err := lab.Takeover(c.Context(), f.cfg, func(r *lab.TakeoverReport) { report = r; progress() })
			err = console.Interrupted(err, final.Takeovers, f.cfg.Kills, "takeovers")
			if f.json {
				return errors.Join(err, console.PrintJSON(c.OutOrStdout(), final))
			}
			printTakeovers(c.OutOrStdout(), final)
			return err
		},
	}
	f.add(c)
	return c
}

func printTakeovers(out io.Writer, r *lab.TakeoverReport) {
	fmt.Fprintf(out, "%d takeovers, %d decisions acknowledged, %d of them lost, %d without an answer, %d failures\n",
		r.Takeovers, r.Decisions, r.Lost, r.Unanswered, r.Failed)
	if r.Uncopied > 0 {
		fmt.Fprintf(out,
			"%d more decisions were acknowledged while the copy was more than 50 ms behind, and are lost\n",
			r.Uncopied)
	}
	fmt.Fprintf(out, "from the kill to the open port: median %.1f ms, p95 %.1f ms, most %.1f ms; "+
		"to both base stations: median %.0f ms, p95 %.0f ms, most %.0f ms\n",
		r.OpenMillis.Median, r.OpenMillis.P95, r.OpenMillis.Most, r.BackMillis.Median, r.BackMillis.P95,
		r.BackMillis.Most)
	for _, text := range r.Failures {
		fmt.Fprintln(out, " ", text)
	}
}

func killCommand() *cobra.Command {
	var f killFlags
	c := &cobra.Command{
		Use:   "refbox-kill",
		Short: "Kill a referee box at random times and check that nothing is lost",
		Long: `Refbox-kill starts touchline as a referee box with two base stations that send worldstates, plays games by
POST, kills the box with SIGKILL at random times and restarts it in the same folder. After each kill it checks that
every acknowledged decision is in the journal, that base stations received only commands in the journal, that the log
opens and exports valid JSON, and that after the restart the pages show the state in the journal. It needs the
loopback addresses 127.0.39.1 and 127.0.63.1, as on Linux. The exit code is 1 if something was lost or broken.`,
		Example: `  touchline-lab refbox-kill --n 20
  touchline-lab refbox-kill --n 1000 --seed 7 --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.prepare(); err != nil {
				return err
			}
			report := &lab.KillReport{}
			progress := seldom(func() {
				fmt.Fprintf(c.ErrOrStderr(),
					"%d of %d kills, %d decisions acknowledged, %d failures, start at most %.0f ms\n",
					report.Kills, f.cfg.Kills, report.Decisions, report.Failed, report.StartMillis.Most)
			})
			final, err := lab.Kill(c.Context(), f.cfg, func(r *lab.KillReport) { report = r; progress() })
			err = console.Interrupted(err, final.Kills, f.cfg.Kills, "kills")
			if f.json {
				return errors.Join(err, console.PrintJSON(c.OutOrStdout(), final))
			}
			printKills(c.OutOrStdout(), final)
			return err
		},
	}
	f.add(c)
	c.Flags().IntVar(&f.cfg.PerGame, "per-game", f.cfg.PerGame,
		"kills per game; the next game begins in another folder")
	return c
}

func printKills(out io.Writer, r *lab.KillReport) {
	fmt.Fprintf(out, "%d kills in %d games, %d of them during a start\n", r.Kills, r.Games, r.AtStart)
	fmt.Fprintf(out,
		"%d decisions acknowledged, %d refused by the rules, %d without an answer (%d of these in the journal)\n",
		r.Decisions, r.Refused, r.Unanswered, r.Unasked)
	fmt.Fprintf(out, "%d commands received, %d worldstates logged, %d logs with a torn end\n", r.Commands,
		r.Worldstates, r.Torn)
	fmt.Fprintf(out, "start to open port and state: median %.0f ms, p95 %.0f ms, most %.0f ms\n",
		r.StartMillis.Median, r.StartMillis.P95, r.StartMillis.Most)
	fmt.Fprintf(out, "decision to its answer: median %.2f ms, p95 %.2f ms, p99 %.2f ms, most %.2f ms\n",
		r.DecideMillis.Median, r.DecideMillis.P95, r.DecideMillis.P99, r.DecideMillis.Most)
	fmt.Fprintf(out, "%d failures\n", r.Failed)
	for _, text := range r.Failures {
		fmt.Fprintln(out, " ", text)
	}
}

func floodCommand() *cobra.Command {
	cfg, asJSON := lab.DefaultFloodConfig(), false
	c := &cobra.Command{
		Use:   "refbox-flood",
		Short: "Flood a referee box from both teams and measure its memory",
		Long: `Refbox-flood starts touchline as a referee box with two base stations that send one message over and over. It
ends the game, waits for the zip, kills the box and restarts it. It checks that the log contains every message, and
that the box's memory stays below the limit. It needs Linux. The exit code is 1 if a check failed.`,
		Example: `  touchline-lab refbox-flood
  touchline-lab refbox-flood --duration 10m --memory 80 --json`,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if cfg.Rate < 1 || cfg.Rate > 1e6 || cfg.Duration <= 0 || cfg.Message == "" {
				return console.Usage(errors.New("--rate must be 1 to 1000000, --duration positive, for example 60s, " +
					"and --message a text, for example {}"))

			}
			if cfg.Program, err = findTouchline(); err != nil {
				return err
			}
			r, err := lab.Flood(c.Context(), cfg)
			if errors.Is(err, context.Canceled) {
				return fmt.Errorf("interrupted: %d messages were sent, and nothing was checked", r.Sent)
			}
			if asJSON {
				return errors.Join(err, console.PrintJSON(c.OutOrStdout(), r))
			}
			printFlood(c.OutOrStdout(), r)
			return err
		},
	}
	flags := c.Flags()
	flags.IntVar(&cfg.Rate, "rate", cfg.Rate, "messages a second of each base station")
	flags.DurationVar(&cfg.Duration, "duration", cfg.Duration, "length of the flood")
	flags.IntVar(&cfg.Memory, "memory", cfg.Memory, "limit of the box's memory in MB")
	flags.StringVar(&cfg.Message, "message", cfg.Message, "the message, without its NUL")
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

func printFlood(out io.Writer, r *lab.FloodReport) {
	fmt.Fprintf(out,
		"%d messages sent, %d of them in the log, %d counted; log %.1f MB, zip %.1f MB after %.0f ms\n", r.Sent,
		r.Kept, r.Omitted, float64(r.LogBytes)/1e6, float64(r.ZipBytes)/1e6, r.ZipMillis)
	fmt.Fprintf(out,
		"peak of the box's memory: %.1f MB during the flood, %.1f MB with the zip, %.1f MB after the restart\n",
		r.FloodedMB, r.PeakMB, r.RestartMB)
	fmt.Fprintf(out, "STOP to its answer: median %.2f ms, p99 %.2f ms, most %.2f ms\n", r.StopMillis.Median,
		r.StopMillis.P99, r.StopMillis.Most)
	for _, text := range r.Failures {
		fmt.Fprintln(out, " ", text)
	}
}

// worldFlags are the flags of lab world.
type worldFlags struct {
	cfg     lab.TrialsConfig
	names   []string
	source  string
	variant string
	table   bool
	json    bool
}

func worldCommand() *cobra.Command {
	f := worldFlags{cfg: lab.DefaultTrialsConfig(), source: string(lab.Generator), variant: "nominal"}
	c := &cobra.Command{
		Use:   "world",
		Short: "Measure the world model against the truth and the published rules",
		Long: `World plays games of five robots with noisy cameras, lossy links and faulty robots. The world model and the
published rules get the same observations. The same seeds give the same figures. The defaults were tuned on seeds 1 to
34 of the generator. With --source simulator the games are sessions of touchline demo in virtual time; each figure
then covers all five robots, which run their own software. docs/world.md explains the figures.

` + scenarioList(lab.Generator) + "\n" + scenarioList(lab.Simulator),
		Example: `  touchline-lab world --scenario nominal,match
  touchline-lab world --seeds 40 --variant other --json
  touchline-lab world --source simulator --seeds 10
  touchline-lab world --table`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.prepare(); err != nil {
				return console.Usage(err)
			}
			all := []lab.Result{}
			done := 0
			err := lab.TrialsRun(c.Context(), f.cfg, func(results []lab.Result) {
				switch done++; {
				case f.table:
					printWorldRow(c.OutOrStdout(), results, done == 1)
				case !f.json:
					printWorld(c.OutOrStdout(), results)
				default:
					fmt.Fprintf(c.ErrOrStderr(), "%s: done\n", results[0].Scenario)
				}
				all = append(all, results...)
			})
			err = console.Interrupted(err, done, len(f.cfg.Scenarios), "scenarios")
			if f.json {
				return errors.Join(err, console.PrintJSON(c.OutOrStdout(), all))
			}
			return err
		},
	}
	flags, cfg := c.Flags(), &f.cfg
	flags.StringVar(&f.source, "source", f.source, "where the games come from: generator, or simulator")
	flags.StringSliceVar(&f.names, "scenario", nil, "scenarios, separated by commas (default: all of the source)")
	flags.Uint64Var(&cfg.First, "first", cfg.First, "first seed")
	flags.IntVar(&cfg.Seeds, "seeds", cfg.Seeds, "games of each scenario")
	flags.DurationVar(&cfg.Length, "length", cfg.Length, "length of a game")
	flags.StringVar(&f.variant, "variant", f.variant, "the generator's noise, ranges and delays: nominal, or other")
	flags.BoolVar(&f.table, "table", false, "print the table of docs/world.md, in Markdown")
	flags.BoolVar(&f.json, "json", false, "print the figures as JSON")
	return c
}

// scenarioList returns the scenarios of a source, one a line.
func scenarioList(source lab.Source) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Scenarios of the %s:\n", source)
	for _, s := range lab.Scenarios(source) {
		fmt.Fprintf(&b, "  %-10s %s\n", s.Name, s.About)
	}
	return b.String()
}

// prepare checks the flags and finds the scenarios.
func (f *worldFlags) prepare() (err error) {
	cfg := &f.cfg
	cfg.Source = lab.Source(f.source)
	if cfg.Source != lab.Generator && cfg.Source != lab.Simulator {
		return fmt.Errorf("--source %.40q: want generator or simulator", f.source)
	}
	if cfg.Scenarios, err = lab.Find(cfg.Source, f.names); err != nil {
		return fmt.Errorf("--scenario: %w", err)
	}
	if cfg.Seeds < 1 || cfg.Seeds > 10_000 || cfg.Length < 5*time.Second || cfg.Length > time.Hour {
		return errors.New("--seeds must be 1 to 10000, and --length 5s to 1h")
	}
	if f.table && f.json {
		return errors.New("--table and --json: want one of them")
	}
	switch {
	case f.variant == "nominal":
	case f.variant != "other":
		return fmt.Errorf("--variant %.40q: want nominal or other", f.variant)
	case cfg.Source == lab.Simulator:
		return errors.New("--variant other changes the generator: leave out --source simulator")
	default:
		for i, s := range cfg.Scenarios {
			cfg.Scenarios[i] = lab.Other(s)
		}
	}
	return nil
}

// printWorldRow prints a scenario's row of the table in docs/world.md, with the head of the table before the first one.
func printWorldRow(out io.Writer, results []lab.Result, first bool) {
	if first {
		fmt.Fprintln(out,
			"| scenario | capped: ours | B-Human | CI | CAMBADA | wrong %: ours | B-Human | NEES | OSPA: ours "+
				"| GNN + pose | ids/min: ours | GNN + pose |")
		fmt.Fprintln(out, "|"+strings.Repeat("---|", 12))
	}
	by := map[string]lab.Result{}
	for _, r := range results {
		by[r.Estimator] = r
	}
	ours, bHuman, gnn := by[lab.Ours], by[lab.BHuman], by[lab.GNNPose]
	fmt.Fprintf(out,
		"| %s | %.3f | %.3f | %.3f | %.3f | %.1f | %.1f | %.1f | %.3f | %.3f | %.0f | %.0f |\n", ours.Scenario,
		ours.Capped, bHuman.Capped, by[lab.Intersection].Capped, by[lab.Cambada].Capped,
		ours.Wrong, bHuman.Wrong, ours.NEES, ours.OSPA, gnn.OSPA, ours.Changes, gnn.Changes)
}

func printWorld(out io.Writer, results []lab.Result) {
	fmt.Fprintf(out,
		"%-24s %7s %6s %6s %6s %7s %9s %6s %12s %7s %7s %8s\n", results[0].Scenario, "capped", "RMSE", "speed",
		"settle", "wrong %", "phantom %", "NEES", "found, p90 s", "OSPA", "ghosts", "ids/min")
	for _, r := range results {
		fmt.Fprintf(out,
			"%-24s %7.3f %6.3f %6.2f %6.2f %7.2f %9.2f %6.2f %5.2f  %5.2f %7.3f %7.3f %8.1f\n", r.Estimator,
			r.Capped, r.RMSE, r.Velocity, r.Settle, r.Wrong, r.Phantoms, r.NEES, r.Found, r.Found90, r.OSPA,
			r.Ghosts, r.Changes)
	}
	for _, r := range results {
		if f := r.Flight; f != nil {
			fmt.Fprintf(out,
				"%s while the ball flies, %.0f %% of the time: height %.3f m, position %.3f m, landing %.3f m\n",
				r.Estimator, f.Share, f.Height, f.Capped, f.Landing)
		}
	}
	for _, r := range results {
		if n := r.Naming; n != nil {
			fmt.Fprintf(out, "%s names healthy robots: %d of %d", r.Estimator, n.Innocent, n.Robots)
			if n.Faulty > 0 {
				fmt.Fprintf(out, "; faulty ones: %.0f %% of %d, after %.1f s (p90 %.1f s), %.0f %% within 3 s; "+
					"takes back after %.1f s (p90 %.1f s)",
					n.Share, n.Faulty, n.Named.Median, n.Named.P90, n.Within, n.TakenBack.Median, n.TakenBack.P90)
			}
			if n.Contradicted > 0 {
				fmt.Fprintf(out, "; within 3 s of the first contradiction that a healthy robot could see: "+
					"%.0f %% of %d", n.Soon, n.Contradicted)
			}
			fmt.Fprintln(out)
		}
	}
	fmt.Fprintln(out)
}
