package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/monitor"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	page       pageFlags
	to, iface  string
	from       []string
	speed      float64
	home, away int
	json       bool
	duration   time.Duration
}

func replayCommand() *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay FILE...",
		Short: "View or retransmit a log",
		Long: `Replay shows logs on a page, with a timeline of the events and the beliefs of both teams at each time.

With --to it retransmits one log with its original timing. The datagrams of a recording go to a multicast group, on the
loopback interface unless --interface names another one, or to an address: those that were sent to this address originally,
or all of them if none was. The messages of the teams in a match log go to a referee box over TCP, as from two base stations.
Each waits until the referee admits it. To a referee box on this machine it connects from 127.0.0.T: touchline refbox
identifies team T by this address, and RefBox 2.1 admits it as localhost. --from gives other own addresses.

Times (--from) are MM:SS since the start of the log, 90s, a date such as 2026-07-03T15:50:14Z, or ms since 1970.`,
		Example: `  touchline replay match.zip
  touchline replay practice.mcap --to 224.16.32.75:2005 --speed 2
  touchline replay match.zip --to 127.0.0.1:28097 --home 63 --away 67 --from 12:41
  touchline replay match.zip --to 172.16.1.2:28097 --from 172.16.63.10,172.16.67.10`,
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel, err := limited(c.Context(), f.duration)
			if err != nil {
				return err
			}
			defer cancel()
			if f.to == "" {
				return f.show(ctx, c, args)
			}
			return f.send(ctx, c, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.to, "to", "", "retransmit to this ADDRESS:PORT, a multicast group or a referee box; no page")
	flags.StringVar(&f.iface, "interface", "", "network interface for a multicast group (default: loopback)")
	flags.Float64Var(&f.speed, "speed", 1, "with --to: speed, 0.1 to 64 times the original")
	flags.StringSliceVar(&f.from, "from", nil, "with --to: start time, for example 12:41; with --to a referee box also the "+
		"own address to connect from, for example 172.16.63.10, or one for each team, 172.16.63.10,172.16.67.10")
	flags.IntVar(&f.home, "home", 0, "with --to a referee box: number of the home team (default: from the log)")
	flags.IntVar(&f.away, "away", 0, "with --to a referee box: number of the away team (default: from the log)")
	flags.BoolVar(&f.json, "json", false, "print addresses and results as JSON")
	addDuration(flags, &f.duration)
	accept(flags, "the number of a team, 1 to 254, for example 39", "home", "away")
	accept(flags, "a factor from 0.1 to 64, for example 2", "speed")
	f.page.add(flags)
	return c
}

// show serves the page until the context ends.
func (f *replayFlags) show(ctx context.Context, c *cobra.Command, args []string) error {
	for _, name := range []string{"speed", "from", "interface", "home", "away"} {
		if c.Flags().Changed(name) {
			return exitError{2, fmt.Errorf("--%s requires --to; on the page use the keys, ? shows them", name)}
		}
	}
	if len(args) == 0 {
		return exitError{2, errors.New("FILE is required, for example touchline replay match.zip")}
	}
	for _, name := range args {
		l, err := matchlog.Open(name)
		if err != nil {
			return exitError{2, err}
		}
		start := l.Info().Start
		l.Close()
		if start == 0 {
			return exitError{2, fmt.Errorf("%s contains no message with a timestamp: check it with touchline check", name)}
		}
	}
	shelf := &matchlognet.Shelf{Files: args}
	defer shelf.Close()
	cfg := monitor.DefaultConfig()
	cfg.Handlers, cfg.Pages = shelf.Handlers(), []string{"log"}
	page, err := f.page.open(cfg)
	if err != nil {
		return err
	}
	url := page.url + "log#" + filepath.Base(args[0])
	if f.json {
		err = printJSON(c, map[string]string{"page": url})
	} else {
		_, err = fmt.Fprintln(c.OutOrStdout(), "log:", url)
	}
	if err != nil {
		page.listener.Close()
		return err
	}
	return page.serve(ctx)
}

// replayed is the result of a retransmission.
type replayed struct {
	Messages uint64  `json:"messages"`
	Bytes    uint64  `json:"bytes"`
	Seconds  float64 `json:"seconds"`
	Late     float64 `json:"late"` // s: largest delay
}

// send retransmits a log.
func (f *replayFlags) send(ctx context.Context, c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return exitError{2, errors.New("--to retransmits one log: give one FILE")}
	}
	if !(f.speed >= 0.1 && f.speed <= 64) {
		return exitError{2, fmt.Errorf("--speed %g: want 0.1 to 64", f.speed)}
	}
	if c.Flags().Changed("http") {
		return exitError{2, errors.New("--http serves the page, and --to shows none: leave out one of them")}
	}
	to := f.to
	if _, _, err := net.SplitHostPort(to); err != nil {
		if a, err := netip.ParseAddr(to); err == nil && a.IsMulticast() {
			return exitError{2, fmt.Errorf("--to %s: the port is missing, for example %s", to, mixedteam.Group)}
		}
		to = net.JoinHostPort(to, strconv.Itoa(msl.Port))
	}
	l, err := openLog(args[0])
	if err != nil {
		return err
	}
	defer l.Close()
	start := l.Info().Start
	begin, own, err := f.origin()
	if err != nil {
		return err
	}
	from, err := parseTime("--from", begin, start, start)
	if err != nil {
		return err
	}
	var packets, messages uint64
	for _, ch := range l.Info().Channels {
		switch ch.Name {
		case matchlog.Packets:
			packets += ch.Count
		case matchlog.Home, matchlog.Away:
			messages += ch.Count
		}
	}
	group, _ := netip.ParseAddrPort(to)
	var r replayed
	switch {
	case group.Addr().IsMulticast() && packets == 0, packets+messages == 0:
		return exitError{2, fmt.Errorf("%s has nothing to send to %s: it contains %d datagrams and %d messages of teams",
			args[0], to, packets, messages)}
	case packets > 0 && (messages == 0 || group.Addr().IsMulticast()):
		r, err = f.sendPackets(ctx, l, from, to, group)
	default:
		r, err = f.sendMatch(ctx, c, l, from, to, own)
	}
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if f.json {
		return printJSON(c, r)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "sent %s, %.1f MB in %.1f s\n",
		count(r.Messages, "message"), float64(r.Bytes)/1e6, r.Seconds)
	return err
}

// leftOut is returned by a sender for a message that it does not send.
const leftOut = -1

// pace calls send with each message of the channels when it is due. The first one is due at once.
func (f *replayFlags) pace(ctx context.Context, l *matchlog.Log, from soccer.Time, send func(*matchlog.Message) (int, error), channels ...string) (r replayed, err error) {
	start := time.Now()
	defer func() { r.Seconds = time.Since(start).Seconds() }()
	var first soccer.Time
	timer := time.NewTimer(0)
	defer timer.Stop()
	for m, err := range l.Messages(from, 0, channels...) {
		if err != nil {
			return r, err
		}
		if r.Messages == 0 {
			first = m.Time
		}
		due := time.Duration(float64(m.Time.Sub(first)) / f.speed)
		timer.Reset(due - time.Since(start))
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-timer.C:
		}
		n, err := send(&m)
		if err != nil {
			return r, err
		}
		if n == leftOut {
			continue
		}
		r.Messages, r.Bytes, r.Late = r.Messages+1, r.Bytes+uint64(n), max(r.Late, (time.Since(start)-due).Seconds())
	}
	return r, nil
}

// sendPackets retransmits the datagrams of a recording.
func (f *replayFlags) sendPackets(ctx context.Context, l *matchlog.Log, from soccer.Time, to string, group netip.AddrPort) (replayed, error) {
	var write func([]byte) error
	if group.Addr().IsMulticast() {
		cfg := transport.DefaultConfig(group)
		cfg.Interface = f.iface
		s, err := transport.Dial(cfg)
		if err != nil {
			return replayed{}, exitError{2, err}
		}
		defer s.Close()
		write = s.Send
	} else {
		conn, err := net.Dial("udp", to)
		if err != nil {
			return replayed{}, exitError{2, fmt.Errorf("--to %s: %w", f.to, err)}
		}
		defer conn.Close()
		write = func(b []byte) error {
			if _, err := conn.Write(b); err != nil && !errors.Is(err, syscall.ECONNREFUSED) { // no program listens yet
				return err
			}
			return nil
		}
	}
	only, err := sentTo(l, to)
	if err != nil {
		return replayed{}, err
	}
	return f.pace(ctx, l, from, func(m *matchlog.Message) (int, error) {
		p, err := matchlog.ParsePacket(*m)
		if err != nil {
			return 0, err
		}
		if only && p.Channel != to {
			return leftOut, nil
		}
		return len(p.Data), write(p.Data)
	}, matchlog.Packets)
}

// sentTo reports whether a log contains datagrams that were sent to an address. Then the others are left out, for
// example a simulator's commands when its vision is retransmitted.
func sentTo(l *matchlog.Log, to string) (bool, error) {
	for m, err := range l.Messages(0, 0, matchlog.Packets) {
		if err != nil {
			return false, err
		}
		if p, err := matchlog.ParsePacket(m); err == nil && p.Channel == to {
			return true, nil
		}
	}
	return false, nil
}
