package check

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"net/netip"
	"slices"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire"
	"touchline/wire/tcm"
)

// Sources of the rules.
const (
	sourceDatagram = "TCM datagram, The datagram"
	sourcePieces   = "TCM datagram, Pieces"
	sourceClocks   = "TCM datagram, Echo and clocks"
)

// Bounds of a Checker's memory: about 40 MiB of numbers and 64 MiB of incomplete messages in the worst case, and below
// 1 MiB for six robots.
const (
	maxSources  = 64
	maxStreams  = 32       // per sender
	maxCounters = 128      // per sender
	maxPartial  = 8        // messages of one sender of which pieces are missing
	maxMessage  = 4 << 20  // bytes
	maxHeld     = 64 << 20 // bytes of the incomplete messages of all senders
	maxEnded    = 256      // findings on incomplete messages that nobody collected
)

// A sender that was silent for this long may lose its place to a new one.
const (
	idleAfter = time.Second
	idleCount = 10_000 // datagrams of others, where no times are known
)

// Source identifies the program that sent a datagram.
type Source struct {
	Team   uint8
	Entity tcm.Entity
}

// Kind tells the messages of one sender apart.
type Kind struct {
	To     tcm.Entity
	Module tcm.Module
	Type   tcm.Type
}

// Message is a whole message.
type Message struct {
	From Source
	Kind
	Socket   tcm.Socket
	Number   uint32
	Captured uint64      // ns, the sender's clock
	Sent     uint64      // ns, the sender's clock: of the datagram with the last piece
	Time     soccer.Time // when the last piece arrived; 0 if that is unknown
	Pieces   int         // 1 for a message that is no fragment
	Data     []byte      // valid during the call only
	Issues   []wire.Issue
}

// Ended is a finding on a message of which pieces are missing.
type Ended struct {
	From Source
	wire.Issue
	Packet uint64      // number of the datagram with its newest piece
	Time   soccer.Time // arrival of that datagram
	Data   []byte      // bytes of that datagram
}

// DatagramChecker finds the faults of TCM datagrams, which it receives in the order of their arrival: those of one
// datagram, those that only the stream of a sender shows (sequence, boots, clocks, fragments), and messages whose
// contents cannot be true. The network causes losses, duplicates and reordering: they are counted, and no faults.
//
// A node of package teamcom cannot take its place. It is one receiver, which refuses datagrams without saying more and
// needs the time of each; the checker follows what is sent to all destinations, also without times, remembers 1,024
// sequence numbers with the contents of their datagrams, and judges what a node drops. The zero value is ready. It is
// not safe for concurrent use.
type DatagramChecker struct {
	// Key verifies the tags of signed datagrams. Default nil: they are not verified
	Key *tcm.Key
	// Directory is the team's TCM.ini, with which teams, entities and ports are compared. Default nil: they are not
	Directory *teamcom.Directory
	// Message is called with each whole message that is not a duplicate. Default nil
	Message func(*Message)

	senders map[Source]*sender
	order   []*sender // the same, in the order of their first datagrams
	held    int       // bytes of all partial messages
	signed  [256]bool
	newest  soccer.Time
	ended   []Ended
	squads  bounded.Table[uint8, *squad, soccer.Time]

	// Of the datagram in hand.
	packet   *soccer.Packet
	number   uint64
	datagram tcm.Datagram
	issues   []wire.Issue
	to       string // its channel
	toSum    uint32 // checksum of to
}

// sender is what is known of one sender.
type sender struct {
	Source
	last     soccer.Time // when its newest datagram arrived
	packet   uint64      // its number
	boot     uint32
	since    soccer.Time // when its first datagram of this boot arrived
	addr     netip.AddrPort
	count    uint64 // datagrams of this boot
	latest   uint64 // greatest sent of this boot
	older    [4]oldBoot
	restarts int
	brief    int // boots in a row that ended after a datagram or two
	lower    int // datagrams in a row with a lower boot that is unknown
	clock    clock
	echoes   echoes
	sents    [64]departure // newest datagrams
	observed uint64        // datagrams; the newest one is before sents[observed%64]
	least    int64         // ns: least arrival - sent of this boot, on two clocks
	streams  bounded.Table[destination, *stream, soccer.Time]
	counters bounded.Table[Kind, *counter, soccer.Time]
	partials []*partial
	ball     frozenBall
	claims   claims
}

// oldBoot is a boot that a newer one replaced.
type oldBoot struct {
	boot   uint32
	known  bool
	addr   netip.AddrPort
	late   int // its datagrams that arrived since
	latest uint64
}

// Observe checks the datagram p, which is the number-th of the input, and returns its sender and its issues, which are
// valid until the next call. The Sender is zero if the datagram is unreadable. The Time of p is 0 and its From the zero
// AddrPort if they are unknown. Observe keeps no reference to p.
func (c *DatagramChecker) Observe(number uint64, p *soccer.Packet) (from Source, issues []wire.Issue) {
	c.packet, c.number = p, number
	c.issues = append(c.issues[:0], tcm.Check(p.Data)...)
	d := &c.datagram
	err := d.UnmarshalBinary(p.Data) // a wrong piece leaves the header valid
	if errors.Is(err, tcm.ErrSum) {
		c.hintChecksum()
	}
	if err != nil && !errors.Is(err, tcm.ErrPiece) || d.From.ID == 0 || d.From.Kind == 0 || d.Sequence == 0 {
		return Source{}, c.issues
	}
	c.newest = max(c.newest, p.Time)
	s := c.sender(Source{d.Team, d.From})
	c.judgeByteOrder()
	c.judgeSignature()
	if c.Directory != nil {
		c.judgeAddress()
	}
	if s == nil {
		return Source{d.Team, d.From}, c.issues
	}
	s.noteDeparture(d.Sent, p.Time)
	if !c.judgeBoot(s) {
		return Source{d.Team, d.From}, c.issues
	}
	to := destination{d.To, d.Socket}
	st := found(&s.streams, to, maxStreams, func() *stream { return &stream{destination: to} })
	if st == nil {
		return s.Source, c.issues
	}
	if !c.judgeSequence(s, st) {
		return s.Source, c.issues
	}
	c.judgeClock(s, st)
	c.judgeEcho(s)
	at := tcm.HeaderSize
	for i := range d.Pieces {
		piece := &d.Pieces[i]
		head := tcm.PieceHeader
		if piece.Fragment {
			head = tcm.FragmentHeader
		}
		c.piece(s, st, i, at, at+head)
		at += head + len(piece.Data)
	}
	return s.Source, c.issues
}

// sender returns what is known of a sender; nil if there are too many.
func (c *DatagramChecker) sender(from Source) *sender {
	s := c.senders[from]
	if s == nil && len(c.order) == maxSources && !c.evict() {
		return nil
	}
	if s == nil {
		if c.senders == nil {
			c.senders = make(map[Source]*sender)
		}
		s = &sender{Source: from}
		c.senders[from] = s
		c.order = append(c.order, s)
	}
	s.last, s.packet = c.packet.Time, c.number
	return s
}

// evict forgets the sender that was silent for longest, and reports whether one was idle.
func (c *DatagramChecker) evict() bool {
	i := 0
	for k, s := range c.order {
		if s.packet < c.order[i].packet {
			i = k
		}
	}
	s := c.order[i]
	if c.packet.Time != 0 && c.packet.Time.Sub(s.last) < idleAfter || c.packet.Time == 0 && c.number-s.packet < idleCount {
		return false
	}
	for len(s.partials) > 0 {
		c.end(s, s.partials[0], false)
	}
	c.order = slices.Delete(c.order, i, i+1)
	delete(c.senders, s.Source)
	return true
}

// found returns what a table holds of a key, for which it makes room; nil if there are too many keys.
func found[K comparable, V any](t *bounded.Table[K, *V, soccer.Time], key K, most int, make func() *V) *V {
	e := t.Find(key)
	if e == nil {
		if e, _ = t.Add(key, 0, most, bounded.Forever); e == nil {
			return nil
		}
		e.Value = make()
	}
	return e.Value
}

// fault adds a fault of the datagram in hand.
func (c *DatagramChecker) fault(at int, field, source, format string, args ...any) {
	c.issues = append(c.issues, wire.Issue{Offset: at, Field: field, Source: source, Text: fmt.Sprintf(format, args...)})
}

// note adds a note on the datagram in hand.
func (c *DatagramChecker) note(at int, field, source, format string, args ...any) {
	c.fault(at, field, source, format, args...)
	c.issues[len(c.issues)-1].Note = true
}

// judgeSignature verifies the tag, and finds unsigned datagrams of a team that signs.
func (c *DatagramChecker) judgeSignature() {
	h := &c.datagram.Header
	switch {
	case h.Signed && c.Key != nil && !c.Key.Valid(c.packet.Data):
		c.fault(len(c.packet.Data)-tcm.SumSize-tcm.TagSize, "tag", sourceDatagram,
			"the tag does not fit the team key: another key, or the datagram was altered; the tag is the first 16 bytes of "+
				"HMAC-SHA-256 of all bytes before it")
	case h.Signed:
		c.signed[h.Team] = true
	case c.Key != nil:
		c.fault(4, "flags", sourceDatagram, "unsigned: receivers with the team key drop it")
	case c.signed[h.Team]:
		c.note(4, "flags", sourceDatagram, "unsigned, but other datagrams of team %d are signed: receivers with the team key "+
			"drop it", h.Team)
	}
}

// Times and counts of boots.
const (
	overtaken  = 2 * time.Second // datagrams of the boot before may arrive for this long after a restart
	briefBoots = 3               // boots in a row of a datagram or two: the boot id changes all the time
	lowerBoots = 3               // datagrams in a row with a lower boot id: the source restarted with it
)

// judgeBoot follows the boots of a sender. It reports whether the datagram is of the newest one.
func (c *DatagramChecker) judgeBoot(s *sender) bool {
	boot := c.datagram.Boot
	if s.count == 0 {
		s.restart(c, boot)
	}
	if boot == s.boot {
		s.count, s.lower, s.latest = s.count+1, 0, max(s.latest, c.datagram.Sent)
		s.noteDelay(c.datagram.Sent, c.packet.Time)
		return true
	}
	for i := range s.older {
		if o := &s.older[i]; o.known && o.boot == boot {
			c.judgeOldBoot(s, o)
			return false
		}
	}
	if boot < s.boot {
		if s.lower++; s.lower < lowerBoots {
			return false
		}
		c.fault(12, "boot", sourceDatagram, "boot %d after boot %d: receivers that verify signatures drop this as a replay; use "+
			"a number that grows with each start, for example tenths of a second since 2020", boot, s.boot)
	}
	if s.count <= 2 {
		s.brief++
	} else {
		s.brief = 0
	}
	if s.brief >= briefBoots {
		c.fault(12, "boot", sourceDatagram, "the boot id changes with each datagram: set it once when the program starts")
	}
	copy(s.older[1:], s.older[:])
	s.older[0] = oldBoot{boot: s.boot, known: true, addr: s.addr, latest: s.latest}
	s.restart(c, boot)
	s.count, s.restarts = 1, s.restarts+1
	return true
}

// judgeOldBoot finds a second program with the sender's name: its boot continues although a newer one replaced it.
func (c *DatagramChecker) judgeOldBoot(s *sender, o *oldBoot) {
	o.late++
	if c.packet.Time != 0 && c.packet.Time.Sub(s.since) < overtaken || o.late < 8 {
		return
	}
	where := ""
	if s.addr.IsValid() {
		where = fmt.Sprintf(", from %s and from %s", c.packet.From, s.addr)
	}
	c.fault(12, "boot", sourceDatagram, "two programs send as %s of team %d%s, with boot %d and boot %d: receivers drop the "+
		"older one; give each program its own id, or stop one", s.Entity, s.Team, where, o.boot, s.boot)
}

// restart starts a boot.
func (s *sender) restart(c *DatagramChecker, boot uint32) {
	for _, p := range s.partials {
		c.held -= p.size()
	}
	s.partials = s.partials[:0]
	s.boot, s.since, s.addr, s.lower, s.latest = boot, c.packet.Time, c.packet.From, 0, c.datagram.Sent
	s.clock, s.echoes, s.claims, s.least = clock{}, echoes{}, claims{}, math.MaxInt64
	s.noteDelay(c.datagram.Sent, c.packet.Time)
	for _, e := range s.streams.All() {
		e.Value.restart()
	}
	for _, e := range s.counters.All() {
		e.Value.restart()
	}
}

// checksum returns the checksum of the datagram in hand: two datagrams with the same one are equal.
func (c *DatagramChecker) checksum() uint32 {
	return binary.LittleEndian.Uint32(c.packet.Data[len(c.packet.Data)-tcm.SumSize:])
}

// channel returns a checksum of the address that the datagram in hand went to.
func (c *DatagramChecker) channel() uint32 {
	if c.packet.Channel != c.to {
		c.to = c.packet.Channel
		c.toSum = tcm.Sum([]byte(c.to))
	}
	return c.toSum
}

// hintChecksum finds out which other checksum a datagram has whose checksum is wrong, and adds it to the issue.
func (c *DatagramChecker) hintChecksum() {
	b := c.packet.Data
	end := len(b) - tcm.SumSize
	if end < tcm.HeaderSize {
		return
	}
	got, want, why := binary.LittleEndian.Uint32(b[end:]), tcm.Sum(b[:end]), ""
	switch got {
	case bits.ReverseBytes32(want):
		why = "the bytes are in the wrong order: write integers little-endian"
	case crc32.ChecksumIEEE(b[:end]), bits.ReverseBytes32(crc32.ChecksumIEEE(b[:end])):
		why = "this is the CRC-32 of zlib and Ethernet: CRC-32C has another polynomial (Castagnoli, 0x1EDC6F41)"
	case ^want:
		why = "the final inversion is missing"
	case tcm.Sum(b[tcm.HeaderSize:end]):
		why = "this is the CRC-32C without the header: start with byte 0"
	case tcm.Sum(append(b[:end:end], 0, 0, 0, 0)):
		why = "this is the CRC-32C with four zeros in its place: end before it"
	case 0:
		why = "it was never set"
	default:
		return
	}
	for i := range c.issues {
		if issue := &c.issues[i]; issue.Field == "crc" {
			issue.Text += "; " + why
		}
	}
}

// judgeByteOrder finds integers in big-endian order: small numbers become huge.
func (c *DatagramChecker) judgeByteOrder() {
	const huge, small = 1 << 48, 1 << 32
	if seq := c.datagram.Sequence; seq >= huge && bits.ReverseBytes64(seq) < small {
		c.fault(16, "sequence", sourceDatagram, "%d is %d with its bytes swapped: write integers little-endian, the least "+
			"significant byte first", seq, bits.ReverseBytes64(seq))
	}
}

const sourceDirectory = "TCM datagram, Entities and sockets"

// judgeAddress compares the datagram in hand with TCM.ini.
func (c *DatagramChecker) judgeAddress() {
	h := &c.datagram.Header
	if h.Team != c.Directory.Team {
		c.fault(5, "team", sourceDirectory, "team %d, but TCM.ini is that of team %d: its receivers drop the datagram", h.Team,
			c.Directory.Team)
		return
	}
	if _, known := c.Directory.Entry(h.From); !known {
		c.fault(7, "from.id", sourceDirectory, "%s is not in TCM.ini, and receivers drop its datagrams: add it, or correct the id",
			h.From)
	}
	base, known := c.Directory.Multicast(h.To.Kind)
	if h.To.ID != 0 {
		var e teamcom.Entry
		e, known = c.Directory.Entry(h.To)
		if base = e.Addr; !known {
			c.fault(9, "to.id", sourceDirectory, "%s is not in TCM.ini: add it, or correct the id", h.To)
		}
	}
	to, err := netip.ParseAddrPort(c.packet.Channel)
	if err != nil || !known || to.Addr() != base.Addr() || h.Socket >= tcm.Sockets {
		return
	}
	if want := teamcom.Port(base, h.Socket); to != want {
		c.fault(10, "socket", sourceDirectory, "socket %s of %s is %s, but the datagram went to %s: the port is the base port + the "+
			"number of the socket", h.Socket, h.To, want, to)
	}
}

// Streams returns the figures of a sender's datagrams by destination and socket, in the order of their first datagrams.
func (c *DatagramChecker) Streams(from Source) []Stream {
	all := []Stream{}
	if s := c.senders[from]; s != nil {
		for _, e := range s.streams.All() {
			st := e.Value
			all = append(all, Stream{
				To: st.to.String(), Socket: st.socket.String(), Received: st.received, Lost: st.lostBefore + st.lost(),
				Duplicates: st.duplicates, Reordered: st.reordered,
			})
		}
	}
	return all
}

// Types returns the figures of a sender's messages by destination, module and type, in the order of their first ones.
func (c *DatagramChecker) Types(from Source) []Type {
	all := []Type{}
	if s := c.senders[from]; s != nil {
		for _, e := range s.counters.All() {
			n := e.Value
			t := Type{
				Kind: n.Kind, To: n.To.String(), Module: n.Module.String(), Type: n.Type.String(), Received: n.received,
				Lost: n.lostBefore + n.lost(), Incomplete: n.incomplete, Repeated: n.repeated, Bytes: n.bytes,
			}
			for _, p := range s.partials {
				if p.counter == n && !p.done {
					t.Incomplete++
				}
			}
			all = append(all, t)
		}
	}
	return all
}

// Restarts returns how often a sender restarted.
func (c *DatagramChecker) Restarts(from Source) int {
	if s := c.senders[from]; s != nil {
		return s.restarts
	}
	return 0
}

// Split returns the datagrams in b. Linux shows a burst of datagrams of one size, which it carries as a whole, as one
// packet to programs that capture it.
func Split(b []byte) [][]byte {
	if whole(b) {
		return [][]byte{b}
	}
	const least = tcm.HeaderSize + tcm.SumSize
	for size := least; size <= min(tcm.MaxDatagram, len(b)-least); size++ {
		if !tcm.Is(b[size:]) || !whole(b[:size]) {
			continue
		}
		var all [][]byte
		for ; len(b) > size; b = b[size:] {
			all = append(all, b[:size])
		}
		return append(all, b)
	}
	return [][]byte{b}
}

// whole reports whether b ends with the checksum of the bytes before it.
func whole(b []byte) bool {
	end := len(b) - tcm.SumSize
	return end >= tcm.HeaderSize && len(b) <= tcm.MaxDatagram && binary.LittleEndian.Uint32(b[end:]) == tcm.Sum(b[:end])
}
