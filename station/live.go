package station

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/msl"
)

// Live is a base station on the network: robots' packages come from a Receiver, and one TCP connection leads to the
// RefBox. It connects again for ever.
type Live struct {
	RefBox Target
	Rate   float64 // worldstates a second, 1 to 200. Default 20
	Log    *slog.Logger
	Told   func(t Told, message []byte) // each command as it comes, in order; message is only lent. nil: nobody wants to know

	began  time.Time
	events chan []byte

	mu      sync.Mutex
	station *Station
	health  Health
}

// Health says how well a station is connected. Counts go up from its start.
type Health struct {
	RefBox    string `json:"refbox"`    // where the connection leads; "" while there is none
	Heard     uint64 `json:"heard"`     // datagrams of the robots' channel
	Sent      uint64 `json:"sent"`      // worldstates
	Events    uint64 `json:"events"`    // sent
	Dropped   uint64 `json:"dropped"`   // worldstates that were not sent when they were due, since the RefBox took no more
	Connected uint64 `json:"connected"` // times that the RefBox answered a connection attempt
	Trouble   string `json:"trouble"`   // why there is no connection, in plain words; "" while there is one
}

// DefaultRate is how many worldstates are sent a second: seed 002 wants ten, and what is sent at exactly ten leaves windows
// of the RefBox's sampling empty.
const DefaultRate = 20

const (
	// A RefBox that takes not a byte for so long is dead, or its machine is. Not sooner: to RefBox 2.1 a second connection
	// of a team is a reason to send RESET to both (facts msl 1.8).
	stalled = 10 * time.Second
	// What waits in the system's buffer when the RefBox does not read gets older than its ageMs says: no more than this.
	sendBuffer = 16 << 10
	maxEvents  = 64              // that wait to be sent
	silence    = 5 * time.Second // without a robot, and a word is due
)

// NewLive prepares a station that tells a RefBox at HOST:PORT, or at HOST on port 28097; nothing runs yet.
func NewLive(cfg Config, refbox string, log *slog.Logger) (*Live, error) {
	s, err := New(cfg)
	if err != nil {
		return nil, err
	}
	target, err := ParseTarget(refbox, cfg.Team)
	if err != nil {
		return nil, err
	}
	return &Live{
		RefBox: target, Rate: DefaultRate, Log: log, station: s, began: time.Now(), events: make(chan []byte, maxEvents),
	}, nil
}

// Run runs the station until the context ends; it closes robots. nil robots: it hears none.
func (l *Live) Run(ctx context.Context, robots *transport.Receiver) error {
	if !(l.Rate >= 1 && l.Rate <= 200) {
		return fmt.Errorf("station: %v worldstates a second: give 1 to 200", l.Rate)
	}
	group, ctx := errgroup.WithContext(ctx)
	if robots != nil {
		group.Go(func() error { return l.listen(ctx, robots) })
		defer time.AfterFunc(silence, func() {
			if l.Health().Heard == 0 {
				l.Log.Warn("no robot was heard yet, worldstates are empty: is it the right group and interface?", "group", robots.Channel())
			}
		}).Stop()
	}
	group.Go(func() error { return l.talk(ctx) })
	return group.Wait()
}

// now returns the moment on a clock that begins with the wall's and does not follow when that is set.
func (l *Live) now() soccer.Time {
	return soccer.Time(l.began.UnixNano()).Add(time.Since(l.began))
}

// listen takes in robots' packages. One address that floods is held back, so that the others are heard.
func (l *Live) listen(ctx context.Context, robots *transport.Receiver) error {
	defer robots.Close()
	defer context.AfterFunc(ctx, func() { robots.Close() })()
	guard := traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
	buf := make([]byte, transport.MaxDatagram)
	const longAgo = time.Second // no packet waits so long to be read: a clock was set
	for {
		p, err := robots.ReadPacket(buf)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return err
		}
		if !guard.Allow(p.From, p.Time) {
			continue
		}
		waited := min(max(0, time.Duration(time.Now().UnixNano()-int64(p.Time))), longAgo)
		p.Time = l.now().Add(-waited)
		l.mu.Lock()
		l.station.Hear(&p)
		l.health.Heard++
		l.mu.Unlock()
	}
}

// State returns what the RefBox said so far.
func (l *Live) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.station.State()
}

// Health returns how well the station is connected.
func (l *Live) Health() Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.health
}

// Event sends an event of one of the team's robots: "kick", "pass", ... It does not wait for the RefBox. Before WELCOME
// the error is ErrNotAccepted; events that the RefBox does not take are refused from the 65th on.
func (l *Live) Event(robot int, text string) error {
	l.mu.Lock()
	defer l.mu.Unlock() // to the end: what comes after Disconnected is for the next connection
	b, err := l.station.Event(nil, robot, text)
	if err != nil {
		return err
	}
	select {
	case l.events <- b:
		return nil
	default:
		return fmt.Errorf("station: the event %.40q is lost: the RefBox takes no more", text)
	}
}

// serve talks on one connection until it ends. It reports whether WELCOME came.
func (l *Live) serve(ctx context.Context, conn net.Conn) (welcomed bool, err error) {
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, func() { conn.Close() })() // who fails first ends the other, and its error counts
	group.Go(func() error { return l.read(conn, &welcomed) })
	group.Go(func() error { return l.send(ctx, conn) })
	err = group.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.station.Disconnected()
	for { // what waited was for this connection
		select {
		case <-l.events:
			continue
		default:
		}
		return welcomed, err
	}
}

// read takes in what the RefBox says until the connection ends.
func (l *Live) read(conn net.Conn, welcomed *bool) error {
	var split msl.Splitter
	var lost int64
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		now := l.now()
		split.Split(buf[:n], func(message []byte) {
			l.mu.Lock()
			told, err := l.station.Command(now, message)
			l.mu.Unlock()
			if err != nil {
				l.Log.Warn("the RefBox sent what is no command", "err", err, "message", fmt.Sprintf("%.80q", message))
				return
			}
			if told.Command.Name == msl.Welcome {
				*welcomed = true
				l.checkTeam(told.Command.TargetTeam)
			}
			if l.Told != nil {
				l.Told(told, message)
			}
		})
		if split.Lost > lost {
			lost = split.Lost
			l.Log.Warn("the RefBox sent a message that is too long", "bytes", lost)
		}
		if err == io.EOF {
			return errors.New("the RefBox closed the connection")
		}
		if err != nil {
			return err
		}
	}
}

// checkTeam warns when the RefBox takes this station for another team's: teams are known by their address alone.
func (l *Live) checkTeam(group string) {
	host, _, _ := strings.Cut(group, ":") // ":1" is the second station of one team
	addr, err := netip.ParseAddr(host)
	if err == nil && addr.Is4() && int(addr.As4()[3]) != l.station.cfg.Team {
		l.Log.Warn("the RefBox takes this station for another team's: is it called from the team's own address?", "team", l.station.cfg.Team, "group", group)
	}
}

// rhythm returns when a worldstate is due after one that was due, and sent now, and how many were missed meanwhile. Two do
// not follow each other at once after a stall: they would say the same.
func rhythm(due, now time.Time, period time.Duration) (next time.Time, missed int) {
	missed = int(max(0, now.Sub(due)/period))
	next = due.Add(time.Duration(missed+1) * period)
	if next.Sub(now) < period/2 {
		next = next.Add(period)
	}
	return next, missed
}

// send sends worldstates and events until the connection ends. Worldstates are made when they are written: while the RefBox
// takes nothing none are made, and those that were due are counted.
func (l *Live) send(ctx context.Context, conn net.Conn) error {
	period := time.Duration(math.Round(float64(time.Second) / l.Rate))
	due := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var buf []byte
	for {
		var events, worldstates uint64
		var err error
		select {
		case <-ctx.Done():
			return nil
		case e := <-l.events:
			buf, events = append(buf[:0], e...), 1
		case <-timer.C:
			now, missed := time.Now(), 0
			due, missed = rhythm(due, now, period)
			timer.Reset(due.Sub(now))
			l.mu.Lock() // what it waits for is no part of the age
			if buf, err = l.station.Tick(buf[:0], l.now()); len(buf) > 0 {
				worldstates = 1
				l.health.Dropped += uint64(missed)
			}
			l.mu.Unlock()
			if err != nil {
				l.Log.Warn("a worldstate cannot be written", "err", err)
			}
		}
		if len(buf) == 0 {
			continue
		}
		if err := conn.SetWriteDeadline(time.Now().Add(stalled)); err != nil {
			return err
		}
		if _, err := conn.Write(buf); err != nil {
			l.mu.Lock()
			l.health.Dropped += worldstates + uint64(max(0, time.Since(due)/period))
			l.mu.Unlock()
			if errors.Is(err, os.ErrDeadlineExceeded) {
				err = fmt.Errorf("the RefBox took nothing for %v: taken for dead", stalled)
			}
			return err
		}
		l.mu.Lock()
		l.health.Events += events
		l.health.Sent += worldstates
		l.mu.Unlock()
	}
}
