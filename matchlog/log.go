package matchlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/rcg"
)

// Log is an open log. Its methods may be called from any goroutine.
type Log struct {
	path   string
	format string
	file   *os.File    // the opened file
	data   *os.File    // holds the records: file, or copy
	packed chunkReader // reads the chunks of a packed touchline log
	copy   *scratch    // the converted file; nil: it is a touchline log

	done  chan struct{} // closed when the log is indexed
	first chan struct{} // closed when the first messages are indexed

	grow   sync.Mutex // one Grow at a time
	mu     sync.Mutex
	all    contents
	index  index       // places of the messages
	last   soccer.Time // time of the message inserted last
	read   int64       // bytes of the file that are indexed
	size   int64       // length of the file
	usable bool        // first is closed
	ended  bool        // done is closed
	closed bool
	state  Info // Torn, Notes and Finished
	losses []string
	skips  bool // see SkipDamage
	err    error
	scan   scanner // reads a touchline log; Grow continues with it
	files  []FileInfo
}

const maxNotes = 50 // irregularities that Info lists

// Open opens a log for reading: a touchline log, finished, torn or still being written; an MCAP file of another
// program; a zip of RefBox 2016 or 2.x, or one of the files in it; a log of the Small Size League or a game log of the 2D
// simulation, plain or in gzip. It returns once the first messages can be read and
// continues to index in the background, until Close. Of a zip with several matches it reads the first file of each kind;
// OpenMatch reads any of them.
func Open(path string) (*Log, error) { return OpenMatch(path, "") }

// OpenMatch is Open for one match of a zip with several, as Matches names it.
func OpenMatch(path, match string) (*Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("matchlog: %w", err)
	}
	l := &Log{path: path, file: f, done: make(chan struct{}), first: make(chan struct{})}
	if err := l.open(match); err != nil {
		f.Close()
		l.drop()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	<-l.first
	l.mu.Lock()
	err = l.err
	if l.all.messages > 0 {
		err = nil // the indexed messages can be read
	}
	l.mu.Unlock()
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// open recognises the file and starts to index it, or one match of a zip.
func (l *Log) open(match string) error {
	stat, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("matchlog: %w", err)
	}
	if !stat.Mode().IsRegular() {
		return fmt.Errorf("%w: it is not a regular file: copy it into a file first", ErrFormat)
	}
	l.size = stat.Size()
	head := make([]byte, 1024)
	n, err := l.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return fmt.Errorf("matchlog: %w", err)
	}
	head = head[:n]
	l.scan = scanner{r: l.file, size: l.size}
	text := unpackedHead(head)
	var read func() error
	switch {
	case isUnstarted(head):
		l.format, l.data, l.scan.ours, l.state.Torn = "mcap", l.file, true, "nothing is written yet"
		read = func() error { return nil }
	case bytes.HasPrefix(head, []byte(magic)):
		if err := l.scan.head(); err != nil {
			return err
		}
		if l.scan.ours {
			l.format, l.data, read = "mcap", l.file, l.indexOurs
			l.packed.file, l.scan.packed = l.file, &l.packed
			break
		}
		l.format, read = "mcap of another program", l.convertForeign
	case isZip(head):
		z, err := openZip(l.file, l.size, match)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
		l.format, read = "zip", func() error { return l.convertRefBox(z) }
	case rcg.Version(text) > 0:
		if err := rcg.CheckVersion(rcg.Version(text)); err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
		l.format, read = fmt.Sprintf("rcg %d", rcg.Version(text)), l.convertSimulation
	case bytes.HasPrefix(text, []byte(sslMagic)):
		l.format, read = "ssl", l.convertSSL
	case isGzip(head):
		return fmt.Errorf("%w: the gzip file holds neither a log of the Small Size League nor a game log of the 2D simulation: "+
			"unpack it first", ErrFormat)
	default:
		m, err := openAlone(l.path, l.file, l.size, head)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
		l.format, read = "msl", func() error { return l.convertRefBox(m) }
	}
	if l.data == nil {
		if l.copy, err = newScratch(); err != nil {
			return err
		}
		l.data = l.copy.File
	}
	go l.run(read)
	return nil
}

func (l *Log) run(read func() error) {
	err := read()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && !errors.Is(err, ErrClosed) {
		l.err = err
		l.lose("the rest cannot be read: %v", err)
	}
	l.ended = true
	l.publish(l.size)
	close(l.done)
}

// indexOurs indexes the records from the scanner's offset on. It releases l.mu now and then.
func (l *Log) indexOurs() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	take := func(e entry) bool {
		l.insert(e)
		if l.all.messages%1024 == 0 {
			l.publish(l.scan.off)
			l.mu.Unlock()
			l.mu.Lock()
		}
		return !l.closed && l.index.length < maxEntries
	}
	finished, err := l.scan.scan(&l.all, take)
	if l.scan.torn != "" && err == nil {
		finished, err = l.repair(take)
	}
	if l.index.length == maxEntries {
		err = errTooLong
	}
	if l.scan.torn != "" && BeingWritten(l.path) { // the rest of the record follows
		l.scan.torn = ""
	}
	l.state.Finished, l.state.Torn = finished, l.scan.torn
	return err
}

// repair goes on behind damage in the middle of a finished log. The end of an unfinished log may be torn, and Append cuts
// it off. It requires l.mu.
func (l *Log) repair(take func(entry) bool) (finished bool, err error) {
	s := search{file: l.file, size: l.size, end: max(0, summaryOffset(l.file, l.size)-dataEnd)}
	counts, _ := l.all.readSummary(l.file, l.size)
	first, damaged := l.scan.off, int64(0)
	for at := first; err == nil && l.scan.torn != "" && at < s.end; at = l.scan.off {
		l.scan.off, l.scan.torn = s.behind(at), ""
		damaged += l.scan.off - at
		finished, err = l.scan.scan(&l.all, take)
	}
	if damaged > 0 {
		l.lose("%d of %d messages are lost: %d bytes from byte %d on are damaged",
			max(counts.MessageCount, l.all.messages)-l.all.messages, counts.MessageCount, damaged, first)
	}
	return finished, err
}

// publish notes that the file is indexed up to an offset. It requires l.mu.
func (l *Log) publish(read int64) {
	l.read = read
	if !l.usable {
		l.usable = true
		close(l.first)
	}
}

// maxLate is how much older a message may be than the one before it in a record. A packet is stamped up to a second before
// it is read (package transport), and a program that stalls writes it later still. A greater step is that of a clock.
const maxLate = 3 * time.Second

// insert adds a message to the index. It requires l.mu.
func (l *Log) insert(e entry) {
	if back := l.last.Sub(e.time); l.format == "mcap" && l.index.length > 0 && back > maxLate {
		at := time.Unix(0, int64(e.time)).UTC().Format("15:04:05.000")
		l.note("the clock was set back by %v at %s", back.Round(time.Millisecond), at)
	}
	l.last = e.time
	l.index.insert(e)
}

// note adds an irregularity of the file. It requires l.mu.
func (l *Log) note(format string, args ...any) {
	switch text := wire.Printable(fmt.Sprintf(format, args...)); {
	case len(l.state.Notes) < maxNotes-1:
		l.state.Notes = append(l.state.Notes, text)
	case len(l.state.Notes) == maxNotes-1:
		l.state.Notes = append(l.state.Notes, "and more")
	}
}

// lose notes messages of the file that the log does not hold. It requires l.mu.
func (l *Log) lose(format string, args ...any) {
	text := wire.Printable(fmt.Sprintf(format, args...))
	if len(l.losses) < maxNotes && !slices.Contains(l.losses, text) {
		l.losses = append(l.losses, text)
		l.note("%s", text)
	}
}

// Grow indexes the messages that were appended to a touchline log since Open or the last Grow. It waits until the log
// is indexed.
func (l *Log) Grow() error {
	<-l.done
	l.grow.Lock()
	defer l.grow.Unlock()
	l.mu.Lock()
	stat, err := l.file.Stat()
	unchanging := l.format != "mcap" || l.state.Finished || l.scan.off == 0 || l.all.messages > 0 && l.err != nil
	if l.closed || err != nil || unchanging {
		closed := l.closed
		l.mu.Unlock()
		if closed {
			return ErrClosed
		}
		return err
	}
	l.size = stat.Size()
	l.scan.size, l.scan.torn, l.scan.buf, l.scan.at = l.size, "", l.scan.buf[:0], 0
	l.mu.Unlock()
	return l.indexOurs()
}

// Wait waits until the log is indexed. The error says why its rest cannot be read.
func (l *Log) Wait() error {
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close stops the indexing and closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return ErrClosed
	}
	l.closed = true
	l.mu.Unlock()
	<-l.done
	err := l.file.Close()
	l.drop()
	return err
}

// drop removes temporary data.
func (l *Log) drop() {
	l.packed.close()
	if l.copy != nil {
		l.copy.Close()
	}
}
