// Package mcap writes and reads the records of MCAP files (mcap.dev/spec), and packs messages into compressed chunks with an
// index. The library's writer writes a record in two pieces and cannot append to a file.

package matchlog

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"touchline/soccer"
)

// Opcodes of records.
const (
	OpHeader        = 0x01
	OpFooter        = 0x02
	OpSchema        = 0x03
	OpChannel       = 0x04
	OpMessage       = 0x05
	OpChunk         = 0x06
	OpMessageIndex  = 0x07 // of one channel's messages in the chunk before
	OpChunkIndex    = 0x08
	OpStatistics    = 0x0B
	OpMetadata      = 0x0C
	OpMetadataIndex = 0x0D
	OpDataEnd       = 0x0F
)

// Lengths in bytes.
const (
	RecordHead  = 1 + 8         // opcode and length
	MessageHead = 2 + 4 + 8 + 8 // channel, sequence, log time, publish time
	footerData  = 8 + 8 + 4
	tailLength  = RecordHead + footerData + len(Magic) // of the footer and what follows
)

// Magic begins and ends a file.
const Magic = "\x89MCAP0\r\n"

const noCRC = uint32(0) // not computed

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendHead(b []byte, op byte) []byte { return append(b, op, 0, 0, 0, 0, 0, 0, 0, 0) }

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// closed sets the length of the record that starts at b[start:].
func closed(b []byte, start int) []byte {
	binary.LittleEndian.PutUint64(b[start+1:], uint64(len(b)-start-RecordHead))
	return b
}

// AppendFileHead appends the magic bytes and the header record.
func AppendFileHead(b []byte, profile, library string) []byte {
	start := len(b) + len(Magic)
	b = appendHead(append(b, Magic...), OpHeader)
	return closed(appendString(appendString(b, profile), library), start)
}

// AppendChannel appends a channel record; schema is the number of its schema, 0 for none.
func AppendChannel(b []byte, id, schema uint16, name, encoding string) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(appendHead(b, OpChannel), id)
	b = binary.LittleEndian.AppendUint16(b, schema)
	b = appendString(appendString(b, name), encoding)
	return closed(binary.LittleEndian.AppendUint32(b, 0), start) // no metadata
}

// AppendSchema appends a schema record with a JSON Schema.
func AppendSchema(b []byte, id uint16, name string, data []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(appendHead(b, OpSchema), id)
	b = appendString(appendString(b, name), "jsonschema")
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(data))), data...)
	return closed(b, start)
}

// AppendMessage appends a message record, whose sequence number is its Checksum.
func AppendMessage(b []byte, id uint16, at, published soccer.Time, data []byte) []byte {
	start := len(b)
	b = append(binary.LittleEndian.AppendUint16(appendHead(b, OpMessage), id), 0, 0, 0, 0)
	b = appendTimes(b, at, published)
	b = append(b, data...)
	body := b[start+RecordHead:]
	binary.LittleEndian.PutUint32(body[2:], Checksum(body))
	return closed(b, start)
}

// Checksum returns the CRC-32C of a message record's body without its sequence number.
func Checksum(body []byte) uint32 {
	return crc32.Update(crc32.Checksum(body[:2], castagnoli), castagnoli, body[6:])
}

// AppendMetadata appends a metadata record.
func AppendMetadata(b []byte, name string, meta map[string]string) []byte {
	start := len(b)
	b = appendString(appendHead(b, OpMetadata), name)
	length := len(b)
	b = append(b, 0, 0, 0, 0)
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		b = appendString(appendString(b, k), meta[k])
	}
	binary.LittleEndian.PutUint32(b[length:], uint32(len(b)-length-4))
	return closed(b, start)
}

// AppendDataEnd appends the record behind the last message.
func AppendDataEnd(b []byte) []byte {
	start := len(b)
	return closed(binary.LittleEndian.AppendUint32(appendHead(b, OpDataEnd), noCRC), start)
}

// Statistics are what the summary of a file counts.
type Statistics struct {
	Messages                  uint64
	Schemas, Metadata, Chunks int
	From, To                  soccer.Time
	Counts                    []uint64 // messages by channel, from channel 1 on
}

// Append appends the record.
func (s *Statistics) Append(b []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint64(appendHead(b, OpStatistics), s.Messages)
	b = binary.LittleEndian.AppendUint16(b, uint16(s.Schemas))
	for _, n := range []int{len(s.Counts), 0, s.Metadata, s.Chunks} { // channels, attachments, metadata, chunks
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = binary.LittleEndian.AppendUint32(appendTimes(b, s.From, s.To), uint32(10*len(s.Counts)))
	for i, n := range s.Counts {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(b, uint16(i+1)), n)
	}
	return closed(b, start)
}

// AppendMetadataIndex appends the place of a metadata record.
func AppendMetadataIndex(b []byte, offset, length int64, name string) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint64(appendHead(b, OpMetadataIndex), uint64(offset))
	b = binary.LittleEndian.AppendUint64(b, uint64(length))
	return closed(appendString(b, name), start)
}

// AppendFooter appends the footer and the magic bytes. The summary starts at b[summary:], and b[0] is at an offset of the
// file.
func AppendFooter(b []byte, summary int, offset int64) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, OpFooter), footerData)
	b = binary.LittleEndian.AppendUint64(b, uint64(offset+int64(summary)))
	b = binary.LittleEndian.AppendUint64(b, 0) // no summary offsets
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b[summary:]))
	return append(b, Magic...)
}

func appendTimes(b []byte, from, to soccer.Time) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(from)), uint64(to))
}

// McapSummary returns the offset of the summary of a finished file of a size; 0 if there is none.
func McapSummary(r io.ReaderAt, size int64) int64 {
	b := make([]byte, tailLength)
	if size < int64(tailLength) {
		return 0
	}
	_, err := r.ReadAt(b, size-int64(tailLength))
	if err != nil || b[0] != OpFooter || string(b[tailLength-len(Magic):]) != Magic {
		return 0
	}
	if at := int64(binary.LittleEndian.Uint64(b[RecordHead:])); at > 0 && at < size {
		return at
	}
	return 0
}

// CutString cuts a string, preceded by its length, from b.
func CutString(b []byte) (text string, rest []byte, ok bool) {
	if len(b) < 4 {
		return "", nil, false
	}
	n := binary.LittleEndian.Uint32(b)
	if int64(n) > int64(len(b)-4) {
		return "", nil, false
	}
	return string(b[4 : 4+n]), b[4+n:], true
}

// ParseSchema decodes the body of a record with a JSON Schema. It reports false for another kind of schema.
func ParseSchema(b []byte) (id uint16, name string, data []byte, ok bool) {
	if len(b) < 2 {
		return 0, "", nil, false
	}
	name, rest, _ := CutString(b[2:])
	encoding, rest, ok := CutString(rest)
	text, _, whole := CutString(rest)
	return binary.LittleEndian.Uint16(b), name, []byte(text), ok && whole && encoding == "jsonschema"
}

// ParseMetadata decodes the body of a metadata record.
func ParseMetadata(b []byte) (name string, meta map[string]string, ok bool) {
	name, b, ok = CutString(b)
	if !ok || len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)-4) {
		return "", nil, false
	}
	meta = map[string]string{}
	for b = b[4:]; len(b) > 0; {
		var key, value string
		if key, b, ok = CutString(b); !ok {
			return "", nil, false
		}
		if value, b, ok = CutString(b); !ok {
			return "", nil, false
		}
		meta[key] = value
	}
	return name, meta, true
}
