package overview

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Bounds of Messages.
const (
	kept       = 9    // newest messages of a sender and type
	maxRings   = 256  // senders and types: 4 MB of datagrams
	maxCounted = 4096 // pieces of a message: more than any node accepts
	idleAfter  = 10 * time.Second
)

// Messages holds the newest messages of every sender and type, for people who want to read them. It is not safe for
// concurrent use.
type Messages struct {
	start    soccer.Time
	rings    []*ring      // by key
	datagram tcm.Datagram // scratch
}

// NewMessages returns an empty Messages. Times of messages are in seconds since start.
func NewMessages(start soccer.Time) *Messages { return &Messages{start: start} }

// ringKey identifies messages that are shown together.
type ringKey struct {
	from tcm.Entity
	typ  tcm.Type
}

// String returns the key of a MessageView.
func (k ringKey) String() string { return k.from.String() + "/" + k.typ.String() }

func (k ringKey) compare(o ringKey) int {
	return cmp.Or(cmp.Compare(k.from.Kind, o.from.Kind), cmp.Compare(k.from.ID, o.from.ID), cmp.Compare(k.typ, o.typ))
}

// ring holds the newest messages of one key.
type ring struct {
	ringKey
	last  soccer.Time
	next  int
	slots [kept]slot
}

// slot is one message, or the first of its pieces that arrived.
type slot struct {
	at      soccer.Time
	header  tcm.Header
	piece   tcm.Piece // without its data
	index   int       // of the piece in its datagram
	arrived int       // pieces; 0: the slot is empty
	seen    []uint64  // bit i: fragment i arrived
	data    []byte    // the whole datagram
}

// Receive keeps the messages of a datagram. It ignores other traffic, beacons and copies of messages that it has.
func (m *Messages) Receive(p *soccer.Packet) {
	d := &m.datagram
	if d.UnmarshalBinary(p.Data) != nil || d.From.ID == 0 {
		return
	}
	for i := range d.Pieces {
		if piece := &d.Pieces[i]; !piece.Parity {
			if r := m.ring(p.Time, ringKey{d.From, piece.Type}); r != nil {
				r.keep(p, d, i)
			}
		}
	}
}

// ring returns the ring of a key. If there are too many, it replaces one that is idle, or returns nil.
func (m *Messages) ring(now soccer.Time, key ringKey) *ring {
	compare := func(r *ring, key ringKey) int { return r.compare(key) }
	at, found := slices.BinarySearchFunc(m.rings, key, compare)
	if found {
		return m.rings[at]
	}
	if len(m.rings) == maxRings {
		oldest := 0
		for i, r := range m.rings {
			if r.last < m.rings[oldest].last {
				oldest = i
			}
		}
		if now.Sub(m.rings[oldest].last) < idleAfter {
			return nil
		}
		m.rings = slices.Delete(m.rings, oldest, oldest+1)
		at, _ = slices.BinarySearchFunc(m.rings, key, compare)
	}
	m.rings = slices.Insert(m.rings, at, &ring{ringKey: key})
	return m.rings[at]
}

// keep keeps the piece of a datagram: as a new message, or as one more piece of a message that is known.
func (r *ring) keep(p *soccer.Packet, d *tcm.Datagram, index int) {
	piece := d.Pieces[index]
	for i := range r.slots {
		s := &r.slots[i]
		if s.arrived == 0 || s.header.Boot != d.Boot || s.header.To != d.To || s.piece.Module != piece.Module ||
			s.piece.Number != piece.Number {
			continue
		}
		s.count(&piece)
		return
	}
	s := &r.slots[r.next]
	r.next = (r.next + 1) % kept
	r.last = p.Time
	piece.Data = nil
	*s = slot{
		at: p.Time, header: d.Header, piece: piece, index: index, arrived: 1, seen: s.seen, data: append(s.data[:0], p.Data...),
	}
	s.seen = append(s.seen[:0], make([]uint64, (min(int(piece.Count), maxCounted)+63)/64)...)
	s.count(&piece)
}

// count counts a piece of the message that arrived for the first time.
func (s *slot) count(p *tcm.Piece) {
	word, bit := int(p.Index)/64, uint64(1)<<(p.Index%64)
	if !p.Fragment || word >= len(s.seen) || s.seen[word]&bit != 0 {
		return
	}
	s.seen[word] |= bit
	s.arrived = 0
	for _, w := range s.seen {
		s.arrived += bits.OnesCount64(w)
	}
}

// Sender is an entity whose messages can be read.
type Sender struct {
	Entity string   `json:"entity"` // robot:3
	Types  []string `json:"types"`  // of its messages
}

// Senders returns the entities whose messages arrived, robots first.
func (m *Messages) Senders() []Sender {
	senders := []Sender{}
	for _, r := range m.rings {
		if n := len(senders); n == 0 || senders[n-1].Entity != r.from.String() {
			senders = append(senders, Sender{Entity: r.from.String()})
		}
		last := &senders[len(senders)-1]
		last.Types = append(last.Types, r.typ.String())
	}
	return senders
}

// MessageView is the topic "teamcom/KEY": the newest messages of one sender and type.
type MessageView struct {
	Key      string    `json:"key"` // robot:3/belief
	Messages []Message `json:"messages"`
}

// Message is one message with the datagram that brought it, or its first piece.
type Message struct {
	Time       float64      `json:"time"` // s since the session started
	To         string       `json:"to"`   // robots
	Socket     string       `json:"socket"`
	Module     string       `json:"module"`
	Type       string       `json:"type"`
	Number     uint32       `json:"number"`
	Boot       uint32       `json:"boot"`
	Sequence   uint64       `json:"sequence"` // of the datagram
	Signed     bool         `json:"signed"`
	Bytes      int          `json:"bytes"`      // of the message
	Pieces     int          `json:"pieces"`     // of the message; 1: it is not fragmented
	Arrived    int          `json:"arrived"`    // of its pieces
	HeldMillis float64      `json:"heldMillis"` // between its capture and its departure, by the sender's clock
	Hex        string       `json:"hex"`        // the datagram
	Fields     []wire.Field `json:"fields"`     // of the datagram and the messages in it
	Issues     []wire.Issue `json:"issues"`
}

// View returns the newest messages of a key, newest first. It reports false if none arrived.
func (m *Messages) View(key string) (MessageView, bool) {
	v := MessageView{Key: key, Messages: []Message{}}
	for _, r := range m.rings {
		if r.String() != key {
			continue
		}
		for i := 1; i <= kept; i++ {
			if s := &r.slots[(r.next-i+kept)%kept]; s.arrived > 0 {
				v.Messages = append(v.Messages, s.message(m.start))
			}
		}
	}
	return v, len(v.Messages) > 0
}

func (s *slot) message(start soccer.Time) Message {
	h, p := &s.header, &s.piece
	msg := Message{
		Time: s.at.Sub(start).Seconds(), To: h.To.String(), Socket: h.Socket.String(), Module: p.Module.String(),
		Type: p.Type.String(), Number: p.Number, Boot: h.Boot, Sequence: h.Sequence, Signed: h.Signed,
		Bytes: int(p.Total), Pieces: int(p.Count), Arrived: s.arrived,
		HeldMillis: time.Duration(h.Sent-p.Captured).Seconds() * 1e3, Hex: hex.EncodeToString(s.data),
	}
	var payloads [][]byte
	msg.Fields, msg.Issues, payloads = Explain(s.data)
	if !p.Fragment {
		msg.Bytes, msg.Pieces = len(payloads[s.index]), 1
	}
	return msg
}

// Explain returns the byte table and the faults of a datagram together with those of the messages in it, and the
// payloads of its pieces. A message that the datagram only has a part of stays unread.
func Explain(b []byte) (fields []wire.Field, issues []wire.Issue, payloads [][]byte) {
	var d tcm.Datagram
	issues = append([]wire.Issue{}, tcm.Check(b)...)
	if d.UnmarshalBinary(b) != nil {
		return append([]wire.Field{}, tcm.Fields(b)...), issues, nil
	}
	for _, p := range d.Pieces {
		payloads = append(payloads, p.Data)
	}
	fields = []wire.Field{}
	for _, f := range tcm.Fields(b) {
		piece, isPayload := payloadOf(f.Name, d.Pieces)
		if !isPayload {
			fields = append(fields, f)
			continue
		}
		read, faults := explainPayload(piece, f.Offset)
		if read == nil {
			f.Value = abbreviated(f.Value, f.Len)
			read = []wire.Field{f}
		}
		fields, issues = append(fields, read...), append(issues, faults...)
	}
	return fields, issues, payloads
}

// payloadOf returns the piece whose payload has this name in the datagram's byte table.
func payloadOf(name string, pieces []tcm.Piece) (*tcm.Piece, bool) {
	number, ok := strings.CutSuffix(strings.TrimPrefix(name, "piece["), "].payload")
	i, err := strconv.Atoi(number)
	if !ok || err != nil || i >= len(pieces) {
		return nil, false
	}
	return &pieces[i], true
}

// explainPayload returns the fields and faults of a message at an offset of its datagram; none for types of other
// packages and for fragments.
func explainPayload(p *tcm.Piece, offset int) (fields []wire.Field, issues []wire.Issue) {
	if p.Fragment {
		return nil, nil
	}
	for _, f := range team.Fields(uint16(p.Type), p.Data) {
		f.Offset, f.Name = f.Offset+offset, p.Type.String()+"."+f.Name
		fields = append(fields, f)
	}
	for _, i := range team.Check(uint16(p.Type), p.Data) {
		i.Offset += offset
		if i.Field != "" && fields != nil {
			i.Field = p.Type.String() + "." + i.Field
		}
		issues = append(issues, i)
	}
	return fields, issues
}

// abbreviated returns the beginning of a long value in hexadecimal.
func abbreviated(value string, size int) string {
	const most = 32 // characters
	if len(value) <= most {
		return value
	}
	return fmt.Sprintf("%s… (%d bytes)", value[:most], size)
}
