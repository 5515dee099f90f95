package teamcom

import (
	"encoding/binary"
	"net/netip"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// Outgoing is a datagram to send now, from the node's own port of Socket.
type Outgoing struct {
	To     tcm.Entity
	Socket tcm.Socket
	Data   []byte
	Addrs  []netip.AddrPort // where to; several for a broadcast without a group. Empty without a directory
}

// priority is the order in which the classes leave.
var priority = [...]tcm.Socket{tcm.Command, tcm.Robots, tcm.Telemetry, tcm.Bulk}

// batchScan bounds how many waiting messages Next considers for one datagram.
const batchScan = 64

// Next returns the next datagram to send now. It writes the datagram to b, which it grows to at most
// tcm.OwnDatagram bytes. Several small messages to one destination share a datagram. Next also gives up incomplete
// messages that are too old, therefore it is called at Wake even if no message waits.
func (n *Node) Next(now soccer.Time, b []byte) (Outgoing, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.start(now)
	n.expire(now)
	for _, s := range priority {
		q := &n.queues[s]
		if q.first == nil || q.ready() > now {
			continue
		}
		return n.fill(now, q, b[:0]), true
	}
	return n.beacon(now, b[:0])
}

// Wake returns the time at which Next is to be called again, after it returned false: now or earlier if a message may
// leave, Never if the node waits for nothing.
func (n *Node) Wake() soccer.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	wake := min(n.expiry, n.nextBeacon)
	for i := range n.queues {
		if q := &n.queues[i]; q.first != nil {
			wake = min(wake, q.ready())
		}
	}
	return wake
}

// fill builds a datagram from the first message of q and from others to the same destination that fit.
func (n *Node) fill(now soccer.Time, q *queue, b []byte) Outgoing {
	to := q.first.key.to
	b = n.header(now, to, q.socket).Append(b)
	limit := tcm.OwnDatagram - tcm.SumSize
	if n.key != nil {
		limit -= tcm.TagSize
	}
	m := q.first
	for range batchScan {
		if m == nil {
			break
		}
		next := m.next
		for m.key.to == to && len(b)+m.nextSize() <= limit {
			b = n.appendPiece(b, m)
			if m.sent == m.pieces+m.groups {
				q.sent++
				n.remove(q, m)
				break
			}
		}
		m = next
	}
	return n.depart(now, q, to, b)
}

// depart completes the datagram b.
func (n *Node) depart(now soccer.Time, q *queue, to tcm.Entity, b []byte) Outgoing {
	b = tcm.Seal(b, n.key)
	addrs := n.addresses(to, q.socket)
	q.spend(now, len(b)*max(len(addrs), 1))
	q.datagrams++
	if n.cfg.Directory != nil && len(addrs) == 0 {
		q.unreachable++
	}
	return Outgoing{To: to, Socket: q.socket, Data: b, Addrs: addrs}
}

// header returns the header of the next datagram to a destination.
func (n *Node) header(now soccer.Time, to tcm.Entity, socket tcm.Socket) *tcm.Header {
	sequence := &n.sequences[to.Kind-1][to.ID][socket]
	*sequence++
	n.head = tcm.Header{
		Team: n.cfg.Team, From: n.cfg.Self, To: to, Socket: socket, Boot: n.cfg.Boot,
		Sequence: *sequence, Sent: uint64(now), Echo: n.echo(now, to),
	}
	return &n.head
}

// nextSize returns the bytes that the next piece of m needs in a datagram.
func (m *message) nextSize() int {
	if m.pieces == 1 {
		return tcm.PieceHeader + m.size
	}
	if m.sent == m.pieces-1 {
		return tcm.FragmentHeader + m.size - m.sent*tcm.PieceSize
	}
	return tcm.FragmentHeader + tcm.PieceSize
}

// appendPiece appends the next piece of m.
func (n *Node) appendPiece(b []byte, m *message) []byte {
	if !m.leaving() {
		m.number = n.numbers[m.key]
		n.numbers[m.key] = m.number + 1
	}
	p := &n.piece
	*p = tcm.Piece{Module: m.key.module, Type: m.key.typ, Number: m.number, Captured: uint64(m.captured)}
	whole := m.buf.data[:m.size]
	if m.pieces == 1 {
		p.Data = whole
	} else {
		p.Fragment, p.Index, p.Count = true, uint16(m.sent), uint16(m.pieces)
		p.Total, p.Sum, p.Every = uint32(m.size), m.sum, m.every
		if m.sent < m.pieces {
			p.Data = whole[m.sent*tcm.PieceSize : min((m.sent+1)*tcm.PieceSize, m.size)]
		} else {
			p.Parity, p.Index = true, uint16(m.sent-m.pieces)
			p.Data = n.parityOf(whole, int(p.Index), m.groups)
		}
	}
	m.sent++
	return p.Append(b)
}

// parityOf returns the XOR of the data pieces of a group, in memory that the next call reuses.
func (n *Node) parityOf(whole []byte, group, groups int) []byte {
	sum := n.parity[:]
	clear(sum)
	for at := group * tcm.PieceSize; at < len(whole); at += groups * tcm.PieceSize {
		xor(sum, whole[at:min(at+tcm.PieceSize, len(whole))])
	}
	return sum
}

// xor adds b to dst, which is at least as long.
func xor(dst, b []byte) {
	for len(b) >= 8 {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(dst)^binary.LittleEndian.Uint64(b))
		dst, b = dst[8:], b[8:]
	}
	for i, v := range b {
		dst[i] ^= v
	}
}
