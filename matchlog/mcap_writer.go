package matchlog

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"touchline/soccer"
)

// compression is that of all chunks.
const compression = "zstd"

// chunkSize is the number of bytes from which on a chunk is full: some seconds of a match. Larger chunks pack a little
// better and take longer to read.
const chunkSize = 4 << 20

// McapWriter packs the records of messages into chunks.
type McapWriter struct {
	encoder *zstd.Encoder
	raw     []byte
	from    soccer.Time // of the first message by time
	to      soccer.Time
	places  [][]place // by channel id
	chunks  []summary
}

// place is a message in a chunk.
type place struct {
	at     soccer.Time
	offset int // of its record
}

// summary is what the end of a log tells of a chunk.
type summary struct {
	from, to         soccer.Time
	start, length    int64 // of its record
	indexes          []index
	indexLength      int64
	packed, unpacked int
}

// index is the place of an index of a channel's messages.
type index struct {
	channel uint16
	offset  int64
}

// NewWriter returns a Writer without messages.
func NewWriter() *McapWriter {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(chunkSize), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // an option is out of range
	}
	return &McapWriter{encoder: encoder}
}

// Add adds the record of a message.
func (w *McapWriter) Add(channel uint16, at soccer.Time, record []byte) {
	if len(w.raw) == 0 || at < w.from {
		w.from = at
	}
	if len(w.raw) == 0 || at > w.to {
		w.to = at
	}
	for len(w.places) <= int(channel) {
		w.places = append(w.places, nil)
	}
	w.places[channel] = append(w.places[channel], place{at, len(w.raw)})
	w.raw = append(w.raw, record...)
}

// Full reports whether the chunk should be sealed.
func (w *McapWriter) Full() bool { return len(w.raw) >= chunkSize }

// Chunks returns the number of sealed chunks.
func (w *McapWriter) Chunks() int { return len(w.chunks) }

// Seal appends the chunk of the messages that were added, and its index, to b, which is written at an offset of the
// file. Without messages it appends nothing.
func (w *McapWriter) Seal(b []byte, offset int64) []byte {
	if len(w.raw) == 0 {
		return b
	}
	start := len(b)
	s := summary{from: w.from, to: w.to, start: offset, unpacked: len(w.raw)}
	b = appendHead(b, OpChunk)
	b = appendTimes(b, w.from, w.to)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(w.raw)))
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(w.raw))
	b = appendString(b, compression)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
	records := len(b)
	b = w.encoder.EncodeAll(w.raw, b)
	s.packed = len(b) - records
	binary.LittleEndian.PutUint64(b[records-8:], uint64(s.packed))
	closed(b, start)
	s.length = int64(len(b) - start)
	for channel, places := range w.places {
		if len(places) == 0 {
			continue
		}
		s.indexes = append(s.indexes, index{uint16(channel), offset + int64(len(b)-start)})
		b = appendIndex(b, uint16(channel), places)
		w.places[channel] = places[:0]
	}
	s.indexLength = int64(len(b)-start) - s.length
	w.raw, w.chunks = w.raw[:0], append(w.chunks, s)
	return b
}

// AppendSummary appends the places of all chunks, as the summary of a log has them.
func (w *McapWriter) AppendSummary(b []byte) []byte {
	for i := range w.chunks {
		s, start := &w.chunks[i], len(b)
		b = appendTimes(appendHead(b, OpChunkIndex), s.from, s.to)
		b = binary.LittleEndian.AppendUint64(b, uint64(s.start))
		b = binary.LittleEndian.AppendUint64(b, uint64(s.length))
		b = binary.LittleEndian.AppendUint32(b, uint32(10*len(s.indexes)))
		for _, x := range s.indexes {
			b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(b, x.channel), uint64(x.offset))
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(s.indexLength))
		b = appendString(b, compression)
		b = binary.LittleEndian.AppendUint64(b, uint64(s.packed))
		b = binary.LittleEndian.AppendUint64(b, uint64(s.unpacked))
		b = closed(b, start)
	}
	return b
}

// appendIndex appends the index of a channel's messages.
func appendIndex(b []byte, channel uint16, places []place) []byte {
	start := len(b)
	b = appendHead(b, OpMessageIndex)
	b = binary.LittleEndian.AppendUint16(b, channel)
	b = binary.LittleEndian.AppendUint32(b, uint32(16*len(places)))
	for _, p := range places {
		b = binary.LittleEndian.AppendUint64(b, uint64(p.at))
		b = binary.LittleEndian.AppendUint64(b, uint64(p.offset))
	}
	return closed(b, start)
}
