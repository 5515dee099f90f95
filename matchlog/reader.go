package matchlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"touchline/soccer"
)

// Bounds of a Reader.
const (
	maxChunks       = 1 << 24
	mcapMaxUnpacked = 32 << 20 // bytes of a chunk; a Writer stays below chunkSize and one message
	kept            = 4        // unpacked chunks
)

// ErrDamaged is the error of a chunk that cannot be unpacked, and of a message that is not where the index says.
var ErrDamaged = errors.New("matchlog: a chunk is damaged")

// McapPlace is the place of a message in the chunks of a file. Places order the messages as the file does.
type McapPlace int64

// inChunk marks places, beside the offsets of messages that are in no chunk.
const inChunk = McapPlace(1 << 62)

// Packed reports whether an offset is the place of a message in a chunk.
func Packed(offset int64) bool { return McapPlace(offset)&inChunk != 0 }

// Reader reads messages in chunks. Its methods may be called from any goroutine.
type Reader struct {
	file io.ReaderAt

	mu      sync.Mutex
	decoder *zstd.Decoder
	chunks  []mcapSpan
	cache   [kept]unpacked // the chunk used last first
}

// mcapSpan is the place of a chunk's records.
type mcapSpan struct {
	start    int64
	packed   int64
	unpacked int64
	crc      uint32
}

// unpacked is a chunk that was read.
type unpacked struct {
	chunk int
	raw   []byte // nil: no chunk
}

// NewReader returns a Reader of a file.
func NewReader(file io.ReaderAt) *Reader { return &Reader{file: file} }

// Chunk is the beginning of a chunk.
type Chunk struct {
	From, To    uint64 // times of its messages in ns
	Unpacked    uint64 // bytes of its records
	CRC         uint32 // of its records; 0: not computed
	Compression string
	Packed      uint64 // bytes of its compressed records
	Head        int    // bytes of the record's body before them
}

// MostChunkHead is the number of bytes of a chunk's body that ParseChunk needs at most.
const MostChunkHead = 8 + 8 + 8 + 4 + 4 + 32 + 8

// ParseChunk decodes the beginning of a chunk's body.
func ParseChunk(b []byte) (c Chunk, ok bool) {
	const beforeName = 8 + 8 + 8 + 4
	if len(b) < beforeName {
		return c, false
	}
	c.From, c.To = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	c.Unpacked, c.CRC = binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint32(b[24:])
	compression, rest, ok := CutString(b[beforeName:])
	if !ok || len(rest) < 8 {
		return c, false
	}
	c.Compression, c.Packed, c.Head = compression, binary.LittleEndian.Uint64(rest), len(b)-len(rest)+8
	return c, true
}

// Find reads the head of the chunk whose body of a length starts at an offset. Later calls of Index are for its messages.
// It reports false for a chunk that no Writer wrote.
func (r *Reader) Find(offset int64, length uint64) bool {
	b := make([]byte, min(length, MostChunkHead))
	if _, err := r.file.ReadAt(b, offset); err != nil || length > mcapMaxUnpacked {
		return false
	}
	c, ok := ParseChunk(b)
	if !ok || c.Compression != compression || c.Packed != length-uint64(c.Head) || c.Unpacked > mcapMaxUnpacked {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.chunks) == maxChunks {
		return false
	}
	r.chunks = append(r.chunks, mcapSpan{offset + int64(c.Head), int64(c.Packed), int64(c.Unpacked), c.CRC})
	return true
}

// Index decodes an index of a channel's messages in the chunk that was found last, and calls message for each of them. It
// reports false if the index is broken, or message does.
func (r *Reader) Index(body []byte, message func(channel uint16, at soccer.Time, p McapPlace) bool) bool {
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
		at, offset := soccer.Time(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint64(b[8:])
		if offset >= uint64(size) {
			return false
		}
		if !message(channel, at, inChunk|McapPlace(n)<<32|McapPlace(offset)) {
			return false
		}
	}
	return true
}

// Record returns the record of a message. It is read-only.
func (r *Reader) Record(p McapPlace) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, offset := int((p&^inChunk)>>32), int64(p&(1<<32-1))
	raw, err := r.open(n)
	if err != nil {
		return nil, err
	}
	if offset > int64(len(raw))-RecordHead || raw[offset] != OpMessage ||
		binary.LittleEndian.Uint64(raw[offset+1:]) > uint64(int64(len(raw))-offset-RecordHead) {
		return nil, fmt.Errorf("%w at byte %d: its index is wrong", ErrDamaged, r.chunks[n].start)
	}
	end := offset + RecordHead + int64(binary.LittleEndian.Uint64(raw[offset+1:]))
	return raw[offset:end:end], nil
}

// open returns the records of a chunk. It requires r.mu.
func (r *Reader) open(n int) ([]byte, error) {
	i := slices.IndexFunc(r.cache[:], func(u unpacked) bool { return u.raw != nil && u.chunk == n })
	if i < 0 {
		raw, err := r.unpack(&r.chunks[n])
		if err != nil {
			return nil, err
		}
		i = kept - 1
		r.cache[i] = unpacked{n, raw}
	}
	u := r.cache[i]
	copy(r.cache[1:i+1], r.cache[:i])
	r.cache[0] = u
	return u.raw, nil
}

// unpack reads a chunk. It requires r.mu.
func (r *Reader) unpack(s *mcapSpan) ([]byte, error) {
	if r.decoder == nil {
		var err error
		r.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mcapMaxUnpacked),
			zstd.WithDecoderMaxWindow(mcapMaxUnpacked))
		if err != nil {
			return nil, err
		}
	}
	packed := make([]byte, s.packed)
	if _, err := r.file.ReadAt(packed, s.start); err != nil {
		return nil, fmt.Errorf("%w at byte %d: %w", ErrDamaged, s.start, err)
	}
	raw, err := r.decoder.DecodeAll(packed, make([]byte, 0, s.unpacked))
	if err == nil && (int64(len(raw)) != s.unpacked || crc32.ChecksumIEEE(raw) != s.crc) {
		err = errors.New("its length or checksum is wrong")
	}
	if err != nil {
		return nil, fmt.Errorf("%w at byte %d: %w", ErrDamaged, s.start, err)
	}
	return raw, nil
}

// Close frees what unpacking needs.
func (r *Reader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.decoder != nil {
		r.decoder.Close()
		r.decoder = nil
	}
}
