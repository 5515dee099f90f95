package check

import (
	"fmt"

	"touchline/wire/tcm"
)

// Bounds of message numbers.
const (
	numbers   = 64      // newest numbers in which a message is recognised
	maxGap    = 1 << 16 // numbers that may be missing at once
	fallBacks = 3       // messages in a row with an old number: the numbers restarted
)

// counter is what is known of a sender's messages of one destination, module and type.
type counter struct {
	Kind

	started bool
	highest uint32
	span    uint64 // numbers of this boot up to highest
	known   uint64 // numbers that arrived
	back    int
	seen    [numbers]struct {
		used             bool
		number, checksum uint32
	}
	captured     uint64 // capture time of the newest messages
	capturedSent uint64 // sent of the first of them
	sameCaptured int
	future       int // messages in a row that were captured after sent

	received   uint64 // whole messages of all boots, as the following figures
	bytes      uint64
	lostBefore uint64
	repeated   uint64
	incomplete uint64
	unfinished int // messages in a row that stayed incomplete
}

// lost returns how many messages of this boot never began to arrive.
func (n *counter) lost() uint64 { return n.span - n.known }

// restart starts the numbers of a new boot. The counts continue.
func (n *counter) restart() {
	*n = counter{
		Kind: n.Kind, received: n.received, bytes: n.bytes,
		lostBefore: n.lostBefore + n.lost(), repeated: n.repeated, incomplete: n.incomplete,
	}
}

// verdict is what the number of a piece shows.
type verdict uint8

const (
	firstPiece verdict = iota // the message is new
	nextPiece                 // the message is known
	refused                   // the number contradicts other messages
)

// judgeNumber judges the number of a piece whose message has a checksum. The number is in field at byte at.
func (c *DatagramChecker) judgeNumber(n *counter, p *tcm.Piece, checksum uint32, at int, field string) verdict {
	slot, ahead := &n.seen[p.Number%numbers], int32(p.Number-n.highest)
	at, field = at+4, field+"number"
	switch {
	case !n.started:
		n.started, n.highest, n.span = true, p.Number, 1
	case slot.used && slot.number == p.Number && slot.checksum == checksum:
		return nextPiece
	case slot.used && slot.number == p.Number:
		c.fault(at, field, sourcePieces, "%d again, for another %s message from %s to %s: advance the number by 1 with each "+
			"message to this destination", p.Number, p.Type, p.Module, n.To)
		return refused
	case ahead <= -numbers:
		if n.back++; n.back < fallBacks {
			return refused
		}
		c.fault(at, field, sourcePieces, "falls from %d back to %d without a restart: advance the number by 1 with each %s "+
			"message from %s to %s", n.highest, p.Number, p.Type, p.Module, n.To)
		n.highest, n.span = p.Number, n.span+1
	case ahead > maxGap:
		c.fault(at, field, sourcePieces, "jumps from %d to %d: advance the number by 1 with each %s message from %s to %s",
			n.highest, p.Number, p.Type, p.Module, n.To)
		n.highest, n.span = p.Number, n.span+1
	case ahead > 0:
		n.highest, n.span = p.Number, n.span+uint64(ahead)
	case n.known == n.span: // it began before the first one that arrived
		n.span++
	}
	n.back = 0
	n.known++
	slot.used, slot.number, slot.checksum = true, p.Number, checksum
	return firstPiece
}

// piece judges piece i of the datagram in hand, at byte at with its payload from byte payload on.
func (c *DatagramChecker) piece(s *sender, st *stream, i, at, payload int) {
	p := &c.datagram.Pieces[i]
	if p.Module == 0 || p.Type == 0 {
		return
	}
	k := Kind{c.datagram.To, p.Module, p.Type}
	n := found(&s.counters, k, maxCounters, func() *counter { return &counter{Kind: k} })
	if n == nil {
		return
	}
	field := fmt.Sprintf("piece[%d].", i)
	if p.Fragment {
		c.fragment(s, st, n, p, at, payload, field)
		return
	}
	switch c.judgeNumber(n, p, tcm.Sum(p.Data), at, field) {
	case nextPiece:
		n.repeated++
	case firstPiece:
		c.judgeCaptured(s, n, p, at, field)
		c.whole(s, n, p, p.Data, 1, payload)
	}
}

// whole judges the contents of a whole message, which begins at byte payload if it is in one piece.
func (c *DatagramChecker) whole(s *sender, n *counter, p *tcm.Piece, data []byte, pieces, payload int) {
	n.received, n.bytes, n.unfinished = n.received+1, n.bytes+uint64(len(data)), 0
	d := &c.datagram
	m := Message{
		From: s.Source, Kind: n.Kind, Socket: d.Socket, Number: p.Number, Captured: p.Captured,
		Sent: d.Sent, Time: c.packet.Time, Pieces: pieces, Data: data,
	}
	m.Issues = c.contents(s, &m)
	for _, issue := range m.Issues {
		if issue.Field != "" {
			issue.Field = p.Type.String() + "." + issue.Field
		}
		if issue.Offset += payload; pieces > 1 {
			issue.Text = fmt.Sprintf("byte %d of the message: %s", issue.Offset-payload, issue.Text)
			issue.Offset = payload
		}
		c.issues = append(c.issues, issue)
	}
	if c.Message != nil {
		c.Message(&m)
	}
}
