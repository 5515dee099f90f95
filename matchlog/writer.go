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

// After the first Sync the Writer keeps zeros behind the last record. A Sync then changes neither the file's size nor
// its blocks and does not wait for the file system's journal (BenchmarkSync measures it). Writing zeros itself slows a
// Sync down, so the Writer does it rarely and in pieces: as many zeros as there are records, within these bounds.
const (
	aheadFirst = 4 << 20 // bytes
	aheadMost  = 32 << 20
	aheadPiece = 1 << 20
	maxPiece   = 256 << 10 // bytes of one write, unless a single message is longer
)

var zeros [aheadPiece]byte

// Errors of writing a log.
var (
	ErrFinished = errors.New("matchlog: the log is finished: start a new one")
	ErrClosed   = errors.New("matchlog: the log is closed")
	ErrBusy     = errors.New("matchlog: another program writes this log: stop it first")
)

// Writer writes a log. Its methods may be called from any goroutine.
type Writer struct {
	path string
	f    *os.File
	torn string // see Torn

	mu        sync.Mutex
	all       contents
	declared  map[string]Schema // of channels
	buf       []byte
	end       int64 // of the records
	ahead     int64 // of the zeros; end if there are none
	syncs     bool  // Sync was called: zeros are wanted
	retry     int64 // the disk was full: no zeros before end is here
	extending bool
	named     bool // the directory entry is on the disk
	closed    bool
	idle      sync.Cond // extending became false
}

// Create creates a log with mode 0644. The file must not exist, and its folder must. Create does not wait for the disk;
// the first Sync does.
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

// Write appends a message. When it returns, the operating system has the message, which survives a crash of the
// program. After an error the file contains nothing of the message and all earlier messages, and Write may be retried.
// It neither waits for the disk nor allocates.
func (w *Writer) Write(m Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.writePiece([]Message{m})
	return err
}

// WriteAll appends messages with few system calls. It returns the number of written messages and, if that is not all of
// them, why the next one was not written.
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

// writePiece appends the first messages with one system call and returns their number. The first message of a channel
// is written alone. It requires w.mu.
func (w *Writer) writePiece(messages []Message) (n int, err error) {
	b := w.buf[:0]
	for ; n < len(messages); n++ {
		m := &messages[n]
		id, known := w.all.ids[m.Channel]
		if n > 0 && (!known || len(b)+len(m.Data) > maxPiece) {
			break
		}
		if len(m.Data) > MaxData {
			return 0, fmt.Errorf("matchlog: %d bytes on channel %s: the limit is %d", len(m.Data), m.Channel, MaxData)
		}
		if !known {
			if err := checkChannel(m.Channel, len(w.all.channels)); err != nil {
				return 0, err
			}
			id = uint16(len(w.all.channels) + 1)
			schema := uint16(0)
			if s, ok := w.declared[m.Channel]; ok {
				schema = uint16(len(w.all.schemas) + 1)
				b = appendSchema(b, schema, s)
			}
			b = appendMessage(appendChannel(b, id, schema, m.Channel), id, m)
			n = 1
			break
		}
		b = appendMessage(b, id, m)
	}
	if cap(b) <= maxPiece { // the buffer of a rare long message is not kept
		w.buf = b
	}
	if err := w.put(b); err != nil {
		return 0, err
	}
	for i := range messages[:n] {
		m := &messages[i]
		id, known := w.all.ids[m.Channel]
		if !known {
			schema := uint16(0)
			if s, ok := w.declared[m.Channel]; ok {
				w.all.schemas = append(w.all.schemas, s)
				schema = uint16(len(w.all.schemas))
			}
			id = w.all.addChannel(m.Channel, schema)
		}
		w.all.count(id, m.Time)
	}
	return n, nil
}

// Schema describes the messages of a channel for other programs.
type Schema struct {
	Name string // "foxglove.SceneUpdate"
	Data []byte // JSON Schema
}

// Declare sets the schema of a channel. A channel that has a message already keeps its own.
func (w *Writer) Declare(channel string, s Schema) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.declared == nil {
		w.declared = map[string]Schema{}
	}
	w.declared[channel] = s
}

func checkChannel(name string, have int) error {
	if have >= maxChannels || len(name) == 0 || len(name) > maxName {
		return fmt.Errorf("matchlog: channel %.40q: want a name of 1 to %d bytes, and %d channels at most",
			name, maxName, maxChannels)
	}
	return nil
}

// put writes b behind the last record. It requires w.mu.
func (w *Writer) put(b []byte) error {
	if w.closed {
		return ErrClosed
	}
	if _, err := w.f.WriteAt(b, w.end); err != nil {
		w.f.Truncate(w.end) // if this fails too, the next record overwrites the rest; checksums reveal the remains
		w.ahead, w.retry = w.end, w.end+aheadPiece
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			err = fmt.Errorf("%w: free space on the disk", err)
		}
		return fmt.Errorf("matchlog: %w; the log is whole up to here", err)
	}
	w.end += int64(len(b))
	w.ahead = max(w.ahead, w.end)
	if w.syncs && !w.extending && w.ahead-w.end < w.wanted()/4 && w.end >= w.retry {
		w.extending = true
		go w.extend()
	}
	return nil
}

// wanted returns the number of zeros to keep. It requires w.mu.
func (w *Writer) wanted() int64 { return min(max(aheadFirst, w.end), aheadMost) }

// extend writes zeros behind the last record, piece by piece.
func (w *Writer) extend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.closed && w.ahead-w.end < w.wanted() {
		n, err := w.f.WriteAt(zeros[:], w.ahead)
		w.ahead += int64(n)
		if err != nil { // writing records still works
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

// WriteMeta adds keys to the metadata, for example the names of teams that connected later.
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

// Sync waits until all written messages are on the disk.
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
		return fmt.Errorf("matchlog: %s: the disk does not confirm the written data: %w", w.path, err)
	}
	if named {
		return nil
	}
	if dir, err := os.Open(filepath.Dir(w.path)); err == nil { // syncs the directory entry
		dir.Sync()
		dir.Close()
	}
	w.mu.Lock()
	w.named = true
	w.mu.Unlock()
	return nil
}

// InPlace reports whether the written file is still at its path: neither the file nor its folder was removed or moved.
func (w *Writer) InPlace() bool {
	is, err := w.f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(w.path)
	return err == nil && os.SameFile(is, there)
}

// Path returns the path of the log.
func (w *Writer) Path() string { return w.path }

// Size returns the length of the written records in bytes.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end
}

// Close finishes the log, to which nothing can be appended then, and waits until it is on the disk.
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
		return fmt.Errorf("matchlog: %s cannot be finished, but can be read: %w", w.path, err)
	}
	return nil
}

// Abandon closes the file without finishing the log. Append can continue it.
func (w *Writer) Abandon() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	w.stop()
	return errors.Join(w.f.Truncate(w.end), w.f.Close())
}

// stop ends writing and waits until extend has returned. It requires w.mu.
func (w *Writer) stop() {
	w.closed = true
	for w.extending {
		w.idle.Wait()
	}
}
