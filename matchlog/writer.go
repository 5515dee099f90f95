package matchlog

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
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
	declared  map[string]Schema // schemas by channel
	chunks    *chunkWriter      // packs messages; nil unless the log is packed
	buf       []byte
	end       int64 // where the records end
	ahead     int64 // where the zeros end; equals end if there are none
	syncs     bool  // Sync was called: zeros are wanted
	retry     int64 // the disk was full: no zeros before end is here
	extending bool
	named     bool // the directory entry is on the disk
	closed    bool
	idle      sync.Cond // extending became false
}

// Create creates a log with mode 0644. The file must not exist, and its folder must. Create does not wait for the disk;
// the first Sync does. Names of captures and zips are refused: other programs would not read an MCAP file of that name.
func Create(path string, meta map[string]string) (*Writer, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".pcap", ".pcapng", ".cap", ".zip":
		return nil, fmt.Errorf("matchlog: a log is an MCAP file, and %s is the name of another format: end it with .mcap", ext)
	}
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

// CreatePacked is Create for a log whose messages are compressed in chunks, a fifth to a tenth as long. Write gives the
// operating system chunks of 4 MiB, some seconds of a match: a crash of the program or an error of the disk loses the
// newest one, which Write has accepted. WriteAll ends the chunk: when it returns, the operating system has the messages.
// Append does not continue a packed log.
func CreatePacked(path string, meta map[string]string) (*Writer, error) {
	w, err := Create(path, meta)
	if err == nil {
		w.chunks = newChunkWriter()
	}
	return w, err
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
// program; CreatePacked says what holds for packed logs. After an error the file contains nothing of the message and all
// earlier messages, and Write may be retried. It neither waits for the disk nor allocates.
func (w *Writer) Write(m Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.chunks != nil {
		return w.pack(&m)
	}
	_, err := w.writePiece([]Message{m})
	return err
}

// WriteAll appends messages with few system calls. It returns the number of written messages and, if that is not all of
// them, why the next one was not written. The operating system has the written messages, also those of a packed log.
func (w *Writer) WriteAll(messages []Message) (written int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.chunks != nil {
		return w.packAll(messages)
	}
	for written < len(messages) {
		n, err := w.writePiece(messages[written:])
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
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

// check refuses a message that a log cannot hold.
func (w *Writer) check(m *Message, known bool) error {
	if len(m.Data) > maxData {
		return fmt.Errorf("matchlog: %d bytes on channel %s: the limit is %d", len(m.Data), m.Channel, maxData)
	}
	if !known {
		return w.all.checkChannel(m.Channel)
	}
	return nil
}

// appendDeclaration appends the records that declare a new channel, and returns its number. It requires w.mu.
func (w *Writer) appendDeclaration(b []byte, channel string) ([]byte, uint16) {
	id, schema := uint16(len(w.all.channels)+1), uint16(0)
	if s, ok := w.schema(channel); ok {
		schema = uint16(len(w.all.schemas) + 1)
		b = appendSchema(b, schema, &s)
	}
	return appendChannel(b, id, schema, channel, isWrapped(channel)), id
}

// addChannel counts a channel that was declared in the file. It requires w.mu.
func (w *Writer) addChannel(channel string) uint16 {
	schema := uint16(0)
	if s, ok := w.schema(channel); ok {
		w.all.schemas = append(w.all.schemas, s)
		schema = uint16(len(w.all.schemas))
	}
	return w.all.addChannel(channel, schema, isWrapped(channel))
}

// schema returns the schema of a new channel, if it has one.
func (w *Writer) schema(channel string) (s Schema, ok bool) {
	if isWrapped(channel) {
		return wrapping(channel), true
	}
	s, ok = w.declared[channel]
	return s, ok
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
		if err := w.check(m, known); err != nil {
			return 0, err
		}
		if !known {
			b, id = w.appendDeclaration(b, m.Channel)
			b = appendMessage(b, id, m, isWrapped(m.Channel))
			n = 1
			break
		}
		b = appendMessage(b, id, m, w.all.wrapped[id-1])
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
			id = w.addChannel(m.Channel)
		}
		w.all.count(id, m.Time)
	}
	return n, nil
}

// pack adds a message to the chunk, and writes the chunk if it is full. It requires w.mu.
func (w *Writer) pack(m *Message) error {
	id, known := w.all.ids[m.Channel]
	if err := w.check(m, known); err != nil {
		return err
	}
	if w.closed {
		return ErrClosed
	}
	if !known {
		b, _ := w.appendDeclaration(nil, m.Channel)
		if err := w.put(b); err != nil {
			return err
		}
		id = w.addChannel(m.Channel)
	}
	w.buf = appendMessage(w.buf[:0], id, m, w.all.wrapped[id-1])
	if full := w.chunks.add(id, m.Time, w.buf); full {
		return w.seal()
	}
	return nil
}

// packAll adds messages to the chunk and writes it. It requires w.mu.
func (w *Writer) packAll(messages []Message) (written int, err error) {
	for i := range messages {
		if err = w.pack(&messages[i]); err != nil {
			messages = messages[:i]
			break
		}
		if w.chunks.empty() { // it was full
			written = i + 1
		}
	}
	if !w.chunks.empty() {
		if err := w.seal(); err != nil {
			return written, err
		}
		written = len(messages)
	}
	return written, err
}

// seal writes the chunk of a packed log, if it has messages. An error loses them. It requires w.mu.
func (w *Writer) seal() error {
	if w.chunks.empty() {
		return nil
	}
	var index []byte
	w.buf, index = w.chunks.appendChunk(w.buf[:0], w.end)
	err := w.put(w.buf)
	if err == nil {
		w.chunks.count(&w.all, index)
	}
	w.chunks.clear()
	return err
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
	b, err := appendMetadata(nil, profile, all)
	if err != nil {
		return err
	}
	at := w.end
	if err := w.put(b); err != nil {
		return err
	}
	w.all.addMetadata(profile, all, at, int64(len(b)))
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
	syncFolder(filepath.Dir(w.path))
	w.mu.Lock()
	w.named = true
	w.mu.Unlock()
	return nil
}

// syncFolder waits until the names of a folder's files are on the disk.
func syncFolder(path string) {
	if dir, err := os.Open(path); err == nil {
		dir.Sync()
		dir.Close()
	}
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
	var err error
	if w.chunks != nil {
		err = w.seal()
	}
	w.stop()
	err = errors.Join(err, w.f.Truncate(w.end))
	w.ahead, w.syncs = w.end, false
	if err == nil {
		w.closed = false
		err = w.put(w.all.appendEnd(nil, w.end, w.chunks))
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
