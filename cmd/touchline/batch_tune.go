package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/batch"
	"touchline/internal/console"
	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
)

// batchTuneFlags are the flags of batch tune.
type batchTuneFlags struct {
	batchFlags
	parameters []string
	steps      int
	out        string
	json       bool
}

// batchTuned is what batch tune --json prints.
type batchTuned struct {
	Machine    string       `json:"machine"` // the file that was tuned
	Out        string       `json:"out"`     // the file with the result
	Matches    int          `json:"matches"`
	Parameters []tunedValue `json:"parameters"`
	Next       uint64       `json:"next"` // the first seed that tuning did not play
}

// tunedValue is a parameter before and after.
type tunedValue struct {
	batch.Parameter
	Before time.Duration `json:"before"` // ns
	After  time.Duration `json:"after"`  // ns
}

func batchTuneCommand() *cobra.Command {
	f := batchTuneFlags{batchFlags: newBatchFlags("tune"), steps: 60}
	f.matrix.Seeds = 8
	c := &cobra.Command{
		Use:   "tune FILE -o NEW",
		Short: "Tune a state machine's times so that it wins more",
		Long: `Tune adjusts the times in a state machine: how long a state must be active before a transition is taken. In
each step two machines that differ in all parameters at once play each other, and the parameters move towards the
winner (SPSA). The result is the mean of the last half of the steps. It may have won by chance: check it with
touchline batch compare on other seeds; the last line prints the command. Ctrl-C stops the search early and keeps what
it has found.

A parameter is FROM>TO, the two states of a transition, with an optional range: 'team>support=50ms..1s'. FROM>TO#2 is
the second transition between them. By default tune varies all transitions that have a time, from 50ms to 2s.

A step is judged by goals, which say more than points. A few hundred pairs are too few for a dozen parameters: tune
the few that you suspect, or let the search run overnight.

With --nats the matches are played by touchline worker --nats. Each step needs the result of the one before, so
--pairs limits how many cores have work.`,
		Example: `  touchline batch tune docs/play.json -o tuned.json --steps 60 --half 30s
  touchline batch tune docs/play.json -o tuned.json --parameters 'pass>shoot=50ms..1s' --parameters 'release>pass'
  touchline batch tune docs/play.json -o tuned.json --pairs 32 --nats nats://10.0.0.5:4222 --credentials fleet.key`,
		Args: oneArg("FILE", "batch tune docs/play.json -o tuned.json"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.add(c.Flags())
	set := c.Flags()
	set.StringArrayVar(&f.parameters, "parameters", nil, "a parameter to tune, such as 'team>support=50ms..1s'; may be repeated")
	set.IntVar(&f.steps, "steps", f.steps, "steps of the search, 1 to 10000")
	set.IntVar(&f.matrix.Seeds, "pairs", f.matrix.Seeds, "pairs of matches in each step")
	set.StringVarP(&f.out, "out", "o", "", "new file for the tuned machine (required)")
	set.BoolVar(&f.json, "json", false, "print the result as JSON")
	console.Accept(set, "a whole number from 1 to 10000, for example 60", "steps", "pairs")
	return c
}

func (f *batchTuneFlags) run(c *cobra.Command, name string) error {
	machine, parameters, err := f.prepare(name)
	if err != nil {
		return console.Usage(err)
	}
	tuner := batch.NewTuner(machine, parameters, f.steps, f.matrix.First)
	first, played := f.matrix.First, 0
	plan, slower, err := f.stepPlan(machine, machine)
	if err != nil {
		return err
	}
	matches := f.steps * plan.Matrix.Count()
	if err := f.ask(c, float64(f.steps)*batch.Total(plan.Jobs())*slower, matchesText(matches)); err != nil {
		return err
	}
	p, err := f.open(c)
	if err != nil {
		return err
	}
	defer p.close()
	begin := time.Now()
	var interrupted error
	for step := range f.steps {
		plus, minus := tuner.Step()
		f.matrix.First = first + uint64(step*f.matrix.Seeds)
		score, matches, err := f.judge(c, p, plus, minus)
		if played += matches; err != nil {
			if interrupted = console.Interrupted(err, step, f.steps, "steps"); step == 0 {
				return interrupted
			}
			break // and keep what was found
		}
		tuner.Tell(score)
		left := seconds(time.Since(begin).Seconds() / float64(step+1) * float64(f.steps-step-1))
		p.say("%d of %d steps, %s left", step+1, f.steps, roughly(left))
	}
	p.progress.End()
	err = f.write(c, name, machine, tuner.Machine(), parameters, played, first)
	p.removeOver(c.Context())
	return errors.Join(interrupted, err)
}

// write writes the tuned machine, and prints what changed.
func (f *batchTuneFlags) write(c *cobra.Command, name string, machine, tuned *hfsm.Machine, parameters []batch.Parameter,
	played int, first uint64) error {
	text, err := json.MarshalIndent(tuned, "", "  ")
	if err != nil {
		return err
	}
	if err := writeNew(f.out, append(text, '\n')); err != nil {
		return console.Usage(fmt.Errorf("-o: %w", err))
	}
	r := batchTuned{Machine: name, Out: f.out, Matches: played, Next: first + uint64(f.steps*f.matrix.Seeds)}
	for _, p := range parameters {
		before, after := machine.Transitions[p.Transition].After, tuned.Transitions[p.Transition].After
		r.Parameters = append(r.Parameters, tunedValue{p, before, after})
	}
	if f.json {
		return console.PrintJSON(c.OutOrStdout(), &r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s in steps of %s\n%-32s %10s %10s\n", matchesText(r.Matches), matchesText(2*f.matrix.Seeds), "time before a transition", "before", "after")
	for _, p := range r.Parameters {
		fmt.Fprintf(&b, "%-32s %10v %10v\n", p.Name, p.Before, p.After)
	}
	fmt.Fprintf(&b, "is it better? touchline batch compare %s %s --seed %d --elo1 30\n", name, f.out, r.Next)
	_, err = c.OutOrStdout().Write([]byte(b.String()))
	return err
}

// writeNew writes a new file.
func writeNew(path string, text []byte) error {
	file, err := console.Create(path)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// prepare checks the flags and reads the machine.
func (f *batchTuneFlags) prepare(name string) (*hfsm.Machine, []batch.Parameter, error) {
	switch _, err := os.Lstat(f.out); {
	case f.out == "":
		return nil, nil, errors.New("-o is missing: name a new file for the tuned machine, for example -o tuned.json")
	case err == nil:
		return nil, nil, fmt.Errorf("-o %s: the file exists: name a new one", f.out)
	case f.steps < 1 || f.steps > 10_000:
		return nil, nil, fmt.Errorf("--steps %d: want 1 to 10000", f.steps)
	case f.matrix.Seeds < 1 || f.matrix.Seeds > 10_000:
		return nil, nil, fmt.Errorf("--pairs %d: want 1 to 10000", f.matrix.Seeds)
	case f.dir != "":
		return nil, nil, errors.New("--dir: tune keeps no results, because each step plays new teams: leave it out")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	machine, err := hfsm.Parse(text)
	if err == nil {
		err = machine.Check(play.Conditions(), play.Behaviours())
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	parameters, err := batch.Parameters(machine, f.parameters)
	if err != nil {
		return nil, nil, fmt.Errorf("--parameters %w", err)
	}
	if err := batch.Shortest(machine, parameters).Check(play.Conditions(), play.Behaviours()); err != nil {
		return nil, nil, fmt.Errorf("--parameters: with the shortest times of the ranges: %w", err)
	}
	return machine, parameters, nil
}

// goalWorth is how many points the mean difference of a goal is worth between nearly equal teams that shoot 0.7 goals in a
// match, by the distribution of Poisson. There goals tell as much as points of 1.2 times as many matches.
const goalWorth = 0.29

// stepPlan returns the plan of a step.
func (f *batchTuneFlags) stepPlan(plus, minus *hfsm.Machine) (plan *batch.Plan, slower float64, err error) {
	f.matrix.Teams = []string{"play:plus", "play:minus"}
	return f.plan(func(path string) ([]byte, error) {
		return json.Marshal(map[string]*hfsm.Machine{"plus": plus, "minus": minus}[path])
	})
}

// judge returns the points that plus is expected to get in a match against minus, by the goals of all matches.
func (f *batchTuneFlags) judge(c *cobra.Command, p *batchPlayer, plus, minus *hfsm.Machine) (score float64, played int, err error) {
	plan, _, err := f.stepPlan(plus, minus)
	if err != nil {
		return 0, 0, err
	}
	sum := 0
	err = p.ordered(c.Context(), plan, batch.Each(plan.Jobs()), nil, func(job *batch.Job, r *batch.Result) bool {
		played++
		goals := r.Home.Goals - r.Away.Goals
		switch {
		case r.Trouble != "": // it did not end
		case job.Flags.Home == f.matrix.Teams[0]:
			sum += goals
		default:
			sum -= goals
		}
		return true
	})
	if err == nil {
		p.finish(plan)
	}
	return 0.5 + goalWorth*float64(sum)/float64(plan.Matrix.Count()), played, err
}
