package teamcom

import (
	"slices"
	"time"

	"touchline/internal/bounded"
	"touchline/wire/tcm"
)

// delivery is a message on its way to one module.
type delivery struct {
	from From
	buf  *buffer
}

func (d *delivery) message() []byte { return d.buf.data[:d.from.Size] }

// inbox is a module's queue, the message that arrived first at 0.
type inbox struct {
	bounded.Ring[delivery]
	bytes int
}

func (q *inbox) push(from *From, buf *buffer, most int) {
	d := q.Push(most)
	d.from, d.buf = *from, buf
	q.bytes += len(buf.data)
}

// remove removes message i.
func (q *inbox) remove(i int) {
	for q.bytes -= len(q.At(i).buf.data); i > 0; i-- {
		*q.At(i) = *q.At(i - 1)
	}
	first := q.At(0)
	first.buf, first.from.Missing = nil, nil
	q.Drop(1)
}

// pop moves the first message to d.
func (q *inbox) pop(d *delivery) {
	*d = *q.At(0)
	q.remove(0)
}

// deliver gives a message to every module that listens to its type. Each takes a reference of buf; the caller keeps
// its own.
func (n *Node) deliver(from *From, buf *buffer, latestWins bool) {
	for _, m := range n.listenersOf(from.Type) {
		m.enqueue(from, buf, latestWins)
	}
}

// staleAfter is the time after which a waiting message gives way to a newer one of a latest-wins type, so that a slow
// handler does not work on old messages only.
const staleAfter = 100 * time.Millisecond

// enqueue adds a message to the module's queue. If the queue is full, it drops a message of the source that has most of
// it: the new one, or one that waits.
func (m *Module) enqueue(from *From, buf *buffer, latestWins bool) {
	if latestWins {
		m.removeStale(from)
	}
	for size := len(buf.data); !m.fits(size); {
		m.counters.Dropped++
		i := m.newestOfHeaviest(from.Entity, size)
		if i < 0 {
			return
		}
		m.node.pool.release(m.queue.At(i).buf)
		m.queue.remove(i)
	}
	buf.refs++
	m.queue.push(from, buf, m.node.cfg.Modules.Messages)
	if m.node.delivered != nil {
		m.node.delivered(m)
	}
}

// removeStale removes the messages for which newest is a newer one, if they have waited for long.
func (m *Module) removeStale(newest *From) {
	for i := 0; i < m.queue.Len(); {
		d := m.queue.At(i)
		f := &d.from
		if f.Type != newest.Type || f.Entity != newest.Entity || f.Module != newest.Module || f.To != newest.To ||
			newest.Received.Sub(f.Received) < staleAfter {
			i++
			continue
		}
		m.counters.Superseded++
		m.node.pool.release(d.buf)
		m.queue.remove(i)
	}
}

// newestOfHeaviest returns the place of the newest message of the source that has most of the queue: most messages or
// most bytes, whichever there are too many of. It returns -1 if that is e with its new message of size bytes.
func (m *Module) newestOfHeaviest(e tcm.Entity, size int) int {
	var shares [2][256]int
	share := func(e tcm.Entity) *int { return &shares[e.Kind-1][e.ID] }
	byCount := m.queue.Len() >= m.node.cfg.Modules.Messages
	weight := func(bytes int) int {
		if byCount {
			return 1
		}
		return bytes
	}
	*share(e) = weight(size)
	for i := range m.queue.Len() {
		d := m.queue.At(i)
		*share(d.from.Entity) += weight(len(d.buf.data))
	}
	heaviest, place := e, -1
	for i := range m.queue.Len() {
		source := m.queue.At(i).from.Entity
		if *share(source) > *share(heaviest) {
			heaviest = source
		}
		if source == heaviest && source != e {
			place = i
		}
	}
	return place
}

// wanted reports whether a module that listens to a type has room for a message of size bytes.
func (n *Node) wanted(t tcm.Type, size int) bool {
	return slices.ContainsFunc(n.listenersOf(t), func(m *Module) bool { return m.fits(size) })
}

// fits reports whether a message with a buffer of size bytes fits into the module's queue.
func (m *Module) fits(size int) bool {
	limits := &m.node.cfg.Modules
	return m.queue.Len() < limits.Messages && m.queue.bytes+size <= limits.Bytes
}
