package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/internal/console"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire"
	"touchline/wire/tcm"
)

// tcmCommand returns the command tcm, which sends and receives files over the team communication module.
func tcmCommand() *cobra.Command {
	c := &cobra.Command{
		Use:                        "tcm",
		Short:                      "Send and receive files over the team communication module (TCM)",
		SuggestionsMinimumDistance: 2,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := ""
			if found := c.SuggestionsFor(args[0]); len(found) > 0 {
				hint = "; did you mean " + strings.Join(found, " or ") + "?"
			}
			return console.Usage(fmt.Errorf("%.40q is not a command of touchline tcm: want send or recv%s", args[0], hint))
		},
		RunE: func(*cobra.Command, []string) error {
			return console.Usage(errors.New("name what to do: touchline tcm send FILE --to robot:3, or touchline tcm recv --as robot:3"))
		},
	}
	c.AddCommand(sendCommand(), receiveCommand())
	return c
}

// endpointFlags are the flags of an endpoint of the TCM.
type endpointFlags struct {
	as, ini, key   string
	address, iface string
	json           bool
}

func (f *endpointFlags) add(flags *pflag.FlagSet, self string) {
	flags.StringVar(&f.as, "as", self, "the robot or computer that this command acts as, for example robot:3")
	flags.StringVar(&f.ini, "ini", "",
		"TCM.ini with the team's addresses (default: robot:1 to robot:6 and computer:1, computer:2 on this machine)")
	flags.StringVar(&f.key, "key", "", "file with the team's key, at least 16 bytes (default: the file that TCM.ini names)")
	flags.StringVar(&f.address, "address", "127.0.0.1:0",
		"own address and base port if TCM.ini says any; port 0: free ports")
	flags.StringVar(&f.iface, "interface", "",
		"network interface for multicast, for example eth0 (default: the interface with the own address)")
	flags.BoolVar(&f.json, "json", false, "print events as JSON, one per line")
	console.Accept(flags, "one robot or computer, for example robot:3 or computer:1", "as")
}

// config returns the endpoint of the flags.
func (f *endpointFlags) config() (teamcomnet.Config, error) {
	self, err := tcm.ParseEntity(f.as)
	if err != nil || self.ID == 0 {
		return teamcomnet.Config{}, console.Usage(fmt.Errorf("--as %.40s: want one robot or computer, for example robot:3", f.as))
	}
	cfg := teamcomnet.DefaultConfig(self)
	cfg.Ini, cfg.Key, cfg.Interface = f.ini, f.key, f.iface
	if cfg.Address, err = netip.ParseAddrPort(f.address); err != nil {
		return cfg, console.Usage(fmt.Errorf("--address %.60s: want an address and a base port, for example 192.168.1.13:23000",
			f.address))

	}
	return cfg, nil
}

// serve runs an endpoint while work runs.
func serve(ctx context.Context, e *teamcomnet.Endpoint, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return e.Run(ctx) })
	group.Go(func() error {
		defer cancel()
		return work(ctx)
	})
	return group.Wait()
}

// warnDrops logs what the system dropped, which explains missing messages.
func warnDrops(log *slog.Logger, e *teamcomnet.Endpoint) {
	received, sent := e.Drops()
	if received > 0 {
		log.Warn("datagrams arrived faster than this machine read them: the sender needs a lower --rate", "dropped", received)
	}
	if sent > 0 {
		log.Warn("the system did not send some datagrams: choose a lower --rate", "dropped", sent)
	}
}

// printer prints the events of a transfer.
type printer struct {
	out, errs io.Writer
	json      bool
	progress  time.Time // of the newest progress
}

// event prints an event: as JSON, or its text.
func (p *printer) event(v any, text string) error {
	if p.json {
		return console.JSONEncoder(p.out).Encode(v)
	}
	_, err := fmt.Fprintln(p.out, text)
	return err
}

// progressEvery is the time between two lines of progress.
const progressEvery = time.Second

// due reports whether the next line of progress is due.
func (p *printer) due(now time.Time) bool {
	if p.progress.IsZero() {
		p.progress = now // the first line follows after progressEvery
	}
	if now.Sub(p.progress) < progressEvery {
		return false
	}
	p.progress = now
	return true
}

// progressEvent is the JSON of a transfer that is under way.
type progressEvent struct {
	Event string `json:"event"` // "progress"
	Peer  string `json:"peer"`
	File  string `json:"file"`
	Bytes uint64 `json:"bytes"` // so far
	Size  uint64 `json:"size"`
}

func (p *printer) printProgress(v progressEvent) {
	v.Event = "progress"
	if p.json {
		_ = console.JSONEncoder(p.out).Encode(v) // a broken pipe shows at the end
		return
	}
	fmt.Fprintf(p.errs, "%s: %.0f %% of %s\n", v.File, 100*float64(v.Bytes)/float64(max(v.Size, 1)), sizeText(v.Size))
}

// sizeText returns a number of bytes for people.
func sizeText(n uint64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// fileOptions are the options of messages with files.
func fileOptions(parity int) teamcom.Options {
	options := teamcom.DefaultOptions(tcm.File)
	options.Partial, options.Parity = false, uint8(parity)
	return options
}

// sendFlags are the flags of tcm send.
type sendFlags struct {
	endpointFlags
	to     string
	rate   float64
	parity int
}

func sendCommand() *cobra.Command {
	var f sendFlags
	c := &cobra.Command{
		Use:   "send FILE --to robot:3",
		Short: "Send a file to a robot or computer, or to all of them",
		Long: `Send sends a file of any size to robots or computers that run "touchline tcm recv". The TCM has no
acknowledgements, so send does not know whether the file arrived complete; the receiver checks that and reports what
is missing. A lower --rate makes loss rarer, and --parity repairs it: with 4, one of every 5 datagrams may be lost.

Without --ini both commands use addresses on this machine (docs/teamcom.md lists them). The exit code is 1 if the file
could not be sent to the end.`,
		Example: `  touchline tcm send match.mcap --to robot:3
  touchline tcm send colours.cfg --to robots --ini TCM.ini --as computer:1
  touchline tcm send match.mcap --to robot:3 --rate 50 --parity 0 --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usage(fmt.Errorf("send takes one file, but %d are given: touchline tcm send FILE --to robot:3", len(args)))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return runSend(c, &f, args[0]) },
	}
	flags := c.Flags()
	flags.StringVar(&f.to, "to", "", "destination: robot:3, computer:1, robots (all) or computers (all) (required)")
	f.add(flags, "computer:1")
	flags.Float64Var(&f.rate, "rate", 2, "data rate in MB/s, 0.001 to 10000, all copies counted; 2 suits a shared Wi-Fi")
	flags.IntVar(&f.parity, "parity", 4, "send one parity datagram per this many datagrams, 1 to 255; 0: none")
	console.Accept(flags, "a robot or computer, robots or computers, for example robot:3", "to")
	console.Accept(flags, "MB a second from 0.001 to 10000, for example 2", "rate")
	console.Accept(flags, "a whole number from 0 (none) to 255, for example 4", "parity")
	return c
}

// config returns the endpoint and the destination of the flags.
func (f *sendFlags) config() (cfg teamcomnet.Config, to tcm.Entity, err error) {
	if f.to == "" {
		return cfg, to, console.Usage(errors.New("--to is missing: want a robot or computer, for example --to robot:3"))
	}
	if to, err = tcm.ParseEntity(f.to); err != nil {
		return cfg, to, console.Usage(fmt.Errorf("--to %.40s: want robot:1 to robot:255, computer:1 to computer:255, robots or computers",
			f.to))

	}
	if !(f.rate >= 0.001 && f.rate <= 10_000) {
		return cfg, to, console.Usage(fmt.Errorf("--rate %v: want MB a second from 0.001 to 10000, for example 2", f.rate))
	}
	if f.parity < 0 || f.parity > 255 {
		return cfg, to, console.Usage(fmt.Errorf("--parity %d: want 0 (none) to 255, for example 4", f.parity))
	}
	if cfg, err = f.endpointFlags.config(); err != nil {
		return cfg, to, err
	}
	cfg.Node.Budget[tcm.Bulk] = int(f.rate * 1e6)
	cfg.Node.Types = map[tcm.Type]teamcom.Options{tcm.File: fileOptions(f.parity)}
	return cfg, to, nil
}

// sentEvent is the JSON of a file that was sent.
type sentEvent struct {
	Event    string  `json:"event"` // "sent"
	To       string  `json:"to"`
	File     string  `json:"file"`
	Bytes    uint64  `json:"bytes"`
	Messages uint32  `json:"messages"`
	SHA256   string  `json:"sha256"`
	Seconds  float64 `json:"seconds"`
	Answered bool    `json:"answered"` // a datagram of the destination arrived: it runs
}

func runSend(c *cobra.Command, f *sendFlags, path string) error {
	cfg, to, err := f.config()
	if err != nil {
		return err
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	file, err := teamcomnet.OpenFile(path, binary.LittleEndian.Uint64(id[:]))
	if err != nil {
		return console.Usage(err)
	}
	defer file.Close()
	log := console.Logger(c.ErrOrStderr())
	e, err := teamcomnet.Open(cfg, log)
	if err != nil {
		return console.Usage(err)
	}
	sum := file.Sum()
	sent := sentEvent{Event: "sent", To: to.String(), File: wire.Printable(file.Name()), Bytes: file.Size(),
		Messages: file.Chunks(), SHA256: hex.EncodeToString(sum[:])}
	p := printer{out: c.OutOrStdout(), errs: c.ErrOrStderr(), json: f.json}
	err = serve(c.Context(), e, func(ctx context.Context) error {
		began := time.Now()
		err := e.SendFile(ctx, to, file, func(bytes uint64) {
			if p.due(time.Now()) {
				p.printProgress(progressEvent{Peer: sent.To, File: sent.File, Bytes: bytes, Size: sent.Bytes})
			}
		})
		sent.Seconds = time.Since(began).Seconds()
		sent.Answered = err == nil && answered(ctx, e, to)
		return err
	})
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: %s was not sent completely", sent.File)
	}
	if err != nil {
		return err
	}
	warnDrops(log, e)
	if !sent.Answered {
		log.Warn("no robot or computer at the destination answered: is touchline tcm recv running there?", "to", sent.To)
	}
	return p.event(sent, fmt.Sprintf("%s sent to %s: %s in %.1f s, SHA-256 %s", sent.File, sent.To, sizeText(sent.Bytes),
		sent.Seconds, sent.SHA256))
}

// answerTime is how long send waits for the first datagram of its destination.
const answerTime = time.Second

// answered waits for a datagram of a destination, and reports whether there was one.
func answered(ctx context.Context, e *teamcomnet.Endpoint, to tcm.Entity) bool {
	for end := time.Now().Add(answerTime); ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		for _, link := range e.Report(e.Now()).Links {
			peer, err := tcm.ParseEntity(link.Peer)
			if err == nil && link.Received > 0 && (peer == to || to.ID == 0 && peer.Kind == to.Kind) {
				return true
			}
		}
		if time.Now().After(end) {
			break
		}
	}
	return false
}

// receiveFlags are the flags of tcm recv.
type receiveFlags struct {
	endpointFlags
	files    teamcomnet.FilesConfig
	count    int
	duration time.Duration
}

func receiveCommand() *cobra.Command {
	f := receiveFlags{files: teamcomnet.DefaultFilesConfig()}
	c := &cobra.Command{
		Use:   "recv",
		Short: "Receive files from touchline tcm send",
		Long: `Recv waits for a file, stores it in --dir under the name that the sender gave it (without folders), and
stops. It stores only complete files with the right checksum. If a file is incomplete, recv reports the missing bytes
and keeps nothing; if a file of that name exists, recv refuses the new one unless --force is given.

The exit code is 0 if every file arrived complete, and 1 if one did not or no file came.`,
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

// maxMissing is the most missing ranges of a file that its JSON lists.
const maxMissing = 100

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
	Lost     uint32             `json:"lost"`                  // messages
	Missing  []teamcomnet.Range `json:"missing,omitempty"`     // the first maxMissing
	More     int                `json:"moreMissing,omitempty"` // ranges that are missing, too
	Reason   string             `json:"reason,omitempty"`      // why a file is not stored
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
func (r *receiver) done(result *teamcomnet.FileResult) {
	v := receivedEvent{
		Event: "received", From: result.From.String(), File: wire.Printable(result.Name), Path: result.Path,
		Bytes: result.Size, Messages: result.Chunks, SHA256: hex.EncodeToString(result.Sum[:]),
		Seconds: result.Took.Seconds(), Missing: result.Missing[:min(len(result.Missing), maxMissing)],
		More: max(len(result.Missing)-maxMissing, 0),
	}
	text := fmt.Sprintf("%s from %s: %s in %.1f s, checksum verified, stored as %s", v.File, v.From, sizeText(v.Bytes),
		v.Seconds, wire.Printable(v.Path))
	if result.Err != nil {
		v.Event, v.Reason = "refused", console.Plain(result.Err.Error())
		text = fmt.Sprintf("%s from %s is not stored: %s", v.File, v.From, v.Reason)
		if errors.Is(result.Err, teamcomnet.ErrIncomplete) {
			v.Event, v.Lost = "incomplete", result.Chunks-result.Received
			text += fmt.Sprintf(": %d of %d messages are missing, bytes %s", v.Lost, v.Messages, rangesText(result.Missing))
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
