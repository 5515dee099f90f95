package matchlog

import (
	"bufio"
	"encoding/binary"
	"io"
)

// maxSearched bounds the bytes of messages that a Search checks. False beginnings of messages are rare.
const maxSearched = 1 << 30

// Search finds records behind damage. Of the records, only messages have checksums.
type Search struct {
	File    io.ReaderAt
	Size    int64  // of the file
	End     int64  // of the messages
	Longest uint64 // bytes of a record's body

	checked int64
}

// NewSearch returns a Search of a finished file of a size. End is 0 if the file is not finished.
func NewSearch(file io.ReaderAt, size int64, longest uint64) *Search {
	end := max(0, McapSummary(file, size)-int64(len(AppendDataEnd(nil))))
	return &Search{File: file, Size: size, End: end, Longest: longest}
}

// Behind returns where to read on behind a damaged record at an offset: at the next record, or if the length is damaged,
// at the next whole message.
func (s *Search) Behind(off int64) int64 {
	op, next := s.record(off)
	for op == OpChunk && next < s.End { // the indexes of its messages follow
		follows, behind := s.record(next)
		if follows != OpMessageIndex {
			break
		}
		next = behind
	}
	switch op, behind := s.record(next); {
	case next == s.End, op == OpMessage && s.whole(next):
		return next
	case op == OpSchema, op == OpChannel, op == OpMetadata, op == OpChunk, op == OpMessageIndex:
		if behind <= s.End {
			return next
		}
	}
	return s.Message(off + 1)
}

// Message returns where the first whole message from an offset on begins; End if there is none.
func (s *Search) Message(off int64) int64 {
	in := bufio.NewReaderSize(io.NewSectionReader(s.File, off, s.End-off), 1<<16)
	for ; off < s.End && s.checked < maxSearched; off++ {
		head, err := in.Peek(RecordHead)
		if err != nil {
			break
		}
		if head[0] == OpMessage && binary.LittleEndian.Uint64(head[1:]) <= s.Longest && s.whole(off) {
			return off
		}
		_, _ = in.Discard(1) // it was peeked
	}
	return s.End
}

// record returns the opcode of the record at an offset and the offset behind it; 0 if it does not fit in the file.
func (s *Search) record(off int64) (op byte, behind int64) {
	var head [RecordHead]byte
	if _, err := s.File.ReadAt(head[:], off); err != nil {
		return 0, s.Size
	}
	length := binary.LittleEndian.Uint64(head[1:])
	if length > uint64(s.Size-off-RecordHead) {
		return 0, s.Size
	}
	return head[0], off + RecordHead + int64(length)
}

// whole reports whether a message with the right checksum begins at an offset.
func (s *Search) whole(off int64) bool {
	op, behind := s.record(off)
	length := uint64(behind - off - RecordHead)
	if op != OpMessage || length < MessageHead || length > s.Longest {
		return false
	}
	s.checked += int64(length)
	body := make([]byte, length)
	_, err := s.File.ReadAt(body, off+RecordHead)
	return err == nil && binary.LittleEndian.Uint32(body[2:]) == Checksum(body)
}
