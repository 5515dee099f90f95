package stationnet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/matchlog"
)

// baseStation acts as the base station of one team.
type baseStation struct {
	channel string
	team    int
	conn    net.Conn
	hello   chan struct{} // closed with the first received byte
}

// ReplayMatch sends the messages of the teams of a log to a referee box as their base stations do. It waits until the referee
// admits them.
func ReplayMatch(ctx context.Context, l *matchlog.Log, to string, cfg ReplayConfig, log *slog.Logger) (r ReplayResult, err error) {
	group, ctx := errgroup.WithContext(ctx)
	var stations []*baseStation
	defer func() {
		for _, s := range stations {
			s.conn.Close()
		}
		if e := group.Wait(); e != nil { // the cause of the cancellation
			err = e
		}
	}()
	for i, s := range []*baseStation{
		{channel: matchlog.Home, team: cfg.Teams[0]},
		{channel: matchlog.Away, team: cfg.Teams[1]},
	} {
		if _, there, err := l.Last(s.channel, l.Info().End); err != nil || !there {
			continue
		}
		if err := s.dial(ctx, to, cfg.Own[i], log); err != nil {
			return r, err
		}
		stations = append(stations, s)
		group.Go(func() error { return s.drain(ctx) })
	}
	for _, s := range stations {
		if err := s.await(ctx, cfg.Waiting); err != nil {
			return r, err
		}
	}
	stop := context.AfterFunc(ctx, func() { // stops a write that the referee box does not read
		for _, s := range stations {
			s.conn.SetWriteDeadline(time.Now())
		}
	})
	defer stop()
	var buf []byte
	return cfg.pace(ctx, l, func(m *matchlog.Message) (int, error) {
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

// dial connects to the referee box, from an own address unless from is the zero Addr.
func (s *baseStation) dial(ctx context.Context, to string, from netip.Addr, log *slog.Logger) error {
	target, err := ParseTarget(to)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTarget, err)
	}
	host, err := netip.ParseAddr(target.Host)
	here := target.Host == "localhost" || err == nil && host.IsLoopback()
	if target.From = from; !from.IsValid() && here && (s.team < 1 || s.team > 254) {
		return fmt.Errorf("%w: the log does not contain the number of the %s team: give --%s, for example 39", ErrTarget,
			s.channel, s.channel)
	}
	conn, err := target.Dial(ctx, s.team, log)
	if err != nil {
		return fmt.Errorf("%w: %w; start a referee box, for example touchline refbox", ErrTarget, err)
	}
	s.conn, s.hello = conn, make(chan struct{})
	return nil
}

// await waits until the referee box sends its first byte.
func (s *baseStation) await(ctx context.Context, waiting func(side string, team int)) error {
	select {
	case <-s.hello:
		return nil
	default:
		if waiting != nil {
			waiting(s.channel, s.team)
		}
	}
	select {
	case <-s.hello:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drain reads and discards the messages of the referee box.
func (s *baseStation) drain(ctx context.Context) error {
	buf := make([]byte, 4096)
	for first := true; ; first = false {
		switch _, err := s.conn.Read(buf); {
		case err != nil && (ctx.Err() != nil || errors.Is(err, net.ErrClosed)):
			return nil
		case errors.Is(err, io.EOF) && first:
			why, _ := refusal(s.team, s.conn.LocalAddr().(*net.TCPAddr).AddrPort().Addr())
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
