package check

import (
	"fmt"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// Bounds of sequences.
const (
	window          = 1024    // sequence numbers in which a datagram is recognised
	maxJump         = 1 << 16 // datagrams that may be missing at once, besides those that the time explains
	maxDatagramRate = 200_000 // datagrams a second
	sameSteps       = 20      // equal steps in a row that no loss explains
)

// destination is where a sender's datagrams of one sequence go.
type destination struct {
	to     tcm.Entity
	socket tcm.Socket
}

// stream is what is known of a sender's datagrams to one destination and socket.
type stream struct {
	destination
	started        bool
	first, highest uint64
	known          uint64 // sequence numbers of this boot that arrived, each once
	skipped        uint64 // sequence numbers of jumps that are no losses
	seen           [window]struct {
		sequence uint64
		checksum uint32
		channel  uint32 // checksum of the address that it went to
	}
	sent       uint64 // departure of the datagram with the highest sequence
	at         soccer.Time
	step       uint64
	steps      int // equal to step, in a row
	back       int // datagrams in a row far below the highest
	backTo     uint64
	received   uint64 // count of all boots, as lostBefore
	lostBefore uint64
	duplicates uint64
	reordered  uint64
}

// lost returns how many datagrams of this boot are missing.
func (st *stream) lost() uint64 {
	if !st.started {
		return 0
	}
	return st.highest - st.first + 1 - st.known - st.skipped
}

// restart starts the sequence of a new boot. The counts continue.
func (st *stream) restart() {
	*st = stream{
		destination: st.destination, received: st.received, lostBefore: st.lostBefore + st.lost(),
		duplicates: st.duplicates, reordered: st.reordered,
	}
}

// judgeSequence counts the datagram in hand. It reports whether its contents are new.
func (c *DatagramChecker) judgeSequence(s *sender, st *stream) bool {
	st.received++
	seq, slot := c.datagram.Sequence, &st.seen[c.datagram.Sequence%window]
	switch {
	case !st.started:
		st.start(seq)
	case slot.sequence == seq && slot.checksum == c.checksum():
		if slot.channel == c.channel() {
			st.duplicates++
		} else { // a broadcast by unicast
			st.received--
		}
		return false
	case slot.sequence == seq:
		c.fault(16, "sequence", sourceDatagram, "%d again, in a different datagram of boot %d to %s, socket %s: count on for "+
			"each destination and socket, and send a greater boot id after each start", seq, s.boot, st.to, st.socket)
		return false
	case seq+window <= st.highest:
		return c.judgeBack(s, st)
	case seq < st.highest:
		st.reordered++
		st.first = min(st.first, seq)
	default:
		c.judgeStep(s, st)
	}
	st.back = 0
	st.known++
	slot.sequence, slot.checksum, slot.channel = seq, c.checksum(), c.channel()
	return true
}

// start starts the sequence at seq.
func (st *stream) start(seq uint64) { st.started, st.first, st.highest = true, seq, seq }

// judgeBack finds a sequence that restarted in the same boot. A datagram that merely comes very late is dropped.
func (c *DatagramChecker) judgeBack(s *sender, st *stream) bool {
	seq := c.datagram.Sequence
	if st.back == 0 || seq <= st.backTo || seq-st.backTo > window {
		st.back = 0
	}
	st.backTo = seq
	if st.back++; st.back < 3 {
		return false
	}
	c.fault(16, "sequence", sourceDatagram, "falls from %d back to %d in boot %d to %s, socket %s: receivers drop it as a "+
		"duplicate; send a greater boot id after each start", st.highest, seq, s.boot, st.to, st.socket)
	st.restart()
	st.start(seq)
	st.known = 1
	slot := &st.seen[seq%window]
	slot.sequence, slot.checksum, slot.channel = seq, c.checksum(), c.channel()
	return true
}

// judgeStep judges the step to a new highest sequence.
func (c *DatagramChecker) judgeStep(s *sender, st *stream) {
	seq := c.datagram.Sequence
	step := seq - st.highest
	allowed := uint64(maxJump)
	if st.at != 0 && c.packet.Time > st.at {
		allowed += uint64(min(c.packet.Time.Sub(st.at).Seconds(), 86400) * maxDatagramRate)
	}
	if step > allowed {
		c.fault(16, "sequence", sourceDatagram, "jumps from %d to %d: count the datagrams to each destination and socket from 1, "+
			"one by one", st.highest, seq)
		st.skipped += step - 1
	}
	if step != st.step {
		st.step, st.steps = step, 0
	}
	st.steps++
	shared := s.count%64 == 0 && s.sharesSequence()
	switch {
	case shared || st.steps >= sameSteps && step > 1 && s.sharesSequence():
		c.fault(16, "sequence", sourceDatagram, "one sequence is shared by several destinations or sockets, and receivers take "+
			"the gaps for losses: count the datagrams to each destination and socket separately, from 1")
	case st.steps >= sameSteps && step > 1 && step <= allowed:
		c.fault(16, "sequence", sourceDatagram, "advances by %d with each datagram to %s, socket %s, and receivers take the gaps "+
			"for losses: advance by 1", step, st.to, st.socket)
	}
	st.highest = seq
}

// sharesSequence reports whether the sequences of several streams of this boot fill each other's gaps.
func (s *sender) sharesSequence() bool {
	const enough = 16 // datagrams of a stream
	var first, last, known uint64
	var gappy []*stream
	for _, e := range s.streams.All() {
		st := e.Value
		if !st.started || st.known < enough || 10*st.lost() < 3*st.known {
			continue
		}
		if len(gappy) == 0 {
			first, last = st.first, st.highest
		}
		first, last = min(first, st.first), max(last, st.highest)
		known += st.known
		gappy = append(gappy, st)
	}
	if all := last - first + 1; len(gappy) < 2 || 10*known < 9*all || 50*known > 51*all {
		return false
	}
	for i := range window { // no sequence is in two of them
		for k, st := range gappy {
			for _, other := range gappy[:k] {
				if seq := st.seen[i].sequence; seq != 0 && seq == other.seen[i].sequence {
					return false
				}
			}
		}
	}
	return true
}

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
