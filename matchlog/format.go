package matchlog

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"touchline/soccer"
)

// Opcodes of MCAP records (mcap.dev/spec). This package writes records itself because the library's writer writes a
// record in two pieces and cannot append to an existing file.
const (
	opHeader        = 0x01
	opFooter        = 0x02
	opSchema        = 0x03
	opChannel       = 0x04
	opMessage       = 0x05
	opChunk         = 0x06
	opStatistics    = 0x0B
	opMetadata      = 0x0C
	opMetadataIndex = 0x0D
	opDataEnd       = 0x0F
)

const (
	magic       = "\x89MCAP0\r\n"
	profile     = "touchline"
	recordHead  = 1 + 8           // opcode and length
	messageHead = 2 + 4 + 8 + 8   // channel, sequence, log time, publish time
	maxRecord   = MaxData + 1<<10 // the longest record of touchline logs
	maxChannels = 1 << 12         // in one log
	maxText     = 1 << 20         // bytes of metadata
	noCRC       = uint32(0)       // MCAP: not computed
	footerData  = 8 + 8 + 4       //
	tailLength  = recordHead + footerData + len(magic)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendHead(b []byte, op byte, length int) []byte {
	return binary.LittleEndian.AppendUint64(append(b, op), uint64(length))
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// closeRecord sets the length of the record that starts at b[start:].
func closeRecord(b []byte, start int) []byte {
	binary.LittleEndian.PutUint64(b[start+1:], uint64(len(b)-start-recordHead))
	return b
}

func appendFileHead(b []byte) []byte {
	start := len(b) + len(magic)
	b = appendHead(append(b, magic...), opHeader, 0)
	return closeRecord(appendString(appendString(b, profile), "touchline"), start)
}

// encoding returns the MCAP message encoding of a channel.
func encoding(channel string) string {
	switch channel {
	case Lines, Notes:
		return "text"
	case Packets, TCM:
		return "application/octet-stream"
	}
	return "json"
}

// appendChannel appends a channel record; schema is the number of its schema, 0 for none.
func appendChannel(b []byte, id, schema uint16, channel string) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(appendHead(b, opChannel, 0), id)
	b = binary.LittleEndian.AppendUint16(b, schema)
	b = appendString(appendString(b, channel), encoding(channel))
	return closeRecord(binary.LittleEndian.AppendUint32(b, 0), start) // no metadata
}

func appendSchema(b []byte, id uint16, s Schema) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(appendHead(b, opSchema, 0), id)
	b = appendString(appendString(b, s.Name), "jsonschema")
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s.Data))), s.Data...)
	return closeRecord(b, start)
}

func appendMessage(b []byte, id uint16, m *Message) []byte {
	published := m.Published
	if published == 0 {
		published = m.Time
	}
	b = appendHead(b, opMessage, messageHead+len(m.Data))
	body := len(b)
	b = append(binary.LittleEndian.AppendUint16(b, id), 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.Time))
	b = binary.LittleEndian.AppendUint64(b, uint64(published))
	b = append(b, m.Data...)
	binary.LittleEndian.PutUint32(b[body+2:], checksum(b[body:]))
	return b
}

// checksum returns the CRC-32C of a message record's body without its sequence number.
func checksum(body []byte) uint32 {
	return crc32.Update(crc32.Checksum(body[:2], castagnoli), castagnoli, body[6:])
}

func appendMetadata(b []byte, meta map[string]string) ([]byte, error) {
	before, start := b, len(b)
	b = appendString(appendHead(b, opMetadata, 0), profile)
	length := len(b)
	b = append(b, 0, 0, 0, 0)
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		b = appendString(appendString(b, k), meta[k])
	}
	if len(b)-start > maxText {
		return before, fmt.Errorf("matchlog: %d bytes of metadata, a log holds at most %d", len(b)-start, maxText)
	}
	binary.LittleEndian.PutUint32(b[length:], uint32(len(b)-length-4))
	return closeRecord(b, start), nil
}

// span is the place of a metadata record.
type span struct{ offset, length int64 }

// contents are the channels, counts and times that the summary of a log contains, collected while it is written or
// read.
type contents struct {
	channels []string // by index; MCAP channel ids start at 1
	schemas  []Schema // by index; MCAP schema ids start at 1
	schemaOf []uint16 // of each channel; 0: none
	ids      map[string]uint16
	counts   []uint64
	messages uint64
	start    soccer.Time
	end      soccer.Time
	metadata []span
	meta     map[string]string // newest
}

func (c *contents) addChannel(channel string, schema uint16) uint16 {
	if c.ids == nil {
		c.ids = map[string]uint16{}
	}
	c.channels, c.counts = append(c.channels, channel), append(c.counts, 0)
	c.schemaOf = append(c.schemaOf, schema)
	id := uint16(len(c.channels))
	c.ids[channel] = id
	return id
}

func (c *contents) count(id uint16, t soccer.Time) {
	if c.messages == 0 || t < c.start {
		c.start = t
	}
	if c.messages == 0 || t > c.end {
		c.end = t
	}
	c.messages++
	c.counts[id-1]++
}

// appendEnd appends the summary and the footer of a finished log, whose last record ends at offset.
func (c *contents) appendEnd(b []byte, offset int64) []byte {
	b = binary.LittleEndian.AppendUint32(appendHead(b, opDataEnd, 4), noCRC)
	summary := len(b)
	for i, s := range c.schemas {
		b = appendSchema(b, uint16(i+1), s)
	}
	for i, channel := range c.channels {
		b = appendChannel(b, uint16(i+1), c.schemaOf[i], channel)
	}
	start := len(b)
	b = binary.LittleEndian.AppendUint64(appendHead(b, opStatistics, 0), c.messages)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(c.schemas)))
	for _, n := range []int{len(c.channels), 0, len(c.metadata), 0} { // channels, attachments, metadata, chunks
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(c.start))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.end))
	b = binary.LittleEndian.AppendUint32(b, uint32(10*len(c.channels)))
	for i, n := range c.counts {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(b, uint16(i+1)), n)
	}
	b = closeRecord(b, start)
	for _, m := range c.metadata {
		start := len(b)
		b = binary.LittleEndian.AppendUint64(appendHead(b, opMetadataIndex, 0), uint64(m.offset))
		b = binary.LittleEndian.AppendUint64(b, uint64(m.length))
		b = closeRecord(appendString(b, profile), start)
	}
	b = appendHead(b, opFooter, footerData)
	b = binary.LittleEndian.AppendUint64(b, uint64(offset+int64(summary)))
	b = binary.LittleEndian.AppendUint64(b, 0) // no summary offsets
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b[summary:]))
	return append(b, magic...)
}
