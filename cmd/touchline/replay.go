package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/monitor"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

// replayFlags is what replay can be told.
type replayFlags struct {
	page       pageFlags
	to, iface  string
	from       string
	speed      float64
	home, away int
	json       bool
	duration   time.Duration
}

func replayCommand() *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Show a log on a page, or put it back on the wire",
		Long: `Replay shows logs on a page: a timeline with what happened, and what both teams believed at each moment.

With --to it puts one log back on the wire instead, with its own pauses. A recording's datagrams go to a multicast group, on
loopback where no --interface is named, or to an address. What two teams said in a match goes by TCP to a referee box, as
two base stations: each waits until the referee has accepted it, and on this machine calls from 127.0.T.1, by which the box
knows team T.

Moments (--from) are MM:SS since the log began, a time such as 90s, a date like 2026-07-03T15:50:14Z, or ms since 1970.`,
		Example: `  touchline replay match.zip
  touchline replay practice.mcap --to 224.16.32.75:2005 --speed 2
  touchline replay match.zip --to 127.0.0.1:28097 --home 63 --away 67 --from 12:41`,
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
	flags.StringVar(&f.to, "to", "", "send to this ADDRESS:PORT, a multicast group or a referee box, instead of showing a page")
	flags.StringVar(&f.iface, "interface", "", "network interface for a multicast group (default: loopback)")
	flags.Float64Var(&f.speed, "speed", 1, "0.1 to 64 times as fast as it was, with --to")
	flags.StringVar(&f.from, "from", "", "where to begin, with --to, for example 12:41")
	flags.IntVar(&f.home, "home", 0, "the home team's number, with --to a referee box (default: as the log says)")
	flags.IntVar(&f.away, "away", 0, "the away team's")
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
			return exitError{2, fmt.Errorf("--%s goes with --to; on the page there are keys for that, ? shows them", name)}
		}
	}
	if len(args) == 0 {
		return exitError{2, errors.New("name a FILE, for example touchline replay match.zip")}
	}
	for _, name := range args {
		l, err := matchlog.Open(name)
		if err != nil {
			return exitError{2, err}
		}
		l.Close()
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

// replayed is what was put back on the wire.
type replayed struct {
	Messages uint64  `json:"messages"`
	Bytes    uint64  `json:"bytes"`
	Seconds  float64 `json:"seconds"`
	Late     float64 `json:"late"` // s: how late the latest was
}

// send puts a log back on the wire.
func (f *replayFlags) send(ctx context.Context, c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return exitError{2, errors.New("--to sends one log: name one FILE")}
	}
	if !(f.speed >= 0.1 && f.speed <= 64) {
		return exitError{2, fmt.Errorf("--speed %g: 0.1 to 64", f.speed)}
	}
	if c.Flags().Changed("http") {
		return exitError{2, errors.New("--http is of the page, and --to shows none")}
	}
	to := f.to
	if _, _, err := net.SplitHostPort(to); err != nil {
		if a, err := netip.ParseAddr(to); err == nil && a.IsMulticast() {
			return exitError{2, fmt.Errorf("--to %s: name a port, too, for example %s", to, mixedteam.Group)}
		}
		to = net.JoinHostPort(to, strconv.Itoa(msl.Port))
	}
	l, err := openLog(args[0])
	if err != nil {
		return err
	}
	defer l.Close()
	start := l.Info().Start
	from, err := parseMoment("--from", f.from, start, start)
	if err != nil {
		return err
	}
	var packets, said uint64
	for _, ch := range l.Info().Channels {
		switch ch.Name {
		case matchlog.Packets:
			packets += ch.Count
		case matchlog.Home, matchlog.Away:
			said += ch.Count
		}
	}
	group, _ := netip.ParseAddrPort(to)
	var r replayed
	switch {
	case group.Addr().IsMulticast() && packets == 0, packets+said == 0:
		return exitError{2, fmt.Errorf("%s has nothing to send to %s: it holds %d datagrams and %d messages of teams", args[0], to, packets, said)}
	case packets > 0 && (said == 0 || group.Addr().IsMulticast()):
		r, err = f.sendPackets(ctx, l, from, to, group)
	default:
		r, err = f.sendMatch(ctx, c, l, from, to)
	}
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if f.json {
		return printJSON(c, r)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "sent %s, %.1f MB in %.1f s\n", count(r.Messages, "message"), float64(r.Bytes)/1e6, r.Seconds)
	return err
}

// leftOut is what a sender of messages returns for one that is not meant for its address.
const leftOut = -1

// pace calls send with the messages of the channels when they are due. Its first is due at once.
func (f *replayFlags) pace(ctx context.Context, l *matchlog.Log, from soccer.Time, send func(*matchlog.Message) (int, error), channels ...string) (r replayed, err error) {
	began := time.Now()
	defer func() { r.Seconds = time.Since(began).Seconds() }()
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
		timer.Reset(due - time.Since(began))
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
		r.Messages, r.Bytes, r.Late = r.Messages+1, r.Bytes+uint64(n), max(r.Late, (time.Since(began)-due).Seconds())
	}
	return r, nil
}

// sendPackets sends a recording's datagrams.
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
			if _, err := conn.Write(b); err != nil && !errors.Is(err, syscall.ECONNREFUSED) { // nobody listens yet
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

// sentTo reports whether a log has datagrams that were sent to an address: then the others are left out, such as a
// simulator's commands where its vision is replayed.
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

// replayStation is one team's base station in a replay.
type replayStation struct {
	channel string
	team    int
	conn    net.Conn
	hello   chan struct{} // the first byte came
}

// sendMatch sends what the teams said, as their base stations.
func (f *replayFlags) sendMatch(ctx context.Context, c *cobra.Command, l *matchlog.Log, from soccer.Time, to string) (r replayed, err error) {
	group, ctx := errgroup.WithContext(ctx)
	var stations []*replayStation
	defer func() {
		for _, s := range stations {
			s.conn.Close()
		}
		if e := group.Wait(); e != nil { // why the rest was cancelled
			err = e
		}
	}()
	for _, s := range []*replayStation{
		{channel: matchlog.Home, team: f.teamOf(l, f.home, matchlog.MetaHomeID, matchlog.MetaHome)},
		{channel: matchlog.Away, team: f.teamOf(l, f.away, matchlog.MetaAwayID, matchlog.MetaAway)},
	} {
		if _, there, err := l.Last(s.channel, l.Info().End); err != nil || !there {
			continue
		}
		if err := s.dial(ctx, to); err != nil {
			return r, exitError{2, err}
		}
		stations = append(stations, s)
		group.Go(func() error { return s.drain(ctx) })
	}
	for _, s := range stations {
		select {
		case <-s.hello:
			continue
		default:
			fmt.Fprintf(c.ErrOrStderr(), "waiting until the referee accepts %s (team %d)\n", s.channel, s.team)
		}
		select {
		case <-s.hello:
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
	stop := context.AfterFunc(ctx, func() { // ends a write that the referee box does not take
		for _, s := range stations {
			s.conn.SetWriteDeadline(time.Now())
		}
	})
	defer stop()
	var buf []byte
	return f.pace(ctx, l, from, func(m *matchlog.Message) (int, error) {
		for _, s := range stations {
			if s.channel == m.Channel {
				buf = append(append(buf[:0], m.Data...), 0)
				n, err := s.conn.Write(buf)
				if err != nil {
					err = fmt.Errorf("%s: %w: the referee box closed the connection or reads no more", s.channel, err)
				}
				return n, errors.Join(ctx.Err(), err)
			}
		}
		return leftOut, nil
	}, matchlog.Home, matchlog.Away)
}

// teamOf returns a team's number: as it was given, as the log says, or by its name; 0 where that is all unknown.
func (f *replayFlags) teamOf(l *matchlog.Log, given int, id, name string) int {
	meta := l.Info().Meta
	if n, err := strconv.Atoi(meta[id]); given == 0 && err == nil {
		given = n
	}
	for _, t := range soccer.MSLTeams() {
		if given == 0 && (strings.EqualFold(t.Name, meta[name]) || strings.EqualFold(t.Short, meta[name])) {
			given = t.ID
		}
	}
	return given
}

// dial connects to the referee box.
func (s *replayStation) dial(ctx context.Context, to string) error {
	var d net.Dialer
	host, _, _ := net.SplitHostPort(to) // it has been joined or split before
	if a, err := netip.ParseAddr(host); err == nil && a.Is4() && a.IsLoopback() {
		if s.team < 1 || s.team > 254 {
			return fmt.Errorf("the log does not say which team is %s: name its number, for example --%s 39", s.channel, s.channel)
		}
		d.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, byte(s.team), 1)}
	}
	conn, err := d.DialContext(ctx, "tcp", to)
	if err != nil {
		return fmt.Errorf("no referee box at %s: %w; start one, for example touchline refbox", to, err)
	}
	s.conn, s.hello = conn, make(chan struct{})
	return nil
}

// drain reads what the referee says, and drops it.
func (s *replayStation) drain(ctx context.Context) error {
	buf := make([]byte, 4096)
	for first := true; ; first = false {
		_, err := s.conn.Read(buf)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			if errors.Is(err, io.EOF) {
				err = errors.New("the referee box closed the connection")
			}
			return fmt.Errorf("%s: %w; its page says why", s.channel, err)
		}
		if first {
			close(s.hello)
		}
	}
}
