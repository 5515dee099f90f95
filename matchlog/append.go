package matchlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Append goes on with a log that was not finished, and cuts off first what was not wholly written; where that is more than
// zeros, a file beside it with .torn behind its name keeps it, the next time .torn2. The error is ErrFinished, ErrBusy, or says why it is no log.
func Append(path string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("matchlog: %w", err)
	}
	w, err := newWriter(path, f)
	if err == nil {
		err = w.resume()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return w, nil
}

// resume reads what the file holds and cuts its end.
func (w *Writer) resume() error {
	size, err := w.f.Seek(0, 2)
	if err != nil {
		return fmt.Errorf("matchlog: %w", err)
	}
	s := scanner{r: w.f, size: size}
	if head, err := s.bytes(0, 64); err != nil {
		return err
	} else if unbegun(head) {
		return w.put(appendFileHead(nil))
	}
	if err := s.head(); err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	if !s.ours {
		return fmt.Errorf("matchlog: %s was not written by touchline: record into another file", w.path)
	}
	finished, err := s.scan(&w.all, func(entry) bool { return true })
	if err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	if finished {
		return fmt.Errorf("%s: %w", w.path, ErrFinished)
	}
	w.end, w.ahead = s.off, size
	if s.torn == "" {
		return nil // zeros may stand ahead already
	}
	kept := w.keep(size)
	if w.followed(&s) {
		w.torn = fmt.Sprintf("the log is broken at byte %d: what followed is in %s", w.end, kept)
	}
	w.ahead = w.end
	if err := w.f.Truncate(w.end); err != nil {
		return fmt.Errorf("matchlog: %s: its torn end cannot be cut: %w", w.path, err)
	}
	return nil
}

// mostTorn is how many cut ends of a log are kept.
const mostTorn = 100

// keep copies what is cut off into a file beside the log, whose name ends with .torn or .torn2 and so on: it is half a
// record after a crash, but all that follows where a disk broke something in the middle. Where that fails, the game goes
// on without it. It says where it is.
func (w *Writer) keep(size int64) string {
	name := w.path + ".torn"
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	for n := 2; errors.Is(err, fs.ErrExist) && n < mostTorn; n++ {
		name = fmt.Sprintf("%s.torn%d", w.path, n)
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	}
	if err == nil {
		if _, err = io.Copy(f, io.NewSectionReader(w.f, w.end, size-w.end)); err != nil {
			os.Remove(name)
		}
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Sprintf("no file (%v)", err)
	}
	return filepath.Base(name)
}

// followed reports whether a whole message stands behind the end of the records: then more than the last one is cut off.
func (w *Writer) followed(s *scanner) bool {
	for s.off = w.end + 1; ; s.off++ {
		head, err := s.bytes(s.off, recordHead)
		if err != nil || len(head) < recordHead {
			return false
		}
		length := binary.LittleEndian.Uint64(head[1:])
		if head[0] != opMessage || length < messageHead || length > maxRecord {
			continue
		}
		body, err := s.bytes(s.off+recordHead, int(length))
		if err != nil {
			return false
		}
		if len(body) == int(length) && binary.LittleEndian.Uint32(body[2:]) == checksum(body) {
			return true
		}
	}
}

// Torn says what Append cut off, where that was more than the last record; "" where it was not.
func (w *Writer) Torn() string { return w.torn }
