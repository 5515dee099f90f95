package matchlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Append opens an unfinished log to append to it. It cuts off a torn end and keeps it in a file with .torn behind the
// log's name, the next time .torn2. The error is ErrFinished, ErrBusy or ErrFormat.
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

// resume reads the log and cuts off its torn end.
func (w *Writer) resume() error {
	size, err := w.f.Seek(0, 2)
	if err != nil {
		return fmt.Errorf("matchlog: %w", err)
	}
	s := scanner{r: w.f, size: size}
	if head, err := s.bytes(0, 64); err != nil {
		return err
	} else if isUnstarted(head) {
		return w.put(appendFileHead(nil))
	}
	if err := s.head(); err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	if !s.ours {
		return fmt.Errorf("%w of touchline: %s: record to another file", ErrFormat, w.path)
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
		return nil // zeros may follow
	}
	kept := w.keep(size)
	behind := search{file: w.f, size: size, end: size}
	if behind.message(w.end+1) < size { // more than one torn record
		w.torn = fmt.Sprintf("the log is damaged at byte %d: the rest is kept in %s", w.end, kept)
	}
	w.ahead = w.end
	if err := w.f.Truncate(w.end); err != nil {
		return fmt.Errorf("matchlog: %s: the torn end cannot be cut off: %w", w.path, err)
	}
	return nil
}

// maxTorn is the number of torn ends of a log that are kept.
const maxTorn = 100

// keep copies the torn end to a file in the folder of the log and returns the file's name. After a crash the end is a part
// of a record; after damage in the middle it is everything behind the damage. Without room for the file the end is lost.
func (w *Writer) keep(size int64) string {
	name := w.path + ".torn"
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	for n := 2; errors.Is(err, fs.ErrExist) && n < maxTorn; n++ {
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
		return fmt.Sprintf("no file: %v", err)
	}
	return filepath.Base(name)
}

// Torn describes what Append cut off if that was more than one torn record; otherwise it returns "".
func (w *Writer) Torn() string { return w.torn }
