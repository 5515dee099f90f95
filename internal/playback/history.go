package playback

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"touchline/matchlog"
	"touchline/soccer"
)

// Bounds of a History.
const (
	keptFor   = 10 * time.Minute
	maxBlock  = 1 << 20 // bytes from which on a block is packed
	maxSpan   = 10 * time.Second
	maxUnread = 4 << 20 // bytes of a block that is not packed yet; messages beyond them are dropped
)

// Limits of a History of a live session, in bytes of compressed messages.
const (
	mostTopics   = 24 << 20 // what the wall showed, and packets
	mostPictures = 16 << 20 // pictures of robots' cameras
)

// history holds the messages of the last ten minutes in memory, compressed to a number of bytes at most, or those of a
// shorter time if that is not enough; see Bytes. Messages come in the order of their times. Its methods may be called from any
// goroutine.
type history struct {
	most    int        // bytes of packed blocks
	packing sync.Mutex // one Pack at a time
	encoder *zstd.Encoder

	mu       sync.Mutex
	decoder  *zstd.Decoder
	channels []string
	blocks   []*block // oldest first; the last one grows
	packed   int      // bytes of all packed blocks
	unpacked [2]*block
}

// block is a run of messages. Each message in raw follows a head of headLength bytes.
type block struct {
	first, last soccer.Time
	packed      []byte // raw, compressed; nil until Pack
	raw         []byte // nil while the block is packed and not read
	index       []record
}

// record is a message in a block.
type record struct {
	time       soccer.Time
	channel    uint8
	at, length int // place of its data in raw
}

const headLength = 1 + 8 + 4 // channel, time, length

// newHistory returns an empty History that holds most bytes of compressed messages, for example MostTopics.
func newHistory(most int) *history {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(maxBlock), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // an option is out of range
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(2*maxUnread))
	if err != nil {
		panic(err)
	}
	return &history{most: most, encoder: encoder, decoder: decoder}
}

// add copies a message into the history. Messages may come a few seconds out of order. Add neither compresses nor
// waits: call Pack once a second.
func (h *history) add(m matchlog.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.blocks) == 0 || h.newest().packed != nil {
		h.blocks = append(h.blocks, &block{first: m.Time, last: m.Time})
	}
	b := h.newest()
	channel := slices.Index(h.channels, m.Channel)
	if channel < 0 {
		channel = len(h.channels)
		h.channels = append(h.channels, m.Channel)
	}
	if len(b.raw)+len(m.Data) > maxUnread || channel > 255 {
		return
	}
	at := max(b.first, m.Time) // packets of virtual time come a little before theirs
	b.last = max(b.last, at)
	b.raw = append(b.raw, byte(channel))
	b.raw = binary.LittleEndian.AppendUint64(b.raw, uint64(at))
	b.raw = binary.LittleEndian.AppendUint32(b.raw, uint32(len(m.Data)))
	b.index = append(b.index, record{at, uint8(channel), len(b.raw), len(m.Data)})
	b.raw = append(b.raw, m.Data...)
}

func (h *history) newest() *block { return h.blocks[len(h.blocks)-1] }

// pack compresses the newest messages when there are enough of them, and drops what exceeds the bounds.
func (h *history) pack() {
	h.packing.Lock()
	defer h.packing.Unlock()
	h.mu.Lock()
	if len(h.blocks) == 0 {
		h.mu.Unlock()
		return
	}
	b := h.newest()
	if b.packed != nil || len(b.raw) < maxBlock && b.last.Sub(b.first) < maxSpan {
		h.mu.Unlock()
		return
	}
	h.blocks = append(h.blocks, &block{first: b.last, last: b.last}) // the next messages go there
	h.mu.Unlock()
	packed := h.encoder.EncodeAll(b.raw, make([]byte, 0, len(b.raw)/4))
	h.mu.Lock()
	defer h.mu.Unlock()
	b.packed, b.raw, b.index = slices.Clip(packed), nil, nil
	h.packed += len(packed)
	for h.packed > h.most || h.newest().last.Sub(h.blocks[0].last) > keptFor {
		if h.blocks[0].packed == nil {
			break
		}
		h.packed -= len(h.blocks[0].packed)
		h.blocks[0] = nil
		h.blocks = h.blocks[1:]
	}
}

// first returns the time of the oldest message; 0 without messages.
func (h *history) first() soccer.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.blocks) == 0 {
		return 0
	}
	return h.blocks[0].first
}

// bytes returns the memory that the messages take. It stays 16 MiB above the bound of compressed messages at most: three
// blocks of at most 4 MiB are not compressed, and have indexes.
func (h *history) bytes() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.packed
	for _, b := range h.blocks {
		n += cap(b.raw) + cap(b.index)*24
	}
	return n
}

// open makes the messages of a block readable. At most two packed blocks are readable at a time. It requires h.mu.
func (h *history) open(b *block) error {
	if b.packed == nil || b.raw != nil {
		return nil
	}
	raw, err := h.decoder.DecodeAll(b.packed, nil)
	if err != nil {
		return fmt.Errorf("playback: cannot read a block of the history: %w", err)
	}
	if old := h.unpacked[0]; old != nil {
		old.raw, old.index = nil, nil // messages that a reader holds stay valid
	}
	h.unpacked[0], h.unpacked[1] = h.unpacked[1], b
	b.raw = raw
	for at := 0; at < len(raw); {
		length := int(binary.LittleEndian.Uint32(raw[at+9:]))
		b.index = append(b.index, record{
			soccer.Time(binary.LittleEndian.Uint64(raw[at+1:])), raw[at], at + headLength, length,
		})
		at += headLength + length
	}
	return nil
}

// message returns a message of an open block. It requires h.mu.
func (h *history) message(b *block, r record) matchlog.Message {
	return matchlog.Message{Time: r.time, Channel: h.channels[r.channel], Data: b.raw[r.at : r.at+r.length : r.at+r.length]}
}

// Last returns the newest message of a channel at or before a time, and whether there is one. It searches at most ten
// seconds.
func (h *history) Last(channel string, at soccer.Time) (matchlog.Message, bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := slices.Index(h.channels, channel)
	for i := len(h.blocks) - 1; i >= 0 && id >= 0 && h.blocks[i].last >= at.Add(-maxSpan); i-- {
		b := h.blocks[i]
		if b.first > at {
			continue
		}
		if err := h.open(b); err != nil {
			return matchlog.Message{}, false, err
		}
		for k := len(b.index) - 1; k >= 0; k-- {
			if r := b.index[k]; r.time <= at && int(r.channel) == id {
				return h.message(b, r), true, nil
			}
		}
	}
	return matchlog.Message{}, false, nil
}

// Messages yields the messages of the channels, or of all channels, from a time on to before another in order.
func (h *history) Messages(from, to soccer.Time, channels ...string) iter.Seq2[matchlog.Message, error] {
	return func(yield func(matchlog.Message, error) bool) {
		h.mu.Lock()
		blocks := slices.Clone(h.blocks)
		h.mu.Unlock()
		for _, b := range blocks {
			messages, err := h.within(b, from, to, channels)
			if err != nil {
				yield(matchlog.Message{}, err)
				return
			}
			for _, m := range messages {
				if !yield(m, nil) {
					return
				}
			}
		}
	}
}

// within returns the messages of a block between two times.
func (h *history) within(b *block, from, to soccer.Time, channels []string) (found []matchlog.Message, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if b.last < from || b.first >= to {
		return nil, nil
	}
	if err := h.open(b); err != nil {
		return nil, err
	}
	for _, r := range b.index {
		if r.time < from || r.time >= to {
			continue
		}
		if m := h.message(b, r); len(channels) == 0 || slices.Contains(channels, m.Channel) {
			found = append(found, m)
		}
	}
	return found, nil
}
