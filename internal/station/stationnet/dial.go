package stationnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/msl"
)

// Target is the address of a RefBox, and the own address to connect from.
type Target struct {
	Host string // name or address
	Port string
	// From is the own address, by which RefBoxes identify teams. Default: the system's choice. For a RefBox on
	// 127.0.0.0/8 it is an address of this machine in the team's network, 172.16.T.0/24, or else 127.0.0.T
	// (soccer.LoopbackAddress)
	From netip.Addr
}

func defaultTarget() Target { return Target{Host: "127.0.0.1", Port: strconv.Itoa(msl.Port)} }

// ParseTarget parses HOST:PORT, HOST or [IPv6]:PORT; the default port is 28097.
func ParseTarget(address string) (Target, error) {
	host, port, err := net.SplitHostPort(address)
	if _, bare := netip.ParseAddr(address); err != nil && (bare == nil || !strings.ContainsAny(address, ":[]")) {
		host, port, err = address, strconv.Itoa(msl.Port), nil
	}
	n, bad := strconv.Atoi(port)
	if err != nil || bad != nil || host == "" || n < 1 || n > 65535 {
		return Target{}, fmt.Errorf("station: RefBox %.60q: want HOST or HOST:PORT, for example 172.16.1.2:%d",
			address, msl.Port)
	}
	return Target{Host: host, Port: port}, nil
}

// String returns HOST:PORT.
func (t Target) String() string { return net.JoinHostPort(t.Host, t.Port) }

// Waiting times before the next attempt, doubled each time. Attempts are frequent while no RefBox listens. A RefBox
// that closes a connection without WELCOME refused it, and RefBox 2.1 sends RESET to the playing teams for many of these
// attempts: then they are rare, and rarer still from an address that it refuses always.
const (
	retryLeast, retryMost     = 200 * time.Millisecond, 2 * time.Second
	refusedLeast, refusedMost = 2 * time.Second, 30 * time.Second
	unknownLeast, unknownMost = 30 * time.Second, 10 * time.Minute
	dialTimeout               = 3 * time.Second
)

// connect keeps a connection to the RefBox until ctx ends.
func (c *Client) connect(ctx context.Context) error {
	retry, refused := retryLeast, refusedLeast
	for {
		conn, err := c.cfg.RefBox.Dial(ctx, c.cfg.Station.Team, c.log)
		wait := retry
		retry = min(2*retry, retryMost)
		if err == nil {
			welcomed := false
			c.noteConnected(conn)
			welcomed, err = c.serve(ctx, conn)
			if retry = retryLeast; welcomed {
				wait, refused = retryLeast, refusedLeast
			} else {
				why, known := refusal(c.cfg.Station.Team, conn.LocalAddr().(*net.TCPAddr).AddrPort().Addr())
				most := refusedMost
				if !known {
					refused, most = max(refused, unknownLeast), unknownMost
				}
				wait, refused = refused, min(2*refused, most)
				err = fmt.Errorf("closed before WELCOME (%w): %s; the next attempt is in %v", err, why, wait)
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		c.noteDisconnected(err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// refusal returns why a RefBox probably refused a team's connection from an address, and whether RefBox 2.1 knows the
// address: it always refuses an unknown one.
func refusal(team int, from netip.Addr) (why string, known bool) {
	from = from.Unmap()
	own := soccer.MSLTeam(team)
	network := own.BaseStations()
	if own.ID == 0 {
		network = (&soccer.Team{ID: team}).BaseStations()
	}
	taken := "perhaps both sides are taken, another team waits for the referee, or the referee refused it"
	for _, t := range soccer.MSLTeams() {
		switch {
		case !t.BaseStations().Contains(from):
		case t.ID == team || from.IsLoopback():
			return taken, true
		default:
			return fmt.Sprintf("the RefBox takes %v for %s: connect from an address in %v; %s", from, t.Name, network, taken), true
		}
	}
	return fmt.Sprintf("the RefBox identifies teams by their address, and %v is not in the league's table: connect from an "+
		"address in %v, or on the RefBox's own machine from %v", from, network, soccer.LoopbackAddress(team)), false
}

func (c *Client) noteConnected(conn net.Conn) {
	c.mu.Lock()
	c.health.RefBox, c.health.Trouble = conn.RemoteAddr().String(), ""
	c.health.Connected++
	c.mu.Unlock()
	c.log.Info("connected to the RefBox, waiting for WELCOME", "refbox", conn.RemoteAddr(), "from", conn.LocalAddr())
}

// noteDisconnected logs why there is no connection, once for each reason.
func (c *Client) noteDisconnected(err error) {
	c.mu.Lock()
	again := c.health.Trouble == err.Error()
	c.health.RefBox, c.health.Trouble = "", err.Error()
	c.mu.Unlock()
	if !again {
		c.log.Warn("no connection to the RefBox, retrying", "refbox", c.cfg.RefBox, "err", err)
	}
}

// Dial connects to the RefBox as the base station of a team. It tries each address of the RefBox, IPv4 first, because
// RefBoxes identify teams by IPv4 addresses.
func (t *Target) Dial(ctx context.Context, team int, log *slog.Logger) (*net.TCPConn, error) {
	lookup, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupNetIP(lookup, "ip", t.Host)
	if err != nil {
		return nil, err
	}
	var all []error
	for _, family := range [2]bool{true, false} {
		for _, addr := range addrs {
			if addr = addr.Unmap(); addr.Is4() != family {
				continue
			}
			conn, err := t.dialOne(ctx, addr, team, log)
			if err == nil {
				return conn, nil
			}
			all = append(all, err)
		}
	}
	return nil, errors.Join(all...)
}

// dialOne connects to one address of the RefBox.
func (t *Target) dialOne(ctx context.Context, addr netip.Addr, team int, log *slog.Logger) (*net.TCPConn, error) {
	// Keep-alive detects a RefBox machine that is gone within half a minute.
	d := net.Dialer{
		Timeout:         dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	}
	from, chosen := t.From, t.From.IsValid()
	if !chosen && team != 0 && addr.Is4() && addr.IsLoopback() {
		from = localAddress(team, transport.Prefixes()) // without the list, only loopback is left
	}
	if from.IsValid() && from.Is4() != addr.Is4() {
		return nil, fmt.Errorf("no connection from %v to %v: one is an IPv4 address, the other an IPv6 address", from, addr)
	}
	if from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
	at := net.JoinHostPort(addr.String(), t.Port)
	conn, err := d.DialContext(ctx, "tcp", at)
	if from.IsValid() && !chosen && notAvailable(err) { // on systems with 127.0.0.1 only
		log.Warn("this system does not have the address: a RefBox on this machine identifies the team as localhost",
			"address", from)
		d.LocalAddr = nil
		conn, err = d.DialContext(ctx, "tcp", at)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("no answer from %s: check the address and this machine's network", at)
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("no RefBox listens at %s", at)
	case notAvailable(err):
		return nil, fmt.Errorf("this machine does not have the address %v to connect from", from)
	case err != nil:
		return nil, err
	}
	if addr.Is6() && addr.IsLoopback() {
		log.Warn("over ::1 the RefBox cannot identify the team: use 127.0.0.1", "team", team)
	}
	tcp := conn.(*net.TCPConn)
	if err := tcp.SetWriteBuffer(sendBuffer); err != nil {
		conn.Close()
		return nil, err
	}
	return tcp, nil
}

// localAddress returns the address from which a team's base station connects to a RefBox on its own machine: one of the
// machine's addresses in the team's network, or else the loopback address that stands for the team.
func localAddress(team int, machine []netip.Prefix) netip.Addr {
	for _, p := range machine {
		if addr := p.Addr().Unmap(); !addr.IsLoopback() && soccer.TeamAt(soccer.MSLTeams(), addr).ID == team {
			return addr
		}
	}
	return soccer.LoopbackAddress(team)
}

func notAvailable(err error) bool { return errors.Is(err, syscall.EADDRNOTAVAIL) }
