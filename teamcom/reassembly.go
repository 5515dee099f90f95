package teamcom

import (
	"touchline/soccer"
	"touchline/wire/tcm"
)

// partial is a message of which pieces are missing. Its buffer holds the data pieces, each at its place and padded to a
// whole piece, and then the parity pieces.
type partial struct {
	stream   *stream
	number   uint32
	captured uint64
	count    int // data pieces
	groups   int // parity pieces
	total    uint32
	sum      uint32
	every    uint8
	missing  int // data pieces
	last     soccer.Time
	buf      *buffer
	have     [(maxPieces + 63) / 64]uint64 // data pieces, then parity pieces
	next     *partial                      // next unused one
}

func (m *partial) has(i int) bool { return m.have[i/64]>>(i%64)&1 == 1 }

// piece returns the place of data piece or parity piece i.
func (m *partial) piece(i int) []byte { return m.buf.data[i*tcm.PieceSize : (i+1)*tcm.PieceSize] }

// store stores data piece or parity piece i.
func (m *partial) store(i int, data []byte) {
	m.have[i/64] |= 1 << (i % 64)
	clear(m.piece(i)[copy(m.piece(i), data):])
	if i < m.count {
		m.missing--
	}
}

// matches reports whether p agrees with the pieces before it about their message.
func (m *partial) matches(p *tcm.Piece) bool {
	return m.captured == p.Captured && m.count == int(p.Count) && m.total == p.Total && m.sum == p.Sum &&
		m.every == p.Every
}

// repair restores the data piece of a group if it is the only one that is missing and the parity piece has arrived.
func (m *partial) repair(group int) bool {
	if m.missing == 0 || !m.has(m.count+group) {
		return false
	}
	lost := -1
	for i := group; i < m.count; i += m.groups {
		switch {
		case m.has(i):
		case lost >= 0:
			return false
		default:
			lost = i
		}
	}
	if lost < 0 {
		return false
	}
	m.store(lost, m.piece(m.count+group))
	for i := group; i < m.count; i += m.groups {
		if i != lost {
			xor(m.piece(lost), m.piece(i))
		}
	}
	return true
}

// receiveFragment adds a piece to its message, and delivers the message once it is whole.
func (n *Node) receiveFragment(now soccer.Time, s *sender, st *stream, p *tcm.Piece) {
	m := s.partial(st, p.Number)
	if m == nil {
		if m = n.open(now, s, st, p); m == nil {
			n.dropped.TooLong++
			return
		}
	}
	i := int(p.Index)
	if p.Parity {
		i += int(p.Count)
	}
	switch {
	case !m.matches(p):
		n.dropped.Inconsistent++
		return
	case m.has(i):
		n.dropped.DuplicatePieces++
		return
	}
	m.last = now
	m.store(i, p.Data)
	if m.groups > 0 && m.repair(int(p.Index)%m.groups) {
		n.repaired++
	}
	if m.missing > 0 {
		return
	}
	if m.sum == tcm.Sum(m.buf.data[:m.total]) {
		s.link.Message(now, st.key.to, st.key.module, st.key.typ, m.number, m.captured, int(m.total))
		n.dispatch(now, s, st, m.number, m.captured, m.buf, int(m.total))
	} else {
		n.dropped.Corrupt++
	}
	n.close(s, m)
}

// partial returns the incomplete message of a number, or nil.
func (s *sender) partial(st *stream, number uint32) *partial {
	for _, m := range s.partials {
		if m.stream == st && m.number == number {
			return m
		}
	}
	return nil
}

// open starts the message of p and gives up older ones if the sender has too many. It returns nil if the message is too
// long.
func (n *Node) open(now soccer.Time, s *sender, st *stream, p *tcm.Piece) *partial {
	pieces := int(p.Count) + p.Groups()
	if pieces > maxPieces {
		st.finish(p.Number)
		return nil
	}
	size := pieces * tcm.PieceSize
	for len(s.partials) >= maxPartials || s.bytes+classSize(classOf(size)) > maxSenderBytes {
		oldest := s.partials[0]
		for _, m := range s.partials {
			if m.last < oldest.last {
				oldest = m
			}
		}
		n.giveUp(now, s, oldest, &n.dropped.Displaced)
	}
	m := n.spares.partial
	if m == nil {
		m = new(partial)
	} else {
		n.spares.partial = m.next
	}
	*m = partial{
		stream: st, number: p.Number, captured: p.Captured, count: int(p.Count), groups: p.Groups(), total: p.Total,
		sum: p.Sum, every: p.Every, missing: int(p.Count), last: now, buf: n.pool.lend(size),
	}
	s.bytes += len(m.buf.data)
	s.partials = append(s.partials, m)
	n.expiry = min(n.expiry, now.Add(partialIdle))
	return m
}

// close forgets a message. Pieces that arrive later are duplicates.
func (n *Node) close(s *sender, m *partial) {
	m.stream.finish(m.number)
	s.bytes -= len(m.buf.data)
	for i := range s.partials {
		if s.partials[i] == m {
			s.partials = append(s.partials[:i], s.partials[i+1:]...)
			break
		}
	}
	n.pool.release(m.buf)
	*m = partial{next: n.spares.partial}
	n.spares.partial = m
}

// giveUp delivers an incomplete message as far as it arrived, if its type asks for that, and counts and forgets it.
func (n *Node) giveUp(now soccer.Time, s *sender, m *partial, counter *uint64) {
	*counter++
	if m.stream.options.Partial && m.missing < m.count && n.wanted(m.stream.key.typ, len(m.buf.data)) {
		m.markMissing()
		n.dispatch(now, s, m.stream, m.number, m.captured, m.buf, int(m.total))
	}
	n.close(s, m)
}

// markMissing lists the missing ranges in the buffer and clears them.
func (m *partial) markMissing() {
	list := m.buf.missing[:0]
	for i := range m.count {
		if m.has(i) {
			continue
		}
		start, end := i*tcm.PieceSize, min((i+1)*tcm.PieceSize, int(m.total))
		clear(m.buf.data[start:end])
		if last := len(list) - 1; last >= 0 && list[last].End == start {
			list[last].End = end
		} else {
			list = append(list, Range{start, end})
		}
	}
	m.buf.missing = list
}

// expire gives up the messages of which no piece arrived for too long.
func (n *Node) expire(now soccer.Time) {
	if now < n.expiry {
		return
	}
	n.expiry = Never
	for _, s := range n.active {
		for i := 0; i < len(s.partials); {
			m := s.partials[i]
			if due := m.last.Add(partialIdle); due > now {
				n.expiry = min(n.expiry, due)
				i++
				continue
			}
			n.giveUp(now, s, m, &n.dropped.Expired)
		}
	}
}
