package matchlog

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/foxglove/mcap/go/mcap"
)

// ErrFormat is the error of a file that is not a log.
var ErrFormat = errors.New("matchlog: not a log")

// scanner reads the records of an MCAP file, or of a chunk in one, in order. It checks lengths against the file's.
type scanner struct {
	r     io.ReaderAt
	size  int64
	off   int64 // place of the next record
	ours  bool  // the profile is touchline's
	chunk bool  // it reads a chunk, behind whose last record no zeros follow

	packed *chunkReader // reads a touchline log's chunks; nil: it may have none
	staged []entry      // messages of the newest chunk
	torn   string       // why reading stopped before the end of the file; "": it did not

	buf []byte
	at  int64 // offset of buf[0]
}

// bytes returns n bytes at offset off, or fewer at the end of the file. It reads sequentially if offsets do not
// decrease.
func (s *scanner) bytes(off int64, n int) ([]byte, error) {
	if off < 0 || off > s.size {
		return nil, nil
	}
	n = int(max(min(int64(n), s.size-off), 0))
	have := s.at + int64(len(s.buf)) - off // bytes already in buf
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
		if err == nil || err == io.EOF { // the file was truncated meanwhile
			return s.buf, nil
		}
		return nil, fmt.Errorf("byte %d cannot be read: %w", off+have, err)
	}
	return s.buf[:n], nil
}

// next returns the opcode and the length of the next record. The opcode is 0 at the end of the file, and where the end
// is torn.
func (s *scanner) next() (op mcap.OpCode, length uint64, err error) {
	head, err := s.bytes(s.off, recordHead)
	if err != nil || len(head) == 0 {
		return 0, 0, err
	}
	if len(head) < recordHead || head[0] == 0 { // zeros follow the last record
		return 0, 0, s.tear("an incomplete record")
	}
	return mcap.OpCode(head[0]), binary.LittleEndian.Uint64(head[1:]), nil
}

// body returns the body of the next record, which has this length. It is nil, and torn is set, if the file ends within
// the record, or the record is longer than longest.
func (s *scanner) body(length, longest uint64) ([]byte, error) {
	if length > longest || int64(length) > s.size-s.off-recordHead {
		return nil, s.tear("an incomplete record")
	}
	body, err := s.bytes(s.off+recordHead, int(length))
	if err != nil {
		return nil, err
	}
	if len(body) < int(length) {
		return nil, s.tear("an incomplete record")
	}
	return body[:length:length], nil
}

// record returns the next record of a touchline log without advancing. Without a record op is 0, as for next.
func (s *scanner) record() (op mcap.OpCode, body []byte, err error) {
	op, length, err := s.next()
	if err != nil || op == 0 {
		return 0, nil, err
	}
	if body, err = s.body(length, maxRecord); err != nil || body == nil {
		return 0, nil, err
	}
	return op, body, nil
}

// tear sets torn unless only zeros follow.
func (s *scanner) tear(why string) error {
	for off := s.off; off < s.size && !s.chunk; {
		b, err := s.bytes(off, 1<<20)
		if err != nil {
			return err
		}
		if len(b) == 0 {
			break
		}
		for _, c := range b {
			if c != 0 {
				s.torn = fmt.Sprintf("%s at byte %d; it and the rest of the file are ignored", why, s.off)
				return nil
			}
		}
		off += int64(len(b))
	}
	if s.chunk {
		s.torn = why
	}
	return nil
}

// isUnstarted reports whether a file with this head is a touchline log whose first record is not completely written.
func isUnstarted(head []byte) bool {
	b := appendFileHead(nil)
	return len(head) < len(b) && string(head) == string(b[:len(head)])
}

// head reads the magic bytes and the header record.
func (s *scanner) head() error {
	b, err := s.bytes(0, len(magic))
	if err != nil {
		return err
	}
	if string(b) != magic {
		return fmt.Errorf("%w: the file does not start as an MCAP file", ErrFormat)
	}
	s.off = int64(len(magic))
	op, body, err := s.record()
	if err != nil {
		return err
	}
	header, err := mcap.ParseHeader(body)
	if op != mcap.OpHeader || err != nil {
		return fmt.Errorf("%w: the header of the MCAP file is incomplete", ErrFormat)
	}
	s.ours = header.Profile == profile
	s.off += recordHead + int64(len(body))
	return nil
}

// scan reads a touchline log from off on and calls message for each message, until that returns false: then the error
// is ErrClosed. It stops behind the last whole record and reports whether the log is finished.
func (s *scanner) scan(c *contents, message func(entry) bool) (finished bool, err error) {
	for {
		op, length, err := s.next()
		if op != mcap.OpMessageIndex && !s.unstage(c, message) {
			return false, ErrClosed
		}
		if op == mcap.OpChunk && err == nil {
			if s.packed == nil {
				return false, fmt.Errorf("%w to continue: its messages are packed: record to another file", ErrFormat)
			}
			if int64(length) > s.size-s.off-recordHead || !s.packed.find(s.off+recordHead, length) {
				return false, s.tear("a broken chunk")
			}
			s.off += recordHead + int64(length)
			continue
		}
		op, body, err := s.record()
		if err != nil || op == 0 {
			s.unstage(c, message)
			return false, err
		}
		next := s.off + recordHead + int64(len(body))
		if op == mcap.OpDataEnd {
			if s.ended(next) {
				return true, nil
			}
			return false, s.tear("an incomplete end")
		}
		if op == mcap.OpMessageIndex && s.packed != nil && s.stage(c, body) {
			s.off = next
			continue
		}
		if !c.apply(op, body, s.off) {
			return false, s.tear("a broken record")
		}
		if op == mcap.OpMessage {
			id := binary.LittleEndian.Uint16(body)
			if !message(entry{
				time: timeAt(body[6:]), offset: s.off, length: uint32(len(body) - messageHead), channel: id - 1,
			}) {
				return false, ErrClosed
			}
		}
		s.off = next
	}
}

// stage notes the messages of one channel in the newest chunk. It reports false for a broken index.
func (s *scanner) stage(c *contents, body []byte) bool {
	good := s.packed.index(body, func(e entry) bool {
		s.staged = append(s.staged, e)
		return int(e.channel) < len(c.channels) && len(s.staged) <= maxMessages
	})
	if !good {
		s.staged = s.staged[:0]
	}
	return good
}

// unstage counts the staged messages in the order of the file and calls message for each, until that returns false.
func (s *scanner) unstage(c *contents, message func(entry) bool) bool {
	slices.SortFunc(s.staged, func(a, b entry) int { return cmp.Compare(a.offset, b.offset) })
	for _, e := range s.staged {
		c.count(e.channel+1, e.time)
		if !message(e) {
			return false
		}
	}
	s.staged = s.staged[:0]
	return true
}

// apply counts a record of a touchline log that starts at an offset. It reports false for a broken record and for
// records that touchline logs do not have.
func (c *contents) apply(op mcap.OpCode, body []byte, offset int64) bool {
	switch op {
	case mcap.OpMessage:
		if !intact(body) {
			return false
		}
		id := binary.LittleEndian.Uint16(body)
		if id < 1 || int(id) > len(c.channels) || c.wrapped[id-1] && unwrap(body[messageHead:]) == nil {
			return false
		}
		c.count(id, timeAt(body[6:]))
		return true
	case mcap.OpSchema:
		return c.declareSchema(body)
	case mcap.OpChannel:
		return c.declare(body)
	case mcap.OpMetadata:
		name, meta, ok := parseMetadata(body)
		if ok {
			c.addMetadata(name, meta, offset, recordHead+int64(len(body)))
		}
		return ok
	}
	return false
}

// declare counts a channel record.
func (c *contents) declare(body []byte) bool {
	r, err := mcap.ParseChannel(body)
	if err != nil {
		return false
	}
	id, known := c.ids[r.Topic]
	if known || int(r.ID) != len(c.channels)+1 {
		return known && id == r.ID // it was read in the summary
	}
	if int(r.SchemaID) > len(c.schemas) || c.checkChannel(r.Topic) != nil {
		return false
	}
	c.addChannel(r.Topic, r.SchemaID, r.MessageEncoding == protobuf)
	return true
}

// declareSchema counts a schema record.
func (c *contents) declareSchema(body []byte) bool {
	r, err := mcap.ParseSchema(body)
	if err != nil || r.Encoding != schemaEncoding && r.Encoding != protobuf {
		return false
	}
	if r.ID >= 1 && int(r.ID) <= len(c.schemas) && c.schemas[r.ID-1].Name == r.Name {
		return true // it was read in the summary
	}
	if int(r.ID) != len(c.schemas)+1 || len(c.schemas) == maxChannels {
		return false
	}
	s := Schema{Name: r.Name, Encoding: r.Encoding, Data: r.Data}
	if s.Encoding == schemaEncoding {
		s.Encoding = ""
	}
	c.schemas = append(c.schemas, s)
	return true
}

// readSummary reads the end of a finished log: channels, schemas, the newest metadata, and the counts of messages. It
// reports false without a whole summary and the metadata that it names; then the rest of the counts may be 0.
func (c *contents) readSummary(file io.ReaderAt, size int64) (counts mcap.Statistics, whole bool) {
	s := scanner{r: file, size: size, off: summaryOffset(file, size)}
	good := true
	for s.off > 0 {
		op, body, err := s.record()
		if err != nil || op == 0 || op == mcap.OpFooter {
			return counts, good && err == nil && op == mcap.OpFooter
		}
		switch op {
		case mcap.OpSchema, mcap.OpChannel:
			c.apply(op, body, s.off)
		case mcap.OpStatistics:
			if r, err := mcap.ParseStatistics(body); err == nil {
				counts = *r
			}
		case mcap.OpMetadataIndex:
			good = c.readMetadata(file, size, body) && good
		}
		s.off += recordHead + int64(len(body))
	}
	return counts, false
}

// readMetadata reads the metadata that an index in the summary names. It reports false where the file has none.
func (c *contents) readMetadata(file io.ReaderAt, size int64, index []byte) bool {
	i, err := mcap.ParseMetadataIndex(index)
	if err != nil {
		return false
	}
	s := scanner{r: file, size: size, off: int64(i.Offset)}
	op, body, err := s.record()
	if err != nil || op != mcap.OpMetadata {
		return false
	}
	name, meta, ok := parseMetadata(body)
	if ok {
		c.readMeta(name, meta, int64(i.Offset))
	}
	return ok
}

// ended reports whether a complete summary and nothing else follows from offset off on.
func (s *scanner) ended(off int64) bool {
	here := s.off
	defer func() { s.off, s.torn = here, "" }()
	for s.off = off; ; {
		op, body, err := s.record()
		if err != nil || op == 0 {
			return false
		}
		s.off += recordHead + int64(len(body))
		if op == mcap.OpFooter {
			b, err := s.bytes(s.off, len(magic)+1)
			return err == nil && string(b) == magic
		}
	}
}
