package matchlog

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"slices"

	"touchline/soccer"
)

// after returns the first position in the index at or after a time and offset. It requires l.mu.
func (l *Log) after(t soccer.Time, offset int64) int {
	if l.index.Sort() != nil {
		return l.index.Len()
	}
	return l.index.Search(Entry{Time: t, Offset: offset})
}

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
		for e, err := range l.entries(from, to, channels) {
			m := Message{}
			if err == nil {
				m, err = l.message(e.Offset, e.Length, &buf)
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// entries yields the places of messages that are indexed now.
func (l *Log) entries(from, to soccer.Time, channels []string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var batch [128]Entry
		if from == 0 {
			from = math.MinInt64
		}
		next := Entry{Time: from, Offset: -1 << 62}
		for more := true; more; {
			n := 0
			l.mu.Lock()
			wanted := l.wanted(channels)
			i := l.after(next.Time, next.Offset)
			for more = false; i < l.index.Len(); i++ {
				e := l.index.At(i)
				if to != 0 && e.Time >= to {
					break
				}
				if n == len(batch) {
					next, more = e, true
					break
				}
				if wanted(e.Channel) {
					batch[n] = e
					n++
				}
			}
			err := l.index.Err()
			l.mu.Unlock()
			for _, e := range batch[:n] {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

// message reads the message with a record at an offset and data of a length into buf.
func (l *Log) message(offset int64, length uint32, buf *[]byte) (Message, error) {
	b, err := l.record(offset, length, buf)
	if err != nil {
		return Message{}, err
	}
	body := b[RecordHead:]
	if l.copy != nil {
		body = body[:len(body)-placeLength]
	}
	id := int(binary.LittleEndian.Uint16(body))
	whole := b[0] == OpMessage && binary.LittleEndian.Uint64(b[1:]) == uint64(len(body)) &&
		binary.LittleEndian.Uint32(body[2:]) == Checksum(body)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !whole || id < 1 || id > len(l.all.channels) {
		return Message{}, fmt.Errorf("matchlog: byte %d of %s was overwritten: open the log again", offset, l.path)
	}
	m := Message{
		Time: timeAt(body[6:]), Published: timeAt(body[14:]), Channel: l.all.channels[id-1], Data: body[MessageHead:],
		offset: offset,
	}
	switch {
	case l.copy != nil:
		m.Source = l.source(b[len(b)-placeLength:])
	case !Packed(offset):
		m.Source.Offset = offset + RecordHead + MessageHead
	}
	return m, nil
}

// record reads the record of a message into buf; in a converted log with its place.
func (l *Log) record(offset int64, length uint32, buf *[]byte) ([]byte, error) {
	if Packed(offset) {
		b, err := l.packed.Record(McapPlace(offset))
		if err == nil && len(b) < RecordHead+MessageHead {
			err = ErrDamaged
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.path, err)
		}
		*buf = append((*buf)[:0], b...)
		return *buf, nil
	}
	n := RecordHead + MessageHead + int(length)
	if l.copy != nil {
		n += placeLength
	}
	if cap(*buf) < n {
		*buf = make([]byte, n, n+n/4)
	}
	b := (*buf)[:n]
	if _, err := l.data.ReadAt(b, offset); err != nil {
		return nil, fmt.Errorf("matchlog: byte %d of %s cannot be read: %w", offset, l.path, err)
	}
	return b, nil
}

// Last returns the newest message of a channel at or before a time, and whether there is one. The caller owns its Data.
// Last waits until the log is indexed.
func (l *Log) Last(channel string, at soccer.Time) (Message, bool, error) {
	<-l.done
	return l.newest(channel, at, 0, nil)
}

// Place is where a log holds a message. The zero Place holds none.
type Place struct {
	offset int64
	length uint32
}

// Place returns the place of a message that a Log yielded.
func (m *Message) Place() Place { return Place{m.offset, uint32(len(m.Data))} }

// Sorter yields messages of a log in an order of their own. Its memory is bounded, whatever it sorts. Close it after
// use.
type Sorter struct {
	l    *Log
	list *List
}

// NewSorter returns an empty Sorter.
func (l *Log) NewSorter() *Sorter { return &Sorter{l, New(filepath.Dir(l.path))} }

// Add adds the message at a place, or a gap for the zero Place. at sorts them; where it is equal, the order of the file
// does.
func (s *Sorter) Add(at soccer.Time, p Place) {
	s.list.Insert(Entry{Time: at, Offset: p.offset, Length: p.length})
}

// Messages yields the messages in their order. A gap is a Message without a Channel whose Published is the time given
// to Add. A message's Data is valid until the next message. An error ends it.
func (s *Sorter) Messages() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		var buf []byte
		err := s.list.Sort()
		for i := 0; i < s.list.Len() && err == nil; i++ {
			e := s.list.At(i)
			m := Message{Time: e.Time, Published: e.Time}
			if err = s.list.Err(); err == nil && e.Offset != 0 {
				m, err = s.l.message(e.Offset, e.Length, &buf)
			}
			if err == nil && !yield(m, nil) {
				return
			}
		}
		if err != nil {
			yield(Message{}, err)
		}
	}
}

// Close removes temporary data.
func (s *Sorter) Close() { s.list.Close() }
