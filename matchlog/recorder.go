package matchlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"touchline/soccer"
)

const (
	maxQueued    = 16 << 20               // bytes that wait for the disk; messages beyond them are dropped
	queuedExtra  = 64                     // bytes that a queued message takes in addition to its data
	writePeriod  = 250 * time.Millisecond // time after which a queued message is written: longer batches pack better
	writeBytes   = 1 << 20                // bytes of the queue that are written at once
	closePatient = 2 * time.Second        // time without progress after which Close gives up
)

// Sink is what a Recorder writes to, usually a Writer.
type Sink interface {
	// WriteAll writes messages in order and returns the number of written ones. If it is not all of them, the error
	// says why the next one is missing: an *fs.PathError if the disk does not take it.
	WriteAll(messages []Message) (int, error)
	Close() error
}

// Recorder queues messages and writes them to a Sink four times a second, or when a megabyte waits: a packed log has
// them in one chunk. A crash of the program loses at most the messages of the last 250 ms and those that the disk has not
// taken. Its methods may be called from any goroutine; only Close waits for the disk. If the disk is full or too slow, the
// Recorder drops messages, counts them, and writes a note where they are missing.
type Recorder struct {
	sink   Sink
	report func(text string)
	wake   chan struct{} // holds a token when the queued messages are due, and after Close
	due    *time.Timer   // wakes run writePeriod after the first queued message
	done   chan struct{} // closed when run has returned

	reports sync.WaitGroup // calls of report

	mu      sync.Mutex
	queue   []Message
	data    []byte // data of the queued messages
	bytes   int    // length of the queue
	health  Health
	missing uint64 // messages dropped since the last note in the record
	closed  bool
}

// Health counts the messages of a Recorder.
type Health struct {
	Messages uint64 `json:"messages"` // written
	Bytes    uint64 `json:"bytes"`    // bytes of their data
	Dropped  uint64 `json:"dropped"`  // messages missing in the record
	Error    string `json:"error"`    // why the newest one is missing; "" if none is
}

// NewRecorder returns a Recorder that writes to sink and closes it at the end. When the first message is dropped it calls
// report, unless that is nil, once and in a goroutine of its own, with the reason. Close waits for report to return.
func NewRecorder(sink Sink, report func(text string)) *Recorder {
	r := &Recorder{sink: sink, report: report, wake: make(chan struct{}, 1), done: make(chan struct{})}
	r.due = time.AfterFunc(writePeriod, r.signal)
	go r.run()
	return r
}

// Record queues a copy of a message.
func (r *Recorder) Record(m Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.accepts(len(m.Data)) {
		return
	}
	at := len(r.data)
	r.data = append(r.data, m.Data...) // after a reallocation queued messages keep the old memory
	m.Data = r.data[at:]
	r.enqueue(m)
}

// Packet queues a copy of a datagram for its channel, Packets or TCM.
func (r *Recorder) Packet(p *soccer.Packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.accepts(len(p.Data)) {
		return
	}
	at := len(r.data)
	r.data = AppendPacket(r.data, p)
	r.enqueue(Message{Time: p.Time, Channel: PacketChannel(p), Data: r.data[at:]})
}

// JSON queues a value as JSON.
func (r *Recorder) JSON(at soccer.Time, channel string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.drop(1, fmt.Sprintf("%s: %v", channel, err))
		return
	}
	r.Record(Message{Time: at, Channel: channel, Data: data})
}

// accepts reports whether the queue has room for a message of a length, and counts it as dropped if not. It requires r.mu.
func (r *Recorder) accepts(length int) bool {
	full := r.bytes+length > maxQueued
	if full && !r.closed {
		r.drop(1, "the disk is too slow")
	}
	return !full && !r.closed
}

// enqueue queues a message whose data is part of r.data. It requires r.mu.
func (r *Recorder) enqueue(m Message) {
	if len(r.queue) == 0 {
		r.due.Reset(writePeriod)
	}
	r.bytes += len(m.Data) + queuedExtra
	r.queue = append(r.queue, m)
	if r.bytes >= writeBytes {
		r.signal()
	}
}

// drop counts dropped messages. It requires r.mu.
func (r *Recorder) drop(n uint64, why string) {
	if r.health.Dropped == 0 && r.report != nil {
		r.reports.Go(func() { r.report(why) })
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

// run writes queued messages until Close, and closes the sink.
func (r *Recorder) run() {
	defer close(r.done)
	var batch []Message
	var data []byte
	for {
		<-r.wake
		r.mu.Lock()
		batch, r.queue = r.queue, batch[:0]
		data, r.data = r.data, data[:0]
		r.bytes = 0
		closed := r.closed
		r.mu.Unlock()
		if len(batch) > 0 {
			r.write(batch)
		}
		if !closed {
			continue
		}
		if err := r.sink.Close(); err != nil {
			r.mu.Lock()
			r.health.Error = err.Error()
			r.mu.Unlock()
		}
		return
	}
}

// write writes queued messages, after a note if messages before them are missing.
func (r *Recorder) write(batch []Message) {
	r.mu.Lock()
	missing, why := r.missing, r.health.Error
	r.missing = 0
	r.mu.Unlock()
	if missing > 0 {
		text := fmt.Appendf(nil, "%d messages before this are not recorded: %s", missing, why)
		note := Message{Time: batch[0].Time, Channel: Notes, Data: text}
		if _, err := r.sink.WriteAll([]Message{note}); err != nil {
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
			lost := 1
			if _, disk := errors.AsType[*fs.PathError](err); disk { // which does not take the rest either
				lost = len(batch)
			}
			r.drop(uint64(lost), err.Error())
			batch = batch[lost:]
		}
		r.mu.Unlock()
	}
}

// Health returns the counts so far.
func (r *Recorder) Health() Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.health
}

// Trouble describes the gaps of the record; "" if there are none.
func (r *Recorder) Trouble() string {
	switch h := r.Health(); {
	case h.Dropped > 0:
		return fmt.Sprintf("%d messages are not recorded: %s", h.Dropped, h.Error)
	default:
		return h.Error
	}
}

// Close writes the queued messages and closes the sink. The error describes the gaps of the record. Close gives up when
// the disk writes nothing for 2 s.
func (r *Recorder) Close() error {
	r.mu.Lock()
	r.closed = true
	r.signal()
	written := r.health.Messages
	r.mu.Unlock()
	for {
		select {
		case <-r.done:
			r.reports.Wait()
			if text := r.Trouble(); text != "" {
				return errors.New("matchlog: " + text)
			}
			return nil
		case <-time.After(closePatient):
		}
		if h := r.Health(); h.Messages == written {
			return fmt.Errorf("matchlog: the disk wrote nothing for %v: the last messages are missing", closePatient)
		} else {
			written = h.Messages
		}
	}
}
