package matchlog

import (
	"fmt"

	"touchline/soccer"
)

const (
	profile     = "touchline"
	maxRecord   = MaxData + 1<<10 // the longest record of touchline logs, except for chunks
	maxChannels = 1 << 12         // in one log
	maxText     = 1 << 20         // bytes of metadata
)

func appendFileHead(b []byte) []byte { return AppendFileHead(b, profile, "touchline") }

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

func appendMessage(b []byte, id uint16, m *Message) []byte {
	published := m.Published
	if published == 0 {
		published = m.Time
	}
	return AppendMessage(b, id, m.Time, published, m.Data)
}

func appendMetadata(b []byte, meta map[string]string) ([]byte, error) {
	before := len(b)
	b = AppendMetadata(b, profile, meta)
	if n := len(b) - before; n > maxText {
		return b[:before], fmt.Errorf("matchlog: %d bytes of metadata, a log holds at most %d", n, maxText)
	}
	return b, nil
}

// Schema describes the messages of a channel for other programs.
type Schema struct {
	Name string // "playback.SceneUpdate"
	Data []byte // JSON Schema
}

// Declare sets the schema of a channel. A channel that has a message already keeps its own.
func (w *Writer) Declare(channel string, s Schema) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.declared == nil {
		w.declared = map[string]Schema{}
	}
	w.declared[channel] = s
}

func checkChannel(name string, have int) error {
	if have >= maxChannels || len(name) == 0 || len(name) > maxName {
		return fmt.Errorf("matchlog: channel %.40q: want a name of 1 to %d bytes, and %d channels at most",
			name, maxName, maxChannels)
	}
	return nil
}

// check refuses a message that a log cannot hold.
func (w *Writer) check(m *Message, known bool) error {
	if len(m.Data) > MaxData {
		return fmt.Errorf("matchlog: %d bytes on channel %s: the limit is %d", len(m.Data), m.Channel, MaxData)
	}
	if !known {
		return checkChannel(m.Channel, len(w.all.channels))
	}
	return nil
}

// appendDeclaration appends the records that declare a new channel, and returns its number. It requires w.mu.
func (w *Writer) appendDeclaration(b []byte, channel string) ([]byte, uint16) {
	id, schema := uint16(len(w.all.channels)+1), uint16(0)
	if s, ok := w.declared[channel]; ok {
		schema = uint16(len(w.all.schemas) + 1)
		b = AppendSchema(b, schema, s.Name, s.Data)
	}
	return AppendChannel(b, id, schema, channel, encoding(channel)), id
}

// addChannel counts a channel that was declared in the file. It requires w.mu.
func (w *Writer) addChannel(channel string) uint16 {
	schema := uint16(0)
	if s, ok := w.declared[channel]; ok {
		w.all.schemas = append(w.all.schemas, s)
		schema = uint16(len(w.all.schemas))
	}
	return w.all.addChannel(channel, schema)
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

// appendEnd appends the summary and the footer of a finished log, whose last record ends at offset. chunks are those of a
// packed log, else nil.
func (c *contents) appendEnd(b []byte, offset int64, chunks *McapWriter) []byte {
	b = AppendDataEnd(b)
	summary := len(b)
	for i, s := range c.schemas {
		b = AppendSchema(b, uint16(i+1), s.Name, s.Data)
	}
	for i, channel := range c.channels {
		b = AppendChannel(b, uint16(i+1), c.schemaOf[i], channel, encoding(channel))
	}
	total := Statistics{
		Messages: c.messages, Schemas: len(c.schemas), Metadata: len(c.metadata), From: c.start, To: c.end, Counts: c.counts,
	}
	if chunks != nil {
		total.Chunks = chunks.Chunks()
	}
	b = total.Append(b)
	if chunks != nil {
		b = chunks.AppendSummary(b)
	}
	for _, m := range c.metadata {
		b = AppendMetadataIndex(b, m.offset, m.length, profile)
	}
	return AppendFooter(b, summary, offset)
}
