package station

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

// Target is where a RefBox is, and from where to connect to it.
type Target struct {
	Host string // name or address
	Port string
	// From is the address to connect from: RefBoxes know teams by it. Default: the system's choice, but 127.0.T.1 for team T
	// when the RefBox is on 127.0.0.0/8.
	From     netip.Addr
	loopback netip.Addr // 127.0.T.1
}

// ParseTarget reads HOST:PORT, HOST or [IPv6]:PORT for a team's station; the default port is 28097.
func ParseTarget(address string, team int) (Target, error) {
	host, port, err := net.SplitHostPort(address)
	if _, bare := netip.ParseAddr(address); err != nil && (bare == nil || !strings.ContainsAny(address, ":[]")) {
		host, port, err = address, strconv.Itoa(msl.Port), nil
	}
	n, bad := strconv.Atoi(port)
	if err != nil || bad != nil || host == "" || n < 1 || n > 65535 {
		return Target{}, fmt.Errorf("station: RefBox at %.60q: want HOST or HOST:PORT, for example 172.16.1.2:%d", address, msl.Port)
	}
	return Target{Host: host, Port: port, loopback: netip.AddrFrom4([4]byte{127, 0, byte(team), 1})}, nil
}

// String returns HOST:PORT.
func (t Target) String() string { return net.JoinHostPort(t.Host, t.Port) }

// How long to wait before the next attempt, doubled each time. Where nobody listens, attempts harm nobody. A RefBox that
// closes a connection without WELCOME refused it, and to each such attempt RefBox 2.1 may send RESET to the teams that
// play (facts msl 1.8): there they are rare.
const (
	retryLeast, retryMost     = 200 * time.Millisecond, 2 * time.Second
	refusedLeast, refusedMost = 2 * time.Second, 30 * time.Second
	dialFor                   = 3 * time.Second
)

// talk keeps a connection to the RefBox until the context ends.
func (l *Live) talk(ctx context.Context) error {
	retry, refused := retryLeast, refusedLeast
	for {
		conn, err := l.dial(ctx)
		wait := retry
		retry = min(2*retry, retryMost)
		if err == nil {
			welcomed := false
			l.connected(conn)
			welcomed, err = l.serve(ctx, conn)
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
		l.disconnected(err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

func (l *Live) connected(conn net.Conn) {
	l.mu.Lock()
	l.health.RefBox, l.health.Trouble = conn.RemoteAddr().String(), ""
	l.health.Connected++
	l.mu.Unlock()
	l.Log.Info("connected to the RefBox, waiting for WELCOME", "refbox", conn.RemoteAddr(), "from", conn.LocalAddr())
}

// disconnected says once why there is no connection.
func (l *Live) disconnected(err error) {
	l.mu.Lock()
	again := l.health.Trouble == err.Error()
	l.health.RefBox, l.health.Trouble = "", err.Error()
	l.mu.Unlock()
	if !again {
		l.Log.Warn("no RefBox, trying again for ever", "refbox", l.RefBox, "err", err)
	}
}

// dial tries each address of the RefBox.
func (l *Live) dial(ctx context.Context) (net.Conn, error) {
	lookup, cancel := context.WithTimeout(ctx, dialFor)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupNetIP(lookup, "ip", l.RefBox.Host)
	if err != nil {
		return nil, err
	}
	var all []error
	for _, family := range [2]bool{true, false} { // IPv4 first: teams are known by it
		for _, addr := range addrs {
			if addr = addr.Unmap(); addr.Is4() != family {
				continue
			}
			conn, err := l.dialOne(ctx, addr)
			if err == nil {
				return conn, nil
			}
			all = append(all, err)
		}
	}
	return nil, errors.Join(all...)
}

// dialOne connects to one address of the RefBox.
func (l *Live) dialOne(ctx context.Context, addr netip.Addr) (net.Conn, error) {
	// Where the RefBox's machine is gone, that is found out within half a minute.
	d := net.Dialer{Timeout: dialFor, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}}
	from := l.RefBox.From
	if !from.IsValid() && addr.Is4() && addr.IsLoopback() {
		from = l.RefBox.loopback
	}
	if from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
	at := net.JoinHostPort(addr.String(), l.RefBox.Port)
	conn, err := d.DialContext(ctx, "tcp", at)
	if from == l.RefBox.loopback && errors.Is(err, syscall.EADDRNOTAVAIL) { // systems that have 127.0.0.1 only
		l.Log.Warn("this system has no such address: the RefBox will not know the team", "address", from)
		d.LocalAddr = nil
		conn, err = d.DialContext(ctx, "tcp", at)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("nobody answers at %s: is its address right, and this machine on its network?", at)
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("no RefBox listens at %s", at)
	}
	if err != nil {
		return nil, err
	}
	if addr.Is6() && addr.IsLoopback() {
		l.Log.Warn("over ::1 the RefBox cannot know the team's number: call it by 127.0.0.1", "team", l.station.cfg.Team)
	}
	if err := conn.(*net.TCPConn).SetWriteBuffer(sendBuffer); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
