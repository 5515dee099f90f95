package teamcom

import (
	"touchline/soccer"
	"touchline/wire/tcm"
)

// slabPieces pieces have their memory together: a message takes memory only where its pieces arrive. maxPieces is a
// multiple.
const (
	slabPieces = 15
	slabBytes  = slabPieces * tcm.PieceSize
)

// slab is a part of the memory of an incomplete message.
type slab [slabBytes]byte

// partial is a message of which pieces are missing. Its slabs hold the data pieces, each at its place and padded to a
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
	have     [(maxPieces + 63) / 64]uint64 // data pieces, then parity pieces
	slabs    [maxPieces / slabPieces]*slab // nil where no piece arrived
	used     int                           // slabs that are not nil
	next     *partial                      // next unused one
}

func (m *partial) has(i int) bool { return m.have[i/64]>>(i%64)&1 == 1 }

// piece returns the place of data piece or parity piece i, whose slab exists.
func (m *partial) piece(i int) []byte {
	at := i % slabPieces * tcm.PieceSize
	return m.slabs[i/slabPieces][at : at+tcm.PieceSize]
}

// store stores data piece or parity piece i, whose slab exists.
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

// repairable returns the data piece of a group that its parity piece restores: the only one that is missing.
func (m *partial) repairable(group int) (lost int, ok bool) {
	if m.missing == 0 || !m.has(m.count+group) {
		return 0, false
	}
	lost = -1
	for i := group; i < m.count; i += m.groups {
		switch {
		case m.has(i):
		case lost >= 0:
			return 0, false
		default:
			lost = i
		}
	}
	return lost, lost >= 0
}

// repair restores the data piece of a group if it is the only one that is missing and the parity piece has arrived.
func (n *Node) repair(now soccer.Time, s *sender, m *partial, group int) {
	lost, ok := m.repairable(group)
	if !ok || !n.makeSlab(now, s, m, lost) {
		return
	}
	m.store(lost, m.piece(m.count+group))
	for i := group; i < m.count; i += m.groups {
		if i != lost {
			xor(m.piece(lost), m.piece(i))
		}
	}
	n.repaired++
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
	if !n.makeSlab(now, s, m, i) {
		n.giveUp(now, s, m, &n.dropped.Displaced)
		return
	}
	m.store(i, p.Data)
	if m.groups > 0 {
		n.repair(now, s, m, int(p.Index)%m.groups)
	}
	if m.missing == 0 {
		n.complete(now, s, m)
	}
}

// complete delivers a message of which all data pieces are here.
func (n *Node) complete(now soccer.Time, s *sender, m *partial) {
	buf := m.copyTo(n.pool.lend(m.size()))
	if key := &m.stream.key; m.sum == tcm.Sum(buf.data[:m.total]) {
		s.link.Message(now, key.to, key.module, key.typ, m.number, m.captured, int(m.total))
		n.dispatch(now, s, m.stream, m.number, m.captured, buf, int(m.total))
	} else {
		n.dropped.Corrupt++
	}
	n.pool.release(buf)
	n.close(s, m)
}

// makeSlab makes memory for piece i of m. Where the sender or all senders together have too much, it gives up older
// messages: of the sender, or of the one that has most. It returns false if only m is left to give up.
func (n *Node) makeSlab(now soccer.Time, s *sender, m *partial, i int) bool {
	if m.slabs[i/slabPieces] != nil {
		return true
	}
	for s.bytes+slabBytes > maxSenderBytes || n.partialBytes+slabBytes > maxPartialBytes {
		from := s
		if s.bytes+slabBytes <= maxSenderBytes {
			from = n.heaviest()
		}
		oldest := from.oldest(m)
		if oldest == nil {
			return false
		}
		n.giveUp(now, from, oldest, &n.dropped.Displaced)
	}
	m.slabs[i/slabPieces] = n.pool.lendSlab()
	m.used++
	s.bytes += slabBytes
	n.partialBytes += slabBytes
	return true
}

// heaviest returns the sender whose incomplete messages have most memory.
func (n *Node) heaviest() *sender {
	heaviest := n.active[0]
	for _, s := range n.active {
		if s.bytes > heaviest.bytes {
			heaviest = s
		}
	}
	return heaviest
}

// oldest returns the incomplete message whose newest piece is oldest, apart from one; nil if there is no other.
func (s *sender) oldest(apart *partial) (oldest *partial) {
	for _, m := range s.partials {
		if m != apart && (oldest == nil || m.last < oldest.last) {
			oldest = m
		}
	}
	return oldest
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
	if int(p.Count)+p.Groups() > maxPieces {
		st.finish(p.Number)
		return nil
	}
	if len(s.partials) >= maxPartials {
		n.giveUp(now, s, s.oldest(nil), &n.dropped.Displaced)
	}
	m := n.spares.partial
	if m == nil {
		m = new(partial)
	} else {
		n.spares.partial = m.next
	}
	*m = partial{
		stream: st, number: p.Number, captured: p.Captured, count: int(p.Count), groups: p.Groups(), total: p.Total,
		sum: p.Sum, every: p.Every, missing: int(p.Count), last: now,
	}
	s.partials = append(s.partials, m)
	n.expiry = min(n.expiry, now.Add(partialIdle))
	return m
}

// close forgets a message. Pieces that arrive later are duplicates.
func (n *Node) close(s *sender, m *partial) {
	m.stream.finish(m.number)
	s.bytes -= m.used * slabBytes
	n.partialBytes -= m.used * slabBytes
	for i := range s.partials {
		if s.partials[i] == m {
			s.partials = append(s.partials[:i], s.partials[i+1:]...)
			break
		}
	}
	for _, part := range m.slabs {
		if part != nil {
			n.pool.releaseSlab(part)
		}
	}
	*m = partial{next: n.spares.partial}
	n.spares.partial = m
}

// minShare is the part of a message that must have arrived before its handlers receive it incomplete: one piece in 64.
// It keeps a single piece from costing the memory of a message of 4 MiB.
const minShare = 64

// giveUp delivers an incomplete message as far as it arrived, if its type asks for that, and counts and forgets it.
func (n *Node) giveUp(now soccer.Time, s *sender, m *partial, counter *uint64) {
	*counter++
	arrived := m.count - m.missing
	if m.stream.options.Partial && arrived > 0 && arrived*minShare >= m.count &&
		n.wanted(m.stream.key.typ, classSize(classOf(m.size()))) {
		buf := m.copyTo(n.pool.lend(m.size()))
		n.dispatch(now, s, m.stream, m.number, m.captured, buf, int(m.total))
		n.pool.release(buf)
	}
	n.close(s, m)
}

// size returns the bytes of the message in whole pieces.
func (m *partial) size() int { return m.count * tcm.PieceSize }

// copyTo copies the message to a buffer and returns it. It lists the missing ranges there and clears them.
func (m *partial) copyTo(buf *buffer) *buffer {
	list := buf.missing[:0]
	for i := range m.count {
		start, end := i*tcm.PieceSize, (i+1)*tcm.PieceSize
		if m.has(i) {
			copy(buf.data[start:end], m.piece(i))
			continue
		}
		clear(buf.data[start:end])
		if last := len(list) - 1; last >= 0 && list[last].End == start {
			list[last].End = min(end, int(m.total))
		} else {
			list = append(list, Range{start, min(end, int(m.total))})
		}
	}
	buf.missing = list
	return buf
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
