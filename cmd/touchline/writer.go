package main

import (
	"sync"

	"touchline/internal/playback"
	"touchline/matchlog"
	"touchline/soccer"
)

// writer encodes and writes a record on a goroutine of its own, so that the match goes on meanwhile. Messages wait in
// batches, each of a sample; the match waits when the writer is four of them behind.
type writer struct {
	record *matchlog.Writer
	batch  *batch // that the match fills
	full   chan *batch
	empty  chan *batch
	done   chan struct{}

	mu     sync.Mutex
	failed error // of encoding or writing
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
	from, to int // of the data in the batch, without a value
}

const batches = 4

func newWriter(record *matchlog.Writer) *writer {
	w := &writer{
		record: record, batch: new(batch), full: make(chan *batch, batches), empty: make(chan *batch, batches),
		done: make(chan struct{}),
	}
	for range batches {
		w.empty <- new(batch)
	}
	go w.run()
	return w
}

// packet adds a datagram, which it copies.
func (w *writer) packet(p *soccer.Packet) {
	b := w.batch
	from := len(b.data)
	b.data = matchlog.AppendPacket(b.data, p)
	b.entries = append(b.entries, entry{at: p.Time, channel: matchlog.PacketChannel(p), from: from, to: len(b.data)})
}

// message adds a message with data, which it copies.
func (w *writer) message(at soccer.Time, channel string, data []byte) {
	b := w.batch
	from := len(b.data)
	b.data = append(b.data, data...)
	b.entries = append(b.entries, entry{at: at, channel: channel, from: from, to: len(b.data)})
}

// value adds a message with a value that does not change any more.
func (w *writer) value(at soccer.Time, channel string, v any) {
	w.batch.entries = append(w.batch.entries, entry{at: at, channel: channel, value: v})
}

// flush hands over what was added, and returns the first error of writing.
func (w *writer) flush() error {
	w.full <- w.batch
	w.batch = <-w.empty
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

func (w *writer) run() {
	defer close(w.done)
	var failed error
	for b := range w.full {
		for i := 0; i < len(b.entries) && failed == nil; i++ {
			failed = w.write(&b.entries[i], b.data)
		}
		w.mu.Lock()
		w.failed = failed
		w.mu.Unlock()
		clear(b.entries)
		b.entries, b.data = b.entries[:0], b.data[:0]
		w.empty <- b
	}
}

func (w *writer) write(e *entry, data []byte) error {
	m := matchlog.Message{Time: e.at, Channel: e.channel, Data: data[e.from:e.to]}
	if e.value != nil {
		var err error
		if m, err = playback.Message(e.at, e.channel, e.value); err != nil {
			return err
		}
		m.Data = playback.CutDigits(m.Data)
	}
	return w.record.Write(m)
}

// close writes the rest and ends the goroutine.
func (w *writer) close() error {
	err := w.flush()
	close(w.full)
	<-w.done
	if err == nil {
		err = w.failed
	}
	return err
}
