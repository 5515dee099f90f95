package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/batch/queue"
	"touchline/internal/console"
)

// pulled is what pull --json prints.
type pulled struct {
	Batch   string `json:"batch"`
	Dir     string `json:"dir"`
	Jobs    int    `json:"jobs"`    // matches in the plan
	There   int    `json:"there"`   // results that the folder held
	Pulled  int    `json:"pulled"`  // results that came now
	Missing int    `json:"missing"` // jobs without a result
}

func pullCommand() *cobra.Command {
	var at queue.Address
	var dir string
	var asJSON bool
	c := &cobra.Command{
		Use:   "pull [BATCH] --dir DIR",
		Short: "Copy the results of a batch from the servers to a folder",
		Long: `Pull copies the plan and results of a batch to a folder, in the form that touchline batch run writes and
touchline batch status and report read. It copies what is there now; run it again to add newer results. BATCH is the
name that touchline-fleet gc prints, or its first characters; without it, pull takes the newest batch.`,
		Example: `  touchline-fleet pull --dir results
  touchline-fleet pull 1f00c4 --dir results --nats nats://10.0.0.5:4222 --credentials fleet.key`,
		Args: console.Args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return pull(c, at, strings.Join(args, ""), dir, asJSON)
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "folder of the results (required)")
	at.AddFlags(c.Flags(), queue.Local)
	c.Flags().BoolVar(&asJSON, "json", false, "print the summary as JSON")
	return c
}

// openStored connects to the servers and lists the batches that they keep.
func openStored(ctx context.Context, at queue.Address) (*queue.Queue, []queue.Stored, error) {
	q, err := queue.Connect(at, "touchline-fleet")
	if err != nil {
		return nil, nil, console.Usage(err)
	}
	stored, err := q.Batches(ctx)
	if err != nil {
		q.Close()
	}
	return q, stored, err
}

func pull(c *cobra.Command, at queue.Address, name, dir string, asJSON bool) error {
	if dir == "" {
		return console.Usage(errors.New("--dir is missing: name the folder for the results, for example --dir results"))
	}
	ctx := c.Context()
	q, stored, err := openStored(ctx, at)
	if err != nil {
		return err
	}
	defer q.Close()
	one, err := find(stored, name)
	if err != nil {
		return console.Usage(err)
	}
	plan, err := q.Plan(ctx, one.Key)
	if err != nil {
		return err
	}
	if plan == nil {
		return fmt.Errorf("batch %s no longer has a plan", one.Key)
	}
	folder, err := batchnet.OpenFolder(dir, plan)
	if err != nil {
		return console.Usage(fmt.Errorf("--dir: %w", err))
	}
	jobs := plan.Jobs()
	p := pulled{Batch: one.Key, Dir: dir, Jobs: len(jobs)}
	missing := folder.Missing(plan, jobs, func(int, error) {}) // a damaged file is replaced
	p.There = len(jobs) - len(missing)
	progress := console.NewProgress(c.ErrOrStderr())
	err = q.Pull(ctx, plan, missing, queue.Events{
		Result: func(_ *batch.Job, r *batch.Result) error {
			p.Pulled++
			progress.Say("%d of %d results", p.Pulled, one.Results)
			return folder.Put(r)
		},
		Note: func(text string) { fmt.Fprintln(c.ErrOrStderr(), console.Plain(text)) },
	})
	progress.End()
	if err != nil {
		return err
	}
	p.Missing = len(missing) - p.Pulled
	if asJSON {
		return console.PrintJSON(c.OutOrStdout(), &p)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "batch %s: copied %d results to %s, %d were there already, %d matches have no result yet\n",
		p.Batch, p.Pulled, dir, p.There, p.Missing)
	return err
}

// find returns the batch of a name, or of its first characters; the newest one for "".
func find(stored []queue.Stored, name string) (*queue.Stored, error) {
	var found []*queue.Stored
	for i := range stored {
		if strings.HasPrefix(stored[i].Key, name) {
			found = append(found, &stored[i])
		}
	}
	switch {
	case len(stored) == 0:
		return nil, errors.New("the servers hold no batch: send one with touchline batch run --nats")
	case len(found) == 0:
		return nil, fmt.Errorf("the servers hold no batch %.40q: touchline-fleet gc lists their batches", name)
	case len(found) > 1 && name != "":
		return nil, fmt.Errorf("%d batches begin with %.40q: give more characters", len(found), name)
	}
	return found[0], nil
}

// kept is what gc --json prints.
type kept struct {
	queue.Stored
	Removed bool `json:"removed"`
}

func gcCommand() *cobra.Command {
	var at queue.Address
	var older time.Duration
	var asJSON bool
	c := &cobra.Command{
		Use:   "gc [BATCH...]",
		Short: "List the batches that the servers keep, and remove old ones",
		Long: `Gc lists the batches that the servers keep, and removes batches on request: each BATCH by its name or the
first characters of it, and with --older all batches for which nothing was stored for that long. Removing a batch also
removes its results: pull them first.`,
		Example: `  touchline-fleet gc
  touchline-fleet gc 1f00c4
  touchline-fleet gc --older 720h`,
		Args: console.Args(cobra.MaximumNArgs(1000)),
		RunE: func(c *cobra.Command, args []string) error { return collect(c, at, args, older, asJSON) },
	}
	at.AddFlags(c.Flags(), queue.Local)
	c.Flags().DurationVar(&older, "older", 0, "remove batches for which nothing was stored for this long, for example 720h (default: none)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return c
}

func collect(c *cobra.Command, at queue.Address, names []string, older time.Duration, asJSON bool) error {
	if older < 0 {
		return console.Usage(fmt.Errorf("--older %v: want a time of at least 0, for example 720h", older))
	}
	ctx := c.Context()
	q, stored, err := openStored(ctx, at)
	if err != nil {
		return err
	}
	defer q.Close()
	var named []string
	for _, name := range names {
		one, err := find(stored, name)
		if err != nil {
			return console.Usage(err)
		}
		named = append(named, one.Key)
	}
	list := []kept{}
	for _, s := range stored {
		old := older > 0 && time.Since(s.Newest) > older
		k := kept{s, old || slices.Contains(named, s.Key)}
		if k.Removed {
			if err := q.Remove(ctx, s.Key); err != nil {
				return err
			}
		}
		list = append(list, k)
	}
	if asJSON {
		return console.PrintJSON(c.OutOrStdout(), list)
	}
	return printStored(c, list)
}

func printStored(c *cobra.Command, list []kept) error {
	text := ""
	for _, k := range list {
		what := ""
		if k.Removed {
			what = "  removed"
		}
		text += fmt.Sprintf("%s  %-20s %8d of %d results, %d jobs wait, newest %s%s\n", k.Key, k.Name, k.Results, k.Jobs, k.Waiting,
			k.Newest.Local().Format("2006-01-02 15:04:05"), what)
	}
	if text == "" {
		text = "the servers hold no batch\n"
	}
	_, err := fmt.Fprint(c.OutOrStdout(), text)
	return err
}
