package matchlog

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"touchline/internal/sslgame"
	"touchline/soccer"
	"touchline/wire/ssl"
)

// Logs of the Small Size League, SSL_LOG_FILE of ssl-go-tools, alone or in gzip. Numbers are big-endian:
//
//	 0 12  "SSL_LOG_FILE"
//	12  4  version, 1
//	then for each message
//	 0  8  time of receipt, ns of Unix time
//	 8  4  type: 0 blank, 1 unknown, 2 SSL-Vision 2010, 3 Referee, 4 SSL-Vision 2014, 5 tracker, 6 index
//	12  4  bytes of the message
//	16     the message
//
// The index, if there is one, is the last message, with time 0: the offset of each other message (8 bytes each), the bytes
// from its own beginning to the end of the file (8), and "INDEXED".

const (
	sslMagic   = "SSL_LOG_FILE"
	sslVersion = 1
	sslHead    = 16 // bytes before the first message, and of the head of each message
	sslIndexed = "INDEXED"
	sslLongest = 65507 // bytes of a message that is no index: a datagram
	sslLatest  = 4e18  // ns of Unix time: 2096
	sslFirst   = 9e17  // ns of Unix time: 1998
)

// Types of messages.
const (
	sslUnknown = 1
	sslReferee = 3
	sslVision  = 4
	sslTracker = 5
	sslIndex   = 6
	sslTypes   = 64 // types from here on are damage
)

// sslGroups are where the messages of a type went; they are in the channel Packets. All others are in channels "ssl/TYPE".
var sslGroups = map[int32]string{
	2: "224.5.23.2:10005", sslReferee: ssl.RefereeGroup, sslVision: ssl.VisionGroup, sslTracker: ssl.TrackerGroup,
}

// sslChannel is the beginning of the channels of messages that are no packets.
const sslChannel = "ssl/"

// sslLog converts a log of the Small Size League.
type sslLog struct {
	l     *Log
	p     packer
	r     *bufio.Reader
	off   int64 // in the unpacked file
	game  *sslgame.Game
	now   soccer.Time // newest time so far: messages keep their order
	bytes []byte
}

// convertSSL converts a log of the Small Size League.
func (l *Log) convertSSL() error {
	r, read, err := l.unpacked()
	if err != nil {
		return err
	}
	s := sslLog{l: l, game: sslgame.New(), p: packer{l: l, read: read}, r: bufio.NewReaderSize(r, sslLongest+2*sslHead)}
	err = s.scan()
	l.mu.Lock()
	l.state.Finished = err == nil && l.state.Torn == ""
	if l.all.meta == nil {
		l.all.meta = map[string]string{}
	}
	if names, ok := s.game.Names(); ok {
		l.all.meta[MetaHome], l.all.meta[MetaAway] = names[0], names[1]
	}
	l.all.meta[MetaMarkings] = markings(s.game.Field())
	for _, note := range s.game.Notes() {
		l.note("%s", note)
	}
	l.mu.Unlock()
	return errors.Join(err, s.p.flush())
}

// scan reads the head of the file and its messages.
func (s *sslLog) scan() error {
	head := make([]byte, sslHead)
	if _, err := io.ReadFull(s.r, head); err != nil {
		return fmt.Errorf("%w: its head is incomplete", ErrFormat)
	}
	if v := binary.BigEndian.Uint32(head[len(sslMagic):]); v != sslVersion {
		return fmt.Errorf("%w: SSL_LOG_FILE has version %d: want %d", ErrFormat, v, sslVersion)
	}
	s.off = sslHead
	for {
		b, err := s.r.Peek(sslHead)
		switch {
		case len(b) == 0 && err == io.EOF:
			return nil
		case len(b) < sslHead:
			return s.torn(err)
		}
		h := parseSSLHead(b)
		if !h.plausible() {
			if err := s.resync(); err != nil {
				return err
			}
			continue
		}
		if err := s.message(h); err != nil {
			return err
		}
	}
}

// torn notes that the file ends within a message, or returns the error that ended it.
func (s *sslLog) torn(err error) error {
	n, e := io.Copy(io.Discard, s.r)
	if err = cmp.Or(e, err); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	s.l.state.Torn = fmt.Sprintf("it ends within a message: %d bytes from byte %d on are lost", n, s.off)
	return nil
}

// sslMessageHead is the head of a message.
type sslMessageHead struct {
	time int64
	kind int32
	size int32
}

func parseSSLHead(b []byte) sslMessageHead {
	return sslMessageHead{int64(binary.BigEndian.Uint64(b)), int32(binary.BigEndian.Uint32(b[8:])),
		int32(binary.BigEndian.Uint32(b[12:]))}
}

// plausible reports whether a message may have this head. Only an index is longer than a datagram.
func (h *sslMessageHead) plausible() bool {
	most := int32(sslLongest)
	if h.kind == sslIndex {
		most = maxData
	}
	return h.kind >= 0 && h.kind < sslTypes && h.size >= 0 && h.size <= most && h.time < sslLatest &&
		(h.time > 0 || h.time == 0 && h.kind == sslIndex)
}

// resync skips damage up to the next message whose follower is plausible, too.
func (s *sslLog) resync() error {
	from := s.off
	for {
		if n, err := s.r.Discard(1); n == 0 {
			s.damaged(from)
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			return err
		}
		s.off++
		if b, _ := s.r.Peek(sslHead); len(b) == sslHead {
			h := parseSSLHead(b)
			if h.plausible() && h.kind <= sslIndex && h.time > sslFirst && s.followed(h.size) {
				break
			}
		}
	}
	s.damaged(from)
	return nil
}

func (s *sslLog) damaged(from int64) {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	s.l.lose("%d bytes from byte %d on are damaged: the messages in them are lost", s.off-from, from)
}

// followed reports whether a message of a size at the reader's place ends with the file, or before a plausible head.
func (s *sslLog) followed(size int32) bool {
	if size > sslLongest {
		return false
	}
	b, _ := s.r.Peek(int(size) + 2*sslHead) // no longer than the buffer
	switch rest := len(b) - sslHead - int(size); {
	case rest == 0:
		return true
	case rest < sslHead:
		return false
	}
	h := parseSSLHead(b[sslHead+size:])
	return h.plausible()
}

// message converts the message at the reader's place. A size that leads beyond the end of the file is damage or a torn
// end.
func (s *sslLog) message(h sslMessageHead) error {
	if b, err := s.r.Peek(sslHead + int(min(h.size, sslLongest))); len(b) < sslHead+int(min(h.size, sslLongest)) {
		if err := s.resyncBefore(err); err != errTorn {
			return err
		}
		return s.torn(err)
	}
	if h.kind != sslIndex && !s.followed(h.size) && !s.decodes(h) {
		return s.resync()
	}
	if _, err := s.r.Discard(sslHead); err != nil {
		return err
	}
	if cap(s.bytes) < int(h.size) {
		s.bytes = make([]byte, h.size)
	}
	s.bytes = s.bytes[:h.size]
	if _, err := io.ReadFull(s.r, s.bytes); err != nil {
		return s.torn(err)
	}
	at := s.off
	s.off += sslHead + int64(h.size)
	return s.add(h, at)
}

// decodes reports whether the message at the reader's place has the contents of its type: damage follows it then.
func (s *sslLog) decodes(h sslMessageHead) bool {
	kind, known := sslKinds[h.kind]
	b, _ := s.r.Peek(sslHead + int(h.size))
	if !known || len(b) < sslHead+int(h.size) || h.size == 0 {
		return false
	}
	for _, issue := range ssl.Check(kind, b[sslHead:]) {
		if !issue.Note {
			return false
		}
	}
	return true
}

var errTorn = errors.New("torn")

// resyncBefore looks for a message within the last bytes of the file, which a wrong size seems to take in. It returns
// errTorn if there is none.
func (s *sslLog) resyncBefore(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	rest, _ := s.r.Peek(s.r.Buffered())
	for i := 1; i+sslHead <= len(rest); i++ {
		h := parseSSLHead(rest[i:])
		end := i + sslHead + int(max(h.size, 0))
		if !h.plausible() || h.kind > sslIndex || h.time < sslFirst || end > len(rest) {
			continue
		}
		if end == len(rest) || end+sslHead <= len(rest) && nextPlausible(rest[end:]) {
			return s.resync()
		}
	}
	return errTorn
}

func nextPlausible(b []byte) bool {
	h := parseSSLHead(b)
	return h.plausible() && h.kind <= sslIndex
}

// add adds a message of the file at an offset, and before it the state and the truth that follow from it.
func (s *sslLog) add(h sslMessageHead, at int64) error {
	t := soccer.Time(h.time)
	s.now = max(s.now, t)
	if s.now.Sub(t) > maxLate && h.kind != sslIndex { // the recorder's clock was set back
		s.l.mu.Lock()
		s.l.note("the clock of the recorder was set back at byte %d: messages from there on are out of order", at)
		s.l.mu.Unlock()
		s.now = t
	}
	m := Message{Time: s.now, Published: t, Source: Source{Offset: at + sslHead}}
	if group, ok := sslGroups[h.kind]; ok {
		p := soccer.Packet{Time: s.now, Channel: group, Data: s.bytes}
		m.Channel, m.Data = Packets, AppendPacket(nil, &p)
	} else {
		m.Channel, m.Data = fmt.Sprintf("%s%d", sslChannel, h.kind), s.bytes
	}
	if err := s.p.add(&m, 0); err != nil {
		return err
	}
	kind, known := sslKinds[h.kind]
	if h.kind == sslUnknown {
		kind, known = ssl.Guess(s.bytes)
	}
	if !known {
		return nil
	}
	state, truth := s.game.Apply(s.now, kind, s.bytes)
	switch {
	case state != nil:
		return s.addJSON(States, state)
	case truth != nil:
		return s.addJSON(Truth, truth)
	}
	return nil
}

// addJSON adds a message that follows from a packet.
func (s *sslLog) addJSON(channel string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("matchlog: %w", err)
	}
	return s.p.add(&Message{Time: s.now, Channel: channel, Data: b}, 0)
}

var sslKinds = map[int32]ssl.Kind{sslReferee: ssl.KindReferee, sslVision: ssl.KindVision, sslTracker: ssl.KindTracker}

// SSLWriter writes a log of the Small Size League.
type SSLWriter struct {
	w       *bufio.Writer
	z       *gzip.Writer // nil: not packed
	offsets []int64
	off     int64
	indexed bool // the source has an index: Close writes one
	skipped uint64
}

// NewSSLWriter writes the head of a log of the Small Size League to w, in gzip if packed is true.
func NewSSLWriter(w io.Writer, packed bool) (*SSLWriter, error) {
	s := &SSLWriter{w: bufio.NewWriterSize(w, 64<<10), off: sslHead}
	if packed {
		s.z = gzip.NewWriter(w)
		s.w.Reset(s.z)
	}
	_, err := s.w.Write(binary.BigEndian.AppendUint32([]byte(sslMagic), sslVersion))
	return s, err
}

// Write writes a message of a log if it is a packet of the league or came from such a file, and reports whether it did. The
// index is written by Close.
func (s *SSLWriter) Write(m *Message) (bool, error) {
	kind, data := int32(-1), m.Data
	if m.Channel == Packets {
		p, err := ParsePacket(*m)
		if err != nil || p.Size > len(p.Data) {
			s.skipped++
			return false, nil
		}
		kind, data = sslTypeOf(&p), p.Data
	} else if n, err := fmt.Sscanf(m.Channel, sslChannel+"%d", &kind); n != 1 || err != nil {
		kind = -1
	}
	switch {
	case kind < 0:
		return false, nil
	case kind == sslIndex:
		s.indexed = true
		return false, nil
	}
	t := cmp.Or(m.Published, m.Time)
	head := binary.BigEndian.AppendUint64(nil, uint64(t))
	head = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(head, uint32(kind)), uint32(len(data)))
	s.offsets = append(s.offsets, s.off)
	s.off += sslHead + int64(len(data))
	if _, err := s.w.Write(head); err != nil {
		return false, err
	}
	_, err := s.w.Write(data)
	return true, err
}

// sslTypeOf returns the type of a packet, -1 for one of another league.
func sslTypeOf(p *soccer.Packet) int32 {
	for kind, group := range sslGroups {
		if p.Channel == group {
			return kind
		}
	}
	if p.Channel == ssl.VisionSimGroup {
		return sslVision
	}
	return -1
}

// Cut returns the packets so far that were cut when they were recorded: they are not in the file.
func (s *SSLWriter) Cut() uint64 { return s.skipped }

// Close writes the index if the source has one, and the rest of the file. It does not close the writer below.
func (s *SSLWriter) Close() error {
	if s.indexed && int64(len(s.offsets))*8 < math.MaxInt32-64 {
		n := len(s.offsets)*8 + 8 + len(sslIndexed)
		b := binary.BigEndian.AppendUint64(nil, 0)
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, sslIndex), uint32(n))
		for _, off := range s.offsets {
			b = binary.BigEndian.AppendUint64(b, uint64(off))
		}
		b = append(binary.BigEndian.AppendUint64(b, uint64(sslHead+n)), sslIndexed...)
		if _, err := s.w.Write(b); err != nil {
			return err
		}
	}
	err := s.w.Flush()
	if s.z != nil {
		err = cmp.Or(err, s.z.Close())
	}
	return err
}
