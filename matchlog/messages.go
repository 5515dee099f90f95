package matchlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/foxglove/mcap/go/mcap"

	"touchline/soccer"
)

// wanted returns a filter for channels; without names it passes all of them. It requires l.mu.
func (l *Log) wanted(channels []string) func(uint16) bool {
	if len(channels) == 0 {
		return func(uint16) bool { return true }
	}
	in := make([]bool, len(l.all.channels))
	for i, name := range l.all.channels {
		in[i] = slices.Contains(channels, name)
	}
	return func(c uint16) bool { return in[c] }
}

// Messages yields the messages of the channels, or of all channels, from a time on (0: from the first) to before
// another (0: to the end), sorted by Time; messages of one time keep the order of the file. A message's Data is valid
// until the next message. Messages waits until the log is indexed. An error ends it.
func (l *Log) Messages(from, to soccer.Time, channels ...string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		<-l.done
		l.messages(from, to, channels)(yield)
	}
}

// messages yields the messages that are indexed now.
func (l *Log) messages(from, to soccer.Time, channels []string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		var buf []byte
		for e := range l.entries(from, to, channels) {
			m, err := l.message(&e, &buf)
			if l.skip(err) {
				continue
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// Ahead yields what Messages yields, of which another goroutine reads and unpacks the next ones meanwhile: unpacking takes
// much of the time of reading a long log. A message's Data is read-only and stays valid; those of a packed log keep all of
// their chunk in memory.
func (l *Log) Ahead(from, to soccer.Time, channels ...string) iter.Seq2[Message, error] {
	return Ahead(func(yield func(Message, error) bool) {
		<-l.done
		for e := range l.entries(from, to, channels) {
			m, err := l.message(&e, nil)
			if l.skip(err) {
				continue
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}, func(m Message) int { return len(m.Data) })
}

// aheadBytes is how much of a sequence Ahead hands over at a time; it keeps three times as much.
const aheadBytes = 1 << 20

// Ahead yields what a sequence yields, up to its first error. Another goroutine runs the sequence some values ahead, and has
// ended when Ahead does. size is the length of a value in bytes.
func Ahead[T any](all iter.Seq2[T, error], size func(T) int) iter.Seq2[T, error] {
	type batch struct {
		values []T
		err    error
	}
	return func(yield func(T, error) bool) {
		ready, stop := make(chan batch, 1), make(chan struct{})
		go func() {
			defer close(ready)
			var now batch
			held := 0
			send := func() bool {
				select {
				case ready <- now:
					now, held = batch{values: make([]T, 0, len(now.values))}, 0
					return true
				case <-stop:
					return false
				}
			}
			for v, err := range all {
				if now.err = err; err != nil {
					break
				}
				now.values = append(now.values, v)
				if held += size(v); held >= aheadBytes && !send() {
					return
				}
			}
			send()
		}()
		defer func() {
			close(stop)
			for range ready {
			}
		}()
		for b := range ready {
			for _, v := range b.values {
				if !yield(v, nil) {
					return
				}
			}
			if b.err != nil {
				var none T
				yield(none, b.err)
				return
			}
		}
	}
}

// Merge yields what Messages of each log yields, sorted by Time; of messages of one time, those of the first log come
// first. A message's Data is valid until the next message of its log.
func Merge(logs []*Log, from, to soccer.Time) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		type head struct {
			m    Message
			next func() (Message, error, bool)
		}
		var heads []head
		for _, l := range logs {
			next, stop := iter.Pull2(l.Messages(from, to))
			defer stop()
			m, err, ok := next()
			if err != nil {
				yield(m, err)
				return
			}
			if ok {
				heads = append(heads, head{m, next})
			}
		}
		for len(heads) > 0 {
			k := 0
			for i := range heads {
				if heads[i].m.Time < heads[k].m.Time {
					k = i
				}
			}
			if !yield(heads[k].m, nil) {
				return
			}
			m, err, ok := heads[k].next()
			if err != nil {
				yield(m, err)
				return
			}
			if heads[k].m = m; !ok {
				heads = slices.Delete(heads, k, k+1)
			}
		}
	}
}

// SkipDamage lets Messages leave out messages in damaged chunks, for which Loss then has a text, where it would end with an
// error.
func (l *Log) SkipDamage() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.skips = true
}

// skip reports whether Messages goes on behind an error of reading a message.
func (l *Log) skip(err error) bool {
	if !errors.Is(err, ErrDamaged) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.skips {
		l.lose("%s: its messages are left out", strings.TrimPrefix(err.Error(), l.path+": matchlog: "))
	}
	return l.skips
}

// entries yields the places of messages that are indexed now.
func (l *Log) entries(from, to soccer.Time, channels []string) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		var batch [128]entry
		next := entry{time: from, offset: math.MinInt64}
		if from == 0 {
			next.time = math.MinInt64
		}
		for more := true; more; {
			n := 0
			l.mu.Lock()
			wanted := l.wanted(channels)
			i := l.index.search(next.time, next.offset)
			for more = false; i < l.index.length; i++ {
				e := l.index.at(i)
				if to != 0 && e.time >= to {
					break
				}
				if n == len(batch) {
					next, more = e, true
					break
				}
				if wanted(e.channel) {
					batch[n] = e
					n++
				}
			}
			l.mu.Unlock()
			for _, e := range batch[:n] {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// message reads a message into buf. Without buf its Data stays valid, and is read-only.
func (l *Log) message(e *entry, buf *[]byte) (Message, error) {
	b, err := l.record(e, buf)
	if err != nil {
		return Message{}, err
	}
	body := b[recordHead:]
	if l.copy != nil {
		body = body[:len(body)-placeLength]
	}
	id := int(binary.LittleEndian.Uint16(body))
	whole := mcap.OpCode(b[0]) == mcap.OpMessage && binary.LittleEndian.Uint64(b[1:]) == uint64(len(body)) && intact(body)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !whole || id < 1 || id > len(l.all.channels) {
		return Message{}, fmt.Errorf("matchlog: byte %d of %s was overwritten: open the log again", e.offset, l.path)
	}
	m := Message{
		Time: timeAt(body[6:]), Published: timeAt(body[14:]), Channel: l.all.channels[id-1], offset: e.offset,
		Data: l.all.data(uint16(id), body),
	}
	switch {
	case l.copy != nil:
		m.Source = l.source(b[len(b)-placeLength:])
	case e.offset&inChunk == 0:
		m.Source.Offset = e.offset + recordHead + int64(len(body)-len(m.Data))
	}
	return m, nil
}

// record reads the record of a message into buf, or without buf into memory that stays; in a converted log with its place.
func (l *Log) record(e *entry, buf *[]byte) ([]byte, error) {
	if e.offset&inChunk != 0 {
		b, err := l.packed.record(e.offset)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.path, err)
		}
		if buf == nil {
			return b, nil
		}
		*buf = append((*buf)[:0], b...)
		return *buf, nil
	}
	if buf == nil {
		buf = new([]byte)
	}
	n := recordHead + messageHead + int(e.length)
	if l.copy != nil {
		n += placeLength
	}
	if cap(*buf) < n {
		*buf = make([]byte, n, n+n/4)
	}
	b := (*buf)[:n]
	if _, err := l.data.ReadAt(b, e.offset); err != nil {
		return nil, fmt.Errorf("matchlog: byte %d of %s cannot be read: %w", e.offset, l.path, err)
	}
	return b, nil
}

// Last returns the newest message of a channel at or before a time, and whether there is one. The caller owns its Data.
// Last waits until the log is indexed.
func (l *Log) Last(channel string, at soccer.Time) (Message, bool, error) {
	<-l.done
	return l.newest(channel, at, 0, nil)
}
