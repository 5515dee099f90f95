package matchlog

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"github.com/foxglove/mcap/go/mcap"

	"touchline/soccer"
)

// The records of a log (mcap.dev/spec). The library's writer writes a record in two pieces and cannot append to a file, so
// this package writes records itself. The library decodes the small ones.

const (
	magic       = "\x89MCAP0\r\n" // begins and ends a file
	profile     = "touchline"     // profile of the header, and name of the metadata record
	maxRecord   = maxData + 1<<10 // bytes of the longest record of touchline logs, except for chunks
	maxChannels = 1 << 12         // channels of one log
	maxName     = 255             // bytes of a channel's name
	maxText     = 1 << 20         // bytes of metadata
)

// Lengths in bytes.
const (
	recordHead  = 1 + 8         // opcode and length
	messageHead = 2 + 4 + 8 + 8 // channel, sequence, log time, publish time
	footerBody  = 8 + 8 + 4
	dataEnd     = recordHead + 4
	tailLength  = recordHead + footerBody + len(magic) // footer and magic
)

const noCRC = 0 // the checksum is not computed

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func beginRecord(b []byte, op mcap.OpCode) []byte { return append(b, byte(op), 0, 0, 0, 0, 0, 0, 0, 0) }

// endRecord sets the length of the record that starts at b[start:].
func endRecord(b []byte, start int) []byte {
	binary.LittleEndian.PutUint64(b[start+1:], uint64(len(b)-start-recordHead))
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

func appendTimes(b []byte, from, to soccer.Time) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(from)), uint64(to))
}

func timeAt(b []byte) soccer.Time { return soccer.Time(binary.LittleEndian.Uint64(b)) }

// cutString cuts a string, preceded by its length, from b.
func cutString(b []byte) (text string, rest []byte, ok bool) {
	if len(b) < 4 {
		return "", nil, false
	}
	n := binary.LittleEndian.Uint32(b)
	if int64(n) > int64(len(b)-4) {
		return "", nil, false
	}
	return string(b[4 : 4+n]), b[4+n:], true
}

// appendFileHead appends the magic bytes and the header record.
func appendFileHead(b []byte) []byte {
	start := len(b) + len(magic)
	b = beginRecord(append(b, magic...), mcap.OpHeader)
	return endRecord(appendString(appendString(b, profile), "touchline"), start)
}

// Text and bytes are in the messages of protocol buffers with one field, 1: Foxglove and Lichtblick refuse other encodings.
const (
	protobuf = "protobuf"
	fieldTag = 1<<3 | 2 // tag of the field: a length and as many bytes follow
)

// isWrapped reports whether the messages of a new channel are in messages of protocol buffers.
func isWrapped(channel string) bool {
	return channel == Lines || channel == Notes || channel == Packets || channel == TCM
}

// encoding returns the MCAP message encoding of a channel. Logs that were begun before messages were wrapped have plain text
// and bytes.
func encoding(channel string, wrapped bool) string {
	switch {
	case wrapped:
		return protobuf
	case channel == Lines, channel == Notes:
		return "text"
	case isWrapped(channel):
		return "application/octet-stream"
	}
	return "json"
}

// wrapping returns the schema of a channel whose messages are wrapped: a FileDescriptorSet.
func wrapping(channel string) Schema {
	name, field, kind := "Packet", "data", byte(12) // bytes
	if channel == Lines || channel == Notes {
		name, field, kind = "Text", "text", 9 // string
	}
	part := func(tag byte, b []byte) []byte { return append([]byte{tag<<3 | 2, byte(len(b))}, b...) }
	described := slices.Concat(part(1, []byte(field)), []byte{3 << 3, 1, 4 << 3, 1, 5 << 3, kind}) // number 1, optional
	message := slices.Concat(part(1, []byte(name)), part(2, described))
	file := slices.Concat(part(1, []byte("touchline.proto")), part(2, []byte(profile)), part(4, message)) // proto2: text may be no UTF-8
	return Schema{Name: profile + "." + name, Encoding: protobuf, Data: part(1, file)}
}

// Encoding returns how a file has the messages of a new channel: as "json", or as "protobuf" with a schema of its own.
func Encoding(channel string) (string, Schema) {
	if isWrapped(channel) {
		return protobuf, wrapping(channel)
	}
	return encoding(channel, false), Schema{}
}

// AppendData appends the data of a message of a new channel as a file has it (see Encoding).
func AppendData(b []byte, m *Message) []byte { return appendData(b, m.Data, isWrapped(m.Channel)) }

func appendData(b, data []byte, wrapped bool) []byte {
	if wrapped {
		b = binary.AppendUvarint(append(b, fieldTag), uint64(len(data)))
	}
	return append(b, data...)
}

// unwrap returns the contents of a wrapped message; nil if it is none.
func unwrap(data []byte) []byte {
	if len(data) < 2 || data[0] != fieldTag {
		return nil
	}
	length, n := binary.Uvarint(data[1:])
	if n <= 0 || length != uint64(len(data)-1-n) {
		return nil
	}
	return data[1+n:]
}

// appendChannel appends a channel record; schema is the number of its schema, 0 for none.
func appendChannel(b []byte, id, schema uint16, name string, wrapped bool) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(beginRecord(b, mcap.OpChannel), id)
	b = binary.LittleEndian.AppendUint16(b, schema)
	b = appendString(appendString(b, name), encoding(name, wrapped))
	return endRecord(binary.LittleEndian.AppendUint32(b, 0), start) // no metadata
}

// Schema describes the messages of a channel for other programs.
type Schema struct {
	Name     string // "foxglove.SceneUpdate"
	Encoding string // "" for a JSON Schema, as callers of Declare have it; "protobuf" for a FileDescriptorSet
	Data     []byte
}

const schemaEncoding = "jsonschema" // a Schema's Encoding ""

func appendSchema(b []byte, id uint16, s *Schema) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(beginRecord(b, mcap.OpSchema), id)
	b = appendString(appendString(b, s.Name), cmp.Or(s.Encoding, schemaEncoding))
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s.Data))), s.Data...)
	return endRecord(b, start)
}

// appendMessage appends a message record, whose sequence number is its checksum.
func appendMessage(b []byte, id uint16, m *Message, wrapped bool) []byte {
	start := len(b)
	published := m.Published
	if published == 0 {
		published = m.Time
	}
	b = append(binary.LittleEndian.AppendUint16(beginRecord(b, mcap.OpMessage), id), 0, 0, 0, 0)
	b = appendData(appendTimes(b, m.Time, published), m.Data, wrapped)
	body := b[start+recordHead:]
	binary.LittleEndian.PutUint32(body[2:], checksum(body))
	return endRecord(b, start)
}

// checksum returns the CRC-32C of a message record's body without its sequence number.
func checksum(body []byte) uint32 {
	return crc32.Update(crc32.Checksum(body[:2], castagnoli), castagnoli, body[6:])
}

// intact reports whether a message record's body has its checksum.
func intact(body []byte) bool {
	return len(body) >= messageHead && binary.LittleEndian.Uint32(body[2:]) == checksum(body)
}

func appendMetadata(b []byte, name string, meta map[string]string) ([]byte, error) {
	start := len(b)
	b = appendString(beginRecord(b, mcap.OpMetadata), name)
	length := len(b)
	b = append(b, 0, 0, 0, 0)
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		b = appendString(appendString(b, k), meta[k])
	}
	if n := len(b) - start; n > maxText {
		return b[:start], fmt.Errorf("matchlog: %d bytes of metadata, a log holds at most %d", n, maxText)
	}
	binary.LittleEndian.PutUint32(b[length:], uint32(len(b)-length-4))
	return endRecord(b, start), nil
}

// parseMetadata decodes the body of a metadata record. Unlike the library it refuses a wrong length, which damage leaves:
// the record has no checksum.
func parseMetadata(b []byte) (name string, meta map[string]string, ok bool) {
	name, b, ok = cutString(b)
	if !ok || len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)-4) {
		return "", nil, false
	}
	meta = map[string]string{}
	for b = b[4:]; len(b) > 0; {
		var key, value string
		if key, b, ok = cutString(b); !ok {
			return "", nil, false
		}
		if value, b, ok = cutString(b); !ok {
			return "", nil, false
		}
		meta[key] = value
	}
	return name, meta, true
}

// summaryOffset returns the offset of the summary of a finished file of a size; 0 if there is none.
func summaryOffset(r io.ReaderAt, size int64) int64 {
	b := make([]byte, tailLength)
	if size < int64(tailLength) {
		return 0
	}
	_, err := r.ReadAt(b, size-int64(tailLength))
	if err != nil || mcap.OpCode(b[0]) != mcap.OpFooter || string(b[tailLength-len(magic):]) != magic {
		return 0
	}
	if at := int64(binary.LittleEndian.Uint64(b[recordHead:])); at > 0 && at < size {
		return at
	}
	return 0
}

// metadataPlace is the place of a metadata record.
type metadataPlace struct {
	offset, length int64
	name           string
}

// contents are the channels, counts and times that the summary of a log contains, collected while it is written or
// read.
type contents struct {
	channels []string // names by index; MCAP channel ids start at 1
	schemas  []Schema // schemas by index; MCAP schema ids start at 1
	schemaOf []uint16 // schema id of each channel; 0: none
	wrapped  []bool   // whether the messages of each channel are wrapped
	ids      map[string]uint16
	counts   []uint64
	messages uint64
	start    soccer.Time
	end      soccer.Time
	metadata []metadataPlace
	meta     map[string]string // newest

	annotations annotations
	unreadable  map[int64]bool // offsets of annotations that are damaged, or beyond the bounds
}

func (c *contents) addChannel(channel string, schema uint16, wrapped bool) uint16 {
	if c.ids == nil {
		c.ids = map[string]uint16{}
	}
	c.channels, c.counts = append(c.channels, channel), append(c.counts, 0)
	c.schemaOf, c.wrapped = append(c.schemaOf, schema), append(c.wrapped, wrapped)
	id := uint16(len(c.channels))
	c.ids[channel] = id
	return id
}

// data returns the contents of a message of a channel whose record has a body; nil if it is broken.
func (c *contents) data(id uint16, body []byte) []byte {
	if data := body[messageHead:]; !c.wrapped[id-1] {
		return data
	}
	return unwrap(body[messageHead:])
}

// addMetadata notes a metadata record.
func (c *contents) addMetadata(name string, meta map[string]string, offset, length int64) {
	c.metadata = append(c.metadata, metadataPlace{offset, length, name})
	c.readMeta(name, meta, offset)
}

// readMeta keeps what a metadata record at an offset says.
func (c *contents) readMeta(name string, meta map[string]string, offset int64) {
	switch name {
	case profile:
		c.meta = meta
	case annotationName:
		if c.annotations == nil {
			c.annotations, c.unreadable = annotations{}, map[int64]bool{}
		}
		if !c.annotations.read(meta, offset) {
			c.unreadable[offset] = true
		}
	}
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

// checkChannel refuses the name of a new channel that a log cannot hold.
func (c *contents) checkChannel(name string) error {
	if len(c.channels) >= maxChannels || len(name) == 0 || len(name) > maxName {
		return fmt.Errorf("matchlog: channel %.40q: want a name of 1 to %d bytes, and %d channels at most",
			name, maxName, maxChannels)
	}
	return nil
}

// appendEnd appends the summary and the footer of a finished log, whose last record ends at offset. chunks are those of a
// packed log, else nil.
func (c *contents) appendEnd(b []byte, offset int64, chunks *chunkWriter) []byte {
	start := len(b)
	b = endRecord(binary.LittleEndian.AppendUint32(beginRecord(b, mcap.OpDataEnd), noCRC), start)
	summary := len(b)
	for i := range c.schemas {
		b = appendSchema(b, uint16(i+1), &c.schemas[i])
	}
	for i, channel := range c.channels {
		b = appendChannel(b, uint16(i+1), c.schemaOf[i], channel, c.wrapped[i])
	}
	b = c.appendStatistics(b, chunks)
	if chunks != nil {
		b = append(b, chunks.indexes...)
	}
	for _, m := range c.metadata {
		b = appendMetadataIndex(b, m)
	}
	b = binary.LittleEndian.AppendUint64(append(b, byte(mcap.OpFooter)), footerBody)
	b = binary.LittleEndian.AppendUint64(b, uint64(offset+int64(summary)))
	b = binary.LittleEndian.AppendUint64(b, 0) // no summary offsets
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b[summary:]))
	return append(b, magic...)
}

// appendMetadataIndex appends the record of the summary that tells where a metadata record is.
func appendMetadataIndex(b []byte, m metadataPlace) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint64(beginRecord(b, mcap.OpMetadataIndex), uint64(m.offset))
	b = binary.LittleEndian.AppendUint64(b, uint64(m.length))
	return endRecord(appendString(b, m.name), start)
}

// appendStatistics appends the record that counts messages.
func (c *contents) appendStatistics(b []byte, chunks *chunkWriter) []byte {
	start, packed := len(b), uint32(0)
	if chunks != nil {
		packed = chunks.written
	}
	b = binary.LittleEndian.AppendUint64(beginRecord(b, mcap.OpStatistics), c.messages)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(c.schemas)))
	for _, n := range []int{len(c.counts), 0, len(c.metadata)} { // channels, attachments, metadata
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = binary.LittleEndian.AppendUint32(b, packed)
	b = binary.LittleEndian.AppendUint32(appendTimes(b, c.start, c.end), uint32(10*len(c.counts)))
	for i, n := range c.counts {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(b, uint16(i+1)), n)
	}
	return endRecord(b, start)
}
