package teamcom

import (
	"errors"
	"fmt"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// ErrFull is the error of Send when the queue of a message's class is full. The message is dropped and counted.
var ErrFull = errors.New("teamcom: the queue is full")

// Client sends the messages of one module, as TeamChaos' TcmClient does: it stores them in a bounded queue for each
// class, from which they leave in the order command, robots, telemetry, bulk and no faster than the budget.
type Client struct {
	node   *Node
	module tcm.Module
}

// Data is a message that encodes itself. DataType returns its tcm.Type.
type Data interface {
	AppendBinary(b []byte) ([]byte, error)
	DataType() uint16
}

// Send queues messages whose contents were captured at a time of this node's clock. Those of one call share a datagram if
// they are of one class and fit.
func (c *Client) Send(captured soccer.Time, to tcm.Entity, data ...Data) error {
	n := c.node
	n.mu.Lock()
	b := n.spares.encoding[:0]
	n.spares.encoding = nil
	n.mu.Unlock()
	var err error
	ends := make([]int, 0, 4)
	for _, d := range data { // without the lock: a message is the caller's code
		if b, err = d.AppendBinary(b); err != nil {
			break
		}
		ends = append(ends, len(b))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	at := 0
	for i, end := range ends {
		err = errors.Join(err, n.queue(captured, to, c.module, tcm.Type(data[i].DataType()), b[at:end]))
		at = end
	}
	if cap(b) > cap(n.spares.encoding) && cap(b) <= maxSenderBytes {
		n.spares.encoding = b
	}
	return err
}

// SendBytes queues an encoded message of any type. It copies b.
func (c *Client) SendBytes(captured soccer.Time, to tcm.Entity, t tcm.Type, b []byte) error {
	c.node.mu.Lock()
	defer c.node.mu.Unlock()
	return c.node.queue(captured, to, c.module, t, b)
}

// queue queues a copy of an encoded message. It requires n.mu.
func (n *Node) queue(captured soccer.Time, to tcm.Entity, module tcm.Module, t tcm.Type, b []byte) error {
	options := n.options(t)
	if err := n.sendable(to, t, len(b), options); err != nil {
		return err
	}
	q := &n.queues[options.Socket]
	if classSize(classOf(len(b))) > q.limits.Bytes {
		q.dropped++
		return fmt.Errorf("%w: a message of %d bytes, and the %v queue holds %d", ErrFull, len(b), q.socket, q.limits.Bytes)
	}
	key := streamKey{to, module, t}
	if options.LatestWins {
		n.supersede(q, key)
	}
	if !n.makeRoom(q, t, len(b), options.DropOldest) {
		q.dropped++
		return fmt.Errorf("%w: %d messages wait in the %v queue", ErrFull, q.messages, q.socket)
	}
	q.append(n.newMessage(key, captured, options.Parity, b))
	if n.queued != nil {
		n.queued()
	}
	return nil
}

// sendable returns the error of a message that no receiver accepts.
func (n *Node) sendable(to tcm.Entity, t tcm.Type, size int, options Options) error {
	switch {
	case to.Kind != tcm.Robot && to.Kind != tcm.Computer:
		return fmt.Errorf("teamcom: a message to %v: want a robot, a computer, robots or computers", to)
	case to == n.cfg.Self:
		return fmt.Errorf("teamcom: a message from %v to itself", to)
	case n.cfg.Directory != nil && to.ID != 0 && !n.base(to).IsValid():
		return fmt.Errorf("teamcom: no address for %v: list it in TCM.ini, or wait for its first datagram if it is listed "+
			"as any", to)
	case t == 0:
		return errors.New("teamcom: type 0 is invalid: want 1 to 65,535")
	case options.Socket >= tcm.Sockets:
		return fmt.Errorf("teamcom: the options of %v name %v: want 0 to 3", t, options.Socket)
	case pieceCount(size)+groupCount(pieceCount(size), options.Parity) > maxPieces:
		return fmt.Errorf("teamcom: a message of %d bytes: with its parity the most is 4 MiB", size)
	}
	return nil
}

// supersede drops the waiting messages of key, of which only the newest matters. One that is leaving stays.
func (n *Node) supersede(q *queue, key streamKey) {
	for m := q.first; m != nil; {
		next := m.next
		if m.key == key && !m.leaving() {
			n.drop(q, m)
		}
		m = next
	}
}

// makeRoom reports whether a message of size bytes fits into q. It drops the oldest messages of the type if that helps
// and dropOldest allows it.
func (n *Node) makeRoom(q *queue, t tcm.Type, size int, dropOldest bool) bool {
	m := q.first
	for !q.fits(size) {
		for m != nil && (m.key.typ != t || m.leaving()) {
			m = m.next
		}
		if m == nil || !dropOldest {
			return false
		}
		next := m.next
		n.drop(q, m)
		m = next
	}
	return true
}

// Waiting returns the messages of a class that wait to leave, and their bytes.
func (n *Node) Waiting(class tcm.Socket) (messages, bytes int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := &n.queues[class]
	return q.messages, q.bytes
}
