package matchlog

import (
	"encoding/binary"
	"fmt"
	"os"

	"touchline/soccer"
)

// Scratch is a temporary file. On systems that allow it, the file has no name.
type Scratch struct {
	*os.File
	name string // "" without a name
}

// NewScratch creates a temporary file in dir, or where dir is "" or not writable in the system's folder for temporary
// files.
func NewScratch(dir string) (*Scratch, error) {
	f, err := os.CreateTemp(dir, ".touchline-*")
	if err != nil && dir != "" {
		f, err = os.CreateTemp("", ".touchline-*")
	}
	s := &Scratch{File: f}
	if err != nil {
		return nil, s.full(err)
	}
	if os.Remove(f.Name()) != nil {
		s.name = f.Name()
	}
	return s, nil
}

// full says what an error of the temporary file means.
func (*Scratch) full(err error) error {
	return fmt.Errorf("matchlog: no room for temporary data: %w; free disk space, or set TMPDIR to another folder", err)
}

// Close closes and removes the file.
func (s *Scratch) Close() error {
	err := s.File.Close()
	if s.name != "" {
		os.Remove(s.name)
	}
	return err
}

// entries appends n entries from a position on to all; piece is memory for their bytes.
func (s *Scratch) entries(all []Entry, piece []byte, from, n int) ([]Entry, []byte, error) {
	if need := n * entryBytes; cap(piece) < need {
		piece = make([]byte, need)
	}
	b := piece[:n*entryBytes]
	if _, err := s.ReadAt(b, int64(from)*entryBytes); err != nil {
		return all, piece, fmt.Errorf("matchlog: temporary data cannot be read again: %w", err)
	}
	for ; len(b) > 0; b = b[entryBytes:] {
		all = append(all, Entry{
			Time: soccer.Time(binary.LittleEndian.Uint64(b)), Offset: int64(binary.LittleEndian.Uint64(b[8:])),
			Length: binary.LittleEndian.Uint32(b[16:]), Channel: binary.LittleEndian.Uint16(b[20:]),
		})
	}
	return all, piece, nil
}
