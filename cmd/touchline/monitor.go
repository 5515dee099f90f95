package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"touchline/matchlog"
	"touchline/monitor"
	"touchline/transport"
	"touchline/transport/listen"
	"touchline/watch/watchnet"
)

// monitorFlags are the flags of the monitor.
type monitorFlags struct {
	page     pageFlags
	network  networkFlags
	field    fieldFlag
	record   recordFlag
	duration time.Duration
}

func monitorCommand() *cobra.Command {
	var f monitorFlags
	c := &cobra.Command{
		Use:   "monitor",
		Short: "Show what robots on the network send",
		Long: `Monitor shows the packets of the mixed teams' multicast group: a tile for each sender with the contents of its
packets, the fusion of all of them, and the network load by sender. It joins the group and sends no packets. At a venue,
name the interface of its network with --interface.`,
		Example: `  touchline monitor --interface eth0
  touchline monitor --interface wlan0 --field 22x14 --http 127.0.0.1:9000
  touchline monitor --interface eth0 --record practice.mcap`,
		RunE: func(c *cobra.Command, _ []string) error { return runMonitor(c, &f) },
	}
	flags := c.Flags()
	f.network.add(flags, false)
	f.field.add(flags)
	f.record.add(flags)
	f.page.add(flags)
	addDuration(flags, &f.duration)
	return c
}

func runMonitor(c *cobra.Command, f *monitorFlags) (err error) {
	ctx, cancel, err := limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	cfg, err := f.config(c)
	if err != nil {
		return err
	}
	receiver, err := transport.Listen(cfg.Network)
	if err != nil {
		return exitError{2, err}
	}
	defer receiver.Close()
	log := logger(c.ErrOrStderr())
	tape, err := f.record.tape(log, map[string]string{matchlog.MetaSize: f.field.name})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.record.stop(tape)) }()
	pages := monitor.DefaultConfig()
	pages.Pages = []string{"wall", "network"}
	token := ""
	if f.page.beyondLoopback() {
		token = rand.Text()
		pages.Guard = monitor.NewGuard(token, listen.Trust)
	}
	page, err := f.page.open(f.page.withTape(pages, tape))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("monitor of %s: %s\n", cfg.Network.Group, page.url)
	if token != "" {
		text += fmt.Sprintf("to record from the page: %s#token=%s\n", page.url, token)
	}
	if _, err := io.WriteString(c.OutOrStdout(), text); err != nil {
		page.listener.Close()
		return fmt.Errorf("the page's address cannot be printed: %w", err)
	}
	receiver.Tap = tape.Packet
	m := watchnet.New(cfg, receiver, log)
	return page.run(ctx, taped(m, tape, m.Run), append(wallTopics(m), tapeTopics(tape)...)...)
}

// config converts the flags.
func (f *monitorFlags) config(c *cobra.Command) (watchnet.Config, error) {
	cfg := watchnet.DefaultConfig()
	cfg.Flags = given(c, "group", "field", "http")
	var err error
	if cfg.Field, err = f.field.field(); err != nil {
		return cfg, err
	}
	if cfg.Network, err = f.network.config(); err != nil {
		return cfg, exitError{2, err}
	}
	return cfg, nil
}
