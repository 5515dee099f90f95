package matchlog

import (
	"iter"
	"path/filepath"

	"touchline/matchlog/index"
	"touchline/soccer"
)

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
	list *index.List
}

// NewSorter returns an empty Sorter.
func (l *Log) NewSorter() *Sorter { return &Sorter{l, index.New(filepath.Dir(l.path))} }

// Add adds the message at a place, or a gap for the zero Place. at sorts them; where it is equal, the order of the file
// does.
func (s *Sorter) Add(at soccer.Time, p Place) {
	s.list.Insert(index.Entry{Time: at, Offset: p.offset, Length: p.length})
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
