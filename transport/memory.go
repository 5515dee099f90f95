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
	queueBytes  = 1 << 20 // size of a conn's packets in transit and unread, each with its overhead
	queuePacket = 512     // overhead of a packet, as in the kernel
)

// errTooLong is the error of a datagram that is longer than MaxDatagram.
var errTooLong = fmt.Errorf("longer than the %d bytes that UDP carries", MaxDatagram)

// Memory is a network without sockets: multicast groups between conns of one program, over links that are impaired from
// a seed. It starts no goroutine and uses package time, so it runs in a testing/synctest bubble.
type Memory struct {
	link traffic.Link
	seed uint64

	mu     sync.Mutex // guards the conns, too
	conns  []*MemoryConn
	opened uint32          // conns opened so far
	delays []time.Duration // scratch
}

// NewMemory returns a network on which link impairs the packets from each conn to each other one, with a random stream
// of seed for each pair. A conn receives its own packets unimpaired, as a machine's own multicast never leaves it.
func NewMemory(link traffic.Link, seed uint64) (*Memory, error) {
	if err := link.Validate(); err != nil {
		return nil, fmt.Errorf("transport: %w", err)
	}
	return &Memory{link: link, seed: seed}, nil
}

// Listen opens a conn that receives packets to group and to its own address. With the zero group the conn only sends. A
// conn may send to groups that it does not receive.
func (n *Memory) Listen(group netip.AddrPort) (*MemoryConn, error) {
	if group != (netip.AddrPort{}) {
		if err := validateGroup(group); err != nil {
			return nil, err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.conns) == maxConns {
		return nil, fmt.Errorf("transport: %d conns are open on the network in memory, the maximum: close some", maxConns)
	}
	c := &MemoryConn{net: n, group: group, links: map[*MemoryConn]*traffic.Impairment{}, changed: sync.NewCond(&n.mu)}
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
	links  map[*MemoryConn]*traffic.Impairment

	changed *sync.Cond  // wakes readers
	timer   *time.Timer // broadcasts when the first packet is due or the deadline passes
	queue   []datagram  // datagrams in transit and unread, sorted by due
	queued  int         // bytes in queue, with overhead
	drops   uint64
	readBy  time.Time
	writeBy time.Time
	closed  bool
}

// datagram is a datagram in transit. Queues share its data.
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
		return 0, c.fail("write", fmt.Errorf("%v is not a UDP address", to))
	}
	d := datagram{from: c.addr, data: bytes.Clone(b)}
	for _, r := range n.conns {
		if r.group != dest && r.addr != dest {
			continue
		}
		for _, delay := range c.delaysTo(r) {
			d.due = now.Add(delay)
			r.enqueue(d)
		}
	}
	return len(b), nil
}

// delaysTo returns the delays of the copies of the next packet to r.
func (c *MemoryConn) delaysTo(r *MemoryConn) []time.Duration {
	n := c.net
	n.delays = n.delays[:0]
	if r == c {
		n.delays = append(n.delays, 0)
		return n.delays
	}
	link, ok := c.links[r]
	if !ok {
		link = traffic.NewImpairment(n.link, n.seed, uint64(c.number)<<32|uint64(r.number))
		c.links[r] = link
	}
	n.delays = link.Next(n.delays)
	return n.delays
}

// enqueue inserts d behind the datagrams that are due at the same time, or drops it.
func (c *MemoryConn) enqueue(d datagram) {
	if c.queued+len(d.data)+queuePacket > queueBytes {
		c.drops++
		return
	}
	c.queued += len(d.data) + queuePacket
	i, _ := slices.BinarySearchFunc(c.queue, d, func(e, d datagram) int { return cmp.Or(e.due.Compare(d.due), -1) })
	c.queue = slices.Insert(c.queue, i, d)
	c.changed.Broadcast()
}

// ReadFrom waits for the next packet; it cuts one that is longer than b. The address is a *net.UDPAddr.
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
			c.queued -= len(d.data) + queuePacket
			return copy(b, d.data), d, nil
		}
		c.wake(now)
		c.changed.Wait()
	}
}

// wake sets the timer to the next time at which a reader may continue.
func (c *MemoryConn) wake(now time.Time) {
	next := c.readBy
	if len(c.queue) > 0 && (next.IsZero() || c.queue[0].due.Before(next)) {
		next = c.queue[0].due
	}
	switch {
	case next.IsZero():
	case c.timer == nil:
		c.timer = time.AfterFunc(next.Sub(now), func() {
			c.net.mu.Lock() // else a reader between wake and Wait would miss the broadcast
			defer c.net.mu.Unlock()
			c.changed.Broadcast()
		})
	default:
		c.timer.Reset(next.Sub(now))
	}
}

// past reports whether t is set and not after now.
func past(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }

func (c *MemoryConn) fail(op string, err error) error {
	return &net.OpError{Op: op, Net: "memory", Addr: net.UDPAddrFromAddrPort(c.addr), Err: err}
}

// Close ends waiting reads and drops the packets in transit to c. Packets that c has sent still arrive.
func (c *MemoryConn) Close() error {
	n := c.net
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.closed {
		return c.fail("close", net.ErrClosed)
	}
	c.closed, c.queue, c.queued = true, nil, 0
	if c.timer != nil {
		c.timer.Stop()
	}
	n.conns = slices.DeleteFunc(n.conns, func(o *MemoryConn) bool { return o == c })
	for _, o := range n.conns {
		delete(o.links, c)
	}
	c.changed.Broadcast()
	return nil
}

// LocalAddr returns the conn's address, a *net.UDPAddr.
func (c *MemoryConn) LocalAddr() net.Addr { return net.UDPAddrFromAddrPort(c.addr) }

// Drops returns the number of packets that did not fit into the queue of 1 MiB, in which each has an overhead of 512
// bytes.
func (c *MemoryConn) Drops() uint64 {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	return c.drops
}

// SetDeadline sets the deadlines of reads and writes.
func (c *MemoryConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline ends reads at t, also one that waits now; the zero time means never.
func (c *MemoryConn) SetReadDeadline(t time.Time) error { return c.setDeadline(&c.readBy, t) }

// SetWriteDeadline makes writes fail from t on; the zero time means never.
func (c *MemoryConn) SetWriteDeadline(t time.Time) error { return c.setDeadline(&c.writeBy, t) }

func (c *MemoryConn) setDeadline(deadline *time.Time, t time.Time) error {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	if c.closed {
		return c.fail("set", net.ErrClosed)
	}
	*deadline = t
	c.changed.Broadcast()
	return nil
}
