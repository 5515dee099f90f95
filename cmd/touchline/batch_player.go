package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/batch/queue"
	"touchline/internal/check"
	"touchline/internal/console"
)

// playerFlags say where the matches of a batch are played: on the cores of this machine, or by the workers of a queue.
type playerFlags struct {
	cores int
	at    queue.Address
	yes   bool
}

func (f *playerFlags) add(set *pflag.FlagSet) {
	coresFlag(set, &f.cores)
	f.at.AddFlags(set, "")
	set.BoolVar(&f.yes, "yes", false, "do not ask before a run that may take more than 5 minutes")
}

// check checks the flags, and fills in the cores of this machine.
func (f *playerFlags) check() error {
	switch {
	case f.at.URL == "" && f.at.Credentials+f.at.CA != "":
		return console.Usage(errors.New("--credentials and --ca need --nats: give the address of the servers, " +
			"for example --nats " + queue.Local))
	case f.at.URL == "":
		return checkCores(&f.cores)
	case f.cores != 0:
		return console.Usage(errors.New("--cores: with --nats the workers play, each on its own cores: leave it out"))
	}
	return nil
}

// plays refuses a plan that workers must not play.
func (f *playerFlags) plays(plan *batch.Plan) error {
	if len(plan.Programs) == 0 || f.at.URL == "" {
		return nil
	}
	return console.Usage(fmt.Errorf("--nats: %s is a program, and workers run no commands from a queue: play "+
		"without --nats, or in slices on machines that see %s", plan.Programs[0].Team, plan.Folder))
}

// ask asks back whether matches of so many core-seconds are wanted, unless workers play them.
func (f *playerFlags) ask(c *cobra.Command, coreSeconds float64, what string) error {
	if f.at.URL != "" {
		return nil
	}
	return askBack(c, f.yes, seconds(coreSeconds/float64(f.cores)), what)
}

// batchPlayer plays the matches of a command where its flags say.
type batchPlayer struct {
	cores    int          // of this machine
	queue    *queue.Queue // nil: this machine plays
	over     []string     // batches of the queue whose results nobody needs any more
	all      bool         // hand out all jobs of a queue, and leave them there at Ctrl-C
	errs     io.Writer
	progress *console.Progress
	said     string // how far the command is, as the terminal shows it
	machines string // how many workers play, which the terminal shows after it

	running, done atomic.Int64                   // matches that this machine plays, and has played
	workers       atomic.Pointer[[]batch.Worker] // that play for the queue
}

// open returns the player of the flags. It connects to the queue, and waits until that is ready.
func (f *playerFlags) open(c *cobra.Command) (*batchPlayer, error) {
	p := &batchPlayer{cores: f.cores, errs: c.ErrOrStderr(), progress: console.NewProgress(c.ErrOrStderr())}
	if f.at.URL == "" {
		return p, nil
	}
	q, err := queue.Connect(f.at, c.CommandPath())
	if err != nil {
		return nil, console.Usage(err)
	}
	p.queue, p.said = q, "no match is played yet"
	p.workers.Store(&[]batch.Worker{})
	for {
		const patience = 30 * time.Second
		asked, cancel := context.WithTimeout(c.Context(), patience)
		err = q.Prepare(asked, 0)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || c.Context().Err() != nil {
			break
		}
		p.note(fmt.Sprintf("nothing for %v: %v; waiting for them", patience, err))
	}
	if err != nil {
		q.Close()
		return nil, err
	}
	return p, nil
}

// close ends the line of the progress and the connection.
func (p *batchPlayer) close() {
	p.progress.End()
	if p.queue != nil {
		p.queue.Close()
	}
}

// show makes the machines that play the workers of a page.
func (p *batchPlayer) show(b *batchPage) {
	if b.live == nil {
		return
	}
	if p.queue != nil {
		b.live.Workers = func() []batch.Worker { return *p.workers.Load() }
		return
	}
	name, err := os.Hostname()
	if err != nil {
		name = "this machine"
	}
	b.live.Workers = func() []batch.Worker {
		return []batch.Worker{{Name: name, Cores: p.cores, Running: int(p.running.Load()), Done: int(p.done.Load())}}
	}
}

// play is the batchnet.Player of all commands that play a batch.
func (p *batchPlayer) play(ctx context.Context, plan *batch.Plan, jobs iter.Seq[*batch.Job],
	put func(*batch.Job, *batch.Result) error) error {
	if p.queue != nil {
		return p.queue.Play(ctx, plan, jobs, queue.Events{Result: put, Workers: p.tellWorkers, Note: p.note, All: p.all})
	}
	counted := func(yield func(*batch.Job) bool) {
		for job := range jobs {
			if p.running.Add(1); !yield(job) {
				return
			}
		}
	}
	return batchnet.OnCores(p.cores)(ctx, plan, counted, func(job *batch.Job, r *batch.Result) error {
		p.running.Add(-1)
		p.done.Add(1)
		return put(job, r)
	})
}

// ordered plays jobs and hands their results to consume in order, as batchnet.Player does it.
func (p *batchPlayer) ordered(ctx context.Context, plan *batch.Plan, jobs iter.Seq[*batch.Job], keep *batchnet.Folder,
	consume func(*batch.Job, *batch.Result) bool) error {
	return batchnet.Player(p.play).Ordered(ctx, plan, jobs, keep, consume)
}

// finish tells that all results of a plan came, and that the command needs no other one of it.
func (p *batchPlayer) finish(plan *batch.Plan) {
	if p.queue != nil {
		p.over = append(p.over, queue.BatchKey(plan))
	}
}

// removeOver removes the batches that are over from the queue: until then a command that is started again finds them.
func (p *batchPlayer) removeOver(ctx context.Context) {
	for i, key := range p.over {
		asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		err := p.queue.Remove(asked, key)
		cancel()
		if err != nil {
			p.note(fmt.Sprintf("%d batches stay on the servers: %v; touchline-fleet gc removes them", len(p.over)-i, err))
			return
		}
	}
}

// say says how far the command is. The caller calls it from one goroutine at a time.
func (p *batchPlayer) say(format string, args ...any) {
	p.said = fmt.Sprintf(format, args...)
	p.progress.Say("%s%s", p.said, p.machines)
}

// tellWorkers takes the workers that play.
func (p *batchPlayer) tellWorkers(workers []queue.Worker) {
	cores, shown := 0, make([]batch.Worker, len(workers))
	for i := range workers {
		cores, shown[i] = cores+workers[i].Cores, workers[i].Worker
	}
	p.workers.Store(&shown)
	p.machines = fmt.Sprintf(", %s with %s", check.Plural(uint64(len(workers)), "worker"), check.Plural(uint64(cores), "core"))
	p.say("%s", p.said)
}

// note tells what the user should know.
func (p *batchPlayer) note(text string) {
	p.progress.End()
	fmt.Fprintln(p.errs, console.Plain(text))
}
