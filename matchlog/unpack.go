package matchlog

import (
	"encoding/binary"
	"fmt"
	"io"
)

// What is not in our form is copied into it as it is unpacked, so that there is one way to read. Nothing that a file says
// of its own size is believed.
const (
	maxUnpacked  = 4 << 30 // bytes that a file may grow to
	maxRatio     = 400     // and how many times its own size, beyond freeUnpacked; worldstates of a quiet team reach 100
	freeUnpacked = 64 << 20
	maxMessages  = 4 << 20  // 100 MB of index; a match has 100,000
	maxChunk     = 64 << 20 // bytes of a compressed chunk, of its window, and of a record in it
)

var errTooMuch = fmt.Errorf("matchlog: it unpacks to more than %d GiB, %d times its size, or %d messages: cut it into smaller logs",
	maxUnpacked>>30, maxRatio, maxMessages)

// packer copies messages into a log's data.
type packer struct {
	l       *Log
	ids     map[string]uint16
	buf     []byte
	end     int64 // of the copy on the disk
	pending []entry
	total   int
	read    func() float64 // share of the file that was read
}

// placeLength is the length of what stands behind each message of a copy: the number of its file in Log.files from 1 (0: the
// opened file itself), its line and its offset.
const placeLength = 1 + 8 + 8

func appendPlace(b []byte, file int, line, offset int64) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, byte(file)), uint64(line))
	return binary.LittleEndian.AppendUint64(b, uint64(offset))
}

// source reads what appendPlace wrote; mu is held.
func (l *Log) source(b []byte) Source {
	s := Source{Line: int64(binary.LittleEndian.Uint64(b[1:])), Offset: int64(binary.LittleEndian.Uint64(b[9:]))}
	if l.format == "zip" && b[0] > 0 {
		s.File = l.files[b[0]-1].Name
	}
	return s
}

// add takes one message and the number of the file that it is of, from 1, or 0. It is there for readers with the next flush.
func (p *packer) add(m *Message, file int) error {
	id, known := p.ids[m.Channel]
	if !known {
		if len(p.ids) >= maxChannels {
			return errTooMuch
		}
		p.l.mu.Lock()
		id = p.l.all.add(m.Channel)
		p.l.mu.Unlock()
		if p.ids == nil {
			p.ids = map[string]uint16{}
		}
		p.ids[m.Channel] = id
	}
	p.pending = append(p.pending, entry{m.Time, p.end + int64(len(p.buf)), uint32(len(m.Data)), id - 1})
	p.buf = appendPlace(appendMessage(p.buf, id, m), file, m.Source.Line, m.Source.Offset)
	if p.total++; p.total > maxMessages || p.end+int64(len(p.buf)) > maxUnpacked+maxUnpacked/4 {
		return errTooMuch
	}
	if len(p.buf) >= 256<<10 || p.total == 64 {
		return p.flush()
	}
	return nil
}

func (p *packer) flush() error {
	if _, err := p.l.data.WriteAt(p.buf, p.end); err != nil {
		return fmt.Errorf("matchlog: no room to unpack it: %w; set TMPDIR to another folder", err)
	}
	p.end += int64(len(p.buf))
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range p.pending {
		l.enter(e)
		l.all.count(e.channel+1, e.time)
	}
	l.shown(int64(p.read() * float64(l.size)))
	p.buf, p.pending = p.buf[:0], p.pending[:0]
	if l.closed {
		return ErrClosed
	}
	return nil
}

// closing ends with ErrClosed when the log is closed.
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

// allowance reads at most left bytes, which several readers may share, and refuses more.
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

// allowed returns how many bytes a file of so many may unpack to.
func allowed(size int64) int64 {
	return min(maxUnpacked, freeUnpacked+maxRatio*min(size, maxUnpacked))
}
