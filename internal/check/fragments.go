package check

import (
	"bytes"
	"crypto/subtle"
	"fmt"
	"slices"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/tcm"
)

// partial is a message in fragments.
type partial struct {
	counter  *counter
	stream   *stream
	number   uint32
	count    int
	total    uint32
	sum      uint32
	every    uint8
	captured uint64

	have   []bool
	got    int
	data   []byte   // padded to whole pieces; nil if the message is too large, or is no longer needed
	parity [][]byte // one for each group
	done   bool     // whole, and judged
	early  bool     // pieces may have been sent before the first datagram of the stream

	sequence uint64 // sequence, packet, time and bytes of the datagram with the newest piece
	packet   uint64
	time     soccer.Time
	datagram []byte
}

// size returns the bytes that p holds.
func (p *partial) size() int {
	n := len(p.data)
	for _, g := range p.parity {
		n += len(g)
	}
	return n
}

// fragment judges a fragment at byte at.
func (c *DatagramChecker) fragment(s *sender, st *stream, n *counter, p *tcm.Piece, at, payload int, field string) {
	if int(p.Total) == 0 || p.Count < 2 {
		return
	}
	m := s.partial(n, p.Number)
	switch c.judgeNumber(n, p, p.Sum, at, field) {
	case refused:
		return
	case nextPiece:
		if m == nil { // its message ended before
			n.repeated++
			return
		}
	case firstPiece:
		if m != nil { // older than its number is remembered
			c.end(s, m, false)
		}
		c.judgeCaptured(s, n, p, at, field)
		m = c.start(s, st, n, p)
	}
	if !c.fits(m, p, at, field) {
		return
	}
	m.sequence, m.packet, m.time = c.datagram.Sequence, c.number, c.packet.Time
	m.datagram = append(m.datagram[:0], c.packet.Data...)
	if p.Parity {
		c.addParity(m, p, payload, field)
	} else {
		c.addPiece(m, p, payload, field)
	}
	c.complete(s, m, p, payload, field)
}

// partial returns the message of a number; nil if there is none.
func (s *sender) partial(n *counter, number uint32) *partial {
	for _, p := range s.partials {
		if p.counter == n && p.number == number {
			return p
		}
	}
	return nil
}

// start starts a message. It ends another one if there are too many.
func (c *DatagramChecker) start(s *sender, st *stream, n *counter, p *tcm.Piece) *partial {
	if len(s.partials) == maxPartial {
		old := slices.MinFunc(s.partials, func(a, b *partial) int {
			if a.done != b.done {
				if a.done {
					return -1
				}
				return 1
			}
			return int(min(max(int64(a.packet)-int64(b.packet), -1), 1))
		})
		c.end(s, old, false)
	}
	m := &partial{
		counter: n, stream: st, number: p.Number, count: int(p.Count), total: p.Total, sum: p.Sum, every: p.Every,
		captured: p.Captured, have: make([]bool, p.Count), parity: make([][]byte, p.Groups()),
	}
	before := c.datagram.Sequence - st.first
	m.early = st.first > 1 && before < uint64(m.count+len(m.parity))
	if padded := m.count * tcm.PieceSize; p.Total <= maxMessage && c.held+padded <= maxHeld {
		m.data = make([]byte, padded)
		c.held += padded
	}
	s.partials = append(s.partials, m)
	return m
}

// fits compares a piece with the other pieces of its message.
func (c *DatagramChecker) fits(m *partial, p *tcm.Piece, at int, field string) bool {
	for _, v := range [...]struct {
		name       string
		offset     int
		got, other uint64
	}{
		{"captured", 8, p.Captured, m.captured},
		{"count", 20, uint64(p.Count), uint64(m.count)},
		{"total", 22, uint64(p.Total), uint64(m.total)},
		{"every", 30, uint64(p.Every), uint64(m.every)},
	} {
		if v.got != v.other {
			c.fault(at+v.offset, field+v.name, sourcePieces,
				"%d, but %d in another piece of message %d: all pieces of a message "+
					"have the same %s", v.got, v.other, m.number, v.name)
			return v.name == "captured"
		}
	}
	return true
}

// addPiece adds a data piece.
func (c *DatagramChecker) addPiece(m *partial, p *tcm.Piece, payload int, field string) {
	i := int(p.Index)
	if m.have[i] {
		m.counter.repeated++
		if m.data != nil && !bytes.Equal(m.piece(i)[:len(p.Data)], p.Data) {
			c.fault(payload, field+"payload", sourcePieces,
				"piece %d of message %d was sent with other bytes before: a message "+
					"keeps its bytes; use a new number for a new message", i, m.number)
		}
		return
	}
	m.have[i] = true
	m.got++
	if m.data != nil {
		copy(m.piece(i), p.Data)
	}
}

// piece returns the bytes of data piece i.
func (m *partial) piece(i int) []byte { return m.data[i*tcm.PieceSize : (i+1)*tcm.PieceSize] }

// addParity adds a parity piece.
func (c *DatagramChecker) addParity(m *partial, p *tcm.Piece, payload int, field string) {
	g := int(p.Index)
	switch {
	case m.data == nil:
		return
	case m.parity[g] != nil && !bytes.Equal(m.parity[g], p.Data):
		c.fault(payload, field+"payload", sourcePieces,
			"the parity piece of group %d of message %d was sent with other bytes "+
				"before", g, m.number)
	case m.parity[g] != nil:
		m.counter.repeated++
	default:
		m.parity[g] = bytes.Clone(p.Data)
		c.held += len(p.Data)
	}
}

// missing returns how many data pieces of a group are missing, and the last of them.
func (m *partial) missing(group int) (n, last int) {
	for i := group; i < m.count; i += len(m.parity) {
		if !m.have[i] {
			n, last = n+1, i
		}
	}
	return n, last
}

// complete judges the parity of the groups that are whole, repairs those that lack a piece, and ends the message when
// it is whole.
func (c *DatagramChecker) complete(s *sender, m *partial, p *tcm.Piece, payload int, field string) {
	if m.data == nil {
		if m.got == m.count && !m.done {
			m.done = true
			m.counter.received++
			m.counter.bytes += uint64(m.total)
		}
		return
	}
	if m.done {
		if p.Parity {
			c.judgeParity(m, int(p.Index), payload, field)
		}
		return
	}
	repaired := 0
	if missing := m.count - m.got; missing > 0 && missing <= len(m.parity) {
		repaired = c.repair(m, missing)
	}
	if m.got < m.count {
		return
	}
	m.done = true
	whole := m.data[:m.total]
	switch {
	case tcm.Sum(whole) == m.sum:
		for g := range m.parity {
			c.judgeParity(m, g, payload, field)
		}
		c.whole(s, m.counter, p, whole, m.count, payload)
	case repaired > 0:
		c.fault(payload, field+"payload", sourcePieces,
			"message %d, with %d pieces repaired by parity, does not have the CRC-32C "+
				"0x%08x: the parity piece of group g is the XOR of the data pieces g, g + %d, g + %d and so on, "+
				"padded with zeros",
			m.number, repaired, m.sum, len(m.parity), 2*len(m.parity))
	default:
		c.fault(payload, field+"payload", sourcePieces,
			"all %d pieces of message %d arrived, but their CRC-32C is 0x%08x, not "+
				"0x%08x: it is computed over the %d bytes of the whole message", m.count, m.number, tcm.Sum(whole),
			m.sum, m.total)
	}
}

// repair fills in the missing pieces with parity if that makes the message whole. It returns how many it filled in.
func (c *DatagramChecker) repair(m *partial, missing int) (repaired int) {
	var lacking []int
	for g := range m.parity {
		n, _ := m.missing(g)
		if n > 1 || n == 1 && m.parity[g] == nil {
			return 0
		}
		if n == 1 {
			lacking = append(lacking, g)
		}
	}
	if len(lacking) != missing {
		return 0
	}
	for _, g := range lacking {
		_, i := m.missing(g)
		xor := bytes.Clone(m.parity[g])
		for k := g; k < m.count; k += len(m.parity) {
			if k != i {
				subtle.XORBytes(xor, xor, m.piece(k))
			}
		}
		copy(m.piece(i), xor)
		m.have[i] = true
		m.got++
	}
	return len(lacking)
}

// judgeParity compares the parity piece of a group with its data pieces, which are whole.
func (c *DatagramChecker) judgeParity(m *partial, g, payload int, field string) {
	if m.parity[g] == nil {
		return
	}
	xor := bytes.Clone(m.parity[g])
	for i := g; i < m.count; i += len(m.parity) {
		subtle.XORBytes(xor, xor, m.piece(i))
	}
	if at := slices.IndexFunc(xor, func(b byte) bool { return b != 0 }); at >= 0 {
		c.fault(payload+at, field+"payload", sourcePieces,
			"the parity piece of group %d of message %d is not the XOR of its data "+
				"pieces: data piece i belongs to group i mod %d, and the last one is padded with zeros", g, m.number,
			len(m.parity))
	}
}

// end forgets a message. If pieces of it are missing, it finds out whether they were sent; last tells that the input
// ends.
func (c *DatagramChecker) end(s *sender, m *partial, last bool) {
	c.held -= m.size()
	s.partials = slices.DeleteFunc(s.partials, func(o *partial) bool { return o == m })
	if m.done {
		return
	}
	n := m.counter
	n.incomplete++
	n.unfinished++
	if m.stream.lost() > 0 || m.early || len(c.ended) == maxEnded {
		return // the network lost the pieces, or they were sent before the input began
	}
	issue := wire.Issue{Offset: 0, Source: sourcePieces, Text: fmt.Sprintf("%s message %d to %s was never completed "+
		"although no datagram is missing: send data %s of %d", n.Type, m.number, n.To, m.listMissing(), m.count)}
	switch {
	case !last && periodic(n.Type) && (n.received > 0 || n.unfinished < 3):
		return // the sender gave it up for a newer one
	case !last && n.Type == tcm.Image && (n.received > 0 || n.unfinished < 3):
		return
	case last && c.recent(m):
		issue.Note = true
		issue.Text = fmt.Sprintf("the input ends before %s message %d to %s is complete: data %s of %d missing",
			n.Type, m.number, n.To, m.listMissing(), m.count)
	}
	c.ended = append(c.ended, Ended{s.Source, issue, m.packet, m.time, m.datagram})
}

// recent reports whether further pieces of m may have been sent after the input's end.
func (c *DatagramChecker) recent(m *partial) bool {
	const idle = 500 * time.Millisecond
	if m.time != 0 {
		return c.newest.Sub(m.time) < idle
	}
	return m.stream.highest-m.sequence < uint64(m.count)
}

// listMissing names the missing pieces, such as "pieces 3, 7-9 are".
func (m *partial) listMissing() string {
	const most = 6 // ranges
	var ranges []string
	for i := 0; i < m.count; i++ {
		if m.have[i] {
			continue
		}
		first := i
		for i+1 < m.count && !m.have[i+1] {
			i++
		}
		text := fmt.Sprint(first)
		if i > first {
			text += fmt.Sprintf("-%d", i)
		}
		if ranges = append(ranges, text); len(ranges) == most {
			ranges = append(ranges, "...")
			break
		}
	}
	noun := "pieces "
	if m.count-m.got == 1 {
		noun = "piece "
	}
	return noun + strings.Join(ranges, ", ")
}

// Ended returns the findings on messages that ended incomplete since the last call.
func (c *DatagramChecker) Ended() []Ended {
	ended := c.ended
	c.ended = nil
	return ended
}

// Close ends all incomplete messages: the input has no more datagrams. It returns the findings on them.
func (c *DatagramChecker) Close() []Ended {
	for _, s := range c.order {
		for len(s.partials) > 0 {
			c.end(s, s.partials[0], true)
		}
	}
	return c.Ended()
}
