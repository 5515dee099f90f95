package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/check"
	"touchline/internal/console"
	"touchline/internal/match"
)

func batchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "batch",
		Short: "Play many matches, on one machine or a cluster, and find out which team is better",
		Long: `Batch plays many matches in virtual time, on all cores of one machine or in slices on a cluster. A plan lists
the matches; each result is a file, and no match is played twice. However you slice a plan, its report is the same,
byte for byte. docs/batch.md takes you from a laptop to Slurm.

Teams are the same as for touchline match: built-in teams, state machines (play:FILE), and your own programs
(program:COMMAND).

compare stops as soon as the games show whether one team is better than another; league rates many teams; tune
searches for state machine times that win more.`,
		Example: `  touchline batch compare touchline-nobooking touchline --elo1 50
  touchline batch compare touchline 'program:python3 mine.py {team}' --elo1 50
  touchline batch plan matrix.toml -o plan.json
  touchline batch run plan.json --dir results
  touchline batch report results -o report.html`,
		Args: console.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return console.Usage(errors.New("batch needs a command: plan, run, status, report, emit, compare, league or tune; " +
				"see --help"))
		},
	}
	c.AddCommand(batchPlanCommand(), batchRunCommand(), batchStatusCommand(), batchReportCommand(), batchEmitCommand(),
		batchCompareCommand(), batchLeagueCommand(), batchTuneCommand())
	return c
}

// oneArg accepts one argument of a name.
func oneArg(what, example string) cobra.PositionalArgs {
	return console.Args(func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s needs one %s, for example touchline %s", c.CommandPath(), what, example)
		}
		return nil
	})
}

// thisProgram identifies this program for plans, and tells how fast this machine is: the core-seconds that it takes for one
// expected core-second.
var thisProgram = sync.OnceValues(func() (p batch.Program, slower float64) {
	v := currentVersion()
	begin := time.Now()
	v.Behaviour = batch.Behaviour()
	return v.program(), time.Since(begin).Seconds() / batch.BehaviourCost
})

// program returns what a plan says of a version.
func (v Version) program() batch.Program {
	p := batch.Program{Version: v.Version, Behaviour: v.Behaviour}
	if v.Commit != "" {
		p.Version += fmt.Sprintf(" %.12s", v.Commit)
	}
	if v.Modified {
		p.Version += " with changes"
	}
	return p
}

// openPlan reads a plan, or that of a folder, which this program can play.
func openPlan(path string) (*batch.Plan, float64, error) {
	plan, err := batchnet.ReadPlan(path)
	if err != nil {
		return nil, 0, console.Usage(err)
	}
	program, slower := thisProgram()
	if program != plan.Program {
		return nil, 0, console.Usage(fmt.Errorf("%s: the plan was made by touchline %s; this is %s, which may play different "+
			"matches: use that program, or plan the matrix again", path, plan.Program, program))
	}
	return plan, slower, nil
}

// coresFlag is the flag --cores.
func coresFlag(set *pflag.FlagSet, cores *int) {
	set.IntVar(cores, "cores", 0, "matches to play at the same time (default: one per core)")
	console.Accept(set, "a whole number from 1 to 1024, for example 4", "cores")
}

func checkCores(cores *int) error {
	if *cores == 0 {
		*cores = batchnet.Cores()
	}
	if *cores < 1 || *cores > 1024 {
		return console.Usage(fmt.Errorf("--cores %d: want 1 to 1024", *cores))
	}
	return nil
}

// longRun is the time beyond which a run is asked back.
const longRun = 5 * time.Minute

// askBack asks whether a run that takes long is wanted. Without a terminal the answer is --yes.
func askBack(c *cobra.Command, yes bool, wall time.Duration, what string) error {
	if wall <= longRun || yes {
		return nil
	}
	text := fmt.Sprintf("%s will take about %s", what, roughly(wall))
	without := console.Usage(fmt.Errorf("%s: give --yes to play it", text))
	if !console.Terminal(os.Stdin) || c.InOrStdin() != os.Stdin {
		return without
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s. Play it? [y/N] ", text)
	line, _ := bufio.NewReader(io.LimitReader(os.Stdin, 100)).ReadString('\n')
	if line == "" { // it looks like a terminal, and is none
		return without
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return errors.New("not played")
	}
	return nil
}

// roughly returns a time as people say it.
func roughly(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 90:
		return fmt.Sprintf("%.0f s", s)
	case s < 90*60:
		return fmt.Sprintf("%.0f minutes", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%.1f hours", s/3600)
	default:
		return fmt.Sprintf("%.1f days", s/86400)
	}
}

// seconds returns a number of seconds as a time.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// planned is what batch plan --json prints.
type planned struct {
	Plan    string        `json:"plan"` // its file
	Program batch.Program `json:"program"`
	Jobs    int           `json:"jobs"`
	Cost    float64       `json:"cost"`   // expected core-seconds of a match on this machine, mean
	Total   float64       `json:"total"`  // expected core-seconds
	Teams   int           `json:"teams"`  // that play
	Double  int           `json:"sides"`  // matches of each pairing with each seed under each condition
	Where   int           `json:"places"` // conditions: fields x networks x sets of faults
	// Programs are the teams that are programs, with their files; left out without any
	Programs []batch.TeamProgram `json:"programs,omitempty"`
}

func batchPlanCommand() *cobra.Command {
	var out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "plan MATRIX -o PLAN",
		Short: "Make a batch plan from a matrix of teams, networks, faults, fields and seeds",
		Long: `Plan reads a matrix in TOML and writes a plan: the list of matches, together with the state machines of the
teams, so that other machines need only this file. It prints the number of matches and how long they will take on this
machine. Paths of state machines are relative to the matrix, and programs ("program:COMMAND") run in its folder.
docs/batch.md describes the matrix. Give it an existing plan instead of a matrix to plan the same matches for this
version of touchline.`,
		Example: `  touchline batch plan matrix.toml -o plan.json`,
		Args:    oneArg("MATRIX", "batch plan matrix.toml -o plan.json"),
		RunE: func(c *cobra.Command, args []string) error {
			return makePlan(c, args[0], out, asJSON)
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "file for the plan, for example plan.json (required)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the summary as JSON")
	return c
}

// makePlan writes the plan of a matrix.
func makePlan(c *cobra.Command, name, out string, asJSON bool) error {
	if out == "" {
		return console.Usage(errors.New("-o is missing: name the file for the plan, for example -o plan.json"))
	}
	text, err := batchnet.ReadFile(name, batch.MaxPlan)
	if err != nil {
		return console.Usage(err)
	}
	program, slower := thisProgram()
	plan, err := planOf(name, text, program)
	if err != nil {
		return console.Usage(fmt.Errorf("%s: %w", name, err))
	}
	if err := console.CheckReplaces("out", out, "{\n  \"format\": "); err != nil {
		return err
	}
	if err := os.WriteFile(out, plan.Text(), 0o644); err != nil {
		return console.Usage(err)
	}
	jobs := plan.Jobs()
	total := batch.Total(jobs) * slower
	m := &plan.Matrix
	p := planned{
		Plan: out, Program: program, Jobs: len(jobs), Cost: total / float64(len(jobs)), Total: total, Teams: len(m.All()), Double: 2,
		Where: len(m.Fields) * len(m.Networks) * len(m.Faults), Programs: plan.Programs,
	}
	if asJSON {
		return console.PrintJSON(c.OutOrStdout(), p)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s of 2 x %v, %d teams, %s, %s\n"+
		"expected: %.2f core-seconds a match here, %s on one core, %s on the %d of this machine\n%s"+
		"play them: touchline batch run %s --dir results\n",
		out, matchesText(p.Jobs), m.Half, p.Teams, check.Plural(uint64(p.Where), "condition"), check.Plural(uint64(m.Seeds), "seed"),
		p.Cost, roughly(seconds(total)), roughly(seconds(total/float64(batchnet.Cores()))), batchnet.Cores(), filesOf(plan), out)
	return err
}

// planOf returns the plan of a matrix, or of the matrix of another program's plan.
func planOf(name string, text []byte, program batch.Program) (*batch.Plan, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		was, err := batch.ParsePlan(text)
		if err != nil {
			return nil, err
		}
		return batchnet.NewPlan(was.Matrix, program, was.Folder, was.Read)
	}
	matrix, err := batch.ParseMatrix(text)
	if err != nil {
		return nil, err
	}
	return batchnet.NewPlan(matrix, program, filepath.Dir(name), nil)
}

// filesOf returns the lines that say which files stand for the programs of a plan.
func filesOf(plan *batch.Plan) string {
	var b strings.Builder
	for _, t := range plan.Programs {
		fmt.Fprintf(&b, "%s runs in %s; another version of it plays other matches, told by the SHA-256 of its files:", t.Team, plan.Folder)
		for _, f := range t.Files {
			fmt.Fprintf(&b, " %s (%.8s)", f.Path, f.SHA256)
		}
		if len(t.Files) == 0 {
			b.WriteString(" none, because no word of the command names one there")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// teamOf returns the name of a team from what a user gives: a built-in team, play:FILE, or the file of a state machine.
func teamOf(text string) string {
	for _, t := range match.Teams() {
		if t.Name == text {
			return text
		}
	}
	if strings.HasPrefix(text, match.MachinePrefix) {
		return text
	}
	if _, err := os.Stat(text); err == nil {
		return match.MachinePrefix + text
	}
	return text // FindTeam says what is wrong
}
