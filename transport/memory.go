package transport

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"touchline/transport/traffic"
)

// Bounds of a Memory.
const (
	maxConns    = 4096
	firstPort   = 40000
	ports       = 20000
	queueBytes  = 1 << 20 // a conn's packets under way and unread, each with its overhead
	queuePacket = 512     // overhead of a packet, as the kernel counts some too
)

// errTooLong says that a datagram is longer than MaxDatagram.
var errTooLong = fmt.Errorf("longer than %d bytes, the most that UDP carries", MaxDatagram)

// Memory is a net without sockets: multicast groups between conns of one program, over links that are impaired from a
// seed. It starts no goroutine and reads the time from package time, so it runs in a testing/synctest bubble.
type Memory struct {
	link traffic.Link
	seed uint64

	mu     sync.Mutex // of the conns, too
	conns  []*MemoryConn
	opened uint32          // so many conns were ever opened
	delays []time.Duration // scratch
}

// NewMemory returns a net on which link impairs the way from each conn to each other one, every way with its own random
// stream of seed. A conn's way to itself is perfect, as a machine's own multicast never leaves it.
func NewMemory(link traffic.Link, seed uint64) (*Memory, error) {
	if err := link.Validate(); err != nil {
		return nil, fmt.Errorf("transport: %w", err)
	}
	return &Memory{link: link, seed: seed}, nil
}

// Listen opens a conn that hears what is sent to group, or to its own address. The zero group opens a conn that only
// sends. Conns may write to groups that they do not hear.
func (n *Memory) Listen(group netip.AddrPort) (*MemoryConn, error) {
	if group != (netip.AddrPort{}) {
		if err := validateGroup(group); err != nil {
			return nil, err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.conns) == maxConns {
		return nil, fmt.Errorf("transport: %d conns are open on the net in memory, its most: close some", maxConns)
	}
	c := &MemoryConn{net: n, group: group, ways: map[*MemoryConn]*traffic.Impairment{}, changed: sync.NewCond(&n.mu)}
	for taken := true; taken; n.opened++ {
		c.number = n.opened
		c.addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(firstPort+n.opened%ports))
		taken = slices.ContainsFunc(n.conns, func(o *MemoryConn) bool { return o.addr == c.addr })
	}
	n.conns = append(n.conns, c)
	return c, nil
}

// MemoryConn is a net.PacketConn of a Memory. Its address is a port of 127.0.0.1 that no other open conn has.
type MemoryConn struct {
	net    *Memory
	number uint32
	addr   netip.AddrPort
	group  netip.AddrPort
	ways   map[*MemoryConn]*traffic.Impairment

	changed *sync.Cond  // something that a reader waits for has changed
	timer   *time.Timer // broadcasts when the first packet is due or the deadline passes
	queue   []datagram  // under way and unread, by due
	held    int         // bytes in queue, with overhead
	drops   uint64
	readBy  time.Time
	writeBy time.Time
	closed  bool
}

// datagram is shared between the queues that it lies in.
type datagram struct {
	due  time.Time
	from netip.AddrPort
	data []byte
}

// WriteTo sends b to a group or to one conn, given as *net.UDPAddr. It never waits.
func (c *MemoryConn) WriteTo(b []byte, to net.Addr) (int, error) {
	dest := addrPort(to)
	n := c.net
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	switch {
	case c.closed:
		return 0, c.fail("write", net.ErrClosed)
	case past(c.writeBy, now):
		return 0, c.fail("write", os.ErrDeadlineExceeded)
	case len(b) > MaxDatagram:
		return 0, c.fail("write", errTooLong)
	case !dest.IsValid():
		return 0, c.fail("write", fmt.Errorf("%v is no UDP address", to))
	}
	d := datagram{from: c.addr, data: bytes.Clone(b)}
	for _, r := range n.conns {
		if r.group != dest && r.addr != dest {
			continue
		}
		for _, way := range c.waysTo(r) {
			d.due = now.Add(way)
			r.take(d)
		}
	}
	return len(b), nil
}

// waysTo returns how long each copy of the next packet is under way to r.
func (c *MemoryConn) waysTo(r *MemoryConn) []time.Duration {
	n := c.net
	n.delays = n.delays[:0]
	if r == c {
		n.delays = append(n.delays, 0)
		return n.delays
	}
	way, ok := c.ways[r]
	if !ok {
		way = traffic.NewImpairment(n.link, n.seed, uint64(c.number)<<32|uint64(r.number))
		c.ways[r] = way
	}
	n.delays = way.Next(n.delays)
	return n.delays
}

// take puts d into the queue behind those that are due at the same time, or drops it.
func (c *MemoryConn) take(d datagram) {
	if c.held+len(d.data)+queuePacket > queueBytes {
		c.drops++
		return
	}
	c.held += len(d.data) + queuePacket
	i, _ := slices.BinarySearchFunc(c.queue, d, func(e, d datagram) int { return cmp.Or(e.due.Compare(d.due), -1) })
	c.queue = slices.Insert(c.queue, i, d)
	c.changed.Broadcast()
}

// ReadFrom waits for the next packet; one that is longer than b is cut. The address is a *net.UDPAddr.
func (c *MemoryConn) ReadFrom(b []byte) (int, net.Addr, error) {
	n, d, err := c.read(b)
	if err != nil {
		return 0, nil, err
	}
	return n, net.UDPAddrFromAddrPort(d.from), nil
}

func (c *MemoryConn) read(b []byte) (int, datagram, error) {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	for {
		now := time.Now()
		switch {
		case c.closed:
			return 0, datagram{}, c.fail("read", net.ErrClosed)
		case past(c.readBy, now):
			return 0, datagram{}, c.fail("read", os.ErrDeadlineExceeded)
		case len(c.queue) > 0 && past(c.queue[0].due, now):
			d := c.queue[0]
			c.queue = slices.Delete(c.queue, 0, 1)
			c.held -= len(d.data) + queuePacket
			return copy(b, d.data), d, nil
		}
		c.wake(now)
		c.changed.Wait()
	}
}

// wake sets the timer to the next moment that concerns a reader.
func (c *MemoryConn) wake(now time.Time) {
	next := c.readBy
	if len(c.queue) > 0 && (next.IsZero() || c.queue[0].due.Before(next)) {
		next = c.queue[0].due
	}
	switch {
	case next.IsZero():
	case c.timer == nil:
		c.timer = time.AfterFunc(next.Sub(now), func() {
			c.net.mu.Lock() // a reader between wake and Wait would miss it
			defer c.net.mu.Unlock()
			c.changed.Broadcast()
		})
	default:
		c.timer.Reset(next.Sub(now))
	}
}

// past reports whether t is set and now has reached it.
func past(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }

func (c *MemoryConn) fail(op string, err error) error {
	return &net.OpError{Op: op, Net: "memory", Addr: net.UDPAddrFromAddrPort(c.addr), Err: err}
}

// Close ends waiting reads and forgets what is under way to c. What c has sent still arrives.
func (c *MemoryConn) Close() error {
	n := c.net
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.closed {
		return c.fail("close", net.ErrClosed)
	}
	c.closed, c.queue, c.held = true, nil, 0
	if c.timer != nil {
		c.timer.Stop()
	}
	n.conns = slices.DeleteFunc(n.conns, func(o *MemoryConn) bool { return o == c })
	for _, o := range n.conns {
		delete(o.ways, c)
	}
	c.changed.Broadcast()
	return nil
}

// LocalAddr returns the address that the others see, a *net.UDPAddr.
func (c *MemoryConn) LocalAddr() net.Addr { return net.UDPAddrFromAddrPort(c.addr) }

// Drops returns how many packets found no room in the queue of 1 MiB, in which each counts with 512 bytes more than it has.
func (c *MemoryConn) Drops() uint64 {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	return c.drops
}

// SetDeadline sets the deadlines of reads and writes.
func (c *MemoryConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline ends reads at t, also those that wait now; the zero time means never.
func (c *MemoryConn) SetReadDeadline(t time.Time) error { return c.setDeadline(&c.readBy, t) }

// SetWriteDeadline refuses writes from t on; the zero time means never.
func (c *MemoryConn) SetWriteDeadline(t time.Time) error { return c.setDeadline(&c.writeBy, t) }

func (c *MemoryConn) setDeadline(which *time.Time, t time.Time) error {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	if c.closed {
		return c.fail("set", net.ErrClosed)
	}
	*which = t
	c.changed.Broadcast()
	return nil
}
