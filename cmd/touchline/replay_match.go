package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/matchlog"
	"touchline/soccer"
	"touchline/station/stationnet"
	"touchline/wire/msl"
)

// origin returns the values of --from: a start time, "" without one, and the own addresses of the home and the away
// team, zero without one.
func (f *replayFlags) origin() (start string, own [2]netip.Addr, err error) {
	given := 0
	for _, value := range f.from {
		addr, notAddr := netip.ParseAddr(value)
		switch {
		case notAddr == nil && given < 2:
			own[given] = addr
			given++
		case notAddr == nil, start != "":
			return "", own, exitError{2, fmt.Errorf("--from %s: want one start time, and one address for each team, "+
				"for example --from 12:41 --from 172.16.63.10,172.16.67.10", strings.Join(f.from, ","))}
		default:
			start = value
		}
	}
	if given == 1 {
		own[1] = own[0]
	}
	return start, own, nil
}

// replayStation acts as the base station of one team.
type replayStation struct {
	channel string
	team    int
	conn    net.Conn
	hello   chan struct{} // closed with the first received byte
}

// sendMatch sends the messages of the teams as their base stations.
func (f *replayFlags) sendMatch(ctx context.Context, c *cobra.Command, l *matchlog.Log, from soccer.Time, to string,
	own [2]netip.Addr) (r replayed, err error) {
	group, ctx := errgroup.WithContext(ctx)
	var stations []*replayStation
	defer func() {
		for _, s := range stations {
			s.conn.Close()
		}
		if e := group.Wait(); e != nil { // the cause of the cancellation
			err = e
		}
	}()
	for i, s := range []*replayStation{
		{channel: matchlog.Home, team: f.teamOf(l, f.home, matchlog.MetaHomeID, matchlog.MetaHome)},
		{channel: matchlog.Away, team: f.teamOf(l, f.away, matchlog.MetaAwayID, matchlog.MetaAway)},
	} {
		if _, there, err := l.Last(s.channel, l.Info().End); err != nil || !there {
			continue
		}
		if err := s.dial(ctx, to, own[i], logger(c.ErrOrStderr())); err != nil {
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
			fmt.Fprintf(c.ErrOrStderr(), "waiting until the referee admits %s (team %d)\n", s.channel, s.team)
		}
		select {
		case <-s.hello:
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
	stop := context.AfterFunc(ctx, func() { // stops a write that the referee box does not read
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
					err = fmt.Errorf("%s: %w: the referee box closed the connection or stopped reading", s.channel, err)
				}
				return n, errors.Join(ctx.Err(), err)
			}
		}
		return leftOut, nil
	}, matchlog.Home, matchlog.Away)
}

// teamOf returns a team's number: the given one, the one in the log, or the one of the team's name; 0 if all are
// unknown.
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

// dial connects to the referee box, from an own address unless from is the zero Addr.
func (s *replayStation) dial(ctx context.Context, to string, from netip.Addr, log *slog.Logger) error {
	target, err := stationnet.ParseTarget(to)
	if err != nil {
		return fmt.Errorf("--to %.60s: want ADDRESS:PORT, for example 127.0.0.1:%d", to, msl.Port)
	}
	host, err := netip.ParseAddr(target.Host)
	here := target.Host == "localhost" || err == nil && host.IsLoopback()
	if target.From = from; !from.IsValid() && here && (s.team < 1 || s.team > 254) {
		return fmt.Errorf("the log does not contain the number of the %s team: give --%s, for example 39", s.channel,
			s.channel)
	}
	conn, err := target.Dial(ctx, s.team, log)
	if err != nil {
		return fmt.Errorf("%w; start a referee box, for example touchline refbox", err)
	}
	s.conn, s.hello = conn, make(chan struct{})
	return nil
}

// drain reads and discards the messages of the referee box.
func (s *replayStation) drain(ctx context.Context) error {
	buf := make([]byte, 4096)
	for first := true; ; first = false {
		switch _, err := s.conn.Read(buf); {
		case err != nil && (ctx.Err() != nil || errors.Is(err, net.ErrClosed)):
			return nil
		case errors.Is(err, io.EOF) && first:
			why, _ := stationnet.Refusal(s.team, s.conn.LocalAddr().(*net.TCPAddr).AddrPort().Addr())
			return fmt.Errorf("%s: the referee box closed the connection before WELCOME: %s", s.channel, why)
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s: the referee box closed the connection; its page shows the reason", s.channel)
		case err != nil:
			return fmt.Errorf("%s: %w", s.channel, err)
		case first:
			close(s.hello)
		}
	}
}
