package matchlog

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/foxglove/mcap/go/mcap"
)

// maxSearched bounds the bytes of messages that a search checks. False beginnings of messages are rare.
const maxSearched = 1 << 30

// search finds records of a touchline log behind damage. Of the records, only messages have checksums.
type search struct {
	file    io.ReaderAt
	size    int64 // length of the file
	end     int64 // where the messages end
	checked int64 // bytes of the messages that were checked
}

// behind returns where to read on behind a damaged record at an offset: at the next record, or if the length is damaged,
// at the next whole message.
func (s *search) behind(off int64) int64 {
	op, next := s.record(off)
	for op == mcap.OpChunk && next < s.end { // the indexes of its messages follow
		follows, end := s.record(next)
		if follows != mcap.OpMessageIndex {
			break
		}
		next = end
	}
	switch op, end := s.record(next); {
	case next == s.end, op == mcap.OpMessage && s.whole(next):
		return next
	case op == mcap.OpSchema, op == mcap.OpChannel, op == mcap.OpMetadata, op == mcap.OpChunk, op == mcap.OpMessageIndex:
		if end <= s.end {
			return next
		}
	}
	return s.message(off + 1)
}

// message returns where the first whole message from an offset on begins; end if there is none.
func (s *search) message(off int64) int64 {
	in := bufio.NewReaderSize(io.NewSectionReader(s.file, off, s.end-off), 1<<16)
	for ; off < s.end && s.checked < maxSearched; off++ {
		head, err := in.Peek(recordHead)
		if err != nil {
			break
		}
		if mcap.OpCode(head[0]) == mcap.OpMessage && binary.LittleEndian.Uint64(head[1:]) <= maxRecord && s.whole(off) {
			return off
		}
		_, _ = in.Discard(1) // it was peeked
	}
	return s.end
}

// record returns the opcode of the record at an offset and the offset behind it; 0 if it does not fit in the file.
func (s *search) record(off int64) (op mcap.OpCode, behind int64) {
	var head [recordHead]byte
	if _, err := s.file.ReadAt(head[:], off); err != nil {
		return 0, s.size
	}
	length := binary.LittleEndian.Uint64(head[1:])
	if length > uint64(s.size-off-recordHead) {
		return 0, s.size
	}
	return mcap.OpCode(head[0]), off + recordHead + int64(length)
}

// whole reports whether a message with the right checksum begins at an offset.
func (s *search) whole(off int64) bool {
	op, behind := s.record(off)
	length := uint64(behind - off - recordHead)
	if op != mcap.OpMessage || length < messageHead || length > maxRecord {
		return false
	}
	s.checked += int64(length)
	body := make([]byte, length)
	_, err := s.file.ReadAt(body, off+recordHead)
	return err == nil && intact(body)
}
