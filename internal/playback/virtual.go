package playback

import (
	"encoding/json"
	"sync"

	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
)

// Virtual records a session or a match in virtual time. It encodes and writes on a goroutine of its own, so that the match
// goes on meanwhile. Messages wait in batches, each of a sample; the match waits when the writer is four of them behind. A
// nil Virtual records nothing.
type Virtual struct {
	record  *matchlog.Writer
	samples int
	logged  float64 // see SampleSession
	figures figures
	batch   *batch // the next batch, which the match fills
	full    chan *batch
	empty   chan *batch
	done    chan struct{}
	failed  error // of encoding on the goroutine of the match

	mu     sync.Mutex
	broken error // of encoding or writing on the other goroutine
}

// batch holds messages in order.
type batch struct {
	entries []entry
	data    []byte
}

// entry is a message: its data, or a value that becomes its data.
type entry struct {
	at       soccer.Time
	channel  string
	value    any
	from, to int // range of the data in the batch, without a value
}

const batches = 4

// NewVirtual returns a record of a session that is written to w, which Close does not close.
func NewVirtual(w *matchlog.Writer) *Virtual {
	declare(w)
	v := &Virtual{
		record: w, batch: new(batch), full: make(chan *batch, batches), empty: make(chan *batch, batches),
		done: make(chan struct{}),
	}
	for range batches {
		v.empty <- new(batch)
	}
	go v.run()
	return v
}

// Packet records a copy of a datagram.
func (v *Virtual) Packet(p *soccer.Packet) {
	if v == nil {
		return
	}
	b := v.batch
	from := len(b.data)
	b.data = matchlog.AppendPacket(b.data, p)
	b.entries = append(b.entries, entry{at: p.Time, channel: matchlog.PacketChannel(p), from: from, to: len(b.data)})
}

// Message records a copy of a message.
func (v *Virtual) Message(at soccer.Time, channel string, data []byte) {
	if v == nil {
		return
	}
	b := v.batch
	from := len(b.data)
	b.data = append(b.data, data...)
	b.entries = append(b.entries, entry{at: at, channel: channel, from: from, to: len(b.data)})
}

// JSON records a value as it is now: it may change later.
func (v *Virtual) JSON(at soccer.Time, channel string, value any) {
	if v == nil {
		return
	}
	data, err := json.Marshal(value)
	if err != nil {
		v.failed = err
		return
	}
	v.Message(at, channel, withoutNulls(matchlog.Message{Channel: channel, Data: data}).Data)
}

// Sample records what the page shows of the session now, and hands over what was recorded since the last sample. The error
// is the first one of encoding or writing; behind it nothing is recorded.
func (v *Virtual) Sample(now soccer.Time, wall *watch.Wall, session Session) error {
	if v == nil {
		return nil
	}
	sampleSession(v.samples, now, wall, session, &v.logged, func(channel string, value any) {
		v.batch.entries = append(v.batch.entries, entry{at: now, channel: channel, value: value})
	})
	v.samples++
	return v.flush()
}

// flush hands over what was added, and returns the first error.
func (v *Virtual) flush() error {
	v.full <- v.batch
	v.batch = <-v.empty
	if v.failed != nil {
		return v.failed
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.broken
}

func (v *Virtual) run() {
	defer close(v.done)
	var failed error
	for b := range v.full {
		for i := 0; i < len(b.entries) && failed == nil; i++ {
			failed = v.write(&b.entries[i], b.data)
		}
		v.mu.Lock()
		v.broken = failed
		v.mu.Unlock()
		clear(b.entries)
		b.entries, b.data = b.entries[:0], b.data[:0]
		v.empty <- b
	}
}

func (v *Virtual) write(e *entry, data []byte) error {
	m := matchlog.Message{Time: e.at, Channel: e.channel, Data: data[e.from:e.to]}
	if e.value != nil {
		var err error
		if m, err = message(e.at, e.channel, e.value); err != nil {
			return err
		}
	}
	return v.record.Write(m)
}

// Close writes the rest and ends the goroutine.
func (v *Virtual) Close() error {
	if v == nil {
		return nil
	}
	err := v.flush()
	close(v.full)
	<-v.done
	if err == nil {
		err = v.broken
	}
	return err
}
