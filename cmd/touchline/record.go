package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"touchline/matchlog"
	"touchline/soccer"
	"touchline/transport"
)

func recordCommand() *cobra.Command {
	var n networkFlags
	var path string
	var duration time.Duration
	var asJSON bool
	c := &cobra.Command{
		Use:   "record",
		Short: "Record the packets of a multicast group into a log",
		Long: `Record writes every datagram of a multicast group into a new log, with its time of arrival and its sender, until Ctrl-C.
A datagram is in the file as soon as it arrived: a program that is killed loses nothing of it.

The live commands record what they receive themselves, see their --record.`,
		Example: `  touchline record
  touchline record --interface eth0 --group 224.16.32.75:2005 -o practice.mcap
  touchline replay practice.mcap --to 224.16.32.75:2005`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exitError{2, fmt.Errorf("record takes no argument %q: name the new log with -o", args[0])}
			}
			ctx, cancel, err := limited(c.Context(), duration)
			if err != nil {
				return err
			}
			defer cancel()
			cfg, err := n.config()
			if err != nil {
				return exitError{2, err}
			}
			if path == "" {
				path = matchlog.LogName(soccer.Time(time.Now().UnixNano()))
			}
			return record(ctx, c, cfg, path, asJSON)
		},
	}
	flags := c.Flags()
	n.add(flags, false)
	flags.StringVarP(&path, "out", "o", "", "the new log (default: named by date and time, in this folder)")
	flags.DurationVar(&duration, "duration", 0, "stop after this time (default: at Ctrl-C)")
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// recorded is the result of a recording.
type recorded struct {
	File    string `json:"file"`
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`   // of the packets
	Dropped uint64 `json:"dropped"` // by this machine before they were read
	Lost    uint64 `json:"lost"`    // received, but not written: the disk is full or too slow
}

// record records until the context ends.
func record(ctx context.Context, c *cobra.Command, cfg transport.Config, path string, asJSON bool) error {
	receiver, err := transport.Listen(cfg)
	if err != nil {
		return exitError{2, err}
	}
	defer receiver.Close()
	w, err := matchlog.Create(path, nil)
	if err != nil {
		return exitError{2, fmt.Errorf("%w; name another file with -o", err)}
	}
	errs := c.ErrOrStderr()
	log := newRecording(path, w, logger(errs))
	fmt.Fprintf(errs, "recording %s into %s; stop with Ctrl-C\n", cfg.Group, path)
	got := recorded{File: path}
	show := func() {
		h := log.Health()
		fmt.Fprintf(errs, "\r%s, %.1f MB, %d dropped, %d not written  ", count(got.Packets-h.Dropped, "packet"), float64(got.Bytes)/1e6, receiver.Drops(), h.Dropped)
	}
	read := receiveUntil(ctx, receiver, show, func(p *soccer.Packet) {
		got.Packets, got.Bytes = got.Packets+1, got.Bytes+uint64(len(p.Data))
		log.Packet(p)
	})
	fmt.Fprintln(errs)
	gaps := log.Close()
	got.Lost, got.Dropped = log.Health().Dropped, receiver.Drops()
	got.Packets -= got.Lost
	if asJSON {
		err = printJSON(c, got)
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s, %.1f MB, %d dropped by this machine\n", path, count(got.Packets, "packet"), float64(got.Bytes)/1e6, got.Dropped)
	}
	return errors.Join(read, gaps, err)
}

// receiveUntil calls receive with each packet until the context ends, and progress about once a second. It closes the
// receiver.
func receiveUntil(ctx context.Context, receiver *transport.Receiver, progress func(), receive func(*soccer.Packet)) error {
	stop := context.AfterFunc(ctx, func() { receiver.Close() })
	defer stop()
	shown := time.Now()
	for buf := make([]byte, transport.MaxDatagram); ; {
		if err := receiver.SetReadDeadline(time.Now().Add(time.Second)); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		p, err := receiver.ReadPacket(buf)
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err == nil:
			receive(&p)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return err
		}
		if time.Since(shown) >= time.Second {
			shown = time.Now()
			progress()
		}
	}
}
