package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/console"
)

// batchRunFlags are the flags of batch run.
type batchRunFlags struct {
	slice  string
	slices int
	dir    string
	json   bool
	page   pageFlags
	playerFlags
}

// batchRan is what batch run --json prints.
type batchRan struct {
	Dir     string `json:"dir"`
	Slice   string `json:"slice"`   // "7/100"
	Jobs    int    `json:"jobs"`    // of the slice
	There   int    `json:"there"`   // that had a result
	Played  int    `json:"played"`  // now
	Failed  int    `json:"failed"`  // of those, matches that did not end
	Damaged int    `json:"damaged"` // files that were torn, damaged or foreign, and were replaced
}

func batchRunCommand() *cobra.Command {
	var f batchRunFlags
	c := &cobra.Command{
		Use:   "run PLAN --dir DIR",
		Short: "Play the matches of a plan, or one slice of them",
		Long: `Run plays the matches of a plan on all cores and writes each result to its own file in DIR. It skips results
that exist: after Ctrl-C, kill -9 or a power failure, run the same command again to continue; only the matches that
were running are lost. Any number of machines may write to one DIR.

Without --slice it takes the slice from the cluster's environment variables, if they are set: SLURM_ARRAY_TASK_ID with
SLURM_ARRAY_TASK_MIN and SLURM_ARRAY_TASK_COUNT; JOB_COMPLETION_INDEX of Kubernetes, which counts from 0 and needs
--slices; CI_NODE_INDEX with CI_NODE_TOTAL.

With --nats it plays no matches itself: touchline worker --nats plays them, on any number of machines, and the results
arrive in DIR as before. The servers keep finished results while this program is stopped; run the same command again
to continue.

If a team's program fails, the match counts as not ended, with the reason; the same command plays it again. Programs
run on this machine only: --nats refuses a plan that contains any.

The exit code is 1 if a match did not end. touchline match --job plays a single match again.`,
		Example: `  touchline batch run plan.json --dir results
  touchline batch run plan.json --dir results --slice 7/100 --yes
  touchline batch run plan.json --dir results --http 127.0.0.1:8014
  touchline batch run plan.json --dir results --nats nats://127.0.0.1:4222`,
		Args: oneArg("PLAN", "batch run plan.json --dir results"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	set := c.Flags()
	set.StringVar(&f.slice, "slice", "", "N/M: play the Nth of M slices, for example 7/100 (default: from the cluster, or all matches)")
	set.IntVar(&f.slices, "slices", 0, "number of slices, if the environment gives only the number of this slice")
	set.StringVar(&f.dir, "dir", "", "folder of the results (required)")
	f.playerFlags.add(set)
	set.BoolVar(&f.json, "json", false, "print the summary as JSON")
	addBatchPage(set, &f.page)
	console.Accept(set, "a whole number of at least 1, for example 100", "slices")
	return c
}

// sliceOf returns which slice to play, and of how many: 1 of 1 for all matches.
func sliceOf(flag string, slices int, variable func(string) string) (n, of int, err error) {
	number := func(name string, otherwise int) int {
		text := variable(name)
		if text == "" {
			return otherwise
		}
		v, wrong := strconv.Atoi(text)
		if wrong != nil && err == nil {
			err = fmt.Errorf("%s=%.40q: want a whole number", name, text)
		}
		return v
	}
	total := slices
	switch {
	case flag != "":
		var rest string
		if count, _ := fmt.Sscanf(flag, "%d/%d%s", &n, &of, &rest); count != 2 {
			return 0, 0, fmt.Errorf("--slice %.40q: want N/M, for example 7/100", flag)
		}
		return n, of, nil
	case variable("SLURM_ARRAY_TASK_ID") != "":
		step := max(number("SLURM_ARRAY_TASK_STEP", 1), 1)
		n = (number("SLURM_ARRAY_TASK_ID", 1)-number("SLURM_ARRAY_TASK_MIN", 1))/step + 1
		if total == 0 {
			total = number("SLURM_ARRAY_TASK_COUNT", 0)
		}
	case variable("JOB_COMPLETION_INDEX") != "":
		n = number("JOB_COMPLETION_INDEX", 0) + 1
	case variable("CI_NODE_INDEX") != "":
		n = number("CI_NODE_INDEX", 1)
		if total == 0 {
			total = number("CI_NODE_TOTAL", 0)
		}
	default:
		if slices != 0 {
			return 0, 0, errors.New("--slices: no cluster variable says which slice this is: give --slice N/M")
		}
		return 1, 1, nil
	}
	if err == nil && total < 1 {
		err = errors.New("a cluster variable says which slice this is, but none says how many there are: give --slices M")
	}
	return n, total, err
}

func (f *batchRunFlags) run(c *cobra.Command, path string) error {
	if f.dir == "" {
		return console.Usage(errors.New("--dir is missing: name the folder for the results, for example --dir results"))
	}
	if err := f.check(); err != nil {
		return err
	}
	n, of, err := sliceOf(f.slice, f.slices, os.Getenv)
	if err != nil {
		return console.Usage(err)
	}
	plan, slower, err := openPlan(path)
	if err != nil {
		return err
	}
	if err := f.plays(plan); err != nil {
		return err
	}
	if err := batchnet.CheckPrograms(plan); err != nil {
		return console.Usage(err)
	}
	jobs, err := batch.Slice(plan.Jobs(), n, of)
	if err != nil {
		return console.Usage(err)
	}
	folder, err := batchnet.OpenFolder(f.dir, plan)
	if err != nil {
		return console.Usage(fmt.Errorf("--dir: %w", err))
	}
	r := batchRan{Dir: f.dir, Slice: fmt.Sprintf("%d/%d", n, of), Jobs: len(jobs)}
	missing := f.missing(c.ErrOrStderr(), plan, folder, jobs, &r)
	if err := f.ask(c, batch.Total(missing)*slower, matchesText(len(missing))); err != nil {
		return err
	}
	p, err := f.open(c)
	if err != nil {
		return err
	}
	defer p.close()
	p.all = true
	b := f.page.newBatchPage(plan, plan.Jobs, batchTest, folder)
	b.watch = true
	p.show(&b)
	told := toldTo(c.OutOrStdout(), c.ErrOrStderr(), f.json)
	err = serveBatch(c.Context(), &f.page, told, b, func(ctx context.Context) error {
		return f.play(ctx, p, &b, missing, &r)
	})
	p.progress.End()
	if printed := f.print(c, &r); printed != nil {
		return errors.Join(err, printed)
	}
	if err == nil && r.Failed > 0 {
		err = console.Finding()
	}
	return err
}

// play plays the jobs without a result.
func (f *batchRunFlags) play(ctx context.Context, p *batchPlayer, b *batchPage, missing []batch.Job, r *batchRan) error {
	begin, total, done := time.Now(), batch.Total(missing), 0.0
	var lock sync.Mutex
	err := p.play(ctx, b.plan, batch.Each(missing), func(job *batch.Job, result *batch.Result) error {
		if err := b.folder.Put(result); err != nil {
			return err
		}
		b.live.Put(result)
		lock.Lock()
		defer lock.Unlock()
		r.Played++
		if done += job.Cost; result.Trouble != "" {
			r.Failed++
		}
		left := seconds(time.Since(begin).Seconds() * (total - done) / done)
		p.say("%d of %d matches, %s left", r.Played, len(missing), roughly(left))
		return nil
	})
	return console.Interrupted(err, r.Played, len(missing), "matches")
}

// missing returns the jobs without a result.
func (f *batchRunFlags) missing(errs io.Writer, plan *batch.Plan, folder *batchnet.Folder, jobs []batch.Job,
	r *batchRan) (missing []batch.Job) {
	progress := console.NewProgress(errs)
	missing = folder.Missing(plan, jobs, func(n int, damage error) {
		if damage != nil {
			progress.End()
			fmt.Fprintf(errs, "played again: %s\n", console.Plain(damage.Error()))
			r.Damaged++
		}
		progress.Say("looking for results, %d of %d", n, len(jobs))
	})
	progress.End()
	r.There = len(jobs) - len(missing)
	return missing
}

func (f *batchRunFlags) print(c *cobra.Command, r *batchRan) error {
	if f.json {
		return console.PrintJSON(c.OutOrStdout(), r)
	}
	what := "all matches"
	if r.Slice != "1/1" {
		what = "slice " + r.Slice
	}
	text := fmt.Sprintf("%s of the plan: %s, %d had a result, %d were played now", what, matchesText(r.Jobs), r.There, r.Played)
	if r.Failed > 0 {
		text += fmt.Sprintf("; %d of them did not end, touchline batch report %s lists them", r.Failed, r.Dir)
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), text)
	return err
}

// batchStatus is what batch status --json prints.
type batchStatus struct {
	Dir     string   `json:"dir"`
	Jobs    int      `json:"jobs"`
	Done    int      `json:"done"`
	Failed  int      `json:"failed"`  // of them, matches that did not end
	Left    float64  `json:"left"`    // expected core-seconds on this machine
	Damaged []string `json:"damaged"` // results that are torn, damaged or foreign, at most 20
	Stray   []string `json:"stray"`   // files that are no results of the plan, at most 20
}

func batchStatusCommand() *cobra.Command {
	var asJSON bool
	var page pageFlags
	c := &cobra.Command{
		Use:   "status DIR",
		Short: "Show how many matches of a plan have been played",
		Long: `Status prints how many matches of a plan have a result in a folder, how long the others will take, which
results are damaged, and which files do not belong to the plan. The exit code is 1 if a result is damaged or a match
did not end.

With --http it serves the page /batch until Ctrl-C, with the results as they arrive from any machine.`,
		Example: `  touchline batch status results
  touchline batch status results --http 127.0.0.1:8014`,
		Args: oneArg("DIR", "batch status results"),
		RunE: func(c *cobra.Command, args []string) error {
			if page.http != "" {
				return watchStatus(c, &page, args[0], asJSON)
			}
			return showStatus(c, args[0], asJSON)
		},
	}
	addBatchPage(c.Flags(), &page)
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

func showStatus(c *cobra.Command, dir string, asJSON bool) error {
	const most = 20
	plan, err := batchnet.ReadPlan(dir)
	if err != nil {
		return console.Usage(fmt.Errorf("%w: want a folder of touchline batch run", err))
	}
	_, slower := thisProgram()
	folder, jobs := &batchnet.Folder{Path: dir}, plan.Jobs()
	s := batchStatus{Dir: dir, Jobs: len(jobs), Damaged: []string{}, Stray: []string{}}
	for i := range jobs {
		r, err := folder.Get(plan, &jobs[i])
		switch {
		case err != nil && len(s.Damaged) < most:
			s.Damaged = append(s.Damaged, console.Plain(err.Error()))
			fallthrough
		case r == nil:
			s.Left += jobs[i].Cost * slower
			continue
		}
		if s.Done++; r.Trouble != "" {
			s.Failed++
		}
	}
	stray, err := folder.Stray(jobs, most)
	if err != nil {
		return err
	}
	s.Stray = append(s.Stray, stray...)
	if asJSON {
		err = console.PrintJSON(c.OutOrStdout(), &s)
	} else {
		err = s.print(c.OutOrStdout())
	}
	if err == nil && (len(s.Damaged) > 0 || s.Failed > 0) {
		err = console.Finding()
	}
	return err
}

func (s *batchStatus) print(out io.Writer) error {
	text := fmt.Sprintf("%s: %d of %s have a result", s.Dir, s.Done, matchesText(s.Jobs))
	if s.Done < s.Jobs {
		text += fmt.Sprintf("; the others take about %s on one core", roughly(seconds(s.Left)))
	}
	text += "\n"
	if s.Failed > 0 {
		text += fmt.Sprintf("%d matches did not end: touchline batch report %s lists them\n", s.Failed, s.Dir)
	}
	for _, d := range s.Damaged {
		text += "damaged, touchline batch run plays it again: " + d + "\n"
	}
	for _, d := range s.Stray {
		text += "no result of this plan, you may remove it: " + d + "\n"
	}
	_, err := io.WriteString(out, text)
	return err
}
