package matchlog

import (
	"io"
	"iter"
	"sync/atomic"
)

// batchBytes is the text after which a batch of items goes to the reader of a file.
const batchBytes = 64 << 10

// batch holds consecutive items of a file with a text of their own.
type batch struct {
	items []item
	text  []byte
	notes []func(*Log, *FileInfo)
}

// add copies an item, which is valid until the next one of its file.
func (b *batch) add(it *item) {
	at := len(b.text)
	b.text = append(b.text, it.data...)
	b.items = append(b.items, *it)
	b.items[len(b.items)-1].data = b.text[at:len(b.text):len(b.text)]
}

// ahead decodes the items of a file on a goroutine of its own, at most three batches ahead of next. next returns nil
// after the last item. An item is valid until the next one. stop ends the goroutine and waits for it.
func (s *source) ahead(items iter.Seq[*item]) (next func() *item, stop func()) {
	full, quit := make(chan *batch, 1), make(chan struct{})
	empty := make(chan *batch, 3)
	for range cap(empty) {
		empty <- &batch{}
	}
	go s.fill(items, empty, full, quit)
	var b *batch
	n := 0
	next = func() *item {
		for b == nil || n == len(b.items) {
			if b != nil {
				empty <- b
			}
			var more bool
			if b, more = <-full; !more {
				return nil
			}
			n = 0
			s.tell(b.notes)
		}
		n++
		return &b.items[n-1]
	}
	return next, func() {
		close(quit)
		for range full {
		}
	}
}

// fill sends the items of a file in batches, and its notes with the items before them.
func (s *source) fill(items iter.Seq[*item], empty <-chan *batch, full chan<- *batch, quit <-chan struct{}) {
	defer close(full)
	b := <-empty
	send := func() bool {
		b.notes, s.notes = s.notes, nil
		select {
		case full <- b:
			return true
		case <-quit:
			return false
		}
	}
	for it := range items {
		if b.add(it); len(b.text) < batchBytes {
			continue
		}
		if !send() {
			return
		}
		select {
		case b = <-empty:
			*b = batch{items: b.items[:0], text: b.text[:0]}
		case <-quit:
			return
		}
	}
	send()
}

// tell adds notes to the log.
func (s *source) tell(notes []func(*Log, *FileInfo)) {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	for _, note := range notes {
		note(s.l, &s.l.files[s.number-1])
	}
}

// counting is a reader that counts its bytes.
type counting struct {
	io.Reader
	n *atomic.Int64
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n.Add(int64(n))
	return n, err
}
