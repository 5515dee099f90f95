package stationnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/matchlog"
	"touchline/wire/msl"
)

// baseStation acts as the base station of one team.
type baseStation struct {
	channel string
	team    int
	to      string
	own     netip.Addr // address to connect from; the zero Addr: as Target
	waiting func(side string, team int)
	log     *slog.Logger
	readers *errgroup.Group

	conn net.Conn
	gone chan struct{} // closed when the referee box has closed conn
	lost int           // connections that ended after WELCOME
}

const (
	maxRefused = 5 // connections that end before WELCOME, one after the other
	maxLost    = 10
	// firstPause is the pause before a second connection. Each further one is twice as long.
	firstPause = 200 * time.Millisecond
	// silentWait is how long a referee box is waited for in silence.
	silentWait = 300 * time.Millisecond
)

// ReplayMatch sends the messages of the teams of a log to a referee box as their base stations do. It waits until the referee
// admits them, one after the other: RefBox 2.1 asks the referee about one station at a time, and closes the connections of
// others meanwhile. It connects again where the box closes a connection.
func ReplayMatch(ctx context.Context, l *matchlog.Log, to string, cfg ReplayConfig, log *slog.Logger) (r ReplayResult, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var readers errgroup.Group
	defer func() {
		cancel() // closes the connections
		_ = readers.Wait()
	}()
	stations := map[string]*baseStation{}
	for i, channel := range []string{matchlog.Home, matchlog.Away} {
		if _, there, err := l.Last(channel, l.Info().End); err != nil || !there {
			continue
		}
		s := &baseStation{
			channel: channel, team: cfg.Teams[i], to: to, own: cfg.Own[i], waiting: cfg.Waiting, log: log, readers: &readers,
		}
		if err := s.connect(ctx); err != nil {
			return r, err
		}
		stations[channel] = s
	}
	var buf []byte
	return cfg.pace(ctx, l, func(m *matchlog.Message) (int, error) {
		s := stations[m.Channel]
		if s == nil {
			return leftOut, nil
		}
		buf = append(append(buf[:0], m.Data...), 0)
		return s.send(ctx, buf)
	}, matchlog.Home, matchlog.Away)
}

// send sends a message, on a new connection if the referee box has closed the last one.
func (s *baseStation) send(ctx context.Context, message []byte) (int, error) {
	for {
		var err error
		select {
		case <-s.gone:
			err = errors.New("the referee box closed the connection; its page shows the reason")
		default:
			var n int
			if n, err = s.conn.Write(message); err == nil {
				return n, nil
			}
			err = fmt.Errorf("%w: the referee box closed the connection or stopped reading", err)
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		s.conn.Close()
		if s.lost++; s.lost > maxLost {
			return 0, fmt.Errorf("%s: %w", s.channel, err)
		}
		s.log.Warn("connecting again", "team", s.channel, "why", err)
		if again := s.connect(ctx); again != nil {
			return 0, errors.Join(ctx.Err(), fmt.Errorf("%s: %w; connecting again: %v", s.channel, err, again))
		}
	}
}

// connect connects to the referee box and waits for its WELCOME. The connection closes when ctx ends.
func (s *baseStation) connect(ctx context.Context) error {
	pause := firstPause
	for refused := 1; ; refused++ {
		if err := s.dial(ctx); err != nil {
			return err
		}
		conn, gone, welcome := s.conn, make(chan struct{}), make(chan struct{})
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		s.gone = gone
		s.readers.Go(func() error {
			defer stop()
			defer close(gone)
			readUntilClosed(conn, func() { close(welcome) })
			return nil
		})
		again, err := s.await(ctx, welcome)
		if err == nil || ctx.Err() != nil {
			return err
		}
		conn.Close()
		if !again || refused == maxRefused {
			return err
		}
		s.log.Info("connecting again", "team", s.channel, "why", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause *= 2
	}
}

// dial connects to the referee box.
func (s *baseStation) dial(ctx context.Context) error {
	target, err := ParseTarget(s.to)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTarget, err)
	}
	host, err := netip.ParseAddr(target.Host)
	here := target.Host == "localhost" || err == nil && host.IsLoopback()
	if target.From = s.own; !s.own.IsValid() && here && (s.team < 1 || s.team > 254) {
		return fmt.Errorf("%w: the log does not contain the number of the %s team: give --%s, for example 39", ErrTarget,
			s.channel, s.channel)
	}
	if s.conn, err = target.Dial(ctx, s.team, s.log); err != nil {
		return fmt.Errorf("%w: %w; start a referee box, for example touchline refbox", ErrTarget, err)
	}
	return nil
}

// await waits until the referee box sends WELCOME. It reports whether to try again after an error: RefBox 2.1 sends RESET to
// the teams of its game for each connection from an address that it does not know.
func (s *baseStation) await(ctx context.Context, welcome <-chan struct{}) (again bool, err error) {
	silent := time.NewTimer(silentWait)
	defer silent.Stop()
	for {
		select {
		case <-welcome:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-silent.C:
			if s.waiting != nil {
				s.waiting(s.channel, s.team)
			}
		case <-s.gone:
			select {
			case <-welcome: // send notices that the connection ended since
				return false, nil
			default:
			}
			why, known := refusal(s.team, s.conn.LocalAddr().(*net.TCPAddr).AddrPort().Addr())
			return known, fmt.Errorf("%s: the referee box closed the connection before WELCOME: %s", s.channel, why)
		}
	}
}

// readUntilClosed reads the messages of the referee box, and calls welcome with the first WELCOME.
func readUntilClosed(conn net.Conn, welcome func()) {
	var split msl.Splitter
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		split.Split(buf[:n], func(message []byte) {
			var c msl.Command
			if welcome != nil && c.UnmarshalBinary(message) == nil && c.Name == msl.Welcome {
				welcome()
				welcome = nil
			}
		})
		if err != nil {
			return
		}
	}
}
