package teamcom

import (
	"touchline/soccer"
	"touchline/wire/tcm"
)

// message waits in a queue, or is leaving piece by piece.
type message struct {
	key      streamKey
	number   uint32 // valid once its first piece has left
	captured soccer.Time
	buf      *buffer
	size     int
	sum      uint32
	pieces   int
	groups   int // parity pieces
	every    uint8
	sent     int // pieces and parity pieces that have left

	next, prev *message
}

// leaving reports whether a part of the message has left.
func (m *message) leaving() bool { return m.sent > 0 }

// pieceCount returns the number of data pieces of a message.
func pieceCount(size int) int { return max((size+tcm.PieceSize-1)/tcm.PieceSize, 1) }

// groupCount returns the number of parity pieces of a message, given its data pieces.
func groupCount(pieces int, every uint8) int {
	if every == 0 || pieces == 1 {
		return 0
	}
	return (pieces + int(every) - 1) / int(every)
}

// newMessage returns a message with a copy of b.
func (n *Node) newMessage(key streamKey, captured soccer.Time, every uint8, b []byte) *message {
	m := n.spares.message
	if m == nil {
		m = new(message)
	} else {
		n.spares.message = m.next
	}
	pieces := pieceCount(len(b))
	*m = message{
		key: key, captured: captured, buf: n.pool.lend(len(b)), size: len(b),
		pieces: pieces, groups: groupCount(pieces, every), every: every,
	}
	copy(m.buf.data, b)
	if pieces > 1 {
		m.sum = tcm.Sum(b)
	}
	return m
}

// queue holds the outgoing messages of one class in the order of their arrival.
type queue struct {
	socket      tcm.Socket
	limits      Limits
	budget      int         // bytes/s
	full        soccer.Time // when the budget's bucket is full again
	first       *message
	last        *message
	messages    int
	bytes       int
	sent        uint64 // messages
	dropped     uint64 // messages
	datagrams   uint64
	unreachable uint64 // datagrams without an address
}

// fits reports whether a message of size bytes has room.
func (q *queue) fits(size int) bool {
	return q.messages < q.limits.Messages && q.bytes+classSize(classOf(size)) <= q.limits.Bytes
}

func (q *queue) append(m *message) {
	if m.prev = q.last; m.prev != nil {
		m.prev.next = m
	} else {
		q.first = m
	}
	q.last = m
	q.messages++
	q.bytes += len(m.buf.data)
}

// remove takes m out of q and returns its memory.
func (n *Node) remove(q *queue, m *message) {
	if m.prev != nil {
		m.prev.next = m.next
	} else {
		q.first = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	} else {
		q.last = m.prev
	}
	q.messages--
	q.bytes -= len(m.buf.data)
	n.pool.release(m.buf)
	*m = message{next: n.spares.message}
	n.spares.message = m
}

// drop removes a message that never left.
func (n *Node) drop(q *queue, m *message) {
	n.remove(q, m)
	q.dropped++
}

// burst is how much of its budget a class may use at once, as time.
const burst = soccer.Time(10e6)

// ready returns the time from which the budget allows the next datagram.
func (q *queue) ready() soccer.Time { return q.full - burst }

// spend charges a datagram to the budget.
func (q *queue) spend(now soccer.Time, size int) {
	q.full = max(q.full, now) + soccer.Time(int64(size)*1e9/int64(q.budget))
}
