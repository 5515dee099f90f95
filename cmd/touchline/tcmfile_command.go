// Package tcmfile is the command tcm: it sends and receives files over the team communication module.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/internal/console"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
)

// tcmCommand returns the command tcm.
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
	flags.StringVar(&f.as, "as", self, "the robot or computer that this command is, for example robot:3")
	flags.StringVar(&f.ini, "ini", "",
		"TCM.ini with the team's addresses (default: robot:1 to robot:6 and computer:1, computer:2 on this machine)")
	flags.StringVar(&f.key, "key", "", "file with the team's key, at least 16 bytes (default: the one that TCM.ini names)")
	flags.StringVar(&f.address, "address", "127.0.0.1:0",
		"own address and base port where TCM.ini says any; port 0: available ones")
	flags.StringVar(&f.iface, "interface", "",
		"network interface of multicast groups, for example eth0 (default: the one that has the own address)")
	flags.BoolVar(&f.json, "json", false, "print events as JSON, one a line")
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
