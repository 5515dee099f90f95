// Package recorder records what a live program receives, sends and believes in a log, without making it wait for the disk.
package recorder

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"touchline/matchlog"
	"touchline/soccer"
)

const (
	maxQueued    = 16 << 20        // bytes that wait for a slow disk; later messages are dropped
	queuedExtra  = 64              // bytes that a queued message needs beside its data
	closePatient = 2 * time.Second // that Close waits for a disk that writes nothing
)

// Sink is what a Recorder writes to, usually a matchlog.Writer.
type Sink interface {
	// WriteAll writes messages in their order and returns how many it has written; with fewer than all an error says why.
	WriteAll(messages []matchlog.Message) (int, error)
	Close() error
}

// Recorder records messages of a live program. Its methods may be called from several goroutines; none but Close waits
// for the disk. Messages that come faster than the disk writes, or that it refuses, are dropped and counted, and a note
// in the record says where they are missing.
type Recorder struct {
	sink   Sink
	report func(text string)
	wake   chan struct{} // holds one token while messages wait, or after Close
	done   chan struct{} // closed when all is written

	mu      sync.Mutex
	queue   []matchlog.Message
	data    []byte // of the queued messages
	bytes   int    // that the queue needs
	health  Health
	missing uint64 // messages dropped since the last note
	closed  bool
}

// Health counts what a Recorder did.
type Health struct {
	Messages uint64 `json:"messages"` // written
	Bytes    uint64 `json:"bytes"`    // of their data
	Dropped  uint64 `json:"dropped"`  // messages that are missing in the record
	Error    string `json:"error"`    // why the newest of them is missing; "" where none is
}

// New returns a Recorder that writes to sink, and closes it at the end. It calls report once, from a goroutine of
// its own, when the first message is missing, with the reason; nil for nobody.
func New(sink Sink, report func(text string)) *Recorder {
	r := &Recorder{sink: sink, report: report, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go r.run()
	return r
}

// Record queues a message. It keeps nothing of m.Data.
func (r *Recorder) Record(m matchlog.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return
	case r.bytes+len(m.Data) > maxQueued:
		r.drop(1, "the disk is too slow")
		return
	}
	at := len(r.data)
	r.data = append(r.data, m.Data...) // where this takes new memory, queued messages keep the old
	m.Data = r.data[at:]
	r.enqueue(m)
}

// Packet queues a datagram for the channel matchlog.Packets. It keeps nothing of p.
func (r *Recorder) Packet(p *soccer.Packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return
	case r.bytes+len(p.Data) > maxQueued:
		r.drop(1, "the disk is too slow")
		return
	}
	at := len(r.data)
	r.data = matchlog.AppendPacket(r.data, p)
	r.enqueue(matchlog.Message{Time: p.Time, Channel: matchlog.Packets, Data: r.data[at:]})
}

// JSON queues v as JSON.
func (r *Recorder) JSON(at soccer.Time, channel string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.drop(1, fmt.Sprintf("%s: %v", channel, err))
		return
	}
	r.Record(matchlog.Message{Time: at, Channel: channel, Data: data})
}

// enqueue queues a message whose data is part of r.data; mu is held.
func (r *Recorder) enqueue(m matchlog.Message) {
	r.bytes += len(m.Data) + queuedExtra
	r.queue = append(r.queue, m)
	r.signal()
}

// drop counts messages that are not recorded; mu is held.
func (r *Recorder) drop(n uint64, why string) {
	if r.health.Dropped == 0 && r.report != nil {
		go r.report(why)
	}
	r.health.Dropped += n
	r.missing += n
	r.health.Error = why
}

func (r *Recorder) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// run writes until Close, and closes the sink.
func (r *Recorder) run() {
	defer close(r.done)
	var batch []matchlog.Message
	var data []byte
	for {
		r.mu.Lock()
		batch, r.queue = r.queue, batch[:0]
		data, r.data = r.data, data[:0]
		r.bytes = 0
		closed := r.closed
		r.mu.Unlock()
		switch {
		case len(batch) > 0:
			r.write(batch)
		case closed:
			if err := r.sink.Close(); err != nil {
				r.mu.Lock()
				r.health.Error = err.Error()
				r.mu.Unlock()
			}
			return
		default:
			<-r.wake
		}
	}
}

// write writes queued messages, and before them a note where some are missing.
func (r *Recorder) write(batch []matchlog.Message) {
	r.mu.Lock()
	missing, why := r.missing, r.health.Error
	r.missing = 0
	r.mu.Unlock()
	if missing > 0 {
		text := fmt.Appendf(nil, "%d messages before this are not recorded: %s", missing, why)
		if _, err := r.sink.WriteAll([]matchlog.Message{{Time: batch[0].Time, Channel: matchlog.Notes, Data: text}}); err != nil {
			r.mu.Lock()
			r.missing += missing
			r.mu.Unlock()
		}
	}
	for len(batch) > 0 {
		n, err := r.sink.WriteAll(batch)
		r.mu.Lock()
		for i := range batch[:n] {
			r.health.Messages, r.health.Bytes = r.health.Messages+1, r.health.Bytes+uint64(len(batch[i].Data))
		}
		if batch = batch[n:]; err != nil && len(batch) > 0 {
			r.drop(1, err.Error())
			batch = batch[1:]
		}
		r.mu.Unlock()
	}
}

// Health returns what was recorded by now.
func (r *Recorder) Health() Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.health
}

// Trouble returns in words what is missing in the record and why; "" where nothing is.
func (r *Recorder) Trouble() string {
	switch h := r.Health(); {
	case h.Dropped > 0:
		return fmt.Sprintf("%d messages are not recorded: %s", h.Dropped, h.Error)
	default:
		return h.Error
	}
}

// Close writes what is queued and closes the sink. The error says what is missing in the record. It gives up after 2 s of
// a disk that writes nothing.
func (r *Recorder) Close() error {
	r.mu.Lock()
	r.closed = true
	r.signal()
	written := r.health.Messages
	r.mu.Unlock()
	for {
		select {
		case <-r.done:
			if text := r.Trouble(); text != "" {
				return errors.New("recorder: " + text)
			}
			return nil
		case <-time.After(closePatient):
		}
		if h := r.Health(); h.Messages == written {
			return fmt.Errorf("recorder: the disk wrote nothing for %v: the last messages are not recorded", closePatient)
		} else {
			written = h.Messages
		}
	}
}
