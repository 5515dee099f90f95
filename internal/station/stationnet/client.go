// Package stationnet runs a team's base station on the network. Its Client feeds a station.Station with the robots'
// packages from a receiver, and opens the TCP connection to the RefBox itself, as it reconnects for as long as it runs.
package stationnet

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

	"touchline/internal/refbox"
	"touchline/internal/station"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire"
	"touchline/wire/msl"
	"touchline/wire/team"
)

// DefaultRate is the default rate of worldstates in Hz. The league wants at least ten (MSL World Model 2015), but a
// sender at exactly ten leaves windows of RefBox 2.1's sampling empty.
const DefaultRate = 20

// Config describes a base station and its RefBox.
type Config struct {
	Station station.Config
	RefBox  Target
	Rate    float64 // worldstates a second, 1 to 200. Default 20
	// OnCommand is called with each command of the RefBox in order; message is valid during the call only. Default nil
	OnCommand func(c station.Command, message []byte)
	// Tap receives each message of the connection to the RefBox without its NUL: received messages before they are
	// decoded, sent ones once they are in the socket. Two goroutines call it. It must neither block nor keep message.
	// Default nil
	Tap func(at soccer.Time, sent bool, message []byte)
}

// DefaultConfig returns the configuration of a team's station that connects to a RefBox on this machine.
func DefaultConfig(team int) Config {
	return Config{Station: station.DefaultConfig(team), RefBox: defaultTarget(), Rate: DefaultRate}
}

// Client is a base station on the network. Its methods may be called from any goroutine.
type Client struct {
	cfg    Config
	log    *slog.Logger
	clock  soccer.Clock
	events chan []byte

	mu      sync.Mutex
	station *station.Station
	health  Health
}

// Health describes a station's connection. Counts start with the station.
type Health struct {
	RefBox    string // address of the RefBox; "" while not connected
	Received  uint64 // datagrams of the robots
	Sent      uint64 // worldstates
	Events    uint64 // sent events
	Dropped   uint64 // worldstates that were due while the RefBox did not read
	Connected uint64 // connections so far
	Excess    uint64 // datagrams that were dropped because their robot or address sent too many
	ExcessOf  string // sender of the newest of them
	Trouble   string // why there is no connection; "" while connected
}

const (
	// writeTimeout is the time after which a RefBox that reads nothing counts as dead. It is long, as RefBox 2.1 may
	// answer a second connection of a team with RESET for both teams.
	writeTimeout = 10 * time.Second
	// sendBuffer bounds the bytes in the system's send buffer, where a worldstate gets older than its ageMs says.
	sendBuffer = 16 << 10
	maxEvents  = 64 // events that wait to be sent
)

// New returns a Client. It refuses a configuration that is out of range, naming the range.
func New(cfg Config, log *slog.Logger) (*Client, error) {
	if !(cfg.Rate >= 1 && cfg.Rate <= 200) {
		return nil, fmt.Errorf("station: rate %v: want 1 to 200 worldstates a second", cfg.Rate)
	}
	s, err := station.New(cfg.Station)
	if err != nil {
		return nil, err
	}
	return &Client{
		cfg: cfg, log: log, clock: soccer.NewClock(time.Now()), events: make(chan []byte, maxEvents), station: s,
	}, nil
}

// Run runs the station until ctx ends, and closes robots. With nil robots it receives none.
func (c *Client) Run(ctx context.Context, robots *transport.Receiver) error {
	group, ctx := errgroup.WithContext(ctx)
	if robots != nil {
		inbox := transport.NewInbox()
		limits := newLimits()
		group.Go(func() error {
			return inbox.ReceiveIf(ctx, 0, robots, func(p *soccer.Packet) bool { return c.allow(limits, p) })
		})
		group.Go(func() error { c.receive(ctx, inbox); return nil })
	}
	group.Go(func() error { return c.connect(ctx) })
	return group.Wait()
}

// now returns the time of the station's clock.
func (c *Client) now() soccer.Time { return c.clock.At(time.Now()) }

// allow reports whether a datagram of the robots is not one too many, and counts it if it is.
func (c *Client) allow(l *limits, p *soccer.Packet) bool {
	of := l.exceeded(p)
	if of == "" {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.health.Excess++
	c.health.ExcessOf = of
	return false
}

// receive feeds the station with the robots' packages.
func (c *Client) receive(ctx context.Context, inbox *transport.Inbox) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-inbox.C:
			a.Packet.Time = c.clock.At(a.At)
			c.mu.Lock()
			c.station.Receive(&a.Packet)
			c.health.Received++
			c.mu.Unlock()
			inbox.Release(a)
		}
	}
}

// Silence is station.Station's Silence of now.
func (c *Client) Silence() (why station.Silence, datagrams uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.station.Silence(c.now())
}

// State returns the game as the RefBox reported it.
func (c *Client) State() station.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.station.State()
}

// ReceiveStatus notes the status that a robot sent over the TCM.
func (c *Client) ReceiveStatus(robot uint8, m *team.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.station.ReceiveStatus(robot, c.now(), m)
}

// ReceiveDebug notes the debug record that a robot sent over the TCM.
func (c *Client) ReceiveDebug(robot uint8, m *team.Debug) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.station.ReceiveDebug(robot, c.now(), m)
}

// Referee returns what the robots are told of the game now, each station.RefereePeriod and at once when the sequence
// grows. It is false while no RefBox has admitted the station: then the station tells them nothing.
func (c *Client) Referee() (m team.Referee, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.station.Referee(c.now()), c.station.State().Accepted
}

// Health returns the state of the connection.
func (c *Client) Health() Health {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.health
}

// Event sends an event of one of the team's robots: "kick", "pass", ... It does not wait for the RefBox. Before WELCOME
// the error is station.ErrNotAccepted; it refuses an event while 64 wait to be sent.
func (c *Client) Event(robot int, text string) error {
	c.mu.Lock()
	defer c.mu.Unlock() // until the event is queued: after Disconnect it would go to the next connection
	b, err := c.station.AppendEvent(nil, robot, text)
	if err != nil {
		return err
	}
	select {
	case c.events <- b:
		return nil
	default:
		return fmt.Errorf("station: the event %.40q is lost: the RefBox does not read", text)
	}
}

// serve serves one connection until it ends. It reports whether the RefBox sent WELCOME.
func (c *Client) serve(ctx context.Context, conn net.Conn) (welcomed bool, err error) {
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, func() { conn.Close() })() // the first error ends both loops
	group.Go(func() error { return c.read(conn, &welcomed) })
	group.Go(func() error { return c.send(ctx, conn) })
	err = group.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.station.Disconnect()
	for { // drop the events of this connection
		select {
		case <-c.events:
			continue
		default:
		}
		return welcomed, err
	}
}

// read applies the RefBox's commands until the connection ends.
func (c *Client) read(conn net.Conn, welcomed *bool) error {
	var split msl.Splitter
	var lost int64
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		now := c.now()
		split.Split(buf[:n], func(message []byte) {
			c.tap(now, false, message)
			if c.apply(now, message) {
				*welcomed = true
			}
		})
		if split.Lost > lost {
			lost = split.Lost
			c.log.Warn("the RefBox sent a message that exceeds the limit", "bytes", lost)
		}
		if err == io.EOF {
			return errors.New("the RefBox closed the connection")
		}
		if err != nil {
			return err
		}
	}
}

func (c *Client) tap(at soccer.Time, sent bool, message []byte) {
	if c.cfg.Tap != nil {
		c.cfg.Tap(at, sent, message)
	}
}

// apply applies one message of the RefBox. It reports whether it was WELCOME.
func (c *Client) apply(now soccer.Time, message []byte) bool {
	c.mu.Lock()
	command, err := c.station.Apply(now, message)
	part := c.station.State().Part
	c.mu.Unlock()
	if err != nil {
		c.log.Warn("the RefBox sent a message that is not a command",
			"err", err, "message", wire.Printable(fmt.Sprintf("%.80s", message)))
		return false
	}
	welcome := command.Name == msl.Welcome
	if welcome {
		c.checkTeam(command.TargetTeam)
	}
	if command.Name == msl.IsAlive && command.TargetTeam == refbox.CheckGroup && part == "" {
		c.answerCheck(command.RobotID)
	}
	if c.cfg.OnCommand != nil {
		c.cfg.OnCommand(command, message)
	}
	return welcome
}

// answerCheck answers a message of a referee box that checks, before the game, how this station reads.
func (c *Client) answerCheck(robot int) {
	if err := c.Event(robot, "received "+msl.IsAlive); err != nil {
		c.log.Warn("the referee box checks this station's reader, and gets no answer", "err", err)
	}
}

// checkTeam reports if the RefBox takes this station for another team's. It identifies teams by their address alone;
// RefBox 2.1 knows the base stations of its own machine as the team localhost.
func (c *Client) checkTeam(group string) {
	const localhost = 127
	host, _, _ := strings.Cut(group, ":") // ":1" marks the second station of one team
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.Is4() {
		return
	}
	switch team := int(addr.As4()[3]); {
	case team == c.cfg.Station.Team:
	case team == localhost:
		c.log.Info("the RefBox takes this station for its own machine's team localhost: commands to its group are for us",
			"team", c.cfg.Station.Team, "group", group)
	default:
		c.log.Warn("the RefBox takes this station for another team's: does it connect from the team's own address?",
			"team", c.cfg.Station.Team, "group", group)
	}
}

// schedule returns when the next worldstate is due after one that was due and is sent now, and how many were missed
// between. After a stall it skips one that would follow at once with the same contents.
func schedule(due, now time.Time, period time.Duration) (next time.Time, missed int) {
	missed = int(max(0, now.Sub(due)/period))
	next = due.Add(time.Duration(missed+1) * period)
	if next.Sub(now) < period/2 {
		next = next.Add(period)
	}
	return next, missed
}

// send sends worldstates and events until the connection ends. A worldstate is made when it is written: while the
// RefBox does not read none are made, and those that were due count as dropped.
func (c *Client) send(ctx context.Context, conn net.Conn) error {
	period := time.Duration(math.Round(float64(time.Second) / c.cfg.Rate))
	due := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var buf []byte
	for {
		var events, worldstates uint64
		select {
		case <-ctx.Done():
			return nil
		case e := <-c.events:
			buf, events = append(buf[:0], e...), 1
		case <-timer.C:
			now, missed := time.Now(), 0
			due, missed = schedule(due, now, period)
			timer.Reset(due.Sub(now))
			if buf = c.worldstate(buf[:0], uint64(missed)); len(buf) > 0 {
				worldstates = 1
			}
		}
		if len(buf) == 0 {
			continue
		}
		if err := c.write(conn, buf); err != nil {
			c.mu.Lock()
			c.health.Dropped += worldstates + uint64(max(0, time.Since(due)/period))
			c.mu.Unlock()
			return err
		}
		c.tap(c.now(), true, buf[:len(buf)-1])
		c.mu.Lock()
		c.health.Events += events
		c.health.Sent += worldstates
		c.mu.Unlock()
	}
}

// worldstate appends the worldstate of now to buf, nothing before WELCOME. missed worldstates count as dropped.
func (c *Client) worldstate(buf []byte, missed uint64) []byte {
	c.mu.Lock() // before the time is taken: waiting adds nothing to the age
	defer c.mu.Unlock()
	buf, err := c.station.AppendWorldstate(buf, c.now())
	if err != nil {
		c.log.Warn("a worldstate cannot be encoded", "err", err)
	}
	if len(buf) > 0 {
		c.health.Dropped += missed
	}
	return buf
}

func (c *Client) write(conn net.Conn, b []byte) error {
	if err := conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := conn.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the RefBox read nothing for %v and counts as dead", writeTimeout)
	}
	return err
}
