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

	"github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"touchline/soccer"
)

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
	broken  error // what is wrong with the first damaged chunk
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
	if f.skipped > 0 {
		l.lose("%d messages cannot be read", f.skipped)
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
			if op == mcap.OpMessage && length > messageHead+maxData {
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
	f.l.lose("%v", err)
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
		name, meta, ok := parseMetadata(body)
		if ok && name == annotationName { // another program copied a log of touchline
			f.l.mu.Lock()
			f.l.all.readMeta(name, meta, offset)
			f.l.mu.Unlock()
			break
		}
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

// decompressor unpacks the chunks of other programs, one at a time.
type decompressor struct{ zstd *zstd.Decoder }

// reader returns a reader of a chunk's records, which is valid until the next call.
func (d *decompressor) reader(r io.Reader, compression string) (io.Reader, error) {
	switch mcap.CompressionFormat(compression) {
	case mcap.CompressionNone:
		return r, nil
	case mcap.CompressionLZ4:
		return lz4.NewReader(r), nil
	case mcap.CompressionZSTD:
		var err error
		if d.zstd == nil {
			d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		}
		if err == nil {
			err = d.zstd.Reset(r)
		}
		return d.zstd, err
	}
	return nil, fmt.Errorf("its compression is %.20q: want zstd or lz4", compression)
}

func (d *decompressor) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}

// forward is an io.ReaderAt of a reader, for offsets that do not decrease.
type forward struct {
	r   io.Reader
	off int64
}

func (r *forward) ReadAt(b []byte, off int64) (int, error) {
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
