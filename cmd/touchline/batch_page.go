package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/console"
	"touchline/internal/control"
	"touchline/internal/monitor"
	"touchline/internal/stat"
)

// batchTest is the test of the page about the teams of a plan, which is that of compare without flags.
var batchTest = stat.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05}

// batchPage is what the page of a batch shows. The program that plays the batch hands results to live.Put; results that
// others put into the folder are found there.
type batchPage struct {
	plan   *batch.Plan
	live   *batchnet.Live
	folder *batchnet.Folder // folder with the results; nil: they are not kept
	watch  bool             // others may put results into the folder
}

// newBatchPage returns the page of a batch for --http. jobs are those that it plays, in the order of the plan. Without
// --http it has no live.
func (p *pageFlags) newBatchPage(plan *batch.Plan, jobs func() []batch.Job, test stat.SPRT,
	folder *batchnet.Folder) batchPage {
	b := batchPage{plan: plan, folder: folder}
	if p.http != "" {
		b.live = batchnet.NewLive(plan, jobs(), test)
	}
	return b
}

// addBatchPage adds the flag of the page /batch.
func addBatchPage(set *pflag.FlagSet, page *pageFlags) {
	set.StringVar(&page.http, "http", "", "serve the page /batch at this address while it runs, for example "+
		"127.0.0.1:8014 (default: no page)")
}

// serveBatch serves the page /batch of a batch at the address of --http while play runs, and returns its error. It
// prints the address on out. Without an address it only plays, and nothing listens.
func serveBatch(ctx context.Context, f *pageFlags, out io.Writer, b batchPage, play func(context.Context) error) error {
	if f.http == "" {
		return play(ctx)
	}
	again, err := newAgainMatches(&b)
	if err != nil {
		return err
	}
	defer again.close()
	b.live.Again = again.states
	cfg := monitor.DefaultConfig()
	cfg.Pages = []string{"batch"}
	commands := control.Table{"batch-again": control.Handle(func(w wantedMatch) error { return again.ask(w.ID) })}
	cfg.Commands = f.guarded("playing a match again", commands.Around(plainErrors))
	cfg.Handlers = map[string]http.Handler{"GET /again/": again, "POST /again/": again}
	token := f.guard(&cfg)
	page, err := f.open(cfg)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("page: %sbatch\n", page.url)
	if token != "" {
		text += fmt.Sprintf("to play matches again from the page: %sbatch#token=%s\n", page.url, token)
	}
	if err := page.print(out, text); err != nil {
		return err
	}
	return page.runBatch(ctx, b, again, play)
}

// wantedMatch is the body of the command batch-again.
type wantedMatch struct {
	ID string `json:"id"` // job of the match
}

// errPlayed ends the page of a batch that is over.
var errPlayed = errors.New("the batch is over")

// runBatch serves the page while play runs.
func (p *page) runBatch(ctx context.Context, b batchPage, again *againMatches, play func(context.Context) error) error {
	again.hosts = p.hosts
	group, inner := errgroup.WithContext(ctx)
	var result error
	group.Go(func() error { return p.serve(inner) })
	p.publish(inner, group, topic{"batch", time.Second, func(string) any { return b.live.Progress() }})
	group.Go(func() error { return again.run(inner) })
	if b.watch {
		group.Go(func() error { return b.live.Watch(inner, b.folder) })
	}
	group.Go(func() error {
		if result = play(inner); result != nil || inner.Err() != nil {
			return errPlayed
		}
		const farewell = 300 * time.Millisecond // in which pages get the last results
		p.server.Refresh("batch")
		select {
		case <-inner.Done():
		case <-time.After(farewell):
		}
		return errPlayed
	})
	if err := group.Wait(); !errors.Is(err, errPlayed) {
		return err
	}
	return result
}

// watchStatus shows the results of a folder that others fill, until the context ends.
func watchStatus(c *cobra.Command, f *pageFlags, dir string, asJSON bool) error {
	if asJSON {
		return console.Usage(errors.New("--json prints the status once, and --http serves a page: " +
			"leave out one of them"))
	}
	plan, err := batchnet.ReadPlan(dir)
	if err != nil {
		return console.Usage(fmt.Errorf("%w: want a folder of touchline batch run", err))
	}
	b := f.newBatchPage(plan, plan.Jobs, batchTest, &batchnet.Folder{Path: dir})
	b.watch = true
	return serveBatch(c.Context(), f, c.OutOrStdout(), b, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	})
}

// toldTo returns where an address is printed: beside the JSON of --json.
func toldTo(out, errs io.Writer, asJSON bool) io.Writer {
	if asJSON {
		return errs
	}
	return out
}
