package matchlog

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"os"

	"github.com/foxglove/mcap/go/mcap"

	"touchline/soccer"
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
	maxMessages   = 4 << 20 // a match has 100,000
)

var errTooMuch = fmt.Errorf("matchlog: the file unpacks to more than %d GiB, %d times its size (%d times for a zip), or "+
	"%d messages: split it", maxUnpacked>>30, maxChunkRatio, maxZipRatio, maxMessages)

// packer writes messages to the converted copy of a log.
type packer struct {
	l       *Log
	ids     map[string]uint16
	buf     []byte
	end     int64 // of the copy on the disk
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
		id = p.l.all.addChannel(m.Channel, 0)
		p.l.mu.Unlock()
		if p.ids == nil {
			p.ids = map[string]uint16{}
		}
		p.ids[m.Channel] = id
	}
	p.pending = append(p.pending, entry{
		time: m.Time, offset: p.end + int64(len(p.buf)), length: uint32(len(m.Data)), channel: id - 1,
	})
	p.buf = appendPlace(appendMessage(p.buf, id, m), file, m.Source.Line, m.Source.Offset)
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

// foreign converts an MCAP file of another program, with or without chunks and compression.
type foreign struct {
	l       *Log
	p       packer
	topics  map[uint16]string
	meta    map[string]string
	text    int   // bytes of metadata
	left    int64 // bytes that may still be unpacked
	footer  bool
	skipped int   // unreadable messages
	broken  error // of the first damaged chunk
	packed  decompressor
}

// convertForeign converts an MCAP file of another program.
func (l *Log) convertForeign() error {
	f := foreign{l: l, topics: map[uint16]string{}, meta: map[string]string{}, left: allowed(l.size, maxChunkRatio)}
	s := l.scan
	f.p = packer{l: l, read: func() float64 { return float64(s.off) / float64(max(l.size, 1)) }}
	err := f.scan(&s)
	f.packed.close()
	l.mu.Lock()
	l.state.Finished, l.all.meta, l.state.Torn = f.footer, f.meta, s.torn
	if !f.footer && s.torn == "" {
		l.state.Torn = "the file was not closed by the program that wrote it"
	}
	for range f.skipped {
		l.note("a message cannot be read")
	}
	l.mu.Unlock()
	if f.p.total == 0 {
		err = cmp.Or(err, f.broken)
	}
	return errors.Join(err, f.p.flush())
}

// scan converts the messages of a file up to its footer, or of a chunk.
func (f *foreign) scan(s *scanner) error {
	for {
		op, length, err := s.next()
		if err != nil || op == 0 {
			return err
		}
		switch op {
		case mcap.OpFooter:
			f.footer = true
			return nil
		case mcap.OpChunk:
			if s.chunk {
				return errors.New("it contains another chunk")
			}
			if err := f.chunk(s, length); err != nil {
				return err
			}
		case mcap.OpChannel, mcap.OpMetadata, mcap.OpMessage:
			if op == mcap.OpMessage && length > messageHead+MaxData {
				f.skipped++
				break
			}
			body, err := s.body(length, maxWindow)
			if err != nil || body == nil {
				return err
			}
			offset := s.off + recordHead + messageHead
			if s.chunk {
				offset = 0
			}
			if err := f.apply(op, body, offset); err != nil {
				return err
			}
		}
		if length > uint64(s.size-s.off-recordHead) {
			return s.tear("an incomplete record")
		}
		s.off += recordHead + int64(length)
	}
}

// readChunk reads the beginning of the chunk at s.off, and returns where its records start and how many bytes of them there
// are.
func readChunk(s *scanner, length uint64) (c chunkHead, start, size int64, err error) {
	b, err := s.bytes(s.off+recordHead, int(min(length, longestHead)))
	if err != nil {
		return c, 0, 0, err
	}
	c, ok := parseChunkHead(b)
	if !ok {
		return c, 0, 0, errors.New("its beginning is damaged")
	}
	start = s.off + recordHead + int64(c.length)
	return c, start, int64(min(c.packed, uint64(max(s.size-start, 0)))), nil
}

// chunk converts the messages of the chunk at s.off, as far as the file contains it. It notes a chunk that is damaged:
// the next ones are read anyway.
func (f *foreign) chunk(s *scanner, length uint64) error {
	h, start, size, err := readChunk(s, length)
	where := fmt.Sprintf("the chunk at byte %d", s.off)
	if err == nil {
		where += ", " + h.times()
		err = f.unpack(&h, io.NewSectionReader(s.r, start, size))
	}
	switch {
	case err == nil:
		return nil
	case f.p.failed != nil, errors.Is(err, errTooMuch), errors.Is(err, ErrClosed):
		return err
	}
	err = fmt.Errorf("%s: %w", where, err)
	f.broken = cmp.Or(f.broken, err)
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	f.l.note("%v", err)
	return nil
}

// unpack converts the messages of a chunk.
func (f *foreign) unpack(h *chunkHead, packed io.Reader) error {
	r, err := f.packed.reader(packed, h.compression)
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	// One byte more than the chunk announces shows that it is longer.
	limited := io.LimitReader(io.TeeReader(closing{f.l, allowance{r, &f.left}}, sum), int64(min(h.unpacked, maxUnpacked))+1)
	in := scanner{r: &forward{r: limited}, size: math.MaxInt64, chunk: true}
	switch err := f.scan(&in); {
	case err != nil:
		return err
	case in.torn != "":
		return errors.New("it ends in the middle of a record")
	case in.at+int64(len(in.buf)) > int64(h.unpacked):
		return fmt.Errorf("it unpacks to more than the %d bytes that it announces", h.unpacked)
	case h.crc != 0 && h.crc != sum.Sum32():
		return errors.New("its checksum is wrong: its messages may be damaged")
	}
	return nil
}

// apply converts a record. offset is the place of a message's data in the file; 0 in a chunk.
func (f *foreign) apply(op mcap.OpCode, body []byte, offset int64) error {
	switch op {
	case mcap.OpChannel:
		topic, _, ok := cutString(body[min(len(body), 4):])
		if !ok {
			return errors.New("matchlog: a channel record is broken")
		}
		f.topics[binary.LittleEndian.Uint16(body)] = topic[:min(len(topic), maxName)]
	case mcap.OpMetadata:
		_, meta, ok := parseMetadata(body)
		if f.text += len(body); !ok || f.text > maxText {
			return errors.New("matchlog: the metadata is broken or too long")
		}
		maps.Copy(f.meta, meta)
	case mcap.OpMessage:
		var topic string
		ok := len(body) >= messageHead
		if ok {
			topic, ok = f.topics[binary.LittleEndian.Uint16(body)]
		}
		if !ok {
			f.skipped++
			break
		}
		return f.p.add(&Message{
			Time: foreignTime(body[6:]), Published: foreignTime(body[14:]), Channel: topic, Data: body[messageHead:],
			Source: Source{Offset: offset},
		}, 0)
	}
	return nil
}

func foreignTime(b []byte) soccer.Time {
	return soccer.Time(min(binary.LittleEndian.Uint64(b), math.MaxInt64))
}
