package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/batch/queue"
	"touchline/internal/check"
	"touchline/internal/console"
)

// workerFlags are the flags of worker.
type workerFlags struct {
	at    queue.Address
	name  string
	cores int
	json  bool
}

func workerCommand() *cobra.Command {
	var f workerFlags
	c := &cobra.Command{
		Use:   "worker",
		Short: "Play batch matches for other machines, until Ctrl-C",
		Long: `Worker plays matches that touchline batch run, compare, league or tune hands out with --nats. It uses all
cores and stores the results on the servers of touchline-fleet up, or on another NATS server with JetStream. It plays
only plans of a program with the same behaviour (touchline version --behaviour). It waits while the servers are
unreachable, and after a batch for the next one. On Ctrl-C it hands back its running matches; after kill -9 another
worker gets them within 10 s.

A server on another machine needs a key: copy the key file that touchline-fleet up names, and pass it with
--credentials.`,
		Example: `  touchline worker --nats nats://127.0.0.1:4222
  touchline worker --nats nats://10.0.0.5:4222 --credentials fleet.key --cores 4`,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	set := c.Flags()
	f.at.AddFlags(set, queue.Local)
	set.StringVar(&f.name, "name", "", "name of this worker on the page (default: host name and process)")
	coresFlag(set, &f.cores)
	set.BoolVar(&f.json, "json", false, "print a summary as JSON at the end")
	return c
}

func (f *workerFlags) run(c *cobra.Command) error {
	if err := checkCores(&f.cores); err != nil {
		return err
	}
	if f.name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown"
		}
		f.name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	ctx, progress := c.Context(), console.NewProgress(c.ErrOrStderr())
	program, err := programOf(ctx)
	if ctx.Err() != nil {
		return f.print(c, queue.Worker{Worker: batch.Worker{Name: f.name, Cores: f.cores}})
	}
	if err != nil {
		return err
	}
	note := func(text string) {
		progress.End()
		fmt.Fprintln(c.ErrOrStderr(), console.Plain(text))
	}
	q, err := connectPatiently(ctx, f.at, f.name, note)
	if err != nil {
		if ctx.Err() != nil {
			return f.print(c, queue.Worker{Worker: batch.Worker{Name: f.name, Cores: f.cores}, Program: program.String()})
		}
		return console.Usage(err)
	}
	defer q.Close()
	note(fmt.Sprintf("worker %s plays for %s on %s, with touchline %s; Ctrl-C ends it", f.name, f.at.URL,
		check.Plural(uint64(f.cores), "core"), program))
	state, err := q.Serve(ctx, queue.Work{Program: program, Name: f.name, Cores: f.cores, Play: batchnet.Play, Note: note,
		Done: func(w queue.Worker, _ *batch.Result) {
			progress.Say("%s played, %d running", matchesText(w.Done), w.Running)
		}})
	progress.End()
	if ctx.Err() == nil {
		return err
	}
	return f.print(c, state)
}

// programOf identifies this program by a second process of it. A worker may wait for days: without the pages that a match
// touches it has 22 MB instead of 30.
func programOf(ctx context.Context) (batch.Program, error) {
	path, err := os.Executable()
	if err != nil {
		return batch.Program{}, fmt.Errorf("this program cannot find its own executable, which identifies how it plays: %w", err)
	}
	out, err := exec.CommandContext(ctx, path, "version", "--behaviour", "--json").Output()
	if err != nil {
		return batch.Program{}, fmt.Errorf("%s version --behaviour does not run: %w", path, err)
	}
	var v Version
	if err := json.Unmarshal(out, &v); err != nil {
		return batch.Program{}, fmt.Errorf("%s version --behaviour: %w", path, err)
	}
	return v.program(), nil
}

func (f *workerFlags) print(c *cobra.Command, w queue.Worker) error {
	if f.json {
		return console.PrintJSON(c.OutOrStdout(), w)
	}
	text := fmt.Sprintf("%s played", matchesText(w.Done))
	if w.Failed > 0 {
		text += fmt.Sprintf(", %d of them did not end", w.Failed)
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), text)
	return err
}

// connectPatiently connects to a queue, and waits for a server to come.
func connectPatiently(ctx context.Context, at queue.Address, name string, note func(string)) (*queue.Queue, error) {
	for told := false; ; {
		q, err := queue.Connect(at, name)
		if !errors.Is(err, queue.ErrNoServer) {
			return q, err
		}
		if !told {
			told = true
			note(fmt.Sprintf("%v; waiting for it", err))
		}
		if !queue.Pause(ctx, 250*time.Millisecond) {
			return nil, ctx.Err()
		}
	}
}
