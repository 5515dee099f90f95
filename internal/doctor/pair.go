package doctor

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"touchline/soccer"
)

// Kind is the way of a stream between two machines.
type Kind string

// Kinds of streams.
const (
	Unicast       Kind = "unicast"        // there, and back
	MulticastTo   Kind = "multicast to"   // there by multicast, back by unicast
	MulticastFrom Kind = "multicast from" // there by unicast, back by multicast
	Whole         Kind = "whole"          // unicast that routers must not cut into fragments
	SnoopUnicast  Kind = "long unicast"
	SnoopFrom     Kind = "long multicast"
)

// Stream is a row of the table of streams, which both sides know.
type Stream struct {
	Kind Kind
	Size int // bytes of UDP payload
}

// Streams are all streams. Their sizes are a beat of a robot, the Mixed Team Package v2, the most that an Ethernet
// frame holds, and a worldstate that needs three fragments. The last two are those of the test of snooping.
var Streams = [...]Stream{
	{Unicast, 100}, {Unicast, 169}, {Unicast, 1472}, {Unicast, 3717},
	{MulticastTo, 100}, {MulticastTo, 169}, {MulticastTo, 1472}, {MulticastTo, 3717},
	{MulticastFrom, 100}, {MulticastFrom, 169}, {MulticastFrom, 1472}, {MulticastFrom, 3717},
	{Whole, 1472},
	{SnoopUnicast, 100}, {SnoopFrom, 100},
}

// Message kinds. A machine that serves answers a request with at most as many bytes.
const (
	hello   = 1 // request for a cookie and the time
	welcome = 2
	probe   = 3 // a datagram of a stream, with the cookie
	answer  = 4
	ask     = 5 // request for the counts of a session, with the cookie
	counts  = 6
)

const (
	magic      = "TLdr"
	version    = 1
	headerSize = 64
	countSize  = 6 // of one stream: got, twice, lowest TTL, reserved

	// AskSize is the size of hello and ask: that of the counts.
	AskSize = 192
	// MaxSequence bounds the sequence numbers of a stream.
	MaxSequence = 4096
	// MaxMessage is the size of the longest message in bytes.
	MaxMessage = 3717
)

// Message is the header of every datagram of a pair test. The layout, big-endian: "TLdr", version 1, kind, stream, 0,
// session (8 bytes), cookie (16), sequence (4), 4 bytes 0, and three times in nanoseconds (8 each): of the request, of
// its arrival and of the answer. Zeros fill the datagram to its size.
type Message struct {
	Kind     byte
	Stream   byte
	Session  uint64
	Cookie   [16]byte
	Sequence uint32
	Sent     int64 // Unix time at the sender of the request
	Arrived  int64 // Unix time at the peer
	Answered int64 // Unix time at the peer
}

// append appends the message with zeros up to size bytes.
func (m *Message) append(b []byte, size int) []byte {
	b = append(b, magic...)
	b = append(b, version, m.Kind, m.Stream, 0)
	b = binary.BigEndian.AppendUint64(b, m.Session)
	b = append(b, m.Cookie[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Sequence)<<32)
	for _, t := range []int64{m.Sent, m.Arrived, m.Answered} {
		b = binary.BigEndian.AppendUint64(b, uint64(t))
	}
	return append(b, make([]byte, max(0, size-headerSize))...)
}

// parse reads a message, and reports whether it is one.
func (m *Message) parse(b []byte) bool {
	if len(b) < headerSize || len(b) > MaxMessage || string(b[:4]) != magic || b[4] != version || b[5] < hello ||
		b[5] > counts ||
		int(b[6]) >= len(Streams) {
		return false
	}
	m.Kind, m.Stream = b[5], b[6]
	m.Session = binary.BigEndian.Uint64(b[8:])
	copy(m.Cookie[:], b[16:])
	m.Sequence = binary.BigEndian.Uint32(b[32:])
	m.Sent = int64(binary.BigEndian.Uint64(b[40:]))
	m.Arrived = int64(binary.BigEndian.Uint64(b[48:]))
	m.Answered = int64(binary.BigEndian.Uint64(b[56:]))
	return m.Sequence < MaxSequence
}

// IsMessage reports whether a datagram belongs to a pair test, of whatever machines.
func IsMessage(b []byte) bool { return new(Message).parse(b) }

// tally counts the datagrams of one direction of a stream.
type tally struct {
	got, twice int
	ttl        int
	seen       [MaxSequence / 64]uint64
}

// count counts a datagram, and reports whether it is the first with its sequence number. ttl is 0 if unknown.
func (t *tally) count(sequence uint32, ttl int) bool {
	if t.ttl == 0 || ttl > 0 && ttl < t.ttl {
		t.ttl = ttl
	}
	bit := uint64(1) << (sequence % 64)
	if t.seen[sequence/64]&bit != 0 {
		t.twice++
		return false
	}
	t.seen[sequence/64] |= bit
	t.got++
	return true
}

// Limits of a Server.
const (
	maxSessions = 8
	maxAnswers  = 2000 // a second
	sessionLife = 30 * time.Second
)

// Server answers the requests of machines that run a pair test. It keeps at most 8 sessions and sends at most 2,000
// answers a second, none of which is longer than its request. A machine must first prove, by returning a cookie, that
// it receives at its address.
type Server struct {
	secret   []byte
	sessions []*session
	second   soccer.Time
	answers  int
	out      []byte
}

type sessionKey struct {
	from    netip.AddrPort
	session uint64
}

type session struct {
	key     sessionKey
	last    soccer.Time
	tallies [len(Streams)]tally
}

// NewServer returns a Server whose cookies depend on a secret of at least 16 random bytes.
func NewServer(secret []byte) *Server {
	return &Server{secret: bytes.Clone(secret)}
}

// cookie returns what proves that a machine receives at an address.
func (s *Server) cookie(k sessionKey) (c [16]byte) {
	h := hmac.New(sha256.New, s.secret)
	fmt.Fprint(h, k.from, k.session)
	copy(c[:], h.Sum(nil))
	return c
}

// Received is a datagram as a Server receives it.
type Received struct {
	Data  []byte
	From  netip.AddrPort
	Group bool        // it came to the group
	TTL   int         // 0: unknown
	At    soccer.Time // Unix time
}

// Handle returns the answer to a datagram, nil if it deserves none, and whether it goes to the group in place of the
// sender. The answer is valid until the next call.
func (s *Server) Handle(r *Received, now soccer.Time) (out []byte, group bool) {
	var m Message
	if !m.parse(r.Data) || !s.admit(now) {
		return nil, false
	}
	key := sessionKey{r.From, m.Session}
	cookie := s.cookie(key)
	m.Arrived, m.Answered = int64(r.At), int64(now)
	if m.Kind == hello {
		if r.Group || len(r.Data) < AskSize {
			return nil, false
		}
		m.Kind, m.Cookie = welcome, cookie
		s.out = m.append(s.out[:0], AskSize)
		return s.out, false
	}
	if !hmac.Equal(cookie[:], m.Cookie[:]) {
		return nil, false
	}
	state := s.session(key, now)
	if state == nil {
		return nil, false
	}
	switch {
	case m.Kind == probe:
		return s.answer(&m, state, r)
	case m.Kind == ask && !r.Group && len(r.Data) >= AskSize:
		m.Kind = counts
		s.out = state.append(m.append(s.out[:0], headerSize))
		s.out = append(s.out, make([]byte, AskSize-len(s.out))...)
		return s.out, false
	}
	return nil, false
}

// answer counts a datagram of a stream and answers the first with its sequence number.
func (s *Server) answer(m *Message, state *session, r *Received) (out []byte, group bool) {
	stream := Streams[m.Stream]
	if len(r.Data) != stream.Size || r.Group != (stream.Kind == MulticastTo) {
		return nil, false
	}
	if !state.tallies[m.Stream].count(m.Sequence, r.TTL) {
		return nil, false
	}
	m.Kind = answer
	size := stream.Size
	if stream.Kind == MulticastTo {
		size = headerSize
	}
	s.out = m.append(s.out[:0], size)
	return s.out, stream.Kind == MulticastFrom || stream.Kind == SnoopFrom
}

// admit limits the answers of a second.
func (s *Server) admit(now soccer.Time) bool {
	if now.Sub(s.second) >= time.Second || now < s.second {
		s.second, s.answers = now, 0
	}
	s.answers++
	return s.answers <= maxAnswers
}

// session returns the state of a session, nil if there are too many.
func (s *Server) session(k sessionKey, now soccer.Time) *session {
	is := func(state *session) bool { return state.key == k }
	at := slices.IndexFunc(s.sessions, is)
	if at < 0 {
		s.sessions = slices.DeleteFunc(s.sessions, func(state *session) bool { return now.Sub(state.last) > sessionLife })
		if len(s.sessions) >= maxSessions {
			return nil
		}
		at = len(s.sessions)
		s.sessions = append(s.sessions, &session{key: k})
	}
	found := s.sessions[at]
	found.last = now
	return found
}

// append appends the counts of all streams.
func (s *session) append(b []byte) []byte {
	for i := range s.tallies {
		t := &s.tallies[i]
		b = binary.BigEndian.AppendUint16(b, uint16(t.got))
		b = binary.BigEndian.AppendUint16(b, uint16(min(t.twice, 0xffff)))
		b = append(b, byte(t.ttl), 0)
	}
	return b
}

// Client is the side that asks. It writes requests and counts what comes back.
type Client struct {
	Session  uint64
	cookie   [16]byte
	welcomed bool
	counted  bool
	offset   time.Duration
	rtt      time.Duration
	sent     [len(Streams)]int
	refused  [len(Streams)]bool
	back     [len(Streams)]tally
	peer     [len(Streams)]tally // without seen

	began, lastUnicast, lastMulticast soccer.Time
}

// Hello appends a request for the cookie. now is Unix time.
func (c *Client) Hello(b []byte, now soccer.Time) []byte {
	return (&Message{Kind: hello, Session: c.Session, Sent: int64(now)}).append(b, AskSize)
}

// Ask appends a request for the peer's counts.
func (c *Client) Ask(b []byte, now soccer.Time) []byte {
	return (&Message{Kind: ask, Session: c.Session, Cookie: c.cookie, Sent: int64(now)}).append(b, AskSize)
}

// Probe appends the next datagram of a stream.
func (c *Client) Probe(b []byte, stream int, now soccer.Time) []byte {
	m := Message{Kind: probe, Stream: byte(stream), Session: c.Session, Cookie: c.cookie,
		Sequence: uint32(c.sent[stream]) % MaxSequence, Sent: int64(now)}
	c.sent[stream]++
	return m.append(b, Streams[stream].Size)
}

// Unsent takes the last datagram of a stream back: the system did not send it.
func (c *Client) Unsent(stream int) {
	c.refused[stream] = true
}

// Handle reads an answer that arrived at a Unix time, from the group or not. It reports whether it was one of this
// session.
func (c *Client) Handle(b []byte, group bool, ttl int, at soccer.Time) bool {
	var m Message
	if !m.parse(b) || m.Session != c.Session {
		return false
	}
	switch {
	case m.Kind == welcome && !group:
		rtt := time.Duration(int64(at) - m.Sent - (m.Answered - m.Arrived))
		if rtt >= 0 && rtt < time.Minute && (!c.welcomed || rtt < c.rtt) {
			c.rtt, c.offset = rtt, time.Duration((m.Arrived-m.Sent)/2+(m.Answered-int64(at))/2)
		}
		c.cookie, c.welcomed = m.Cookie, true
	case m.Kind == counts && !group && len(b) >= headerSize+countSize*len(Streams):
		c.counted = true
		for i := range c.peer {
			at := b[headerSize+countSize*i:]
			c.peer[i].got = int(binary.BigEndian.Uint16(at))
			c.peer[i].twice = int(binary.BigEndian.Uint16(at[2:]))
			c.peer[i].ttl = int(at[4])
		}
	case m.Kind == answer && int(m.Sequence) < c.sent[m.Stream]:
		kind := Streams[m.Stream].Kind
		if group != (kind == MulticastFrom || kind == SnoopFrom) {
			return false
		}
		c.back[m.Stream].count(m.Sequence, ttl)
		switch kind {
		case SnoopUnicast:
			c.lastUnicast = at
		case SnoopFrom:
			c.lastMulticast = at
		}
	default:
		return false
	}
	return true
}

// Welcomed reports whether the peer has answered a Hello.
func (c *Client) Welcomed() bool { return c.welcomed }

// Counted reports whether the peer's counts have arrived.
func (c *Client) Counted() bool { return c.counted }

// BeginSnooping marks the start of the test of snooping.
func (c *Client) BeginSnooping(now soccer.Time) { c.began = now }

// Result fills what the streams gave into a Peer. now is the end of the test.
func (c *Client) Result(p *Peer, now soccer.Time) {
	p.Answered, p.Offset, p.RTT = c.welcomed, c.offset, c.rtt
	p.Streams = []StreamResult{}
	for i, s := range Streams {
		if c.sent[i] == 0 {
			continue
		}
		p.Streams = append(p.Streams, StreamResult{
			Kind: s.Kind, Size: s.Size, Sent: c.sent[i],
			PeerGot: max(c.peer[i].got, c.back[i].got), PeerTwice: c.peer[i].twice, PeerTTL: c.peer[i].ttl,
			Got: c.back[i].got, Twice: c.back[i].twice, TTL: c.back[i].ttl, Unsendable: c.refused[i],
		})
		switch s.Kind {
		case SnoopUnicast:
			p.Snooping.Ran, p.Snooping.Unicast = now.Sub(c.began), c.back[i].got
			p.Snooping.LastUnicast = max(0, c.lastUnicast.Sub(c.began))
		case SnoopFrom:
			p.Snooping.Multicast, p.Snooping.LastMulticast = c.back[i].got, max(0, c.lastMulticast.Sub(c.began))
		}
	}
}
