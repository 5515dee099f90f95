package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire"
	"touchline/wire/tcm"
)

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
		Long: `Send sends a file of any size to robots or computers that run "touchline tcm recv". The TCM has no acknowledgements:
send does not learn whether the file arrived whole; the receiver checks that and reports what is missing. Loss becomes
rarer with a lower --rate, and --parity repairs it: with 4, every group of 5 datagrams may lose one.

Without --ini both commands use addresses of this machine (docs/teamcom.md lists them). The exit code is 1 if the file was
not sent to its end.`,
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
	flags.Float64Var(&f.rate, "rate", 2, "MB a second that leave, 0.001 to 10000, all copies counted; 2 suits a shared Wi-Fi")
	flags.IntVar(&f.parity, "parity", 4, "one parity datagram for this many datagrams, 1 to 255; 0: none")
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
	file, err := teamcomnet.TransferOpen(path, binary.LittleEndian.Uint64(id[:]))
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
		return fmt.Errorf("interrupted: %s did not leave whole", sent.File)
	}
	if err != nil {
		return err
	}
	warnDrops(log, e)
	if !sent.Answered {
		log.Warn("no robot or computer of the destination answered: does it run, for example touchline tcm recv?", "to", sent.To)
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
