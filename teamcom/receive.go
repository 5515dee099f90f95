package teamcom

import (
	"errors"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// Receive processes a datagram that arrived on one of the node's four sockets. It keeps nothing of p. Datagrams that it
// refuses are counted.
func (n *Node) Receive(p *soccer.Packet, socket tcm.Socket) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.start(p.Time)
	if counter := n.admit(p, socket); counter != nil {
		*counter++
		return
	}
	h := &n.datagram.Header
	s := n.senders[h.From.Kind-1][h.From.ID]
	for i := range n.datagram.Pieces {
		n.receivePiece(p.Time, s, &n.datagram.Pieces[i])
	}
}

// admit decodes p and returns the counter of the reason to refuse it, or nil.
func (n *Node) admit(p *soccer.Packet, socket tcm.Socket) *uint64 {
	r, d := &n.refused, &n.datagram
	if p.FullSize() > len(p.Data) {
		return &r.Malformed
	}
	switch err := d.UnmarshalBinary(p.Data); {
	case errors.Is(err, tcm.ErrSum):
		return &r.Checksum
	case errors.Is(err, tcm.ErrForeign), errors.Is(err, tcm.ErrVersion):
		return &r.Foreign
	case err != nil:
		return &r.Malformed
	case n.key != nil && !d.Signed:
		return &r.Unsigned
	case n.key != nil && !n.key.Valid(p.Data):
		return &r.Forged
	}
	return n.admitHeader(p, socket)
}

// admitHeader returns the counter of the reason to refuse the decoded datagram because of its header, or nil.
func (n *Node) admitHeader(p *soccer.Packet, socket tcm.Socket) *uint64 {
	r, h := &n.refused, &n.datagram.Header
	self := n.cfg.Self
	switch {
	case h.From.ID == 0 || (h.From.Kind != tcm.Robot && h.From.Kind != tcm.Computer):
		return &r.Malformed
	case h.Team != n.cfg.Team:
		return &r.OtherTeam
	case h.From == self && h.Boot == n.cfg.Boot:
		return &r.Own
	case h.From == self:
		return &r.SameEntity
	case h.To.Kind != self.Kind || (h.To.ID != 0 && h.To.ID != self.ID):
		return &r.OtherDestination
	case h.Socket != socket:
		return &r.OtherSocket
	case !n.listed(h.From):
		return &r.UnknownSender
	case !n.fits(h.From, p.From, socket):
		return &r.OtherAddress
	}
	s := n.sender(p.Time, h.From)
	if s == nil {
		return &r.TooManySenders
	}
	return n.admitSequence(p, s)
}

// admitSequence returns the counter of the reason to refuse the decoded datagram because of its place among those of s,
// or nil.
func (n *Node) admitSequence(p *soccer.Packet, s *sender) *uint64 {
	h := &n.datagram.Header
	switch s.link.Receive(p.Time, h, len(p.Data)) {
	case duplicate:
		return &n.refused.Duplicate
	case replayed:
		return &n.refused.Replayed
	case olderBoot:
		return &n.refused.OlderBoot
	}
	if restarts := s.link.Restarts(); restarts != s.restarts {
		s.restarts = restarts
		n.restart(s)
	}
	s.received, s.sent = p.Time, h.Sent
	if n.cfg.Beacon > 0 {
		n.nextBeacon = min(n.nextBeacon, s.answered.Add(n.cfg.Beacon))
	}
	n.learn(s, p.From, h.Socket)
	return nil
}

// receivePiece processes one piece of an accepted datagram.
func (n *Node) receivePiece(now soccer.Time, s *sender, p *tcm.Piece) {
	h := &n.datagram.Header
	if !p.Fragment {
		s.link.Message(now, h.To, p.Module, p.Type, p.Number, p.Captured, len(p.Data))
	}
	if p.Type == 0 || len(n.listenersOf(p.Type)) == 0 {
		n.dropped.Unhandled++
		return
	}
	st := n.stream(now, s, streamKey{h.To, p.Module, p.Type}, p.Number)
	if counter := n.admitNumber(now, s, st, p.Number); counter != nil {
		if p.Parity {
			counter = &n.dropped.UnusedParity
		}
		*counter++
		return
	}
	if p.Fragment {
		n.receiveFragment(now, s, st, p)
		return
	}
	st.finish(p.Number)
	buf := n.pool.lend(len(p.Data))
	copy(buf.data, p.Data)
	n.dispatch(now, s, st, p.Number, p.Captured, buf, len(p.Data))
	n.pool.release(buf)
}

// dispatch gives a message to the handlers. buf.missing has the ranges that did not arrive.
func (n *Node) dispatch(now soccer.Time, s *sender, st *stream, number uint32, captured uint64, buf *buffer, size int) {
	from := From{
		Entity: s.entity, Module: st.key.module, To: st.key.to, Type: st.key.typ, Number: number, Received: now, Size: size,
		Missing: buf.missing,
	}
	from.Captured, from.Synced = s.local(now, captured)
	n.deliver(&from, buf, st.options.LatestWins)
}
