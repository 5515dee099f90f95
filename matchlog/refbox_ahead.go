package matchlog

import "iter"

// batchBytes is the text after which a batch of items goes to the reader of a file.
const batchBytes = 64 << 10

// batch holds consecutive items of a file with a text of their own, and what is known of the file behind them.
type batch struct {
	items []item
	text  []byte
	info  FileInfo
	// New ones.
	notes, losses []string
}

// add copies an item, which is valid until the next one of its file.
func (b *batch) add(it *item) {
	if b.text == nil {
		b.text = make([]byte, 0, batchBytes+batchBytes/8)
	}
	at := len(b.text)
	b.text = append(b.text, it.data...)
	b.items = append(b.items, *it)
	b.items[len(b.items)-1].data = b.text[at:len(b.text):len(b.text)]
}

// ahead decodes the items of a file on a goroutine of its own, at most three batches ahead of next. next returns nil
// after the last item. stop ends the goroutine and waits for it.
func (s *source) ahead(items iter.Seq[*item]) (next func() *item, stop func()) {
	batches, quit := make(chan *batch, 2), make(chan struct{})
	go func() {
		defer close(batches)
		b := &batch{}
		send := func() bool {
			b.info, b.notes, b.losses, s.notes, s.losses = s.info, s.notes, s.losses, nil, nil
			select {
			case batches <- b:
				b = &batch{}
				return true
			case <-quit:
				return false
			}
		}
		for it := range items {
			if b.add(it); len(b.text) >= batchBytes && !send() {
				return
			}
		}
		send()
	}()
	var left []item
	next = func() *item {
		for len(left) == 0 {
			b, more := <-batches
			if !more {
				return nil
			}
			left = b.items
			s.tell(b)
		}
		it := &left[0]
		left = left[1:]
		return it
	}
	return next, func() {
		close(quit)
		for range batches {
		}
	}
}

// tell passes what a batch tells of the file to the log.
func (s *source) tell(b *batch) {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	if s.number > 0 {
		s.l.files[s.number-1] = b.info
	}
	for _, text := range b.losses {
		s.l.lose("%s: %s", b.info.Name, text)
	}
	for _, text := range b.notes {
		s.l.note("%s: %s", b.info.Name, text)
	}
}
