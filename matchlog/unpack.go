package matchlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"touchline/matchlog/index"
	"touchline/soccer"
)

// Files of other formats are converted to records of touchline logs while they are unpacked, so that all of Log reads
// one format. Limits of unpacking do not depend on sizes that the file declares.
const (
	maxUnpacked  = 4 << 30 // bytes of a file that are unpacked
	maxRatio     = 400     // unpacked bytes beyond freeUnpacked for each byte of the file; real logs reach 100
	freeUnpacked = 64 << 20
	maxMessages  = 4 << 20  // a match has 100,000
	maxChunk     = 64 << 20 // bytes of a compressed chunk, of its window, and of a record in it
)

var errTooMuch = fmt.Errorf("matchlog: the file unpacks to more than %d GiB, %d times its size, or %d messages: split it",
	maxUnpacked>>30, maxRatio, maxMessages)

// packer writes messages to the converted copy of a log.
type packer struct {
	l       *Log
	ids     map[string]uint16
	buf     []byte
	end     int64 // of the copy on the disk
	pending []index.Entry
	total   int
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
	p.pending = append(p.pending, index.Entry{
		Time: m.Time, Offset: p.end + int64(len(p.buf)), Length: uint32(len(m.Data)), Channel: id - 1,
	})
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
		return fmt.Errorf("matchlog: no room for the unpacked log: %w; set TMPDIR to another folder", err)
	}
	p.end += int64(len(p.buf))
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range p.pending {
		l.insert(e)
		l.all.count(e.Channel+1, e.Time)
	}
	if err := l.index.Err(); err != nil {
		return err
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
func allowed(size int64) int64 {
	return min(maxUnpacked, freeUnpacked+maxRatio*min(size, maxUnpacked))
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
	skipped int // unreadable messages
	zstd    *zstd.Decoder
}

// convertForeign converts an MCAP file of another program.
func (l *Log) convertForeign() error {
	f := foreign{l: l, topics: map[uint16]string{}, meta: map[string]string{}, left: allowed(l.size)}
	s := l.scan
	f.p = packer{l: l, read: func() float64 { return float64(s.off) / float64(max(l.size, 1)) }}
	err := f.scan(&s, false)
	if f.zstd != nil {
		f.zstd.Close()
	}
	l.mu.Lock()
	l.state.Finished, l.all.meta, l.state.Torn = f.footer, f.meta, s.torn
	if !f.footer && s.torn == "" {
		l.state.Torn = "the file was not closed by the program that wrote it"
	}
	for range f.skipped {
		l.note("a message cannot be read")
	}
	l.mu.Unlock()
	return errors.Join(err, f.p.flush())
}

// scan converts the messages of a file up to its footer, or of a chunk.
func (f *foreign) scan(s *scanner, inChunk bool) error {
	for {
		op, length, err := s.next()
		if err != nil || op == 0 {
			return err
		}
		switch op {
		case opFooter:
			f.footer = true
			return nil
		case opChunk:
			if err := f.chunk(s, length); err != nil {
				return err
			}
		case opChannel, opMetadata, opMessage:
			if op == opMessage && length > messageHead+MaxData {
				f.skipped++
				break
			}
			body, err := s.body(length, maxChunk)
			if err != nil || body == nil {
				return err
			}
			offset := s.off + recordHead + messageHead
			if inChunk {
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

// chunk converts the messages of the chunk at s.off, as far as the file contains it.
func (f *foreign) chunk(s *scanner, length uint64) error {
	const beforeName = 8 + 8 + 8 + 4 // the times of its messages, its length unpacked, its checksum
	head, err := s.bytes(s.off+recordHead, int(min(length, beforeName+4+32+8)))
	if err != nil || len(head) < beforeName {
		return err
	}
	compression, rest, ok := cutString(head[beforeName:])
	if !ok || len(rest) < 8 {
		return fmt.Errorf("matchlog: the chunk at byte %d is broken", s.off)
	}
	start := s.off + recordHead + int64(len(head)-len(rest)) + 8
	size := min(binary.LittleEndian.Uint64(rest), uint64(s.size-start))
	var r io.Reader = io.NewSectionReader(s.r, start, int64(size))
	switch compression {
	case "":
	case "lz4":
		r = lz4.NewReader(r)
	case "zstd":
		if f.zstd == nil {
			f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxChunk))
			if err != nil {
				return fmt.Errorf("matchlog: %w", err)
			}
		}
		if err := f.zstd.Reset(r); err != nil {
			return fmt.Errorf("matchlog: the chunk at byte %d: %w", s.off, err)
		}
		r = f.zstd
	default:
		return fmt.Errorf("matchlog: the chunk at byte %d has compression %.20q: want zstd or lz4", s.off, compression)
	}
	in := scanner{r: &readerAt{r: closing{f.l, allowance{r, &f.left}}}, size: math.MaxInt64}
	if err := f.scan(&in, true); errors.Is(err, errTooMuch) || errors.Is(err, ErrClosed) {
		return err
	} else if err != nil {
		return fmt.Errorf("matchlog: the chunk at byte %d: %w", s.off, err)
	}
	if in.torn != "" && s.torn == "" {
		s.torn = fmt.Sprintf("the chunk at byte %d ends in the middle of a record", s.off)
	}
	return nil
}

// readerAt makes an io.ReaderAt of r for offsets that do not decrease.
type readerAt struct {
	r   io.Reader
	off int64
}

func (r *readerAt) ReadAt(b []byte, off int64) (int, error) {
	if off < r.off {
		return 0, errors.New("matchlog: a chunk is read backwards")
	}
	n, err := io.CopyN(io.Discard, r.r, off-r.off)
	if r.off += n; err != nil {
		return 0, err
	}
	got, err := io.ReadFull(r.r, b)
	r.off += int64(got)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return got, err
}

// apply converts a record. offset is the place of a message's data in the file; 0 in a chunk.
func (f *foreign) apply(op byte, body []byte, offset int64) error {
	switch op {
	case opChannel:
		topic, _, ok := cutString(body[min(len(body), 4):])
		if !ok {
			return errors.New("matchlog: a channel record is broken")
		}
		f.topics[binary.LittleEndian.Uint16(body)] = topic[:min(len(topic), maxName)]
	case opMetadata:
		_, meta, ok := parseMetadata(body)
		if f.text += len(body); !ok || f.text > maxText {
			return errors.New("matchlog: the metadata is broken or too long")
		}
		maps.Copy(f.meta, meta)
	case opMessage:
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
