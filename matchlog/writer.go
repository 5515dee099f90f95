package matchlog

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// Zeros are written ahead of the end once somebody calls Sync, so that a Sync changes neither the file's size nor its
// blocks and need not wait for the file system's journal (BenchmarkSync has the figures). While they are written a Sync
// has to wait for it after all: so they are written seldom, as many as there are records already between these bounds, and
// in pieces.
const (
	aheadFirst = 4 << 20 // bytes
	aheadMost  = 32 << 20
	aheadPiece = 1 << 20
	maxPiece   = 256 << 10 // bytes that are written at once, unless one message has more
)

var zeros [aheadPiece]byte

// Errors of writing a log.
var (
	ErrFinished = errors.New("matchlog: the log is finished: begin another")
	ErrClosed   = errors.New("matchlog: the log is closed")
	ErrBusy     = errors.New("matchlog: another program writes this log: end it first")
)

// Writer writes a log. Its methods may be called from several goroutines.
type Writer struct {
	path string
	f    *os.File
	torn string // what Append cut off beyond the last record, in words

	mu        sync.Mutex
	all       contents
	buf       []byte
	end       int64 // of the records
	ahead     int64 // of the zeros behind them; end where there are none
	syncs     bool  // somebody calls Sync: zeros are wanted
	retry     int64 // no zeros before end is here: the disk was full
	extending bool
	named     bool // its name is on the disk
	closed    bool
	idle      sync.Cond // extending became false
}

// Create begins a log in a file that does not exist yet; its folder does. The file's mode is 0644. It does not wait for
// the disk: the first Sync does.
func Create(path string, meta map[string]string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("matchlog: %w", err)
	}
	w, err := newWriter(path, f)
	if err == nil {
		err = w.put(appendFileHead(nil))
	}
	if err == nil {
		err = w.WriteMeta(meta)
	}
	if err != nil {
		f.Close()
		os.Remove(path)
		return nil, err
	}
	return w, nil
}

func newWriter(path string, f *os.File) (*Writer, error) {
	w := &Writer{path: path, f: f}
	w.idle.L = &w.mu
	if err := lock(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, ErrBusy)
	}
	return w, nil
}

// Write appends a message. When it returns, the message is in the operating system's hands: what kills the program does
// not lose it. After an error nothing of the message is in the file, what was written before is whole, and Write may be
// tried again. It neither waits for the disk nor takes memory.
func (w *Writer) Write(m Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.writePiece([]Message{m})
	return err
}

// WriteAll appends messages in few pieces, and returns how many are in the file: all of them, or the first ones and an
// error that says why the next is not.
func (w *Writer) WriteAll(messages []Message) (written int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for written < len(messages) {
		n, err := w.writePiece(messages[written:])
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// writePiece appends the first messages in one piece, and returns how many; mu is held. The first message of a channel is
// a piece by itself.
func (w *Writer) writePiece(messages []Message) (n int, err error) {
	b := w.buf[:0]
	for ; n < len(messages); n++ {
		m := &messages[n]
		id, known := w.all.ids[m.Channel]
		if n > 0 && (!known || len(b)+len(m.Data) > maxPiece) {
			break
		}
		if len(m.Data) > MaxData {
			return 0, fmt.Errorf("matchlog: a message of %d bytes for %s: a log takes %d at most", len(m.Data), m.Channel, MaxData)
		}
		if !known {
			if err := checkChannel(m.Channel, len(w.all.channels)); err != nil {
				return 0, err
			}
			id = uint16(len(w.all.channels) + 1)
			b = appendMessage(appendChannel(b, id, m.Channel), id, m)
			n = 1
			break
		}
		b = appendMessage(b, id, m)
	}
	if cap(b) <= maxPiece { // a rare large message does not stay
		w.buf = b
	}
	if err := w.put(b); err != nil {
		return 0, err
	}
	for i := range messages[:n] {
		m := &messages[i]
		id, known := w.all.ids[m.Channel]
		if !known {
			id = w.all.add(m.Channel)
		}
		w.all.count(id, m.Time)
	}
	return n, nil
}

func checkChannel(name string, have int) error {
	if have >= maxChannels || len(name) == 0 || len(name) > maxName {
		return fmt.Errorf("matchlog: channel %.40q: names have 1 to %d bytes, and a log %d channels at most", name, maxName, maxChannels)
	}
	return nil
}

// put writes b behind the last record; mu is held.
func (w *Writer) put(b []byte) error {
	if w.closed {
		return ErrClosed
	}
	if _, err := w.f.WriteAt(b, w.end); err != nil {
		w.f.Truncate(w.end) // where this fails too, the next record is written over the rest, and its sum tells what follows apart
		w.ahead, w.retry = w.end, w.end+aheadPiece
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			err = fmt.Errorf("%w: make room on the disk", err)
		}
		return fmt.Errorf("matchlog: %w; what was written is whole", err)
	}
	w.end += int64(len(b))
	w.ahead = max(w.ahead, w.end)
	if w.syncs && !w.extending && w.ahead-w.end < w.wanted()/4 && w.end >= w.retry {
		w.extending = true
		go w.extend()
	}
	return nil
}

// wanted returns how many zeros are to stand ahead; mu is held.
func (w *Writer) wanted() int64 { return min(max(aheadFirst, w.end), aheadMost) }

// extend writes zeros ahead of the end, piece by piece.
func (w *Writer) extend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.closed && w.ahead-w.end < w.wanted() {
		n, err := w.f.WriteAt(zeros[:], w.ahead)
		w.ahead += int64(n)
		if err != nil { // no reason to trouble anybody yet
			w.retry = w.end + aheadPiece
			break
		}
		w.mu.Unlock()
		dataSync(w.f)
		w.mu.Lock()
	}
	w.extending = false
	w.idle.Broadcast()
}

// WriteMeta adds what became known later, such as the teams' names, to what the log says of itself.
func (w *Writer) WriteMeta(meta map[string]string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := maps.Clone(w.all.meta)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, meta)
	b, err := appendMetadata(nil, all)
	if err != nil {
		return err
	}
	at := span{w.end, int64(len(b))}
	if err := w.put(b); err != nil {
		return err
	}
	w.all.meta = all
	w.all.metadata = append(w.all.metadata, at)
	return nil
}

// Sync returns when what Write took is on the disk.
func (w *Writer) Sync() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	w.syncs = true
	named := w.named
	w.mu.Unlock()
	if err := dataSync(w.f); err != nil {
		return fmt.Errorf("matchlog: %s: the disk does not confirm: %w", w.path, err)
	}
	if named {
		return nil
	}
	if dir, err := os.Open(filepath.Dir(w.path)); err == nil { // its name is on the disk too, where a folder can be synced
		dir.Sync()
		dir.Close()
	}
	w.mu.Lock()
	w.named = true
	w.mu.Unlock()
	return nil
}

// InPlace reports whether the file that is written is still the one that stands where the log is: nobody has removed or
// moved it, or its folder.
func (w *Writer) InPlace() bool {
	is, err := w.f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(w.path)
	return err == nil && os.SameFile(is, there)
}

// Path returns where the log is.
func (w *Writer) Path() string { return w.path }

// Size returns how many bytes of the file are written.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end
}

// Close finishes the log: nothing can be appended any more. It is on the disk then.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	w.stop()
	err := w.f.Truncate(w.end)
	w.ahead, w.syncs = w.end, false
	if err == nil {
		w.closed = false
		err = w.put(w.all.appendEnd(nil, w.end))
		w.closed = true
	}
	if err == nil {
		err = w.f.Sync()
	}
	if e := w.f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("matchlog: %s is not finished, but can be read: %w", w.path, err)
	}
	return nil
}

// Abandon closes the file without finishing the log: Append goes on with it.
func (w *Writer) Abandon() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	w.stop()
	return errors.Join(w.f.Truncate(w.end), w.f.Close())
}

// stop waits until nobody extends the file; mu is held.
func (w *Writer) stop() {
	w.closed = true
	for w.extending {
		w.idle.Wait()
	}
}
