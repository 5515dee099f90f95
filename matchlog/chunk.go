package matchlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"

	"touchline/soccer"
)

// Chunks of packed logs, and those of other programs. The library's readers allocate what a chunk announces, and panic at
// a length beyond the record, so this package reads chunks itself.

const (
	chunkCompression = string(mcap.CompressionZSTD) // compression of touchline's chunks
	// A chunk is full at this length in bytes: some seconds of a match. Larger chunks pack a little better and take longer
	// to read.
	chunkSize   = 4 << 20
	maxChunk    = 32 << 20 // bytes of a touchline chunk, packed or not; a Writer stays below chunkSize and one message
	maxChunks   = 1 << 24
	openChunks  = 4        // unpacked chunks that stay in memory
	maxWindow   = 64 << 20 // bytes of the window of another program's chunk, and of a record in it
	longestHead = 8 + 8 + 8 + 4 + 4 + 32 + 8
)

// ErrDamaged is the error of a chunk that cannot be unpacked, and of a message that is not where the index says.
var ErrDamaged = errors.New("matchlog: a chunk is damaged")

// chunkHead is the beginning of a chunk's record.
type chunkHead struct {
	from, to    uint64 // times of its messages in ns
	unpacked    uint64 // bytes of its records
	crc         uint32 // checksum of its records; 0: not computed
	compression string
	packed      uint64 // bytes of its compressed records
	length      int    // bytes of the record's body before them
}

// parseChunkHead decodes the beginning of a chunk's body, at most longestHead bytes.
func parseChunkHead(b []byte) (c chunkHead, ok bool) {
	const beforeName = 8 + 8 + 8 + 4
	if len(b) < beforeName {
		return c, false
	}
	c.from, c.to = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	c.unpacked, c.crc = binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint32(b[24:])
	compression, rest, ok := cutString(b[beforeName:])
	if !ok || len(rest) < 8 {
		return c, false
	}
	c.compression, c.packed, c.length = compression, binary.LittleEndian.Uint64(rest), len(b)-len(rest)+8
	return c, true
}

// times returns the times of a chunk's messages as text.
func (c *chunkHead) times() string {
	text := func(ns uint64) string {
		return time.Unix(0, int64(min(ns, math.MaxInt64))).UTC().Format("2006-01-02 15:04:05.000")
	}
	return text(c.from) + " to " + text(c.to) + " UTC"
}

// chunkWriter packs the records of messages into chunks.
type chunkWriter struct {
	encoder  *zstd.Encoder
	raw      []byte
	from, to soccer.Time    // times of the messages in raw
	places   [][]chunkPlace // messages in raw by channel id
	written  uint32         // chunks in the file
	indexes  []byte         // records of the summary that tell where these are: some 300 bytes a chunk
}

// chunkPlace is a message in a chunk.
type chunkPlace struct {
	at     soccer.Time
	offset int // place of its record
}

func newChunkWriter() *chunkWriter {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(chunkSize), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // an option is out of range
	}
	return &chunkWriter{encoder: encoder}
}

// add adds the record of a message, and reports whether the chunk is full.
func (w *chunkWriter) add(channel uint16, at soccer.Time, record []byte) (full bool) {
	if len(w.raw) == 0 || at < w.from {
		w.from = at
	}
	if len(w.raw) == 0 || at > w.to {
		w.to = at
	}
	for len(w.places) <= int(channel) {
		w.places = append(w.places, nil)
	}
	w.places[channel] = append(w.places[channel], chunkPlace{at, len(w.raw)})
	w.raw = append(w.raw, record...)
	return len(w.raw) >= chunkSize
}

// empty reports whether no message waits for its chunk to be written.
func (w *chunkWriter) empty() bool { return len(w.raw) == 0 }

// appendChunk appends the chunk of the added messages, and the indexes of its channels, to b, which is written at an
// offset of the file. It returns the chunk's index for the summary.
func (w *chunkWriter) appendChunk(b []byte, offset int64) (chunk, index []byte) {
	start := len(b)
	b = appendTimes(beginRecord(b, mcap.OpChunk), w.from, w.to)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(w.raw)))
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(w.raw))
	b = append(appendString(b, chunkCompression), 0, 0, 0, 0, 0, 0, 0, 0)
	records := len(b)
	b = w.encoder.EncodeAll(w.raw, b)
	packed := uint64(len(b) - records)
	binary.LittleEndian.PutUint64(b[records-8:], packed)
	endRecord(b, start)
	length := len(b) - start
	index = appendTimes(beginRecord(nil, mcap.OpChunkIndex), w.from, w.to)
	index = binary.LittleEndian.AppendUint64(index, uint64(offset))
	index = binary.LittleEndian.AppendUint64(index, uint64(length))
	channels := len(index)
	index = append(index, 0, 0, 0, 0)
	for channel, places := range w.places {
		if len(places) > 0 {
			index = binary.LittleEndian.AppendUint16(index, uint16(channel))
			index = binary.LittleEndian.AppendUint64(index, uint64(offset)+uint64(len(b)-start))
			b = appendMessageIndex(b, uint16(channel), places)
		}
	}
	binary.LittleEndian.PutUint32(index[channels:], uint32(len(index)-channels-4))
	index = binary.LittleEndian.AppendUint64(index, uint64(len(b)-start-length))
	index = appendString(index, chunkCompression)
	index = binary.LittleEndian.AppendUint64(index, packed)
	index = binary.LittleEndian.AppendUint64(index, uint64(len(w.raw)))
	return b, endRecord(index, 0)
}

// count counts the added messages, whose chunk with this index is in the file now.
func (w *chunkWriter) count(all *contents, index []byte) {
	for channel, places := range w.places {
		for _, p := range places {
			all.count(uint16(channel), p.at)
		}
	}
	w.indexes = append(w.indexes, index...)
	w.written++
}

// clear begins the next chunk.
func (w *chunkWriter) clear() {
	w.raw = w.raw[:0]
	for channel := range w.places {
		w.places[channel] = w.places[channel][:0]
	}
}

// appendMessageIndex appends the index of a channel's messages.
func appendMessageIndex(b []byte, channel uint16, places []chunkPlace) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(beginRecord(b, mcap.OpMessageIndex), channel)
	b = binary.LittleEndian.AppendUint32(b, uint32(16*len(places)))
	for _, p := range places {
		b = binary.LittleEndian.AppendUint64(b, uint64(p.at))
		b = binary.LittleEndian.AppendUint64(b, uint64(p.offset))
	}
	return endRecord(b, start)
}

// inChunk marks the offset of a message in a chunk: the chunk's number and the offset in it follow. These offsets keep
// the order of the file.
const inChunk = int64(1 << 62)

// chunkReader reads messages in touchline's chunks. Its methods may be called from any goroutine.
type chunkReader struct {
	file io.ReaderAt

	mu      sync.Mutex
	decoder *zstd.Decoder
	chunks  []chunkSpan
	opened  []openChunk // the most recently used first
}

// chunkSpan is the place of a chunk's records.
type chunkSpan struct {
	start, packed, unpacked int64
	crc                     uint32
	damaged                 error // why it cannot be unpacked; nil if that is not known
}

// openChunk is a chunk in memory.
type openChunk struct {
	number int
	raw    []byte
}

// find reads the head of the chunk whose body of a length starts at an offset. Later calls of index are for its messages.
// It reports false for a chunk that no Writer wrote.
func (r *chunkReader) find(offset int64, length uint64) bool {
	b := make([]byte, min(length, longestHead))
	if _, err := r.file.ReadAt(b, offset); err != nil || length > maxChunk {
		return false
	}
	c, ok := parseChunkHead(b)
	if !ok || c.compression != chunkCompression || c.packed != length-uint64(c.length) || c.unpacked > maxChunk {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.chunks) == maxChunks {
		return false
	}
	r.chunks = append(r.chunks, chunkSpan{
		start: offset + int64(c.length), packed: int64(c.packed), unpacked: int64(c.unpacked), crc: c.crc,
	})
	return true
}

// index decodes the index of a channel's messages in the chunk that was found last, and calls message for each of them.
// It reports false if the index is broken, or message does.
func (r *chunkReader) index(body []byte, message func(entry) bool) bool {
	r.mu.Lock()
	n, size := len(r.chunks)-1, int64(0)
	if n >= 0 {
		size = r.chunks[n].unpacked
	}
	r.mu.Unlock()
	if n < 0 || len(body) < 6 || uint64(binary.LittleEndian.Uint32(body[2:])) != uint64(len(body)-6) || len(body)%16 != 6 {
		return false
	}
	channel := binary.LittleEndian.Uint16(body)
	for b := body[6:]; len(b) > 0; b = b[16:] {
		offset := binary.LittleEndian.Uint64(b[8:])
		if offset >= uint64(size) {
			return false
		}
		if !message(entry{time: timeAt(b), offset: inChunk | int64(n)<<32 | int64(offset), channel: channel - 1}) {
			return false
		}
	}
	return true
}

// record returns the record of a message at an offset with inChunk. It is read-only.
func (r *chunkReader) record(place int64) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, offset := int((place&^inChunk)>>32), place&(1<<32-1)
	raw, err := r.open(n)
	if err != nil {
		return nil, err
	}
	length, left := uint64(0), int64(len(raw))-offset-recordHead
	if left >= messageHead && mcap.OpCode(raw[offset]) == mcap.OpMessage {
		length = binary.LittleEndian.Uint64(raw[offset+1:])
	}
	if length < messageHead || length > uint64(left) {
		return nil, fmt.Errorf("%w at byte %d: its index is wrong", ErrDamaged, r.chunks[n].start)
	}
	end := offset + recordHead + int64(length)
	return raw[offset:end:end], nil
}

// open returns the records of a chunk. It requires r.mu.
func (r *chunkReader) open(n int) ([]byte, error) {
	i := slices.IndexFunc(r.opened, func(c openChunk) bool { return c.number == n })
	if i < 0 {
		c := &r.chunks[n]
		if c.damaged != nil {
			return nil, c.damaged
		}
		raw, err := r.unpack(c)
		if err != nil {
			c.damaged = err
			return nil, err
		}
		if len(r.opened) < openChunks {
			r.opened = append(r.opened, openChunk{})
		}
		i = len(r.opened) - 1
		r.opened[i] = openChunk{n, raw}
	}
	c := r.opened[i]
	copy(r.opened[1:i+1], r.opened[:i])
	r.opened[0] = c
	return c.raw, nil
}

// unpack reads a chunk. It requires r.mu.
func (r *chunkReader) unpack(c *chunkSpan) ([]byte, error) {
	if r.decoder == nil {
		var err error
		r.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunk),
			zstd.WithDecoderMaxWindow(maxChunk), zstd.IgnoreChecksum(true)) // unpack checks that of the chunk
		if err != nil {
			return nil, err
		}
	}
	packed := make([]byte, c.packed)
	if _, err := r.file.ReadAt(packed, c.start); err != nil {
		return nil, fmt.Errorf("%w at byte %d: %w", ErrDamaged, c.start, err)
	}
	raw, err := r.decoder.DecodeAll(packed, make([]byte, 0, c.unpacked))
	if err == nil && (int64(len(raw)) != c.unpacked || crc32.ChecksumIEEE(raw) != c.crc) {
		err = errors.New("its length or checksum is wrong")
	}
	if err != nil {
		return nil, fmt.Errorf("%w at byte %d: %w", ErrDamaged, c.start, err)
	}
	return raw, nil
}

// close frees what unpacking needs.
func (r *chunkReader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.decoder != nil {
		r.decoder.Close()
		r.decoder = nil
	}
}
