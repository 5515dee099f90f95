package stationnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"touchline/wire/msl"
)

// Target is the address of a RefBox, and the own address to connect from.
type Target struct {
	Host string // name or address
	Port string
	// From is the own address, by which RefBoxes identify teams. Default: the system's choice, but 127.0.T.1 for team T
	// if the RefBox is on 127.0.0.0/8
	From     netip.Addr
	loopback netip.Addr // 127.0.T.1
}

func defaultTarget(team int) Target {
	return Target{
		Host: "127.0.0.1", Port: strconv.Itoa(msl.Port), loopback: netip.AddrFrom4([4]byte{127, 0, byte(team), 1}),
	}
}

// ParseTarget parses HOST:PORT, HOST or [IPv6]:PORT for a team's station; the default port is 28097.
func ParseTarget(address string, team int) (Target, error) {
	host, port, err := net.SplitHostPort(address)
	if _, bare := netip.ParseAddr(address); err != nil && (bare == nil || !strings.ContainsAny(address, ":[]")) {
		host, port, err = address, strconv.Itoa(msl.Port), nil
	}
	n, bad := strconv.Atoi(port)
	if err != nil || bad != nil || host == "" || n < 1 || n > 65535 {
		return Target{}, fmt.Errorf("station: RefBox %.60q: want HOST or HOST:PORT, for example 172.16.1.2:%d",
			address, msl.Port)
	}
	t := defaultTarget(team)
	t.Host, t.Port = host, port
	return t, nil
}

// String returns HOST:PORT.
func (t Target) String() string { return net.JoinHostPort(t.Host, t.Port) }

// Waiting times before the next attempt, doubled each time. Attempts are frequent while no RefBox listens. A RefBox
// that closes a connection without WELCOME refused it, and RefBox 2.1 may send RESET to the playing teams for each such
// attempt: then they are rare.
const (
	retryLeast, retryMost     = 200 * time.Millisecond, 2 * time.Second
	refusedLeast, refusedMost = 2 * time.Second, 30 * time.Second
	dialTimeout               = 3 * time.Second
)

// connect keeps a connection to the RefBox until ctx ends.
func (c *Client) connect(ctx context.Context) error {
	retry, refused := retryLeast, refusedLeast
	for {
		conn, err := c.dial(ctx)
		wait := retry
		retry = min(2*retry, retryMost)
		if err == nil {
			welcomed := false
			c.noteConnected(conn)
			welcomed, err = c.serve(ctx, conn)
			if retry = retryLeast; welcomed {
				wait, refused = retryLeast, refusedLeast
			} else {
				wait, refused = refused, min(2*refused, refusedMost)
				err = fmt.Errorf("closed before WELCOME, perhaps refused: %w", err)
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

// dial tries each address of the RefBox.
func (c *Client) dial(ctx context.Context) (net.Conn, error) {
	lookup, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupNetIP(lookup, "ip", c.cfg.RefBox.Host)
	if err != nil {
		return nil, err
	}
	var all []error
	for _, family := range [2]bool{true, false} { // IPv4 first: it identifies teams
		for _, addr := range addrs {
			if addr = addr.Unmap(); addr.Is4() != family {
				continue
			}
			conn, err := c.dialOne(ctx, addr)
			if err == nil {
				return conn, nil
			}
			all = append(all, err)
		}
	}
	return nil, errors.Join(all...)
}

// dialOne connects to one address of the RefBox.
func (c *Client) dialOne(ctx context.Context, addr netip.Addr) (net.Conn, error) {
	// Keep-alive detects a RefBox machine that is gone within half a minute.
	d := net.Dialer{
		Timeout:         dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	}
	target := &c.cfg.RefBox
	from := target.From
	if !from.IsValid() && addr.Is4() && addr.IsLoopback() {
		from = target.loopback
	}
	if from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
	at := net.JoinHostPort(addr.String(), target.Port)
	conn, err := d.DialContext(ctx, "tcp", at)
	if from == target.loopback && errors.Is(err, syscall.EADDRNOTAVAIL) { // on systems with 127.0.0.1 only
		c.log.Warn("this system does not have the address: the RefBox cannot identify the team", "address", from)
		d.LocalAddr = nil
		conn, err = d.DialContext(ctx, "tcp", at)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("no answer from %s: check the address and this machine's network", at)
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("no RefBox listens at %s", at)
	case err != nil:
		return nil, err
	}
	if addr.Is6() && addr.IsLoopback() {
		c.log.Warn("over ::1 the RefBox cannot identify the team: use 127.0.0.1", "team", c.cfg.Station.Team)
	}
	if err := conn.(*net.TCPConn).SetWriteBuffer(sendBuffer); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
