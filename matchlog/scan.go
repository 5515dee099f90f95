package matchlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"touchline/soccer"
)

// ErrFormat is what a file is that cannot be read as a log at all.
var ErrFormat = errors.New("matchlog: not a log")

const maxName = 255 // bytes of a channel's name

// entry is where a message is, in 24 bytes.
type entry struct {
	time    soccer.Time
	offset  int64  // of its record
	length  uint32 // of its data
	channel uint16 // index into contents.channels
}

// scanner reads the records of an MCAP file, or of a chunk in one, in order. It trusts lengths only as far as the file goes.
type scanner struct {
	r    io.ReaderAt
	size int64
	off  int64  // of the next record
	ours bool   // the profile is touchline's
	torn string // why it stopped before the end; "" where it did not

	buf []byte
	at  int64 // offset of buf[0]
}

// bytes returns n bytes at offset off, or fewer at the file's end. Offsets that do not decrease are read front to back.
func (s *scanner) bytes(off int64, n int) ([]byte, error) {
	n = int(max(min(int64(n), s.size-off), 0))
	have := s.at + int64(len(s.buf)) - off // bytes that are in buf already
	if off >= s.at && int64(n) <= have {
		return s.buf[off-s.at:][:n], nil
	}
	if off < s.at || have < 0 {
		have = 0
	}
	kept := s.buf[int64(len(s.buf))-have:]
	want := int(min(int64(max(n, 1<<20)), s.size-off))
	if cap(s.buf) < want {
		s.buf = make([]byte, want)
	}
	s.buf = s.buf[:want]
	copy(s.buf, kept)
	got, err := s.r.ReadAt(s.buf[have:], off+have)
	s.at, s.buf = off, s.buf[:int(have)+got]
	if len(s.buf) < n {
		if err == nil || err == io.EOF { // it was cut meanwhile
			return s.buf, nil
		}
		return nil, fmt.Errorf("byte %d cannot be read: %w", off+have, err)
	}
	return s.buf[:n], nil
}

// next returns the kind and the length of the next record. Without a record the kind is 0: at the end, and where torn says
// what stands there instead.
func (s *scanner) next() (op byte, length uint64, err error) {
	head, err := s.bytes(s.off, recordHead)
	if err != nil || len(head) == 0 {
		return 0, 0, err
	}
	if len(head) < recordHead || head[0] == 0 { // zeros stand ahead of the end
		return 0, 0, s.tear("half a record")
	}
	return head[0], binary.LittleEndian.Uint64(head[1:]), nil
}

// body returns what the next record holds, of this length. It is nil, and torn is set, where the file ends before, or the
// record is longer than longest.
func (s *scanner) body(length, longest uint64) ([]byte, error) {
	if length > longest || int64(length) > s.size-s.off-recordHead {
		return nil, s.tear("half a record")
	}
	body, err := s.bytes(s.off+recordHead, int(length))
	if err != nil {
		return nil, err
	}
	if len(body) < int(length) {
		return nil, s.tear("half a record")
	}
	return body[:length:length], nil
}

// record returns the next record of one of our logs, and does not move on. Without a record op is 0, as that of next.
func (s *scanner) record() (op byte, body []byte, err error) {
	op, length, err := s.next()
	if err != nil || op == 0 {
		return 0, nil, err
	}
	if body, err = s.body(length, maxRecord); err != nil || body == nil {
		return 0, nil, err
	}
	return op, body, nil
}

// tear says why reading ends here, unless only zeros follow.
func (s *scanner) tear(why string) error {
	for off := s.off; off < s.size; {
		b, err := s.bytes(off, 1<<20)
		if err != nil {
			return err
		}
		if len(b) == 0 {
			break
		}
		for _, c := range b {
			if c != 0 {
				s.torn = fmt.Sprintf("%s at byte %d, which is cut off with what follows", why, s.off)
				return nil
			}
		}
		off += int64(len(b))
	}
	return nil
}

// unbegun reports whether a file with this beginning is one of our logs whose first record was not wholly written.
func unbegun(head []byte) bool {
	b := appendFileHead(nil)
	return len(head) < len(b) && string(head) == string(b[:len(head)])
}

// head reads the magic bytes and the header.
func (s *scanner) head() error {
	b, err := s.bytes(0, len(magic))
	if err != nil {
		return err
	}
	if string(b) != magic {
		return fmt.Errorf("%w: it does not begin as MCAP does", ErrFormat)
	}
	s.off = int64(len(magic))
	op, body, err := s.record()
	if err != nil {
		return err
	}
	name, _, ok := cutString(body)
	if op != opHeader || !ok {
		return fmt.Errorf("%w: its header is not whole", ErrFormat)
	}
	s.ours = name == profile
	s.off += recordHead + int64(len(body))
	return nil
}

// scan reads one of our logs from off on, and calls message for each message; false ends it with ErrClosed. It stops
// behind the last whole record and reports whether the log is finished.
func (s *scanner) scan(c *contents, message func(entry) bool) (finished bool, err error) {
	for {
		op, body, err := s.record()
		if err != nil || op == 0 {
			return false, err
		}
		next := s.off + recordHead + int64(len(body))
		if op == opDataEnd {
			if s.ended(next) {
				return true, nil
			}
			return false, s.tear("half an end")
		}
		if !c.apply(op, body, s.off) {
			return false, s.tear("a broken record")
		}
		if op == opMessage {
			id := binary.LittleEndian.Uint16(body)
			if !message(entry{timeAt(body[6:]), s.off, uint32(len(body) - messageHead), id - 1}) {
				return false, ErrClosed
			}
		}
		s.off = next
	}
}

// apply counts a record of one of our logs, which begins at an offset. It reports false for a record that is broken, or
// that our logs do not have.
func (c *contents) apply(op byte, body []byte, offset int64) bool {
	switch op {
	case opMessage:
		if len(body) < messageHead {
			return false
		}
		id := binary.LittleEndian.Uint16(body)
		if id < 1 || int(id) > len(c.channels) || binary.LittleEndian.Uint32(body[2:]) != checksum(body) {
			return false
		}
		c.count(id, timeAt(body[6:]))
		return true
	case opChannel:
		return c.declare(body)
	case opMetadata:
		name, meta, ok := parseMetadata(body)
		if name == profile {
			c.meta = meta
			c.metadata = append(c.metadata, span{offset, recordHead + int64(len(body))})
		}
		return ok
	}
	return false
}

// declare takes a channel record.
func (c *contents) declare(body []byte) bool {
	if len(body) < 4 {
		return false
	}
	name, _, ok := cutString(body[4:])
	_, known := c.ids[name]
	if !ok || known || checkChannel(name, len(c.channels)) != nil || int(binary.LittleEndian.Uint16(body)) != len(c.channels)+1 {
		return false
	}
	c.add(name)
	return true
}

// ended reports whether a whole summary and nothing else stands from offset off on.
func (s *scanner) ended(off int64) bool {
	here := s.off
	defer func() { s.off, s.torn = here, "" }()
	for s.off = off; ; {
		op, body, err := s.record()
		if err != nil || op == 0 {
			return false
		}
		s.off += recordHead + int64(len(body))
		if op == opFooter {
			b, err := s.bytes(s.off, len(magic)+1)
			return err == nil && string(b) == magic
		}
	}
}

// cutString takes a text with its length before it off b.
func cutString(b []byte) (text string, rest []byte, ok bool) {
	if len(b) < 4 {
		return "", nil, false
	}
	n := binary.LittleEndian.Uint32(b)
	if int64(n) > int64(len(b)-4) {
		return "", nil, false
	}
	return string(b[4 : 4+n]), b[4+n:], true
}

// parseMetadata reads a metadata record.
func parseMetadata(b []byte) (name string, meta map[string]string, ok bool) {
	name, b, ok = cutString(b)
	if !ok || len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)-4) {
		return "", nil, false
	}
	meta = map[string]string{}
	for b = b[4:]; len(b) > 0; {
		var key, value string
		if key, b, ok = cutString(b); !ok {
			return "", nil, false
		}
		if value, b, ok = cutString(b); !ok {
			return "", nil, false
		}
		meta[key] = value
	}
	return name, meta, true
}

func timeAt(b []byte) soccer.Time { return soccer.Time(binary.LittleEndian.Uint64(b)) }
