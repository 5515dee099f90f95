package matchlog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// scratch is a temporary file. On systems that allow it, the file has no name.
type scratch struct {
	*os.File
	name string // "" without a name
}

// newScratch creates a temporary file in the system's folder for temporary files.
func newScratch() (*scratch, error) {
	f, err := os.CreateTemp("", ".touchline-*")
	if err != nil {
		return nil, fmt.Errorf("matchlog: no room for temporary data: %w; free disk space, or set TMPDIR to another folder", err)
	}
	s := &scratch{File: f}
	if os.Remove(f.Name()) != nil {
		s.name = f.Name()
	}
	return s, nil
}

// Close closes and removes the file.
func (s *scratch) Close() error {
	err := s.File.Close()
	if s.name != "" {
		os.Remove(s.name)
	}
	return err
}

// Files of other formats are converted to records of touchline logs while they are unpacked, so that all of Log reads
// one format. Limits of unpacking do not depend on sizes that the file declares.
const (
	maxUnpacked = 4 << 30 // bytes of a file that are unpacked
	// Unpacked bytes beyond freeUnpacked for each byte of the file. RefBox's logs reach 100, chunks of MCAP files 30.
	maxZipRatio   = 400
	maxChunkRatio = 100
	freeUnpacked  = 64 << 20
	// Messages of a converted file: a match has 100,000, an hour of 1,200 a second 4.3 million. The index takes 22 bytes of
	// memory for each, 250 MB in all.
	maxMessages = 10 << 20
)

var errTooMuch = fmt.Errorf("matchlog: the file unpacks to more than %d GiB, %d times its size (%d times for a zip), or "+
	"%d messages: split it", maxUnpacked>>30, maxChunkRatio, maxZipRatio, maxMessages)

// packer writes messages to the converted copy of a log.
type packer struct {
	l       *Log
	ids     map[string]uint16
	buf     []byte
	end     int64 // length of the copy on the disk
	pending []entry
	total   int
	failed  error          // why no more messages are taken
	read    func() float64 // returns the share of the file that is read, 0 to 1
}

// placeLength is the length of the place behind each message of a copy: the number of the message's file in Log.files
// from 1 (0: the opened file itself), its line and its offset.
const placeLength = 1 + 8 + 8

func appendPlace(b []byte, file int, line, offset int64) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, byte(file)), uint64(line))
	return binary.LittleEndian.AppendUint64(b, uint64(offset))
}

// source decodes a place. It requires l.mu.
func (l *Log) source(b []byte) Source {
	s := Source{Line: int64(binary.LittleEndian.Uint64(b[1:])), Offset: int64(binary.LittleEndian.Uint64(b[9:]))}
	if l.format == "zip" && b[0] > 0 {
		s.File = l.files[b[0]-1].Name
	}
	return s
}

// add appends a message of the file with a number in Log.files. Readers get it with the next flush.
func (p *packer) add(m *Message, file int) error {
	id, known := p.ids[m.Channel]
	if !known {
		if len(p.ids) >= maxChannels {
			return errTooMuch
		}
		p.l.mu.Lock()
		id = p.l.all.addChannel(m.Channel, 0, false)
		p.l.mu.Unlock()
		if p.ids == nil {
			p.ids = map[string]uint16{}
		}
		p.ids[m.Channel] = id
	}
	p.pending = append(p.pending, entry{
		time: m.Time, offset: p.end + int64(len(p.buf)), length: uint32(len(m.Data)), channel: id - 1,
	})
	p.buf = appendPlace(appendMessage(p.buf, id, m, false), file, m.Source.Line, m.Source.Offset)
	if p.total++; p.total > maxMessages || p.end+int64(len(p.buf)) > maxUnpacked+maxUnpacked/4 {
		p.failed = errTooMuch
		return errTooMuch
	}
	if len(p.buf) >= 256<<10 || p.total == 64 {
		return p.flush()
	}
	return nil
}

// flush writes the messages to the copy and gives them to readers.
func (p *packer) flush() error {
	p.failed = p.write()
	return p.failed
}

func (p *packer) write() error {
	if _, err := p.l.data.WriteAt(p.buf, p.end); err != nil {
		return fmt.Errorf("matchlog: no room for the unpacked log: %w; set TMPDIR to another folder", err)
	}
	p.end += int64(len(p.buf))
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range p.pending {
		l.insert(e)
		l.all.count(e.channel+1, e.time)
	}
	l.publish(int64(p.read() * float64(l.size)))
	p.buf, p.pending = p.buf[:0], p.pending[:0]
	if l.closed {
		return ErrClosed
	}
	return nil
}

// closing is a reader that fails with ErrClosed once the log is closed.
type closing struct {
	l *Log
	r io.Reader
}

func (c closing) Read(b []byte) (int, error) {
	c.l.mu.Lock()
	closed := c.l.closed
	c.l.mu.Unlock()
	if closed {
		return 0, ErrClosed
	}
	return c.r.Read(b)
}

// allowance is a reader of at most left bytes, which several readers may share. Beyond them it fails with errTooMuch.
type allowance struct {
	r    io.Reader
	left *int64
}

func (a allowance) Read(b []byte) (int, error) {
	if *a.left <= 0 {
		return 0, errTooMuch
	}
	n, err := a.r.Read(b[:min(int64(len(b)), *a.left)])
	*a.left -= int64(n)
	return n, err
}

// allowed returns the number of bytes to which a file of a size may unpack.
func allowed(size, ratio int64) int64 {
	return min(maxUnpacked, freeUnpacked+ratio*min(size, maxUnpacked))
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// unpackedHead returns the first bytes of what a file with this head holds: of its contents if it is a gzip file.
func unpackedHead(head []byte) []byte {
	if !isGzip(head) {
		return head
	}
	text := make([]byte, 16)
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return nil
	}
	n, _ := io.ReadFull(z, text)
	return text[:n]
}

// unpacked returns the contents of the file, of a gzip file the unpacked ones, and the share of the file that is read.
func (l *Log) unpacked() (r io.Reader, read func() float64, err error) {
	file := &budget{r: l.file}
	const all = 1 << 62
	file.left.Store(all)
	read = func() float64 { return float64(all-file.left.Load()) / float64(max(l.size, 1)) }
	r = io.NewSectionReader(file, 0, l.size)
	head := make([]byte, 2)
	if _, err := l.file.ReadAt(head, 0); err != nil {
		return nil, nil, fmt.Errorf("matchlog: %w", err)
	}
	if isGzip(head) {
		if r, err = gzip.NewReader(bufio.NewReader(r)); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	left := allowed(l.size, maxZipRatio)
	return closing{l, allowance{r, &left}}, read, nil
}
