package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/console"
	"touchline/internal/match"
)

// besideJob are the flags that may be given beside --job: the others come from its plan.
var besideJob = []string{"job", "plan", "speed", "record", "json", "junit", "assert", "quiet"}

// prepareJob replaces the flags by those of the job of --job.
func (f *matchFlags) prepareJob(set *pflag.FlagSet) error {
	switch {
	case f.job == "" && f.plan == "":
		return nil
	case f.job == "" || f.plan == "":
		return errors.New("--job needs --plan, the plan of its batch or the folder with the results, and --plan needs --job")
	}
	var other error
	set.Visit(func(flag *pflag.Flag) {
		if !strings.Contains(" "+strings.Join(besideJob, " ")+" ", " "+flag.Name+" ") {
			other = fmt.Errorf("--%s: leave it out with --job, which takes it from the plan", flag.Name)
		}
	})
	if other != nil {
		return other
	}
	plan, err := batchnet.ReadPlan(f.plan)
	if err != nil {
		return fmt.Errorf("--plan: %w", err)
	}
	var found []batch.Job
	for _, job := range plan.Jobs() {
		if strings.HasPrefix(job.ID, f.job) {
			found = append(found, job)
		}
	}
	switch {
	case len(found) == 0:
		return fmt.Errorf("--job %.40q: the plan has no such match: touchline batch report --csv lists the matches", f.job)
	case len(found) > 1:
		return fmt.Errorf("--job %.40q: %d matches of the plan begin with this: give more digits", f.job, len(found))
	}
	f.use(&setup{Flags: found[0].Flags})
	f.read, f.dir = plan.Read, plan.Folder
	if err := batchnet.CheckPrograms(plan); err != nil {
		return fmt.Errorf("--plan: %w", err)
	}
	if info, err := os.Stat(f.plan); err == nil && info.IsDir() {
		f.stored, err = (&batchnet.Folder{Path: f.plan}).Get(plan, &found[0])
		if err != nil {
			return err
		}
	}
	return nil
}

// compareStored returns an error if the match is not that of the result of --job.
func (f *matchFlags) compareStored(m *match.Match) error {
	if f.stored == nil || !m.Over() {
		return nil
	}
	var v match.View
	m.View(&v)
	if v.Tally.Home == f.stored.Home.TallyTeam && v.Tally.Away == f.stored.Away.TallyTeam {
		return nil
	}
	program, _ := thisProgram()
	if program == f.stored.Program && (f.cfg.Home.Program != nil || f.cfg.Away.Program != nil) {
		return console.Usage(errors.New("the match played again differs from its result: a team's program does not play " +
			"the same each time; it must take its time from the messages and its random numbers from {seed} (docs/match.md)"))
	}
	return console.Usage(fmt.Errorf("the match played again differs from its result, which touchline %s played; this is %s",
		f.stored.Program, program))
}
