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
		Short: "Record what is said on the network into a log",
		Long: `Record writes every datagram of a multicast group into a log, with the time at which it arrived and who sent it, until
Ctrl-C. What was heard is in the file at once: a program that is killed loses nothing of it.`,
		Example: `  touchline record
  touchline record --interface eth0 --group 224.16.32.75:2005 -o practice.mcap
  touchline replay practice.mcap --to 224.16.32.75:2005`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exitError{2, fmt.Errorf("%q: record takes no file but with -o", args[0])}
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
	flags.StringVarP(&path, "out", "o", "", "the new log (default: by date and time, in this folder)")
	flags.DurationVar(&duration, "duration", 0, "end after so long (default: at Ctrl-C)")
	flags.BoolVar(&asJSON, "json", false, "print what was recorded as JSON")
	return c
}

// recorded is what came of a recording.
type recorded struct {
	File    string `json:"file"`
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`   // of the packets
	Dropped uint64 `json:"dropped"` // lost in this machine before they were read
	Lost    uint64 `json:"lost"`    // that could not be written
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
	stop := context.AfterFunc(ctx, func() { receiver.Close() })
	defer stop()
	fmt.Fprintf(c.ErrOrStderr(), "recording %s into %s; Ctrl-C ends it\n", cfg.Group, path)
	got := recorded{File: path}
	var trouble error
	shown := time.Now()
	buf, text := make([]byte, transport.MaxDatagram), []byte(nil)
	for {
		if err := receiver.SetReadDeadline(time.Now().Add(time.Second)); err != nil && !errors.Is(err, net.ErrClosed) {
			return errors.Join(err, w.Close())
		}
		p, err := receiver.ReadPacket(buf)
		if errors.Is(err, net.ErrClosed) {
			break
		}
		if err == nil {
			text = matchlog.AppendPacket(text[:0], &p)
			if err := w.Write(matchlog.Message{Time: p.Time, Channel: matchlog.Packets, Data: text}); err != nil {
				got.Lost, trouble = got.Lost+1, err
			} else {
				got.Packets, got.Bytes = got.Packets+1, got.Bytes+uint64(len(p.Data))
			}
		} else if !errors.Is(err, os.ErrDeadlineExceeded) {
			return errors.Join(err, w.Close())
		}
		if time.Since(shown) >= time.Second {
			shown = time.Now()
			fmt.Fprintf(c.ErrOrStderr(), "\r%s, %.1f MB, %d dropped, %d not written  ", count(got.Packets, "packet"), float64(got.Bytes)/1e6, receiver.Drops(), got.Lost)
		}
	}
	got.Dropped = receiver.Drops()
	fmt.Fprintln(c.ErrOrStderr())
	if err := w.Close(); err != nil {
		return err
	}
	if asJSON {
		err = printJSON(c, got)
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s, %.1f MB, %d dropped by this machine\n", path, count(got.Packets, "packet"), float64(got.Bytes)/1e6, got.Dropped)
	}
	if got.Lost > 0 {
		return fmt.Errorf("%s could not be written: %w", count(got.Lost, "packet"), trouble)
	}
	return err
}
