package transport

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Limits bound the connections of a Listener.
type Limits struct {
	// Total is how many connections are open at a time.
	Total int
	// PerAddress is how many of them one address beyond this machine has.
	PerAddress int
	// Write is the time for one Write, unless the connection has a write deadline of its own.
	Write time.Duration
}

const (
	maxHTTPConns = 1024
	reserved     = 64 // file descriptors for logs, sockets of teams and the program itself
	leastConns   = 16
	connsPerAddr = 64
	writeTime    = 10 * time.Second
)

// DefaultLimits returns limits that leave half of the program's file descriptors to everything else: at most
// 1,024 connections, 64 of one address, 10 s for a Write.
func DefaultLimits() Limits {
	return Limits{Total: Share(maxHTTPConns, 2), PerAddress: connsPerAddr, Write: writeTime}
}

// Share returns how many file descriptors a part of the program may use: at most most, and at most one of parts equal
// parts of those that the system allows, less a reserve; never less than 16.
func Share(most, parts int) int {
	return max(min(most, (fileLimit()-reserved)/parts), min(most, leastConns))
}

// Listener limits the connections of an HTTP server, so that a flood of them leaves room for everybody else. Beyond a
// limit the newest connection is accepted and another one is closed, of the address with the most connections. While
// more than half of the connections are without a request, it is the oldest of them. Otherwise it is the oldest idle
// one, then the oldest one with a request, then the oldest stream. Trusted connections stay. A flood therefore closes
// its own connections, whatever they send, and a new client has the time to show that it is trusted.
type Listener struct {
	net.Listener
	limits Limits

	mu       sync.Mutex
	conns    map[*limitedConn]struct{}
	count    map[netip.Addr]int // number of conns of each address
	fresh    int                // number of conns without a request
	accepted uint64
}

// Limit returns a Listener of l.
func Limit(l net.Listener, limits Limits) *Listener {
	return &Listener{Listener: l, limits: limits, conns: map[*limitedConn]struct{}{},
		count: map[netip.Addr]int{}}
}

// The ranks of connections: those of a lower rank are closed first.
const (
	rankNew = iota // no request yet
	rankIdle
	rankBusy
	rankStream // taken over from HTTP
)

// limitedConn is a connection of a Listener.
type limitedConn struct {
	net.Conn
	l      *Listener
	addr   netip.Addr
	number uint64 // place in the order of acceptance

	// Guarded by l.mu.
	rank    int
	trusted bool

	mu       sync.Mutex
	deadline bool // it has a write deadline of its own
}

// Accept accepts the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &limitedConn{Conn: conn, l: l}
	if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		c.addr = tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	l.mu.Lock()
	l.accepted++
	c.number = l.accepted
	l.conns[c] = struct{}{}
	l.count[c.addr]++
	l.fresh++
	victim := l.victim(c)
	l.mu.Unlock()
	if victim != nil {
		victim.Close()
	}
	return c, nil
}

// victim returns the connection that is closed for c, nil if none is; it may be c.
func (l *Listener) victim(c *limitedConn) *limitedConn {
	crowded := l.count[c.addr] > l.limits.PerAddress && !c.addr.IsLoopback()
	if !crowded && len(l.conns) <= l.limits.Total {
		return nil
	}
	without, most := l.fresh, l.limits.Total
	if crowded {
		without, most = 0, l.limits.PerAddress
		for o := range l.conns {
			if o.addr == c.addr && o.rank == rankNew {
				without++
			}
		}
	}
	victim := c
	for o := range l.conns {
		if o == c || o.trusted || crowded && o.addr != c.addr {
			continue
		}
		if victim == c || o.before(victim, without > most/2) {
			victim = o
		}
	}
	return victim
}

// before reports whether c is closed rather than o; fresh: those without a request are closed first, otherwise last.
func (c *limitedConn) before(o *limitedConn, fresh bool) bool {
	count := c.l.count
	switch isNew, otherNew := c.rank == rankNew, o.rank == rankNew; {
	case isNew != otherNew:
		return isNew == fresh
	case count[c.addr] != count[o.addr]:
		return count[c.addr] > count[o.addr]
	case c.rank != o.rank:
		return c.rank < o.rank
	}
	return c.number < o.number
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// Serve sets up an HTTP server for the connections of the listener.
func (l *Listener) Serve(server *http.Server) error {
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		c, ok := conn.(*limitedConn)
		if !ok {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if _, open := l.conns[c]; open && c.rank == rankNew && state != http.StateNew {
			l.fresh--
		}
		switch state {
		case http.StateActive:
			c.rank = rankBusy
		case http.StateIdle:
			c.rank = rankIdle
		case http.StateHijacked, http.StateClosed:
			c.rank = rankStream
		}
	}
	return server.Serve(l)
}

// Trust protects the connection of a request: no other one takes its place.
func Trust(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*limitedConn); ok {
		c.l.mu.Lock()
		c.trusted = true
		c.l.mu.Unlock()
	}
}

// Write writes with the limit's deadline, if the connection has none.
func (c *limitedConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	own := c.deadline
	c.mu.Unlock()
	if !own {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.l.limits.Write)) // on a closed connection Write fails as well
	}
	return c.Conn.Write(b)
}

// SetWriteDeadline sets or removes the connection's own deadline.
func (c *limitedConn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	c.deadline = !t.IsZero()
	c.mu.Unlock()
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline sets or removes the connection's own deadlines.
func (c *limitedConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	c.deadline = !t.IsZero()
	c.mu.Unlock()
	return c.Conn.SetDeadline(t)
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	c.l.mu.Lock()
	if _, open := c.l.conns[c]; open {
		delete(c.l.conns, c)
		if c.rank == rankNew {
			c.l.fresh--
		}
		if c.l.count[c.addr]--; c.l.count[c.addr] == 0 {
			delete(c.l.count, c.addr)
		}
	}
	c.l.mu.Unlock()
	return c.Conn.Close()
}
