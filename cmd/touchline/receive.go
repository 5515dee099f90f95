package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire"
	"touchline/wire/tcm"
)

// receiveFlags are the flags of tcm recv.
type receiveFlags struct {
	endpointFlags
	files    teamcomnet.TransferConfig
	count    int
	duration time.Duration
}

func receiveCommand() *cobra.Command {
	f := receiveFlags{files: teamcomnet.DefaultTransferConfig()}
	c := &cobra.Command{
		Use:   "recv",
		Short: "Receive files that touchline tcm send sends",
		Long: `Recv waits for a file, stores it in --dir under the name that its sender gave it, without folders, and stops. It stores
only whole files with the right checksum. Of an incomplete file it reports the missing bytes and keeps nothing; a file whose
name exists is refused without --force.

The exit code is 0 if every file arrived whole, and 1 if one did not, or none came.`,
		Example: `  touchline tcm recv --as robot:3
  touchline tcm recv --as robot:3 --ini TCM.ini --dir /home/robot/configuration --force --count 0
  touchline tcm recv --as computer:1 --ini TCM.ini --key team.key --json --duration 60s`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return console.Usage(fmt.Errorf("recv takes no argument, but %.40q is given: the sender names the file; --dir gives the folder",
					args[0]))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, _ []string) error { return runReceive(c, &f) },
	}
	flags := c.Flags()
	f.add(flags, "robot:1")
	flags.StringVar(&f.files.Dir, "dir", f.files.Dir, "folder for the files; created if it does not exist")
	flags.BoolVar(&f.files.Overwrite, "force", false, "replace files that exist")
	flags.IntVar(&f.count, "count", 1, "stop after this many files; 0: at Ctrl-C")
	console.AddDuration(flags, &f.duration)
	console.Accept(flags, "a whole number of at least 0, for example 1", "count")
	return c
}

// config returns the endpoint of the flags.
func (f *receiveFlags) config() (teamcomnet.Config, error) {
	cfg, err := f.endpointFlags.config()
	if err != nil {
		return cfg, err
	}
	if f.count < 0 {
		return cfg, console.Usage(fmt.Errorf("--count %d: want 0 (until Ctrl-C) or more, for example 1", f.count))
	}
	cfg.Node.Types = map[tcm.Type]teamcom.Options{tcm.File: fileOptions(0)} // parity is the sender's choice
	cfg.Node.Modules = teamcom.Limits{Messages: 4096, Bytes: 128 << 20}     // a slow disk delays the handler
	cfg.Node.Beacon = 100 * time.Millisecond                                // the sender learns soon that this end runs
	return cfg, nil
}

// waitingEvent is the JSON of a receiver that is ready.
type waitingEvent struct {
	Event   string `json:"event"` // "waiting"
	As      string `json:"as"`
	Address string `json:"address"` // and base port
	Dir     string `json:"dir"`
}

// receivedEvent is the JSON of a transfer that ended.
type receivedEvent struct {
	Event    string             `json:"event"` // "received", "incomplete" or "refused"
	From     string             `json:"from"`
	File     string             `json:"file"`
	Path     string             `json:"path,omitempty"` // of a stored file
	Bytes    uint64             `json:"bytes"`          // of the file
	Messages uint32             `json:"messages"`
	SHA256   string             `json:"sha256"`
	Seconds  float64            `json:"seconds"`
	Lost     uint32             `json:"lost"` // messages
	Missing  []teamcomnet.Range `json:"missing,omitempty"`
	Reason   string             `json:"reason,omitempty"` // of a file that is not stored
}

// receiver prints and counts the transfers that end.
type receiver struct {
	flags  *receiveFlags
	enough chan struct{} // closed after the last file

	mu      sync.Mutex
	printer printer
	ended   int
	failed  int
	err     error // of printing
}

func runReceive(c *cobra.Command, f *receiveFlags) error {
	cfg, err := f.config()
	if err != nil {
		return err
	}
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	if err := os.MkdirAll(f.files.Dir, 0o755); err != nil {
		return console.Usage(fmt.Errorf("--dir: %w", err))
	}
	log := console.Logger(c.ErrOrStderr())
	e, err := teamcomnet.Open(cfg, log)
	if err != nil {
		return console.Usage(err)
	}
	r := &receiver{flags: f, enough: make(chan struct{}),
		printer: printer{out: c.OutOrStdout(), errs: c.ErrOrStderr(), json: f.json}}
	files, err := e.ReceiveFiles(f.files, r.done)
	if err != nil {
		e.Close()
		return console.Usage(fmt.Errorf("--dir: %w", err))
	}
	waiting := waitingEvent{Event: "waiting", As: cfg.Node.Self.String(), Address: e.Address().String(), Dir: f.files.Dir}
	if err := r.printer.event(waiting, fmt.Sprintf("%s waits for files on %s and the next three ports; they are stored in %s",
		waiting.As, waiting.Address, waiting.Dir)); err != nil {
		e.Close()
		return err
	}
	if err := serve(ctx, e, func(ctx context.Context) error { return r.wait(ctx, files) }); err != nil {
		return err
	}
	warnDrops(log, e)
	return r.result()
}

// lingerTime is the time for which recv answers its sender after the last file.
const lingerTime = 250 * time.Millisecond

// wait receives until enough files arrived or ctx ends.
func (r *receiver) wait(ctx context.Context, files *teamcomnet.Files) error {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- files.Run(ctx) }()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for waiting := true; waiting; {
		select {
		case <-ctx.Done():
			waiting = false
		case <-r.enough:
			time.Sleep(lingerTime)
			waiting = false
		case <-ticker.C:
			r.progress(files)
		}
	}
	cancel()
	return <-ended
}

// progress prints how far the transfers are.
func (r *receiver) progress(files *teamcomnet.Files) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range files.Progress() {
		r.printer.printProgress(progressEvent{
			Peer: p.From.String(), File: wire.Printable(p.Name), Bytes: p.Received, Size: p.Size,
		})
	}
}

// done prints a transfer that ended.
func (r *receiver) done(result *teamcomnet.Result) {
	v := receivedEvent{
		Event: "received", From: result.From.String(), File: wire.Printable(result.Name), Path: result.Path,
		Bytes: result.Size, Messages: result.Chunks, SHA256: hex.EncodeToString(result.Sum[:]),
		Seconds: result.Took.Seconds(), Missing: result.Missing,
	}
	text := fmt.Sprintf("%s from %s: %s in %.1f s, checksum verified, stored as %s", v.File, v.From, sizeText(v.Bytes),
		v.Seconds, wire.Printable(v.Path))
	if result.Err != nil {
		v.Event, v.Reason = "refused", console.Plain(result.Err.Error())
		text = fmt.Sprintf("%s from %s is not stored: %s", v.File, v.From, v.Reason)
		if errors.Is(result.Err, teamcomnet.ErrIncomplete) {
			v.Event, v.Lost = "incomplete", result.Chunks-result.Received
			text += fmt.Sprintf(": %d of %d messages are missing, bytes %s", v.Lost, v.Messages, rangesText(v.Missing))
		}
		if errors.Is(result.Err, teamcomnet.ErrExists) {
			text += "; --force replaces it"
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.printer.event(v, text); err != nil && r.err == nil {
		r.err = err
	}
	if result.Err != nil {
		r.failed++
	}
	if r.ended++; r.ended == r.flags.count {
		close(r.enough)
	}
}

// rangesText lists ranges of bytes: the first and the last byte of each.
func rangesText(ranges []teamcomnet.Range) string {
	const most = 20
	var parts []string
	for _, m := range ranges[:min(len(ranges), most)] {
		parts = append(parts, fmt.Sprintf("%d-%d", m.Start, m.End-1))
	}
	if len(ranges) > most {
		parts = append(parts, fmt.Sprintf("and %d more ranges", len(ranges)-most))
	}
	return strings.Join(parts, ", ")
}

// result returns the exit code.
func (r *receiver) result() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil:
		return r.err
	case r.failed > 0:
		return console.Finding()
	case r.ended == 0 && r.flags.count > 0:
		return errors.New("no file came")
	}
	return nil
}
