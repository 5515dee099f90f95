package matchlog

import (
	"encoding/binary"
	"fmt"

	"github.com/foxglove/mcap/go/mcap"
)

// Stream reads a touchline log from bytes that arrive in pieces of any size, for example while it is copied. It checks
// each record.
type Stream struct {
	receive  func(Message)
	all      contents
	rest     []byte // bytes of an incomplete record
	offset   int64  // place of rest in the log
	begun    bool   // the header record is read
	finished bool
	err      error
}

// NewStream returns a Stream that calls receive with each message; its Data is valid during the call.
func NewStream(receive func(Message)) *Stream { return &Stream{receive: receive} }

// Write reads the next bytes. It never returns an error, so that writing the copy continues; see Err.
func (s *Stream) Write(b []byte) (int, error) {
	if s.err != nil || s.finished {
		return len(b), nil
	}
	all := b
	if len(s.rest) > 0 {
		s.rest = append(s.rest, b...)
		all = s.rest
	}
	used := 0
	for s.err == nil && !s.finished {
		n := s.next(all[used:])
		if n == 0 {
			break
		}
		used += n
		s.offset += int64(n)
	}
	s.rest = append(s.rest[:0], all[used:]...)
	return len(b), nil
}

// next reads the record at the start of b and returns its length; 0 if it is incomplete or broken.
func (s *Stream) next(b []byte) int {
	start := 0
	if !s.begun {
		n := min(len(b), len(magic))
		if string(b[:n]) != magic[:n] {
			s.err = fmt.Errorf("%w: the file does not start as an MCAP file", ErrFormat)
			return 0
		}
		start = len(magic)
	}
	if len(b) < start+recordHead {
		return 0
	}
	op, length := mcap.OpCode(b[start]), binary.LittleEndian.Uint64(b[start+1:])
	if length > maxRecord {
		s.err = fmt.Errorf("matchlog: the log is broken: a record of %d bytes at byte %d", length, s.offset)
		return 0
	}
	end := start + recordHead + int(length)
	if len(b) < end {
		return 0
	}
	body := b[start+recordHead : end]
	switch {
	case !s.begun:
		header, err := mcap.ParseHeader(body)
		if s.begun = op == mcap.OpHeader && err == nil && header.Profile == profile; !s.begun {
			s.err = fmt.Errorf("%w: touchline did not write the file", ErrFormat)
		}
	case op == mcap.OpDataEnd:
		s.finished = true
	case !s.all.apply(op, body, s.offset):
		s.err = fmt.Errorf("matchlog: the log is broken: a damaged record at byte %d", s.offset)
	case op == mcap.OpMessage:
		id := binary.LittleEndian.Uint16(body)
		data := s.all.data(id, body)
		s.receive(Message{
			Time: timeAt(body[6:]), Published: timeAt(body[14:]), Data: data, Channel: s.all.channels[id-1],
			Source: Source{Offset: s.offset + recordHead + int64(len(body)-len(data))},
		})
	}
	if s.err != nil {
		return 0
	}
	return end
}

// Meta returns the newest metadata. The caller does not change it.
func (s *Stream) Meta() map[string]string { return s.all.meta }

// Messages returns the number of messages read so far.
func (s *Stream) Messages() uint64 { return s.all.messages }

// Err returns why the rest of the bytes is not read: they are not a touchline log, or the log is broken. It is nil
// while they are read.
func (s *Stream) Err() error { return s.err }
