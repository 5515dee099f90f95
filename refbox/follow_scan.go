package refbox

import (
	"encoding/binary"
	"errors"
	"fmt"

	"touchline/soccer"
)

// journalScan reads a journal as its bytes come, in pieces of any size, and keeps of it what makes the game. It knows of
// MCAP what an unchunked file needs: records of a byte for what it is, eight for its length, and that many more.
type journalScan struct {
	metadata   []byte   // the last metadata record, as it is written
	decisions  [][]byte // JSON each
	admissions [][]byte // JSON each
	newest     soccer.Time
	records    int // messages so far
	err        error

	started bool
	carry   []byte // of a record that is not whole yet
	topics  map[uint16]string
}

const (
	mcapMagic     = "\x89MCAP0\r\n"
	mcapChannel   = 0x04
	mcapMessage   = 0x05
	mcapMetadata  = 0x0c
	longestRecord = 8 << 20 // bytes; a frame is 1 MiB at most
)

var errNoJournal = errors.New("no journal of a referee box")

// Write takes the next bytes. It never fails, so that what follows copies on; err says what was wrong.
func (s *journalScan) Write(b []byte) (int, error) {
	all := b
	if s.err != nil {
		return len(b), nil
	}
	if len(s.carry) > 0 {
		s.carry = append(s.carry, b...)
		all = s.carry
	}
	if !s.started && len(all) >= len(mcapMagic) {
		if string(all[:len(mcapMagic)]) != mcapMagic {
			s.err = errNoJournal
			return len(b), nil
		}
		s.started, all = true, all[len(mcapMagic):]
	}
	for s.started && len(all) >= 9 {
		n := binary.LittleEndian.Uint64(all[1:9])
		if n > longestRecord {
			s.err = fmt.Errorf("%w: a record of %d bytes", errNoJournal, n)
			return len(b), nil
		}
		if uint64(len(all)-9) < n {
			break
		}
		s.record(all[0], all[9:9+n])
		all = all[9+n:]
	}
	s.carry = append(s.carry[:0], all...)
	return len(b), nil
}

// record takes one whole record.
func (s *journalScan) record(kind byte, b []byte) {
	switch {
	case kind == mcapChannel && len(b) >= 8:
		n := binary.LittleEndian.Uint32(b[4:])
		if uint64(n) > uint64(len(b)-8) {
			return
		}
		if s.topics == nil {
			s.topics = map[uint16]string{}
		}
		s.topics[binary.LittleEndian.Uint16(b)] = string(b[8 : 8+n])
	case kind == mcapMetadata:
		s.metadata = append([]byte(nil), b...)
	case kind == mcapMessage && len(b) >= 22:
		s.records++
		s.newest = max(s.newest, soccer.Time(binary.LittleEndian.Uint64(b[6:])))
		switch s.topics[binary.LittleEndian.Uint16(b)] {
		case "decisions":
			s.decisions = append(s.decisions, append([]byte(nil), b[22:]...))
		case "admissions":
			s.admissions = append(s.admissions, append([]byte(nil), b[22:]...))
		}
	}
}
