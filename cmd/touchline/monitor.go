package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/monitor"
	"touchline/transport"
	"touchline/watch"
	"touchline/watch/watchnet"
)

func monitorCommand() *cobra.Command {
	var (
		page     pageFlags
		network  networkFlags
		field    fieldFlag
		record   recordFlag
		duration time.Duration
	)
	c := &cobra.Command{
		Use:   "monitor",
		Short: "Show what real robots send",
		Long: `Monitor is the page alone, on whatever robots send on the mixed team group: a tile for each sender with what its
packets say, one picture fused from all of them, and the network by sender. It sends nothing but the membership of the
group. On a venue's network name the interface that is plugged into it.`,
		Example: `  touchline monitor --interface eth0
  touchline monitor --interface wlan0 --field 22x14 --http 127.0.0.1:9000`,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel, err := limited(c.Context(), duration)
			if err != nil {
				return err
			}
			defer cancel()
			return runMonitor(ctx, c, &page, &network, &field, &record)
		},
	}
	network.add(c.Flags(), false)
	field.add(c.Flags())
	record.add(c.Flags())
	page.add(c.Flags())
	c.Flags().DurationVar(&duration, "duration", 0, "end after so long (default: at Ctrl-C)")
	return c
}

func runMonitor(ctx context.Context, c *cobra.Command, pf *pageFlags, nf *networkFlags, ff *fieldFlag, rf *recordFlag) (err error) {
	field, err := ff.field()
	if err != nil {
		return err
	}
	network, err := nf.config()
	if err != nil {
		return exitError{2, err}
	}
	receiver, err := transport.Listen(network)
	if err != nil {
		return exitError{2, err}
	}
	defer receiver.Close()
	cfg := monitor.DefaultConfig()
	cfg.Pages = []string{"wall", "network"}
	page, err := pf.open(cfg)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "monitor of %s: %s\n", network.Group, page.url); err != nil {
		return fmt.Errorf("the page's address cannot be printed: %w", err)
	}
	log := logger(c.ErrOrStderr())
	record, err := rf.open(log, nil)
	if err != nil {
		page.listener.Close()
		return err
	}
	defer func() { err = errors.Join(err, record.close()) }()
	receiver.Tap = record.packet
	m := watchnet.New(watchnet.Config{
		Network: network, Field: field, Flags: keep(c, "group", "field", "http"),
	}, receiver, log)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return page.serve(ctx) })
	page.publish(ctx, group, wallTopics(m)...)
	record.snapshots(topic{"wall", watch.WallPeriod, m.Wall})
	group.Go(func() error { return m.Run(ctx) })
	return group.Wait()
}
